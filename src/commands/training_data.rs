//! Training data: quiet positions with results, from games of the built-in engine against itself.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::commands::console::Console;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::output_file::require_folder_of;
use crate::engine::StopFlag;
use crate::game::GameResult;
use crate::texel::{SampleWriter, SelfPlay, SelfPlayGame};

/// Time between two lines of progress.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// Parameters of a file of training data.
#[derive(Clone, Debug)]
pub struct TrainingDataRequest {
    /// The games.
    pub games: SelfPlay,
    /// Number of positions; the last game of each thread is finished.
    pub positions: u64,
    /// Number of threads.
    pub threads: usize,
}

/// Plays games until enough positions are written to `path`. Progress is printed on standard error.
pub fn make_training_data(
    request: &TrainingDataRequest,
    path: &Path,
    console: Console,
) -> Result<(), Failure> {
    require_folder_of(path)?;
    write_games(request, path, console)
        .with_context(|| format!("{} cannot be written", path.display()))
        .or_fault()
}

fn write_games(request: &TrainingDataRequest, path: &Path, console: Console) -> io::Result<()> {
    let writer = SampleWriter::new(BufWriter::new(File::create(path)?))?;
    let output = Mutex::new(Output::new(writer, request.positions, console));
    let next = AtomicU64::new(0);
    let results: Vec<io::Result<()>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..request.threads)
            .map(|_| scope.spawn(|| play_games(&request.games, &next, &output)))
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a game does not panic")).collect()
    });
    results.into_iter().collect::<io::Result<()>>()?;
    let mut output = output.into_inner().expect("no thread panicked");
    output.writer.flush()?;
    output.report();
    Ok(())
}

/// Plays one game after the other until there are enough positions.
fn play_games(games: &SelfPlay, next: &AtomicU64, output: &Mutex<Output>) -> io::Result<()> {
    let mut searcher = games.searcher();
    let stop = StopFlag::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(game) = games.play(number, &mut searcher, &stop) else { continue };
        let mut output = output.lock().expect("no thread panicked");
        if output.positions >= output.wanted {
            return Ok(());
        }
        output.add(&game)?;
        if output.reported.elapsed() >= REPORT_EVERY {
            output.reported = Instant::now();
            output.report();
        }
    }
}

/// The file and its counts, shared by all threads.
struct Output {
    writer: SampleWriter<BufWriter<File>>,
    console: Console,
    wanted: u64,
    positions: u64,
    games: u64,
    /// Black's wins, draws, White's wins.
    results: [u64; 3],
    started: Instant,
    reported: Instant,
}

impl Output {
    fn new(writer: SampleWriter<BufWriter<File>>, wanted: u64, console: Console) -> Self {
        let started = Instant::now();
        Self { writer, console, wanted, positions: 0, games: 0, results: [0; 3], started, reported: started }
    }

    fn add(&mut self, game: &SelfPlayGame) -> io::Result<()> {
        self.writer.write_game(&game.samples)?;
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

    /// Prints a line of progress.
    fn report(&self) {
        let [black, draws, white] = self.results;
        let rate = self.positions as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
        self.console.print_progress(&format!(
            "{} of {} positions, {} games (white {white}, draw {draws}, black {black}), {rate:.0} positions/s",
            self.positions, self.wanted, self.games,
        ));
    }
}
