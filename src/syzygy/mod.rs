//! Endgame tables in the Syzygy format: the value of every position of up to seven men.
//!
//! A table file is data from elsewhere. Every offset, length and symbol in it is checked before it is used, so that a
//! damaged file is an error and never a crash, and files of at most [`CHECKED_BYTES`] are compared with the checksum
//! that they contain before their first answer. Files are read with positioned reads and are not mapped: a file that is
//! truncated while it is in use is an error too.

mod blocks;
mod checksum;
mod encoding;
mod error;
mod layout;
mod material;
mod probe;
mod root;
mod source;
mod table;
mod tablebases;
mod value;

pub use checksum::checksum;
pub use error::{Damage, ProbeError, TableProblem};
pub use material::Material;
pub use root::TableMove;
pub use source::CHECKED_BYTES;
pub use tablebases::{MAX_MEN, Tablebases};
pub use value::{Dtz, Wdl};
