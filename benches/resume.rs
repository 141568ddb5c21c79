//! How long a run of a million games takes to go on: from `playself resume` to the first new record in its journal.
//!
//! The journal is made by the program's own writer, the other files by its own reports, from random legal games with
//! scores, depths and node counts. The bar: five seconds, with every byte of the journal checked.
#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use playself::chess::{MoveStyle, Position};
use playself::game::{
    Ending, EngineIndex, GameOfPair, GameRecord, GameResult, MoveSource, PlyRecord, Termination,
};
use playself::journal::{Entry, FORMAT, GameEntry, Journal, LockedFile, Storage, Urgency};
use playself::opening::Variant;
use playself::player::{MoveText, Score};
use playself::report::DerivedFiles;
use playself::run::{Effect, Observer, Plan, RunEvent, RunState, RunView, plan_from_toml};
use playself::store::{RunFolder, sha256_of};

/// The longest that a million games may take.
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
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("resume-{pairs}"));
    let folder = RunFolder::open(&place).unwrap_or_else(|_| make(&place, pairs));
    let journal = folder.journal();
    let length = fs::metadata(&journal).expect("there is a journal").len();
    println!("{} games, journal of {} MB, {} bytes a game", 2 * pairs, length >> 20, length / (2 * pairs));
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| resume(&folder, length)).collect();
    times.sort_unstable();
    println!("resumed in {:.2} s (median of {ROUNDS}: {times:.2?})", times[ROUNDS / 2].as_secs_f64());
    let bar = BAR.mul_f64((2 * pairs) as f64 / 1e6);
    assert!(pairs < 50_000 || times[ROUNDS / 2] < bar, "slower than {bar:?}");
}

/// From the start of the program to the first record it adds; then it is killed and the journal cut back.
fn resume(folder: &RunFolder, length: u64) -> Duration {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_playself"))
        .arg("resume")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program can be started");
    while fs::metadata(folder.journal()).expect("there is a journal").len() == length {
        assert!(begun.elapsed() < Duration::from_secs(300), "it does not go on");
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended at once");
        std::thread::sleep(Duration::from_millis(2));
    }
    let taken = begun.elapsed();
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let file = fs::OpenOptions::new().write(true).open(folder.journal()).expect("there is a journal");
    file.set_len(length).expect("it can be cut");
    taken
}

/// The run as it would be after so many pairs of its plan, with a few still to play.
fn make(place: &Path, pairs: u64) -> RunFolder {
    let begun = Instant::now();
    let plan_text = planned(place, pairs + 100);
    let plan = plan_from_toml(&plan_text).expect("the program wrote it");
    let folder = RunFolder::open(place).expect("the program made it");
    fs::remove_file(folder.journal()).expect("the first journal goes");
    let mut projections = DerivedFiles::create(&folder).expect("files can be written");
    let file = LockedFile::open(&folder.journal()).expect("nobody else has it");
    let journal = Journal::start(Unsynced(file), 0, Box::new(|group| assert!(group.is_ok())));
    let append = |entry: Entry| journal.append(entry, Urgency::Grouped).expect("the disk has room");
    let plan_hash = sha256_of(plan_text.as_bytes());
    append(Entry::Run {
        format: FORMAT,
        program: "bench".to_owned(),
        plan: plan_hash,
        plan_text: String::new(),
    });
    append(Entry::Session);
    let games: Vec<Vec<PlyRecord>> = (0..TEMPLATES).map(random_game).collect();
    let mut state = RunState::new(&plan);
    for pair in 0..pairs {
        append(Entry::PairStarted { pair, attempt: 0 });
        for game in GameOfPair::BOTH {
            let entry = Entry::Game(Box::new(game_entry(pair, game, &games)));
            append(entry.clone());
            tell(&mut projections, &plan, &mut state, entry);
        }
    }
    journal.close();
    println!("made in {:.0} s", begun.elapsed().as_secs_f64());
    assert_eq!((state.counted(), state.decision()), (pairs, None));
    folder
}

fn tell(projections: &mut DerivedFiles, plan: &Plan, state: &mut RunState, entry: Entry) {
    for effect in state.commit(entry) {
        if let Effect::Counted(pair) = effect {
            let view = RunView { plan, state, seconds: 1.0 };
            projections.observe(&RunEvent::Counted(pair), &view).expect("the disk has room");
        }
    }
}

/// Has the program plan the run and begin it; the text of its plan.
fn planned(place: &Path, pairs: u64) -> String {
    let _ = fs::remove_dir_all(place);
    // A copy: the run outlives many builds, and would refuse to go on with another engine.
    let engine = place.with_extension("engine");
    fs::copy(env!("CARGO_BIN_EXE_fake-engine"), &engine).expect("the folder can be written");
    let config = place.with_extension("toml");
    let engine = engine.display();
    let text = format!(
        "name = \"resume\"\nseed = 1\n[candidate]\nengine = \"{engine}\"\nname = \"new\"\n[baseline]\n\
         engine = \"{engine}\"\nname = \"old\"\n[games]\nnodes = 1000\nmax_pairs = {pairs}\n\
         [sprt]\nelo = [-1.0, 1.0]\n"
    );
    fs::write(&config, text).expect("the folder can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_playself"))
        .arg("match")
        .arg(&config)
        .arg("--run-dir")
        .arg(place)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program can be started");
    while !fs::read(place.join("journal.ndjson")).is_ok_and(|journal| journal.len() > 500) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    fs::read_to_string(place.join("plan.toml")).expect("the program wrote it")
}

/// Wins and losses in turn, so that a test around zero stays open for ever.
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

/// A game of random legal moves with what an engine says about them.
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
        });
        position = position.play(mv);
    }
    moves
}

/// A file that is not made durable: this run is nobody's.
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
}
