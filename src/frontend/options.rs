//! Everything about our engine that somebody may set, in one table for UCI, command lines and files.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::chess::MoveStyle;
use crate::engine::{Declared, DeclaredError, FileMistakes, SearchParams, Searcher, Spec, Weights};
use crate::protocol::Words;
use crate::protocol::uci::{OptionDeclaration, OptionKind};

/// How our engine is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB.
    pub hash_mb: usize,
    /// Threads that search together.
    pub threads: usize,
    /// Best lines to report.
    pub multipv: usize,
    /// What a draw is worth less than equal, in centipawns.
    pub contempt: i32,
    /// Time lost between our answer and the clock.
    pub move_overhead: Duration,
    /// How castling is spelt.
    pub move_style: MoveStyle,
    /// Whether expected results are told with scores.
    pub show_wdl: bool,
    /// Every number of the evaluation.
    pub weights: Weights,
    /// Every number of the search.
    pub params: SearchParams,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            hash_mb: 16,
            threads: 1,
            multipv: 1,
            contempt: 0,
            move_overhead: Duration::from_millis(10),
            move_style: MoveStyle::Standard,
            show_wdl: false,
            weights: Weights::default(),
            params: SearchParams::default(),
        }
    }
}

/// What setting an option asks for beyond remembering its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionEffect {
    /// Nothing.
    Remembered,
    /// Forget everything searched so far.
    ClearHash,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// A number, or a name that is in no table.
    Declared(DeclaredError),
    /// A value that the option cannot take.
    Value {
        /// The option.
        name: &'static str,
        /// The value as given.
        value: String,
        /// What it takes.
        takes: String,
    },
}

/// The options with a name of their own; all others are the declared numbers of [`Weights`] and [`SearchParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Hash,
    ClearHash,
    Threads,
    Ponder,
    MultiPv,
    Contempt,
    MoveOverhead,
    Chess960,
    ShowWdl,
}

impl Named {
    const ALL: [Self; 9] = [
        Self::Hash,
        Self::ClearHash,
        Self::Threads,
        Self::Ponder,
        Self::MultiPv,
        Self::Contempt,
        Self::MoveOverhead,
        Self::Chess960,
        Self::ShowWdl,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::ClearHash => "Clear Hash",
            Self::Threads => "Threads",
            Self::Ponder => "Ponder",
            Self::MultiPv => "MultiPV",
            Self::Contempt => "Contempt",
            Self::MoveOverhead => "Move Overhead",
            Self::Chess960 => "UCI_Chess960",
            Self::ShowWdl => "UCI_ShowWDL",
        }
    }

    fn kind(self) -> OptionKind {
        let spin =
            |default, min, max| OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) };
        match self {
            Self::Hash => spin(16, 1, 65_536),
            Self::ClearHash => OptionKind::Button,
            Self::Threads => spin(1, 1, 256),
            Self::MultiPv => spin(1, 1, 218),
            Self::Contempt => spin(0, -300, 300),
            Self::MoveOverhead => spin(10, 0, 10_000),
            Self::Ponder | Self::Chess960 | Self::ShowWdl => OptionKind::Check { default: Some(false) },
        }
    }

    /// The value as a number in this option's range; a check is 0 or 1.
    fn number(self, value: &str) -> Result<i64, OptionError> {
        let refuse = |takes: String| OptionError::Value { name: self.name(), value: value.to_owned(), takes };
        match self.kind() {
            OptionKind::Spin { min: Some(min), max: Some(max), .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(number));
                number.ok_or_else(|| refuse(format!("a whole number from {min} to {max}")))
            }
            _ => match value.to_ascii_lowercase().as_str() {
                "true" => Ok(1),
                "false" => Ok(0),
                _ => Err(refuse("true or false".into())),
            },
        }
    }
}

impl EngineOptions {
    /// The defaults, changed by a file of weights and search parameters, then by `name=value` assignments.
    pub fn load(weights: Option<&Path>, assignments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        if let Some(path) = weights {
            let wrong = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
            let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
            options.read_file(&text).map_err(|mistakes| wrong(&mistakes))?;
        }
        for assignment in assignments {
            options.assign(assignment).map_err(|error| format!("--set: {error}"))?;
        }
        Ok(options)
    }

    /// Every option as UCI declares it, each on a line.
    pub fn declarations() -> String {
        let named = Named::ALL.map(|option| (option.name().to_owned(), option.kind()));
        let declared = Weights::specs().iter().chain(SearchParams::specs()).map(|spec| {
            let [default, min, max] =
                [spec.default, spec.min, spec.max].map(|number| Some(i64::from(number)));
            (spec.name.clone(), OptionKind::Spin { default, min, max })
        });
        named
            .into_iter()
            .chain(declared)
            .map(|(name, kind)| format!("{}\n", OptionDeclaration { name, kind }))
            .collect()
    }

    /// Sets an option by its UCI name, in upper or lower case.
    pub fn set(&mut self, name: Words<'_>, value: Option<&str>) -> Result<OptionEffect, OptionError> {
        let value = value.unwrap_or_default().trim();
        let Some(option) = Named::ALL.into_iter().find(|option| name.matches(option.name())) else {
            self.set_declared(&name.to_string(), value)?;
            return Ok(OptionEffect::Remembered);
        };
        if option == Named::ClearHash {
            return Ok(OptionEffect::ClearHash);
        }
        let number = option.number(value)?;
        // The range of each option fits the type of its field.
        match option {
            Named::Hash => self.hash_mb = number as usize,
            Named::Threads => self.threads = number as usize,
            Named::MultiPv => self.multipv = number as usize,
            Named::Contempt => self.contempt = number as i32,
            Named::MoveOverhead => self.move_overhead = Duration::from_millis(number as u64),
            Named::Chess960 => {
                self.move_style = if number == 1 { MoveStyle::Chess960 } else { MoveStyle::Standard };
            }
            Named::ShowWdl => self.show_wdl = number == 1,
            // A GUI tells with it that it may ponder; we do whenever `go ponder` comes.
            Named::Ponder | Named::ClearHash => {}
        }
        Ok(OptionEffect::Remembered)
    }

    fn set_declared(&mut self, name: &str, value: &str) -> Result<(), DeclaredError> {
        let malformed = || DeclaredError::Malformed { text: format!("{name}={value}") };
        let number = value.parse();
        if let Some(spec) = named_like(SearchParams::specs(), name) {
            return self.params.set(&spec.name, number.map_err(|_| malformed())?);
        }
        let spec = named_like(Weights::specs(), name);
        let name = spec.map_or(name, |spec| &spec.name);
        if spec.is_some() && number.is_err() {
            return Err(malformed());
        }
        self.weights.set(name, number.unwrap_or_default())
    }

    /// An engine set up this way.
    pub fn searcher(&self) -> Searcher {
        let mut searcher = Searcher::new(self.hash_mb);
        searcher.set_threads(self.threads);
        searcher.set_contempt(self.contempt);
        if self.weights != Weights::default() {
            searcher.set_weights(self.weights.clone());
        }
        searcher.set_params(self.params.clone());
        searcher
    }

    /// Sets a weight or search parameter from `name=value`.
    pub fn assign(&mut self, assignment: &str) -> Result<(), DeclaredError> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| DeclaredError::Malformed { text: assignment.trim().to_owned() })?;
        self.set_declared(name.trim(), value.trim())
    }

    /// Sets weights and search parameters from the text of a file; refuses all of it if any line is wrong.
    pub fn read_file(&mut self, text: &str) -> Result<(), FileMistakes> {
        // Each table reads only its own lines; the other's become blank, so that line numbers stay true.
        let is_param = |line: &str| {
            let name = line.split(['=', '#']).next().unwrap_or_default().trim();
            SearchParams::index_of(name).is_ok()
        };
        let mut texts = [String::new(), String::new()];
        for line in text.lines() {
            texts[usize::from(is_param(line))] += line;
            texts.iter_mut().for_each(|text| text.push('\n'));
        }
        let (mut weights, mut params) = (self.weights.clone(), self.params.clone());
        let outcomes = [weights.read_text(&texts[0]), params.read_text(&texts[1])];
        let mut mistakes: Vec<_> =
            outcomes.into_iter().filter_map(Result::err).flat_map(|wrong| wrong.0).collect();
        if mistakes.is_empty() {
            (self.weights, self.params) = (weights, params);
            return Ok(());
        }
        mistakes.sort_by_key(|&(line, _)| line);
        Err(FileMistakes(mistakes))
    }
}

fn named_like(specs: &'static [Spec], name: &str) -> Option<&'static Spec> {
    specs.iter().find(|spec| spec.name.eq_ignore_ascii_case(name))
}

impl From<DeclaredError> for OptionError {
    fn from(error: DeclaredError) -> Self {
        Self::Declared(error)
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared(error) => error.fmt(f),
            Self::Value { name, value, takes } => write!(f, "`{value}` is nothing for {name}; give {takes}"),
        }
    }
}

impl std::error::Error for OptionError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::uci::Reply;

    fn set(options: &mut EngineOptions, name: &str, value: &str) -> Result<OptionEffect, OptionError> {
        options.set(Words::new(name), Some(value))
    }

    #[test]
    fn names_are_found_whatever_their_case() {
        let mut options = EngineOptions::default();
        set(&mut options, "hash", "32").unwrap();
        set(&mut options, "MOVE overhead", "50").unwrap();
        set(&mut options, "uci_chess960", "TRUE").unwrap();
        assert_eq!(options.hash_mb, 32);
        assert_eq!(options.move_overhead, Duration::from_millis(50));
        assert_eq!(options.move_style, MoveStyle::Chess960);
        assert_eq!(options.set(Words::new("Clear Hash"), None), Ok(OptionEffect::ClearHash));
    }

    #[test]
    fn every_declared_number_can_be_set_to_its_ends_and_no_further() {
        let mut options = EngineOptions::default();
        for spec in Weights::specs().iter().chain(SearchParams::specs()) {
            for value in [spec.min, spec.max] {
                assert_eq!(set(&mut options, &spec.name, &value.to_string()), Ok(OptionEffect::Remembered));
            }
            assert!(set(&mut options, &spec.name, &(i64::from(spec.max) + 1).to_string()).is_err());
        }
        assert_ne!(options, EngineOptions::default());
    }

    #[test]
    fn every_declaration_is_one_a_harness_can_read() {
        let text = EngineOptions::declarations();
        let count = text.lines().filter(|line| matches!(Reply::parse(line), Reply::Option(_))).count();
        assert_eq!(count, Named::ALL.len() + Weights::specs().len() + SearchParams::specs().len());
        assert_eq!(count, text.lines().count());
    }

    #[test]
    fn a_wrong_value_is_refused_with_what_would_be_right() {
        let mut options = EngineOptions::default();
        let message = |result: Result<OptionEffect, OptionError>| result.unwrap_err().to_string();
        assert!(message(set(&mut options, "Hash", "0")).contains("from 1 to 65536"));
        assert!(message(set(&mut options, "UCI_ShowWDL", "maybe")).contains("true or false"));
        assert!(message(set(&mut options, "no such thing", "1")).contains("no such thing"));
        assert!(message(set(&mut options, &Weights::specs()[0].name, "high")).contains("high"));
        assert_eq!(options, EngineOptions::default());
    }

    #[test]
    fn a_file_may_hold_weights_and_search_parameters() {
        let mut options = EngineOptions::default();
        let (weight, param) = (&Weights::specs()[0], &SearchParams::specs()[0]);
        let text = format!("{} = {}\n{} = {}\n", weight.name, weight.max, param.name, param.max);
        options.read_file(&text).unwrap();
        assert_eq!((options.weights.cell(0), options.params.cell(0)), (weight.max, param.max));
        let before = options.clone();
        let mistakes = options.read_file(&format!("\nnonsense = 3\n{text}{} = x\n", param.name)).unwrap_err();
        assert_eq!(mistakes.0.iter().map(|&(line, _)| line).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(options, before);
    }
}
