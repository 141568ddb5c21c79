//! How an ACE program is called for one game.

use std::fmt;
use std::time::Duration;

use crate::chess::{ByColor, Color};

/// Who makes a side's moves, as the program sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// They come on its input.
    Human,
    /// It thinks of them itself.
    Computer,
}

/// What ends a program's thinking on a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Time.
    Time(Duration),
    /// A count of nodes.
    Nodes(u64),
    /// A depth in plies.
    Depth(u32),
}

/// One game, as a program needs to be told of it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Who makes each side's moves.
    pub roles: ByColor<Role>,
    /// What ends its thinking.
    pub thinking: Thinking,
    /// Where the game starts.
    pub fen: &'a str,
}

impl<'a> Call<'a> {
    /// A game in which the program plays `side` from `fen`, and reads the other side's moves.
    pub fn playing(side: Color, thinking: Thinking, fen: &'a str) -> Self {
        let roles = ByColor::new_with(|color| if color == side { Role::Computer } else { Role::Human });
        Self { roles, thinking, fen }
    }
}

/// A program's arguments, with places to fill in.
///
/// Places are `{white}` and `{black}` (`computer` or `human`), `{seconds}`, `{ms}`, `{nodes}`, `{depth}` and `{fen}`.
/// Of the four that limit thinking, one has a value in a given game (time has two spellings); an argument that asks
/// for another is left out, and so is the bare flag just before it, unless the argument is a flag itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<String>);

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// A place that does not exist.
    UnknownPlace {
        /// The argument that names it.
        argument: String,
        /// Its name.
        place: String,
    },
    /// A brace that is never closed.
    OpenBrace {
        /// The argument that has it.
        argument: String,
    },
    /// The game limits thinking in a way the template has no place for.
    NoPlaceFor {
        /// The places that would do.
        places: &'static str,
    },
}

const PLACES: [&str; 7] = ["white", "black", "seconds", "ms", "nodes", "depth", "fen"];

/// The arguments of our own `chess`.
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
    /// Accepts arguments whose every place exists.
    pub fn new(arguments: Vec<String>) -> Result<Self, TemplateError> {
        arguments.iter().try_for_each(|argument| fill(argument, |_| Some(String::new())).map(drop))?;
        Ok(Self(arguments))
    }

    /// The arguments with their places still open.
    pub fn arguments(&self) -> &[String] {
        &self.0
    }

    /// The arguments for one game.
    pub fn build(&self, call: &Call<'_>) -> Result<Vec<String>, TemplateError> {
        let mut filled: Vec<String> = Vec::with_capacity(self.0.len());
        let mut limited = false;
        let mut previous_is_bare_flag = false;
        for argument in &self.0 {
            match fill(argument, |place| value(place, call))? {
                Some(Filled { text, limits }) => {
                    limited |= limits;
                    previous_is_bare_flag = text.starts_with('-') && !text.contains('=');
                    filled.push(text);
                }
                None => {
                    // `--nodes={nodes}` is its own flag; the one before it belongs to nobody else.
                    if previous_is_bare_flag && !argument.starts_with('-') {
                        filled.pop();
                    }
                    previous_is_bare_flag = false;
                }
            }
        }
        let places = match call.thinking {
            Thinking::Time(_) => "{seconds} or {ms}",
            Thinking::Nodes(_) => "{nodes}",
            Thinking::Depth(_) => "{depth}",
        };
        if limited { Ok(filled) } else { Err(TemplateError::NoPlaceFor { places }) }
    }
}

/// An argument with its places filled.
struct Filled {
    text: String,
    /// Whether it limits thinking.
    limits: bool,
}

/// Fills an argument's places; `None` if one of them has no value in this game.
fn fill(argument: &str, value: impl Fn(&str) -> Option<String>) -> Result<Option<Filled>, TemplateError> {
    let (mut text, mut limits, mut rest) = (String::new(), false, argument);
    while let Some((before, after)) = rest.split_once('{') {
        let (place, after) = after
            .split_once('}')
            .ok_or_else(|| TemplateError::OpenBrace { argument: argument.to_owned() })?;
        if !PLACES.contains(&place) {
            let (argument, place) = (argument.to_owned(), place.to_owned());
            return Err(TemplateError::UnknownPlace { argument, place });
        }
        let Some(value) = value(place) else { return Ok(None) };
        limits |= ["seconds", "ms", "nodes", "depth"].contains(&place);
        text.push_str(before);
        text.push_str(&value);
        rest = after;
    }
    text.push_str(rest);
    Ok(Some(Filled { text, limits }))
}

fn value(place: &str, call: &Call<'_>) -> Option<String> {
    match (place, call.thinking) {
        ("white", _) => Some(call.roles.white.to_string()),
        ("black", _) => Some(call.roles.black.to_string()),
        ("fen", _) => Some(call.fen.to_owned()),
        ("seconds", Thinking::Time(time)) => Some(time.as_secs_f64().to_string()),
        ("ms", Thinking::Time(time)) => Some(time.as_millis().to_string()),
        ("nodes", Thinking::Nodes(nodes)) => Some(nodes.to_string()),
        ("depth", Thinking::Depth(depth)) => Some(depth.to_string()),
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
            Self::UnknownPlace { argument, place } => {
                write!(f, "`{argument}` has no meaning for {{{place}}}; known are ")?;
                PLACES.iter().try_for_each(|known| write!(f, "{{{known}}} "))
            }
            Self::OpenBrace { argument } => write!(f, "`{argument}` opens a brace and never closes it"),
            Self::NoPlaceFor { places } => {
                write!(f, "the arguments have no place for this game's limit; add one with {places}")
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
    fn the_default_fits_every_limit() {
        let build =
            |thinking| Template::default().build(&Call::playing(Color::Black, thinking, "FEN w")).unwrap();
        let expect = |flag, value| ["--white=human", "--black=computer", flag, value, "--starting", "FEN w"];
        assert_eq!(build(Thinking::Time(Duration::from_millis(1500))), expect("--time", "1.5"));
        assert_eq!(build(Thinking::Time(Duration::from_secs(7))), expect("--time", "7"));
        assert_eq!(build(Thinking::Nodes(200)), expect("--nodes", "200"));
        assert_eq!(build(Thinking::Depth(4)), expect("--depth", "4"));
    }

    #[test]
    fn an_argument_without_a_value_takes_its_flag_along() {
        let call = Call::playing(Color::White, Thinking::Depth(3), "FEN");
        let arguments = template(&["--quiet", "--nodes={nodes}", "-t", "{ms}", "--plies", "{depth}"]);
        assert_eq!(arguments.build(&call).unwrap(), ["--quiet", "--plies", "3"]);
    }

    #[test]
    fn a_limit_is_never_dropped_in_silence() {
        let call = Call::playing(Color::White, Thinking::Nodes(3), "FEN");
        let error = template(&["--depth", "{seconds}"]).build(&call).unwrap_err();
        assert_eq!(error, TemplateError::NoPlaceFor { places: "{nodes}" });
    }

    #[test]
    fn a_misspelt_place_is_refused_with_its_name() {
        let error = Template::new(vec!["--white={color}".into()]).unwrap_err();
        assert!(error.to_string().contains("{color}"), "{error}");
        assert!(Template::new(vec!["--white={white".into()]).is_err());
    }
}
