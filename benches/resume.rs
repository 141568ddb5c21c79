//! Time to resume a run of a million games: from the start of `playself resume` to the first new journal entry.
//!
//! The journal and the derived files are written by the crate itself, from random legal games with scores, depths and node
//! counts. The bar: five seconds, including the check of every byte of the journal.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use playself::chess::{MoveStyle, Position};
use playself::game::PairPart;
use playself::game::{
    Ending, EngineIndex, GameOfPair, GameRecord, GameResult, MoveSource, PlyRecord, Termination,
};
use playself::journal::{Entry, FORMAT, GameEntry, Journal, LockedFile, Storage, Urgency};
use playself::opening::Variant;
use playself::player::{MoveText, Score};
use playself::report::DerivedFiles;
use playself::run::{Effect, Observer, Plan, RunEvent, RunState, RunView, plan_from_toml};
use playself::store::{RunFolder, sha256_of};

/// Maximum time for a million games.
const BAR: Duration = Duration::from_secs(5);
const PLIES: usize = 80;
const TEMPLATES: u64 = 64;
const ROUNDS: usize = 3;

fn main() {
    let number = |name: &str| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
        arguments.next().and_then(|text| text.parse::<u64>().ok())
    };
    let pairs = number("--pairs").unwrap_or(500_000);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("resume-{pairs}"));
    let folder = RunFolder::open(&path).unwrap_or_else(|_| create_run(&path, pairs));
    let journal = folder.journal();
    let length = fs::metadata(&journal).expect("there is a journal").len();
    println!("{} games, journal of {} MB, {} bytes per game", 2 * pairs, length >> 20, length / (2 * pairs));
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| resume(&folder, length)).collect();
    times.sort_unstable();
    println!("resumed in {:.2} s (median of {ROUNDS}: {times:.2?})", times[ROUNDS / 2].as_secs_f64());
    let bar = BAR.mul_f64((2 * pairs) as f64 / 1e6);
    assert!(pairs < 50_000 || times[ROUNDS / 2] < bar, "slower than {bar:?}");
}

/// Returns the time from the start of the program to the first entry that it adds. Then kills the program and truncates
/// the journal to its former length.
fn resume(folder: &RunFolder, length: u64) -> Duration {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_playself"))
        .arg("resume")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program can be started");
    while fs::metadata(folder.journal()).expect("there is a journal").len() == length {
        assert!(started.elapsed() < Duration::from_secs(300), "the run does not resume");
        assert!(child.try_wait().expect("the process can be polled").is_none(), "the program has ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    let elapsed = started.elapsed();
    child.kill().expect("the program can be killed");
    child.wait().expect("the program ends");
    let file = fs::OpenOptions::new().write(true).open(folder.journal()).expect("there is a journal");
    file.set_len(length).expect("the journal can be truncated");
    elapsed
}

/// Creates the folder of a run after `pairs` pairs, with a hundred still to play.
fn create_run(path: &Path, pairs: u64) -> RunFolder {
    let started = Instant::now();
    let plan_text = start_run(path, pairs + 100);
    let plan = plan_from_toml(&plan_text).expect("the program wrote a valid plan");
    let folder = RunFolder::open(path).expect("the program created the folder");
    fs::remove_file(folder.journal()).expect("the first journal can be removed");
    let mut derived_files = DerivedFiles::create(&folder).expect("files can be written");
    let file = LockedFile::open(&folder.journal()).expect("no other process holds the lock");
    let journal =
        Journal::start(Unsynced(file), 0, Box::new(|group| assert!(group.is_ok()))).expect("a thread");
    let append = |entry: Entry| journal.append(entry, Urgency::Grouped).expect("the disk has room");
    let plan_hash = sha256_of(plan_text.as_bytes());
    append(Entry::Run {
        format: FORMAT,
        program: "bench".to_owned(),
        plan: plan_hash,
        plan_text: String::new(),
    });
    append(Entry::Session { host: None, fleet: None });
    let games: Vec<Vec<PlyRecord>> = (0..TEMPLATES).map(random_game).collect();
    let mut state = RunState::new(&plan);
    for pair in 0..pairs {
        append(Entry::PairStarted { pair, attempt: 0, part: PairPart::Both });
        for game in GameOfPair::BOTH {
            let entry = Entry::Game(Box::new(game_entry(pair, game, &games)));
            append(entry.clone());
            update_files(&mut derived_files, &plan, &mut state, entry);
        }
    }
    journal.close();
    println!("created in {:.0} s", started.elapsed().as_secs_f64());
    assert_eq!((state.counted(), state.decision()), (pairs, None));
    folder
}

fn update_files(derived_files: &mut DerivedFiles, plan: &Plan, state: &mut RunState, entry: Entry) {
    for effect in state.commit(entry) {
        if let Effect::Counted(pair) = effect {
            let view = RunView { plan, state, seconds: 1.0 };
            derived_files.observe(&RunEvent::Counted(pair), &view).expect("the disk has room");
        }
    }
}

/// Starts the run with the program and kills it; returns the text of its plan.
fn start_run(path: &Path, pairs: u64) -> String {
    let _ = fs::remove_dir_all(path);
    // A copy: the run is kept for later builds, and refuses to resume with a changed engine.
    let engine = path.with_extension("engine");
    fs::copy(env!("CARGO_BIN_EXE_fake-engine"), &engine).expect("the folder can be written");
    let config = path.with_extension("toml");
    let engine = engine.display();
    // The games of the few templates repeat, and repeated pairs count only if the plan states so.
    let text = format!(
        "name = \"resume\"\nseed = 1\n[candidate]\nengine = \"{engine}\"\nname = \"new\"\n[baseline]\n\
         engine = \"{engine}\"\nname = \"old\"\n[games]\nnodes = 1000\nmax_pairs = {pairs}\nafter_book = \"count\"\n\
         [sprt]\nelo = [-1.0, 1.0]\n"
    );
    fs::write(&config, text).expect("the folder can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_playself"))
        .arg("match")
        .arg(&config)
        .arg("--run-dir")
        .arg(path)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program can be started");
    while !fs::read(path.join("journal.ndjson")).is_ok_and(|journal| journal.len() > 500) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("the program can be killed");
    child.wait().expect("the program ends");
    fs::read_to_string(path.join("plan.toml")).expect("the program wrote the plan")
}

/// Returns the entry of a game; wins and losses alternate, so that a test around 0 is never decided.
fn game_entry(pair: u64, game: GameOfPair, games: &[Vec<PlyRecord>]) -> GameEntry {
    let candidate_is_white = game == GameOfPair::First;
    let (white, black) =
        if candidate_is_white { (EngineIndex(0), EngineIndex(1)) } else { (EngineIndex(1), EngineIndex(0)) };
    let candidate_wins = pair.is_multiple_of(2);
    let result =
        if candidate_wins == candidate_is_white { GameResult::WhiteWins } else { GameResult::BlackWins };
    let record = GameRecord {
        white,
        black,
        opening: 0,
        start_fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
        variant: Variant::Standard,
        moves: games[((2 * pair + u64::from(game.number())) % TEMPLATES) as usize].clone(),
        ending: Ending { result, termination: Termination::AdjudicatedWin },
        started_unix_ms: 1_700_000_000_000 + pair,
        duration_ms: 900,
        warnings: Vec::new(),
    };
    GameEntry::pack(pair, 0, game, &record)
}

/// Returns a game of random legal moves with random scores, depths and node counts.
fn random_game(seed: u64) -> Vec<PlyRecord> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut position = Position::startpos();
    let mut moves = Vec::with_capacity(PLIES);
    while moves.len() < PLIES {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[(next() % legal.len() as u64) as usize];
        let text = position.coordinate(mv, MoveStyle::Standard);
        moves.push(PlyRecord {
            mv: MoveText::new(&text).expect("a move has four or five letters"),
            source: MoveSource::Engine,
            time_us: 500 + next() % 20_000,
            clock_left_us: None,
            score: Some(Score::Cp((next() % 300) as i32 - 150)),
            depth: Some(6 + (next() % 6) as u16),
            seldepth: Some(12 + (next() % 8) as u16),
            nodes: Some(500 + next() % 1000),
            extra: None,
        });
        position = position.play(mv);
    }
    moves
}

/// A file without sync: the benchmark does not need a durable journal while it is created.
struct Unsynced(LockedFile);

impl Storage for Unsynced {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }

    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }
}
