//! The two programs whose command lines and output this one has.

use std::path::Path;

use crate::run::PgnStyle;

/// The command line and the output of another match runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// fastchess.
    Fastchess,
    /// cutechess-cli.
    Cutechess,
}

impl Surface {
    /// Returns the surface that a program's own name stands for: a link or copy whose name begins with `fastchess` or
    /// `cutechess`.
    pub fn of_program(program: &str) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let surfaces = [("fastchess", Self::Fastchess), ("cutechess", Self::Cutechess)];
        surfaces.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, surface)| surface)
    }

    /// Returns the surface that a subcommand names.
    pub fn of_command(word: &str) -> Option<Self> {
        match word {
            "fastchess" => Some(Self::Fastchess),
            "cutechess-cli" => Some(Self::Cutechess),
            _ => None,
        }
    }

    /// Returns the style of its PGN files and of its words for endings.
    pub(super) fn pgn_style(self) -> PgnStyle {
        match self {
            Self::Fastchess => PgnStyle::Fastchess,
            Self::Cutechess => PgnStyle::Cutechess,
        }
    }

    /// Returns how a run file names its style of adjudication, PGN files and shuffled openings.
    pub(super) fn style_name(self) -> &'static str {
        match self {
            Self::Fastchess => "fastchess",
            Self::Cutechess => "cutechess",
        }
    }

    /// Returns the name of the program.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fastchess => "fastchess",
            Self::Cutechess => "cutechess-cli",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_copies_are_recognised_by_the_beginning_of_their_name() {
        for (name, surface) in [
            ("/usr/bin/fastchess", Some(Surface::Fastchess)),
            ("./fastchess-ob", Some(Surface::Fastchess)),
            ("cutechess-cli", Some(Surface::Cutechess)),
            ("cutechess", Some(Surface::Cutechess)),
            ("/opt/fastchess/playself", None),
            ("", None),
        ] {
            assert_eq!(Surface::of_program(name), surface, "{name}");
        }
    }
}
