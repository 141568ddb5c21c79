//! Checks of the end of the process.

use std::time::Duration;

use crate::check::examination::{Broken, Examination, ms};
use crate::check::limits::MIDDLEGAME;
use crate::check::report::Judgement;
use crate::player::ExitEvidence;

/// Time that an engine has to leave.
const LEAVE: Duration = Duration::from_secs(2);

/// `quit` ends the process, also while it searches.
pub(super) fn quit(examination: &mut Examination) -> Result<Judgement, Broken> {
    let mut slowest = Duration::ZERO;
    let mut status = ExitEvidence::Code(0);
    for searching in [None, Some("go infinite")] {
        let left = examination.with_fresh(async |engine| {
            if let Some(go) = searching {
                engine.try_search(MIDDLEGAME, go, Duration::from_millis(150)).await?;
            }
            let sent = engine.send(&["quit"]).await?;
            Ok(engine.exit(LEAVE).await.map(|exit| (exit, sent.elapsed())))
        })?;
        let Some((exit, took)) = left else {
            let when = if searching.is_some() { " while it searches" } else { "" };
            return Ok(Judgement::fail(format!("it does not leave within {}{when}", ms(LEAVE))));
        };
        slowest = slowest.max(took);
        if exit != ExitEvidence::Code(0) {
            status = exit;
        }
    }
    let text = format!("left after {} at most", ms(slowest));
    Ok(if status == ExitEvidence::Code(0) {
        Judgement::pass(text)
    } else {
        Judgement::warn(format!("{text}, with {status}"))
    })
}

/// The end of its input ends the process, so that nothing is left behind when its user dies.
pub(super) fn end_of_input(examination: &mut Examination) -> Result<Judgement, Broken> {
    for searching in [None, Some("go infinite")] {
        let left = examination.with_fresh(async |engine| {
            if let Some(go) = searching {
                engine.try_search(MIDDLEGAME, go, Duration::from_millis(150)).await?;
            }
            engine.close_input();
            Ok(engine.exit(LEAVE).await)
        })?;
        if left.is_none() {
            let when = if searching.is_some() { " while it searches" } else { "" };
            return Ok(Judgement::warn(format!("it stays alive without input{when}: it must be killed")));
        }
    }
    Ok(Judgement::pass("it leaves when its input ends"))
}

/// SIGTERM ends the process.
pub(super) fn sigterm(examination: &mut Examination) -> Result<Judgement, Broken> {
    let left = examination.with_fresh(async |engine| {
        engine.terminate();
        Ok(engine.exit(LEAVE).await)
    })?;
    Ok(match left {
        Some(exit) => Judgement::pass(format!("it leaves ({exit})")),
        None => Judgement::warn("it ignores SIGTERM and must be killed"),
    })
}
