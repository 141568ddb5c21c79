//! The interface of all tuners: ask for trials, record their scores in any order, with the same result.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::stats::{Hypotheses, PairScore, SprtConfig};
use crate::tuning::bayes::{Bayes, BayesPlan};
use crate::tuning::coordinate_search::CoordinateSearch;
use crate::tuning::earlier::EarlierPairs;
use crate::tuning::report::TuningReport;
use crate::tuning::rivals::{Clop, CmaEs, ScheduleFree};
use crate::tuning::space::{Settings, Space};
use crate::tuning::spsa::{Spsa, SpsaPlan};
use crate::tuning::trial::{Trial, TrialId};

/// The tuning method, with its constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// Bayesian model of strength around the optimum; needs only names and ranges.
    Bayes(BayesPlan),
    /// Simultaneous perturbation stochastic approximation (SPSA) with given gains.
    Spsa(SpsaPlan),
    /// Coordinate search: one parameter at a time, each step kept only if this test accepts it.
    #[serde(rename = "sweep")]
    CoordinateSearch(SprtConfig),
    /// SPSA with constant gains, whose result is an average.
    ScheduleFree,
    /// Local quadratic regression against the start, after CLOP.
    Clop,
    /// Separable CMA-ES with a match as the fitness.
    CmaEs,
}

/// SPRT bounds in normalized Elo for one step of a coordinate search: a step worth keeping passes within hundreds of
/// pairs.
const STEP_TEST: [f64; 2] = [0.0, 20.0];

impl Method {
    /// The names that [`Method::named`] accepts, the default first.
    pub const NAMES: [&str; 9] = [
        "bayes",
        "spsa",
        "fishtest",
        "openbench",
        "weather-factory",
        "schedule-free",
        "clop",
        "cma-es",
        "sweep",
    ];

    /// Returns a method with its default constants for a run of `pairs` pairs; `None` for an unknown name.
    ///
    /// `spsa` is simultaneous perturbation with gains chosen by fishtest's automatic rule. `schedule-free`, `clop` and
    /// `cma-es` are after the methods of that name. `sweep` is a coordinate search. The others are simultaneous
    /// perturbation with the defaults of the tool of that name.
    pub fn named(name: &str, space: &Space, pairs: u64) -> Option<Self> {
        let gains = SpsaPlan::default_gains(space);
        Some(match name {
            "bayes" => Self::Bayes(BayesPlan::default()),
            "spsa" => Self::Spsa(SpsaPlan::automatic(space, pairs)),
            "fishtest" => Self::Spsa(SpsaPlan::fishtest(gains, pairs)),
            "openbench" => Self::Spsa(SpsaPlan::open_bench(gains, pairs)),
            "weather-factory" => Self::Spsa(SpsaPlan::weather_factory(gains)),
            "schedule-free" => Self::ScheduleFree,
            "clop" => Self::Clop,
            "cma-es" => Self::CmaEs,
            "sweep" => {
                let bounds = Hypotheses::try_from(STEP_TEST).expect("the bounds are in ascending order");
                Self::CoordinateSearch(SprtConfig::usual(bounds))
            }
            _ => return None,
        })
    }
}

/// The complete configuration of a tuning run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunerPlan {
    /// The parameters to tune.
    pub space: Space,
    /// The tuning method.
    pub method: Method,
    /// Maximum number of pairs.
    pub pairs: u64,
    /// Random seed.
    pub seed: u64,
    /// Trial `k` is chosen from the scores of trials up to `k - lookahead`, so at most `lookahead` pairs may be in play
    /// at once.
    pub lookahead: Lookahead,
    /// Pairs of earlier runs to learn from first; only the Bayesian tuner does.
    #[serde(default, skip_serializing_if = "EarlierPairs::is_empty")]
    pub earlier: EarlierPairs,
}

/// Maximum number of pairs in play at once; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lookahead(std::num::NonZeroU64);

impl Lookahead {
    /// One pair at a time: every trial depends on all earlier scores.
    pub const NONE: Self = Self(std::num::NonZeroU64::MIN);

    /// Allows `pairs` pairs in play at once; 0 counts as 1.
    pub fn of(pairs: u64) -> Self {
        Self(std::num::NonZeroU64::new(pairs).unwrap_or(std::num::NonZeroU64::MIN))
    }

    /// Returns the look-ahead of a run of `pairs` pairs on many machines: a tenth of them, which costs the tuners nothing
    /// measurable.
    pub fn for_fleet(pairs: u64) -> Self {
        Self::of(Self::default().pairs().max(pairs / 10))
    }

    /// Returns the number of pairs that may be in play at once.
    pub fn pairs(self) -> u64 {
        self.0.get()
    }
}

impl Default for Lookahead {
    /// 64 pairs: more than the slots of a desktop machine, and few enough not to slow down a run of thousands of pairs.
    fn default() -> Self {
        Self::of(64)
    }
}

/// The result of [`Tuner::ask`].
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Play this trial.
    Play(Trial),
    /// The next trial depends on scores that are not recorded yet.
    Wait,
    /// There are no more trials.
    Finished,
}

/// Why a score was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum RecordError {
    #[error("trial {} has not been proposed", .0.0)]
    NotProposed(TrialId),
    #[error("trial {} already has a score", .0.0)]
    AlreadyScored(TrialId),
}

/// A tuning run in progress.
///
/// The sequence of trials is a function of the plan and of the scores by trial number. It depends neither on the order
/// in which scores arrive nor on the number of pairs in play at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuner {
    plan: TunerPlan,
    machine: Machine,
    asked: u64,
    learned: u64,
    stopped: bool,
    in_play: VecDeque<Trial>,
    /// Scores that are recorded but not learned from yet.
    scores: BTreeMap<TrialId, PairScore>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Machine {
    Bayes(Bayes),
    Spsa(Spsa),
    CoordinateSearch(CoordinateSearch),
    ScheduleFree(ScheduleFree),
    Clop(Clop),
    CmaEs(CmaEs),
}

impl Machine {
    /// Whether further games would not improve the result enough to be worth playing.
    fn is_done(&self) -> bool {
        match self {
            Self::Bayes(bayes) => bayes.has_converged(),
            Self::Spsa(_) | Self::ScheduleFree(_) | Self::Clop(_) | Self::CmaEs(_) => false,
            Self::CoordinateSearch(search) => search.step().is_none(),
        }
    }
}

impl Tuner {
    /// Creates a tuner that has no scores yet.
    pub fn new(plan: TunerPlan) -> Self {
        let machine = match &plan.method {
            Method::Bayes(bayes) => {
                let pairs = plan.pairs.saturating_add(plan.earlier.len() as u64);
                let mut bayes = Bayes::new(&plan.space, *bayes, pairs);
                for (trial, score) in plan.earlier.trials(&plan.space) {
                    bayes.learn(&plan.space, &trial, score);
                }
                Machine::Bayes(bayes)
            }
            Method::Spsa(spsa) => Machine::Spsa(Spsa::new(&plan.space, spsa.clone())),
            Method::CoordinateSearch(test) => {
                Machine::CoordinateSearch(CoordinateSearch::new(plan.space.clone(), *test))
            }
            Method::ScheduleFree => Machine::ScheduleFree(ScheduleFree::new(&plan.space, plan.pairs)),
            Method::Clop => Machine::Clop(Clop::new(&plan.space)),
            Method::CmaEs => Machine::CmaEs(CmaEs::new(&plan.space, plan.pairs)),
        };
        Self {
            plan,
            machine,
            asked: 0,
            learned: 0,
            stopped: false,
            in_play: VecDeque::new(),
            scores: BTreeMap::new(),
        }
    }

    /// Returns the configuration of the run.
    pub fn plan(&self) -> &TunerPlan {
        &self.plan
    }

    /// Returns the next trial, if the scores it depends on are recorded.
    pub fn ask(&mut self) -> Ask {
        if self.asked >= self.plan.pairs || self.stopped {
            return Ask::Finished;
        }
        // Exactly this many scores are learned before the trial is chosen, even if more are recorded already.
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
            Machine::ScheduleFree(tuner) => tuner.propose(&self.plan.space, id, self.plan.seed),
            Machine::Clop(tuner) => tuner.propose(&self.plan.space, id, self.plan.seed),
            Machine::CmaEs(tuner) => tuner.propose(&self.plan.space, id, self.plan.seed),
            Machine::CoordinateSearch(search) => {
                let step = search.step().expect("a search that is not done has a step");
                Trial { id, plus: step.candidate.clone(), minus: step.baseline.clone() }
            }
        };
        self.asked += 1;
        self.in_play.push_back(trial.clone());
        Ask::Play(trial)
    }

    /// Records the score of a trial, from the point of view of its `plus` side.
    pub fn record(&mut self, id: TrialId, score: PairScore) -> Result<(), RecordError> {
        if id.0 >= self.asked {
            return Err(RecordError::NotProposed(id));
        }
        if id.0 < self.learned || self.scores.contains_key(&id) {
            return Err(RecordError::AlreadyScored(id));
        }
        self.scores.insert(id, score);
        Ok(())
    }

    /// Learns from the remaining scores and updates the estimates; called when no more trials will be asked for.
    pub fn finish(&mut self) {
        while self.learn_next() {}
        if let Machine::Bayes(bayes) = &mut self.machine {
            bayes.fit(&self.plan.space);
            bayes.update_intervals();
        }
    }

    /// Returns the number of pairs with a recorded score.
    pub fn pairs_scored(&self) -> u64 {
        self.learned + self.scores.len() as u64
    }

    /// Returns the best settings so far, rounded to values that an engine accepts.
    pub fn best(&self) -> Settings {
        match &self.machine {
            Machine::Bayes(bayes) => bayes.best(&self.plan.space),
            Machine::Spsa(spsa) => self.plan.space.nearest(spsa.centre()),
            Machine::CoordinateSearch(search) => search.kept().clone(),
            Machine::ScheduleFree(tuner) => tuner.best(&self.plan.space),
            Machine::Clop(tuner) => tuner.best(&self.plan.space),
            Machine::CmaEs(tuner) => tuner.best(&self.plan.space),
        }
    }

    /// Returns the results of the scores learned so far.
    pub fn report(&self) -> TuningReport {
        let (scored, max_pairs) = (self.pairs_scored(), self.plan.pairs);
        match &self.machine {
            Machine::Bayes(bayes) => {
                // The model counts the earlier pairs, too.
                let earlier = self.plan.earlier.len() as u64;
                let report =
                    bayes.report(&self.plan.space, scored + earlier, max_pairs.saturating_add(earlier));
                TuningReport { pairs_scored: scored, ..report }
            }
            _ => TuningReport::without_model(&self.plan.space, &self.best(), scored, max_pairs),
        }
    }

    /// Returns the report of a run that ends now: it includes all recorded scores, also those not learned from yet.
    pub fn final_report(&self) -> TuningReport {
        self.finished().report()
    }

    /// Returns a copy of the tuner as it would be if the run ended now.
    pub fn finished(&self) -> Self {
        let mut tuner = self.clone();
        tuner.finish();
        tuner
    }

    fn learn_next(&mut self) -> bool {
        let Some(score) = self.scores.remove(&TrialId(self.learned)) else { return false };
        let trial = self.in_play.pop_front().expect("a trial with a score is in play");
        match &mut self.machine {
            Machine::Bayes(bayes) => bayes.learn(&self.plan.space, &trial, score),
            Machine::Spsa(spsa) => spsa.learn(&self.plan.space, &trial, score),
            Machine::ScheduleFree(tuner) => tuner.learn(&self.plan.space, &trial, score),
            Machine::Clop(tuner) => tuner.learn(&self.plan.space, &trial, score),
            Machine::CmaEs(tuner) => tuner.learn(&trial, score),
            // Only the pairs of the current step count for its test. Pairs that were in play when an earlier step was
            // decided are dropped.
            Machine::CoordinateSearch(search)
                if search.step().is_some_and(|step| step.is_played_by(&trial)) =>
            {
                search.record(score);
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
    use crate::tuning::{
        EarlierPair, Landscape, Parameter, SimulatedGames, Space, TuneSimulation, standard_landscapes,
    };

    fn plan(method: &str, lookahead: u64) -> TunerPlan {
        let space = standard_landscapes().swap_remove(1).landscape.space().clone();
        let method = Method::named(method, &space, 400).unwrap();
        let lookahead = Lookahead::of(lookahead);
        TunerPlan { space, method, pairs: 400, seed: 5, lookahead, earlier: EarlierPairs::default() }
    }

    /// A score that depends only on the number of the trial, as real games depend on their openings.
    fn score(trial: &Trial) -> PairScore {
        PairScore::ALL[(Random::of_item(1, trial.id.0).bits() % 5) as usize]
    }

    /// Plays a run with `slots` pairs in play, whose scores are recorded in random order.
    fn trials(plan: TunerPlan, slots: usize) -> (Vec<Trial>, Tuner) {
        let (mut tuner, mut random) = (Tuner::new(plan), Random::new(slots as u64));
        let (mut asked, mut in_play) = (Vec::new(), Vec::new());
        loop {
            match if in_play.len() < slots { tuner.ask() } else { Ask::Wait } {
                Ask::Play(trial) => {
                    asked.push(trial.clone());
                    in_play.push(trial);
                }
                Ask::Wait | Ask::Finished if !in_play.is_empty() => {
                    let trial = in_play.swap_remove(random.bits() as usize % in_play.len());
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
            // The second run records the same scores later: eight trials are requested ahead of each.
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
    fn a_run_that_learns_from_an_earlier_one_starts_where_that_ended() {
        let (asked, end) = trials(plan("bayes", 8), 1);
        let pairs = asked.iter().map(|trial| EarlierPair {
            plus: trial.plus.clone(),
            minus: trial.minus.clone(),
            score: score(trial),
        });
        let cold = plan("bayes", 8);
        let earlier = EarlierPairs::new(pairs.collect(), cold.space.len());
        let mut warm = Tuner::new(TunerPlan { earlier, pairs: 100, ..cold });
        warm.finish();
        // Only the perturbations depend on the budget, and the pairs are those of the earlier run.
        assert_eq!(warm.best(), end.best());
        assert_eq!((warm.pairs_scored(), warm.report().pairs_scored), (0, 0));
        assert!(warm.report().remaining_loss < Tuner::new(plan("bayes", 8)).report().remaining_loss);
        // Ranges may change: the same values are other offsets.
        let wider = warm.plan().space.parameters().iter().map(|parameter| Parameter {
            min: parameter.min - 100.0,
            max: parameter.max + 100.0,
            ..parameter.clone()
        });
        let space = Space::new(wider.collect()).unwrap();
        let mut wide = Tuner::new(TunerPlan { space, ..warm.plan().clone() });
        wide.finish();
        assert_ne!(wide.best(), wide.plan().space.start());
    }

    #[test]
    fn a_score_for_an_unknown_trial_and_a_second_score_are_refused() {
        let mut tuner = Tuner::new(plan("bayes", 8));
        assert_eq!(tuner.record(TrialId(0), PairScore::EVEN), Err(RecordError::NotProposed(TrialId(0))));
        tuner.ask();
        tuner.record(TrialId(0), PairScore::EVEN).unwrap();
        assert_eq!(tuner.record(TrialId(0), PairScore::WON), Err(RecordError::AlreadyScored(TrialId(0))));
    }

    #[test]
    fn the_bayesian_tuner_gains_more_than_the_others_and_loses_nothing_at_the_optimum() {
        let mean_end = |landscape: &Landscape, games: &[SimulatedGames], method: &str| {
            let method = Method::named(method, landscape.space(), 5_000).unwrap();
            let (landscape, games, lookahead) = (landscape.clone(), games.to_vec(), Lookahead::default());
            let runs = TuneSimulation { landscape, games, method, pairs: 5_000, lookahead, seed: 3 }.run(6);
            runs.iter().map(|run| run.end.0).sum::<f64>() / 6.0
        };
        let standard_landscapes = standard_landscapes();
        let (sloped, flat) = (&standard_landscapes[1], &standard_landscapes[6]);
        let ours = mean_end(&sloped.landscape, &sloped.games, "bayes");
        for other in &Method::NAMES[1..] {
            let theirs = mean_end(&sloped.landscape, &sloped.games, other);
            assert!(ours > theirs + 1.0, "{other}: {theirs}, ours {ours}");
        }
        assert!(mean_end(&flat.landscape, &flat.games, "bayes") > -0.3);
    }
}
