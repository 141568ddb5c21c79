//! Engines as written: `[[engines]]`, `[candidate]` and `[baseline]` of a run file, and the files of `configs/engines`.

use std::path::{Path, PathBuf};

use crate::config::engine_limits::EngineBounds;
use crate::config::limits_table::{LimitsTable, limits};
use crate::config::toml_reader::{Fields, Mistakes, read_document};
use crate::fleet::{Shipment, SourcePlan};
use crate::player::{EngineBookPlan, Isolation, Pondering, Restart, ScoreSide};
use crate::store::read_text;

/// An engine as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineEntry {
    /// `PATH`, `uci:PATH`, `xboard:PATH`, `ace:PATH`, `builtin`, `builtin:FILE.toml`, `ace:builtin`, or a name in `configs/engines`.
    pub engine: String,
    /// Its protocol, where the engine's name does not state it.
    pub protocol: Option<ProtocolName>,
    /// Its name in results.
    pub name: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub dir: Option<EngineDir>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Variables of our environment that it inherits beside the usual ones.
    pub inherit_env: Vec<String>,
    /// How far it is kept away from the rest of the system.
    pub isolation: Option<Isolation>,
    /// Options by their declared names.
    pub options: Vec<(String, String)>,
    /// Weights of the built-in engine.
    pub set: Vec<(String, String)>,
    /// The arguments of an ACE program.
    pub ace_args: Option<Vec<String>>,
    /// When its process is replaced.
    pub restart: Option<Restart>,
    /// Whether it ponders.
    pub ponder: Option<Pondering>,
    /// From whose side it reports scores.
    pub scores: Option<ScoreSide>,
    /// File that receives its standard error.
    pub stderr: Option<PathBuf>,
    /// The Polyglot book from which its first moves are played.
    pub book: Option<PathBuf>,
    /// Full moves after which that book is closed.
    pub book_depth: Option<u32>,
    /// Lines that it receives before the handshake.
    pub init: Vec<String>,
    /// What it needs on other machines.
    pub shipment: Shipment,
    /// Resource limits and timeouts.
    pub bounds: EngineBounds,
    /// Its own thinking limits.
    pub limits: LimitsTable,
}

impl EngineEntry {
    /// An engine with nothing but its name on the command line.
    pub fn named(engine: &str) -> Self {
        Self { engine: engine.to_owned(), ..Self::default() }
    }

    /// Reads a file of `configs/engines`.
    pub fn read(path: &Path) -> Result<Self, Mistakes> {
        let text = read_text(path).map_err(|why| Mistakes::unreadable(path, &why))?;
        read_document(path, &text, engine)
    }
}

/// A protocol as written: a prefix of the engine's name, or `protocol = "…"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolName {
    /// `uci`.
    Uci,
    /// `xboard`.
    Xboard,
    /// `ace`.
    Ace,
}

impl ProtocolName {
    /// All protocols with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [(Self::Uci.text(), Self::Uci), (Self::Xboard.text(), Self::Xboard), (Self::Ace.text(), Self::Ace)];

    /// Returns the protocol as it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Xboard => "xboard",
            Self::Ace => "ace",
        }
    }

    /// Splits a name such as `xboard:PATH` into its protocol and the rest.
    pub fn split(text: &str) -> (Option<Self>, &str) {
        let known = Self::ALL.iter().find_map(|(name, protocol)| {
            let rest = text.strip_prefix(name)?.strip_prefix(':')?;
            Some((Some(*protocol), rest))
        });
        known.unwrap_or((None, text))
    }
}

/// The folder an engine runs in, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineDir {
    /// `dir = "private"`: a fresh one for every process.
    Private,
    /// Any other text.
    Path(PathBuf),
}

impl From<String> for EngineDir {
    fn from(text: String) -> Self {
        if text == "private" { Self::Private } else { Self::Path(text.into()) }
    }
}

pub(super) fn engines(fields: &mut Fields) -> Vec<EngineEntry> {
    let list = fields.tables("engines", engine);
    let single = fields.text("engine").map(|engine| EngineEntry { engine, ..EngineEntry::default() });
    let candidate = fields.table("candidate", engine);
    let baseline = fields.table("baseline", engine);
    if list.is_some() && (single.is_some() || candidate.is_some() || baseline.is_some()) {
        fields.wrong("name the engines either as [[engines]] or as [candidate] and [baseline], not both");
    }
    list.unwrap_or_default().into_iter().chain(single).chain(candidate).chain(baseline).collect()
}

fn engine(fields: &mut Fields) -> EngineEntry {
    let program =
        fields.required("engine", "a path, `builtin`, or a name from configs/engines", Fields::text);
    EngineEntry {
        engine: program.unwrap_or_default(),
        protocol: fields.choice("protocol", &ProtocolName::ALL),
        name: fields.text("name"),
        args: fields.texts("args").unwrap_or_default(),
        dir: fields.text("dir").map(EngineDir::from),
        env: variables(fields),
        inherit_env: inherited_variables(fields),
        isolation: fields.choice("sandbox", &[("off", Isolation::Off), ("strict", Isolation::Strict)]),
        options: fields.pairs("options").unwrap_or_default(),
        set: fields.pairs("set").unwrap_or_default(),
        ace_args: fields.texts("ace_args"),
        restart: fields.choice("restart", &[("on", Restart::On), ("off", Restart::Off)]),
        ponder: fields.flag("ponder").map(|on| if on { Pondering::On } else { Pondering::Off }),
        scores: fields.choice("scores", &[("engine", ScoreSide::Engine), ("white", ScoreSide::White)]),
        stderr: fields.text("stderr").map(PathBuf::from),
        book: fields.text("book").map(PathBuf::from),
        book_depth: fields.whole("book_depth", 1, EngineBookPlan::MAX_DEPTH),
        init: fields.texts("init").unwrap_or_default(),
        shipment: shipment(fields),
        bounds: EngineBounds::read(fields),
        limits: limits(fields),
    }
}

fn variables(fields: &mut Fields) -> Vec<(String, String)> {
    let variables = fields.pairs("env").unwrap_or_default();
    for (name, _) in variables.iter().filter(|(name, _)| !is_variable(name)) {
        fields.wrong(format_args!("env: `{name}` is not the name of a variable"));
    }
    variables
}

fn inherited_variables(fields: &mut Fields) -> Vec<String> {
    let names = fields.texts("inherit_env").unwrap_or_default();
    let is_pattern = |name: &str| name == "*" || is_variable(name.strip_suffix('*').unwrap_or(name));
    for name in names.iter().filter(|name| !is_pattern(name)) {
        fields
            .wrong(format_args!("inherit_env: `{name}` is not the name of a variable; a name may end in *"));
    }
    names
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0', '*'])
}

fn shipment(fields: &mut Fields) -> Shipment {
    let paths = |texts: Vec<String>| texts.into_iter().map(PathBuf::from).collect();
    let binaries = fields.pairs("binaries").unwrap_or_default();
    Shipment {
        files: fields.texts("files").map(paths).unwrap_or_default(),
        binaries: binaries.into_iter().map(|(target, path)| (target, path.into())).collect(),
        source: fields.table("source", source).flatten(),
    }
}

fn source(fields: &mut Fields) -> Option<SourcePlan> {
    let repo = fields.text("repo").map_or_else(|| ".".into(), PathBuf::from);
    let rev = fields.required("rev", "a revision of the repository", Fields::text);
    let build = fields.required("build", "the command that builds it", Fields::text);
    let program = fields.required("program", "the program that the build makes", Fields::text);
    Some(SourcePlan { repo, rev: rev?, build: build?, program: program? })
}
