//! Options of the built-in engine, in one table for UCI, command lines and files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chess::MoveStyle;
use crate::engine::{Declared, DeclaredError, FileErrors, Limits, SearchParams, Searcher, Spec, Weights};
use crate::protocol::Words;
use crate::protocol::uci::{OptionDeclaration, OptionKind};
use crate::store::read_text;
use crate::syzygy::MAX_MEN;

const DEFAULT_HASH_MB: u16 = 16;
const DEFAULT_THREADS: u16 = 1;
const DEFAULT_MULTIPV: u16 = 1;
const DEFAULT_CONTEMPT: i32 = 0;

/// Configuration of the built-in engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB.
    pub hash_mb: usize,
    /// Number of search threads.
    pub threads: usize,
    /// Number of best lines to report.
    pub multipv: usize,
    /// Penalty for a draw, in centipawns.
    pub contempt: i32,
    /// Time lost between sending a move and the stop of the clock.
    pub move_overhead: Duration,
    /// Notation of castling moves.
    pub move_style: MoveStyle,
    /// Whether scores are reported with win, draw and loss probabilities.
    pub show_wdl: bool,
    /// Folders of endgame tables, with `:` between them; empty for none.
    pub syzygy_path: String,
    /// Largest number of men for which endgame tables are used.
    pub syzygy_limit: u32,
    /// Weights of the evaluation.
    pub weights: Weights,
    /// Parameters of the search.
    pub params: SearchParams,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            hash_mb: usize::from(DEFAULT_HASH_MB),
            threads: usize::from(DEFAULT_THREADS),
            multipv: usize::from(DEFAULT_MULTIPV),
            contempt: DEFAULT_CONTEMPT,
            move_overhead: Limits::DEFAULT_MOVE_OVERHEAD,
            move_style: MoveStyle::Standard,
            show_wdl: false,
            syzygy_path: String::new(),
            syzygy_limit: MAX_MEN,
            weights: Weights::default(),
            params: SearchParams::default(),
        }
    }
}

/// How GUIs write an empty path.
const EMPTY_PATH: &str = "<empty>";

/// The action that setting an option requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionEffect {
    /// None beyond storing the value.
    Stored,
    /// The search state must be cleared.
    ClearHash,
}

/// Error returned when an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOptionError {
    /// An unknown name, or an invalid value of a weight or search parameter.
    Declared(DeclaredError),
    /// An invalid value of another option.
    Value {
        /// The option.
        name: &'static str,
        /// The given value.
        value: String,
        /// A description of the valid values.
        expected: String,
    },
}

/// The options other than the declared numbers of [`Weights`] and [`SearchParams`].
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
    SyzygyPath,
    SyzygyProbeLimit,
}

impl Named {
    const ALL: [Self; 11] = [
        Self::Hash,
        Self::ClearHash,
        Self::Threads,
        Self::Ponder,
        Self::MultiPv,
        Self::Contempt,
        Self::MoveOverhead,
        Self::Chess960,
        Self::ShowWdl,
        Self::SyzygyPath,
        Self::SyzygyProbeLimit,
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
            Self::SyzygyPath => "SyzygyPath",
            Self::SyzygyProbeLimit => "SyzygyProbeLimit",
        }
    }

    fn kind(self) -> OptionKind {
        let spin =
            |default, min, max| OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) };
        match self {
            Self::Hash => spin(DEFAULT_HASH_MB.into(), 1, 65_536),
            Self::ClearHash => OptionKind::Button,
            Self::Threads => spin(DEFAULT_THREADS.into(), 1, 256),
            Self::MultiPv => spin(DEFAULT_MULTIPV.into(), 1, 218),
            Self::Contempt => spin(DEFAULT_CONTEMPT.into(), -300, 300),
            Self::MoveOverhead => spin(Limits::DEFAULT_MOVE_OVERHEAD.as_millis() as i64, 0, 10_000),
            Self::SyzygyPath => OptionKind::String { default: String::new() },
            Self::SyzygyProbeLimit => spin(MAX_MEN.into(), 0, MAX_MEN.into()),
            Self::Ponder | Self::Chess960 | Self::ShowWdl => OptionKind::Check { default: Some(false) },
        }
    }

    /// Parses a value as a number in the range of the option; a check option is 0 or 1.
    fn number(self, value: &str) -> Result<i64, SetOptionError> {
        let invalid =
            |expected: String| SetOptionError::Value { name: self.name(), value: value.to_owned(), expected };
        match self.kind() {
            OptionKind::Spin { min: Some(min), max: Some(max), .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(number));
                number.ok_or_else(|| invalid(format!("an integer from {min} to {max}")))
            }
            _ => match value.to_ascii_lowercase().as_str() {
                "true" => Ok(1),
                "false" => Ok(0),
                _ => Err(invalid("true or false".into())),
            },
        }
    }
}

impl EngineOptions {
    /// Returns the defaults, overridden by a file of weights and search parameters, then by `name=value` assignments.
    pub fn load(weights: Option<&Path>, assignments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        if let Some(path) = weights {
            let message = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
            let text = read_text(path).map_err(|error| message(&error))?;
            options.read_file(&text).map_err(|mistakes| message(&mistakes))?;
        }
        for assignment in assignments {
            options.assign(assignment).map_err(|error| format!("--set: {error}"))?;
        }
        Ok(options)
    }

    /// Returns the UCI declarations of all options, one per line.
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

    /// Sets an option by its UCI name, ignoring case.
    pub fn set(&mut self, name: Words<'_>, value: Option<&str>) -> Result<OptionEffect, SetOptionError> {
        let value = value.unwrap_or_default().trim();
        let Some(option) = Named::ALL.into_iter().find(|option| name.matches(option.name())) else {
            self.set_declared(&name.to_string(), value)?;
            return Ok(OptionEffect::Stored);
        };
        if option == Named::ClearHash {
            return Ok(OptionEffect::ClearHash);
        }
        if option == Named::SyzygyPath {
            self.syzygy_path = if value == EMPTY_PATH { String::new() } else { value.to_owned() };
            return Ok(OptionEffect::Stored);
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
            // `Ponder` announces that the GUI may ponder; the engine ponders whenever it receives `go ponder`.
            Named::SyzygyProbeLimit => self.syzygy_limit = number as u32,
            Named::Ponder | Named::ClearHash | Named::SyzygyPath => {}
        }
        Ok(OptionEffect::Stored)
    }

    fn set_declared(&mut self, name: &str, value: &str) -> Result<(), DeclaredError> {
        let malformed = || DeclaredError::Malformed { text: format!("{name}={value}") };
        let number = value.parse();
        if let Some(spec) = find_spec(SearchParams::specs(), name) {
            return self.params.set(&spec.name, number.map_err(|_| malformed())?);
        }
        let spec = find_spec(Weights::specs(), name);
        let name = spec.map_or(name, |spec| &spec.name);
        if spec.is_some() && number.is_err() {
            return Err(malformed());
        }
        self.weights.set(name, number.unwrap_or_default())
    }

    /// Returns the folders of endgame tables.
    pub fn syzygy_folders(&self) -> Vec<PathBuf> {
        self.syzygy_path.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect()
    }

    /// Creates an engine with these options, without endgame tables.
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

    /// Sets weights and search parameters from the text of a file. If any line is invalid, nothing is changed.
    pub fn read_file(&mut self, text: &str) -> Result<(), FileErrors> {
        // Each table reads only its own lines. The lines of the other are blank, which preserves line numbers.
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
        Err(FileErrors(mistakes))
    }
}

fn find_spec(specs: &'static [Spec], name: &str) -> Option<&'static Spec> {
    specs.iter().find(|spec| spec.name.eq_ignore_ascii_case(name))
}

impl From<DeclaredError> for SetOptionError {
    fn from(error: DeclaredError) -> Self {
        Self::Declared(error)
    }
}

impl fmt::Display for SetOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared(error) => error.fmt(f),
            Self::Value { name, value, expected } => {
                write!(f, "invalid value `{value}` for {name}: expected {expected}")
            }
        }
    }
}

impl std::error::Error for SetOptionError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::uci::Reply;

    fn set(options: &mut EngineOptions, name: &str, value: &str) -> Result<OptionEffect, SetOptionError> {
        options.set(Words::new(name), Some(value))
    }

    #[test]
    fn names_are_matched_ignoring_case() {
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
    fn every_declared_number_can_be_set_to_its_bounds_and_not_beyond() {
        let mut options = EngineOptions::default();
        for spec in Weights::specs().iter().chain(SearchParams::specs()) {
            for value in [spec.min, spec.max] {
                assert_eq!(set(&mut options, &spec.name, &value.to_string()), Ok(OptionEffect::Stored));
            }
            assert!(set(&mut options, &spec.name, &(i64::from(spec.max) + 1).to_string()).is_err());
        }
        assert_ne!(options, EngineOptions::default());
    }

    #[test]
    fn every_declaration_is_readable_as_uci() {
        let text = EngineOptions::declarations();
        let count = text.lines().filter(|line| matches!(Reply::parse(line), Reply::Option(_))).count();
        assert_eq!(count, Named::ALL.len() + Weights::specs().len() + SearchParams::specs().len());
        assert_eq!(count, text.lines().count());
    }

    #[test]
    fn an_invalid_value_is_rejected_with_the_valid_values() {
        let mut options = EngineOptions::default();
        let message = |result: Result<OptionEffect, SetOptionError>| result.unwrap_err().to_string();
        assert!(message(set(&mut options, "Hash", "0")).contains("from 1 to 65536"));
        assert!(message(set(&mut options, "UCI_ShowWDL", "maybe")).contains("true or false"));
        assert!(message(set(&mut options, "no such thing", "1")).contains("no such thing"));
        assert!(message(set(&mut options, &Weights::specs()[0].name, "high")).contains("high"));
        assert_eq!(options, EngineOptions::default());
    }

    #[test]
    fn a_file_may_contain_weights_and_search_parameters() {
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
