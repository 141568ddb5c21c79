//! What a tuning run has found so far, for people and for files.

use serde::{Deserialize, Serialize};

use crate::stats::Elo;
use crate::tuning::space::{Settings, Space};

/// A tuning run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningReport {
    /// Pairs told.
    #[serde(rename = "pairs_told")]
    pub pairs_scored: u64,
    /// Pairs still to be played, as far as can be foretold.
    pub pairs_left: u64,
    /// One for each parameter of the space, in its order.
    pub parameters: Vec<ParameterReport>,
    /// What the best settings win over the start; `None` where a method keeps no account of it.
    pub gain: Option<GainEstimate>,
    /// What the unknown optimum would still win over the best settings; `None` likewise.
    pub remaining_loss: Option<Elo>,
}

/// An estimated gain with its 95 % half-width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GainEstimate {
    /// Expected gain.
    pub elo: Elo,
    /// Half-width.
    pub error: Elo,
}

/// One parameter of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterReport {
    /// The engine's name for it.
    pub name: String,
    /// The value before tuning.
    pub start: f64,
    /// The best value known, as an engine can be given it.
    pub best: f64,
    /// Where the optimum lies, 95 times in 100; `None` where a method cannot tell.
    pub interval: Option<[f64; 2]>,
    /// Whether the parameter makes a difference at all.
    pub effect: ParameterEffect,
}

/// Whether a parameter was seen to change strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterEffect {
    /// It changes strength.
    Clear,
    /// Too few games to tell.
    Unclear,
    /// Games enough to notice an effect, and none was noticed: a dead parameter, or a flat one.
    NotSeen,
}

impl TuningReport {
    /// The report of a method without a model: values only.
    pub(super) fn without_model(space: &Space, best: &Settings, pairs_scored: u64, most_pairs: u64) -> Self {
        let parameters = space.parameters().iter().zip(&best.0).map(|(parameter, &best)| ParameterReport {
            name: parameter.name.clone(),
            start: parameter.start,
            best,
            interval: None,
            effect: ParameterEffect::Unclear,
        });
        Self {
            pairs_scored,
            pairs_left: most_pairs.saturating_sub(pairs_scored),
            parameters: parameters.collect(),
            gain: None,
            remaining_loss: None,
        }
    }
}
