//! `playself options ENGINE`.

use std::process::ExitCode;

use clap::ValueEnum;
use playself::commands::{Environment, Failure, OptionsFormat, OrFailure, answer, engine_options};
use playself::config::EngineEntry;

/// List the options of an engine, or the numbers that can be tuned in the form of a tuner
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself options builtin
  playself options stockfish
  playself options builtin '*_mobility' --format toml >> tune.toml")]
pub(crate) struct OptionsCommand {
    /// Engine: PATH, builtin, or a name in configs/engines
    #[arg(value_name = "ENGINE")]
    engine: EngineEntry,
    /// Names of options, or patterns with `*` [default: all]
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Form of the list; all but table and json contain only the numbers that can be tuned
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table of all options
    Table,
    /// The tables [tune] and [tune.bounds.NAME] of a run file
    Toml,
    /// Lines of fishtest: name,start,min,max,c_end,r_end
    Fishtest,
    /// Lines of OpenBench: name, int, start, min, max, c_end, r_end
    Openbench,
    /// JSON of weather-factory
    WeatherFactory,
    /// All options as one JSON object
    Json,
}

impl OptionsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let options = engine_options(&self.engine, &self.patterns, &environment)?;
        let text = options.text(match self.format {
            Format::Table => OptionsFormat::Table,
            Format::Toml => OptionsFormat::Toml,
            Format::Fishtest => OptionsFormat::Fishtest,
            Format::Openbench => OptionsFormat::OpenBench,
            Format::WeatherFactory => OptionsFormat::WeatherFactory,
            Format::Json => OptionsFormat::Json,
        })?;
        answer(text.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
