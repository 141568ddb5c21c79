//! Flags for place and output of a run.

use std::path::PathBuf;

use clap::ArgMatches;

use crate::cli::fleet_flags::FleetFlags;
use crate::commands::{Conclusion, Console, RunPlace, Session, StartOptions, WarningPolicy};
use crate::config::RunFile;
use crate::dashboard::ServeAddress;

/// Place and output of a run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OutputFlags {
    /// Print events as JSON lines on standard output, and text on standard error
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Refuse a run with unintended differences between its engines, or one that the machine is too small for
    ///
    /// Compares the effective values of Hash and Threads, the options Ponder, MultiPV, SyzygyPath and Move Overhead where
    /// they are set, thinking limits and programs. A difference is intended if both engines set the value in their own
    /// tables.
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
    /// Folder in which a new run folder is created
    #[arg(long, value_name = "DIR", default_value = "results", help_heading = "Output")]
    pub results: PathBuf,
    /// Run folder to create; it must not contain a run
    #[arg(long, value_name = "DIR", conflicts_with = "results", help_heading = "Output")]
    pub run_dir: Option<PathBuf>,
    /// Print what the run would do, after the handshake with its engines; play and write nothing
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    /// Append the result to this file in Markdown when the run ends, e.g. "$GITHUB_STEP_SUMMARY"
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub summary_md: Option<PathBuf>,
    /// Command that runs when the run has ended, without a shell; it finds the result in PLAYSELF_RUN, PLAYSELF_STATUS,
    /// PLAYSELF_OUTCOME and PLAYSELF_RESULT
    #[arg(long, value_name = "COMMAND", help_heading = "Output")]
    pub on_end: Option<String>,
    /// Write everything that is sent to and by the engines to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub log_dialogue: Option<PathBuf>,
    /// Machines that play.
    #[command(flatten)]
    pub fleet: FleetFlags,
    /// Live page.
    #[command(flatten)]
    pub live: LiveFlags,
    /// Terminal.
    #[command(flatten)]
    pub detach: DetachFlags,
}

/// Whether a run stays with its terminal.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DetachFlags {
    /// Play in the background, independent of this terminal; prints the run folder and how to watch and stop the run
    ///
    /// Everything is checked first. The output goes to run.log in the run folder, the events of --json to events.ndjson.
    #[arg(long, help_heading = "Output")]
    detach: bool,
    /// Set by --detach in the process that plays the run.
    #[arg(long, hide = true, conflicts_with = "detach")]
    detached: bool,
}

impl DetachFlags {
    /// Returns whether the command line, or its subcommand, asks for a run in the background.
    pub fn are_asked_for(matches: &ArgMatches) -> bool {
        let here = matches.try_get_one::<bool>("detach").ok().flatten().copied();
        here == Some(true) || matches.subcommand().is_some_and(|(_, inner)| Self::are_asked_for(inner))
    }

    /// Returns whether this process leaves its terminal.
    pub fn session(&self) -> Session {
        if self.detached { Session::Detached } else { Session::Attached }
    }
}

/// Live page of a run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct LiveFlags {
    /// Serve a live page of the run at PORT, HOST or HOST:PORT; without ADDR, for this machine only
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1",
        help_heading = "Output"
    )]
    pub serve: Option<ServeAddress>,
}

impl OutputFlags {
    /// Overrides the run file by the flags that are given.
    pub fn apply(&self, run: &mut RunFile) {
        run.on_end = self.on_end.clone().or(run.on_end.take());
        run.fleet.url = self.fleet.shown_url().or(run.fleet.url.take());
    }

    /// Returns the console of the command.
    pub fn console(&self) -> Console {
        Console::of_flag(self.json)
    }

    /// Returns what is done at the end of a run.
    pub fn conclusion(&self) -> Conclusion {
        Conclusion { summary_md: self.summary_md.clone() }
    }

    /// Returns the options of a run with these flags.
    pub fn start_options(&self) -> StartOptions {
        StartOptions {
            place: match &self.run_dir {
                Some(path) => RunPlace::Exactly(path.clone()),
                None => RunPlace::Inside(self.results.clone()),
            },
            warnings: if self.strict { WarningPolicy::Refuse } else { WarningPolicy::Report },
            console: self.console(),
            serve: self.live.serve.clone(),
            log_dialogue: self.log_dialogue.clone(),
            session: self.detach.session(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;

    #[test]
    fn only_the_whole_flag_asks_for_a_detached_run() {
        let call = |words: &[&str]| {
            let run = OutputFlags::augment_args(Command::new("match")).arg(clap::arg!(--name <NAME>));
            Command::new("playself").subcommand(run).try_get_matches_from(words).unwrap()
        };
        assert!(DetachFlags::are_asked_for(&call(&["playself", "match", "--detach"])));
        for words in [&["playself", "match", "--detached"][..], &["playself", "match", "--name=--detach"]] {
            assert!(!DetachFlags::are_asked_for(&call(words)));
        }
    }
}
