//! What follows from the conduct of workers.

use super::*;

#[test]
fn row_208_a_game_without_a_move_for_too_long_is_void_and_one_that_goes_on_is_not() {
    let mut ledger = new_ledger();
    for pair in 0..3 {
        ledger.submit(job(pair));
        ledger.report(at(1), pair, &name("oak"), claim("oak", pair, 1));
    }
    done(&mut ledger);
    for second in (10..=610).step_by(10) {
        let mut sign = beat("oak", 1, &[token(0, 1), token(1, 1)], &[token(2, 1)]);
        sign.playing[1].plies = second;
        ledger.beat(at(second), &name("oak"), sign);
        ledger.tick(at(second));
    }
    let events = done(&mut ledger);
    let voids: Vec<&String> = events.iter().filter(|text| text.starts_with("void")).collect();
    assert_eq!(voids.len(), 1, "{events:?}");
    assert!(
        voids[0].contains("void 0 oak") && voids[0].contains("no move in 600 s on worker oak"),
        "{voids:?}"
    );
    ledger.settle(PairId::both(0, 0));
    assert_eq!(done(&mut ledger), ["oak counted 0.1"]);
}

#[test]
fn a_banned_worker_loses_its_pairs_to_the_next_and_a_freed_one_may_play() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    ledger.report(at(1), 1, &name("oak"), claim("oak", 0, 1));
    ledger.beat(at(2), &name("oak"), beat("oak", 1, &[token(0, 1)], &[]));
    done(&mut ledger);
    ledger.ban(&name("oak"));
    assert_eq!(done(&mut ledger), ["excluded oak", "oak stale 0.1"]);
    ledger.report(at(3), 2, &name("oak"), result("oak", 0, 1));
    assert_eq!(done(&mut ledger), ["ack 2", "oak stale 0.1"]);
    ledger.report(at(4), 3, &name("elm"), claim("elm", 0, 2));
    assert_eq!(done(&mut ledger), ["ack 3", "claimed 0 elm"]);
    assert!(ledger.free(&name("oak")) && ledger.excluded().is_empty());
}

#[test]
fn a_worker_that_was_only_cut_off_is_not_lost_on_a_pair() {
    let mut ledger = new_ledger();
    ledger.submit(job(0));
    for (delivery, worker) in (1..).zip(["ash", "elm", "fir", "oak"]) {
        ledger.beat(at(100 * delivery), &name(worker), beat(worker, 1, &[], &[]));
        ledger.report(at(100 * delivery), delivery, &name(worker), claim(worker, 0, delivery));
    }
    ledger.beat(at(499), &name("ash"), beat("ash", 1, &[], &[]));
    ledger.report(at(500), 5, &name("yew"), claim("yew", 0, 5));
    assert!(!done(&mut ledger).iter().any(|text| text.starts_with("void")));
}

/// A run in which every pair is played by two workers.
struct Audited {
    ledger: Ledger,
    messages: u64,
}

impl Audited {
    fn new(workers: &[&str]) -> Self {
        let mut ledger = Ledger::new(Terms { audit: 1.0, ..terms() });
        for worker in workers {
            ledger.beat(at(1), &name(worker), beat(worker, 1, &[], &[]));
        }
        done(&mut ledger);
        Self { ledger, messages: 0 }
    }

    /// Plays a pair on one worker and again on another; those that lie report other moves.
    fn play(&mut self, pair: u64, workers: [&str; 2], lies: [bool; 2]) -> Vec<String> {
        self.ledger.submit(job(pair));
        for (audit, (worker, lies)) in workers.into_iter().zip(lies).enumerate() {
            self.messages += 1;
            let mut games = games(&job(pair));
            if lies {
                // Another way to the same mate.
                games[1].moves = "f2f3e7e6g2g4d8h4".to_owned();
            }
            let attempt = if audit == 0 { 0 } else { super::super::audit::ATTEMPT };
            let token = Token { pair, attempt, delivery: 1 };
            let report = WorkerReport::Pair { worker: name(worker), token, games, bundles: Vec::new() };
            self.ledger.report(at(2), self.messages, &name(worker), report);
            self.ledger.settle(PairId::both(pair, 0));
        }
        done(&mut self.ledger)
    }
}

#[test]
fn row_232_a_worker_that_plays_other_games_than_those_that_agree_is_excluded() {
    let mut run = Audited::new(&["ash", "elm", "fox", "oak"]);
    let actions = run.play(0, ["ash", "elm"], [false, false]);
    assert!(actions.contains(&"publish 0 0 First".to_owned()), "{actions:?}");
    assert_eq!(actions.iter().filter(|text| text.starts_with("received")).count(), 1, "{actions:?}");
    run.play(1, ["elm", "oak"], [false, false]);
    let actions = run.play(2, ["fox", "ash"], [true, false]);
    assert!(
        actions.iter().any(|text| text.contains("pair 3 was played differently by fox and ash")),
        "{actions:?}"
    );
    assert!(run.ledger.excluded().is_empty(), "one against one");
    run.play(3, ["oak", "fox"], [false, true]);
    assert_eq!(run.ledger.excluded(), [name("fox")]);
}

#[test]
fn engines_that_never_play_the_same_games_exclude_nobody() {
    let mut run = Audited::new(&["ash", "elm", "oak"]);
    for (pair, workers) in (0..).zip([["ash", "elm"], ["elm", "oak"], ["oak", "ash"], ["ash", "oak"]]) {
        run.play(pair, workers, [false, true]);
    }
    assert!(run.ledger.excluded().is_empty());
}

#[test]
fn a_single_worker_is_not_asked_to_play_its_pairs_again() {
    let mut run = Audited::new(&["ash"]);
    let actions = run.play(0, ["ash", "ash"], [false, false]);
    assert_eq!(actions.iter().filter(|text| text.starts_with("publish")).count(), 1, "{actions:?}");
}
