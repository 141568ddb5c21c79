//! Results of a tuning run so far, as shown to the user and written to files.

use serde::{Deserialize, Serialize};

use crate::stats::Elo;
use crate::tuning::space::{Settings, Space};

/// The state of a tuning run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningReport {
    /// Pairs with a recorded score.
    #[serde(rename = "pairs_told")]
    pub pairs_scored: u64,
    /// Expected number of pairs until the end of the run.
    pub pairs_left: u64,
    /// One report per parameter of the space, in its order.
    pub parameters: Vec<ParameterReport>,
    /// Estimated gain of the best settings over the start; `None` if the method does not estimate it.
    pub gain: Option<GainEstimate>,
    /// Expected gain of the unknown optimum over the best settings; `None` if the method does not estimate it.
    pub remaining_loss: Option<Elo>,
}

/// An estimated gain with its 95 % half-width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GainEstimate {
    /// Expected gain.
    pub elo: Elo,
    /// Half-width of the 95 % interval.
    pub error: Elo,
}

/// Result for one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterReport {
    /// Name of the parameter in the engine.
    pub name: String,
    /// Value before tuning.
    pub start: f64,
    /// Best value so far, rounded to one that the engine accepts.
    pub best: f64,
    /// 95 % interval of the optimum; `None` if the method does not estimate it.
    pub interval: Option<[f64; 2]>,
    /// Whether the parameter affects strength.
    pub effect: ParameterEffect,
}

/// Whether a parameter was observed to affect strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterEffect {
    /// The parameter affects strength.
    Clear,
    /// There are too few games to decide.
    Unclear,
    /// There are enough games to detect an effect, and none was detected: the parameter is unused or flat.
    NotSeen,
}

impl TuningReport {
    /// Returns whether the best settings so far are those of the start.
    pub fn is_at_start(&self) -> bool {
        self.parameters.iter().all(|parameter| parameter.best == parameter.start)
    }

    /// Creates the report of a method without a model: it holds values only.
    pub(super) fn without_model(space: &Space, best: &Settings, pairs_scored: u64, max_pairs: u64) -> Self {
        let parameters = space.parameters().iter().zip(&best.0).map(|(parameter, &best)| ParameterReport {
            name: parameter.name.clone(),
            start: parameter.start,
            best,
            interval: None,
            effect: ParameterEffect::Unclear,
        });
        Self {
            pairs_scored,
            pairs_left: max_pairs.saturating_sub(pairs_scored),
            parameters: parameters.collect(),
            gain: None,
            remaining_loss: None,
        }
    }
}
