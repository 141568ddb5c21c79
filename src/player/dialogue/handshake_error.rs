//! Reasons why an engine could not be made ready, among them the wrong protocol.

use crate::player::connection::escape;
use crate::player::dialogue::ExpectError;
use crate::player::options::OptionError;
use crate::protocol::xboard;

/// Reason why an engine could not be made ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::player) enum HandshakeError {
    Expect(ExpectError),
    Option(OptionError),
    /// The program uses this protocol, as the line that it printed shows.
    WrongProtocol(SpokenProtocol, String),
    /// The protocol, or this engine, cannot express what the plan requires.
    Unsupported(String),
    /// The engine refused a command without which it cannot play; its line.
    Refused(String),
}

/// The protocol that a program appears to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum SpokenProtocol {
    Uci,
    Xboard,
    Unknown,
}

impl From<ExpectError> for HandshakeError {
    fn from(error: ExpectError) -> Self {
        Self::Expect(error)
    }
}

impl From<OptionError> for HandshakeError {
    fn from(error: OptionError) -> Self {
        Self::Option(error)
    }
}

/// Signs that the program on the other side does not use the protocol it is addressed in.
#[derive(Clone, Debug, Default)]
pub(in crate::player) struct ProtocolSigns {
    /// A line that refuses the first command of the protocol: the program will never answer it.
    refusal: Option<String>,
    /// A line that only the other protocol has; the program may know both.
    hint: Option<String>,
}

/// Whether a handshake can still succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum Prospect {
    Open,
    Hopeless,
}

impl ProtocolSigns {
    /// Judges a line that is not part of the protocol, after its first command `word` was sent.
    pub(in crate::player) fn note(&mut self, line: &str, word: &str) -> Prospect {
        if refuses(line, word) {
            self.refusal = Some(shown(line));
            return Prospect::Hopeless;
        }
        if is_xboard(line) {
            self.hint.get_or_insert_with(|| shown(line));
        }
        Prospect::Open
    }

    /// Returns the error of a UCI handshake that did not succeed.
    pub(in crate::player) fn of_uci(self, error: Option<ExpectError>) -> Option<HandshakeError> {
        match (self.refusal, self.hint, error) {
            (Some(line), hint, _) => {
                let xboard = hint.is_some() || is_xboard(&line);
                let spoken = if xboard { SpokenProtocol::Xboard } else { SpokenProtocol::Unknown };
                Some(HandshakeError::WrongProtocol(spoken, line))
            }
            (None, Some(line), Some(ExpectError::Late(_))) => {
                Some(HandshakeError::WrongProtocol(SpokenProtocol::Xboard, line))
            }
            (None, _, error) => error.map(HandshakeError::Expect),
        }
    }

    /// Returns the error of an xboard handshake in which the engine refused the command `xboard`.
    pub(in crate::player) fn of_xboard(self) -> Option<HandshakeError> {
        self.refusal.map(|line| HandshakeError::WrongProtocol(SpokenProtocol::Uci, line))
    }
}

/// Returns whether a line reports that the command `word` is not known.
fn refuses(line: &str, word: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let complaints =
        ["unknown", "illegal", "invalid", "error", "unrecognized", "unrecognised", "not understood"];
    complaints.iter().any(|complaint| lower.contains(complaint))
        && lower.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|found| found == word)
}

/// Returns whether a line is one that only xboard engines print.
fn is_xboard(line: &str) -> bool {
    matches!(
        xboard::Reply::parse(line),
        xboard::Reply::Tell(_) | xboard::Reply::Features(_) | xboard::Reply::Complaint(_)
    ) || line.contains("Invalid move: ")
        || line.contains("Illegal move: ")
}

/// Returns the line as messages show it.
fn shown(line: &str) -> String {
    escape(line.trim().as_bytes()).chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::StallPoint;

    #[test]
    fn an_xboard_engine_that_is_asked_in_uci_is_recognised() {
        let late = ExpectError::Late(StallPoint::Uciok);
        for (lines, prospect, spoken) in [
            (&["Error (unknown command): uci"][..], Prospect::Hopeless, Some(SpokenProtocol::Xboard)),
            (&["White (1) : Invalid move: uci"], Prospect::Hopeless, Some(SpokenProtocol::Xboard)),
            (&["Illegal move: uci"], Prospect::Hopeless, Some(SpokenProtocol::Xboard)),
            (
                &["tellics say     Fairy-Max 5.0b", "unknown command uci"],
                Prospect::Hopeless,
                Some(SpokenProtocol::Xboard),
            ),
            (&["Unknown command: 'uci'"], Prospect::Hopeless, Some(SpokenProtocol::Unknown)),
            (&["tellics say hello"], Prospect::Open, Some(SpokenProtocol::Xboard)),
            (&["Stockfish 15.1 by the Stockfish developers", "uci"], Prospect::Open, None),
            (&["error: no network file"], Prospect::Open, None),
        ] {
            let mut signs = ProtocolSigns::default();
            let last = lines.iter().map(|line| signs.note(line, "uci")).last();
            assert_eq!(last, Some(prospect), "{lines:?}");
            let found = match signs.of_uci(Some(late)) {
                Some(HandshakeError::WrongProtocol(spoken, _)) => Some(spoken),
                _ => None,
            };
            assert_eq!(found, spoken, "{lines:?}");
        }
        let mut signs = ProtocolSigns::default();
        assert_eq!(
            signs.note("Unknown command: 'xboard'. Type help for more information.", "xboard"),
            Prospect::Hopeless
        );
        assert!(matches!(signs.of_xboard(), Some(HandshakeError::WrongProtocol(SpokenProtocol::Uci, _))));
        assert_eq!(ProtocolSigns::default().of_uci(None), None);
    }
}
