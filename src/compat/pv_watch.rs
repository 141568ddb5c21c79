//! Listens to every search and reports lines of play that are wrong, on a thread of its own, so that no clock is charged for it.

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::chess::{Color, GameLine, MoveStyle, Position};
use crate::compat::console::LineHandle;
use crate::compat::dialogue_log::ProgramLog;
use crate::compat::invocation::{Invocation, LogLevel};
use crate::compat::pv_check::{ReportedLine, ReportedScore, examine, last_line};
use crate::player::{DialogueListener, LineSender, TappedLine};
use crate::run::StopHandle;

/// Longest text of one search that is kept; of a longer one only the end is examined.
const MAX_SEARCH_BYTES: usize = 1 << 16;
/// Searches that may wait. An engine that reports faster than it can be examined has some of its searches left out.
const MAX_WAITING: usize = 4096;
/// Searches are examined in batches, because waking a thread takes longer than an instant engine needs for a move: once
/// this many wait,
const BATCH: usize = 256;
/// or after this time.
const BATCH_TIME: Duration = Duration::from_millis(50);
/// Games and announced mates that are remembered.
const MAX_REMEMBERED: usize = 4096;
const SHARDS: usize = 16;

/// The listener. It collects what belongs to a search; a thread of its own examines the search once it has ended.
pub(super) struct PvWatch {
    searches: [Mutex<HashMap<u64, Search>>; SHARDS],
    ended: Arc<EndedSearches>,
}

impl Drop for PvWatch {
    fn drop(&mut self) {
        self.ended.change(|batch| batch.is_last = true);
    }
}

/// The searches that wait for their examination.
#[derive(Default)]
struct EndedSearches {
    waiting: Mutex<Batch>,
    changed: Condvar,
}

#[derive(Default)]
struct Batch {
    searches: Vec<Search>,
    /// Dropped when everything before has been examined.
    settled: Vec<Sender<()>>,
    /// No search follows, or none is examined any more.
    is_last: bool,
}

/// Releases those who wait for the examiner, also if it panics.
struct EndOfExaminer<'a>(&'a EndedSearches);

impl Drop for EndOfExaminer<'_> {
    fn drop(&mut self) {
        self.0.change(|batch| *batch = Batch { is_last: true, ..Batch::default() });
    }
}

impl EndedSearches {
    /// Adds a search. Where too many wait, it is left out.
    fn add(&self, search: Search) {
        let mut batch = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if batch.searches.len() < MAX_WAITING {
            batch.searches.push(search);
        }
        if batch.searches.len() == BATCH {
            self.changed.notify_one();
        }
    }

    fn change(&self, change: impl FnOnce(&mut Batch)) {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Waits for a full batch, for a batch that must not wait, or until searches have waited long enough.
    fn take(&self) -> Batch {
        let batch = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waits =
            |batch: &mut Batch| batch.searches.len() < BATCH && batch.settled.is_empty() && !batch.is_last;
        let waited = self.changed.wait_timeout_while(batch, BATCH_TIME, waits);
        let (mut batch, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_last = batch.is_last;
        std::mem::replace(&mut *batch, Batch { is_last, ..Batch::default() })
    }
}

/// The lines of one search.
#[derive(Clone, Debug, Default)]
struct Search {
    process: u64,
    engine: String,
    position: String,
    begun: Option<Instant>,
    /// Number of lines of the engine.
    lines: u64,
    /// Lines with a score, each with its end.
    scored: String,
    best: String,
    elapsed_ms: i64,
}

impl PvWatch {
    /// Starts to watch the engines of a command.
    pub(super) fn new(
        command: &Invocation,
        out: LineHandle,
        log: Option<ProgramLog>,
        stop: StopHandle,
    ) -> Self {
        let ended = Arc::new(EndedSearches::default());
        let examiner = Examiner {
            style: if command.chess960 { MoveStyle::Chess960 } else { MoveStyle::Standard },
            mates: command.check_mate_lines,
            separator: if command.one_line_warnings { " :: " } else { "\n" },
            latency: log.clone().filter(|_| command.show_latency),
            strict: command.strict.then_some(stop),
            out,
            log,
            games: HashMap::new(),
            announced: HashMap::new(),
        };
        let waiting = Arc::clone(&ended);
        let examining = move || examiner.run(&waiting);
        thread::Builder::new().name("pv check".to_owned()).spawn(examining).expect("failed to spawn thread");
        Self { searches: Default::default(), ended }
    }

    /// Waits until every search so far has been examined.
    pub(super) fn settle(&self) {
        let (done, settled) = channel();
        self.ended.change(|batch| {
            if !batch.is_last {
                batch.settled.push(done);
            }
        });
        // Nothing is sent: the other end is dropped once everything has been examined.
        let _ = settled.recv();
    }
}

impl DialogueListener for PvWatch {
    fn line(&self, line: &TappedLine<'_>) {
        let TappedLine { engine, process, sender, line } = *line;
        let shard = &self.searches[process as usize % SHARDS];
        let mut searches = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if sender == LineSender::Harness {
            if line.starts_with(b"position ") {
                let search = searches.entry(process).or_default();
                search.position = String::from_utf8_lossy(line).into_owned();
            } else if line.starts_with(b"go") {
                let search = searches.entry(process).or_default();
                (search.begun, search.lines) = (Some(Instant::now()), 0);
                search.scored.clear();
            } else if line == b"quit" {
                searches.remove(&process);
            }
            return;
        }
        let Some(search) = searches.get_mut(&process) else { return };
        let Some(begun) = search.begun else { return };
        search.lines += 1;
        if line.starts_with(b"bestmove") {
            search.elapsed_ms = begun.elapsed().as_millis() as i64;
            let mut ended = std::mem::take(search);
            drop(searches);
            ended.process = process;
            engine.clone_into(&mut ended.engine);
            ended.best = String::from_utf8_lossy(line).split(' ').nth(1).unwrap_or_default().to_owned();
            self.ended.add(ended);
        } else if line.starts_with(b"info") && !line.starts_with(b"info string") && has_score(line) {
            if search.scored.len() + line.len() > MAX_SEARCH_BYTES {
                search.scored.clear();
            }
            search.scored.push_str(&String::from_utf8_lossy(line));
            search.scored.push('\n');
        }
    }
}

fn has_score(line: &[u8]) -> bool {
    line.windows(b" score ".len()).any(|part| part == b" score ")
}

/// A mate that an engine announced, for comparison with what its opponent announces.
struct Announced {
    engine: String,
    moves: i64,
    line: String,
}

/// The thread that examines searches.
struct Examiner {
    style: MoveStyle,
    mates: bool,
    /// Between a warning and its evidence.
    separator: &'static str,
    /// Where latencies are written.
    latency: Option<ProgramLog>,
    /// Stopped by the first warning.
    strict: Option<StopHandle>,
    out: LineHandle,
    log: Option<ProgramLog>,
    /// The games of processes, with the commands that described them.
    games: HashMap<u64, (String, GameLine)>,
    /// By the position that followed.
    announced: HashMap<String, Announced>,
}

impl Examiner {
    fn run(mut self, ended: &EndedSearches) {
        let _end = EndOfExaminer(ended);
        loop {
            let batch = ended.take();
            batch.searches.iter().for_each(|search| self.examine(search));
            drop(batch.settled);
            if batch.is_last {
                return;
            }
        }
    }

    fn examine(&mut self, search: &Search) {
        let lines: Vec<&str> = search.scored.lines().collect();
        let last = last_line(&lines);
        let reported = last.map(ReportedLine::read);
        if let Some(log) = &self.latency {
            let time = lines.iter().rev().find_map(|line| ReportedLine::read(line).time_ms).unwrap_or(0);
            let (name, elapsed) = (&search.engine, search.elapsed_ms);
            let latency = elapsed - time;
            log.note(
                LogLevel::Info,
                &format!("Engine {name} latency: {latency}ms (elapsed: {elapsed}, reported: {time})"),
            );
        }
        if search.lines > 1 {
            match reported.as_ref().and_then(|reported| reported.score.as_ref()) {
                None => self
                    .warn(&format!("No info line available to extract score from engine {}", search.engine)),
                Some(Err(why)) => {
                    self.warn(&format!("Could not extract score from engine {}: {why}", search.engine));
                }
                Some(Ok(_)) => {}
            }
        }
        let Some(mut game) = self.game(search) else { return };
        for remark in examine(&mut game, self.style, &lines, &search.best, self.mates) {
            let evidence = format!("Info; {}", remark.line);
            self.warn_with(&format!("{} from {}", remark.text, search.engine), &evidence, &search.position);
        }
        if let Some(Some(Ok(ReportedScore::Mate(moves)))) = reported.map(|reported| reported.score) {
            self.compare_mates(search, moves, last.unwrap_or_default(), game.current().turn());
        }
        self.games.insert(search.process, (search.position.clone(), game));
    }

    /// Returns the game of a search, from the one that its process had before if it continues that.
    fn game(&mut self, search: &Search) -> Option<GameLine> {
        if self.games.len() > MAX_REMEMBERED {
            self.games.clear();
        }
        let known = self.games.remove(&search.process);
        let continued = known.and_then(|(text, game)| Some((search.position.strip_prefix(&text)?, game)));
        let (moves, mut game) = match continued {
            Some(known) => known,
            None => begin(&search.position)?,
        };
        for text in moves.split(' ').filter(|word| !word.is_empty() && *word != "moves") {
            let mv = game.current().parse_coordinate(text, self.style).ok()?;
            game.push(mv);
        }
        Some(game)
    }

    /// Warns if both engines announce that they mate, or that they are mated.
    fn compare_mates(&mut self, search: &Search, moves: i64, line: &str, turn: Color) {
        if let Some(theirs) = self.announced.remove(&search.position)
            && theirs.engine != search.engine
            && theirs.moves.signum() * moves.signum() > 0
        {
            let text = format!(
                "Sign mismatch in mate scores {} and {moves} from {} ({}) and {} ({})",
                theirs.moves,
                theirs.engine,
                color_name(!turn),
                search.engine,
                color_name(turn)
            );
            self.warn_with(&text, &format!("Infos; {} ; {line}", theirs.line), &search.position);
        }
        if self.announced.len() > MAX_REMEMBERED {
            self.announced.clear();
        }
        let joint = if search.position.contains(" moves ") { " " } else { " moves " };
        let next = format!("{}{joint}{}", search.position, search.best);
        let announced = Announced { engine: search.engine.clone(), moves, line: line.to_owned() };
        self.announced.insert(next, announced);
    }

    fn warn_with(&self, text: &str, evidence: &str, position: &str) {
        let position = position.strip_prefix("position ").unwrap_or(position);
        let (start, moves) = position.split_once(" moves ").unwrap_or((position, ""));
        let separator = self.separator;
        self.warn(&format!(
            "{text}{separator}{evidence}{separator}Position; {start}{separator}Moves; {moves}"
        ));
    }

    fn warn(&self, text: &str) {
        self.out.put(&format!("Warning; {text}\n"));
        if let Some(log) = &self.log {
            log.note(LogLevel::Warning, &format!("Warning; {text}"));
        }
        if let Some(stop) = &self.strict {
            stop.stop();
        }
    }
}

fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Returns the start of the game that a `position` command describes, and the rest of the command.
fn begin(command: &str) -> Option<(&str, GameLine)> {
    let text = command.strip_prefix("position ")?;
    if let Some(rest) = text.strip_prefix("startpos") {
        return Some((rest, GameLine::new(Position::startpos())));
    }
    let text = text.strip_prefix("fen ")?;
    let (fen, rest) = match text.find(" moves ") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    Some((rest, GameLine::new(Position::from_fen(fen).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compat::console::LineWriter;
    use crate::compat::surface::Surface;
    use std::io::Read;

    /// Passes lines to a watch, `>` to an engine and `<` from it, and returns what it prints.
    fn printed(command: &Invocation, dialogue: &[(&str, &str)]) -> String {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let out = LineWriter::new(writer, StopHandle::default());
        let watch = PvWatch::new(command, out.handle(), None, StopHandle::default());
        for (engine, text) in dialogue {
            let (sender, text) = match text.split_at(2) {
                ("> ", text) => (LineSender::Harness, text),
                (_, text) => (LineSender::Engine, text),
            };
            let process = u64::from(*engine == "base");
            watch.line(&TappedLine { engine, process, sender, line: text.as_bytes() });
        }
        watch.settle();
        drop(out);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_wrong_line_is_printed_with_its_evidence() {
        let dialogue = [
            ("new", "> position startpos"),
            ("new", "> go nodes 5"),
            ("new", "< info string score nothing"),
            ("new", "< info depth 1 score cp 3 pv e2e4 e2e4"),
            ("new", "< bestmove e2e4"),
            ("new", "> position startpos moves e2e4 e7e5"),
            ("new", "> go nodes 5"),
            ("new", "< info depth 1 score cp 3 pv g1f3"),
            ("new", "< bestmove d2d4"),
        ];
        let mut command = Invocation::new(Surface::Fastchess);
        let apart = printed(&command, &dialogue);
        assert_eq!(
            apart,
            "Warning; Illegal PV move - move e2e4 from new\nInfo; info depth 1 score cp 3 pv e2e4 e2e4\n\
             Position; startpos\nMoves; \n\
             Warning; Bestmove does not match beginning of last PV - move d2d4 from new\n\
             Info; info depth 1 score cp 3 pv g1f3\nPosition; startpos\nMoves; e2e4 e7e5\n"
        );
        command.one_line_warnings = true;
        assert_eq!(printed(&command, &dialogue).lines().count(), 2);
        assert!(printed(&command, &dialogue).contains(" from new :: Info; info depth 1 "));
    }

    #[test]
    fn engines_that_both_announce_mate_contradict_each_other() {
        let fen = "fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
        let dialogue = |mate: &str| {
            let first = format!("> position {fen}");
            let second = format!("> position {fen} moves a2a7");
            let score = format!("< info depth 2 score mate {mate} pv h8g8");
            printed(
                &Invocation::new(Surface::Fastchess),
                &[
                    ("new", first.as_str()),
                    ("new", "> go depth 2"),
                    ("new", "< info depth 2 score mate 2 pv a2a7"),
                    ("new", "< bestmove a2a7"),
                    ("base", second.as_str()),
                    ("base", "> go depth 2"),
                    ("base", score.as_str()),
                    ("base", "< bestmove h8g8"),
                ],
            )
        };
        assert_eq!(dialogue("-1"), "");
        assert!(
            dialogue("1").starts_with(
                "Warning; Sign mismatch in mate scores 2 and 1 from new (White) and base (Black)\n\
                 Infos; info depth 2 score mate 2 pv a2a7 ; info depth 2 score mate 1 pv h8g8\n"
            ),
            "{}",
            dialogue("1")
        );
    }

    #[test]
    fn an_engine_that_reports_no_score_is_named_unless_it_reports_nothing() {
        let search = |line: &str| {
            let line = format!("< {line}");
            let dialogue = [
                ("new", "> position startpos"),
                ("new", "> go nodes 5"),
                ("new", line.as_str()),
                ("new", "< bestmove e2e4"),
            ];
            printed(&Invocation::new(Surface::Fastchess), &dialogue)
        };
        let none = "Warning; No info line available to extract score from engine new\n";
        assert_eq!(search("info depth 3 nodes 4"), none);
        assert_eq!(
            search("info depth 3 score cp many"),
            "Warning; Could not extract score from engine new: Invalid score value: many\n"
        );
        assert_eq!(search("info depth 3 score cp 4"), "");
    }
}
