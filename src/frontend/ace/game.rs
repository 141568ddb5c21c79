//! The game itself: whose turn it is decides whether we think or ask.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::AceBook;
use crate::chess::{ByColor, Color, DrawReason, GameLine, Move, Outcome, Position};
use crate::engine::{Limits, SearchInfo, SearchObserver, SearchReport, Searcher, StopFlag};
use crate::frontend::ace::input::{ConsoleInput, read};
use crate::frontend::ace::move_errors::explain;
use crate::frontend::ace::side_panel::{self, Thought};
use crate::frontend::board_text::{Paint, Picture};
use crate::frontend::bounded_lines::{Next, read_line};
use crate::frontend::options::EngineOptions;
use crate::protocol::Words;
use crate::protocol::ace::{Claim, INVALID_MOVE, Role};

/// Longest think for a hint.
const HINT_TIME: Duration = Duration::from_secs(1);

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A program: moves in ACE's spelling, and nothing to look at.
    Peer,
    /// A person: a board, any notation, and explanations.
    Person(Paint),
}

/// A game to be played.
#[derive(Clone, Debug)]
pub struct GameSettings {
    /// Who makes each side's moves.
    pub roles: ByColor<Role>,
    /// Where it starts.
    pub start: Position,
    /// What ends our thinking on a move.
    pub thinking: Limits,
    /// How our engine is set up.
    pub options: EngineOptions,
    /// The openings it knows.
    pub book: Option<AceBook>,
    /// Who is at the other end.
    pub audience: Audience,
}

/// Plays one game: moves are read from `input`, our own go to `moves`, one a line; all else goes to `notes`.
pub fn play(settings: GameSettings, input: impl BufRead, moves: impl Write, notes: impl Write) -> Claim {
    let line = GameLine::new(settings.start);
    let game =
        Game { settings, line, searcher: None, thought: None, words: VecDeque::new(), input, moves, notes };
    match game.play() {
        Ok(claim) => claim,
        // Whoever listened is gone: the game is left, as by the word for it.
        Err(_) => Claim::DrawOrLeft,
    }
}

struct Game<I, M, N> {
    settings: GameSettings,
    line: GameLine,
    /// Made when first needed; a game between people never does.
    searcher: Option<Searcher>,
    thought: Option<Thought>,
    /// Words read and not yet looked at: a line may hold several.
    words: VecDeque<String>,
    input: I,
    moves: M,
    notes: N,
}

impl<I: BufRead, M: Write, N: Write> Game<I, M, N> {
    fn play(mut self) -> io::Result<Claim> {
        if let Audience::Person(_) = self.settings.audience {
            self.note("Write moves as e2e4, Nf3 or O-O; `help` tells the rest.")?;
        }
        loop {
            if let Some(outcome) = self.line.outcome() {
                self.show_board()?;
                self.note(told(outcome))?;
                return Ok(outcome.winner().map_or(Claim::DrawOrLeft, Claim::Won));
            }
            let step = match self.settings.roles[self.line.current().turn()] {
                Role::Computer => self.think()?,
                Role::Human => self.ask()?,
            };
            if let ControlFlow::Break(claim) = step {
                return Ok(claim);
            }
        }
    }

    /// Finds a move of ours, plays it and prints it.
    fn think(&mut self) -> io::Result<ControlFlow<Claim>> {
        if !self.has_human() {
            self.show_board()?;
        }
        let position = *self.line.current();
        let known = self.settings.book.as_ref().and_then(|book| book.choose(&position));
        let mv = match known {
            Some(mv) => {
                self.thought = Some(Thought::AceBook);
                mv
            }
            None => {
                if let Audience::Person(_) = self.settings.audience {
                    self.note(format_args!("{} thinks …", position.turn().name()))?;
                }
                let limits = self.settings.thinking.clone();
                let (mv, thought) = self.search(&limits);
                self.thought = Some(thought);
                mv
            }
        };
        let text = position.ace(mv);
        self.line.push(mv);
        // A peer that has left us is noticed here.
        writeln!(self.moves, "{text}")?;
        self.moves.flush()?;
        Ok(ControlFlow::Continue(()))
    }

    fn search(&mut self, limits: &Limits) -> (Move, Thought) {
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
        (mv, Thought::Search { time: started.elapsed(), depth, nodes, score, line })
    }

    /// Reads words until one is a legal move, or ends the game.
    fn ask(&mut self) -> io::Result<ControlFlow<Claim>> {
        self.show_board()?;
        loop {
            let Some(word) = self.next_word()? else { return Ok(ControlFlow::Break(Claim::DrawOrLeft)) };
            let position = *self.line.current();
            match read(&position, &word, self.settings.audience) {
                Some(ConsoleInput::Play(mv)) => {
                    self.line.push(mv);
                    return Ok(ControlFlow::Continue(()));
                }
                Some(ConsoleInput::Exit) => return Ok(ControlFlow::Break(Claim::DrawOrLeft)),
                Some(request) => self.serve(request)?,
                None => {
                    self.note(INVALID_MOVE)?;
                    if let Audience::Person(_) = self.settings.audience {
                        self.note(explain(&position, &word))?;
                    }
                }
            }
        }
    }

    fn serve(&mut self, request: ConsoleInput) -> io::Result<()> {
        let position = *self.line.current();
        match request {
            ConsoleInput::Undo => self.undo(),
            ConsoleInput::Hint => {
                let limits = Limits { movetime: Some(HINT_TIME), ..self.settings.thinking.clone() };
                let (mv, _) = self.search(&limits);
                self.note(format_args!("How about {}?", position.san(mv)))
            }
            ConsoleInput::Moves => {
                let moves = position.legal_moves();
                self.note(moves.iter().map(|&mv| position.san(mv)).collect::<Vec<_>>().join(" "))
            }
            ConsoleInput::Fen => self.note(position.to_fen()),
            ConsoleInput::Board => self.show_board(),
            ConsoleInput::Help => self.note(HELP),
            // Handled where the word was read.
            ConsoleInput::Play(_) | ConsoleInput::Exit => Ok(()),
        }
    }

    /// Goes back to the last position in which a person was to move.
    fn undo(&mut self) -> io::Result<()> {
        let roles = self.settings.roles;
        let turns: Vec<Color> = self.line.positions().map(Position::turn).collect();
        let Some(ply) = turns[..turns.len() - 1].iter().rposition(|&turn| roles[turn] == Role::Human) else {
            return self.note("There is no move of yours to take back.");
        };
        while self.line.moves().len() > ply {
            self.line.pop();
        }
        self.thought = None;
        self.show_board()
    }

    /// The next word; `None` at the end of the input.
    fn next_word(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(word) = self.words.pop_front() {
                return Ok(Some(word));
            }
            if let Audience::Person(_) = self.settings.audience {
                write!(self.notes, "{} to move: ", self.line.current().turn().name())?;
                self.notes.flush()?;
            }
            let mut line = Vec::new();
            match read_line(&mut self.input, &mut line) {
                Next::Line => {
                    let text = String::from_utf8_lossy(&line);
                    self.words.extend(Words::new(&text).iter().map(str::to_owned));
                }
                Next::TooLong => self.note(INVALID_MOVE)?,
                Next::End => return Ok(None),
            }
        }
    }

    fn has_human(&self) -> bool {
        Color::ALL.iter().any(|&color| self.settings.roles[color] == Role::Human)
    }

    fn show_board(&mut self) -> io::Result<()> {
        let Audience::Person(paint) = self.settings.audience else { return Ok(()) };
        let roles = self.settings.roles;
        // A person sees the board from their own side.
        let bottom = match (roles.white, roles.black) {
            (Role::Computer, Role::Human) => Color::Black,
            _ => Color::White,
        };
        let notes = side_panel::notes(&self.line, roles, bottom, self.thought.as_ref(), paint);
        let (position, last) = (self.line.current(), self.line.moves().last().copied());
        let picture = Picture { position, last, bottom, paint }.draw(&notes);
        write!(self.notes, "\n{picture}\n")?;
        self.notes.flush()
    }

    fn note(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.notes, "{text}")?;
        self.notes.flush()
    }
}

/// Remembers the last line that the search was sure of.
#[derive(Default)]
struct BestLine(Vec<Move>);

/// Moves of it that are shown.
const MOVES_EXPECTED: usize = 5;

impl BestLine {
    /// The line in SAN, if it begins with the move played.
    fn san(&self, position: &Position, played: Move) -> String {
        let mut position = *position;
        let mut words = Vec::new();
        for &mv in self.0.iter().take(MOVES_EXPECTED).filter(|_| self.0.first() == Some(&played)) {
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

fn told(outcome: Outcome) -> String {
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
moves   list the legal moves          fen     tell the position as FEN
board   show the board again          exit    leave the game";
