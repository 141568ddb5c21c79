//! A command line of either program as one value.

use std::path::PathBuf;

use crate::compat::result_fields::ResultFields;
use crate::compat::surface::Surface;
use crate::config::ProtocolName;
use crate::run::PgnField;
use crate::stats::EloModel;

/// What a command line asks for. Both programs are described by the same value; where they mean different things by the same
/// flag, the field states which.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invocation {
    pub(super) surface: Surface,
    pub(super) engines: Vec<InvokedEngine>,
    pub(super) tournament: Tournament,
    pub(super) seeds: u64,
    pub(super) rounds: u64,
    /// Games of an encounter.
    pub(super) games: u64,
    /// Games in a row from one opening; fastchess repeats each opening in all games of an encounter.
    pub(super) repeat: Option<u64>,
    pub(super) swap: bool,
    pub(super) reverse: bool,
    pub(super) wait_ms: u64,
    pub(super) concurrency: i64,
    pub(super) force_concurrency: bool,
    pub(super) affinity: Option<Vec<usize>>,
    pub(super) openings: Option<OpeningArgs>,
    pub(super) seed: Option<u64>,
    pub(super) chess960: bool,
    pub(super) draw: Option<DrawArgs>,
    pub(super) resign: Option<ResignArgs>,
    pub(super) max_moves: Option<u32>,
    pub(super) tablebases: Option<TablebaseArgs>,
    pub(super) sprt: Option<SprtArgs>,
    /// Pairs, or games where pairs are not counted, between two rating blocks; 0 for none but the last.
    pub(super) rating_interval: u64,
    pub(super) score_interval: u64,
    pub(super) outcome_interval: u64,
    pub(super) penta: bool,
    pub(super) format: Surface,
    /// Columns of the table of more than two engines.
    pub(super) result_fields: ResultFields,
    pub(super) pgn: Option<PgnArgs>,
    pub(super) epd: Option<FileArgs>,
    pub(super) event: Option<String>,
    pub(super) site: Option<String>,
    pub(super) config: ConfigArgs,
    pub(super) log: Option<LogArgs>,
    /// Whether the dialogue with the engines is printed.
    pub(super) debug: bool,
    pub(super) recover: bool,
    pub(super) strict: bool,
    /// Whether lines of play with a mate score must end in that mate.
    pub(super) check_mate_lines: bool,
    /// Whether a warning with its evidence is one line.
    pub(super) one_line_warnings: bool,
    /// Whether the log states the latency of every move.
    pub(super) show_latency: bool,
    pub(super) startup_ms: u64,
    pub(super) new_game_ms: u64,
    pub(super) ping_ms: u64,
    /// Whether the run file is printed instead of played.
    pub(super) explain: bool,
}

/// Which engines meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tournament {
    RoundRobin,
    Gauntlet,
    Knockout,
    Pyramid,
}

/// One engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct InvokedEngine {
    pub(super) name: Option<String>,
    pub(super) command: String,
    pub(super) dir: Option<PathBuf>,
    pub(super) args: Vec<String>,
    pub(super) init: Vec<String>,
    pub(super) protocol: Option<ProtocolName>,
    pub(super) clock: ClockArgs,
    pub(super) movetime_ms: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) depth: Option<u64>,
    pub(super) margin_ms: u64,
    pub(super) restart: bool,
    pub(super) ponder: bool,
    /// Whether scores are from White's side.
    pub(super) white_scores: bool,
    /// The Polyglot book from which its first moves are played.
    pub(super) book: Option<PathBuf>,
    /// Full moves after which that book is closed.
    pub(super) book_depth: Option<u32>,
    /// Where standard error goes.
    pub(super) stderr: Option<PathBuf>,
    /// Whether the dialogue with this engine is printed.
    pub(super) debug: bool,
    /// Factor of all timeouts.
    pub(super) timeout_scale: Option<f64>,
    /// In the order of the command line, `-each` last.
    pub(super) options: Vec<(String, String)>,
}

/// `tc=`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum ClockArgs {
    #[default]
    Absent,
    Infinite,
    Clock {
        moves: u64,
        time_ms: u64,
        increment_ms: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpeningArgs {
    pub(super) file: PathBuf,
    pub(super) random: bool,
    pub(super) plies: Option<u32>,
    pub(super) start: u64,
    /// One opening for all encounters of a round.
    pub(super) per_round: bool,
}

impl Default for OpeningArgs {
    fn default() -> Self {
        Self { file: PathBuf::new(), random: false, plies: None, start: 1, per_round: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawArgs {
    pub(super) move_number: u32,
    pub(super) move_count: u32,
    pub(super) score: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResignArgs {
    pub(super) move_count: u32,
    pub(super) score: u32,
    pub(super) two_sided: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TablebaseArgs {
    pub(super) paths: String,
    /// 0 for all that there are.
    pub(super) pieces: u32,
    pub(super) ignore_fifty_moves: bool,
    pub(super) wins: bool,
    pub(super) draws: bool,
}

impl Default for TablebaseArgs {
    fn default() -> Self {
        Self { paths: String::new(), pieces: 0, ignore_fifty_moves: false, wins: true, draws: true }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SprtArgs {
    pub(super) elo0: f64,
    pub(super) elo1: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) model: EloModel,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileArgs {
    pub(super) file: PathBuf,
    pub(super) append: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PgnArgs {
    pub(super) out: FileArgs,
    pub(super) crc: bool,
    pub(super) minimal: bool,
    pub(super) notation: &'static str,
    pub(super) fields: Vec<PgnField>,
    pub(super) match_lines: Vec<String>,
}

impl PgnArgs {
    /// The whole game in `file`, without additional fields.
    pub(super) fn plain(file: PathBuf) -> Self {
        Self {
            out: FileArgs { file, append: true },
            crc: false,
            minimal: false,
            notation: "san",
            fields: Vec::new(),
            match_lines: Vec::new(),
        }
    }
}

/// `-config` and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigArgs {
    /// The saved run to continue.
    pub(super) resumed: Option<PathBuf>,
    /// Where this run is saved.
    pub(super) saved_as: PathBuf,
    /// Whether the saved games are kept.
    pub(super) keep_games: bool,
    /// Games between two saves; 0 for the end alone.
    pub(super) every: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogArgs {
    pub(super) out: FileArgs,
    /// The least important lines of the program itself that are written.
    pub(super) level: LogLevel,
    pub(super) compressed: bool,
    pub(super) engines: bool,
}

/// Importance of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LogLevel {
    Trace,
    Info,
    Warning,
    Error,
    Fatal,
}

impl Invocation {
    /// The same command, but files with games are never emptied.
    pub(super) fn appending(&self) -> Self {
        let mut appending = self.clone();
        let pgn = appending.pgn.as_mut().map(|pgn| &mut pgn.out);
        pgn.into_iter().chain(appending.epd.as_mut()).for_each(|out| out.append = true);
        appending
    }

    /// The defaults of a program.
    pub(super) fn new(surface: Surface) -> Self {
        let fastchess = surface == Surface::Fastchess;
        Self {
            surface,
            engines: Vec::new(),
            tournament: Tournament::RoundRobin,
            seeds: 1,
            rounds: if fastchess { 2 } else { 1 },
            games: if fastchess { 2 } else { 1 },
            repeat: None,
            swap: true,
            reverse: false,
            wait_ms: 0,
            concurrency: 1,
            force_concurrency: !fastchess,
            affinity: None,
            openings: None,
            seed: None,
            chess960: false,
            draw: None,
            resign: None,
            max_moves: None,
            tablebases: None,
            sprt: None,
            rating_interval: if fastchess { 10 } else { 0 },
            score_interval: 1,
            outcome_interval: 0,
            penta: fastchess,
            format: surface,
            result_fields: ResultFields::default(),
            pgn: None,
            epd: None,
            event: None,
            site: None,
            config: ConfigArgs {
                resumed: None,
                saved_as: PathBuf::from("config.json"),
                keep_games: true,
                every: if fastchess { 20 } else { 0 },
            },
            log: None,
            debug: false,
            recover: false,
            strict: false,
            check_mate_lines: false,
            one_line_warnings: false,
            show_latency: false,
            startup_ms: 10_000,
            new_game_ms: 60_000,
            ping_ms: 60_000,
            explain: false,
        }
    }
}
