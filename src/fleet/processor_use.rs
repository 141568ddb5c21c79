//! What the processor use of an engine during a game shows about the engine and about the machine.

use std::time::Duration;

use crate::chess::Color;
use crate::game::{EngineIndex, MoveSource, PlayedGame, TimeControl, Warning};
use crate::player::{CpuUse, EngineSpec, Pondering, Transport};

/// Processor use of an engine since its start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProcessorUse {
    time: Option<Duration>,
    /// Known only where the engine has a clock: it takes longer to read, and nothing else depends on it.
    threads: Option<CpuUse>,
}

impl ProcessorUse {
    pub(super) fn of(transport: &impl Transport, limits: &TimeControl) -> Self {
        let threads = limits.is_timed().then(|| transport.cpu_use()).flatten();
        Self { time: transport.cpu_time(), threads }
    }

    /// Returns what is wrong with the use during a game that began with `before` and has ended.
    pub(super) fn warnings(
        self,
        before: Self,
        (engine, spec): (EngineIndex, &EngineSpec),
        played: &PlayedGame,
        side: Color,
    ) -> impl Iterator<Item = Warning> {
        let used = self.time.zip(before.time).map(|(now, then)| now.saturating_sub(then));
        let busy = used.and_then(|used| busy_while_idle(used, spec, played, side));
        let busy = busy.map(|cpu_ms| Warning::BusyWhileIdle { cpu_ms, by: engine });
        let starved = self.threads.zip(before.threads).and_then(|(now, then)| starved(now.since(then)));
        let starved =
            starved.map(|(waited_ms, wanted_ms)| Warning::Starved { waited_ms, wanted_ms, by: engine });
        busy.into_iter().chain(starved)
    }
}

/// Returns the processor time that an engine must have used on its opponent's time, in milliseconds, if it exceeds a
/// twentieth of that time.
fn busy_while_idle(used: Duration, spec: &EngineSpec, played: &PlayedGame, side: Color) -> Option<u64> {
    if spec.ponder == Pondering::On {
        return None;
    }
    let (mut own, mut other, mut turn) = (0, 0, played.first_mover);
    for ply in played.plies.iter().skip_while(|ply| ply.source == MoveSource::Book) {
        *(if turn == side { &mut own } else { &mut other }) += ply.time_us;
        turn = !turn;
    }
    let idle = (used.as_micros() as u64).saturating_sub(own.saturating_mul(spec.threads() as u64));
    // A few milliseconds are needed to read the commands.
    (idle > 50_000 && idle > other / 20).then_some(idle / 1000)
}

/// One part in this many of the time in which an engine wanted to run: if it waited for a processor for longer, its clock
/// measured the machine, too. Where games fill all processors and nothing else runs, engines wait for an eighth to a quarter.
const STARVED_SHARE: u32 = 3;

/// The shortest wait that is reported: in less, no engine thinks differently.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// Returns for how long an engine waited for a processor, and for how long it wanted one, in milliseconds, if the waits
/// were a considerable share of its time.
fn starved(game: CpuUse) -> Option<(u64, u64)> {
    let wanted = game.running + game.waiting;
    let is_starved = game.waiting >= SHORTEST_WAIT && game.waiting * STARVED_SHARE >= wanted;
    is_starved.then_some((game.waiting.as_millis() as u64, wanted.as_millis() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_starved_if_it_waited_for_a_third_of_its_time() {
        let ms = Duration::from_millis;
        for (case, running, waiting, expected) in [
            ("a quiet machine", 2000, 15, None),
            ("a short wait in a short game", 10, 19, None),
            ("games on all processors", 1000, 312, None),
            ("a third", 800, 400, Some((400, 1200))),
            ("two engines on one processor", 1000, 1000, Some((1000, 2000))),
        ] {
            let game = CpuUse { running: ms(running), waiting: ms(waiting) };
            assert_eq!(starved(game), expected, "{case}");
        }
    }
}
