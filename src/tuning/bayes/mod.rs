//! The Bayesian tuner: a quadratic model of strength around the optimum, fitted to the scores of all pairs.
//!
//! Positions of parameter values are given as *offsets*: distances from the starting value, in half ranges. The
//! *steepness* of a parameter is the Elo lost at half a range from its optimum. Parameters without an order, switches and
//! choices, have a model of their own ([`choice`]); as offsets they are always 0.

mod anchors;
mod choice;
mod joint_posterior;
mod lanes;
mod mixture;
mod observation;
mod posterior;
mod regression;
mod run_evidence;
mod tuner;

pub use tuner::{Bayes, BayesPlan};
