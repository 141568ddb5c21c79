//! Run files as written: the shape of the files in `configs/`.

use std::path::{Path, PathBuf};

use crate::fleet::{MAX_CONCURRENCY, Placement, ProgramChanged, Shipment, SourcePlan};
use crate::game::{
    AdjudicationRules, AdjudicationStyle, ClockRule, DrawRule, FiftyMoves, FirstIncrement, ResignRule,
    ResignSides, TablebaseResults, TablebaseRule, TimeControl, Variant,
};
use crate::opening::{AfterBook, Order};
use crate::player::{EngineBookPlan, Isolation, Pondering, Restart, ScoreSide};
use crate::run::{
    AtLimit, AtOnce, Breaker, Colours, Encounters, FirstColour, FleetPlan, OpeningPer, PairSize, Pairing,
    PgnContent, Plan, TestBy,
};
use crate::stats::{EloModel, ErrorRate, Hypotheses, SprtConfig, TestKind};
use crate::store::read_text;

use crate::config::engine_limits::EngineBounds;
use crate::config::fleet_table::fleet;
use crate::config::pgn_table::pgn;
use crate::config::toml_reader::{Fields, Mistakes, read_document};

/// The longest budget of a tuning run: ten years.
const MAX_HOURS: f64 = 87_600.0;

/// A run file as written; [`resolve`](super::resolve) turns it into a plan. `None` where the file has no key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFile {
    /// The name of the run.
    pub name: Option<String>,
    /// The random seed of openings and their order.
    pub seed: Option<u64>,
    /// Candidate first.
    pub engines: Vec<EngineEntry>,
    /// Which engines meet, with more than two.
    pub pairing: Option<Pairing>,
    /// Engines that meet all others in some pairings.
    pub seeds: Option<u64>,
    /// `[games]`.
    pub games: GamesTable,
    /// `[adjudicate]`.
    pub adjudicate: AdjudicationRules,
    /// `[pgn]`.
    pub pgn: PgnContent,
    /// `[sprt]`.
    pub sprt: Option<SprtConfig>,
    /// What the test counts.
    pub test_by: TestBy,
    /// What a test does that reaches its limit without a decision.
    pub at_limit: AtLimit,
    /// `[tune]`.
    pub tune: Option<TuneTable>,
    /// `[accept]`.
    pub accept: Option<AcceptTable>,
    /// Command that runs when the run has ended.
    pub on_end: Option<String>,
    /// `[fleet]`.
    pub fleet: FleetPlan,
}

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

/// Thinking limits as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsTable {
    /// `tc = "8+0.08"`.
    pub tc: Option<ClockRule>,
    /// `movetime_ms = 100`.
    pub movetime_ms: Option<u64>,
    /// `nodes = 20000`.
    pub nodes: Option<u64>,
    /// `depth = 8`.
    pub depth: Option<u32>,
    /// `margin_ms = 10`: the time by which a clock may be exceeded.
    pub margin_ms: Option<u64>,
    /// `first_increment = "before"`: whether the first move has the increment too.
    pub first_increment: Option<FirstIncrement>,
}

impl LimitsTable {
    /// Whether any limit is set.
    pub fn limits_thinking(&self) -> bool {
        self.tc.is_some() || self.movetime_ms.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// These limits where they are set, `other` elsewhere.
    pub fn or(self, other: Self) -> Self {
        let margin_ms = self.margin_ms.or(other.margin_ms);
        let first_increment = self.first_increment.or(other.first_increment);
        let chosen = if self.limits_thinking() { self } else { other };
        Self { margin_ms, first_increment, ..chosen }
    }

    /// The limits with defaults filled in.
    pub fn time_control(&self) -> TimeControl {
        TimeControl {
            clock: self.tc,
            movetime_ms: self.movetime_ms,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin_ms.unwrap_or(TimeControl::DEFAULT_MARGIN_MS),
            first_increment: self.first_increment.unwrap_or_default(),
        }
    }
}

impl From<TimeControl> for LimitsTable {
    fn from(limits: TimeControl) -> Self {
        Self {
            tc: limits.clock,
            movetime_ms: limits.movetime_ms,
            nodes: limits.nodes,
            depth: limits.depth,
            margin_ms: Some(limits.margin_ms),
            first_increment: Some(limits.first_increment),
        }
    }
}

/// `[games]` as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GamesTable {
    /// Limits of every engine that sets none.
    pub limits: LimitsTable,
    /// Pairs played at the same time.
    pub concurrency: Option<usize>,
    /// Whether each game gets processors of its own.
    pub placement: Option<Placement>,
    /// The book.
    pub openings: Option<PathBuf>,
    /// How it is used.
    pub order: Option<Order>,
    /// The first opening used, from 1.
    pub start: Option<u64>,
    /// Openings used before the first one is used again.
    pub take: Option<u64>,
    /// Moves of a PGN book that are played, in plies.
    pub plies: Option<u32>,
    /// The castling rules.
    pub variant: Option<Variant>,
    /// What follows when all openings were used.
    pub after_book: Option<AfterBook>,
    /// Where the run ends at the latest.
    pub max_pairs: Option<u64>,
    /// Whether engine faults stop the run.
    pub breaker: Option<Breaker>,
    /// What follows if the program of an engine changes during the run.
    pub program_changed: Option<ProgramChanged>,
    /// How the games of two engines are arranged.
    pub encounters: Encounters,
}

/// `[tune]` as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TuneTable {
    /// The tuner's name.
    pub method: Option<String>,
    /// The budget in hours.
    pub hours: Option<f64>,
    /// The budget in games.
    pub games: Option<u64>,
    /// Pairs that may be in play at the same time.
    pub lookahead: Option<u64>,
    /// A parameter list of fishtest, OpenBench or weather-factory, in the form that `method` names.
    pub list: Option<PathBuf>,
    /// Names of parameters, or patterns with `*`.
    pub parameters: Vec<String>,
    /// The line that names them.
    pub parameters_line: usize,
    /// Ranges that differ from the engine's.
    pub bounds: Vec<(String, BoundsTable)>,
}

/// `[tune.bounds.NAME]` as written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundsTable {
    /// The least value.
    pub min: Option<f64>,
    /// The greatest value.
    pub max: Option<f64>,
    /// Where the search begins.
    pub start: Option<f64>,
    /// The line of the table.
    pub line: usize,
}

/// `[accept]` as written: the test that tuned weights must pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcceptTable {
    /// The limits of its games.
    pub limits: LimitsTable,
    /// The test.
    pub sprt: SprtConfig,
    /// Where it ends at the latest.
    pub max_pairs: Option<u64>,
}

impl RunFile {
    /// Reads a file, reporting all its mistakes at once.
    pub fn read(path: &Path) -> Result<Self, Mistakes> {
        let text = read_text(path).map_err(|why| Mistakes::unreadable(path, &why))?;
        Self::parse(path, &text)
    }

    /// Parses `text`; `path` is used in messages only.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Mistakes> {
        read_document(path, text, |fields| Self {
            name: fields.text("name"),
            seed: fields.whole("seed", 0, i64::MAX),
            engines: engines(fields),
            pairing: fields.choice("pairing", &PAIRINGS),
            seeds: fields.whole("seeds", 1, 100_000),
            games: fields.table("games", games).unwrap_or_default(),
            adjudicate: fields.table("adjudicate", adjudicate).unwrap_or_default(),
            pgn: fields.table("pgn", pgn).unwrap_or_default(),
            on_end: fields.text("on_end"),
            fleet: fields.table("fleet", fleet).unwrap_or_default(),
            ..test(fields)
        })
    }
}

/// Every value of `pairing`.
const PAIRINGS: [(&str, Pairing); 4] = [
    ("round-robin", Pairing::RoundRobin),
    ("gauntlet", Pairing::Gauntlet),
    ("teams", Pairing::Teams),
    ("pyramid", Pairing::Pyramid),
];

/// Reads the tables that make a run a test or a tuning run.
fn test(fields: &mut Fields) -> RunFile {
    let tested = fields.table("sprt", |fields| {
        let test_by = fields.choice("count", &[("pairs", TestBy::Pairs), ("games", TestBy::Games)]);
        let at_limit =
            fields.choice("at_limit", &[("decide", AtLimit::Decide), ("undecided", AtLimit::Undecided)]);
        (sprt(fields), test_by.unwrap_or_default(), at_limit.unwrap_or_default())
    });
    let (sprt, test_by, at_limit) = tested.unwrap_or_default();
    RunFile {
        sprt,
        test_by,
        at_limit,
        tune: fields.table("tune", tune),
        accept: fields.table("accept", accept).flatten(),
        ..RunFile::default()
    }
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

fn engines(fields: &mut Fields) -> Vec<EngineEntry> {
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
        env: fields.pairs("env").unwrap_or_default(),
        inherit_env: fields.texts("inherit_env").unwrap_or_default(),
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

fn limits(fields: &mut Fields) -> LimitsTable {
    LimitsTable {
        tc: fields.parsed("tc"),
        movetime_ms: fields.whole("movetime_ms", 1, TimeControl::MAX_MOVETIME_MS),
        nodes: fields.whole("nodes", 1, TimeControl::MAX_NODES),
        depth: fields.whole("depth", 1, TimeControl::MAX_DEPTH),
        margin_ms: fields.whole("margin_ms", 0, TimeControl::MAX_MARGIN_MS),
        first_increment: fields.choice(
            "first_increment",
            &[("after", FirstIncrement::After), ("before", FirstIncrement::Before)],
        ),
    }
}

fn games(fields: &mut Fields) -> GamesTable {
    GamesTable {
        limits: limits(fields),
        concurrency: fields.whole("concurrency", 1, MAX_CONCURRENCY),
        placement: fields.choice("placement", &[("auto", Placement::Auto), ("off", Placement::Off)]),
        openings: fields.text("openings").map(PathBuf::from),
        order: fields.choice(
            "order",
            &[
                ("random", Order::Random),
                ("sequential", Order::Sequential),
                ("fastchess", Order::Fastchess),
                ("cutechess", Order::Cutechess),
            ],
        ),
        start: fields.whole("start", 1, Plan::MAX_OPENING),
        take: fields.whole("take", 1, Plan::MAX_OPENING),
        plies: fields.whole("plies", 0, Plan::MAX_OPENING_PLIES),
        variant: fields
            .choice("variant", &[("standard", Variant::Standard), ("chess960", Variant::Chess960)]),
        after_book: fields.choice(
            "after_book",
            &[
                ("extend", AfterBook::Extend),
                ("stop", AfterBook::Stop),
                ("repeat", AfterBook::Repeat),
                ("count", AfterBook::Count),
            ],
        ),
        max_pairs: fields.whole("max_pairs", 1, Plan::MAX_PAIRS),
        breaker: fields
            .choice("breaker", &[("on", Breaker::On), ("off", Breaker::Off), ("first", Breaker::First)]),
        program_changed: fields
            .choice("program_changed", &[("keep", ProgramChanged::Keep), ("stop", ProgramChanged::Stop)]),
        encounters: encounters(fields),
    }
}

fn encounters(fields: &mut Fields) -> Encounters {
    let pair = fields.choice("pair", &[("both", PairSize::Both), ("half", PairSize::Half)]);
    let colours = fields.choice("colours", &[("reversed", Colours::Reversed), ("same", Colours::Same)]);
    let first =
        fields.choice("first_colour", &[("white", FirstColour::White), ("black", FirstColour::Black)]);
    let per = [("round", OpeningPer::Round), ("encounter", OpeningPer::Encounter)];
    let at_once = fields.choice("at_once", &[("pairs", AtOnce::Pairs), ("games", AtOnce::Games)]);
    Encounters {
        pair: pair.unwrap_or_default(),
        colours: colours.unwrap_or_default(),
        first: first.unwrap_or_default(),
        opening: fields.choice("opening_per", &per).unwrap_or_default(),
        at_once: at_once.unwrap_or_default(),
        test_by: TestBy::default(),
        at_limit: AtLimit::default(),
        repeat: fields.whole("repeat", 1, Plan::MAX_PAIRS).unwrap_or(0),
        block: fields.whole("block", 1, Plan::MAX_PAIRS).unwrap_or(0),
        seeds: 0,
        wait_ms: fields.whole("wait_ms", 0, TimeControl::MAX_MARGIN_MS).unwrap_or(0),
    }
}

fn adjudicate(fields: &mut Fields) -> AdjudicationRules {
    const MAX_MOVES: u32 = AdjudicationRules::MAX_MOVES;
    const MAX_CP: u32 = AdjudicationRules::MAX_CP;
    AdjudicationRules {
        draw: fields
            .table("draw", |fields| {
                let after_move = fields.whole("after_move", 0, MAX_MOVES).unwrap_or(0);
                // Every key is read before a missing one is reported, so that all mistakes are found.
                let (moves, cp) =
                    (required(fields, "moves", 1, MAX_MOVES), required(fields, "cp", 0, MAX_CP));
                Some(DrawRule { after_move, moves: moves?, cp: cp? })
            })
            .flatten(),
        resign: fields
            .table("resign", |fields| {
                let two_sided = fields.flag("two_sided").unwrap_or(true);
                let sides = if two_sided { ResignSides::Two } else { ResignSides::One };
                let (moves, cp) =
                    (required(fields, "moves", 1, MAX_MOVES), required(fields, "cp", 0, MAX_CP));
                Some(ResignRule { moves: moves?, cp: cp?, sides })
            })
            .flatten(),
        max_moves: fields.whole("max_moves", 1, MAX_MOVES),
        style: fields
            .choice(
                "style",
                &[
                    ("playself", AdjudicationStyle::Playself),
                    ("fastchess", AdjudicationStyle::Fastchess),
                    ("cutechess", AdjudicationStyle::Cutechess),
                ],
            )
            .unwrap_or_default(),
        tablebases: fields.table("tablebases", tablebases).flatten(),
    }
}

fn tablebases(fields: &mut Fields) -> Option<TablebaseRule> {
    let path = fields.required("path", "one or more folders with `:` between them", Fields::text);
    let men = fields.whole("men", 3, 32);
    let counted = fields.flag("fifty_moves").unwrap_or(true);
    let results = fields.choice(
        "results",
        &[
            ("both", TablebaseResults::Both),
            ("wins", TablebaseResults::Wins),
            ("draws", TablebaseResults::Draws),
        ],
    );
    Some(TablebaseRule {
        folders: table_folders(&path?),
        men,
        fifty_moves: if counted { FiftyMoves::Counted } else { FiftyMoves::Ignored },
        results: results.unwrap_or_default(),
    })
}

/// Splits a list of folders as in `PATH`; empty parts are skipped.
pub fn table_folders(path: &str) -> Vec<PathBuf> {
    path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
}

fn required(fields: &mut Fields, key: &str, least: i64, most: u32) -> Option<u32> {
    let what = format!("an integer of at least {least}");
    fields.required(key, &what, |fields, key| fields.whole(key, least, most))
}

fn sprt(fields: &mut Fields) -> Option<SprtConfig> {
    let elo = fields.required("elo", "the strengths of H0 and H1, as in [0.0, 5.0]", Fields::two_numbers);
    let alpha = error_rate(fields, "alpha");
    let beta = error_rate(fields, "beta");
    let model = fields.choice(
        "model",
        &[
            ("normalized", EloModel::Normalized),
            ("logistic", EloModel::Logistic),
            ("bayesian", EloModel::Bayesian),
        ],
    );
    let kind = fields.choice("test", &[("sprt", TestKind::Sprt), ("bounded", TestKind::Bounded)]);
    match Hypotheses::new(elo?[0], elo?[1]) {
        Ok(hypotheses) => Some(SprtConfig {
            hypotheses,
            model: model.unwrap_or_default(),
            alpha,
            beta,
            kind: kind.unwrap_or_default(),
        }),
        Err(why) => {
            fields.wrong(why);
            None
        }
    }
}

fn error_rate(fields: &mut Fields, key: &str) -> ErrorRate {
    match fields.number(key).map(ErrorRate::new) {
        None => ErrorRate::FIVE_PERCENT,
        Some(Ok(rate)) => rate,
        Some(Err(why)) => {
            fields.wrong(format!("{key}: {why}"));
            ErrorRate::FIVE_PERCENT
        }
    }
}

fn tune(fields: &mut Fields) -> TuneTable {
    let table = TuneTable {
        method: fields.text("method"),
        hours: fields.number("hours"),
        games: fields.whole("games", 2, 2 * Plan::MAX_PAIRS),
        lookahead: fields.whole("lookahead", 1, Plan::MAX_PAIRS),
        list: fields.text("list").map(PathBuf::from),
        parameters_line: fields.line_of("parameters"),
        parameters: fields.texts("parameters").unwrap_or_default(),
        bounds: fields.tables_by_name("bounds", |fields| BoundsTable {
            min: fields.number("min"),
            max: fields.number("max"),
            start: fields.number("start"),
            line: fields.line(),
        }),
    };
    if table.list.is_some() && !(table.parameters.is_empty() && table.bounds.is_empty()) {
        fields.wrong("`list` already sets the parameters and their bounds: remove `parameters` and `bounds`, or `list`");
    }
    if table.parameters.is_empty() && table.list.is_none() {
        fields.missing("parameters", "names of weights or options, or patterns such as \"*_mobility\"");
    }
    if table.hours.is_some_and(|hours| hours <= 0.0 || hours > MAX_HOURS) {
        fields.wrong(format_args!("hours must be more than 0 and at most {MAX_HOURS}"));
    }
    table
}

fn accept(fields: &mut Fields) -> Option<AcceptTable> {
    let limits = limits(fields);
    let max_pairs = fields.whole("max_pairs", 1, Plan::MAX_PAIRS);
    let sprt = sprt(fields)?;
    Some(AcceptTable { limits, sprt, max_pairs })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPRT: &str = r#"
name = "knight-mobility"
seed = 42
[candidate]
engine = "builtin"
set = { knight_mobility = 6 }
[baseline]
engine = "builtin"
options = { Hash = 16, Ponder = false }
[games]
tc = "8+0.08"
concurrency = 2
openings = "openings/balanced.epd.gz"
max_pairs = 20000
[adjudicate]
draw   = { after_move = 34, moves = 8, cp = 20 }
resign = { moves = 3, cp = 600, two_sided = true }
max_moves = 200
[sprt]
elo = [0.0, 5.0]
alpha = 0.05
beta = 0.05
model = "normalized"
"#;

    fn parse(text: &str) -> Result<RunFile, Mistakes> {
        RunFile::parse(Path::new("run.toml"), text)
    }

    #[test]
    fn the_documented_example_is_read_in_full() {
        let run = parse(SPRT).unwrap();
        assert_eq!(run.engines[0].set, [("knight_mobility".to_owned(), "6".to_owned())]);
        assert_eq!(run.engines[1].options[1], ("Ponder".to_owned(), "false".to_owned()));
        assert_eq!(run.games.limits.tc, Some("8+0.08".parse().unwrap()));
        assert_eq!(run.adjudicate.max_moves, Some(200));
        assert_eq!(run.sprt.unwrap().hypotheses, Hypotheses::new(0.0, 5.0).unwrap());
    }

    #[test]
    fn all_mistakes_are_reported_at_once_with_line_and_nearest_key() {
        let text = SPRT
            .replace("concurrency = 2", "concurency = 2")
            .replace("seed = 42", "seed = \"many\"")
            .replace("elo = [0.0, 5.0]", "elo = [5.0, 0.0]")
            .replace("tc = \"8+0.08\"", "tc = \"soon\"")
            .replace("alpha = 0.05", "alpha = 0.7");
        let mistakes = parse(&text).unwrap_err();
        let message = mistakes.to_string();
        for part in [
            "run.toml:3: seed must be a whole number from 0, not \"many\"",
            "run.toml:12: unknown key `games.concurency`; did you mean `concurrency`?",
            "run.toml:11: games.tc: `soon` is not a time control",
            "elo0 5 must be below elo1 0",
            "expected an error rate above 0 and below 0.5, got 0.7",
        ] {
            assert!(message.contains(part), "`{part}` not in:\n{message}");
        }
        assert_eq!(mistakes.count(), 5, "{message}");
    }

    #[test]
    fn broken_toml_is_reported_with_its_line() {
        let message = parse("name = \"x\"\nseed = = 3\n").unwrap_err().to_string();
        assert!(message.starts_with("run.toml:2: "), "{message}");
    }

    #[test]
    fn limits_of_an_engine_replace_the_common_ones_but_keep_the_margin() {
        let common = LimitsTable { nodes: Some(1000), margin_ms: Some(50), ..LimitsTable::default() };
        let own = LimitsTable { depth: Some(3), ..LimitsTable::default() };
        assert_eq!(
            own.or(common),
            LimitsTable { depth: Some(3), margin_ms: Some(50), ..LimitsTable::default() }
        );
        assert_eq!(LimitsTable::default().or(common), common);
    }
}
