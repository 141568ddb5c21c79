//! The live page of one run, updated as its journal grows.

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::dashboard::catalogue::{acceptance_id, plan_of};
use crate::dashboard::control;
use crate::dashboard::live_games::LiveGameWriter;
use crate::dashboard::page_parts::PageParts;
use crate::dashboard::sources::Source;
use crate::dashboard::url::url_segment;
use crate::report::RunPage;
use crate::report::page::{ChartDetail, PageSetting, head_section, plan_section};
use crate::run::control::{BoardStatus, ControlRequest, RunPhase, RunStatus};
use crate::run::{Advance, Incident, RunOutcome, RunReader};
use crate::store::RunFolder;

/// Longest time of reading before the page shows what was read so far.
const READING: Duration = Duration::from_millis(300);

/// Shortest time between two drawings of the charts.
const DRAW_EVERY: Duration = Duration::from_millis(400);

/// Drawing takes at most one in this many parts of the time, however long the run is.
const DRAWING_SHARE: u32 = 20;

/// The source of the live page of one run.
pub(super) struct RunSource {
    id: String,
    folder: RunFolder,
    page: Option<RunPage>,
    live_games: LiveGameWriter,
    drawn: Drawn,
}

/// The state of the charts on the page.
struct Drawn {
    /// Whether the run has changed since the charts were drawn.
    stale: bool,
    /// Time of the summary of the acceptance test on the page.
    acceptance: Option<SystemTime>,
    /// Earliest time of the next drawing.
    due: Instant,
}

impl RunSource {
    pub(super) fn new(id: String, folder: RunFolder, live_games: LiveGameWriter) -> Self {
        let drawn = Drawn { stale: true, acceptance: None, due: Instant::now() };
        Self { id, folder, page: None, live_games, drawn }
    }

    fn draw(&mut self, parts: &mut PageParts) {
        let Some(page) = &self.page else { return };
        let acceptance = RunFolder::open(&self.folder.acceptance())
            .and_then(|test| std::fs::metadata(test.summary())?.modified())
            .ok();
        if acceptance != self.drawn.acceptance {
            self.drawn.stale = true;
        }
        if !self.drawn.stale || Instant::now() < self.drawn.due {
            return;
        }
        let began = Instant::now();
        let setting = self.setting(page);
        let context = page.context(&setting);
        let sections = page.sections(&setting, ChartDetail::Live);
        for section in [head_section(&context), plan_section(&context)].into_iter().chain(sections) {
            parts.put_markup(section.id, &section.html);
        }
        let took = began.elapsed();
        self.drawn =
            Drawn { stale: false, acceptance, due: Instant::now() + DRAW_EVERY.max(took * DRAWING_SHARE) };
    }

    /// Returns the setting of the page, with a link to the acceptance test on this server.
    fn setting(&self, page: &RunPage) -> PageSetting {
        let test_link = format!("../{}/", url_segment(&acceptance_id(&self.id)));
        PageSetting { test_link, ..page.setting() }
    }
}

impl Source for RunSource {
    fn update(&mut self, parts: &mut PageParts) {
        if self.page.is_none() {
            match plan_of(&self.folder) {
                Ok((plan, text)) => self.page = Some(RunPage::new(self.folder.clone(), plan, &text)),
                Err(why) => return parts.put("status", &json!({ "phase": "unreadable", "trouble": why })),
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
        let running = control::status_of(&self.folder, ControlRequest::Boards);
        let trouble = match &advance {
            Err(why) => Some(why.to_string()),
            Ok(_) => reader.damage().map(str::to_owned),
        };
        let reading = is_behind(&advance).then_some("reading");
        parts.put("status", &status(reader, running.as_ref(), reading, trouble.as_deref()));
        parts.put("workers", &json!(running.as_ref().map_or(&[][..], |status| &status.workers)));
        let boards = running.and_then(|status| status.boards).unwrap_or_default();
        self.live_games.update(&boards);
        parts.put("boards", &boards.iter().map(board).collect::<Value>());
        parts.put("news", &reader.incidents().rev().map(incident).collect::<Value>());
        self.draw(parts);
    }
}

/// Returns what a small board shows; the moves of a game are sent to clients that ask for them.
fn board(board: &BoardStatus) -> Value {
    json!({
        "slot": board.slot, "round": board.round, "white": board.white, "black": board.black, "fen": board.fen,
        "last": board.last, "plies": board.plies, "score": board.score, "clocks_ms": board.clocks_ms,
        "since_ms": board.since_ms,
    })
}

fn incident(incident: &Incident) -> Value {
    json!({ "at": incident.at, "text": incident.text, "bundle": incident.bundle })
}

/// Returns the phase and the progress of a run.
fn status(
    reader: &RunReader,
    running: Option<&RunStatus>,
    reading: Option<&str>,
    trouble: Option<&str>,
) -> Value {
    let view = reader.view();
    let counted = view.state.counted();
    let most = view.plan.last_pair();
    let phase = match (running, view.state.outcome()) {
        (Some(status), _) => status.phase.word(),
        (
            None,
            Some(
                RunOutcome::Finished
                | RunOutcome::Decided(_)
                | RunOutcome::Undecided
                | RunOutcome::Quarantined(_),
            ),
        ) => "finished",
        (None, _) if reader.folder().is_published() => "published without its journal",
        (None, _) => "stopped",
    };
    // The journal knows the time of the last game; the run also that of the games in play.
    let seconds = running.map_or(view.seconds, |status| status.seconds.max(view.seconds));
    let rate = if seconds > 0.0 { counted as f64 / seconds } else { 0.0 };
    let is_playing = running.is_some_and(|status| status.phase == RunPhase::Playing);
    let left = most.map(|most| most.saturating_sub(counted) as f64 / rate);
    let left = left.filter(|seconds| seconds.is_finite() && is_playing);
    json!({
        "phase": reading.unwrap_or(phase),
        "running": running.is_some(),
        "pairs": counted,
        "most": most,
        "seconds": seconds.round(),
        "left": left.map(f64::round),
        "test": view.plan.sprt().is_some(),
        "games_per_second": (200.0 * rate).round() / 100.0,
        "concurrency": running.map(|status| status.concurrency),
        "waits_for": running.and_then(|status| status.waits_for.as_ref()),
        "playing": running.map(|status| status.playing),
        "trouble": trouble,
    })
}
