//! Exact values of every position of three men, White's king and one man against a bare king, by retrograde analysis.

use playself::chess::{Color, Move, Piece, PieceKind, Position, Setup, Square};

/// The value of a position for the side to move, with the plies to the next capture, pawn move or mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// No such position.
    Impossible,
    Draw,
    Win(u16),
    Loss(u16),
}

/// The result of a move before the whole table is known.
enum Step {
    /// A quiet move to another position of the table.
    To(u32),
    /// A pawn move to another position of the table.
    PawnTo(u32),
    /// A capture or promotion, whose value for the mover is known.
    Zeroing(Value),
}

/// The values of all positions with White's king on the files a to d.
pub(crate) struct Ending {
    pub(crate) kind: PieceKind,
    values: Vec<Value>,
}

const SIZE: usize = 32 * 64 * 64 * 2;

/// The number of a placement; positions are mirrored so that White's king is on the files a to d.
fn number(kings: [Square; 2], man: Square, turn: Color) -> usize {
    let mirror = if kings[0].file() > 3 { 7 } else { 0 };
    let [white, black, man] = [kings[0], kings[1], man].map(|square| square.index() ^ mirror);
    (((white / 8 * 4 + white % 8) * 64 + black) * 64 + man) * 2 + turn.index()
}

/// The position of this number and kind, if it is legal.
pub(crate) fn position(number: usize, kind: PieceKind) -> Option<Position> {
    let turn = if number.is_multiple_of(2) { Color::White } else { Color::Black };
    let (man, black, white) = (number / 2 % 64, number / 128 % 64, number / 8192);
    let white = white / 4 * 8 + white % 4;
    if man == black || man == white || black == white {
        return None;
    }
    let mut setup = Setup { turn, ..Setup::EMPTY };
    setup.board[white] = Some(Piece::new(Color::White, PieceKind::King));
    setup.board[black] = Some(Piece::new(Color::Black, PieceKind::King));
    setup.board[man] = Some(Piece::new(Color::White, kind));
    Position::from_setup(&setup).ok()
}

impl Ending {
    /// Analyses every position; `promoted` are the endings to which a pawn can promote.
    pub(crate) fn new(kind: PieceKind, promoted: &[Ending]) -> Self {
        let mut ending = Self { kind, values: vec![Value::Impossible; SIZE] };
        let mut steps: Vec<Option<Vec<Step>>> = Vec::with_capacity(SIZE);
        for number in 0..SIZE {
            let position = position(number, kind);
            steps.push(position.map(|position| {
                let legal = position.legal_moves();
                let mated = legal.is_empty() && position.in_check();
                ending.values[number] = if mated { Value::Loss(0) } else { Value::Draw };
                legal.iter().map(|&mv| step(&position, mv, promoted)).collect()
            }));
        }
        if kind == PieceKind::Pawn {
            // First who wins, because the distances begin again after every pawn move.
            let start = ending.values.clone();
            ending.propagate(&steps);
            for step in steps.iter_mut().flatten().flatten() {
                if let Step::PawnTo(_) = step {
                    *step = Step::Zeroing(ending.after(step));
                }
            }
            ending.values = start;
        }
        ending.propagate(&steps);
        ending
    }

    /// Adds wins and losses in the order of their distance until a round adds none.
    fn propagate(&mut self, steps: &[Option<Vec<Step>>]) {
        loop {
            let mut found = Vec::new();
            for (number, steps) in steps.iter().enumerate() {
                let Some(steps) = steps.as_ref().filter(|steps| !steps.is_empty()) else { continue };
                if self.values[number] == Value::Draw
                    && let Some(value) = self.best(steps)
                {
                    found.push((number, value));
                }
            }
            if found.is_empty() {
                return;
            }
            for (number, value) in found {
                self.values[number] = value;
            }
        }
    }

    /// The value of a position with these moves, unless it is a draw as far as is known.
    fn best(&self, steps: &[Step]) -> Option<Value> {
        let (mut nearest, mut farthest, mut losses) = (None, 0, 0);
        for step in steps {
            match self.after(step) {
                Value::Win(plies) => nearest = Some(nearest.map_or(plies, |nearest: u16| nearest.min(plies))),
                Value::Loss(plies) => {
                    farthest = farthest.max(plies);
                    losses += 1;
                }
                Value::Draw | Value::Impossible => {}
            }
        }
        nearest.map(Value::Win).or((losses == steps.len()).then_some(Value::Loss(farthest)))
    }

    /// The value of a move for the side that makes it.
    fn after(&self, step: &Step) -> Value {
        match *step {
            Step::Zeroing(value) => value,
            Step::To(number) => match self.values[number as usize] {
                Value::Win(plies) => Value::Loss(plies + 1),
                Value::Loss(plies) => Value::Win(plies + 1),
                other => other,
            },
            Step::PawnTo(number) => match self.values[number as usize] {
                Value::Win(_) => Value::Loss(1),
                Value::Loss(_) => Value::Win(1),
                other => other,
            },
        }
    }

    /// The values of all positions by their number.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}

fn step(position: &Position, mv: Move, promoted: &[Ending]) -> Step {
    if mv.is_capture() {
        return Step::Zeroing(Value::Draw);
    }
    let after = position.play(mv);
    let kings = Color::ALL.map(|color| after.king(color));
    let man = after.occupied().find(|&square| !kings.contains(&square)).unwrap();
    let number = number(kings, man, after.turn());
    if let Some(kind) = mv.promotion() {
        let ending = promoted.iter().find(|ending| ending.kind == kind).unwrap();
        return Step::Zeroing(match ending.values[number] {
            Value::Win(_) => Value::Loss(1),
            Value::Loss(_) => Value::Win(1),
            other => other,
        });
    }
    if mv.kind() == PieceKind::Pawn { Step::PawnTo(number as u32) } else { Step::To(number as u32) }
}
