//! Replies that an engine sends to a GUI.

use std::fmt;

use super::{InfoLine, OptionDeclaration};
use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// A line from the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// `id name …`.
    IdName(&'a str),
    /// `id author …`.
    IdAuthor(&'a str),
    /// `uciok`: all options are declared.
    UciOk,
    /// `readyok`: all previous commands have been processed.
    ReadyOk,
    /// `bestmove …`: the search has ended.
    BestMove {
        /// The move; `None` if the engine reports in one of the common forms that it has none.
        best: Option<&'a str>,
        /// The expected reply.
        ponder: Option<&'a str>,
    },
    /// `copyprotection …`.
    CopyProtection(CheckStatus),
    /// `registration …`.
    Registration(CheckStatus),
    /// `info …`.
    Info(InfoLine<'a>),
    /// `option …`.
    Option(OptionDeclaration),
    /// Any other line, unchanged.
    Unknown(&'a str),
}

/// The status of a copy protection or registration check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    /// In progress.
    Checking,
    /// Passed.
    Ok,
    /// Failed.
    Error,
}

impl<'a> Reply<'a> {
    /// Parses a line.
    ///
    /// Words before a reply are skipped only if the rest of the line is unambiguous: `> bestmove e2e4` is a reply, but
    /// free text that mentions one is not.
    pub fn parse(line: &'a str) -> Self {
        let line = Words::of_line(line);
        let mut words = line.iter();
        let reply = words.next().and_then(|first| Self::after(first, words.clone()));
        reply
            .or_else(|| words.clone().find_map(|_| Self::at_end(words.by_ref())))
            .unwrap_or_else(|| Self::Unknown(line.as_str()))
    }

    /// Parses the reply that starts with `word`, the first word of a line.
    fn after(word: &str, mut words: Cursor<'a>) -> Option<Self> {
        Some(match word {
            "info" => Self::Info(InfoLine(Words::new(words.rest()))),
            "bestmove" => {
                let best = words.next().filter(|word| !means_none(word));
                let ponder = words.find(|&word| word == "ponder").and_then(|_| words.next());
                Self::BestMove { best, ponder: ponder.filter(|word| !means_none(word)) }
            }
            "uciok" => Self::UciOk,
            "readyok" => Self::ReadyOk,
            "option" => Self::Option(OptionDeclaration::parse(words)?),
            "id" => match words.next()? {
                "name" => Self::IdName(words.rest()),
                "author" => Self::IdAuthor(words.rest()),
                _ => return None,
            },
            "copyprotection" => Self::CopyProtection(CheckStatus::parse(words.next()?)?),
            "registration" => Self::Registration(CheckStatus::parse(words.next()?)?),
            _ => return None,
        })
    }

    /// Parses the reply that starts with the next word, if the line contains nothing after it.
    fn at_end(words: &mut Cursor<'a>) -> Option<Self> {
        let word = words.next()?;
        let mut rest = words.clone();
        match word {
            "uciok" | "readyok" if rest.next().is_none() => Self::after(word, words.clone()),
            "bestmove" => {
                let moves = [rest.next()?, rest.nth(1).unwrap_or("a1a2")];
                let complete = rest.next().is_none() && moves.into_iter().all(is_coordinate_move);
                Self::after(word, words.clone()).filter(|_| complete)
            }
            _ => None,
        }
    }
}

/// Returns whether a word is one of the forms in which engines report that there is no move.
fn means_none(word: &str) -> bool {
    word == "0000" || ["(none)", "none", "null"].iter().any(|none| none.eq_ignore_ascii_case(word))
}

fn is_coordinate_move(word: &str) -> bool {
    let squares = |bytes: &[u8]| bytes.chunks(2).all(|square| matches!(square, [b'a'..=b'h', b'1'..=b'8']));
    let bytes = word.as_bytes();
    match bytes.len() {
        4 => squares(bytes),
        5 => squares(&bytes[..4]) && bytes[4].is_ascii_alphabetic(),
        _ => false,
    }
}

impl CheckStatus {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "checking" => Some(Self::Checking),
            "ok" => Some(Self::Ok),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}

impl fmt::Display for CheckStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checking => "checking",
            Self::Ok => "ok",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(f, "id name {name}"),
            Self::IdAuthor(author) => write!(f, "id author {author}"),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.unwrap_or("(none)"))?;
                ponder.map_or(Ok(()), |ponder| write!(f, " ponder {ponder}"))
            }
            Self::CopyProtection(status) => write!(f, "copyprotection {status}"),
            Self::Registration(status) => write!(f, "registration {status}"),
            Self::Info(info) => info.fmt(f),
            Self::Option(option) => option.fmt(f),
            Self::Unknown(line) => f.write_str(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(best: Option<&'a str>, ponder: Option<&'a str>) -> Reply<'a> {
        Reply::BestMove { best, ponder }
    }

    #[test]
    fn a_best_move_is_read_despite_irregularities() {
        let cases = [
            ("bestmove e2e4", best(Some("e2e4"), None)),
            ("bestmove e2e4\0\r\n", best(Some("e2e4"), None)),
            ("  bestmove  e7e8q  ponder e1e2 ", best(Some("e7e8q"), Some("e1e2"))),
            ("bestmove e2e4 ponder (none)", best(Some("e2e4"), None)),
            ("bestmove e2e4 ponder", best(Some("e2e4"), None)),
            ("bestmove (none)", best(None, None)),
            ("bestmove 0000", best(None, None)),
            ("bestmove NULL", best(None, None)),
            ("bestmove", best(None, None)),
            ("> bestmove e2e4", best(Some("e2e4"), None)),
            ("engine > bestmove e2e4 ponder e7e5", best(Some("e2e4"), Some("e7e5"))),
        ];
        for (line, reply) in cases {
            assert_eq!(Reply::parse(line), reply, "{line:?}");
        }
    }

    #[test]
    fn free_text_that_mentions_a_reply_is_not_a_reply() {
        for line in [
            "my bestmove is e2e4",
            "found bestmove e2e4 at depth 3",
            "printing info depth 3",
            "waiting for uciok now",
            "id email someone",
            "option name Broken type",
            "",
        ] {
            assert_eq!(Reply::parse(line), Reply::Unknown(line));
        }
        assert_eq!(Reply::parse("BBC 1.0 uciok"), Reply::UciOk);
    }

    #[test]
    fn names_keep_their_inner_white_space() {
        assert_eq!(Reply::parse("id name Toga  II 3.0\r"), Reply::IdName("Toga  II 3.0"));
    }
}
