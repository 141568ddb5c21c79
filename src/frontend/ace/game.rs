//! The game loop: moves come from the engine or from the input, depending on the side to move.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::AceBook;
use crate::chess::{BoardStyle, BoardText, ByColor, Color, DrawReason, GameLine, Move, Outcome, Position};
use crate::engine::{Limits, SearchInfo, SearchObserver, SearchReport, Searcher, StopFlag};
use crate::frontend::ace::input::{ConsoleInput, read};
use crate::frontend::ace::move_errors::explain;
use crate::frontend::ace::side_panel::{self, MoveSource};
use crate::frontend::bounded_lines::{ReadOutcome, read_line};
use crate::frontend::options::EngineOptions;
use crate::protocol::Words;
use crate::protocol::ace::{ClaimedResult, INVALID_MOVE, Role};

/// Search time for a hint.
const HINT_TIME: Duration = Duration::from_secs(1);

/// The user at the other end of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleUser {
    /// A program: moves in ACE notation.
    Program,
    /// A person: moves in any notation, explanations.
    Person,
}

/// Settings of a game.
#[derive(Clone, Debug)]
pub struct GameSettings {
    /// The role of each side.
    pub roles: ByColor<Role>,
    /// The starting position.
    pub start: Position,
    /// The search limits per move.
    pub limits: Limits,
    /// The options of the engine.
    pub options: EngineOptions,
    /// The opening book of the engine, if it uses one.
    pub book: Option<AceBook>,
    /// The user at the other end of the console.
    pub user: ConsoleUser,
    /// How the board is printed before every move; `None` if it is not.
    pub board: Option<BoardStyle>,
}

/// Plays one game. Moves are read from `input`; the moves of the engine are written to `moves`, one per line, and all
/// other text to `notes`.
pub fn play(
    settings: GameSettings,
    input: impl BufRead,
    moves: impl Write,
    notes: impl Write,
) -> ClaimedResult {
    let line = GameLine::new(settings.start);
    let words = VecDeque::new();
    let game = Game { settings, line, searcher: None, last_source: None, words, input, moves, notes };
    match game.play() {
        Ok(claim) => claim,
        // The output is closed: the game ends as if by `exit`.
        Err(_) => ClaimedResult::DrawOrUnfinished,
    }
}

struct Game<I, M, N> {
    settings: GameSettings,
    line: GameLine,
    /// Created on first use; a game between two people does not need it.
    searcher: Option<Searcher>,
    last_source: Option<MoveSource>,
    /// Words read but not yet processed; a line may contain several.
    words: VecDeque<String>,
    input: I,
    moves: M,
    notes: N,
}

impl<I: BufRead, M: Write, N: Write> Game<I, M, N> {
    fn play(mut self) -> io::Result<ClaimedResult> {
        if self.settings.user == ConsoleUser::Person {
            self.note("Enter moves as e2e4, Nf3 or O-O; `help` lists all commands.")?;
        }
        loop {
            if let Some(outcome) = self.line.outcome() {
                self.show_board()?;
                self.note(outcome_text(outcome))?;
                return Ok(outcome.winner().map_or(ClaimedResult::DrawOrUnfinished, ClaimedResult::Won));
            }
            let step = match self.settings.roles[self.line.current().turn()] {
                Role::Computer => self.play_engine_move()?,
                Role::Human => self.read_move()?,
            };
            if let ControlFlow::Break(claim) = step {
                return Ok(claim);
            }
        }
    }

    /// Finds a move for the engine, plays it and prints it.
    fn play_engine_move(&mut self) -> io::Result<ControlFlow<ClaimedResult>> {
        if !self.has_human() {
            self.show_board()?;
        }
        let position = *self.line.current();
        let book_move = self.settings.book.as_ref().and_then(|book| book.choose(&position));
        let mv = match book_move {
            Some(mv) => {
                self.last_source = Some(MoveSource::Book);
                mv
            }
            None => {
                if self.settings.user == ConsoleUser::Person {
                    self.note(format_args!("{} is thinking …", position.turn().name()))?;
                }
                let limits = self.settings.limits.clone();
                let (mv, source) = self.search(&limits);
                self.last_source = Some(source);
                mv
            }
        };
        let text = position.ace(mv);
        self.line.push(mv);
        // This write fails if the other program has closed its end.
        writeln!(self.moves, "{text}")?;
        self.moves.flush()?;
        Ok(ControlFlow::Continue(()))
    }

    fn search(&mut self, limits: &Limits) -> (Move, MoveSource) {
        let position = *self.line.current();
        let searcher = self.searcher.get_or_insert_with(|| self.settings.options.searcher());
        let mut best_line = BestLine::default();
        let started = Instant::now();
        let SearchReport { best, score, depth, nodes, .. } =
            searcher.search(&self.line, limits, &StopFlag::new(), &mut best_line);
        let legal = position.legal_moves();
        let mv = best.or_else(|| legal.first().copied()).expect("a game that is not over has a legal move");
        let score = if position.turn() == Color::White { score } else { score.reversed() };
        let line = best_line.san(&position, mv);
        (mv, MoveSource::Search { time: started.elapsed(), depth, nodes, score, line })
    }

    /// Reads words until one is a legal move or ends the game.
    fn read_move(&mut self) -> io::Result<ControlFlow<ClaimedResult>> {
        self.show_board()?;
        loop {
            let Some(word) = self.next_word()? else {
                return Ok(ControlFlow::Break(ClaimedResult::DrawOrUnfinished));
            };
            let position = *self.line.current();
            match read(&position, &word, self.settings.user) {
                Some(ConsoleInput::Play(mv)) => {
                    self.line.push(mv);
                    return Ok(ControlFlow::Continue(()));
                }
                Some(ConsoleInput::Exit) => return Ok(ControlFlow::Break(ClaimedResult::DrawOrUnfinished)),
                Some(command) => self.execute(command)?,
                None => {
                    self.note(INVALID_MOVE)?;
                    if self.settings.user == ConsoleUser::Person {
                        self.note(explain(&position, &word))?;
                    }
                }
            }
        }
    }

    fn execute(&mut self, command: ConsoleInput) -> io::Result<()> {
        let position = *self.line.current();
        match command {
            ConsoleInput::Undo => self.undo(),
            ConsoleInput::Hint => {
                let limits = Limits { movetime: Some(HINT_TIME), ..self.settings.limits.clone() };
                let (mv, _) = self.search(&limits);
                self.note(format_args!("Suggested move: {}", position.san(mv)))
            }
            ConsoleInput::Moves => {
                let moves = position.legal_moves();
                self.note(moves.iter().map(|&mv| position.san(mv)).collect::<Vec<_>>().join(" "))
            }
            ConsoleInput::Fen => self.note(position.to_fen()),
            ConsoleInput::Board => self.show_board(),
            ConsoleInput::Help => self.note(HELP),
            // Handled by `read_move`.
            ConsoleInput::Play(_) | ConsoleInput::Exit => Ok(()),
        }
    }

    /// Takes back moves up to the previous position in which a human was to move.
    fn undo(&mut self) -> io::Result<()> {
        let roles = self.settings.roles;
        let turns: Vec<Color> = self.line.positions().map(Position::turn).collect();
        let Some(ply) = turns[..turns.len() - 1].iter().rposition(|&turn| roles[turn] == Role::Human) else {
            return self.note("You have no move to take back.");
        };
        while self.line.moves().len() > ply {
            self.line.pop();
        }
        self.last_source = None;
        self.show_board()
    }

    /// Returns the next word, or `None` at the end of the input.
    fn next_word(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(word) = self.words.pop_front() {
                return Ok(Some(word));
            }
            if self.settings.user == ConsoleUser::Person {
                write!(self.notes, "{} to move: ", self.line.current().turn().name())?;
                self.notes.flush()?;
            }
            let mut line = Vec::new();
            match read_line(&mut self.input, &mut line) {
                ReadOutcome::Line => {
                    let text = String::from_utf8_lossy(&line);
                    self.words.extend(Words::new(&text).iter().map(str::to_owned));
                }
                ReadOutcome::TooLong => self.note(INVALID_MOVE)?,
                ReadOutcome::End => return Ok(None),
            }
        }
    }

    fn has_human(&self) -> bool {
        Color::ALL.iter().any(|&color| self.settings.roles[color] == Role::Human)
    }

    fn show_board(&mut self) -> io::Result<()> {
        let Some(style) = self.settings.board else { return Ok(()) };
        let roles = self.settings.roles;
        // The board is drawn from the human's side.
        let bottom = match (roles.white, roles.black) {
            (Role::Computer, Role::Human) => Color::Black,
            _ => Color::White,
        };
        let notes = side_panel::notes(&self.line, roles, bottom, self.last_source.as_ref(), style);
        let (position, last) = (self.line.current(), self.line.moves().last().copied());
        let diagram = BoardText { position, last, bottom, style }.draw(&notes);
        // Without anyone to see the board the game goes on.
        let _ = write!(self.notes, "\n{diagram}\n").and_then(|()| self.notes.flush());
        Ok(())
    }

    fn note(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.notes, "{text}")?;
        self.notes.flush()
    }
}

/// Stores the last principal variation that the search reported.
#[derive(Default)]
struct BestLine(Vec<Move>);

/// The number of moves of the principal variation that are shown.
const PV_MOVES_SHOWN: usize = 5;

impl BestLine {
    /// Returns the line in SAN, or an empty string if it does not begin with the played move.
    fn san(&self, position: &Position, played: Move) -> String {
        let mut position = *position;
        let mut words = Vec::new();
        for &mv in self.0.iter().take(PV_MOVES_SHOWN).filter(|_| self.0.first() == Some(&played)) {
            if !position.is_legal(mv) {
                break;
            }
            words.push(position.san(mv));
            position = position.play(mv);
        }
        words.join(" ")
    }
}

impl SearchObserver for BestLine {
    fn info(&mut self, info: &SearchInfo) {
        if info.multipv <= 1 {
            self.0.clone_from(&info.pv);
        }
    }
}

fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win { winner, .. } => format!("{} won by checkmate.", winner.name()),
        Outcome::Draw(rule) => format!(
            "Draw by {}.",
            match rule {
                DrawReason::Stalemate => "stalemate",
                DrawReason::InsufficientMaterial => "insufficient material",
                DrawReason::FiftyMoves => "the fifty-move rule",
                DrawReason::ThreefoldRepetition => "threefold repetition",
            }
        ),
    }
}

const HELP: &str = "\
Moves   e2e4, e7e8Q, e1g1Ch1 (ACE) · Nf3, exd5, O-O, e8=Q (SAN) · e2-e4
undo    take back your last move      hint    let the engine suggest one
moves   list the legal moves          fen     show the position as FEN
board   show the board again          exit    leave the game";
