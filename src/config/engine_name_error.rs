//! Why an engine that a command line or a file names cannot be used.

use std::io;
use std::path::PathBuf;

use crate::config::toml_reader::Mistakes;
use crate::opening::PolyglotError;

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineNameError {
    /// Nothing of that name was found.
    #[error(
        "there is no engine `{name}`: it is neither a program in this folder or in the PATH, nor a file {}, nor `builtin`{}",
        .looked_for.display(), suggestion(.similar.as_deref())
    )]
    Unknown {
        /// The name as given.
        name: String,
        /// The file that would define it.
        looked_for: PathBuf,
        /// A file in this folder with a similar name.
        similar: Option<String>,
    },
    /// A path to nothing.
    #[error("there is no engine `{name}`: there is no file {path}{}", home_hint(.path))]
    NoFile {
        /// The name as given.
        name: String,
        /// The path in it.
        path: String,
    },
    /// A folder where a program is expected.
    #[error("there is no engine `{0}`: it is a folder; name the program in it")]
    Folder(String),
    /// A command line whose quotes are not closed.
    #[error(
        "there is no engine `{0}`: there is no such file, and as a command line its quotes are not closed"
    )]
    OpenQuote(String),
    /// The file of a named engine is wrong.
    #[error(transparent)]
    File(#[from] Mistakes),
    /// A program or a file that it needs cannot be read.
    #[error("{}: {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Two protocols for one engine.
    #[error("engine `{0}`: its name and its key `protocol` state different protocols")]
    TwoProtocols(String),
    /// The built-in engine does not use the protocol.
    #[error("engine `{0}`: the built-in engine uses UCI and ACE only")]
    BuiltinXboard(String),
    /// The ACE protocol has no options.
    #[error("engine {engine} uses the ACE protocol, which has no {what}; use `args` or `set` instead")]
    AceTakesNo {
        /// The engine.
        engine: String,
        /// The setting it cannot receive.
        what: String,
    },
    /// No move can be made for an ACE program.
    #[error("engine {0} uses the ACE protocol, in which no move can be made for it: it cannot have a `book`")]
    AceBook(String),
    /// A limit of nothing.
    #[error("engine {0}: `book_depth` without a `book`")]
    DepthWithoutBook(String),
    /// The book of an engine cannot be used.
    #[error(transparent)]
    Book(#[from] PolyglotError),
    /// A text with a line end, which would be a second command.
    #[error("engine {engine}: option `{option}`: a name or value must be one line of text")]
    NotOneLine {
        /// The engine.
        engine: String,
        /// The option's name, its line ends shown.
        option: String,
    },
    /// A path to a file that must not be executed.
    #[error("{path} is not executable; `chmod +x {path}` permits to run it", path = .0.display())]
    NotExecutable(PathBuf),
    /// A program that this machine cannot run.
    #[error("{} {problem}", .path.display())]
    Unusable {
        /// The program.
        path: PathBuf,
        /// Why, as the rest of a sentence.
        problem: String,
    },
}

fn suggestion(similar: Option<&str>) -> String {
    similar.map_or_else(String::new, |name| format!("; did you mean `./{name}`?"))
}

/// Returns the reason why a path with `~` is not found, if it is one.
fn home_hint(path: &str) -> &'static str {
    if path.starts_with('~') { "; a shell replaces `~` only outside of quotes" } else { "" }
}
