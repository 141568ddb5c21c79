//! Arithmetic on counts: Elo, likelihood ratios, sequential tests, simulation. Pure.
