//! One run, read as it grows and told as the parts of its page.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::report::RunPage;
use crate::report::page::{ChartDetail, PageSetting, head_section};
use crate::run::control::{ControlRequest, RunPhase, RunStatus};
use crate::run::{Advance, Incident, RunOutcome, RunReader};
use crate::store::RunFolder;

use crate::dashboard::catalogue::{acceptance_id, plan_of};
use crate::dashboard::control;
use crate::dashboard::page_parts::PageParts;
use crate::dashboard::sources::Source;
use crate::dashboard::url::url_segment;

/// How long a long journal is read before what is known is shown.
const READING: Duration = Duration::from_millis(300);

/// Charts are drawn anew this often at most.
const DRAW_EVERY: Duration = Duration::from_millis(400);

/// Drawing takes at most one part in so many of the time, however long the run.
const DRAWING_SHARE: u32 = 20;

/// A run as a source of frames.
pub(super) struct RunSource {
    id: String,
    folder: RunFolder,
    page: Option<RunPage>,
    drawn: Drawn,
}

/// What the charts on show were drawn from, and when they may be drawn again.
struct Drawn {
    stale: bool,
    acceptance: Option<String>,
    due: Instant,
}

impl RunSource {
    pub(super) fn new(id: String, folder: RunFolder) -> Self {
        let drawn = Drawn { stale: true, acceptance: None, due: Instant::now() };
        Self { id, folder, page: None, drawn }
    }

    fn draw(&mut self, frame: &mut PageParts) {
        let Some(page) = &self.page else { return };
        let setting = self.setting(page);
        let acceptance = setting.acceptance.as_ref().map(|acceptance| acceptance.sentence.clone());
        if acceptance != self.drawn.acceptance {
            self.drawn.stale = true;
        }
        if !self.drawn.stale || Instant::now() < self.drawn.due {
            return;
        }
        let began = Instant::now();
        let (view, builder) = (page.reader().view(), page.builder());
        let head = head_section(&builder.context(&view, &setting));
        for section in std::iter::once(head).chain(builder.sections(&view, &setting, ChartDetail::Live)) {
            frame.put_markup(section.id, &section.html);
        }
        let took = began.elapsed();
        self.drawn =
            Drawn { stale: false, acceptance, due: Instant::now() + DRAW_EVERY.max(took * DRAWING_SHARE) };
    }

    /// The page's setting, with the acceptance test where this server has it.
    fn setting(&self, page: &RunPage) -> PageSetting {
        let mut setting = page.setting();
        if let Some(acceptance) = &mut setting.acceptance {
            acceptance.link = format!("../{}/", url_segment(&acceptance_id(&self.id)));
        }
        setting
    }
}

impl Source for RunSource {
    fn look(&mut self, frame: &mut PageParts) {
        if self.page.is_none() {
            match plan_of(&self.folder) {
                Ok((plan, text)) => self.page = Some(RunPage::new(self.folder.clone(), plan, &text)),
                Err(why) => return frame.put("status", &json!({ "phase": "unreadable", "trouble": why })),
            }
        }
        let Some(page) = &mut self.page else { return };
        let is_behind = |advance: &_| matches!(advance, Ok(Advance::More | Advance::Restarted));
        let began = Instant::now();
        let mut advance = page.advance();
        while is_behind(&advance) && began.elapsed() < READING {
            self.drawn.stale = true;
            advance = page.advance();
        }
        self.drawn.stale |= !matches!(advance, Ok(Advance::Unchanged));
        let reader = page.reader();
        let live = control::status(&self.folder, ControlRequest::Boards);
        let trouble = match &advance {
            Err(why) => Some(why.to_string()),
            Ok(_) => reader.damage().map(str::to_owned),
        };
        let reading = is_behind(&advance).then_some("reading");
        frame.put("status", &status(reader, live.as_ref(), reading, trouble.as_deref()));
        frame.put("boards", &json!(live.and_then(|live| live.boards).unwrap_or_default()));
        frame.put("news", &reader.incidents().rev().map(incident).collect::<Value>());
        self.draw(frame);
    }
}

fn incident(incident: &Incident) -> Value {
    json!({ "at": incident.at, "text": incident.text, "bundle": incident.bundle })
}

/// What the run is doing, and how much of it is left.
fn status(
    reader: &RunReader,
    live: Option<&RunStatus>,
    reading: Option<&str>,
    trouble: Option<&str>,
) -> Value {
    let view = reader.view();
    let counted = view.state.counted();
    let most = view.plan.last_pair();
    let phase = match (live, view.state.outcome()) {
        (Some(live), _) => live.phase.word(),
        (
            None,
            Some(
                RunOutcome::Finished
                | RunOutcome::Decided(_)
                | RunOutcome::Undecided
                | RunOutcome::Quarantined(_),
            ),
        ) => "finished",
        (None, _) => "stopped",
    };
    let is_playing = live.is_some_and(|live| live.phase == RunPhase::Playing);
    let rate = if view.seconds > 0.0 { counted as f64 / view.seconds } else { 0.0 };
    let left = most.map(|most| most.saturating_sub(counted) as f64 / rate);
    let left = left.filter(|seconds| seconds.is_finite() && is_playing);
    json!({
        "phase": reading.unwrap_or(phase),
        "running": live.is_some(),
        "pairs": counted,
        "most": most,
        "seconds": view.seconds.round(),
        "left": left.map(f64::round),
        "test": view.plan.sprt().is_some(),
        "games_per_second": (200.0 * rate).round() / 100.0,
        "concurrency": live.map(|live| live.concurrency),
        "trouble": trouble,
    })
}
