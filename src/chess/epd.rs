//! Reading and writing of EPD: a position in four fields, followed by operations.

use std::fmt::{self, Write as _};

use crate::chess::fen::{Clocks, FenError};
use crate::chess::{Position, Setup};

/// A position with its operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Epd {
    /// The position. Its clocks come from two further FEN fields or from `hmvc` and `fmvn`; the defaults are 0 and 1.
    pub position: Position,
    /// The operations in order.
    pub operations: Vec<EpdOperation>,
}

/// One operation: `bm Nf3 e4;` or `id "WAC.001";`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdOperation {
    /// The first word.
    pub opcode: String,
    /// The words and quoted strings after the opcode, without quotes.
    pub operands: Vec<String>,
}

/// Error returned when a line is not an EPD record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpdError {
    /// The position fields are invalid.
    Position(FenError),
    /// A quoted string has no closing quote.
    UnclosedQuote,
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(error) => error.fmt(f),
            Self::UnclosedQuote => f.write_str("a quoted operand has no closing quote"),
        }
    }
}

impl std::error::Error for EpdError {}

impl Epd {
    /// Parses one line: four fields or the six of a FEN, then operations, each terminated by `;` (optional for the
    /// last).
    ///
    /// A semicolon may follow the fields directly, and spaces may follow a semicolon, as in perft suites.
    pub fn parse(line: &str) -> Result<Self, EpdError> {
        let (fields, rest) = split_fields(line);
        let mut position = Position::from_fen_fields(fields, Clocks::Optional).map_err(EpdError::Position)?;
        let operations = read_operations(rest)?;
        let number = |opcode: &str| {
            let operation = operations.iter().find(|operation| operation.opcode == opcode)?;
            operation.operands.first()?.parse::<u16>().ok()
        };
        let (halfmove, fullmove) = (number("hmvc"), number("fmvn"));
        if halfmove.is_some() || fullmove.is_some() {
            let mut setup = position.to_setup();
            setup.halfmove = halfmove.unwrap_or(setup.halfmove);
            setup.fullmove = fullmove.unwrap_or(setup.fullmove).max(1);
            position =
                Position::from_setup(&setup).map_err(|errors| EpdError::Position(FenError::from(errors)))?;
        }
        Ok(Self { position, operations })
    }

    /// Returns the operands of the first operation with this opcode.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        let found = self.operations.iter().find(|operation| operation.opcode == opcode)?;
        Some(&found.operands)
    }
}

/// Formats the four position fields and the operations. Clocks are written only if an operation holds them.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.position.to_epd())?;
        for EpdOperation { opcode, operands } in &self.operations {
            f.write_char(' ')?;
            write_operand(opcode, f)?;
            for operand in operands {
                f.write_char(' ')?;
                write_operand(operand, f)?;
            }
            f.write_char(';')?;
        }
        Ok(())
    }
}

impl Position {
    /// Returns the first four fields of the FEN.
    pub fn to_epd(&self) -> String {
        Setup::to_epd_fields(&self.to_setup())
    }
}

/// Writes an operand, quoted if necessary. EPD has no escape sequence, so an inner quote becomes an apostrophe.
fn write_operand(operand: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let operand = operand.replace('"', "'");
    let needs_quotes =
        operand.is_empty() || operand.contains(|letter: char| letter.is_whitespace() || letter == ';');
    if needs_quotes { write!(f, "\"{operand}\"") } else { f.write_str(&operand) }
}

/// Splits a line after its fourth field, or after its sixth if the fifth and sixth are numbers.
fn split_fields(line: &str) -> (&str, &str) {
    let mut rest = line.trim_start();
    for _ in 0..4 {
        let (_, after) = next_field(rest);
        rest = after;
    }
    let (halfmove, after_halfmove) = next_field(rest);
    let (fullmove, after) = next_field(after_halfmove);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if number(halfmove) && number(fullmove) {
        rest = after;
    }
    (line[..line.len() - rest.len()].trim(), rest)
}

/// Splits off the next run of characters up to white space or a semicolon.
fn next_field(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|letter: char| letter.is_whitespace() || letter == ';').unwrap_or(text.len()))
}

fn read_operations(mut text: &str) -> Result<Vec<EpdOperation>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    loop {
        text = text.trim_start();
        match text.chars().next() {
            None | Some(';') => {
                let mut operands = std::mem::take(&mut words).into_iter();
                operations.extend(
                    operands.next().map(|opcode| EpdOperation { opcode, operands: operands.collect() }),
                );
                match text.get(1..) {
                    None => return Ok(operations),
                    Some(rest) => text = rest,
                }
            }
            Some('"') => {
                let (quoted, rest) = text[1..].split_once('"').ok_or(EpdError::UnclosedQuote)?;
                words.push(quoted.to_owned());
                text = rest;
            }
            Some(_) => {
                let (word, rest) = next_field(text);
                words.push(word.to_owned());
                text = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "4k3/8/8/8/8/8/4P3/4K3";

    #[test]
    fn four_fields_six_fields_and_operations_are_read() {
        for (name, tail, clocks, opcodes) in [
            ("bare", "w - -", (0, 1), ""),
            ("operations", "w - - bm e4; id \"a; b\"; c0 \"\";", (0, 1), "bm id c0"),
            ("six fields", "w - - 3 20", (3, 20), ""),
            ("six fields and operations", "w - - 3 20 bm e4", (3, 20), "bm"),
            ("clock operations", "w - - hmvc 7; fmvn 31;", (7, 31), "hmvc fmvn"),
            ("perft suite", "w - - 0 1 ;D1 20 ; D2 400", (0, 1), "D1 D2"),
            ("four fields of a perft suite", "w - - ;D1 20", (0, 1), "D1"),
            ("no space at all", "w - -;;;", (0, 1), ""),
        ] {
            let epd =
                Epd::parse(&format!("{BOARD} {tail}")).unwrap_or_else(|error| panic!("{name}: {error}"));
            let position = &epd.position;
            assert_eq!((position.halfmove_clock(), position.fullmove_number()), clocks, "{name}");
            let found: Vec<&str> = epd.operations.iter().map(|operation| operation.opcode.as_str()).collect();
            assert_eq!(found.join(" "), opcodes, "{name}");
        }
        let epd = Epd::parse(&format!("{BOARD} w - - bm e4 e3; id \"a; b\";")).unwrap();
        assert_eq!(epd.operands("bm"), Some(["e4".to_owned(), "e3".to_owned()].as_slice()));
        assert_eq!(epd.operands("id"), Some(["a; b".to_owned()].as_slice()));
        assert_eq!(epd.to_string(), format!("{BOARD} w - - bm e4 e3; id \"a; b\";"));
        for operations in ["v0 a\\\"b\";", "\"o p\" x;", "\"o;p\";", "\"\" \"\";"] {
            let written = Epd::parse(&format!("{BOARD} w - - {operations}")).unwrap().to_string();
            assert_eq!(Epd::parse(&written).unwrap().to_string(), written, "{operations}");
        }
    }

    #[test]
    fn invalid_lines_are_rejected() {
        for line in ["", ";", "w", &format!("{BOARD} w -"), &format!("{BOARD} w - - id \"x")] {
            assert!(Epd::parse(line).is_err(), "{line}");
        }
    }
}
