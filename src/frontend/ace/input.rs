//! Parsing of console input.

use crate::chess::{Move, MoveStyle, Position};
use crate::frontend::ace::game::ConsoleUser;
use crate::protocol::ace::EXIT_WORD;

/// A parsed word of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsoleInput {
    /// Plays a legal move.
    Play(Move),
    /// Ends the game.
    Exit,
    /// Takes back the last move and the reply to it.
    Undo,
    /// Suggests a move.
    Hint,
    /// Lists the legal moves.
    Moves,
    /// Prints the FEN of the position.
    Fen,
    /// Prints the board again.
    Board,
    /// Prints the help text.
    Help,
}

/// Parses a word. A program must use ACE notation; a person may also use SAN, coordinates and commands.
pub(super) fn read(position: &Position, word: &str, user: ConsoleUser) -> Option<ConsoleInput> {
    if word == EXIT_WORD {
        return Some(ConsoleInput::Exit);
    }
    match user {
        ConsoleUser::Program => position.parse_ace(word).ok().map(ConsoleInput::Play),
        ConsoleUser::Person => person_move(position, word).map(ConsoleInput::Play).or_else(|| {
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

/// Parses a move in any notation.
fn person_move(position: &Position, word: &str) -> Option<Move> {
    let capitalised = || {
        let (first, rest) = word.split_at_checked(1)?;
        position.parse_san(&format!("{}{rest}", first.to_ascii_uppercase())).ok()
    };
    // A lower-case b is first read as a file, so the capitalised word is tried last.
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

    const PERSON: ConsoleUser = ConsoleUser::Person;

    fn played(position: &Position, word: &str, user: ConsoleUser) -> Option<String> {
        match read(position, word, user)? {
            ConsoleInput::Play(mv) => Some(position.san(mv)),
            _ => None,
        }
    }

    #[test]
    fn a_person_may_enter_a_move_in_any_notation() {
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
    fn a_program_must_follow_the_protocol() {
        let position = Position::startpos();
        assert_eq!(played(&position, "g1f3", ConsoleUser::Program).as_deref(), Some("Nf3"));
        for word in ["Nf3", "undo", "hint", "help", "EXIT", "e2e5", ""] {
            assert_eq!(read(&position, word, ConsoleUser::Program), None, "{word}");
        }
        assert_eq!(read(&position, "exit", ConsoleUser::Program), Some(ConsoleInput::Exit));
    }
}
