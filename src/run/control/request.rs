//! Requests to a running run, one line of text each.

use std::fmt;
use std::str::FromStr;

use crate::fleet::MAX_CONCURRENCY;

/// A request to a running run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlRequest {
    /// Report the state.
    Status,
    /// Report the state and the games in progress.
    Boards,
    /// Start no more pairs until continued.
    Pause,
    /// End a pause.
    Continue,
    /// Play this many pairs at the same time from now on.
    Concurrency(usize),
    /// Finish the pairs in play, then end.
    Stop,
    /// Give this worker of the fleet no more pairs.
    Ban(MemberName),
    /// Give this worker of the fleet pairs again.
    Free(MemberName),
}

/// Name of a worker of a fleet: 1 to 32 lower-case letters, digits and hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberName {
    bytes: [u8; 32],
    length: usize,
}

impl MemberName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl FromStr for MemberName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let mut bytes = [0; 32];
        match bytes.get_mut(..text.len()) {
            Some(place) if !text.is_empty() && text.bytes().all(fits) => {
                place.copy_from_slice(text.as_bytes());
                Ok(Self { bytes, length: text.len() })
            }
            _ => Err(format!("`{text}` is not the name of a worker")),
        }
    }
}

impl FromStr for ControlRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("status"), None, None) => Ok(Self::Status),
            (Some("boards"), None, None) => Ok(Self::Boards),
            (Some("pause"), None, None) => Ok(Self::Pause),
            (Some("continue"), None, None) => Ok(Self::Continue),
            (Some("stop"), None, None) => Ok(Self::Stop),
            (Some("ban"), Some(worker), None) => worker.parse().map(Self::Ban),
            (Some("free"), Some(worker), None) => worker.parse().map(Self::Free),
            (Some("concurrency"), Some(number), None) => match number.parse() {
                Ok(number) if (1..=MAX_CONCURRENCY).contains(&number) => Ok(Self::Concurrency(number)),
                _ => Err(format!("`{number}` is not a number of pairs from 1 to {MAX_CONCURRENCY}")),
            },
            _ => Err("known requests: status, boards, pause, continue, concurrency N, stop, ban WORKER, free WORKER".to_owned()),
        }
    }
}

impl fmt::Display for ControlRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status => f.write_str("status"),
            Self::Boards => f.write_str("boards"),
            Self::Pause => f.write_str("pause"),
            Self::Continue => f.write_str("continue"),
            Self::Concurrency(number) => write!(f, "concurrency {number}"),
            Self::Stop => f.write_str("stop"),
            Self::Ban(worker) => write!(f, "ban {}", worker.as_str()),
            Self::Free(worker) => write!(f, "free {}", worker.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_their_text_and_nonsense_is_refused() {
        assert_eq!("concurrency 4".parse(), Ok(ControlRequest::Concurrency(4)));
        assert_eq!(" pause \n".parse(), Ok(ControlRequest::Pause));
        for request in [
            ControlRequest::Status,
            ControlRequest::Boards,
            ControlRequest::Continue,
            ControlRequest::Concurrency(3),
            ControlRequest::Ban("oak".parse().unwrap()),
            ControlRequest::Free("oak".parse().unwrap()),
        ] {
            assert_eq!(request.to_string().parse(), Ok(request));
        }
        for nonsense in
            ["", "halt", "concurrency", "concurrency 0", "concurrency -1", "status now", "ban", "ban A"]
        {
            assert!(nonsense.parse::<ControlRequest>().is_err(), "{nonsense}");
        }
        for absurd in
            ["concurrency 4097", "concurrency 18446744073709551615", "concurrency 1537228672809129302"]
        {
            assert!(absurd.parse::<ControlRequest>().unwrap_err().contains("from 1 to 4096"), "{absurd}");
        }
    }
}
