//! The sole judge of a game: rules first, then endgame tables, then adjudication by scores. Claims of engines are ignored.

use crate::chess::{Bitboard, Color, DrawReason, GameLine, Move, Outcome, PieceKind, Position};
use crate::game::{
    AdjudicationRules, AdjudicationStyle, Adjudicator, Ending, GameResult, ObservedMove, TableJudge,
    Termination,
};
use crate::player::{PlayerFault, Score};

/// State of a game for judging it.
///
/// Time is judged before the board: the caller of [`Referee::observe`] has made sure that the move was in time, so a
/// mating move after the flag has fallen is never observed.
#[derive(Clone, Debug)]
pub struct Referee {
    line: GameLine,
    adjudicator: Adjudicator,
    style: AdjudicationStyle,
    /// Half-moves so far, those of the opening included.
    plies: u32,
    tables: Option<TableJudge>,
}

impl Referee {
    /// Creates a game that starts at this position.
    pub fn new(start: Position, rules: AdjudicationRules) -> Self {
        let style = rules.style;
        Self {
            line: GameLine::new(start),
            adjudicator: Adjudicator::new(rules),
            style,
            plies: 0,
            tables: None,
        }
    }

    /// Lets endgame tables end the game.
    #[must_use]
    pub fn with_tables(self, tables: Option<TableJudge>) -> Self {
        Self { tables, ..self }
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.line.current()
    }

    /// Returns the moves and positions so far.
    pub fn line(&self) -> &GameLine {
        &self.line
    }

    /// Plays a legal move of the opening or of an engine's book.
    pub fn play_book_move(&mut self, mv: Move) {
        self.line.push(mv);
        self.plies += 1;
    }

    /// Returns the ending that the rules give the current position, if any. An opening may already be over.
    pub fn verdict(&self) -> Option<Ending> {
        self.line.outcome().map(ending_of)
    }

    /// Plays a legal move of an engine; returns the ending if it ended the game.
    pub fn observe(&mut self, mv: Move, score: Option<Score>) -> Option<Ending> {
        let mover = self.position().turn();
        let fullmove = u32::from(self.position().fullmove_number());
        self.line.push(mv);
        self.plies += 1;
        let irreversible = self.position().halfmove_clock() == 0;
        // The score is recorded even if the rules end the game, but the rules take precedence.
        let played = ObservedMove { mover, score, fullmove, plies: self.plies, irreversible };
        let adjudicated = self.adjudicator.observe(&played);
        let known = || self.tables.as_ref().and_then(|tables| tables.judge(self.position()));
        self.verdict().or_else(known).or(adjudicated)
    }

    /// Returns the ending after the flag of `loser` fell: a draw if its opponent could never mate, unless the style of
    /// adjudication makes every fallen flag a loss.
    pub fn flag_fall(&self, loser: Color, over_us: u64) -> Ending {
        if self.style == AdjudicationStyle::Fastchess || can_mate(self.position(), !loser) {
            Ending { result: GameResult::win_of(!loser), termination: Termination::TimeForfeit { over_us } }
        } else {
            let termination = Termination::TimeForfeitWithoutMate { flag: Some(loser.into()) };
            Ending { result: GameResult::Draw, termination }
        }
    }

    /// Returns the ending after `loser` sent a reply that is not a legal move.
    pub fn illegal_move(loser: Color, text: &str) -> Ending {
        let termination = Termination::IllegalMove { text: text.to_owned() };
        Ending { result: GameResult::win_of(!loser), termination }
    }

    /// Returns the ending after `loser` resigned.
    pub fn resignation(loser: Color) -> Ending {
        Ending { result: GameResult::win_of(!loser), termination: Termination::Resignation }
    }

    /// Returns the ending after one engine offered a draw and the other accepted it.
    pub fn agreed_draw() -> Ending {
        Ending { result: GameResult::Draw, termination: Termination::AgreedDraw }
    }

    /// Returns the ending after a fault of `loser`.
    pub fn fault(loser: Color, fault: PlayerFault) -> Ending {
        let termination = match fault {
            PlayerFault::Crash { during, exit } => Termination::Crash { during, exit },
            PlayerFault::Stall(waiting_for) => Termination::Stall { waiting_for },
            PlayerFault::Protocol(breach) => Termination::Protocol { breach },
        };
        Ending { result: GameResult::win_of(!loser), termination }
    }
}

fn ending_of(outcome: Outcome) -> Ending {
    match outcome {
        Outcome::Win { winner, .. } => {
            Ending { result: GameResult::win_of(winner), termination: Termination::Checkmate }
        }
        Outcome::Draw(rule) => {
            let termination = match rule {
                DrawReason::Stalemate => Termination::Stalemate,
                DrawReason::InsufficientMaterial => Termination::InsufficientMaterial,
                DrawReason::FiftyMoves => Termination::FiftyMoves,
                DrawReason::ThreefoldRepetition => Termination::Repetition,
            };
            Ending { result: GameResult::Draw, termination }
        }
    }
}

/// Returns whether `side` could mate by some sequence of legal moves, its opponent cooperating.
pub fn can_mate(position: &Position, side: Color) -> bool {
    let own = |kind| position.pieces(side, kind);
    let other = |kind| position.pieces(!side, kind);
    if (own(PieceKind::Pawn) | own(PieceKind::Rook) | own(PieceKind::Queen)).any() {
        return true;
    }
    let (knights, bishops) = (own(PieceKind::Knight), own(PieceKind::Bishop));
    if knights.any() {
        // Two pieces can always mate a cooperating opponent. A lone knight needs a blocker beside the enemy king; a
        // queen cannot be that blocker, because she could capture or interpose.
        let blockers = other(PieceKind::Pawn)
            | other(PieceKind::Knight)
            | other(PieceKind::Bishop)
            | other(PieceKind::Rook);
        return (knights | bishops).len() > 1 || blockers.any();
    }
    if bishops.any() {
        let all = bishops | other(PieceKind::Bishop);
        let both_colors = !all.without(Bitboard::DARK).is_empty() && !all.without(Bitboard::LIGHT).is_empty();
        return both_colors || (other(PieceKind::Pawn) | other(PieceKind::Knight)).any();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::MoveStyle;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    fn after(fen: &str, moves: &[&str]) -> Option<Ending> {
        let mut referee = Referee::new(position(fen), AdjudicationRules::default());
        let mut last = None;
        for text in moves {
            let mv = referee.position().parse_coordinate(text, MoveStyle::Standard).unwrap();
            last = referee.observe(mv, None);
        }
        last
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn every_ending_by_the_rules_is_recognised() {
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
        for (name, fen, moves, result, kind) in [
            ("mate", START, &["f2f3", "e7e5", "g2g4", "d8h4"][..], GameResult::BlackWins, "checkmate"),
            ("stalemate", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", &["g6f7"], GameResult::Draw, "stalemate"),
            ("bare", "7k/8/8/8/8/8/1r6/K7 w - - 0 1", &["a1b2"], GameResult::Draw, "insufficient_material"),
            ("fifty", "k7/8/8/8/8/8/1r6/4K2R w - - 99 80", &["h1g1"], GameResult::Draw, "fifty_moves"),
            ("threefold, including the start", START, &shuffle, GameResult::Draw, "repetition"),
            (
                "mate with the hundredth half-move",
                "7k/8/6K1/8/8/8/8/R7 w - - 99 80",
                &["a1a8"],
                GameResult::WhiteWins,
                "checkmate",
            ),
        ] {
            let ending = after(fen, moves).unwrap_or_else(|| panic!("{name}: the game has not ended"));
            assert_eq!((ending.result, ending.termination.kind()), (result, kind), "{name}");
        }
        assert_eq!(after(START, &shuffle[..7]), None);
    }

    #[test]
    fn a_fallen_flag_is_a_draw_only_against_material_that_can_never_mate() {
        for (fen, winner_can) in [
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", false),
            ("4k2r/8/8/8/8/8/8/4K2R w - - 0 1", true),
            ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k2n/8/8/8/8/8/8/4K2R w - - 0 1", true),
            ("4k2n/8/8/8/8/8/8/4K2Q w - - 0 1", false),
            ("4k1nn/8/8/8/8/8/8/4K2Q w - - 0 1", true),
            ("4k2b/8/8/8/8/8/8/4K2R w - - 0 1", false),
            ("4k2b/8/8/8/8/8/8/4K1N1 w - - 0 1", true),
            ("4k2b/8/8/8/8/8/7P/4K3 w - - 0 1", true),
            ("4k2b/8/8/8/8/8/8/4K2B w - - 0 1", true),
        ] {
            let fen = fen.replace("4k2p/8", "4k3/7p");
            let ending =
                Referee::new(position(&fen), AdjudicationRules::default()).flag_fall(Color::White, 1);
            assert_eq!(ending.result == GameResult::BlackWins, winner_can, "{fen}");
            assert_eq!(
                ending.failed_side(),
                Some(Color::White),
                "a flag fall that draws is a fault too: {fen}"
            );
        }
    }
}
