//! The xboard protocol, also known as CECP or WinBoard: commands of a GUI and replies of an engine.
//!
//! Parsing never fails. Moves are kept as text, and unrecognised lines are returned as `Unknown`: the protocol lets
//! engines print what they like.

mod command;
mod feature;
mod option;
mod reply;
mod thinking;

pub use command::{Command, Level};
pub use feature::{Capability, Feature, FeatureList, FeatureSet};
pub use option::option_declaration;
pub use reply::{ClaimedResult, Complaint, Reply};
pub use thinking::Thinking;
