//! An engine as a plan names it: the program, how to start it, what to tell it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::player::Timeouts;
use crate::protocol::ace::Template;

/// One `setoption`: a name as the engine declares it, and a value. A button has an empty value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EngineOption {
    /// The declared name; case does not matter.
    pub name: String,
    /// The value as text.
    pub value: String,
}

impl EngineOption {
    /// An option from its two texts.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }

    /// Whether this sets the option `name`. UCI compares option names without case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// As a UCI engine is told it.
    pub fn command(&self) -> String {
        let Self { name, value } = self;
        let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        format!("setoption name {name}{value}")
    }
}

/// The language an engine speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// ACE's console dialect: one process per game, moves on stdin and stdout.
    Ace {
        /// The arguments of a game, with `{white} {black} {seconds} {ms} {nodes} {depth} {fen}` to fill in.
        template: Vec<String>,
    },
}

impl Protocol {
    /// The template that fits our own `chess` program.
    pub fn ace() -> Self {
        Self::Ace { template: Template::default().arguments().to_vec() }
    }
}

/// The folder an engine runs in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkingDir {
    /// Ours.
    #[default]
    Inherited,
    /// A folder the user named.
    Path(PathBuf),
    /// A fresh folder per process, removed with it.
    Private,
}

/// When an engine process is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// Only after a failure: engines stay warm from game to game.
    #[default]
    Off,
    /// Before every game.
    On,
}

/// Whether an engine thinks on its opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pondering {
    /// It waits.
    #[default]
    Off,
    /// It ponders on the move it expects, when it names one.
    On,
}

/// Kernel limits on an engine process. No limit where there is `None`; core dumps are always off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sandbox {
    /// Address space, in bytes.
    pub memory_bytes: Option<u64>,
    /// The largest file it may write, in bytes.
    pub file_bytes: Option<u64>,
    /// Processes and threads of this user.
    pub processes: Option<u64>,
}

/// Everything needed to start and address one engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// What results call it.
    pub name: String,
    /// The program; looked up in `PATH` when it has no slash.
    pub program: PathBuf,
    /// Its arguments, before those of an ACE template.
    #[serde(default)]
    pub args: Vec<String>,
    /// The language it speaks.
    pub protocol: Protocol,
    /// Where it runs.
    #[serde(default)]
    pub dir: WorkingDir,
    /// Added to our environment.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Options sent once after the handshake, in this order.
    #[serde(default)]
    pub options: Vec<EngineOption>,
    /// When its process is replaced.
    #[serde(default)]
    pub restart: Restart,
    /// Whether it ponders.
    #[serde(default)]
    pub ponder: Pondering,
    /// Kernel limits.
    #[serde(default)]
    pub sandbox: Sandbox,
    /// Time and size limits.
    #[serde(default, rename = "patience")]
    pub timeouts: Timeouts,
}

impl EngineSpec {
    /// A UCI engine with nothing but a name and a program.
    pub fn uci(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            args: Vec::new(),
            protocol: Protocol::Uci,
            dir: WorkingDir::Inherited,
            env: Vec::new(),
            options: Vec::new(),
            restart: Restart::Off,
            ponder: Pondering::Off,
            sandbox: Sandbox::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// An ACE program with our own template.
    pub fn ace(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self { protocol: Protocol::ace(), ..Self::uci(name, program) }
    }

    /// Value that this spec sets for the option `name`, if it does. The last of several wins, as it does in the engine.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rfind(|option| option.is_named(name)).map(|option| option.value.as_str())
    }

    /// Number of processors that a game between two engines keeps busy, given the threads that each of them searches
    /// with.
    ///
    /// Without pondering the engines think in turn, so the larger count is enough. If either of them ponders, a
    /// pondering engine and its thinking opponent run at the same time, so the counts add up.
    pub fn processors_for(engines: [&Self; 2], threads: [usize; 2]) -> usize {
        let [one, other] = threads.map(|count| count.max(1));
        if engines.iter().any(|engine| engine.ponder == Pondering::On) { one + other } else { one.max(other) }
    }

    /// Search threads that this spec sets: the option `Threads`, or 1 if it is absent, 0 or not a number.
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
