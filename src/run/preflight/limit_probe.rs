//! A short search before the first game: does an engine obey the limits of the plan?

use std::time::Duration;

use tokio::time::timeout;

use crate::chess::Color;
use crate::game::TimeControl;
use crate::player::{
    Castling, DrawOffer, GameStart, Player, Question, StartFault, ThinkLimits, ThinkReport, Transport,
};

/// Time that a probe may take.
const PROBE: Duration = Duration::from_millis(800);
/// Time that the beginning of a game may take, after which nothing is probed.
const BEGIN: Duration = Duration::from_secs(2);
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
    let answer = timeout(PROBE, std::future::poll_fn(|cx| player.poll_answer(cx))).await;
    let (report, ended) = match answer {
        Ok(Ok(answer)) => (answer.report, true),
        Ok(Err(_)) => return ProbeFinding::Fine,
        Err(_) => (player.last_report(), false),
    };
    // An engine that does not stop is not needed any more.
    let _ = timeout(STOP, player.end_game("* {probe}")).await;
    match (limit.objection(&report), ended) {
        (None, _) => ProbeFinding::Fine,
        (Some(why), true) => ProbeFinding::Doubtful(why),
        (Some(why), false) => ProbeFinding::Unusable(format!(
            "{why}, and went on searching; limit it by a clock or a time per move"
        )),
    }
}

impl ProbedLimit {
    fn alone(self) -> ThinkLimits {
        match self {
            Self::Nodes(nodes) => ThinkLimits { nodes: Some(nodes), ..ThinkLimits::default() },
            Self::Depth(depth) => ThinkLimits { depth: Some(depth), ..ThinkLimits::default() },
        }
    }

    /// Returns what contradicts the limit. Engines look at their nodes now and then, so only gross differences count.
    fn objection(self, report: &ThinkReport) -> Option<String> {
        match self {
            Self::Nodes(asked) => {
                let found = report.nodes?;
                let wrong = found > asked.saturating_mul(10) + 50_000 || (asked >= 100 && found < asked / 10);
                wrong.then(|| format!("ignores `nodes`: asked for {asked}, it searched {found}"))
            }
            Self::Depth(asked) => {
                let found = u32::from(report.depth?);
                (found > asked + 1 || found < asked)
                    .then(|| format!("ignores `depth`: asked for {asked}, it searched {found} plies"))
            }
        }
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
