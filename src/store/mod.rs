//! Files on disk: the run folder, atomic replacement, content hashes, dates.

mod atomic_file;
mod file_hash;
mod kept_file;
mod output_file;
mod random_name;
mod regular_file;
mod run_folder;
mod temp_folder;
mod utc_date;

pub use atomic_file::{copy_whole, remove_drafts, sync_parent, write_whole};
pub use file_hash::{FileHash, FileStamp, sha256_of};
pub use kept_file::KeptFile;
pub use output_file::{OutputStart, open_output, write_output};
pub use regular_file::{open_own, open_own_to_write, open_regular, read_own, read_text};
pub use run_folder::{RESULTS, RunFolder};
pub use temp_folder::TempFolder;
pub use utc_date::UtcDate;
