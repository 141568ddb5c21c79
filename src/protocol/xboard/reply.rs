//! Replies that an engine sends to a GUI.

use super::{FeatureList, Thinking};
use crate::chess::Color;
use crate::protocol::Words;

/// A line from the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// `feature …`.
    Features(FeatureList<'a>),
    /// `move MOVE`, or `1. ... MOVE` of old engines.
    Move(&'a str),
    /// `pong N`.
    Pong(u64),
    /// `resign`.
    Resign,
    /// `offer draw`.
    OfferDraw,
    /// `1-0 {…}` and the like: the engine thinks that the game is over.
    Result(ClaimedResult),
    /// `Illegal move …` or `Error …`.
    Complaint(Complaint<'a>),
    /// `tellics …`, `telluser …` and the like: text for people.
    Tell(&'a str),
    /// A report of the search.
    Thinking(Thinking<'a>),
    /// Any other line, unchanged.
    Unknown(&'a str),
}

/// The result that an engine claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedResult {
    /// A win of this side.
    Win(Color),
    /// A draw.
    Draw,
    /// `*`: no result.
    Unfinished,
}

/// A complaint about a command or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint<'a> {
    /// The command or the move, as the engine repeats it.
    pub about: &'a str,
}

impl Complaint<'_> {
    /// Returns whether the complaint is about this command, whatever its arguments.
    pub fn is_about(&self, command: &str) -> bool {
        self.about.split_whitespace().next() == Some(command)
    }

    /// Returns whether the complaint is about this move.
    pub fn is_about_move(&self, mv: &str) -> bool {
        !mv.is_empty() && self.about.split_whitespace().any(|word| word == mv)
    }
}

impl<'a> Reply<'a> {
    /// Parses a line. A prompt that ends in ` : ` is skipped in front of `pong` and `feature`, which some engines
    /// send before they notice that they talk to a program.
    pub fn parse(line: &'a str) -> Self {
        let text = Words::new(line).as_str();
        let reply = Self::known(text).or_else(|| {
            let (_, after) = text.split_once(" : ")?;
            Self::known(after).filter(|reply| matches!(reply, Self::Pong(_) | Self::Features(_)))
        });
        reply.unwrap_or(Self::Unknown(text))
    }

    fn known(text: &'a str) -> Option<Self> {
        let mut words = Words::new(text).iter();
        let first = words.next()?;
        let rest = words.rest();
        Some(match first {
            "feature" => Self::Features(FeatureList(rest)),
            "move" => Self::Move(words.next()?),
            "pong" => Self::Pong(words.number()?),
            "resign" => Self::Resign,
            "offer" if rest == "draw" => Self::OfferDraw,
            "1-0" => Self::Result(ClaimedResult::Win(Color::White)),
            "0-1" => Self::Result(ClaimedResult::Win(Color::Black)),
            "1/2-1/2" => Self::Result(ClaimedResult::Draw),
            "*" => Self::Result(ClaimedResult::Unfinished),
            "tellics" if rest == "resign" => Self::Resign,
            tell if tell.starts_with("tell") || tell == "askuser" => Self::Tell(rest),
            "Illegal" | "illegal" | "Invalid" | "invalid" | "Error" => Self::Complaint(complaint(text)?),
            number if number.starts_with(|letter: char| letter.is_ascii_digit()) => {
                if words.next() == Some("...") {
                    Self::Move(words.next()?)
                } else {
                    Self::Thinking(Thinking::parse(text)?)
                }
            }
            _ => return None,
        })
    }
}

/// Reads `Illegal move (reason): e2e4`, `Invalid move: e2e4` and `Error (reason): command`.
fn complaint(text: &str) -> Option<Complaint<'_>> {
    // The reason is in parentheses and may contain a colon.
    let from = text.rfind("):").map_or_else(|| text.find(':'), |at| Some(at + 1))?;
    Some(Complaint { about: text[from + 1..].trim() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::uci::InfoScore;

    #[test]
    fn replies_are_read_as_engines_write_them() {
        let about = |about| Reply::Complaint(Complaint { about });
        for (line, reply) in [
            ("move e2e4", Reply::Move("e2e4")),
            ("1. ... d7d5", Reply::Move("d7d5")),
            ("12 ... O-O", Reply::Move("O-O")),
            ("pong 7\r", Reply::Pong(7)),
            ("White (1) : pong 1", Reply::Pong(1)),
            ("resign", Reply::Resign),
            ("tellics resign", Reply::Resign),
            ("offer draw", Reply::OfferDraw),
            ("0-1 {Black mates}", Reply::Result(ClaimedResult::Win(Color::Black))),
            ("1/2-1/2 {Draw by repetition}", Reply::Result(ClaimedResult::Draw)),
            ("Illegal move: e2e5", about("e2e5")),
            ("Illegal move (in check: king): e2e5", about("e2e5")),
            ("Invalid move: uci", about("uci")),
            ("Error (unknown command): sd 5", about("sd 5")),
            ("tellics say     Fairy-Max 5.0b", Reply::Tell("say     Fairy-Max 5.0b")),
            ("tellusererror no book", Reply::Tell("no book")),
            ("feature ping=1 done=1", Reply::Features(FeatureList("ping=1 done=1"))),
            ("My move is : d7d5", Reply::Unknown("My move is : d7d5")),
            ("1. g1f3", Reply::Unknown("1. g1f3")),
            ("# 16+16 pieces", Reply::Unknown("# 16+16 pieces")),
            ("move", Reply::Unknown("move")),
            ("Error", Reply::Unknown("Error")),
            ("", Reply::Unknown("")),
        ] {
            assert_eq!(Reply::parse(line), reply, "{line:?}");
        }
        assert!(
            matches!(Reply::parse(" 3 15 0 756 d2d4"), Reply::Thinking(found) if found.score == InfoScore::Cp(15))
        );
        let Reply::Complaint(complaint) = Reply::parse("Error (bad move): usermove e2e5") else { panic!() };
        assert!(
            complaint.is_about("usermove") && complaint.is_about_move("e2e5") && !complaint.is_about("e2e5")
        );
    }
}
