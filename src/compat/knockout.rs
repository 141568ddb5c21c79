//! Knockout tournaments of cutechess-cli: the winner of a match meets the winner of another.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::chess::Color;
use crate::commands::{Environment, HostedParts, play_hosted};
use crate::compat::console::LineWriter;
use crate::compat::cutechess_lines::Outcomes;
use crate::compat::game_files::GameFiles;
use crate::compat::invocation::{Invocation, Tournament};
use crate::compat::play::SurfaceRun;
use crate::compat::surface_lines::warn_on_stderr;
use crate::game::EngineIndex;
use crate::journal::GameEntry;
use crate::player::DialogueTap;
use crate::report::reason_in_style;
use crate::run::{Observer, PgnStyle, Plan, RunEvent, RunKind, RunOutcome, RunView, StopStyle};
use crate::store::TempFolder;

/// Two places of a round; one is empty where there are fewer engines than places.
type Places = [Option<usize>; 2];

/// Plays the tournament of a run.
pub(super) fn play(run: &SurfaceRun, environment: &Environment) -> Result<RunOutcome, String> {
    let command = Invocation { tournament: Tournament::RoundRobin, ..run.command.clone() };
    let flat = run.with_command(command);
    let (plan, check) = flat.plan(environment)?;
    let folder = TempFolder::create("playself-knockout").map_err(|error| error.to_string())?;
    let out = LineWriter::stdout(run.stop.clone());
    flat.announce(&plan, &check, &out);
    let listening = flat.listen(&out)?;
    let engines = plan.engines.len();
    let report = KnockoutReport {
        out,
        files: GameFiles::open(&run.command).map_err(|error| error.to_string())?,
        outcomes: Outcomes::new(engines),
        games: 0,
        openings: 0,
        points: [0; 2],
    };
    let report = Arc::new(Mutex::new(report));
    let stages =
        Stages { run, environment, plan: &plan, folder: folder.path(), tap: listening.tap.clone(), report };
    let outcome = stages.play(&first_round(engines, plan.seed, run.command.seeds));
    if run.is_incomplete() {
        folder.keep();
    }
    outcome
}

/// Returns the pairings of the first round: the first `seeds` engines are as far apart as possible, the others drawn by lot.
fn first_round(engines: usize, seed: u64, seeds: u64) -> Vec<Places> {
    let mut ranks: Vec<usize> = (0..engines).collect();
    let (first, mut random) = (usize::try_from(seeds).unwrap_or(engines).min(engines), seed);
    for at in (first + 1..engines).rev() {
        // A linear congruential generator; its upper bits are good enough to draw lots.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ranks.swap(at, first + (random >> 33) as usize % (at + 1 - first));
    }
    let mut places = vec![0];
    while places.len() < engines {
        let last = 2 * places.len() - 1;
        places = places.iter().flat_map(|&rank| [rank, last - rank]).collect();
    }
    let at = |place: usize| ranks.get(place).copied();
    places.chunks(2).map(|pair| [at(pair[0]), pair.get(1).and_then(|&place| at(place))]).collect()
}

/// What all stages share.
struct KnockoutReport {
    out: LineWriter,
    files: GameFiles,
    outcomes: Outcomes,
    games: u64,
    openings: u64,
    /// Half points of the two engines of the current stage.
    points: [u64; 2],
}

/// A tournament in play.
struct Stages<'a> {
    run: &'a SurfaceRun,
    environment: &'a Environment,
    plan: &'a Plan,
    folder: &'a Path,
    tap: DialogueTap,
    report: Arc<Mutex<KnockoutReport>>,
}

/// A decided meeting.
struct Meeting {
    winner: usize,
    points: Option<[u64; 2]>,
}

impl Stages<'_> {
    fn lock(&self) -> MutexGuard<'_, KnockoutReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn play(&self, first: &[Places]) -> Result<RunOutcome, String> {
        let (mut pairings, mut rounds) = (first.to_vec(), Vec::new());
        loop {
            let mut meetings = Vec::new();
            for pairing in &pairings {
                match self.meet(*pairing)? {
                    Ok(meeting) => meetings.push(meeting),
                    Err(outcome) => {
                        self.end(first, &rounds);
                        return Ok(outcome);
                    }
                }
            }
            let winners: Vec<usize> = meetings.iter().map(|meeting| meeting.winner).collect();
            rounds.push(meetings);
            if winners.len() <= 1 {
                self.end(first, &rounds);
                return Ok(RunOutcome::Finished);
            }
            pairings = winners.chunks(2).map(|two| [Some(two[0]), two.get(1).copied()]).collect();
        }
    }

    /// Plays until one of two engines is ahead. An engine without an opponent wins. Returns the outcome of a run that was
    /// stopped.
    fn meet(&self, pairing: Places) -> Result<Result<Meeting, RunOutcome>, String> {
        let players = match pairing {
            [Some(one), Some(other)] => [one, other],
            [Some(winner), None] | [None, Some(winner)] => return Ok(Ok(Meeting { winner, points: None })),
            [None, None] => return Err("a round has a pairing without engines".to_owned()),
        };
        self.lock().points = [0; 2];
        let (each, mut played) = (self.run.command.games, 0);
        loop {
            let batch = match (played, each % 2) {
                (0, _) => each,
                (_, 0) => 2,
                _ => 1,
            };
            let outcome = self.stage(players, batch)?;
            if outcome != RunOutcome::Finished {
                return Ok(Err(outcome));
            }
            played += batch;
            let points = self.lock().points;
            if points[0] != points[1] {
                let winner = players[usize::from(points[1] > points[0])];
                return Ok(Ok(Meeting { winner, points: Some(points) }));
            }
        }
    }

    /// Plays some games of two engines as a run of its own.
    fn stage(&self, players: [usize; 2], games: u64) -> Result<RunOutcome, String> {
        let mut plan = self.plan.clone();
        plan.engines = players.map(|player| self.plan.engines[player].clone()).into();
        plan.kind = RunKind::Match { pairs: games };
        let offset = {
            let mut report = self.lock();
            if let Some(book) = &mut plan.openings {
                book.start += report.openings;
            }
            report.openings += games.div_ceil(self.run.command.repeat.unwrap_or(1).max(1));
            report.games
        };
        let lines = StageLines { report: Arc::clone(&self.report), players, offset };
        let parts = HostedParts {
            observers: vec![Box::new(lines)],
            stops: StopStyle::AtOnce,
            stop: Some(self.run.stop.clone()),
            tap: self.tap.clone(),
        };
        let folder = self.folder.join(format!("stage-{offset}"));
        let finished =
            play_hosted(plan, &folder, parts, self.environment).map_err(|error| error.to_string())?;
        Ok(finished.outcome)
    }

    /// Prints the bracket, the endings of all games and the last line.
    fn end(&self, first: &[Places], rounds: &[Vec<Meeting>]) {
        let mut report = self.lock();
        if let Err(error) = report.files.finish() {
            self.run.incomplete.store(true, Ordering::Relaxed);
            let folder = self.folder.display();
            warn_on_stderr(&format!(
                "games are missing in a file: {error}. `playself verify {folder}` writes them to its games.pgn"
            ));
        }
        report.out.put(&bracket(self.plan, first, rounds));
        report.out.put(&report.outcomes.text(self.plan));
        report.out.put("Finished match\n");
    }
}

/// Returns the bracket: names of the first round in the first column, winners of each round further to the right.
fn bracket(plan: &Plan, first: &[Places], rounds: &[Vec<Meeting>]) -> String {
    let name = |player: usize| plan.engines[player].spec.name.as_str();
    let mut lines: Vec<String> = Vec::new();
    for [one, other] in first {
        let text = |player: &Option<usize>| player.map_or("bye", name).to_owned();
        lines.extend([text(one), String::new(), text(other), String::new()]);
    }
    for (round, meetings) in rounds.iter().enumerate() {
        for (place, meeting) in meetings.iter().enumerate() {
            let line = (2 << round) - 1 + place * (4 << round);
            let score =
                meeting.points.map(|[one, other]| format!(" ({}-{})", one as f64 / 2.0, other as f64 / 2.0));
            if let Some(text) = lines.get_mut(line) {
                text.push_str(&"\t".repeat(2 * (round + 1)));
                text.push_str(name(meeting.winner));
                text.push_str(&score.unwrap_or_default());
            }
        }
    }
    lines.pop();
    lines.join("\n") + "\n"
}

/// The lines of one stage.
struct StageLines {
    report: Arc<Mutex<KnockoutReport>>,
    players: [usize; 2],
    /// Games of earlier stages.
    offset: u64,
}

impl StageLines {
    fn finished(&self, game: &GameEntry, plan: &Plan) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.offset + plan.game_number(game.pair, game.game);
        if let Err(error) = report.files.write(plan, number, game) {
            warn_on_stderr(&format!("games cannot be written, which is tried again: {error}"));
        }
        report.out.put(&format!(
            "Finished game {number} ({} vs {}): {} {{{}}}\n",
            plan.name_of(game.white),
            plan.name_of(game.black),
            game.ending.result,
            reason_in_style(&game.ending, PgnStyle::Cutechess)
        ));
        report.games += 1;
        for (side, engine) in [(Color::White, game.white), (Color::Black, game.black)] {
            report.points[engine.get()] += u64::from(game.ending.result.half_points(side));
        }
        let player = |engine: EngineIndex| EngineIndex(self.players[engine.get()] as u16);
        let mut among_all = game.clone();
        (among_all.white, among_all.black) = (player(game.white), player(game.black));
        report.outcomes.game(&among_all);
    }
}

impl Observer for StageLines {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::GameStarted { pair, game, white, black } => {
                let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
                let number = self.offset + view.plan.game_number(*pair, *game);
                let of = self.offset + view.plan.last_game().unwrap_or(0);
                let (white, black) = (view.plan.name_of(*white), view.plan.name_of(*black));
                report.out.put(&format!("Started game {number} of {of} ({white} vs {black})\n"));
            }
            RunEvent::GameFinished(game) => self.finished(game, view.plan),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_spares_the_first_engines() {
        assert_eq!(first_round(2, 1, 2), [[Some(0), Some(1)]]);
        assert_eq!(first_round(4, 1, 4), [[Some(0), Some(3)], [Some(1), Some(2)]]);
        assert_eq!(first_round(3, 1, 3), [[Some(0), None], [Some(1), Some(2)]]);
        let drawn = first_round(8, 7, 1);
        assert_eq!(drawn[0][0], Some(0));
        let mut all: Vec<usize> = drawn.into_iter().flatten().flatten().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..8));
    }
}
