//! Flags shared by all commands that play a run.

use std::path::PathBuf;

use crate::cli::choices::choice;
use crate::cli::number_lists::{count, integers};
use crate::config::{LimitsTable, RunFile, table_folders};
use crate::fleet::{MAX_CONCURRENCY, Placement};
use crate::game::{
    AdjudicationRules, ClockRule, DrawRule, ResignRule, ResignSides, TablebaseRule, TimeControl,
};
use crate::opening::{AfterBook, Order};
use crate::run::{Breaker, Plan};

/// Parameters of a run. A flag that is not given leaves the value of the configuration file, or its default.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub struct RunFlags {
    /// Number of games, two for each opening; an odd number is rounded up [default: games.max_pairs of the file; without a
    /// file, one pair for each two engines; no limit in a test]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2 * Plan::MAX_PAIRS))]
    pub games: Option<u64>,
    /// Clock: [moves/]time[+increment], in seconds or min:sec [default: 8+0.08]
    #[arg(long, value_name = "TC", help_heading = "Thinking")]
    tc: Option<ClockRule>,
    /// Time per move in milliseconds
    #[arg(long, value_name = "MS", value_parser = up_to(1, TimeControl::MAX_MOVETIME_MS), help_heading = "Thinking")]
    movetime: Option<u64>,
    /// Nodes per move
    #[arg(long, value_name = "N", value_parser = up_to(1, TimeControl::MAX_NODES), help_heading = "Thinking")]
    nodes: Option<u64>,
    /// Search depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(TimeControl::MAX_DEPTH)), help_heading = "Thinking")]
    depth: Option<u32>,
    /// Time by which a clock or --movetime may be exceeded before the game is lost, in milliseconds [default: 10]
    #[arg(long, value_name = "MS", value_parser = up_to(0, TimeControl::MAX_MARGIN_MS), help_heading = "Thinking")]
    margin: Option<u64>,
    /// Book of openings: EPD or PGN, also with .gz, .zst or .zip [default: the initial position]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Order of the openings [default: random]
    #[arg(long, value_name = "ORDER", value_parser = choice::<Order>())]
    order: Option<Order>,
    /// After the last opening of the book [default: extend at fixed nodes or depth, otherwise repeat]
    #[arg(long, value_name = "WHAT", value_parser = choice::<AfterBook>())]
    after_book: Option<AfterBook>,
    /// Number of pairs played at once [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = count(1..=MAX_CONCURRENCY))]
    concurrency: Option<usize>,
    /// Placement of games on processors [default: auto]
    #[arg(long, value_name = "HOW", value_parser = choice::<Placement>())]
    placement: Option<Placement>,
    /// Random seed of the openings and of a tuner [default: a new one, recorded in plan.toml]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Name of the run [default: made from the names of the engines]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Adjudicate a draw after move MOVE once both scores were within CP for COUNT moves, e.g. 34,8,20 [default: never]
    #[arg(long, value_name = "MOVE,COUNT,CP", value_parser = draw_rule, help_heading = "Adjudication")]
    draw: Option<DrawRule>,
    /// Adjudicate a win once both engines agreed on a lead of CP or more for COUNT moves, e.g. 3,600 [default: never]
    #[arg(long, value_name = "COUNT,CP", value_parser = resign_rule, help_heading = "Adjudication")]
    resign: Option<ResignRule>,
    /// Adjudicate a draw after N moves [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(AdjudicationRules::MAX_MOVES)), help_heading = "Adjudication")]
    max_moves: Option<u32>,
    /// Adjudicate what the Syzygy endgame tables in these folders know [default: none]
    #[arg(long, value_name = "PATH[:PATH]", value_parser = folders, help_heading = "Adjudication")]
    tablebases: Option<Folders>,
    /// Do not stop the run, however often engines fail
    #[arg(long)]
    recover: bool,
    /// UCI option for all engines, e.g. Hash=16; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    options: Vec<(String, String)>,
}

/// Folders of tables; a type of its own, because clap takes a list for several flags.
#[derive(Clone, Debug, PartialEq)]
struct Folders(Vec<PathBuf>);

fn folders(text: &str) -> Result<Folders, String> {
    match table_folders(text) {
        folders if folders.is_empty() => Err("expected a folder".to_owned()),
        folders => Ok(Folders(folders)),
    }
}

fn draw_rule(text: &str) -> Result<DrawRule, String> {
    let [after_move, moves, cp] = integers(text)?;
    let rule = DrawRule { after_move, moves: from_one("COUNT", moves)?, cp };
    AdjudicationRules { draw: Some(rule), ..AdjudicationRules::default() }.check().map(|()| rule)
}

fn resign_rule(text: &str) -> Result<ResignRule, String> {
    let [moves, cp] = integers(text)?;
    let rule =
        ResignRule { moves: from_one("COUNT", moves)?, cp: from_one("CP", cp)?, sides: ResignSides::Two };
    AdjudicationRules { resign: Some(rule), ..AdjudicationRules::default() }.check().map(|()| rule)
}

/// Refuses 0, with which a rule would end every game at once.
fn from_one(name: &str, number: u32) -> Result<u32, String> {
    if number == 0 { Err(format!("{name} must be at least 1, got 0")) } else { Ok(number) }
}

/// Returns a parser of whole numbers from `least` to `most`.
fn up_to(least: u64, most: u64) -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(least..=most)
}

/// Returns a warning about engines to which the limits of the command line do not apply.
fn ineffective_limits(limits: &LimitsTable, run: &RunFile) -> Option<String> {
    let own = run.engines.iter().filter(|engine| engine.limits.limits_thinking());
    let names: Vec<&str> = own.map(|engine| engine.name.as_deref().unwrap_or(&engine.engine)).collect();
    (limits.limits_thinking() && !names.is_empty()).then(|| {
        format!(
            "Warning: the limits of the command line do not apply to {}, which {} limits of {} own",
            names.join(", "),
            if names.len() == 1 { "has" } else { "have" },
            if names.len() == 1 { "its" } else { "their" },
        )
    })
}

/// Parses `NAME=VALUE`.
pub(super) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, got `{text}`"))?;
    Ok((name.to_owned(), value.to_owned()))
}

impl RunFlags {
    /// Overrides the run file by the flags that are given. Returns warnings for the user.
    pub fn apply(&self, run: &mut RunFile) -> Vec<String> {
        let limits = LimitsTable {
            tc: self.tc,
            movetime_ms: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin,
            first_increment: None,
        };
        let mut notes = Vec::new();
        notes.extend(ineffective_limits(&limits, run));
        run.games.limits = limits.or(run.games.limits);
        if let Some(games) = self.games {
            let pairs = games.div_ceil(2);
            if !games.is_multiple_of(2) {
                notes.push(format!(
                    "Warning: pairs are played whole: --games {games} plays {} games",
                    2 * pairs
                ));
            }
            run.games.max_pairs = Some(pairs);
        }
        run.games.openings = self.openings.clone().or(run.games.openings.take());
        run.games.concurrency = self.concurrency.or(run.games.concurrency);
        run.games.placement = self.placement.or(run.games.placement);
        run.games.order = self.order.or(run.games.order);
        run.games.after_book = self.after_book.or(run.games.after_book);
        run.seed = self.seed.or(run.seed);
        run.name = self.name.clone().or(run.name.take());
        if self.recover {
            run.games.breaker = Some(Breaker::Off);
        }
        for engine in &mut run.engines {
            engine.options.splice(0..0, self.options.iter().cloned());
        }
        run.adjudicate.draw = self.draw.or(run.adjudicate.draw);
        run.adjudicate.resign = self.resign.or(run.adjudicate.resign);
        run.adjudicate.max_moves = self.max_moves.or(run.adjudicate.max_moves);
        if let Some(Folders(folders)) = &self.tablebases {
            let rule = run.adjudicate.tablebases.get_or_insert_with(|| TablebaseRule::new(Vec::new()));
            rule.folders.clone_from(folders);
        }
        notes
    }
}
