//! The Bayesian tuner: a joint posterior over all parameters, fitted to the scores of trials.

mod joint_posterior;
mod observation;
mod posterior;
mod regression;
mod run_evidence;
mod tuner;

pub use tuner::{Bayes, BayesPlan};
