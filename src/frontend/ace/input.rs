//! What a word from the input means.

use crate::chess::{Move, MoveStyle, Position};
use crate::frontend::ace::game::Audience;
use crate::protocol::ace::EXIT_WORD;

/// A word understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsoleInput {
    /// A legal move.
    Play(Move),
    /// End the game here.
    Exit,
    /// Take the last move back, and the reply to it.
    Undo,
    /// Suggest a move.
    Hint,
    /// List the legal moves.
    Moves,
    /// Tell the position in FEN.
    Fen,
    /// Show the board again.
    Board,
    /// Tell what can be said.
    Help,
}

/// Reads a word. A peer speaks ACE and nothing else; a person may also write SAN or coordinates, and ask for things.
pub(super) fn read(position: &Position, word: &str, audience: Audience) -> Option<ConsoleInput> {
    if word == EXIT_WORD {
        return Some(ConsoleInput::Exit);
    }
    match audience {
        Audience::Peer => position.parse_ace(word).ok().map(ConsoleInput::Play),
        Audience::Person(_) => person_move(position, word).map(ConsoleInput::Play).or_else(|| {
            match word.to_ascii_lowercase().as_str() {
                "exit" | "quit" => Some(ConsoleInput::Exit),
                "undo" => Some(ConsoleInput::Undo),
                "hint" => Some(ConsoleInput::Hint),
                "moves" => Some(ConsoleInput::Moves),
                "fen" => Some(ConsoleInput::Fen),
                "board" => Some(ConsoleInput::Board),
                "help" | "?" => Some(ConsoleInput::Help),
                _ => None,
            }
        }),
    }
}

/// The move a person means, in whichever notation.
fn person_move(position: &Position, word: &str) -> Option<Move> {
    let capitalised = || {
        let (first, rest) = word.split_at_checked(1)?;
        position.parse_san(&format!("{}{rest}", first.to_ascii_uppercase())).ok()
    };
    // A small b is a file before it is a bishop, so the capital is tried last.
    position
        .parse_ace(word)
        .or_else(|_| position.parse_san(word))
        .or_else(|_| position.parse_coordinate(word, MoveStyle::Chess960))
        .ok()
        .or_else(capitalised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::board_text::Paint;

    const PERSON: Audience = Audience::Person(Paint::Plain);

    fn played(position: &Position, word: &str, audience: Audience) -> Option<String> {
        match read(position, word, audience)? {
            ConsoleInput::Play(mv) => Some(position.san(mv)),
            _ => None,
        }
    }

    #[test]
    fn a_person_may_write_a_move_in_any_notation() {
        let position = Position::from_fen("r3k2r/8/8/8/8/8/1N2P3/R3K2R w KQkq - 0 1").unwrap();
        let cases = [
            ("e2e4", "e4"),
            ("e4", "e4"),
            ("e2-e4", "e4"),
            ("Nc4", "Nc4"),
            ("nc4", "Nc4"),
            ("b2c4", "Nc4"),
            ("O-O", "O-O"),
            ("0-0-0", "O-O-O"),
            ("e1g1", "O-O"),
            ("e1g1Ch1", "O-O"),
            ("e1h1", "O-O"),
        ];
        for (word, san) in cases {
            assert_eq!(played(&position, word, PERSON).as_deref(), Some(san), "{word}");
        }
        assert_eq!(read(&position, "Undo", PERSON), Some(ConsoleInput::Undo));
    }

    #[test]
    fn a_peer_is_held_to_the_protocol() {
        let position = Position::startpos();
        assert_eq!(played(&position, "g1f3", Audience::Peer).as_deref(), Some("Nf3"));
        for word in ["Nf3", "undo", "hint", "help", "EXIT", "e2e5", ""] {
            assert_eq!(read(&position, word, Audience::Peer), None, "{word}");
        }
        assert_eq!(read(&position, "exit", Audience::Peer), Some(ConsoleInput::Exit));
    }
}
