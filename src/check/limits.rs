//! Checks of the limits of a search.

use std::time::Duration;

use crate::check::examination::{Broken, Examination, ms};
use crate::check::report::Judgement;
use crate::check::running::{RunningEngine, seconds};
use crate::check::search::Search;
use crate::protocol::uci::{InfoScore, Reply};

/// A position of the middlegame, out of most books.
pub(super) const MIDDLEGAME: &str =
    "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 2 9";

/// Time for a search that ends without `stop`.
pub(super) const SEARCH: Duration = Duration::from_secs(10);

/// The search ends at the depth.
pub(super) fn depth(examination: &mut Examination) -> Result<Judgement, Broken> {
    const DEPTH: u32 = 6;
    examination.with(async |engine| {
        let search = engine.search(MIDDLEGAME, "go depth 6", SEARCH).await?;
        Ok(match search.depth() {
            Some(DEPTH) => Judgement::pass(format!("depth 6 after {}", ms(search.took()))),
            Some(found) if found > DEPTH => {
                Judgement::fail(format!("asked for depth 6, it reported {found}"))
            }
            Some(found) => Judgement::warn(format!("asked for depth 6, it stopped at {found}")),
            None => Judgement::warn("it reported no depth".to_owned()),
        })
    })
}

/// The search ends at the nodes.
pub(super) fn nodes(examination: &mut Examination) -> Result<Judgement, Broken> {
    const NODES: u64 = 20_000;
    examination.with(async |engine| {
        let search = engine.search(MIDDLEGAME, "go nodes 20000", SEARCH).await?;
        let Some(found) = search.nodes() else {
            return Ok(Judgement::warn("it reported no nodes".to_owned()));
        };
        let text =
            format!("asked for {NODES} nodes, it reported {found} ({:+.1} %)", percent_over(found, NODES));
        Ok(match found {
            2_000..=21_000 => Judgement::pass(text),
            21_001..=100_000 => Judgement::warn(text),
            _ => Judgement::fail(format!("{text}: it ignores `go nodes`")),
        })
    })
}

fn percent_over(found: u64, asked: u64) -> f64 {
    (found as f64 / asked as f64 - 1.0) * 100.0
}

/// The search takes the time.
pub(super) fn movetime(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut times = Vec::new();
        for asked in [50, 300] {
            let search = engine.search(MIDDLEGAME, &format!("go movetime {asked}"), SEARCH).await?;
            times.push((asked, search.took()));
        }
        let text: Vec<String> =
            times.iter().map(|(asked, took)| format!("{} for {asked} ms", ms(*took))).collect();
        let text = text.join(", ");
        let over = |(asked, took): &(u64, Duration)| took.saturating_sub(Duration::from_millis(*asked));
        let worst = times.iter().map(over).max().unwrap_or_default();
        let hasty = times.iter().any(|(asked, took)| *took * 2 < Duration::from_millis(*asked));
        Ok(if worst > Duration::from_millis(100) {
            Judgement::fail(text)
        } else if worst > Duration::from_millis(20) || hasty {
            Judgement::warn(text)
        } else {
            Judgement::pass(text)
        })
    })
}

/// The search ends with the mate.
pub(super) fn mate(examination: &mut Examination) -> Result<Judgement, Broken> {
    // White mates in two: 1.Kg6 Kh8 2.Ra8 mate, or 1...Kf8 2.Ra8 mate.
    let position = "position fen 6k1/8/5K2/8/8/8/8/R7 w - - 0 1";
    examination.with(async |engine| {
        let mut search = engine.try_search(position, "go mate 2", Duration::from_secs(3)).await?;
        let found = matches!(search.score(), Some(InfoScore::Mate(1..=2)));
        if search.best.is_none() {
            engine.stop(&mut search).await?;
            return Ok(Judgement::warn(if found {
                "it found the mate and went on searching until `stop`"
            } else {
                "it did not end within 3 s"
            }));
        }
        Ok(if found {
            Judgement::pass(format!("mate in 2 after {}", ms(search.took())))
        } else {
            Judgement::warn("it ended without the mate in 2".to_owned())
        })
    })
}

/// Only the given moves are searched.
pub(super) fn searchmoves(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut found = Vec::new();
        // The moves come last, because some engines take everything after the word for a move.
        for go in ["go depth 5 searchmoves a2a3 h2h3", "go depth 5 searchmoves h2h3"] {
            let search = engine.search(MIDDLEGAME, go, SEARCH).await?;
            let best = search.best.unwrap_or_default();
            if !go.contains(&best) || best.is_empty() {
                return Ok(Judgement::warn(format!("`{go}` was answered by {best}")));
            }
            found.push(best);
        }
        Ok(Judgement::pass(format!("chose {}", found.join(", "))))
    })
}

/// The search goes on until `stop`, which ends it at once.
pub(super) fn infinite(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut slowest = Duration::ZERO;
        // Right after `go`, while it may still be starting, and in the middle of a search.
        for (position, wait) in [(MIDDLEGAME, 400), (MIDDLEGAME, 0), ("position startpos", 100)] {
            let mut search = engine.try_search(position, "go infinite", Duration::from_millis(wait)).await?;
            if search.best.is_some() {
                return Ok(Judgement::fail(format!(
                    "it answered without `stop` after {}",
                    ms(search.took())
                )));
            }
            slowest = slowest.max(engine.stop(&mut search).await?);
        }
        Ok(latency("`stop` took", slowest, [50, 500]))
    })
}

/// `isready` is answered while the engine searches.
pub(super) fn ready_in_search(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let mut search = engine.try_search(MIDDLEGAME, "go infinite", Duration::from_millis(100)).await?;
        let sent = engine.send(&["isready"]).await?;
        let took = answer_in_search(engine, &mut search, sent).await?;
        engine.stop(&mut search).await?;
        Ok(match took {
            Some(took) => latency("readyok took", took, [50, 500]),
            None => {
                Judgement::fail("no readyok within 2 s; it only reads its input between searches".to_owned())
            }
        })
    })
}

/// Waits for `readyok` during a search; returns how long it took.
async fn answer_in_search(
    engine: &mut RunningEngine,
    search: &mut Search,
    sent: tokio::time::Instant,
) -> Result<Option<Duration>, Broken> {
    loop {
        match engine.line(sent + Duration::from_secs(2)).await? {
            Some(line) if Reply::parse(&line.text) == Reply::ReadyOk => return Ok(Some(line.at - sent)),
            Some(line) => search.take(&line),
            None => return Ok(None),
        }
    }
}

/// The search goes on until `ponderhit` or `stop`.
pub(super) fn ponder(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        if engine.option("Ponder").is_none() {
            return Ok(Judgement::skip("it does not declare the option Ponder"));
        }
        engine.send(&["setoption name Ponder value true"]).await?;
        let go = "go ponder wtime 2000 btime 2000 winc 10 binc 10";
        let mut search = engine.try_search(MIDDLEGAME, go, Duration::from_millis(300)).await?;
        if search.best.is_some() {
            return Ok(Judgement::fail(format!("it answered without `stop` after {}", ms(search.took()))));
        }
        let hit = engine.send(&["ponderhit"]).await?;
        engine.follow(&mut search, hit + Duration::from_secs(3)).await?;
        let Some(ended) = search.ended else {
            return Err(Broken(format!(
                "no bestmove within {} after ponderhit",
                seconds(Duration::from_secs(3))
            )));
        };
        let answered = ended.saturating_duration_since(hit);
        let mut search = engine.try_search(MIDDLEGAME, go, Duration::from_millis(100)).await?;
        let stopped = engine.stop(&mut search).await?;
        engine.send(&["setoption name Ponder value false"]).await?;
        let text = format!("moved {} after ponderhit, {} after stop", ms(answered), ms(stopped));
        Ok(if answered > Duration::from_secs(2) || stopped > Duration::from_millis(500) {
            Judgement::fail(text)
        } else {
            Judgement::pass(text)
        })
    })
}

/// Reports arrive while the engine searches, not in one block at its end.
pub(super) fn flushed_output(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let search = engine.search(MIDDLEGAME, "go movetime 400", SEARCH).await?;
        let Some(((first, _), ended)) = search.infos.first().zip(search.ended) else {
            return Ok(Judgement::warn("it sends no reports"));
        };
        let before = ended.saturating_duration_since(*first);
        let text = format!("{} reports, the first {} before the move", search.infos.len(), ms(before));
        // An engine that answers at once has no time to be early.
        let late = before < Duration::from_millis(20) && search.took() > Duration::from_millis(100);
        Ok(if late {
            Judgement::fail(format!("{text}: its output is buffered"))
        } else {
            Judgement::pass(text)
        })
    })
}

fn latency(what: &str, time: Duration, [warn, fail]: [u64; 2]) -> Judgement {
    let text = format!("{what} {} at most", ms(time));
    if time > Duration::from_millis(fail) {
        Judgement::fail(text)
    } else if time > Duration::from_millis(warn) {
        Judgement::warn(text)
    } else {
        Judgement::pass(text)
    }
}
