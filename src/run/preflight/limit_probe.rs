//! A short search before the first game: does an engine obey the limits of the plan?

use std::time::Duration;

use tokio::time::timeout;

use crate::chess::Color;
use crate::game::TimeControl;
use crate::player::{
    Castling, DrawOffer, GameStart, Player, Question, StartFault, ThinkLimits, ThinkReport, Transport,
};

/// Time between two looks at a search.
const PROBE: Duration = Duration::from_millis(800);
/// Looks at a search that goes on without having passed its limit: that of a slow engine, or on a busy machine.
const LOOKS: u32 = 6;
/// Time that the beginning of a game may take, after which nothing is probed.
const BEGIN: Duration = Duration::from_secs(10);
/// Time that the end of a search may take.
const STOP: Duration = Duration::from_millis(300);
/// Most nodes that are asked for.
const NODES: u64 = 5_000;
/// Greatest depth that is asked for.
const DEPTH: u32 = 5;
/// A position outside every opening book, reached without a setup command.
const POSITION: &[u8] = b"position startpos moves a2a3 h7h6 h2h3 a7a6 b2b3 g7g6";

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProbeFinding {
    /// Nothing to object to, or nothing that can be known.
    Fine,
    /// The engine ended its search elsewhere than it was asked to: its games are not what the plan states.
    Doubtful(String),
    /// The engine did not end its search, or it cannot play with these limits at all.
    Unusable(String),
}

/// A limit that is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbedLimit {
    Nodes(u64),
    Depth(u32),
}

/// Lets the engine search once for each limit by nodes or depth of the plan. An engine that fails is not judged here,
/// but in its first game.
pub(super) async fn probe<T: Transport>(player: &mut Player<T>, planned: &TimeControl) -> ProbeFinding {
    let limits = [
        planned.nodes.map(|nodes| ProbedLimit::Nodes(nodes.min(NODES))),
        planned.depth.map(|depth| ProbedLimit::Depth(depth.min(DEPTH))),
    ];
    let timed = planned.is_timed();
    let start = |limits| GameStart {
        castling: Castling::Standard,
        position: POSITION,
        options: &[],
        side: Color::White,
        limits,
    };
    // Whether the engine can be given the limits as they are; some protocols cannot express all of them.
    if !player.is_uci() {
        match timeout(BEGIN, player.new_game(&start(planned.first_limits(Color::White)))).await {
            Ok(Err(fault @ (StartFault::Unsupported(_) | StartFault::Refused(_)))) => {
                return ProbeFinding::Unusable(fault.to_string());
            }
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return ProbeFinding::Fine,
        }
    }
    for limit in limits.into_iter().flatten() {
        match search(player, limit, &start).await {
            ProbeFinding::Fine => {}
            // A clock ends what the other limit does not.
            ProbeFinding::Unusable(why) if timed => return ProbeFinding::Doubtful(why),
            found => return found,
        }
    }
    ProbeFinding::Fine
}

async fn search<'a, T: Transport>(
    player: &mut Player<T>,
    limit: ProbedLimit,
    start: &impl Fn(ThinkLimits) -> GameStart<'a>,
) -> ProbeFinding {
    let limits = limit.alone();
    if !matches!(timeout(BEGIN, player.new_game(&start(limits))).await, Ok(Ok(()))) {
        return ProbeFinding::Fine;
    }
    player.ask(&Question { position: POSITION, limits, last: None, draw: DrawOffer::None });
    let found = watch(player, limit).await;
    // An engine that does not stop is not needed any more.
    let _ = timeout(STOP, player.end_game("* {probe}")).await;
    found
}

/// Looks at a search until it ends, has passed its limit, or reports nothing.
async fn watch<T: Transport>(player: &mut Player<T>, limit: ProbedLimit) -> ProbeFinding {
    for _ in 0..LOOKS {
        match timeout(PROBE, std::future::poll_fn(|cx| player.poll_answer(cx))).await {
            Ok(Ok(answer)) => {
                return limit.objection(&answer.report).map_or(ProbeFinding::Fine, ProbeFinding::Doubtful);
            }
            Ok(Err(_)) => break,
            Err(_) => {}
        }
        let report = player.last_report();
        if let Some(why) = limit.excess(&report) {
            let advice = "and went on searching; limit it by a clock or a time per move";
            return ProbeFinding::Unusable(format!("{why}, {advice}"));
        }
        if report.nodes.is_none() && report.depth.is_none() {
            break;
        }
    }
    ProbeFinding::Fine
}

impl ProbedLimit {
    fn alone(self) -> ThinkLimits {
        match self {
            Self::Nodes(nodes) => ThinkLimits { nodes: Some(nodes), ..ThinkLimits::default() },
            Self::Depth(depth) => ThinkLimits { depth: Some(depth), ..ThinkLimits::default() },
        }
    }

    /// Returns what contradicts the limit at the end of a search.
    fn objection(self, report: &ThinkReport) -> Option<String> {
        let is_short = match self {
            Self::Nodes(asked) => asked >= 100 && report.nodes? < asked / 10,
            Self::Depth(asked) => u32::from(report.depth?) < asked,
        };
        if is_short { self.difference(report) } else { self.excess(report) }
    }

    /// Returns by what a search has passed the limit. Engines look at their nodes now and then, so only gross differences count.
    fn excess(self, report: &ThinkReport) -> Option<String> {
        let is_past = match self {
            Self::Nodes(asked) => report.nodes? > asked.saturating_mul(10) + 50_000,
            Self::Depth(asked) => u32::from(report.depth?) > asked + 1,
        };
        if is_past { self.difference(report) } else { None }
    }

    fn difference(self, report: &ThinkReport) -> Option<String> {
        Some(match self {
            Self::Nodes(asked) => {
                format!("ignores `nodes`: asked for {asked}, it searched {}", report.nodes?)
            }
            Self::Depth(asked) => {
                format!("ignores `depth`: asked for {asked}, it searched {} plies", report.depth?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gross_differences_count() {
        let nodes = |found| {
            ProbedLimit::Nodes(3000).objection(&ThinkReport { nodes: Some(found), ..ThinkReport::default() })
        };
        for (found, objected) in
            [(6, true), (299, true), (300, false), (3000, false), (20_000, false), (3_480_000, true)]
        {
            assert_eq!(nodes(found).is_some(), objected, "{found}");
        }
        assert_eq!(
            ProbedLimit::Nodes(1).objection(&ThinkReport { nodes: Some(0), ..ThinkReport::default() }),
            None
        );
        let depth = |found| {
            ProbedLimit::Depth(4).objection(&ThinkReport { depth: Some(found), ..ThinkReport::default() })
        };
        for (found, objected) in [(1, true), (3, true), (4, false), (5, false), (6, true)] {
            assert_eq!(depth(found).is_some(), objected, "{found}");
        }
        assert_eq!(ProbedLimit::Nodes(3000).objection(&ThinkReport::default()), None);
    }
}
