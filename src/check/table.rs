//! The table of checks.

use crate::check::examination::{Broken, Examination};
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
    /// The examinations that include it.
    pub effort: Effort,
    pub(super) run: fn(&mut Examination) -> Result<Judgement, Broken>,
}

/// A row of [`CHECKS`].
const fn check(
    name: &'static str,
    effort: Effort,
    run: fn(&mut Examination) -> Result<Judgement, Broken>,
) -> Check {
    Check { name, effort, run }
}

/// All checks, in the order in which they are made.
pub const CHECKS: &[Check] = &[
    check("handshake", Effort::Quick, handshake::handshake),
    check("options", Effort::Quick, handshake::options),
    check("set options", Effort::Quick, handshake::set_options),
    check("unknown commands", Effort::Quick, handshake::unknown_commands),
    check("go depth", Effort::Quick, limits::depth),
    check("go nodes", Effort::Quick, limits::nodes),
    check("go movetime", Effort::Quick, limits::movetime),
    check("go mate", Effort::Quick, limits::mate),
    check("go searchmoves", Effort::Quick, limits::searchmoves),
    check("go infinite", Effort::Quick, limits::infinite),
    check("isready in search", Effort::Quick, limits::ready_in_search),
    check("ponder", Effort::Quick, limits::ponder),
    check("output", Effort::Quick, limits::flushed_output),
    check("principal variation", Effort::Quick, positions::variations),
    check("ucinewgame", Effort::Quick, positions::new_game),
    check("Chess960", Effort::Quick, positions::chess960),
    check("mate and stalemate", Effort::Quick, positions::finished_games),
    check("draws", Effort::Quick, positions::draws),
    check("FEN", Effort::Quick, positions::unusual_fens),
    check("white space", Effort::Quick, positions::white_space),
    check("long game", Effort::Quick, positions::long_game),
    check("tiny clock", Effort::Quick, clocks::tiny_clocks),
    check("short clock", Effort::Full, clocks::short_game),
    check("idle", Effort::Quick, clocks::idle),
    check("memory", Effort::Full, clocks::memory),
    check("quit", Effort::Quick, endings::quit),
    check("end of input", Effort::Quick, endings::end_of_input),
    check("SIGTERM", Effort::Quick, endings::sigterm),
];
