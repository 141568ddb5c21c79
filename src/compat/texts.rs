//! `-version` and `-help`.

use crate::compat::surface::Surface;

/// The version of fastchess that its tools look for, unless the environment names another one.
const FASTCHESS: &str = "fastchess alpha 1.8.2";
/// The environment variable with the first line of `fastchess -version`. Some services accept one build only.
const VERSION_VARIABLE: &str = "PLAYSELF_FASTCHESS_VERSION";
const CUTECHESS: &str = "cutechess-cli 1.5.1";

/// Returns what `-version` prints: the version that tools look for, then the name of this program.
pub(super) fn version(surface: Surface) -> String {
    let first = match surface {
        Surface::Fastchess => std::env::var(VERSION_VARIABLE).unwrap_or_else(|_| FASTCHESS.to_owned()),
        Surface::Cutechess => CUTECHESS.to_owned(),
    };
    format!("{first}\nplayself {} with the command line of {}\n", env!("CARGO_PKG_VERSION"), surface.name())
}

/// Returns what `-help` prints.
pub(super) fn help(surface: Surface) -> String {
    let name = surface.name();
    let example = match surface {
        Surface::Fastchess => {
            "-engine cmd=./new name=new -engine cmd=./base name=base -each tc=8+0.08 option.Hash=16\n  \
             -openings file=book.epd order=random -srand 42 -rounds 1000 -repeat -concurrency 4 -recover\n  \
             -pgnout file=games.pgn"
        }
        Surface::Cutechess => {
            "-engine cmd=./new name=new -engine cmd=./base name=base -each proto=uci tc=8+0.08\n  \
             -openings file=book.epd format=epd order=random -games 2 -rounds 1000 -repeat -concurrency 4\n  \
             -recover -pgnout games.pgn"
        }
    };
    format!(
        "playself {} with the command line of {name}: same flags, lines and files.\n\n\
         Example:\n  {name} {example}\n\n\
         --explain prints the run file that a command line means, for playself match.\n\
         docs/coming-from-fastchess.md lists all flags, and what is different.\n",
        env!("CARGO_PKG_VERSION")
    )
}
