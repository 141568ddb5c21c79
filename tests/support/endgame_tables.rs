//! Perfect play of a bare black king against White's king and one or two pieces, by retrograde analysis.

use playself::chess::{
    Bitboard, Color, PieceKind, Position, Square, bishop_attacks, king_attacks, knight_attacks,
    queen_attacks, rook_attacks,
};

/// The value of positions that the analysis has not reached: White cannot force mate.
const OPEN: u8 = u8::MAX;
/// The white king is on a1 to d4 in the table; every other position is a mirror image of one of these.
const KING_SQUARES: usize = 16;

/// Plies to mate for every placement of White's king, Black's king and White's pieces.
pub(crate) struct Table {
    pieces: Vec<PieceKind>,
    /// By placement, White to move.
    wins: Vec<u8>,
    /// By placement, Black to move.
    losses: Vec<u8>,
}

/// The squares of all pieces.
#[derive(Clone, Debug)]
struct Placement {
    white: Square,
    black: Square,
    men: Vec<Square>,
}

fn attacks(kind: PieceKind, from: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Knight => knight_attacks(from),
        PieceKind::Bishop => bishop_attacks(from, occupied),
        PieceKind::Rook => rook_attacks(from, occupied),
        PieceKind::Queen => queen_attacks(from, occupied),
        PieceKind::Pawn | PieceKind::King => Bitboard::EMPTY,
    }
}

impl Placement {
    fn men_board(&self) -> Bitboard {
        self.men.iter().fold(Bitboard::EMPTY, |board, &square| board | Bitboard::of(square))
    }

    fn occupied(&self) -> Bitboard {
        self.men_board() | Bitboard::of(self.white) | Bitboard::of(self.black)
    }

    /// Whether all squares are different and the kings are not adjacent.
    fn is_possible(&self) -> bool {
        let men = self.men.len() as u32 + 2;
        self.occupied().len() == men && !king_attacks(self.white).has(self.black)
    }
}

impl Table {
    /// Analyses every position of White's king and `pieces` against a bare king.
    pub(crate) fn new(pieces: &[PieceKind]) -> Self {
        let size = KING_SQUARES * 64 * 64usize.pow(pieces.len() as u32);
        let mut table = Self { pieces: pieces.to_vec(), wins: vec![OPEN; size], losses: vec![OPEN; size] };
        let mut mated = Vec::new();
        for index in 0..size {
            let placement = table.placement(index);
            let in_check = || table.is_attacked(&placement, placement.black, placement.occupied());
            if placement.is_possible() && in_check() && table.replies(&placement).is_empty() {
                mated.push(index);
            }
        }
        table.propagate(mated);
        table
    }

    fn propagate(&mut self, mut lost: Vec<usize>) {
        for &index in &lost {
            self.losses[index] = 0;
        }
        let mut plies = 0;
        while !lost.is_empty() {
            plies += 1;
            let mut won = Vec::new();
            for index in lost.drain(..) {
                for before in self.before_white(&self.placement(index)) {
                    if self.wins[before] == OPEN {
                        self.wins[before] = plies;
                        won.push(before);
                    }
                }
            }
            plies += 1;
            for index in won {
                for before in self.before_black(&self.placement(index)) {
                    let at = self.index(&before);
                    let escapes = |reply: &Reply| match reply {
                        Reply::Takes => true,
                        Reply::Steps(after) => self.wins[self.index(after)] == OPEN,
                    };
                    if self.losses[at] == OPEN && !self.replies(&before).iter().any(escapes) {
                        self.losses[at] = plies;
                        lost.push(at);
                    }
                }
            }
        }
    }

    /// The placements from which White could have moved to this one.
    fn before_white(&self, placement: &Placement) -> Vec<usize> {
        let (occupied, mut found) = (placement.occupied(), Vec::new());
        let mut add = |before: Placement| {
            let check = self.is_attacked(&before, before.black, before.occupied());
            if before.is_possible() && !check {
                found.push(self.index(&before));
            }
        };
        for white in king_attacks(placement.white).without(occupied) {
            add(Placement { white, ..placement.clone() });
        }
        for (number, &kind) in self.pieces.iter().enumerate() {
            for square in attacks(kind, placement.men[number], occupied).without(occupied) {
                let mut before = placement.clone();
                before.men[number] = square;
                add(before);
            }
        }
        found
    }

    /// The placements from which Black could have moved to this one.
    fn before_black(&self, placement: &Placement) -> Vec<Placement> {
        let squares = king_attacks(placement.black).without(placement.occupied());
        let before = squares.into_iter().map(|black| Placement { black, ..placement.clone() });
        before.filter(Placement::is_possible).collect()
    }

    /// The legal moves of Black.
    fn replies(&self, placement: &Placement) -> Vec<Reply> {
        let without_king = placement.occupied().without(Bitboard::of(placement.black));
        let reach = king_attacks(placement.black).without(king_attacks(placement.white));
        let mut replies = Vec::new();
        for black in reach {
            if self.is_attacked(placement, black, without_king) {
                continue;
            }
            replies.push(match placement.men_board().has(black) {
                true => Reply::Takes,
                false => Reply::Steps(Placement { black, ..placement.clone() }),
            });
        }
        replies
    }

    /// Whether one of White's pieces attacks `square`.
    fn is_attacked(&self, placement: &Placement, square: Square, occupied: Bitboard) -> bool {
        let mut men = self.pieces.iter().zip(&placement.men);
        men.any(|(&kind, &from)| from != square && attacks(kind, from, occupied).has(square))
    }

    fn placement(&self, index: usize) -> Placement {
        let square = |at: usize| Square::wrap(((index >> (6 * at)) & 63) as u8);
        let count = self.pieces.len();
        let king = index >> (6 * (count + 1));
        Placement {
            white: Square::at((king % 4) as u8, (king / 4) as u8),
            black: square(count),
            men: (0..count).map(square).collect(),
        }
    }

    fn index(&self, placement: &Placement) -> usize {
        let white = placement.white;
        let mirror = (if white.file() >= 4 { 7 } else { 0 }) | (if white.rank() >= 4 { 56 } else { 0 });
        let seen = |square: Square| square.index() ^ mirror;
        let king = Square::wrap(seen(white) as u8);
        let mut index = usize::from(king.rank()) * 4 + usize::from(king.file());
        index = index << 6 | seen(placement.black);
        for &man in placement.men.iter().rev() {
            index = index << 6 | seen(man);
        }
        index
    }

    fn of_position(&self, position: &Position) -> Option<usize> {
        let pieces = |&kind| position.pieces(Color::White, kind).first();
        let men: Option<Vec<Square>> = self.pieces.iter().map(pieces).collect();
        let complete = position.occupied().len() as usize == self.pieces.len() + 2;
        let placement =
            |men| Placement { white: position.king(Color::White), black: position.king(Color::Black), men };
        men.filter(|_| complete).map(|men| self.index(&placement(men)))
    }

    /// Plies to mate with best play by both sides, or `None` if White cannot force mate or the position has other
    /// pieces than the table.
    pub(crate) fn plies_to_mate(&self, position: &Position) -> Option<u8> {
        let index = self.of_position(position)?;
        let plies = match position.turn() {
            Color::White => self.wins[index],
            Color::Black => self.losses[index],
        };
        (plies != OPEN).then_some(plies)
    }

    /// Positions with White to move from which the mate takes longest.
    pub(crate) fn longest(&self, count: usize) -> Vec<String> {
        let most = self.wins.iter().copied().filter(|&plies| plies != OPEN).max();
        let hardest = (0..self.wins.len()).filter(|&index| Some(self.wins[index]) == most);
        hardest.take(count).map(|index| self.fen(&self.placement(index))).collect()
    }

    fn fen(&self, placement: &Placement) -> String {
        let letter = |square: Square| {
            let man = placement.men.iter().position(|&man| man == square);
            match man.map(|number| self.pieces[number]) {
                Some(PieceKind::Knight) => 'N',
                Some(PieceKind::Bishop) => 'B',
                Some(PieceKind::Rook) => 'R',
                Some(PieceKind::Queen) => 'Q',
                _ if square == placement.white => 'K',
                _ if square == placement.black => 'k',
                _ => '1',
            }
        };
        let mut ranks = Vec::new();
        for rank in (0..8).rev() {
            let mut text: String = (0..8).map(|file| letter(Square::at(file, rank))).collect();
            for empty in (2..=8).rev() {
                text = text.replace(&"1".repeat(empty), &empty.to_string());
            }
            ranks.push(text);
        }
        format!("{} w - - 0 1", ranks.join("/"))
    }
}

/// A move of the bare king.
enum Reply {
    /// It captures a piece, after which the game is drawn.
    Takes,
    Steps(Placement),
}
