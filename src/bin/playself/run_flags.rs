//! The flags that say how a run is played, shared by all commands that play one.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use playself::config::{LimitsTable, RunFile, SearchPaths, resolve};
use playself::dashboard::ServeAddress;
use playself::fleet::Placement;
use playself::game::{ClockRule, DrawRule, ResignRule, ResignSides};
use playself::opening::Order;
use playself::player::GuardianProgram;
use playself::run::preflight::{EngineFacts, handshake};
use playself::run::{Breaker, Plan};
use playself::stats::{EloModel, ErrorRate, Hypotheses, SprtConfig};

use crate::engine;
use crate::launch::Show;

/// How a run is played. What is not given comes from the configuration file, or is left at its default.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RunFlags {
    /// Games to play, two to an opening
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: Option<u64>,
    /// Clock per game: [moves/]time[+increment], in seconds or min:sec
    #[arg(long, value_name = "TC", help_heading = "Thinking")]
    tc: Option<ClockRule>,
    /// Milliseconds per move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Thinking")]
    movetime: Option<u64>,
    /// Nodes per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Thinking")]
    nodes: Option<u64>,
    /// Plies per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Thinking")]
    depth: Option<u32>,
    /// Milliseconds a clock may be overrun by before the game is lost
    #[arg(long, value_name = "MS", help_heading = "Thinking")]
    margin: Option<u64>,
    /// Book of openings: EPD or PGN, plain or .gz, .zst, .zip
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Order of the openings
    #[arg(long, value_enum, value_name = "ORDER")]
    order: Option<OrderFlag>,
    /// Pairs of games played at the same time
    #[arg(long, value_name = "N", value_parser = positive)]
    concurrency: Option<usize>,
    /// Processors: one of its own for each game where there are enough, or as the kernel likes
    #[arg(long, value_enum, value_name = "HOW")]
    placement: Option<PlacementFlag>,
    /// What openings and their order follow from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// What the run is called
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Test sequentially: is the first engine ELO1 rather than ELO0 stronger?
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, help_heading = "Test")]
    sprt: Option<Strengths>,
    /// Chance of accepting a candidate of strength ELO0
    #[arg(long, value_name = "RATE", help_heading = "Test")]
    alpha: Option<f64>,
    /// Chance of rejecting a candidate of strength ELO1
    #[arg(long, value_name = "RATE", help_heading = "Test")]
    beta: Option<f64>,
    /// Scale of the two strengths
    #[arg(long, value_enum, value_name = "MODEL", help_heading = "Test")]
    model: Option<ModelFlag>,
    /// Bounds that are usual for a purpose
    #[arg(long, value_enum, value_name = "PRESET", conflicts_with = "sprt", help_heading = "Test")]
    preset: Option<Preset>,
    /// Adjudicate draws: MOVE,COUNT,CP, for example 34,8,20
    #[arg(long, value_name = "MOVE,COUNT,CP", value_parser = draw_rule, help_heading = "Adjudication")]
    draw: Option<DrawRule>,
    /// Adjudicate wins that both engines see: COUNT,CP, for example 3,600
    #[arg(long, value_name = "COUNT,CP", value_parser = resign_rule, help_heading = "Adjudication")]
    resign: Option<ResignRule>,
    /// Call a game a draw after so many moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Adjudication")]
    max_moves: Option<u32>,
    /// Play on however often engines fail
    #[arg(long)]
    recover: bool,
    /// UCI option for all engines, for example Hash=16
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    options: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Where a run goes and what it shows.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct OutputFlags {
    /// Print the run's events as JSON lines, and nothing else, on standard output
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Refuse a run whose engines differ in ways that were not asked for, or that the machine is too small for
    ///
    /// Compared are Hash and Threads as they stand, by default or as written, Ponder, MultiPV, SyzygyPath and Move Overhead
    /// where they are written, thinking limits and programs. A difference is asked for where both engines have their value
    /// written out, each in its own table.
    #[arg(long, help_heading = "Output")]
    pub(crate) strict: bool,
    /// Folder in which the run gets a folder of its own
    #[arg(long, value_name = "DIR", default_value = "results", help_heading = "Output")]
    pub(crate) results: PathBuf,
    /// Exactly this folder for the run
    #[arg(long, value_name = "DIR", conflicts_with = "results", help_heading = "Output")]
    pub(crate) run_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) live: LiveFlags,
}

/// Whether the run can be watched in a browser.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LiveFlags {
    /// Serve a live page of the run; for this machine only unless ADDR says otherwise
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1",
        help_heading = "Output"
    )]
    pub(crate) serve: Option<ServeAddress>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OrderFlag {
    Random,
    Sequential,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PlacementFlag {
    Auto,
    Off,
}

impl From<PlacementFlag> for Placement {
    fn from(flag: PlacementFlag) -> Self {
        match flag {
            PlacementFlag::Auto => Self::Auto,
            PlacementFlag::Off => Self::Off,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModelFlag {
    Normalized,
    Logistic,
    Bayesian,
}

/// Bounds for what people test for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// Is it a gain at short time control? [0, 2] normalized, 8+0.08
    StcGain,
    /// Is it a gain at long time control? [0.5, 2.5] normalized, 40+0.4
    LtcGain,
    /// Does it at least not lose strength? [-1.75, 0.25] normalized, 8+0.08
    NonRegression,
}

impl Preset {
    fn strengths(self) -> (f64, f64) {
        match self {
            Self::StcGain => (0.0, 2.0),
            Self::LtcGain => (0.5, 2.5),
            Self::NonRegression => (-1.75, 0.25),
        }
    }

    fn clock(self) -> &'static str {
        match self {
            Self::StcGain | Self::NonRegression => "8+0.08",
            Self::LtcGain => "40+0.4",
        }
    }
}

/// Two strengths as `ELO0,ELO1`.
#[derive(Clone, Copy, Debug)]
struct Strengths(f64, f64);

fn draw_rule(text: &str) -> Result<DrawRule, String> {
    let [after_move, moves, cp] = numbers(text)?;
    Ok(DrawRule { after_move, moves: from_one("COUNT", moves)?, cp })
}

fn resign_rule(text: &str) -> Result<ResignRule, String> {
    let [moves, cp] = numbers(text)?;
    Ok(ResignRule { moves: from_one("COUNT", moves)?, cp: from_one("CP", cp)?, sides: ResignSides::Two })
}

/// A number without which a rule would end every game at once.
fn from_one(name: &str, number: u32) -> Result<u32, String> {
    if number == 0 { Err(format!("{name} is a whole number from 1, not 0")) } else { Ok(number) }
}

/// So many whole numbers, parted by commas.
fn numbers<const COUNT: usize>(text: &str) -> Result<[u32; COUNT], String> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("`{text}` is not {COUNT} whole numbers parted by commas"))
}

impl std::str::FromStr for Strengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (null, alternative) = text.split_once(',')?;
            Some(Self(null.trim().parse().ok()?, alternative.trim().parse().ok()?))
        };
        read().ok_or_else(|| format!("`{text}` is not two numbers, as in 0,5"))
    }
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "a whole number from 1 is needed".to_owned())
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

impl RunFlags {
    /// Writes what the flags say over what the file said.
    pub(crate) fn apply(&self, run: &mut RunFile) -> anyhow::Result<()> {
        let limits = LimitsTable {
            tc: self.tc,
            movetime_ms: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin,
        };
        run.games.limits = limits.or(run.games.limits);
        if let Some(games) = self.games {
            let pairs = games.div_ceil(2);
            if !games.is_multiple_of(2) {
                let told =
                    format!("Warning; pairs are played whole: --games {games} plays {} games", 2 * pairs);
                Show::of(&self.output).say(&told);
            }
            run.games.max_pairs = Some(pairs);
        }
        run.games.openings = self.openings.clone().or(run.games.openings.take());
        run.games.concurrency = self.concurrency.or(run.games.concurrency);
        run.games.placement = self.placement.map(Placement::from).or(run.games.placement);
        run.seed = self.seed.or(run.seed);
        run.name = self.name.clone().or(run.name.take());
        if let Some(order) = self.order {
            run.games.order = Some(match order {
                OrderFlag::Random => Order::Random,
                OrderFlag::Sequential => Order::Sequential,
            });
        }
        if self.recover {
            run.games.breaker = Some(Breaker::Off);
        }
        for engine in &mut run.engines {
            engine.options.splice(0..0, self.options.iter().cloned());
        }
        self.apply_adjudication(run);
        self.apply_test(run)
    }

    /// Whether a test of two engines was asked for.
    pub(crate) fn asks_for_test(&self) -> bool {
        self.sprt.is_some() || self.preset.is_some()
    }

    fn apply_adjudication(&self, run: &mut RunFile) {
        run.adjudicate.draw = self.draw.or(run.adjudicate.draw);
        run.adjudicate.resign = self.resign.or(run.adjudicate.resign);
        run.adjudicate.max_moves = self.max_moves.or(run.adjudicate.max_moves);
    }

    fn apply_test(&self, run: &mut RunFile) -> anyhow::Result<()> {
        let strengths = match (self.sprt, self.preset) {
            (Some(Strengths(null, alternative)), _) => Some((null, alternative)),
            (None, Some(preset)) => Some(preset.strengths()),
            (None, None) => None,
        };
        if let Some((null, alternative)) = strengths {
            let hypotheses = Hypotheses::new(null, alternative).context("--sprt")?;
            run.sprt = Some(SprtConfig { hypotheses, ..run.sprt.unwrap_or(SprtConfig::usual(hypotheses)) });
        }
        if let Some(preset) = self.preset
            && !run.games.limits.limits_thinking()
        {
            run.games.limits.tc = Some(preset.clock().parse()?);
        }
        let told = self.alpha.is_some() || self.beta.is_some() || self.model.is_some();
        let Some(sprt) = &mut run.sprt else {
            if told {
                bail!("--alpha, --beta and --model need a test: add --sprt ELO0,ELO1");
            }
            return Ok(());
        };
        if let Some(alpha) = self.alpha {
            sprt.alpha = ErrorRate::new(alpha).context("--alpha")?;
        }
        if let Some(beta) = self.beta {
            sprt.beta = ErrorRate::new(beta).context("--beta")?;
        }
        if let Some(model) = self.model {
            sprt.model = match model {
                ModelFlag::Normalized => EloModel::Normalized,
                ModelFlag::Logistic => EloModel::Logistic,
                ModelFlag::Bayesian => EloModel::Bayesian,
            };
        }
        Ok(())
    }
}

/// A plan whose engines have been asked about their options.
#[derive(Clone, Debug)]
pub(crate) struct Rehearsed {
    pub(crate) plan: Plan,
    /// What each engine stands at.
    pub(crate) heard: Vec<EngineFacts>,
}

/// Settles a run as written; where no seed is named a fresh one is taken and recorded.
pub(crate) fn plan_of(run: &RunFile) -> anyhow::Result<Rehearsed> {
    let around = SearchPaths {
        this_program: std::env::current_exe().context("this program cannot find itself")?,
        engines: PathBuf::from("configs/engines"),
    };
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let fresh = (nanoseconds ^ u128::from(std::process::id())) % 1_000_000_007;
    let plan = resolve(run, &around, u64::try_from(fresh)?)?;
    let own = plan.engines.iter().filter(|engine| engine.spec.program == around.this_program);
    let refused = own.filter_map(|engine| {
        engine::mistake_of_call(&engine.spec.args).map(|why| format!("engine {}: {why}", engine.spec.name))
    });
    let refused: Vec<String> = refused.collect();
    ensure!(refused.is_empty(), "{}", refused.join("\n"));
    rehearsed(plan)
}

/// Asks the engines whether they take the options that the plan tells them: a wrong one is a mistake of whoever wrote
/// it, and no run.
pub(crate) fn rehearsed(plan: Plan) -> anyhow::Result<Rehearsed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let guardian = GuardianProgram::ourselves()?;
    let said = runtime.block_on(handshake(&plan.engines, Some(&guardian)))?;
    ensure!(said.refusals.is_empty(), "{}", said.refusals.join("\n"));
    Ok(Rehearsed { plan, heard: said.heard })
}
