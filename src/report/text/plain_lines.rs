//! The events of a run as plain lines, for files, pipes and wrappers.

use std::io::{self, Write};

use crate::game::{EngineIndex, GameId};
use crate::journal::GameEntry;
use crate::report::Summary;
use crate::report::number_text::duration;
use crate::report::text::score_block::{decision_line, fault_lines, score_block};
use crate::report::text::termination_text::reason_text;
use crate::run::{Observer, RunEvent, RunOutcome, RunView, fault_file_name};

/// Number of pairs between two result blocks.
const BLOCK_EVERY: u64 = 10;
/// Number of pairs between two result blocks of a tuning run, whose weights change slowly.
const TUNING_BLOCK_EVERY: u64 = 100;

/// Prints plain lines in the words that wrappers of other match runners expect.
pub struct PlainLines<W> {
    out: W,
    /// Lines of games that have begun before an earlier one was reported as finished.
    begun: Vec<String>,
    /// Games that are reported as begun and not as finished.
    open: usize,
    /// For how many looks at the boards lines have waited without any game being finished.
    held: u32,
}

/// Looks at the boards after which lines are printed that wait for a game to be finished: that game is void. A game that
/// has ended is reported sooner, unless its disk is very slow.
const MOST_HELD: u32 = 3;

impl<W: Write + Send> PlainLines<W> {
    /// Returns an observer that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, begun: Vec::new(), open: 0, held: 0 }
    }

    /// Prints the lines of games that have begun, as many as can be in play.
    fn print_begun(&mut self, places: usize) -> io::Result<()> {
        let count = self.begun.len().min(places.saturating_sub(self.open));
        for line in self.begun.drain(..count) {
            writeln!(self.out, "{line}")?;
        }
        self.open += count;
        Ok(())
    }
}

impl<W: Write + Send> Observer for PlainLines<W> {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started => return Ok(()),
            RunEvent::Fault(bundle) => {
                let game = GameId { pair: bundle.pair, game: bundle.game };
                let file = fault_file_name(game, bundle.attempt);
                let (name, what) = (&bundle.engine_name, bundle.what_happened());
                writeln!(self.out, "Fault in game {game}: {name} {what}; the dialogue is in faults/{file}")?;
            }
            // A game whose predecessor was void must not wait for its result for ever.
            RunEvent::Boards(games) => {
                self.held = if self.begun.is_empty() { 0 } else { self.held + 1 };
                if self.held > MOST_HELD {
                    self.print_begun(usize::MAX)?;
                    self.open = games.len();
                }
            }
            RunEvent::GameStarted { pair, game, white, black } => {
                let number = view.plan.game_number(*pair, *game);
                let of = view.plan.last_game().map_or(String::new(), |games| format!(" of {games}"));
                let (white, black) = (view.plan.name_of(*white), view.plan.name_of(*black));
                // The next game begins before the result of the last one is on disk; it is printed after it.
                self.begun.push(format!("Started game {number}{of} ({white} vs {black})"));
                self.print_begun(view.plan.concurrency)?;
            }
            RunEvent::GameFinished(game) => {
                writeln!(self.out, "{}", finished_line(game, view))?;
                self.open = self.open.saturating_sub(1);
                self.held = 0;
                self.print_begun(view.plan.concurrency)?;
            }
            RunEvent::Counted(pair) => {
                let last = view.plan.last_pair() == Some(pair.pair + 1);
                let every = if view.plan.is_tuning() { TUNING_BLOCK_EVERY } else { BLOCK_EVERY };
                if (pair.pair + 1).is_multiple_of(every) && !last {
                    write!(self.out, "{}", score_block(view))?;
                }
            }
            RunEvent::Warning(text) => writeln!(self.out, "Warning: {text}")?,
            RunEvent::Finished(outcome) => write!(self.out, "{}", closing_text(outcome, view))?,
        }
        self.out.flush()
    }
}

/// Returns the line of a finished game: `Finished game 1 (new vs base): 1-0 {White mates}`.
pub fn finished_line(game: &GameEntry, view: &RunView<'_>) -> String {
    format!(
        "Finished game {} ({} vs {}): {} {{{}}}",
        view.plan.game_number(game.pair, game.game),
        view.plan.name_of(game.white),
        view.plan.name_of(game.black),
        game.ending.result,
        reason_text(&game.ending)
    )
}

/// Returns the line that stands for output that was dropped because it was not read.
pub fn lost_lines_text(lines: u64) -> String {
    format!("Warning: {lines} lines of output were dropped here, because they were not read")
}

/// Returns the current result of a run that is being played.
pub fn interim_text(view: &RunView<'_>) -> String {
    result_text(view, "The run is being played.\n")
}

/// Returns the final result of a run and the reason of its end.
pub fn closing_text(outcome: &RunOutcome, view: &RunView<'_>) -> String {
    let fault = match outcome {
        RunOutcome::Faulty(why) => format!("A fault stopped the run: {why}\n"),
        RunOutcome::Quarantined(who) => {
            format!("Finished match, without the rest of the games of engines in quarantine: {who}\n")
        }
        _ => String::new(),
    };
    let ending = match outcome {
        RunOutcome::Finished if view.plan.is_tuning() => "Finished tuning\n",
        RunOutcome::Finished | RunOutcome::Decided(_) => "Finished match\n",
        RunOutcome::Undecided => "Finished match: the test is undecided at its last pair\n",
        RunOutcome::Interrupted => "The run was interrupted.\n",
        RunOutcome::Quarantined(_) | RunOutcome::Faulty(_) => &fault,
    };
    result_text(view, ending)
}

fn result_text(view: &RunView<'_>, ending: &str) -> String {
    let mut text = score_block(view);
    if let Some(line) = decision_line(view) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&fault_lines(view));
    for warning in noise_warnings(view) {
        text.push_str(&format!("Warning: {warning}\n"));
    }
    text.push_str(ending);
    text.push_str(&format!("Total Time: {:0>8} (hours:minutes:seconds)\n", duration(view.seconds.floor())));
    text
}

/// Returns warnings about a run with too many faults or void pairs. They do not change the result.
fn noise_warnings(view: &RunView<'_>) -> Vec<String> {
    let summary = Summary::of(view);
    let mut warnings = Vec::new();
    // The faults are those of all engines, so all games are counted.
    let games = view.state.standings().games();
    // One fault in a few games may be chance; three in fewer than a hundred are not.
    if (games >= 100 || summary.faults >= 3) && summary.faults * 200 > games {
        // A lower concurrency helps against time losses, not against crashes.
        let standings = view.state.standings();
        let late =
            (0..view.plan.engines.len() as u16).any(|at| standings.faults_of(EngineIndex(at)).timeouts > 0);
        let remedy = if late && view.plan.concurrency > 1 { "; play again at lower concurrency" } else { "" };
        warnings.push(format!("noisy run: {} of {games} games were lost by faults{remedy}", summary.faults));
    }
    if games >= 200 && summary.voids * 200 > games {
        let cause = if summary.workers.is_empty() { " because of the host" } else { "" };
        warnings.push(format!("noisy run: {} pairs were void{cause}", summary.voids));
    }
    warnings.extend(summary.starvation().map(|text| format!("noisy run: {text}")));
    // What they played counts, so a person has to judge it.
    let excluded = summary.workers.iter().filter(|worker| worker.quarantined.is_some());
    let doubtful: u64 = excluded.map(|worker| worker.pairs).sum();
    if doubtful * 200 > games {
        warnings.push(format!(
            "noisy run: {doubtful} of {} pairs were played by workers that were excluded later",
            games / 2
        ));
    }
    warnings
}
