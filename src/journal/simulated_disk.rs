//! A simulated disk that can fill up, fail and lose power.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::storage::Storage;

/// The unit that is kept or lost as a whole in a power cut.
pub const SECTOR: usize = 512;

#[derive(Debug, Default)]
struct DiskState {
    bytes: Vec<u8>,
    synced: usize,
    capacity: Option<usize>,
    syncs_until_failure: Option<usize>,
}

/// A simulated disk that keeps track of the synced bytes. Clones share the same contents.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk(Arc<Mutex<DiskState>>);

impl SimulatedDisk {
    /// Creates a disk that holds at most `capacity` bytes; a write beyond it is truncated and fails.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(DiskState { capacity: Some(capacity), ..DiskState::default() })))
    }

    /// Changes the capacity of the disk, as if files were deleted elsewhere.
    pub fn set_capacity(&self, capacity: usize) {
        self.lock().capacity = Some(capacity);
    }

    /// Creates a disk on which syncing fails after `good` successful calls.
    pub fn failing_after(good: usize) -> Self {
        Self(Arc::new(Mutex::new(DiskState { syncs_until_failure: Some(good), ..DiskState::default() })))
    }

    /// Returns everything written, synced or not, as after a kill of the process.
    pub fn contents(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    /// Returns the number of bytes that are guaranteed to survive a power cut.
    pub fn synced(&self) -> usize {
        self.lock().synced
    }

    /// Returns the contents after a power cut: all synced bytes, and those unsynced sectors that `kept` selects. A
    /// lost sector before a kept one reads as zeros; lost sectors at the end are missing.
    pub fn after_power_cut(&self, mut kept: impl FnMut(usize) -> bool) -> Vec<u8> {
        let state = self.lock();
        let mut survivors = state.bytes[..state.synced].to_vec();
        let mut start = state.synced;
        let mut sector = 0;
        while start < state.bytes.len() {
            let end = ((start / SECTOR + 1) * SECTOR).min(state.bytes.len());
            if kept(sector) {
                survivors.resize(start, 0);
                survivors.extend_from_slice(&state.bytes[start..end]);
            }
            start = end;
            sector += 1;
        }
        survivors
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, DiskState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for SimulatedDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        let room = state.capacity.map_or(usize::MAX, |capacity| capacity.saturating_sub(state.bytes.len()));
        let written = bytes.len().min(room);
        state.bytes.extend_from_slice(&bytes[..written]);
        if written < bytes.len() { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.lock();
        match &mut state.syncs_until_failure {
            Some(0) => return Err(io::Error::other("simulated sync failure")),
            Some(left) => *left -= 1,
            None => {}
        }
        state.synced = state.bytes.len();
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.lock();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        state.bytes.truncate(length);
        state.synced = state.bytes.len();
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.lock().bytes.len() as u64)
    }
}
