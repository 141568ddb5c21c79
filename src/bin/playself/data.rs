//! `playself data make`: self-play positions with results, to tune the evaluation with.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use clap::Subcommand;
use playself::engine::StopFlag;
use playself::game::GameResult;
use playself::texel::{PlayedGame, SampleWriter, SelfPlay};

use crate::texel::weights_of;

/// Make data to tune the evaluation with.
#[derive(Debug, clap::Args)]
pub(crate) struct DataCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Make(MakeCommand),
}

/// Play the engine against itself and write the quiet positions of the games with their results.
#[derive(Debug, clap::Args)]
struct MakeCommand {
    /// The file to write, 36 bytes a position.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions to gather; the last game of each thread is finished.
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Nodes for each move.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Random plies before each game; every second game has one more.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(..=60))]
    random_plies: u16,
    /// Makes other games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores if left out.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A file of weights to play with.
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
}

impl DataCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Make(command) => command.run(),
        }
    }
}

/// What all threads share.
struct Harvest {
    writer: SampleWriter<BufWriter<File>>,
    positions: u64,
    games: u64,
    /// Black's wins, draws, White's wins.
    results: [u64; 3],
    told: Instant,
}

impl MakeCommand {
    fn run(self) -> anyhow::Result<ExitCode> {
        let plan = SelfPlay {
            weights: weights_of(self.weights.as_deref(), &[])?,
            nodes: self.nodes,
            random_plies: usize::from(self.random_plies),
            seed: self.seed,
        };
        let name = self.out.display();
        let file = File::create(&self.out).with_context(|| format!("could not create {name}"))?;
        let writer =
            SampleWriter::new(BufWriter::new(file)).with_context(|| format!("could not write {name}"))?;
        let started = Instant::now();
        let harvest = Mutex::new(Harvest { writer, positions: 0, games: 0, results: [0; 3], told: started });
        let next = AtomicU64::new(0);
        let threads = self.threads.map_or_else(cores, usize::from);
        let outcomes: Vec<anyhow::Result<()>> = thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.work(&plan, &next, &harvest, started))).collect();
            workers.into_iter().map(|worker| worker.join().expect("games do not panic")).collect()
        });
        outcomes.into_iter().collect::<anyhow::Result<()>>()?;
        let mut harvest = harvest.into_inner().expect("no thread panicked");
        harvest.writer.flush().with_context(|| format!("could not write {name}"))?;
        harvest.tell(started, self.positions);
        Ok(ExitCode::SUCCESS)
    }

    fn work(
        &self,
        plan: &SelfPlay,
        next: &AtomicU64,
        harvest: &Mutex<Harvest>,
        started: Instant,
    ) -> anyhow::Result<()> {
        let mut searcher = plan.searcher();
        let stop = StopFlag::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = plan.play(number, &mut searcher, &stop) else { continue };
            let mut harvest = harvest.lock().expect("no thread panicked");
            if harvest.positions >= self.positions {
                return Ok(());
            }
            harvest.take(&game).with_context(|| format!("could not write {}", self.out.display()))?;
            if harvest.told.elapsed().as_secs() >= 10 {
                harvest.told = Instant::now();
                harvest.tell(started, self.positions);
            }
        }
    }
}

impl Harvest {
    fn take(&mut self, game: &PlayedGame) -> std::io::Result<()> {
        for sample in &game.samples {
            self.writer.write(*sample)?;
        }
        self.positions += game.samples.len() as u64;
        self.games += 1;
        let slot = match game.result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
        };
        self.results[slot] += 1;
        Ok(())
    }

    /// One line of progress on standard error.
    fn tell(&self, started: Instant, wanted: u64) {
        let [black, draws, white] = self.results;
        let rate = self.positions as f64 / started.elapsed().as_secs_f64().max(1e-9);
        // Progress that nobody can read any more is no reason to stop.
        let _ = writeln!(
            std::io::stderr(),
            "{} of {wanted} positions, {} games (white {white}, draw {draws}, black {black}), {rate:.0} a second",
            self.positions,
            self.games,
        );
    }
}

/// The cores of this machine.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
