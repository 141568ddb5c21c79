//! The two programs whose command lines are understood.

use std::path::Path;

/// A match runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// fastchess.
    Fastchess,
    /// cutechess-cli.
    Cutechess,
}

impl Runner {
    /// Returns the runner that a program's own name stands for: a link or copy whose name begins with `fastchess` or
    /// `cutechess`.
    pub fn of_program(program: &str) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let runners = [("fastchess", Self::Fastchess), ("cutechess", Self::Cutechess)];
        runners.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, runner)| runner)
    }

    /// Returns the runner that a subcommand names.
    pub fn of_command(word: &str) -> Option<Self> {
        match word {
            "fastchess" => Some(Self::Fastchess),
            "cutechess-cli" => Some(Self::Cutechess),
            _ => None,
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
        for (name, runner) in [
            ("/usr/bin/fastchess", Some(Runner::Fastchess)),
            ("./fastchess-ob", Some(Runner::Fastchess)),
            ("cutechess-cli", Some(Runner::Cutechess)),
            ("cutechess", Some(Runner::Cutechess)),
            ("/opt/fastchess/playself", None),
            ("", None),
        ] {
            assert_eq!(Runner::of_program(name), runner, "{name}");
        }
    }
}
