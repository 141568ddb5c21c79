//! How often a candidate without any gain passes a test at fixed nodes, with books of several sizes: simulated games through
//! the state, the schedule and the recognition of repeats of real runs.

use super::tests::{games, plan, start};
use super::*;
use crate::opening::AfterBook;
use crate::run::outcome::RunOutcome;
use crate::stats::{Elo, GameModel, Hypotheses, Hypothesis, PairOdds, Random};

/// A test of `null` Elo candidates with a book, repeated.
struct FalsePasses {
    openings: u64,
    after_book: AfterBook,
    elo1: f64,
}

/// Pairs in play at once.
const AT_ONCE: usize = 3;

impl FalsePasses {
    /// Plays one test. At fixed nodes the result of a pair follows from its opening. Returns the accepted hypothesis.
    fn test(&self, number: u64, odds: &PairOdds) -> Option<Hypothesis> {
        let sprt = SprtConfig::usual(Hypotheses::new(0.0, self.elo1).unwrap());
        // Repeated often enough, the same results may stay between the bounds for ever.
        let most = (self.after_book == AfterBook::Count).then_some(100 * self.openings);
        let mut state = RunState::new(&Plan { after_book: self.after_book, ..plan(most, Some(sprt)) });
        let (mut flying, mut random) = (Vec::new(), Random::new(number));
        loop {
            while flying.len() < AT_ONCE
                && let Some(id) = start(&mut state)
            {
                flying.push(id);
            }
            if flying.is_empty() {
                break;
            }
            // Pairs end in any order. If the newest always ended first, the others would never end, and nothing would count.
            let id = flying.swap_remove((random.bits() % flying.len() as u64) as usize);
            state.landed(id);
            let round = state.schedule.fixture(id.index).round;
            let (turn, cycle) = (round % self.openings, round / self.openings);
            let opening = match self.after_book {
                AfterBook::Stop if cycle > 0 => {
                    state.end_before(id.index);
                    continue;
                }
                AfterBook::Extend => turn + self.openings * cycle,
                _ => turn,
            };
            let score = odds.draw(&mut Random::of_item(number, opening));
            let played = PairId { index: opening, ..id };
            for entry in games(played, score.half_points()) {
                let Entry::Game(mut game) = entry else { continue };
                game.pair = id.index;
                state.commit(Entry::Game(game));
            }
        }
        match state.outcome() {
            Some(RunOutcome::Decided(decision)) => Some(decision.accepted),
            _ => None,
        }
    }

    /// Returns the share of tests that pass, and of those that do not decide.
    fn shares(&self, runs: u64) -> (f64, f64) {
        let odds = GameModel::balanced().odds(Elo(0.0));
        let ends: Vec<_> = (0..runs).map(|number| self.test(number, &odds)).collect();
        let share =
            |end: Option<Hypothesis>| ends.iter().filter(|one| **one == end).count() as f64 / runs as f64;
        (share(Some(Hypothesis::Alternative)), share(None))
    }
}

#[test]
fn a_small_book_makes_no_more_false_passes_than_a_large_one() {
    // 30 openings for tests of about 60 pairs. Counted again, they pass three times as often.
    for (after_book, passes, undecided) in [
        (AfterBook::Extend, 0.02..0.085, 0.0..0.001),
        (AfterBook::Repeat, 0.0..0.085, 0.3..1.0),
        (AfterBook::Stop, 0.0..0.085, 0.3..1.0),
        (AfterBook::Count, 0.12..0.5, 0.0..0.3),
    ] {
        let (passed, open) = FalsePasses { openings: 30, after_book, elo1: 70.0 }.shares(400);
        assert!(passes.contains(&passed) && undecided.contains(&open), "{after_book:?}: {passed} {open}");
    }
}

#[test]
#[ignore = "thousands of tests of thousands of pairs; `just sim-false-passes`"]
fn false_passes_stay_below_five_and_a_half_per_cent_with_any_book() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let runs = variable("PLAYSELF_FALSE_PASS_RUNS").unwrap_or(2_000);
    let elo1 = variable("PLAYSELF_FALSE_PASS_ELO1").unwrap_or(10) as f64;
    for openings in [600, 2_400, 20_000] {
        for after_book in [AfterBook::Extend, AfterBook::Repeat] {
            let (passed, open) = FalsePasses { openings, after_book, elo1 }.shares(runs);
            let line =
                format!("{openings} openings, {after_book:?}: passed {passed:.4}, undecided {open:.4}");
            println!("[0, {elo1}] {line}, {runs} tests");
            assert!(passed <= 0.055, "{line}");
        }
    }
}
