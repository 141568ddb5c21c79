//! Command line arguments of an ACE program for one game.

use std::fmt;
use std::time::Duration;

use crate::chess::{ByColor, Color};

/// The source of the moves of a side, from the point of view of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The moves are read from the input.
    Human,
    /// The program computes the moves.
    Computer,
}

/// The limit of a search for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveLimit {
    /// Time.
    Time(Duration),
    /// The number of nodes.
    Nodes(u64),
    /// The depth in plies.
    Depth(u32),
}

/// The parameters of one game that a program receives on its command line.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The role of each side.
    pub roles: ByColor<Role>,
    /// The search limit per move.
    pub limit: MoveLimit,
    /// The starting position.
    pub fen: &'a str,
}

impl<'a> Invocation<'a> {
    /// Creates a game in which the program plays `side` from `fen` and reads the moves of the other side.
    pub fn playing(side: Color, limit: MoveLimit, fen: &'a str) -> Self {
        let roles = ByColor::new_with(|color| if color == side { Role::Computer } else { Role::Human });
        Self { roles, limit, fen }
    }
}

/// The arguments of a program with placeholders.
///
/// The placeholders are `{white}` and `{black}` (`computer` or `human`), `{seconds}`, `{ms}`, `{nodes}`, `{depth}` and
/// `{fen}`. Of the four for limits, only those of the limit of the game have a value (`{seconds}` and `{ms}` for time).
/// An argument with another of them is omitted, together with the bare flag just before it, unless the argument is a
/// flag itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<String>);

/// Error returned when a template is invalid or does not fit a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// A placeholder does not exist.
    UnknownPlaceholder {
        /// The argument that contains it.
        argument: String,
        /// Its name.
        placeholder: String,
    },
    /// A brace is not closed.
    UnclosedBrace {
        /// The argument that contains it.
        argument: String,
    },
    /// The template has no placeholder for the limit of the game.
    MissingPlaceholder {
        /// The placeholders for the limit.
        expected: &'static str,
    },
}

const PLACEHOLDERS: [&str; 7] = ["white", "black", "seconds", "ms", "nodes", "depth", "fen"];

/// Returns the arguments of the `chess` program of this crate.
impl Default for Template {
    fn default() -> Self {
        let arguments = [
            "--white={white}",
            "--black={black}",
            "--time",
            "{seconds}",
            "--nodes",
            "{nodes}",
            "--depth",
            "{depth}",
            "--starting",
            "{fen}",
        ];
        Self(arguments.map(str::to_owned).to_vec())
    }
}

impl Template {
    /// Creates a template. Returns an error if a placeholder does not exist.
    pub fn new(arguments: Vec<String>) -> Result<Self, TemplateError> {
        arguments.iter().try_for_each(|argument| fill(argument, |_| Some(String::new())).map(drop))?;
        Ok(Self(arguments))
    }

    /// Returns the arguments with their placeholders.
    pub fn arguments(&self) -> &[String] {
        &self.0
    }

    /// Returns the arguments for one game.
    pub fn build(&self, game: &Invocation<'_>) -> Result<Vec<String>, TemplateError> {
        let mut filled: Vec<String> = Vec::with_capacity(self.0.len());
        let mut limited = false;
        let mut previous_is_bare_flag = false;
        for argument in &self.0 {
            match fill(argument, |placeholder| value(placeholder, game))? {
                Some(Filled { text, limits }) => {
                    limited |= limits;
                    previous_is_bare_flag = text.starts_with('-') && !text.contains('=');
                    filled.push(text);
                }
                None => {
                    // `--nodes={nodes}` is a flag itself, so the flag before it is independent.
                    if previous_is_bare_flag && !argument.starts_with('-') {
                        filled.pop();
                    }
                    previous_is_bare_flag = false;
                }
            }
        }
        let expected = match game.limit {
            MoveLimit::Time(_) => "{seconds} or {ms}",
            MoveLimit::Nodes(_) => "{nodes}",
            MoveLimit::Depth(_) => "{depth}",
        };
        if limited { Ok(filled) } else { Err(TemplateError::MissingPlaceholder { expected }) }
    }
}

/// An argument with its placeholders replaced.
struct Filled {
    text: String,
    /// Whether the argument sets a limit.
    limits: bool,
}

/// Replaces the placeholders of an argument. Returns `None` if one of them has no value in the game.
fn fill(argument: &str, value: impl Fn(&str) -> Option<String>) -> Result<Option<Filled>, TemplateError> {
    let (mut text, mut limits, mut rest) = (String::new(), false, argument);
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, after) = after
            .split_once('}')
            .ok_or_else(|| TemplateError::UnclosedBrace { argument: argument.to_owned() })?;
        if !PLACEHOLDERS.contains(&placeholder) {
            let (argument, placeholder) = (argument.to_owned(), placeholder.to_owned());
            return Err(TemplateError::UnknownPlaceholder { argument, placeholder });
        }
        let Some(value) = value(placeholder) else { return Ok(None) };
        limits |= ["seconds", "ms", "nodes", "depth"].contains(&placeholder);
        text.push_str(before);
        text.push_str(&value);
        rest = after;
    }
    text.push_str(rest);
    Ok(Some(Filled { text, limits }))
}

fn value(placeholder: &str, game: &Invocation<'_>) -> Option<String> {
    match (placeholder, game.limit) {
        ("white", _) => Some(game.roles.white.to_string()),
        ("black", _) => Some(game.roles.black.to_string()),
        ("fen", _) => Some(game.fen.to_owned()),
        ("seconds", MoveLimit::Time(time)) => Some(time.as_secs_f64().to_string()),
        ("ms", MoveLimit::Time(time)) => Some(time.as_millis().to_string()),
        ("nodes", MoveLimit::Nodes(nodes)) => Some(nodes.to_string()),
        ("depth", MoveLimit::Depth(depth)) => Some(depth.to_string()),
        _ => None,
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Human => "human",
            Self::Computer => "computer",
        })
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlaceholder { argument, placeholder } => {
                let known = PLACEHOLDERS.map(|known| format!("{{{known}}}")).join(", ");
                write!(f, "`{argument}` has unknown placeholder {{{placeholder}}}: expected one of {known}")
            }
            Self::UnclosedBrace { argument } => write!(f, "`{argument}` has an unclosed brace"),
            Self::MissingPlaceholder { expected } => {
                write!(f, "no argument has a placeholder for the limit of the game; add one with {expected}")
            }
        }
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(arguments: &[&str]) -> Template {
        Template::new(arguments.iter().map(|&argument| argument.to_owned()).collect()).unwrap()
    }

    #[test]
    fn the_default_supports_every_limit() {
        let build =
            |limit| Template::default().build(&Invocation::playing(Color::Black, limit, "FEN w")).unwrap();
        let expect = |flag, value| ["--white=human", "--black=computer", flag, value, "--starting", "FEN w"];
        assert_eq!(build(MoveLimit::Time(Duration::from_millis(1500))), expect("--time", "1.5"));
        assert_eq!(build(MoveLimit::Time(Duration::from_secs(7))), expect("--time", "7"));
        assert_eq!(build(MoveLimit::Nodes(200)), expect("--nodes", "200"));
        assert_eq!(build(MoveLimit::Depth(4)), expect("--depth", "4"));
    }

    #[test]
    fn an_argument_without_a_value_is_omitted_with_its_flag() {
        let game = Invocation::playing(Color::White, MoveLimit::Depth(3), "FEN");
        let arguments = template(&["--quiet", "--nodes={nodes}", "-t", "{ms}", "--plies", "{depth}"]);
        assert_eq!(arguments.build(&game).unwrap(), ["--quiet", "--plies", "3"]);
    }

    #[test]
    fn a_limit_without_a_placeholder_is_an_error() {
        let game = Invocation::playing(Color::White, MoveLimit::Nodes(3), "FEN");
        let error = template(&["--depth", "{seconds}"]).build(&game).unwrap_err();
        assert_eq!(error, TemplateError::MissingPlaceholder { expected: "{nodes}" });
    }

    #[test]
    fn an_unknown_placeholder_is_reported_with_its_name() {
        let error = Template::new(vec!["--white={color}".into()]).unwrap_err();
        assert!(error.to_string().contains("{color}"), "{error}");
        assert!(Template::new(vec!["--white={white".into()]).is_err());
    }
}
