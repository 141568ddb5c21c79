//! Free disk space for a run, checked before it begins and while it is played.

use std::io;
use std::path::Path;

use crate::failpoint::{self, Point};

/// Space that a run leaves free: below it, nothing more is started.
const RESERVE: u64 = 64 << 20;

/// Size of a game in all files together: one or two kilobytes in journal and table, the rest PGN with comments.
const PER_GAME: u64 = 8 << 10;

/// Whether the disk has room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskRoom {
    /// Enough for all that is planned.
    Enough,
    /// It may fill up, for this reason.
    Tight(String),
    /// Nothing should be written any more, for this reason.
    TooLittle(String),
}

impl DiskRoom {
    /// Checks the disk that holds `folder`, with `games` still to be written.
    pub fn look(folder: &Path, games: u64) -> io::Result<Self> {
        let free = if failpoint::triggers(Point::DiskLow) { 1 << 20 } else { Self::free_bytes(folder)? };
        Ok(Self::judge(free, games))
    }

    /// Free bytes on the disk that holds `folder`.
    pub fn free_bytes(folder: &Path) -> io::Result<u64> {
        let disk = nix::sys::statvfs::statvfs(folder)?;
        #[expect(clippy::useless_conversion, reason = "the width of these numbers differs between systems")]
        Ok(u64::from(disk.blocks_available()) * u64::from(disk.fragment_size()))
    }

    fn judge(free: u64, games: u64) -> Self {
        let need = games.saturating_mul(PER_GAME);
        if free < RESERVE {
            Self::TooLittle(format!(
                "the disk has {} MB left, and a run needs {} MB: free some",
                free >> 20,
                RESERVE >> 20
            ))
        } else if free - RESERVE < need {
            Self::Tight(format!(
                "the disk has {} MB left, {games} games may need {} MB",
                free >> 20,
                need >> 20
            ))
        } else {
            Self::Enough
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_judged_by_what_is_left_and_what_is_needed() {
        assert_eq!(DiskRoom::judge(1 << 40, 1_000_000), DiskRoom::Enough);
        assert!(
            matches!(DiskRoom::judge(1 << 30, 1_000_000), DiskRoom::Tight(why) if why.contains("7812 MB"))
        );
        assert!(matches!(DiskRoom::judge(1 << 20, 0), DiskRoom::TooLittle(why) if why.contains("1 MB left")));
        assert_eq!(DiskRoom::judge(65 << 20, 0), DiskRoom::Enough);
        assert!(matches!(DiskRoom::judge(u64::MAX, u64::MAX), DiskRoom::Tight(_) | DiskRoom::Enough));
    }
}
