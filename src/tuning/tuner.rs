//! The contract of all tuners: ask for a trial, tell its score, in any order, with the same result.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::space::{Settings, Space};
use super::spsa::{Spsa, SpsaPlan};
use super::trial::{Trial, TrialId};
use crate::stats::PairScore;

/// How a tuner chooses what to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// Simultaneous perturbation with given gains.
    Spsa(SpsaPlan),
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
pub enum TellError {
    #[error("trial {} was never asked for", .0.0)]
    NeverAsked(TrialId),
    #[error("trial {} was told before", .0.0)]
    ToldBefore(TrialId),
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
    in_play: VecDeque<Trial>,
    told: BTreeMap<TrialId, PairScore>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Machine {
    Spsa(Spsa),
}

impl Tuner {
    /// A run at its start.
    pub fn new(plan: TunerPlan) -> Self {
        let machine = match &plan.method {
            Method::Spsa(spsa) => Machine::Spsa(Spsa::new(&plan.space, spsa.clone())),
        };
        Self { plan, machine, asked: 0, learned: 0, in_play: VecDeque::new(), told: BTreeMap::new() }
    }

    /// What was agreed on.
    pub fn plan(&self) -> &TunerPlan {
        &self.plan
    }

    /// The next trial, if the scores it depends on are known.
    pub fn ask(&mut self) -> Ask {
        if self.asked >= self.plan.pairs {
            return Ask::Finished;
        }
        // Exactly this many scores are learned before the trial is chosen, however many are known already.
        let due = (self.asked + 1).saturating_sub(self.plan.lookahead.pairs());
        while self.learned < due {
            if !self.learn_next() {
                return Ask::Wait;
            }
        }
        let id = TrialId(self.asked);
        let trial = match &mut self.machine {
            Machine::Spsa(spsa) => spsa.propose(&self.plan.space, id, self.plan.seed),
        };
        self.asked += 1;
        self.in_play.push_back(trial.clone());
        Ask::Play(trial)
    }

    /// Takes the score of a trial, from the side of its `plus`.
    pub fn tell(&mut self, id: TrialId, score: PairScore) -> Result<(), TellError> {
        if id.0 >= self.asked {
            return Err(TellError::NeverAsked(id));
        }
        if id.0 < self.learned || self.told.contains_key(&id) {
            return Err(TellError::ToldBefore(id));
        }
        self.told.insert(id, score);
        Ok(())
    }

    /// Learns what the remaining told scores teach, once no more trials will be asked for.
    pub fn finish(&mut self) {
        while self.learn_next() {}
    }

    /// Pairs told so far.
    pub fn pairs_told(&self) -> u64 {
        self.learned + self.told.len() as u64
    }

    /// The best settings known, as an engine can be given them.
    pub fn best(&self) -> Settings {
        match &self.machine {
            Machine::Spsa(spsa) => self.plan.space.nearest(spsa.centre()),
        }
    }

    fn learn_next(&mut self) -> bool {
        let Some(score) = self.told.remove(&TrialId(self.learned)) else { return false };
        let trial = self.in_play.pop_front().expect("a told trial is in play");
        match &mut self.machine {
            Machine::Spsa(spsa) => spsa.learn(&self.plan.space, &trial, score),
        }
        self.learned += 1;
        true
    }
}
