//! The object store: files in pieces, each named by its SHA-256. The layout is that of NATS, so `nats object` can list
//! and read them.

use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fleet::nats::connection::{NatsError, ServerConnection};
use crate::fleet::nats::jetstream::{OBJECT_PREFIX, OBJECTS};
use crate::fleet::nats::names::RunId;
use crate::store::UtcDate;

/// Size of a piece.
const PIECE_BYTES: usize = 128 << 10;
/// An object that no run has named at its start for this time is deleted when the store is full.
const UNUSED: Duration = Duration::from_secs(14 * 24 * 3600);
/// The time of the last use is written at most this often.
const USE_GRAIN: Duration = Duration::from_secs(24 * 3600);

/// Description of an object, as NATS stores it; the last two keys are ours.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ObjectInfo {
    name: String,
    bucket: String,
    nuid: String,
    pub(super) size: u64,
    mtime: String,
    pub(super) chunks: u64,
    digest: String,
    #[serde(default)]
    deleted: bool,
    options: PieceOptions,
    /// Sequence of the first piece.
    #[serde(default)]
    first: u64,
    /// When a run last named it, in seconds since 1970.
    #[serde(default)]
    used: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct PieceOptions {
    max_chunk_size: usize,
}

/// Why an object could not be transferred.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The server failed.
    #[error(transparent)]
    Nats(#[from] NatsError),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The content is not what its name states.
    #[error("the object {0} is damaged")]
    Damaged(String),
    /// It is larger than allowed.
    #[error("the object {name} has {size} bytes, more than {limit}")]
    TooLarge {
        /// Name of the object.
        name: String,
        /// Its size.
        size: u64,
        /// The largest size allowed.
        limit: u64,
    },
}

impl ServerConnection {
    /// Returns whether the store has an object, and notes its use.
    pub async fn has_object(&self, name: &str) -> Result<bool, NatsError> {
        let Some((sequence, mut info)) = self.object_info(name).await? else { return Ok(false) };
        let now = unix_time();
        if now.saturating_sub(info.used) > USE_GRAIN.as_secs() {
            info.used = now;
            // Another writer notes the same use.
            match self.put_info(&info, sequence).await {
                Err(NatsError::Conflict) | Ok(()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Stores an object of `size` bytes under the SHA-256 of its content, unless the store has it.
    pub async fn put_object(&self, name: &str, mut content: impl Read) -> Result<(), ObjectError> {
        if self.has_object(name).await? {
            return Ok(());
        }
        // A name of its own for every upload: one that was interrupted, or runs beside this one, does no harm.
        let nuid = RunId::random()?.to_string();
        let pieces = format!("{OBJECT_PREFIX}.C.{nuid}");
        let stored = self.put_pieces(name, &pieces, &mut content).await;
        let done = match stored {
            Ok((first, chunks, size)) => {
                let info = ObjectInfo {
                    name: name.to_owned(),
                    bucket: "playself".to_owned(),
                    nuid,
                    size,
                    mtime: UtcDate::now().iso().replace(" +0000", "Z"),
                    chunks,
                    digest: digest_text(name),
                    deleted: false,
                    options: PieceOptions { max_chunk_size: PIECE_BYTES },
                    first,
                    used: unix_time(),
                };
                match self.put_info(&info, 0).await {
                    Ok(()) => return Ok(()),
                    // Another coordinator was faster.
                    Err(NatsError::Conflict) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            }
            Err(error) => Err(error),
        };
        let _ = self.purge(OBJECTS, pieces).await;
        done
    }

    async fn put_pieces(
        &self,
        name: &str,
        pieces: &str,
        content: &mut impl Read,
    ) -> Result<(u64, u64, u64), ObjectError> {
        let (mut first, mut chunks, mut size) = (0, 0, 0);
        let mut hasher = Sha256::new();
        loop {
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            content.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
            if piece.is_empty() {
                break;
            }
            hasher.update(&piece);
            (chunks, size) = (chunks + 1, size + piece.len() as u64);
            let sequence = self.store(pieces.to_owned(), &[], piece).await?;
            first = if first == 0 { sequence } else { first };
        }
        match hex(&hasher.finalize()) == name {
            true => Ok((first, chunks, size)),
            false => Err(ObjectError::Damaged(name.to_owned())),
        }
    }

    /// Reads an object piece by piece into `sink`, and checks its content against its name.
    pub async fn get_object(
        &self,
        name: &str,
        limit: u64,
        mut sink: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), ObjectError> {
        let (_, info) = self.object_info(name).await?.ok_or(NatsError::Missing)?;
        let too_large = |size| ObjectError::TooLarge { name: name.to_owned(), size, limit };
        if info.size > limit {
            return Err(too_large(info.size));
        }
        let pieces = format!("{OBJECT_PREFIX}.C.{}", info.nuid);
        let mut hasher = Sha256::new();
        let (mut from, mut size) = (info.first, 0);
        for _ in 0..info.chunks {
            let piece = self.next_stored(OBJECTS, &pieces, from).await?.ok_or(NatsError::Missing)?;
            size += piece.payload.len() as u64;
            if size > limit {
                return Err(too_large(size));
            }
            hasher.update(&piece.payload);
            sink(&piece.payload)?;
            from = piece.sequence + 1;
        }
        match hex(&hasher.finalize()) == name {
            true => Ok(()),
            false => Err(ObjectError::Damaged(name.to_owned())),
        }
    }

    /// Deletes an object that is damaged or unused.
    pub async fn delete_object(&self, name: &str) -> Result<(), NatsError> {
        if let Some((_, info)) = self.object_info(name).await? {
            self.purge(OBJECTS, info_subject(name)).await?;
            self.purge(OBJECTS, format!("{OBJECT_PREFIX}.C.{}", info.nuid)).await?;
        }
        Ok(())
    }

    /// Deletes the objects that no run has named for two weeks; returns their number.
    pub async fn delete_unused_objects(&self) -> Result<usize, NatsError> {
        let mut deleted = 0;
        let oldest = unix_time().saturating_sub(UNUSED.as_secs());
        for subject in self.subjects(OBJECTS, &format!("{OBJECT_PREFIX}.M.>")).await? {
            let Some(stored) = self.last_stored(OBJECTS, &subject).await? else { continue };
            let Ok(info) = serde_json::from_slice::<ObjectInfo>(&stored.payload) else { continue };
            if info.used < oldest {
                self.delete_object(&info.name).await?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    async fn object_info(&self, name: &str) -> Result<Option<(u64, ObjectInfo)>, NatsError> {
        let Some(stored) = self.last_stored(OBJECTS, &info_subject(name)).await? else { return Ok(None) };
        let info: ObjectInfo = serde_json::from_slice(&stored.payload)
            .map_err(|error| NatsError::Other(format!("the description of the object {name}: {error}")))?;
        Ok((!info.deleted && info.name == name).then_some((stored.sequence, info)))
    }

    async fn put_info(&self, info: &ObjectInfo, expected: u64) -> Result<(), NatsError> {
        let text = serde_json::to_vec(info).map_err(|error| NatsError::Other(error.to_string()))?;
        let expected = ("Nats-Expected-Last-Subject-Sequence", expected.to_string());
        // The description replaces the one before.
        let rollup = ("Nats-Rollup", "sub".to_owned());
        self.store(info_subject(&info.name), &[expected, rollup], text).await.map(drop)
    }
}

fn info_subject(name: &str) -> String {
    format!("{OBJECT_PREFIX}.M.{}", BASE64URL.encode(name.as_bytes()))
}

/// Returns the digest as NATS writes it, from a name in hexadecimal.
fn digest_text(name: &str) -> String {
    let bytes = data_encoding::HEXLOWER.decode(name.as_bytes()).unwrap_or_default();
    format!("SHA-256={}", BASE64URL.encode(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
