//! Writer of `info` and `bestmove` lines during a search.

use std::time::Duration;

use crate::chess::{MoveStyle, Position};
use crate::engine::{Bound, Limits, Score, SearchInfo, SearchMode, SearchObserver, SearchReport, StopFlag};
use crate::frontend::options::EngineOptions;
use crate::frontend::uci::output::Output;
use crate::frontend::uci::wdl;
use crate::protocol::Words;
use crate::protocol::uci;

/// In a search limited by a clock or a node count, `info` lines are buffered for this long: a short search then sends
/// two lines instead of twenty.
const BUFFERED_TIME: Duration = Duration::from_millis(30);

/// Scores that are only bounds are omitted until a search has taken this long.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// Converts the reports of the searcher to `info` lines.
pub(super) struct InfoWriter {
    output: Output,
    position: Position,
    style: MoveStyle,
    show_wdl: bool,
    stop: StopFlag,
    buffered_time: Duration,
    /// The latest unsent line of each MultiPV rank.
    buffered: Vec<String>,
}

impl InfoWriter {
    pub(super) fn new(
        output: Output,
        position: Position,
        options: &EngineOptions,
        limits: &Limits,
        stop: StopFlag,
    ) -> Self {
        let unbuffered = limits.mode != SearchMode::Normal || limits.depth.is_some() || limits.mate.is_some();
        let buffered_time = if unbuffered { Duration::ZERO } else { BUFFERED_TIME };
        let style = style_for(&position, options.move_style);
        let show_wdl = options.show_wdl;
        Self { output, position, style, show_wdl, stop, buffered_time, buffered: Vec::new() }
    }

    /// Writes the buffered lines and `bestmove` in one write.
    pub(super) fn best_move(&mut self, report: &SearchReport) {
        let mut text: String = self.buffered.drain(..).collect();
        let best = report.best.map(|mv| self.position.coordinate(mv, self.style));
        let ponder = report.best.zip(report.ponder).and_then(|(best, reply)| {
            let after = self.position.play(best);
            // The reply may come from a table entry that has been overwritten.
            after.is_legal(reply).then(|| after.coordinate(reply, self.style))
        });
        if best.is_none() {
            text += &format!("{}\n", game_over_info(&self.position));
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
            tbhits: info.table_hits,
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
        if self.buffered.len() < rank {
            self.buffered.resize(rank, String::new());
        }
        self.buffered[rank - 1] = self.line(info);
        if info.time >= self.buffered_time {
            let text: String = self.buffered.drain(..).collect();
            self.output.text(&text);
        }
        // The GUI has closed the output, so the result of the search is not needed.
        if self.output.is_broken() {
            self.stop.stop();
        }
    }
}

/// Returns the notation of castling moves: the requested one, unless the position requires Chess960 notation.
pub(super) fn style_for(position: &Position, requested: MoveStyle) -> MoveStyle {
    if position.is_chess960() { MoveStyle::Chess960 } else { requested }
}

pub(super) fn score(score: Score) -> uci::InfoScore {
    match score {
        Score::Cp(cp) => uci::InfoScore::Cp(cp),
        Score::Mate(moves) => uci::InfoScore::Mate(moves),
    }
}

/// Returns the `info` line for a position without a legal move.
fn game_over_info(position: &Position) -> uci::Info<'static> {
    let score = if position.in_check() { uci::InfoScore::Mate(0) } else { uci::InfoScore::Cp(0) };
    uci::Info { depth: Some(0), score: Some(score), ..uci::Info::default() }
}
