//! What a hundred watchers cost a game: one run of instant engines, looked at by nobody and by a hundred in turn.
//!
//! The bar: the threads that play games need at most a tenth more processor time for a ply. Rates are told as well, but
//! on a machine with few processors they measure the hundred programs that watch, which share it here and nowhere else.
#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use playself::game::TimeControl;
use playself::journal::GameEntry;

/// The most that watchers may add to the processor time of a ply.
const BAR: f64 = 0.1;
const WATCHERS: usize = 100;
/// Of them, those who read a kilobyte a second.
const SLOW: usize = 20;
/// Blocks of each kind, taken in turn.
const BLOCKS: usize = 5;
/// A run is read on for twenty seconds after its last watcher left; a block without watchers waits for the end of that.
const LINGER: Duration = Duration::from_secs(22);

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (blocks, window) = if quick { (2, 4) } else { (BLOCKS, 8) };
    let mut run = Run::start();
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for block in 0..blocks {
        if block > 0 {
            thread::sleep(LINGER);
        }
        alone.push(run.measure(Duration::from_secs(window)));
        let watchers = Watchers::connect(run.port);
        thread::sleep(Duration::from_secs(1));
        watched.push(run.measure(Duration::from_secs(window)));
        watchers.leave();
    }
    tell(&alone, &watched);
    let cost = median(alone.iter().zip(&watched).map(|(alone, watched)| watched.game_cpu / alone.game_cpu));
    assert!(cost <= 1.0 + BAR, "watchers cost a game {:.1} % of its processor time", 100.0 * (cost - 1.0));
}

/// One figure of a block, with its name.
type Row = (&'static str, fn(&Block) -> f64);

fn tell(alone: &[Block], watched: &[Block]) {
    let rows: [Row; 6] = [
        ("plies a second", |block| block.rate),
        ("game threads, us a ply", |block| block.game_cpu),
        ("answer, median us", |block| block.answer_median),
        ("answer, 99th of 100, us", |block| block.answer_slow),
        ("page's threads, % of a processor", |block| 100.0 * block.page_share),
        ("watchers' own, % of a processor", |block| 100.0 * block.watchers_share),
    ];
    println!("{:<34} {:>10} {:>10} {:>8}", "median of blocks", "alone", WATCHERS, "ratio");
    for (name, field) in rows {
        let [before, with] = [alone, watched].map(|blocks| median(blocks.iter().map(field)));
        let ratio = median(alone.iter().zip(watched).map(|(alone, watched)| field(watched) / field(alone)));
        let ratio = if ratio.is_finite() { format!("{ratio:.3}") } else { "–".to_owned() };
        println!("{name:<34} {before:>10.2} {with:>10.2} {ratio:>8}");
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What was measured in a block.
struct Block {
    rate: f64,
    game_cpu: f64,
    answer_median: f64,
    answer_slow: f64,
    page_share: f64,
    watchers_share: f64,
}

/// A match in progress with its page.
struct Run {
    process: Child,
    port: u16,
    journal: BufReader<File>,
    _folder: tempfile::TempDir,
}

impl Run {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let config = folder.path().join("instant.toml");
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd");
        let engine = |side: &str, salt: u8| {
            let fake = env!("CARGO_BIN_EXE_fake-engine");
            format!("[{side}]\nengine = \"{fake}\"\nname = \"{side}\"\nargs = [\"--salt\", \"{salt}\"]\n")
        };
        let text = format!(
            "name = \"watched\"\nseed = 7\n{}{}[games]\ndepth = 1\nconcurrency = 1\nmax_pairs = 10000000\n\
             openings = \"{}\"\n[adjudicate]\nmax_moves = 60\n",
            engine("candidate", 1),
            engine("baseline", 2),
            book.display()
        );
        fs::write(&config, text).expect("the config can be written");
        let mut process = Command::new(env!("CARGO_BIN_EXE_playself"))
            .args(["match", "--serve=0", "--run-dir", "run", "instant.toml"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut said = BufReader::new(process.stderr.take().expect("it was piped")).lines();
        let address = said.find_map(|line| Some(line.ok()?.strip_prefix("Live page: ")?.to_owned()));
        let address = address.expect("it says where its page is");
        thread::spawn(move || said.for_each(drop));
        let port = address.split(['/', ':']).find_map(|part| part.parse().ok()).expect("the page has a port");
        let journal = folder.path().join("run/journal.ndjson");
        while !journal.exists() {
            thread::sleep(Duration::from_millis(20));
        }
        let journal =
            BufReader::with_capacity(1 << 16, File::open(journal).expect("the journal can be read"));
        Self { process, port, journal, _folder: folder }
    }

    /// Looks at the run for so long.
    fn measure(&mut self, window: Duration) -> Block {
        self.games();
        let (before, own) = (self.processor_time(), own_seconds());
        let begun = Instant::now();
        thread::sleep(window);
        let took = begun.elapsed().as_secs_f64();
        let (after, own) = (self.processor_time(), own_seconds() - own);
        let mut answers = self.games();
        assert!(answers.len() > 1000, "the run goes on");
        answers.sort_unstable();
        let plies = answers.len() as f64;
        Block {
            rate: plies / took,
            game_cpu: 1e6 * (after.games - before.games) / plies,
            answer_median: answers[answers.len() / 2] as f64,
            answer_slow: answers[answers.len() * 99 / 100] as f64,
            page_share: (after.page - before.page) / took,
            watchers_share: own / took,
        }
    }

    /// The answering times, in microseconds, of all plies that came on record since this was last asked.
    fn games(&mut self) -> Vec<u64> {
        let mut times = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.journal.read_line(&mut line).expect("the journal can be read");
            if !line.ends_with('\n') {
                // The rest of this line is still being written.
                self.journal.seek_relative(-(read as i64)).expect("what was read can be read again");
                return times;
            }
            if line.contains("\"type\":\"game\"") {
                let entry: GameEntry = serde_json::from_str(&line).expect("the record is a game");
                assert!(!entry.ending.termination.is_engine_fault(), "{}", entry.ending.termination);
                let game = entry.unpack([TimeControl::nodes(1); 2]).expect("the record can be read");
                times.extend(game.moves.iter().map(|ply| ply.time_us));
            }
        }
    }

    fn processor_time(&self) -> ProcessorTime {
        let mut time = ProcessorTime { games: 0.0, page: 0.0 };
        let tasks = fs::read_dir(PathBuf::from(format!("/proc/{}/task", self.process.id())));
        for task in tasks.expect("the run is alive").flatten() {
            let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            // Nanoseconds on a processor, as the scheduler counts them: ticks would be too coarse.
            let told = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let seconds =
                told.split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e9;
            if name.starts_with("slots-") {
                time.games += seconds;
            } else if ["live page", "watched run"].contains(&name.trim()) {
                time.page += seconds;
            }
        }
        time
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Seconds on a processor.
struct ProcessorTime {
    games: f64,
    page: f64,
}

fn own_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the kernel counts our time");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// How a watcher reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Whatever comes, at once.
    Ready,
    /// A kilobyte a second.
    Slow,
}

/// A hundred who watch.
struct Watchers {
    gone: Arc<AtomicBool>,
    messages: Vec<Arc<AtomicU64>>,
    threads: Vec<JoinHandle<()>>,
}

impl Watchers {
    fn connect(port: u16) -> Self {
        let gone = Arc::new(AtomicBool::new(false));
        let (mut messages, mut threads) = (Vec::new(), Vec::new());
        for place in 0..WATCHERS {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the page can be reached");
            let asked = write!(stream, "GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            asked.expect("the page takes requests");
            stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a limit can be set");
            let (gone, count) = (Arc::clone(&gone), Arc::new(AtomicU64::new(0)));
            messages.push(Arc::clone(&count));
            let pace = if place < SLOW { Pace::Slow } else { Pace::Ready };
            threads.push(thread::spawn(move || watch(stream, pace, &gone, &count)));
        }
        Self { gone, messages, threads }
    }

    fn leave(self) {
        self.gone.store(true, Ordering::Relaxed);
        for watcher in self.threads {
            watcher.join().expect("a watcher leaves");
        }
        for (place, count) in self.messages.iter().enumerate().skip(SLOW) {
            assert!(count.load(Ordering::Relaxed) >= 3, "watcher {place} saw the run go on");
        }
    }
}

fn watch(mut stream: TcpStream, pace: Pace, gone: &AtomicBool, messages: &AtomicU64) {
    let mut buffer = vec![0; if pace == Pace::Slow { 1 << 10 } else { 1 << 16 }];
    while !gone.load(Ordering::Relaxed) {
        let count = stream.read(&mut buffer).unwrap_or(0);
        let seen = buffer[..count].windows(6).filter(|window| window == b"data: ").count();
        messages.fetch_add(seen as u64, Ordering::Relaxed);
        if pace == Pace::Slow {
            thread::sleep(Duration::from_secs(1));
        }
    }
}
