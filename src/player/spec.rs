//! Specification of an engine: program, how to start it, and its options.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::player::{DialogueTap, Timeouts};
use crate::protocol::ace::Template;

/// One `setoption` command: a declared name and a value. A button has an empty value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EngineOption {
    /// The declared name, compared without case.
    pub name: String,
    /// The value as text.
    pub value: String,
}

impl EngineOption {
    /// Creates an option.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }

    /// Whether this sets the option `name`. UCI compares option names without case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the `setoption` command.
    pub fn command(&self) -> String {
        let Self { name, value } = self;
        let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        format!("setoption name {name}{value}")
    }
}

/// Protocol of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// The xboard protocol (CECP), version 2 or 1.
    Xboard,
    /// ACE's console protocol: one process per game, moves on stdin and stdout.
    Ace {
        /// Arguments of a game, with the placeholders `{white} {black} {seconds} {ms} {nodes} {depth} {fen}`.
        template: Vec<String>,
    },
}

impl Protocol {
    /// Returns the protocol with the template of the crate's own `chess` program.
    pub fn ace() -> Self {
        Self::Ace { template: Template::default().arguments().to_vec() }
    }
}

/// Working directory of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkingDir {
    /// The directory of the harness.
    #[default]
    Inherited,
    /// A directory given by the user.
    Path(PathBuf),
    /// A new directory per process, removed when the process has ended.
    Private,
}

/// When the process of an engine is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// Only after a failure, so engines keep running from game to game.
    #[default]
    Off,
    /// Before every game.
    On,
}

/// Whether an engine thinks on its opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pondering {
    /// The engine waits.
    #[default]
    Off,
    /// The engine ponders on the reply it expects, if it names one.
    On,
}

/// From whose side an engine reports its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreSide {
    /// From the side of the engine itself, as protocols demand.
    #[default]
    Engine,
    /// From White's side.
    White,
}

impl ScoreSide {
    /// Returns whether scores are from the engine's own side.
    pub fn is_engine(&self) -> bool {
        *self == Self::Engine
    }
}

/// A Polyglot book from which the harness plays for an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineBookPlan {
    /// The file.
    pub file: PathBuf,
    /// Full moves of a game, those of its opening included, after which the book is closed.
    pub depth: u32,
}

impl EngineBookPlan {
    /// The depth without a limit of the user.
    pub const DEFAULT_DEPTH: u32 = 1000;

    /// The greatest depth.
    pub const MAX_DEPTH: u32 = 100_000;
}

/// What is recorded of each search beyond score, depth, nodes and time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchDetail {
    /// Whether speed, use of tables, reported time and expected line of play are recorded.
    pub extras: bool,
    /// Patterns; the last line of a search that one of them matches is recorded.
    pub lines: Vec<String>,
}

impl SearchDetail {
    /// Returns whether nothing more is recorded.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// How far an engine is kept away from the rest of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// It may do what its user may do.
    #[default]
    Off,
    /// It has no network, sees no other process, can write nothing but a private temporary folder, and everything that it
    /// has started ends with it.
    Strict,
}

impl Isolation {
    /// Returns whether the engine is not isolated.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

/// Kernel limits of an engine process. `None` means no limit; core dumps are always disabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sandbox {
    /// Address space, in bytes.
    pub memory_bytes: Option<u64>,
    /// Size of the largest file that it may write, in bytes.
    pub file_bytes: Option<u64>,
    /// Processes and threads of the user.
    pub processes: Option<u64>,
    /// How far it is kept away from the rest of the system.
    #[serde(skip_serializing_if = "Isolation::is_off")]
    pub isolation: Isolation,
}

/// Everything needed to start an engine and communicate with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Name used in results.
    pub name: String,
    /// The program; looked up in `PATH` if the path contains no slash.
    pub program: PathBuf,
    /// Arguments, placed before those of an ACE template.
    #[serde(default)]
    pub args: Vec<String>,
    /// Protocol of the engine.
    pub protocol: Protocol,
    /// Working directory.
    #[serde(default)]
    pub dir: WorkingDir,
    /// Variables added to its environment.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Names of variables of the harness that it inherits beside the usual ones; a name may end in `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherit_env: Vec<String>,
    /// Options sent once after the handshake, in this order.
    #[serde(default)]
    pub options: Vec<EngineOption>,
    /// When its process is replaced.
    #[serde(default)]
    pub restart: Restart,
    /// Whether the engine ponders.
    #[serde(default)]
    pub ponder: Pondering,
    /// From whose side it reports scores.
    #[serde(default, skip_serializing_if = "ScoreSide::is_engine")]
    pub scores: ScoreSide,
    /// File that receives its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
    /// The book from which its first moves are played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<EngineBookPlan>,
    /// Lines sent as they are before the handshake.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// What is recorded of each search beyond score, depth, nodes and time.
    #[serde(default, skip_serializing_if = "SearchDetail::is_plain")]
    pub detail: SearchDetail,
    /// Receives every line to and from the engine.
    #[serde(skip)]
    pub tap: DialogueTap,
    /// Kernel limits of the process.
    #[serde(default)]
    pub sandbox: Sandbox,
    /// Time and size limits.
    #[serde(default, rename = "patience")]
    pub timeouts: Timeouts,
}

impl EngineSpec {
    /// Creates the specification of a UCI engine from its name and program.
    pub fn uci(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            args: Vec::new(),
            protocol: Protocol::Uci,
            dir: WorkingDir::Inherited,
            env: Vec::new(),
            inherit_env: Vec::new(),
            options: Vec::new(),
            restart: Restart::Off,
            ponder: Pondering::Off,
            scores: ScoreSide::Engine,
            stderr: None,
            book: None,
            init: Vec::new(),
            detail: SearchDetail::default(),
            tap: DialogueTap::default(),
            sandbox: Sandbox::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// Creates the specification of an xboard engine.
    pub fn xboard(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self { protocol: Protocol::Xboard, ..Self::uci(name, program) }
    }

    /// Creates the specification of an ACE program with the template of the crate's own program.
    pub fn ace(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self { protocol: Protocol::ace(), ..Self::uci(name, program) }
    }

    /// Returns the value that this specification sets for the option `name`, if any. The last of several wins, as it
    /// does in the engine.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rfind(|option| option.is_named(name)).map(|option| option.value.as_str())
    }

    /// Returns the number of processors that a game between two engines keeps busy, given the search threads of each.
    ///
    /// Without pondering the engines think in turn, so the larger count is enough. If either of them ponders, a
    /// pondering engine and its thinking opponent run at the same time, so the counts add up.
    pub fn processors_for(engines: [&Self; 2], threads: [usize; 2]) -> usize {
        let [one, other] = threads.map(|count| count.max(1));
        if engines.iter().any(|engine| engine.ponder == Pondering::On) { one + other } else { one.max(other) }
    }

    /// Returns the search threads that this specification sets: the option `Threads`, or 1 if it is absent, 0 or not
    /// a number.
    pub fn threads(&self) -> usize {
        self.option("Threads").and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pondering_by_either_of_two_unequal_engines_needs_the_sum_of_their_threads() {
        let mut engines = [EngineSpec::uci("a", "a"), EngineSpec::uci("b", "b")];
        engines[1].options = vec![EngineOption::new("Threads", "4")];
        let needed = |engines: &[EngineSpec; 2]| {
            let pair = engines.each_ref();
            EngineSpec::processors_for(pair, pair.map(EngineSpec::threads))
        };
        assert_eq!(needed(&engines), 4, "they think in turn");
        for ponders in [0, 1] {
            engines.iter_mut().for_each(|engine| engine.ponder = Pondering::Off);
            engines[ponders].ponder = Pondering::On;
            assert_eq!(needed(&engines), 5, "engine {ponders} ponders");
        }
    }

    #[test]
    fn threads_are_those_of_the_last_option_of_that_name() {
        let with = |options: &[(&str, &str)]| {
            let options = options.iter().map(|&(name, value)| EngineOption::new(name, value)).collect();
            EngineSpec { options, ..EngineSpec::uci("a", "a") }.threads()
        };
        for (options, threads) in [
            (&[][..], 1),
            (&[("threads", "4")], 4),
            (&[("Threads", "4"), ("Hash", "16"), ("THREADS", "2")], 2),
            (&[("Threads", "0")], 1),
            (&[("Threads", "all")], 1),
        ] {
            assert_eq!(with(options), threads, "{options:?}");
        }
    }
}
