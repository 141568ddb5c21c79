//! Reasons why a table cannot be used or a position has no value.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::syzygy::Material;

/// What is wrong with the contents of a table file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The length is not that of a table: a multiple of 64 and a checksum of 16 bytes.
    Length(u64),
    /// The file begins with other bytes than a table of its kind.
    Magic,
    /// The contents do not have the checksum at the end of the file.
    Checksum,
    /// The structure contradicts itself or the name of the file; the text states where.
    Structure(&'static str),
    /// Reading failed.
    Unreadable(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => {
                write!(f, "{length} bytes are not the length of a table; it may be truncated")
            }
            Self::Magic => f.write_str("not a Syzygy table of this kind"),
            Self::Checksum => f.write_str("damaged: the contents do not match the checksum of the file"),
            Self::Structure(place) => write!(f, "damaged: {place}"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

impl std::error::Error for Damage {}

/// A file or folder of tables that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub damage: Damage,
}

impl fmt::Display for TableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.damage)
    }
}

impl std::error::Error for TableProblem {}

/// Reason why the tables have no value for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeError {
    /// A king or rook may still castle; tables ignore castling.
    Castling,
    /// The position has more men than any table.
    TooManyMen(u32),
    /// There is no table for this material.
    Missing(Material),
    /// The table for this material is damaged.
    Damaged(Arc<TableProblem>),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Castling => f.write_str("tables have no positions with castling rights"),
            Self::TooManyMen(men) => write!(f, "{men} men are more than any table has"),
            Self::Missing(material) => write!(f, "there is no table {material}"),
            Self::Damaged(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for ProbeError {}
