//! What a tuning run leaves behind: every trial, and the best values so far.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use crate::run::{Observer, Plan, RunEvent, RunView, Trace};
use crate::tuning::{Ask, Settings, Space, Trial, Tuner, TuningReport};

use crate::store::{RunFolder, write_whole};

/// Trials from one account of the whole standing to the next: it is much longer than a trial.
const STANDING_EVERY: u64 = 50;

/// How often the best values of a running run are written.
const WEIGHTS_EVERY: Duration = Duration::from_secs(10);

/// Writes `trials.csv` and `weights.toml`.
///
/// The trials are those of a tuner of its own that is asked and told the same, so nothing but the counted pairs is
/// needed to write them anew.
pub struct TuneFiles {
    folder: RunFolder,
    trials: BufWriter<File>,
    mirror: Tuner,
    asked: std::collections::VecDeque<Trial>,
    due: Instant,
}

impl TuneFiles {
    /// The files of a tuning run; `None` for any other. They are written from the first pair on.
    pub fn of(folder: &RunFolder, plan: &Plan) -> io::Result<Option<Self>> {
        let Some(tune) = &plan.tune else { return Ok(None) };
        let mut trials = BufWriter::new(File::create(folder.trials())?);
        let names: Vec<&str> =
            tune.space.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
        let called =
            |ending: &str| names.iter().map(|name| format!("{name}{ending}")).collect::<Vec<_>>().join(",");
        let [plus, minus, best, low, high] = ["_plus", "_minus", "", "_low", "_high"].map(called);
        writeln!(trials, "trial,points,{plus},{minus},{best},gain,gain_error,games_left,{low},{high}")?;
        Ok(Some(Self {
            folder: folder.clone(),
            trials,
            mirror: Tuner::new(tune.clone()),
            asked: std::collections::VecDeque::new(),
            due: Instant::now() + WEIGHTS_EVERY,
        }))
    }

    fn next_trial(&mut self) -> Option<Trial> {
        while let Ask::Play(trial) = self.mirror.ask() {
            self.asked.push_back(trial);
        }
        self.asked.pop_front()
    }

    fn write_weights(&self, tuner: &Tuner) -> io::Result<()> {
        write_whole(&self.folder.weights(), weights_toml(&tuner.plan().space, &tuner.best()).as_bytes())
    }
}

impl Observer for TuneFiles {
    fn leaves(&self) -> Trace {
        Trace::Files
    }

    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        let Some(tuner) = view.state.tuner() else { return Ok(()) };
        match event {
            // The best values so far are those it starts from; nobody has to wait for the first better ones.
            RunEvent::Started => self.write_weights(tuner),
            RunEvent::Counted(pair) => {
                if let Some(trial) = self.next_trial() {
                    let numbers = |settings: &Settings| {
                        settings.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
                    };
                    // By the tuner of our own, which learns in the order of trials whatever is in play at once.
                    self.mirror.record(trial.id, pair.score).map_err(io::Error::other)?;
                    let best = numbers(&self.mirror.best());
                    let (plus, minus) = (numbers(&trial.plus), numbers(&trial.minus));
                    let (number, points) = (trial.id.0 + 1, pair.score.points());
                    let standing = if number.is_multiple_of(STANDING_EVERY) {
                        standing_cells(&self.mirror.report())
                    } else {
                        // As many cells with nothing in them.
                        ",".repeat(2 + 2 * trial.plus.0.len())
                    };
                    writeln!(self.trials, "{number},{points},{plus},{minus},{best},{standing}")?;
                }
                if Instant::now() >= self.due {
                    self.due = Instant::now() + WEIGHTS_EVERY;
                    self.trials.flush()?;
                    self.write_weights(tuner)?;
                }
                Ok(())
            }
            RunEvent::Finished(_) => {
                self.trials.flush()?;
                self.write_weights(&tuner.finished())
            }
            _ => Ok(()),
        }
    }
}

/// Gain, games left and intervals; a cell is empty where the method cannot tell.
fn standing_cells(report: &TuningReport) -> String {
    let gain = report.gain.map_or([None; 2], |gain| [gain.elo.0, gain.error.0].map(Some));
    let bound =
        |side: usize| report.parameters.iter().map(move |weight| weight.interval.map(|ends| ends[side]));
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
    let games = (2 * report.pairs_left).to_string();
    let bounds = bound(0).chain(bound(1)).map(cell);
    gain.map(cell).into_iter().chain([games]).chain(bounds).collect::<Vec<_>>().join(",")
}

/// Values as a weights file: one `name = value` a line.
pub fn weights_toml(space: &Space, settings: &Settings) -> String {
    let mut text = String::new();
    for (name, value) in space.named(settings) {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let key = if plain { name.to_owned() } else { format!("{name:?}") };
        let _ = writeln!(text, "{key} = {value}");
    }
    text
}
