//! A few pairs played to measure what a run will cost.

use std::sync::{Arc, Mutex, PoisonError};

use playself::run::{Observer, Plan, RunEvent, RunOutcome, RunView};
use playself::stats::Pentanomial;
use playself::store::RunFolder;

use crate::launch;

/// What a pilot measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pilot {
    /// Wall time per pair, with as many pairs at once as the plan says.
    pub(crate) seconds_per_pair: f64,
    /// How its pairs went.
    pub(crate) pentanomial: Pentanomial,
    /// Games drawn.
    pub(crate) draw_ratio: f64,
}

struct Measure(Arc<Mutex<Pilot>>);

impl Observer for Measure {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> std::io::Result<()> {
        if let RunEvent::Finished(_) = event {
            let score = view.state.standings().main();
            let pairs = score.pentanomial.pairs().max(1) as f64;
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Pilot {
                seconds_per_pair: view.seconds / pairs,
                pentanomial: score.pentanomial,
                draw_ratio: score.games.draw_ratio().unwrap_or(0.0),
            };
        }
        Ok(())
    }
}

/// Plays so many pairs of `plan` in a folder that is gone afterwards.
pub(crate) fn pilot(plan: &Plan, pairs: u64) -> anyhow::Result<Pilot> {
    let plan = Plan { max_pairs: Some(pairs), sprt: None, tune: None, accept: None, ..plan.clone() };
    let place = std::env::temp_dir().join(format!("playself-pilot-{}", std::process::id()));
    let folder = RunFolder::create_at(&place)?;
    let measured = Arc::new(Mutex::new(Pilot::default()));
    let outcome = launch::play_new(plan, &folder, vec![Box::new(Measure(Arc::clone(&measured)))], Vec::new());
    // What it leaves behind is of no use to anybody.
    let _ = std::fs::remove_dir_all(&place);
    match outcome? {
        RunOutcome::Finished => Ok(*measured.lock().unwrap_or_else(PoisonError::into_inner)),
        RunOutcome::Faulty(why) => anyhow::bail!("the pilot failed: {why}"),
        _ => anyhow::bail!("the pilot was interrupted"),
    }
}
