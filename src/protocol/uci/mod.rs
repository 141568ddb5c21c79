//! UCI: what a GUI says to an engine, and what the engine answers.
//!
//! Reading never fails and never allocates, with one exception (an option declaration is owned, being kept for
//! the life of the engine). What is not understood comes back as `Unknown`.

mod command;
mod go;
mod info;
mod option;
mod reply;

pub use command::{Command, Start, Switch};
pub use go::{GoLimits, Horizon};
pub use info::{Info, InfoBound, InfoLine, InfoScore, Wdl};
pub use option::{OptionDeclaration, OptionKind};
pub use reply::{Reply, Standing};
