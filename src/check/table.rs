//! The table of checks.

use crate::check::bench::{Bench, Broken};
use crate::check::report::Judgement;
use crate::check::{clocks, endings, handshake, limits, positions};

/// Which examinations include a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// All of them, also the quick one.
    Quick,
    /// Only the full one, because the check takes seconds.
    Full,
}

/// One check.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The requirement.
    pub requires: &'static str,
    /// The examinations that include it.
    pub effort: Effort,
    pub(super) run: fn(&mut Bench) -> Result<Judgement, Broken>,
}

/// A row of [`CHECKS`].
const fn check(
    name: &'static str,
    requires: &'static str,
    effort: Effort,
    run: fn(&mut Bench) -> Result<Judgement, Broken>,
) -> Check {
    Check { name, requires, effort, run }
}

/// All checks, in the order in which they are made.
pub const CHECKS: &[Check] = &[
    check(
        "handshake",
        "`uci` is answered by a name, an author and `uciok`",
        Effort::Quick,
        handshake::handshake,
    ),
    check("options", "declared ranges and defaults fit together", Effort::Quick, handshake::options),
    check("set options", "every option accepts its own default", Effort::Quick, handshake::set_options),
    check(
        "unknown commands",
        "unknown commands and options are ignored",
        Effort::Quick,
        handshake::unknown_commands,
    ),
    check("go depth", "the search ends at the depth", Effort::Quick, limits::depth),
    check("go nodes", "the search ends at the nodes", Effort::Quick, limits::nodes),
    check("go movetime", "the search takes the time", Effort::Quick, limits::movetime),
    check("go mate", "the search ends with the mate", Effort::Quick, limits::mate),
    check("go searchmoves", "only the given moves are searched", Effort::Quick, limits::searchmoves),
    check(
        "go infinite",
        "the search goes on until `stop`, which ends it at once",
        Effort::Quick,
        limits::infinite,
    ),
    check(
        "isready in search",
        "`isready` is answered while the engine searches",
        Effort::Quick,
        limits::ready_in_search,
    ),
    check("ponder", "the search goes on until `ponderhit` or `stop`", Effort::Quick, limits::ponder),
    check("output", "reports arrive while the engine searches", Effort::Quick, limits::flushed_output),
    check(
        "principal variation",
        "lines are legal and begin with the best move",
        Effort::Quick,
        positions::variations,
    ),
    check("ucinewgame", "a new game repeats the search", Effort::Quick, positions::new_game),
    check("Chess960", "castling is the king capturing its rook", Effort::Quick, positions::chess960),
    check(
        "mate and stalemate",
        "a finished game is answered without a move",
        Effort::Quick,
        positions::finished_games,
    ),
    check(
        "draws",
        "repetitions and the fifty-move rule do not end the search",
        Effort::Quick,
        positions::draws,
    ),
    check("FEN", "unusual positions are understood", Effort::Quick, positions::unusual_fens),
    check("white space", "any amount of white space separates words", Effort::Quick, positions::white_space),
    check("long game", "a game of 600 half-moves is understood", Effort::Quick, positions::long_game),
    check("tiny clock", "a clock of a few milliseconds is kept", Effort::Quick, clocks::tiny_clocks),
    check("short clock", "no loss on time in a game at 0.1+0.01", Effort::Full, clocks::short_game),
    check("idle", "a waiting engine does not use the processor", Effort::Quick, clocks::idle),
    check("memory", "memory does not grow from game to game", Effort::Full, clocks::memory),
    check("quit", "`quit` ends the process, also while it searches", Effort::Quick, endings::quit),
    check("end of input", "the end of its input ends the process", Effort::Quick, endings::end_of_input),
    check("SIGTERM", "SIGTERM ends the process", Effort::Quick, endings::sigterm),
];
