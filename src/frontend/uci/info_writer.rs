//! What the GUI hears of a running search.

use std::time::Duration;

use crate::chess::{MoveStyle, Position};
use crate::engine::{Bound, Limits, Score, SearchInfo, SearchMode, SearchObserver, SearchReport, StopFlag};
use crate::frontend::options::EngineOptions;
use crate::frontend::uci::output::Output;
use crate::frontend::uci::wdl;
use crate::protocol::Words;
use crate::protocol::uci;

/// In a search with a clock or a node count, lines of the first moments are held back and told with the answer: a
/// short search then costs its reader two lines instead of twenty.
const HELD_BACK: Duration = Duration::from_millis(30);

/// Scores that are only bounds are news to nobody until a search takes this long.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// Turns what the searcher tells into `info` lines.
pub(super) struct InfoWriter {
    output: Output,
    position: Position,
    style: MoveStyle,
    show_wdl: bool,
    stop: StopFlag,
    hold: Duration,
    /// The newest line of each rank that is not told yet.
    held: Vec<String>,
}

impl InfoWriter {
    pub(super) fn new(
        output: Output,
        position: Position,
        options: &EngineOptions,
        limits: &Limits,
        stop: StopFlag,
    ) -> Self {
        let watched = limits.mode != SearchMode::Normal || limits.depth.is_some() || limits.mate.is_some();
        let hold = if watched { Duration::ZERO } else { HELD_BACK };
        let style = style_for(&position, options.move_style);
        Self { output, position, style, show_wdl: options.show_wdl, stop, hold, held: Vec::new() }
    }

    /// Tells what is held back, and the answer, in one write.
    pub(super) fn answer(&mut self, report: &SearchReport) {
        let mut text: String = self.held.drain(..).collect();
        let best = report.best.map(|mv| self.position.coordinate(mv, self.style));
        let ponder = report.best.zip(report.ponder).and_then(|(best, reply)| {
            let after = self.position.play(best);
            // The reply may come from a table that was overwritten meanwhile.
            after.is_legal(reply).then(|| after.coordinate(reply, self.style))
        });
        if best.is_none() {
            text += &format!("{}\n", nothing_to_play(&self.position));
        }
        let reply = uci::Reply::BestMove { best: best.as_deref(), ponder: ponder.as_deref() };
        text += &format!("{reply}\n");
        self.output.text(&text);
    }

    fn line(&self, info: &SearchInfo) -> String {
        let mut pv = String::new();
        let mut position = self.position;
        for &mv in &info.pv {
            pv += &position.coordinate(mv, self.style);
            pv.push(' ');
            position = position.play(mv);
        }
        let info = uci::Info {
            depth: Some(info.depth),
            seldepth: Some(info.seldepth),
            multipv: u32::try_from(info.multipv).ok(),
            score: Some(score(info.score)),
            bound: match info.bound {
                Bound::Exact => uci::InfoBound::Exact,
                Bound::Lower => uci::InfoBound::Lower,
                Bound::Upper => uci::InfoBound::Upper,
            },
            wdl: self.show_wdl.then(|| wdl::expected(info.score)),
            nodes: Some(info.nodes),
            nps: Some(info.nps),
            hashfull: Some(info.hashfull),
            time: u64::try_from(info.time.as_millis()).ok(),
            pv: (!pv.is_empty()).then(|| Words::new(&pv)),
            ..uci::Info::default()
        };
        format!("{info}\n")
    }
}

impl SearchObserver for InfoWriter {
    fn info(&mut self, info: &SearchInfo) {
        if info.bound != Bound::Exact && info.time < BOUNDS_AFTER {
            return;
        }
        let rank = info.multipv.max(1);
        if self.held.len() < rank {
            self.held.resize(rank, String::new());
        }
        self.held[rank - 1] = self.line(info);
        if info.time >= self.hold {
            let text: String = self.held.drain(..).collect();
            self.output.text(&text);
        }
        // Nobody hears us: there is no use in thinking on.
        if self.output.is_broken() {
            self.stop.stop();
        }
    }
}

/// The spelling of castling: the one asked for, unless the position can only be told the other way.
pub(super) fn style_for(position: &Position, asked: MoveStyle) -> MoveStyle {
    if position.is_chess960() { MoveStyle::Chess960 } else { asked }
}

pub(super) fn score(score: Score) -> uci::InfoScore {
    match score {
        Score::Cp(cp) => uci::InfoScore::Cp(cp),
        Score::Mate(moves) => uci::InfoScore::Mate(moves),
    }
}

/// What is said of a position without a legal move.
fn nothing_to_play(position: &Position) -> uci::Info<'static> {
    let score = if position.in_check() { uci::InfoScore::Mate(0) } else { uci::InfoScore::Cp(0) };
    uci::Info { depth: Some(0), score: Some(score), ..uci::Info::default() }
}
