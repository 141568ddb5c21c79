//! Simulation of tuners on landscapes with a known optimum, without engines.

mod difficult_landscapes;
mod landscape;
mod simulate;
mod standard_landscapes;

pub use landscape::{Cliff, Interaction, InteractionTooStrong, Landscape, Parabola, SimulatedGames};
pub use simulate::{SimulatedRun, TuneSimulation};
pub use standard_landscapes::{StandardLandscape, standard_landscapes};
