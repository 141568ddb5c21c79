//! Cost of a hundred clients of the live page: one run of instant engines, alternately without clients and with a hundred.
//! Each does what a page in a browser does: it reads the stream of events, and asks for the game on the large board again
//! after every message.
//!
//! The bar: the threads that play games need at most 10 % more processor time per ply. Rates are printed too, but on a
//! machine with few processors they mostly measure the hundred clients, which share the machine only in this benchmark.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

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

/// Maximum increase of the processor time per ply.
const BAR: f64 = 0.1;
const WATCHERS: usize = 100;
/// Number of watchers that read only one kilobyte per second.
const SLOW: usize = 20;
/// Number of blocks with and without watchers, which alternate.
const BLOCKS: usize = 5;
/// The server reads a run for twenty seconds after its last watcher has left; a block without watchers starts after that.
const LINGER: Duration = Duration::from_secs(22);

/// Time for the watchers to receive the whole page before they are measured.
const SETTLING: Duration = Duration::from_secs(1);
/// Longest time for an answer of the server; a benchmark that hangs would not state why.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (blocks, window) = if quick { (2, 4) } else { (BLOCKS, 8) };
    let seconds = blocks as u64 * (2 * window + SETTLING.as_secs()) + (blocks as u64 - 1) * LINGER.as_secs();
    println!("{blocks} blocks of {window} s each without and with {WATCHERS} watchers take {seconds} s");
    let mut run = Run::start();
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for block in 0..blocks {
        if block > 0 {
            thread::sleep(LINGER);
        }
        alone.push(run.measure(Duration::from_secs(window)));
        let watchers = Watchers::connect(run.port);
        thread::sleep(SETTLING);
        watched.push(run.measure(Duration::from_secs(window)));
        watchers.leave();
    }
    print_table(&alone, &watched);
    let cost = median(alone.iter().zip(&watched).map(|(alone, watched)| watched.game_cpu / alone.game_cpu));
    assert!(cost <= 1.0 + BAR, "watchers add {:.1} % to the processor time per ply", 100.0 * (cost - 1.0));
}

/// A named measurement of a block.
type Row = (&'static str, fn(&Block) -> f64);

fn print_table(alone: &[Block], watched: &[Block]) {
    let rows: [Row; 6] = [
        ("plies per second", |block| block.rate),
        ("game threads, us per ply", |block| block.game_cpu),
        ("reply time, median, us", |block| block.reply_median),
        ("reply time, 99 % quantile, us", |block| block.reply_99),
        ("page threads, % of a processor", |block| 100.0 * block.page_share),
        ("watchers, % of a processor", |block| 100.0 * block.watchers_share),
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

/// The measurements of a block.
struct Block {
    rate: f64,
    game_cpu: f64,
    reply_median: f64,
    reply_99: f64,
    page_share: f64,
    watchers_share: f64,
}

/// A match in progress with a live page.
struct Run {
    process: Child,
    port: u16,
    journal: BufReader<File>,
    _folder: tempfile::TempDir,
}

impl Run {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let config = folder.path().join("instant.toml");
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd.gz");
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
        let mut lines = BufReader::new(process.stderr.take().expect("stderr is piped")).lines();
        let address = lines.find_map(|line| Some(line.ok()?.strip_prefix("Live page: ")?.to_owned()));
        let address = address.expect("the program prints the address of the live page");
        thread::spawn(move || lines.for_each(drop));
        let port = address.split(['/', ':']).find_map(|part| part.parse().ok()).expect("the page has a port");
        let journal = folder.path().join("run/journal.ndjson");
        while !journal.exists() {
            thread::sleep(Duration::from_millis(20));
        }
        let journal =
            BufReader::with_capacity(1 << 16, File::open(journal).expect("the journal can be read"));
        Self { process, port, journal, _folder: folder }
    }

    /// Measures the run for the duration `window`.
    fn measure(&mut self, window: Duration) -> Block {
        self.new_reply_times();
        let (before, own) = (self.processor_time(), own_seconds());
        let started = Instant::now();
        thread::sleep(window);
        let elapsed = started.elapsed().as_secs_f64();
        let (after, own) = (self.processor_time(), own_seconds() - own);
        let mut replies = self.new_reply_times();
        assert!(replies.len() > 1000, "the run continues");
        replies.sort_unstable();
        let plies = replies.len() as f64;
        Block {
            rate: plies / elapsed,
            game_cpu: 1e6 * (after.games - before.games) / plies,
            reply_median: replies[replies.len() / 2] as f64,
            reply_99: replies[replies.len() * 99 / 100] as f64,
            page_share: (after.page - before.page) / elapsed,
            watchers_share: own / elapsed,
        }
    }

    /// Returns the reply times, in microseconds, of all plies written to the journal since the last call.
    fn new_reply_times(&mut self) -> Vec<u64> {
        let mut times = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.journal.read_line(&mut line).expect("the journal can be read");
            if !line.ends_with('\n') {
                // The rest of this line is not written yet.
                self.journal.seek_relative(-(read as i64)).expect("the reader can seek back");
                return times;
            }
            if line.contains("\"type\":\"game\"") {
                let entry: GameEntry = serde_json::from_str(&line).expect("the entry is a game");
                assert!(!entry.ending.termination.is_engine_fault(), "{}", entry.ending.termination);
                let game = entry.unpack([TimeControl::nodes(1); 2]).expect("the entry can be unpacked");
                times.extend(game.moves.iter().map(|ply| ply.time_us));
            }
        }
    }

    fn processor_time(&self) -> ProcessorTime {
        let mut time = ProcessorTime { games: 0.0, page: 0.0 };
        let tasks = fs::read_dir(PathBuf::from(format!("/proc/{}/task", self.process.id())));
        for task in tasks.expect("the run is alive").flatten() {
            let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            // The processor time in nanoseconds, as counted by the scheduler; clock ticks are too coarse.
            let schedstat = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let seconds =
                schedstat.split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e9;
            if name.starts_with("slots-") {
                time.games += seconds;
            } else if ["live page", "page updates"].contains(&name.trim()) {
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

/// Processor time in seconds, by kind of thread.
struct ProcessorTime {
    games: f64,
    page: f64,
}

fn own_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage succeeds");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// How fast a watcher reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speed {
    /// Everything immediately.
    Fast,
    /// One kilobyte per second.
    Slow,
}

/// The connected watchers.
struct Watchers {
    stop: Arc<AtomicBool>,
    messages: Vec<Arc<AtomicU64>>,
    threads: Vec<JoinHandle<()>>,
}

impl Watchers {
    fn connect(port: u16) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (mut messages, mut threads) = (Vec::new(), Vec::new());
        for index in 0..WATCHERS {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the page can be reached");
            let sent = write!(stream, "GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            sent.expect("the server accepts requests");
            stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a timeout can be set");
            let (stop, count) = (Arc::clone(&stop), Arc::new(AtomicU64::new(0)));
            messages.push(Arc::clone(&count));
            let speed = if index < SLOW { Speed::Slow } else { Speed::Fast };
            threads.push(thread::spawn(move || watch(stream, speed, &stop, &count)));
        }
        Self { stop, messages, threads }
    }

    fn leave(self) {
        self.stop.store(true, Ordering::Relaxed);
        for watcher in self.threads {
            watcher.join().expect("a watcher does not panic");
        }
        for (index, count) in self.messages.iter().enumerate().skip(SLOW) {
            assert!(count.load(Ordering::Relaxed) >= 3, "watcher {index} received messages");
        }
    }
}

fn watch(mut stream: TcpStream, speed: Speed, stop: &AtomicBool, messages: &AtomicU64) {
    let address = stream.peer_addr().expect("the stream is connected");
    let games = TcpStream::connect(address).expect("the page can be reached");
    games.set_read_timeout(Some(ANSWER_LIMIT)).expect("a timeout can be set");
    let mut games = BufReader::new(games);
    let mut buffer = vec![0; if speed == Speed::Slow { 1 << 10 } else { 1 << 16 }];
    while !stop.load(Ordering::Relaxed) {
        let count = stream.read(&mut buffer).unwrap_or(0);
        let seen = buffer[..count].windows(6).filter(|window| window == b"data: ").count();
        messages.fetch_add(seen as u64, Ordering::Relaxed);
        if speed == Speed::Slow {
            thread::sleep(Duration::from_secs(1));
        } else if seen > 0 {
            read_game(&mut games, &address.to_string());
        }
    }
}

/// Asks for the game in the first slot, on a connection that is kept.
fn read_game(games: &mut BufReader<TcpStream>, host: &str) {
    let sent = write!(games.get_mut(), "GET /run/run/live/0 HTTP/1.1\r\nHost: {host}\r\n\r\n");
    sent.expect("the server accepts requests");
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        assert!(games.read_line(&mut line).expect("the server answers") > 0, "the server answers");
        if let Some((name, value)) =
            line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().unwrap_or_else(|_| panic!("{name}: {value}"));
        }
    }
    games.read_exact(&mut vec![0; length]).expect("the answer is complete");
}
