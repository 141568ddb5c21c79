//! The files of a tuning run: every trial in `trials.csv`, and the best values so far in `weights.toml`.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

use crate::run::{CountedTrial, Observer, Output, Plan, RunEvent, RunView};
use crate::stats::PairScore;
use crate::store::{RunFolder, open_own_to_write, write_whole};
use crate::tuning::{Kind, Settings, Space, Tuner, TuningReport};

/// Time between two writes of the best values.
const WEIGHTS_EVERY: Duration = Duration::from_secs(10);

/// Writes `trials.csv` and `weights.toml`.
pub struct TuneFiles {
    folder: RunFolder,
    trials: csv::Writer<File>,
    due: Instant,
}

impl TuneFiles {
    /// Creates the files of a tuning run, to be written from the first pair on. Returns `None` for any other run.
    pub fn of(folder: &RunFolder, plan: &Plan) -> io::Result<Option<Self>> {
        let Some(tune) = plan.tuner() else { return Ok(None) };
        let file = open_own_to_write(&folder.trials())?;
        file.set_len(0)?;
        let mut trials = csv::Writer::from_writer(file);
        trials.write_record(header(&tune.space))?;
        Ok(Some(Self { folder: folder.clone(), trials, due: Instant::now() + WEIGHTS_EVERY }))
    }

    fn write_trial(&mut self, counted: &CountedTrial, score: PairScore) -> io::Result<()> {
        let CountedTrial { trial, best, report } = counted;
        let mut row = vec![(trial.id.0 + 1).to_string(), score.points().to_string()];
        for settings in [&trial.plus, &trial.minus, best] {
            row.extend(settings.0.iter().map(ToString::to_string));
        }
        row.extend(report_cells(report.as_ref(), best.0.len()));
        Ok(self.trials.write_record(row)?)
    }

    fn write_weights(&self, tuner: &Tuner) -> io::Result<()> {
        write_whole(&self.folder.weights(), weights_toml(&tuner.plan().space, &tuner.best()).as_bytes())
    }
}

impl Observer for TuneFiles {
    fn output(&self) -> Output {
        Output::Files
    }

    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        let Some(tuner) = view.state.tuner() else { return Ok(()) };
        match event {
            // At the start the best values are the start values; the file exists before the first better ones do.
            RunEvent::Started => self.write_weights(tuner),
            RunEvent::Counted(pair) => {
                if let (Some(trial), Some(score)) = (&pair.trial, pair.score) {
                    self.write_trial(trial, score)?;
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

fn header(space: &Space) -> Vec<String> {
    let named = |ending: &'static str| {
        space.parameters().iter().map(move |parameter| format!("{}{ending}", parameter.name))
    };
    let mut cells = vec!["trial".to_owned(), "points".to_owned()];
    cells.extend(named("_plus").chain(named("_minus")).chain(named("")));
    cells.extend(["gain", "gain_error", "games_left"].map(str::to_owned));
    cells.extend(named("_low").chain(named("_high")));
    cells
}

/// Returns gain, games left and intervals. A cell is empty without a report, or if the method has no such value.
fn report_cells(report: Option<&TuningReport>, parameters: usize) -> Vec<String> {
    let Some(report) = report else { return vec![String::new(); 3 + 2 * parameters] };
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
    let bound =
        |side: usize| report.parameters.iter().map(move |weight| weight.interval.map(|ends| ends[side]));
    let gain = report.gain.map_or([None; 2], |gain| [gain.elo.0, gain.error.0].map(Some));
    let mut cells: Vec<String> = gain.map(cell).into();
    cells.push((2 * report.pairs_left).to_string());
    cells.extend(bound(0).chain(bound(1)).map(cell));
    cells
}

/// Returns the values as a weights file, one `name = value` per line.
pub fn weights_toml(space: &Space, settings: &Settings) -> String {
    let mut text = String::new();
    for ((name, value), parameter) in space.texts(settings).zip(space.parameters()) {
        let value = match parameter.kind {
            Kind::Choice if value != "true" && value != "false" => format!("{value:?}"),
            _ => value,
        };
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let key = if plain { name.to_owned() } else { format!("{name:?}") };
        let _ = writeln!(text, "{key} = {value}");
    }
    text
}
