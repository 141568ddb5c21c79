//! Run files as written: the shape of the files in `configs/`.

use std::path::{Path, PathBuf};

use crate::fleet::{MAX_CONCURRENCY, Placement, ProgramChanged};
use crate::game::{AdjudicationRules, TimeControl, Variant};
use crate::opening::{AfterBook, Order};
use crate::run::{
    AtLimit, AtOnce, Breaker, Colours, Encounters, FirstColour, FleetPlan, OpeningPer, PairSize, Pairing,
    PgnContent, Plan, TestBy,
};
use crate::stats::SprtConfig;
use crate::store::read_text;

use crate::config::adjudicate_table::adjudicate;
use crate::config::engine_table::{EngineEntry, engines};
use crate::config::fleet_table::fleet;
use crate::config::limits_table::{LimitsTable, limits};
use crate::config::pgn_table::pgn;
use crate::config::test_tables::{AcceptTable, TuneTable, accept, sprt, tune};
use crate::config::toml_reader::{Fields, Mistakes, read_document};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Hypotheses;

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
    fn names_that_no_variable_can_have_are_refused() {
        for (line, part) in [
            ("env = { \"A=B\" = \"c\" }", "env: `A=B` is not the name of a variable"),
            ("env = { \"\" = \"c\" }", "env: `` is not the name of a variable"),
            ("inherit_env = [\"HOME\", \"A*B\", \"PRE_*\", \"*\"]", "inherit_env: `A*B` is not the name"),
        ] {
            let text = SPRT.replacen("[candidate]\n", &format!("[candidate]\n{line}\n"), 1);
            let mistakes = parse(&text).unwrap_err();
            assert!(mistakes.to_string().contains(part), "{mistakes}");
            assert_eq!(mistakes.count(), 1, "{mistakes}");
        }
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
