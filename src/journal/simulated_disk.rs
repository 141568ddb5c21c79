//! A disk in memory that can fill up, fail, and lose power.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::storage::Storage;

/// The unit that survives or vanishes as a whole when the power goes.
pub const SECTOR: usize = 512;

#[derive(Debug, Default)]
struct Platter {
    bytes: Vec<u8>,
    synced: usize,
    capacity: Option<usize>,
    syncs_until_failure: Option<usize>,
}

/// Bytes that remember how much of them has been synced. Clones share the same platter.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk(Arc<Mutex<Platter>>);

impl SimulatedDisk {
    /// A disk that holds at most `capacity` bytes; a write beyond it is cut short and fails.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(Platter { capacity: Some(capacity), ..Platter::default() })))
    }

    /// A disk whose sync fails after `good` good ones.
    pub fn failing_after(good: usize) -> Self {
        Self(Arc::new(Mutex::new(Platter { syncs_until_failure: Some(good), ..Platter::default() })))
    }

    /// Everything written, synced or not: what a killed process leaves behind.
    pub fn contents(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    /// How many bytes are promised to survive a power cut.
    pub fn synced(&self) -> usize {
        self.lock().synced
    }

    /// What the disk holds after a power cut: all synced bytes, and of the unsynced sectors those that `kept`
    /// chooses. A lost sector before a kept one reads as zeros, lost ones at the end are not there at all.
    pub fn after_power_cut(&self, mut kept: impl FnMut(usize) -> bool) -> Vec<u8> {
        let platter = self.lock();
        let mut survivors = platter.bytes[..platter.synced].to_vec();
        let mut start = platter.synced;
        let mut sector = 0;
        while start < platter.bytes.len() {
            let end = ((start / SECTOR + 1) * SECTOR).min(platter.bytes.len());
            if kept(sector) {
                survivors.resize(start, 0);
                survivors.extend_from_slice(&platter.bytes[start..end]);
            }
            start = end;
            sector += 1;
        }
        survivors
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Platter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for SimulatedDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut platter = self.lock();
        let room =
            platter.capacity.map_or(usize::MAX, |capacity| capacity.saturating_sub(platter.bytes.len()));
        let written = bytes.len().min(room);
        platter.bytes.extend_from_slice(&bytes[..written]);
        if written < bytes.len() { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut platter = self.lock();
        match &mut platter.syncs_until_failure {
            Some(0) => return Err(io::Error::other("simulated sync failure")),
            Some(left) => *left -= 1,
            None => {}
        }
        platter.synced = platter.bytes.len();
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut platter = self.lock();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        platter.bytes.truncate(length);
        platter.synced = platter.bytes.len();
        Ok(())
    }
}
