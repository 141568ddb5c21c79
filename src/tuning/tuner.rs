//! The contract of all tuners: ask for a trial, tell its score, in any order, with the same result.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::stats::{Hypotheses, PairScore, SprtConfig};
use crate::tuning::bayes::{Bayes, BayesPlan};
use crate::tuning::coordinate_search::CoordinateSearch;
use crate::tuning::report::TuningReport;
use crate::tuning::space::{Settings, Space};
use crate::tuning::spsa::{Spsa, SpsaPlan};
use crate::tuning::trial::{Trial, TrialId};

/// How a tuner chooses what to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// A model of strength around the optimum; needs only names and ranges.
    Bayes(BayesPlan),
    /// Simultaneous perturbation with given gains.
    Spsa(SpsaPlan),
    /// Coordinate search: one parameter at a time, each step kept only if this test accepts it.
    #[serde(rename = "sweep")]
    CoordinateSearch(SprtConfig),
}

/// The normalized Elo between which a step of a sweep is tested: a step worth keeping shows within hundreds of pairs.
const SWEEP_TEST: [f64; 2] = [0.0, 20.0];

impl Method {
    /// The names that [`Method::named`] knows, the default first.
    pub const NAMES: [&str; 6] = ["bayes", "spsa", "fishtest", "openbench", "weather-factory", "sweep"];

    /// A method with its usual constants for a run of so many pairs; `None` for an unknown name.
    ///
    /// `spsa` is simultaneous perturbation with gains chosen by rule, `sweep` steps one parameter at a time; the
    /// others are what those tools do unless told.
    pub fn named(name: &str, space: &Space, pairs: u64) -> Option<Self> {
        let gains = SpsaPlan::usual_gains(space);
        Some(match name {
            "bayes" => Self::Bayes(BayesPlan::default()),
            "spsa" => Self::Spsa(SpsaPlan::automatic(space, pairs)),
            "fishtest" => Self::Spsa(SpsaPlan::fishtest(gains, pairs)),
            "openbench" => Self::Spsa(SpsaPlan::open_bench(gains, pairs)),
            "weather-factory" => Self::Spsa(SpsaPlan::weather_factory(gains)),
            "sweep" => {
                let strengths = Hypotheses::try_from(SWEEP_TEST).expect("they are in order");
                Self::CoordinateSearch(SprtConfig::usual(strengths))
            }
            _ => return None,
        })
    }
}

/// Everything a tuning run agrees on before the first game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunerPlan {
    /// What is tuned.
    pub space: Space,
    /// How.
    pub method: Method,
    /// The most pairs to play.
    pub pairs: u64,
    /// All that is random follows from it.
    pub seed: u64,
    /// Trial `k` is chosen from the scores of trials up to `k - lookahead`; so many pairs may be in play at once.
    pub lookahead: Lookahead,
}

/// How many pairs may be in play at once; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lookahead(std::num::NonZeroU64);

impl Lookahead {
    /// Every trial knows all earlier scores.
    pub const NONE: Self = Self(std::num::NonZeroU64::MIN);

    /// Room for `pairs` in play at once; 0 counts as 1.
    pub fn of(pairs: u64) -> Self {
        Self(std::num::NonZeroU64::new(pairs).unwrap_or(std::num::NonZeroU64::MIN))
    }

    /// Pairs in play at once.
    pub fn pairs(self) -> u64 {
        self.0.get()
    }
}

impl Default for Lookahead {
    /// Room for 64 pairs: more than the slots of a desk, too few to slow a run of thousands.
    fn default() -> Self {
        Self::of(64)
    }
}

/// A tuner's answer to "what next?".
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Play this.
    Play(Trial),
    /// Nothing can be asked before more scores are told.
    Wait,
    /// Nothing more will be asked.
    Finished,
}

/// A score that fits no open trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its field is")]
pub enum RecordError {
    #[error("trial {} was never asked for", .0.0)]
    NeverAsked(TrialId),
    #[error("trial {} was told before", .0.0)]
    AlreadyScored(TrialId),
}

/// A tuning run as an ask-and-tell machine.
///
/// The sequence of trials is a function of the plan and of the scores by trial number: neither the order in which
/// scores arrive nor the number of pairs in play at once can change it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuner {
    plan: TunerPlan,
    machine: Machine,
    asked: u64,
    learned: u64,
    stopped: bool,
    in_play: VecDeque<Trial>,
    told: BTreeMap<TrialId, PairScore>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Machine {
    Bayes(Bayes),
    Spsa(Spsa),
    CoordinateSearch(CoordinateSearch),
}

impl Machine {
    /// Whether more games would teach it nothing worth their time.
    fn is_done(&self) -> bool {
        match self {
            Self::Bayes(bayes) => bayes.is_sure_enough(),
            Self::Spsa(_) => false,
            Self::CoordinateSearch(sweep) => sweep.step().is_none(),
        }
    }
}

impl Tuner {
    /// A run at its start.
    pub fn new(plan: TunerPlan) -> Self {
        let machine = match &plan.method {
            Method::Bayes(bayes) => Machine::Bayes(Bayes::new(&plan.space, *bayes, plan.pairs)),
            Method::Spsa(spsa) => Machine::Spsa(Spsa::new(&plan.space, spsa.clone())),
            Method::CoordinateSearch(test) => {
                Machine::CoordinateSearch(CoordinateSearch::new(plan.space.clone(), *test))
            }
        };
        Self {
            plan,
            machine,
            asked: 0,
            learned: 0,
            stopped: false,
            in_play: VecDeque::new(),
            told: BTreeMap::new(),
        }
    }

    /// What was agreed on.
    pub fn plan(&self) -> &TunerPlan {
        &self.plan
    }

    /// The next trial, if the scores it depends on are known.
    pub fn ask(&mut self) -> Ask {
        if self.asked >= self.plan.pairs || self.stopped {
            return Ask::Finished;
        }
        // Exactly this many scores are learned before the trial is chosen, however many are known already.
        let due = (self.asked + 1).saturating_sub(self.plan.lookahead.pairs());
        while self.learned < due {
            if !self.learn_next() {
                return Ask::Wait;
            }
        }
        if self.machine.is_done() {
            self.stopped = true;
            return Ask::Finished;
        }
        let id = TrialId(self.asked);
        let trial = match &mut self.machine {
            Machine::Bayes(bayes) => bayes.propose(&self.plan.space, id, self.plan.seed),
            Machine::Spsa(spsa) => spsa.propose(&self.plan.space, id, self.plan.seed),
            Machine::CoordinateSearch(sweep) => {
                let step = sweep.step().expect("it is not done");
                Trial { id, plus: step.candidate.clone(), minus: step.baseline.clone() }
            }
        };
        self.asked += 1;
        self.in_play.push_back(trial.clone());
        Ask::Play(trial)
    }

    /// Takes the score of a trial, from the side of its `plus`.
    pub fn record(&mut self, id: TrialId, score: PairScore) -> Result<(), RecordError> {
        if id.0 >= self.asked {
            return Err(RecordError::NeverAsked(id));
        }
        if id.0 < self.learned || self.told.contains_key(&id) {
            return Err(RecordError::AlreadyScored(id));
        }
        self.told.insert(id, score);
        Ok(())
    }

    /// Learns what the remaining told scores teach, once no more trials will be asked for.
    pub fn finish(&mut self) {
        while self.learn_next() {}
        if let Machine::Bayes(bayes) = &mut self.machine {
            bayes.fit(&self.plan.space);
            bayes.settle();
        }
    }

    /// Pairs told so far.
    pub fn pairs_scored(&self) -> u64 {
        self.learned + self.told.len() as u64
    }

    /// The best settings known, as an engine can be given them.
    pub fn best(&self) -> Settings {
        match &self.machine {
            Machine::Bayes(bayes) => bayes.best(&self.plan.space),
            Machine::Spsa(spsa) => self.plan.space.nearest(spsa.centre()),
            Machine::CoordinateSearch(sweep) => sweep.kept().clone(),
        }
    }

    /// What the run has found so far.
    pub fn report(&self) -> TuningReport {
        let (told, most) = (self.pairs_scored(), self.plan.pairs);
        match &self.machine {
            Machine::Bayes(bayes) => bayes.report(&self.plan.space, told, most),
            Machine::Spsa(_) | Machine::CoordinateSearch(_) => {
                TuningReport::without_model(&self.plan.space, &self.best(), told, most)
            }
        }
    }

    /// What the run would report if it ended now: every score told counts, also those that no trial has waited for.
    pub fn final_report(&self) -> TuningReport {
        self.finished().report()
    }

    /// The run as it would be if it ended now.
    pub fn finished(&self) -> Self {
        let mut tuner = self.clone();
        tuner.finish();
        tuner
    }

    fn learn_next(&mut self) -> bool {
        let Some(score) = self.told.remove(&TrialId(self.learned)) else { return false };
        let trial = self.in_play.pop_front().expect("a told trial is in play");
        match &mut self.machine {
            Machine::Bayes(bayes) => bayes.learn(&self.plan.space, &trial, score),
            Machine::Spsa(spsa) => spsa.learn(&self.plan.space, &trial, score),
            // A step is judged by its own pairs: those still in play when it was decided came too late.
            Machine::CoordinateSearch(sweep) if sweep.step().is_some_and(|step| step.is_tried_by(&trial)) => {
                sweep.record(score);
            }
            Machine::CoordinateSearch(_) => {}
        }
        self.learned += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;
    use crate::tuning::{Landscape, SimulatedGames, TuneSimulation, standard_landscapes};

    fn plan(method: &str, lookahead: u64) -> TunerPlan {
        let space = standard_landscapes().swap_remove(1).landscape.space().clone();
        let method = Method::named(method, &space, 400).unwrap();
        TunerPlan { space, method, pairs: 400, seed: 5, lookahead: Lookahead::of(lookahead) }
    }

    /// A score that belongs to the trial's number, as real games' belong to their openings.
    fn score(trial: &Trial) -> PairScore {
        PairScore::ALL[(Random::of_item(1, trial.id.0).bits() % 5) as usize]
    }

    /// Plays a run with so many pairs in play, told back in an order that depends on chance.
    fn trials(plan: TunerPlan, slots: usize) -> (Vec<Trial>, Tuner) {
        let (mut tuner, mut chance) = (Tuner::new(plan), Random::new(slots as u64));
        let (mut asked, mut in_play) = (Vec::new(), Vec::new());
        loop {
            match if in_play.len() < slots { tuner.ask() } else { Ask::Wait } {
                Ask::Play(trial) => {
                    asked.push(trial.clone());
                    in_play.push(trial);
                }
                Ask::Wait | Ask::Finished if !in_play.is_empty() => {
                    let trial = in_play.swap_remove(chance.bits() as usize % in_play.len());
                    tuner.record(trial.id, score(&trial)).unwrap();
                }
                Ask::Wait | Ask::Finished => break,
            }
        }
        tuner.finish();
        (asked, tuner)
    }

    #[test]
    fn a_plan_names_its_method_as_earlier_versions_did() {
        for (name, tag) in [("bayes", "bayes"), ("fishtest", "spsa"), ("sweep", "sweep")] {
            let written = serde_json::to_value(plan(name, 8).method).unwrap();
            assert_eq!(written["method"], tag, "{written}");
        }
    }

    #[test]
    fn trials_are_the_same_at_any_concurrency() {
        for method in Method::NAMES {
            let (alone, end) = trials(plan(method, 8), 1);
            for slots in [2, 8, 50] {
                let (asked, tuner) = trials(plan(method, 8), slots);
                assert_eq!(asked, alone, "{method} with {slots} slots");
                assert_eq!(tuner.best(), end.best());
            }
        }
    }

    #[test]
    fn a_trial_never_depends_on_scores_within_its_lookahead() {
        let (alone, _) = trials(plan("bayes", 8), 1);
        let mut tuner = Tuner::new(plan("bayes", 8));
        for trial in &alone[..8] {
            assert_eq!(tuner.ask(), Ask::Play(trial.clone()));
        }
        assert_eq!(tuner.ask(), Ask::Wait);
        tuner.record(TrialId(5), score(&alone[5])).unwrap();
        assert_eq!(tuner.ask(), Ask::Wait, "the first score is still missing");
        tuner.record(TrialId(0), score(&alone[0])).unwrap();
        assert_eq!(tuner.ask(), Ask::Play(alone[8].clone()));
    }

    #[test]
    fn a_recorded_run_replays_to_the_same_state() {
        for method in Method::NAMES {
            let (alone, _) = trials(plan(method, 8), 3);
            let stopped_after = 250;
            let (mut first, mut second) = (Tuner::new(plan(method, 8)), Tuner::new(plan(method, 8)));
            for trial in &alone[..stopped_after] {
                first.ask();
                first.record(trial.id, score(trial)).unwrap();
            }
            // The record tells the same scores, only later: eight trials are asked for ahead of each.
            for trial in &alone[..stopped_after] {
                while second.asked < (trial.id.0 + 8).min(stopped_after as u64) {
                    assert!(matches!(second.ask(), Ask::Play(_)));
                }
                second.record(trial.id, score(trial)).unwrap();
            }
            assert_eq!(first.ask(), second.ask(), "{method}");
            assert_eq!(first, second, "{method}");
        }
    }

    #[test]
    fn scores_for_unknown_trials_and_second_scores_are_refused() {
        let mut tuner = Tuner::new(plan("bayes", 8));
        assert_eq!(tuner.record(TrialId(0), PairScore::EVEN), Err(RecordError::NeverAsked(TrialId(0))));
        tuner.ask();
        tuner.record(TrialId(0), PairScore::EVEN).unwrap();
        assert_eq!(tuner.record(TrialId(0), PairScore::WON), Err(RecordError::AlreadyScored(TrialId(0))));
    }

    #[test]
    fn the_model_finds_more_than_others_and_does_no_harm() {
        let tried = |landscape: &Landscape, games: &[SimulatedGames], method: &str| {
            let method = Method::named(method, landscape.space(), 5_000).unwrap();
            let (landscape, games, lookahead) = (landscape.clone(), games.to_vec(), Lookahead::default());
            let runs = TuneSimulation { landscape, games, method, pairs: 5_000, lookahead, seed: 3 }.run(6);
            runs.iter().map(|run| run.end.0).sum::<f64>() / 6.0
        };
        let standard_landscapes = standard_landscapes();
        let (sloped, flat) = (&standard_landscapes[1], &standard_landscapes[6]);
        let ours = tried(&sloped.landscape, &sloped.games, "bayes");
        for other in &Method::NAMES[1..] {
            let theirs = tried(&sloped.landscape, &sloped.games, other);
            assert!(ours > theirs + 1.0, "{other}: {theirs}, ours {ours}");
        }
        assert!(tried(&flat.landscape, &flat.games, "bayes") > -0.3);
    }
}
