//! Framing of one journal line: sequence number, checksum, time and payload, in that fixed order.
//!
//! `{"seq":7,"crc":"0a1b2c3d","at":1700000000000,"type":"game",…}` and a newline. The checksum covers the sequence
//! number and every byte from `"at"` to the closing brace, so a change of any field is detected.
//!
//! The first record of a group ends with `"synced":true`: when it was written, all records before it were durable. Damage
//! before such a record is therefore never a write that a power cut interrupted.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reason why a line is not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The line does not begin and end as a record does.
    #[error("it is not a journal record")]
    Malformed,
    /// The bytes differ from those that were written.
    #[error("its checksum is {found:08x}, the record states {stated:08x}")]
    Checksum {
        /// Checksum computed from the bytes.
        found: u32,
        /// Checksum stated in the record.
        stated: u32,
    },
    /// A record is missing or repeated.
    #[error("its number is {found}, expected {expected}")]
    Sequence {
        /// Number in the record.
        found: u64,
        /// Number after that of the previous record.
        expected: u64,
    },
}

/// A record with a valid checksum; its payload has not been parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Position in the journal, from 0.
    pub seq: u64,
    /// The line as a JSON object, `seq` and `crc` included.
    pub json: &'a [u8],
}

impl Frame<'_> {
    /// Returns when the record was written, in milliseconds since 1970; 0 if the time is not where records have it.
    pub fn at(&self) -> u64 {
        const KEY: &[u8] = b",\"at\":";
        let head = &self.json[..self.json.len().min(80)];
        let Some(start) = head.windows(KEY.len()).position(|window| window == KEY) else { return 0 };
        let digits = self.json[start + KEY.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.fold(0_u64, |number, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
    }

    /// Returns whether all records before this one were durable when it was written.
    pub(super) fn is_first_of_group(&self) -> bool {
        self.json.ends_with(SYNCED)
    }

    /// Parses the payload as `T`; fields unknown to `T` are ignored.
    pub fn payload<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(self.json)
    }
}

/// How the first record of a group ends.
const SYNCED: &[u8] = b",\"synced\":true}";

#[derive(Serialize)]
struct Stamped<'a, E> {
    at: u64,
    #[serde(flatten)]
    entry: &'a E,
    #[serde(skip_serializing_if = "Option::is_none")]
    synced: Option<bool>,
}

/// Place of a record in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupPlace {
    /// All records before it are durable.
    First,
    /// Records before it are not.
    Later,
}

/// Returns the line for `entry`, newline included; `at` is in milliseconds since 1970.
pub fn encode<E: Serialize>(seq: u64, at: u64, entry: &E) -> serde_json::Result<Vec<u8>> {
    encode_in_group(seq, at, entry, GroupPlace::Later)
}

/// Returns the line for `entry` at its place in a group.
pub(super) fn encode_in_group<E: Serialize>(
    seq: u64,
    at: u64,
    entry: &E,
    place: GroupPlace,
) -> serde_json::Result<Vec<u8>> {
    let synced = (place == GroupPlace::First).then_some(true);
    let payload = serde_json::to_vec(&Stamped { at, entry, synced })?;
    let body = payload.strip_prefix(b"{").unwrap_or(&payload);
    let mut line = format!("{{\"seq\":{seq},\"crc\":\"{:08x}\",", checksum(seq, body)).into_bytes();
    line.extend_from_slice(body);
    line.push(b'\n');
    Ok(line)
}

/// Parses one line, without its newline, and verifies its checksum.
pub fn decode(line: &[u8]) -> Result<Frame<'_>, FrameError> {
    let rest = line.strip_prefix(b"{\"seq\":").ok_or(FrameError::Malformed)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (seq, rest) = rest.split_at(digits);
    let seq =
        std::str::from_utf8(seq).ok().and_then(|text| text.parse().ok()).ok_or(FrameError::Malformed)?;
    let rest = rest.strip_prefix(b",\"crc\":\"").ok_or(FrameError::Malformed)?;
    let (crc, rest) = rest.split_at_checked(8).ok_or(FrameError::Malformed)?;
    // Only the form that `encode` writes is accepted: `A` for `a` would be a change that the checksum does not cover.
    if !crc.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(FrameError::Malformed);
    }
    let stated = std::str::from_utf8(crc)
        .ok()
        .and_then(|text| u32::from_str_radix(text, 16).ok())
        .ok_or(FrameError::Malformed)?;
    let body = rest.strip_prefix(b"\",").ok_or(FrameError::Malformed)?;
    let found = checksum(seq, body);
    if found == stated { Ok(Frame { seq, json: line }) } else { Err(FrameError::Checksum { found, stated }) }
}

fn checksum(seq: u64, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&seq.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Entry {
        Note { text: String },
    }

    fn line() -> Vec<u8> {
        encode(7, 1_700_000_000_000, &Entry::Note { text: "déjà\nvu \"e4\"".to_owned() }).unwrap()
    }

    #[test]
    fn a_decoded_record_equals_the_encoded_one() {
        let line = line();
        assert!(line.starts_with(b"{\"seq\":7,\"crc\":\""));
        assert!(line.ends_with(b"}\n") && line.iter().filter(|&&byte| byte == b'\n').count() == 1);
        let frame = decode(&line[..line.len() - 1]).unwrap();
        assert_eq!((frame.seq, frame.at()), (7, 1_700_000_000_000));
        assert_eq!(frame.payload::<Entry>().unwrap(), Entry::Note { text: "déjà\nvu \"e4\"".to_owned() });
    }

    #[test]
    fn every_flipped_bit_of_a_record_is_detected() {
        let line = line();
        let line = &line[..line.len() - 1];
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut bad = line.to_vec();
                bad[at] ^= 1 << bit;
                assert!(decode(&bad).is_err(), "bit {bit} of byte {at} was not detected");
            }
        }
    }

    #[test]
    fn invalid_lines_are_malformed_and_do_not_panic() {
        for line in
            ["", "{", "{\"seq\":", "{\"seq\":1,\"crc\":\"12", "[]", "{\"seq\":99999999999999999999999,"]
        {
            assert_eq!(decode(line.as_bytes()), Err(FrameError::Malformed), "{line}");
        }
    }
}
