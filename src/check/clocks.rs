//! Checks of time and memory.

use std::fmt::Write;
use std::time::Duration;

use crate::check::examination::{Broken, Examination, ms};
use crate::check::limits::MIDDLEGAME;
use crate::check::report::Judgement;
use crate::check::running::RunningEngine;
use crate::check::search::legal_move;
use crate::chess::{Color, MoveStyle, Position};
use crate::player::Transport;

/// Time beyond the clock that pipes and scheduler may cost.
const MARGIN: Duration = Duration::from_millis(20);

/// A clock of a few milliseconds is kept.
pub(super) fn tiny_clocks(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut worst = Duration::ZERO;
        for (clock, allowed) in [
            ("wtime 30 btime 30", 30),
            ("wtime 50 btime 50 winc 10 binc 10", 50),
            ("wtime 100 btime 100 movestogo 1", 100),
            ("wtime 1 btime 1", 1),
        ] {
            let search = engine.search(MIDDLEGAME, &format!("go {clock}"), Duration::from_secs(5)).await?;
            worst = worst.max(search.took().saturating_sub(Duration::from_millis(allowed)));
        }
        let text = format!("{} over the clock at worst", ms(worst));
        Ok(if worst > Duration::from_millis(200) {
            Judgement::fail(text)
        } else if worst > MARGIN {
            Judgement::warn(text)
        } else {
            Judgement::pass(text)
        })
    })
}

/// A game at 0.1+0.01 against itself, without a loss on time.
pub(super) fn short_game(examination: &mut Examination) -> Result<Judgement, Broken> {
    const MOVES: usize = 80;
    examination.with(async |engine| {
        engine.send(&["ucinewgame"]).await?;
        engine.ready().await?;
        let (base, increment) = (Duration::from_millis(100), Duration::from_millis(10));
        let mut clocks = [base, base];
        let (mut position, mut command) =
            (Position::startpos(), "position startpos moves d2d4 g8f6".to_owned());
        for word in ["d2d4", "g8f6"] {
            let mv = legal_move(&position, word, MoveStyle::Standard);
            position = mv.map_or(position, |mv| position.play(mv));
        }
        let (mut played, mut least, mut over) = (0, base, Duration::ZERO);
        while played < MOVES && position.has_legal_move() {
            let side = usize::from(position.turn() == Color::Black);
            let [white, black] = clocks.map(|clock| clock.as_millis().max(1));
            let go = format!("go wtime {white} btime {black} winc 10 binc 10");
            let search = engine.search(&command, &go, Duration::from_secs(5)).await?;
            let best = search.best.clone().unwrap_or_default();
            let Some(mv) = legal_move(&position, &best, MoveStyle::Standard) else {
                return Ok(Judgement::fail(format!("bestmove {best} is not legal after `{command}`")));
            };
            over = over.max(search.took().saturating_sub(clocks[side]));
            clocks[side] = clocks[side].saturating_sub(search.took());
            least = least.min(clocks[side]);
            clocks[side] += increment;
            position = position.play(mv);
            let _ = write!(command, " {best}");
            played += 1;
        }
        let text = format!("{played} moves, {} left at least", ms(least));
        Ok(if over > MARGIN {
            Judgement::fail(format!("{played} moves, {} over the clock at worst", ms(over)))
        } else if over > Duration::ZERO {
            Judgement::warn(format!("{played} moves, {} over the clock at worst", ms(over)))
        } else {
            Judgement::pass(text)
        })
    })
}

/// A waiting engine does not use the processor.
pub(super) fn idle(examination: &mut Examination) -> Result<Judgement, Broken> {
    const WAIT: Duration = Duration::from_millis(400);
    examination.with(async |engine| {
        engine.search(MIDDLEGAME, "go depth 4", Duration::from_secs(10)).await?;
        // The search threads may need a moment to come to rest.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let used = |engine: &RunningEngine| engine.client().transport().cpu_time();
        let before = used(engine);
        tokio::time::sleep(WAIT).await;
        let Some(used) = used(engine).zip(before).map(|(after, before)| after.saturating_sub(before)) else {
            return Ok(Judgement::skip("the system does not report its processor time"));
        };
        let text = format!("{} of processor time in {}", ms(used), ms(WAIT));
        Ok(if used > WAIT / 2 {
            Judgement::fail(text)
        } else if used > WAIT / 20 {
            Judgement::warn(text)
        } else {
            Judgement::pass(text)
        })
    })
}

/// Memory does not grow from game to game.
pub(super) fn memory(examination: &mut Examination) -> Result<Judgement, Broken> {
    let games = 20;
    examination.with_fresh(async |engine| {
        let mut sizes = Vec::new();
        for _ in 0..games {
            engine.send(&["ucinewgame"]).await?;
            engine.ready().await?;
            for command in ["position startpos moves e2e4", MIDDLEGAME, "position startpos moves d2d4 d7d5"] {
                engine.search(command, "go movetime 20", Duration::from_secs(5)).await?;
            }
            sizes.extend(resident_kib(engine.client().transport().id()));
        }
        // The first games fill tables that stay.
        let (Some(early), Some(last)) = (sizes.get(games / 4), sizes.last()) else {
            return Ok(Judgement::skip("the system does not report its memory"));
        };
        let growth = last.saturating_sub(*early);
        let text =
            format!("{} MiB after {games} games, {growth} KiB more than after {}", last >> 10, games / 4 + 1);
        Ok(if growth > (32 << 10) + last / 4 {
            Judgement::fail(text)
        } else if growth > (4 << 10) + last / 20 {
            Judgement::warn(text)
        } else {
            Judgement::pass(text)
        })
    })
}

/// Returns the resident memory of a process, in KiB.
fn resident_kib(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}
