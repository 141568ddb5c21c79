//! The UCI protocol: commands of a GUI and replies of an engine.
//!
//! Parsing never fails and does not allocate, with one exception: an option declaration is owned, because it is kept
//! for the lifetime of the engine. Unrecognised lines are returned as `Unknown`.

mod command;
mod go;
mod info;
mod option;
mod reply;

pub use command::{Command, Start, Switch};
pub use go::{GoLimits, Horizon};
pub use info::{Info, InfoBound, InfoLine, InfoScore, Wdl};
pub(in crate::protocol) use option::Choices;
pub use option::{OptionDeclaration, OptionKind};
pub use reply::{CheckStatus, Reply};
