//! What a tuning run leaves behind: every trial, and the best values so far.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use crate::experiment::{Observer, Plan, RunEvent, RunView, Trace};
use crate::tuning::{Ask, Settings, Space, Trial, Tuner};

use super::run_folder::{RunFolder, write_whole};

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
        let plus: Vec<String> = names.iter().map(|name| format!("{name}_plus")).collect();
        let minus: Vec<String> = names.iter().map(|name| format!("{name}_minus")).collect();
        writeln!(trials, "trial,points,{},{},{}", plus.join(","), minus.join(","), names.join(","))?;
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
                    self.mirror.tell(trial.id, pair.score).map_err(io::Error::other)?;
                    let best = numbers(&self.mirror.best());
                    let (plus, minus) = (numbers(&trial.plus), numbers(&trial.minus));
                    writeln!(
                        self.trials,
                        "{},{},{plus},{minus},{best}",
                        trial.id.0 + 1,
                        pair.score.points()
                    )?;
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
