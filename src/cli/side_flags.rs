//! Settings of one engine of the form `--white A --black B`.

use crate::cli::run_flags::name_and_value;
use crate::config::EngineEntry;
use crate::game::{ClockRule, TimeControl};

/// Declares the flags of one side.
macro_rules! side_flags {
    ($flags:ident, $side:literal, $heading:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Debug, Default, clap::Args)]
        #[command(next_help_heading = $heading)]
        pub struct $flags {
            /// Name in results [default: its file name]
            #[arg(long = concat!($side, "-name"), id = concat!($side, "-name"), value_name = "NAME", requires = $side)]
            name: Option<String>,
            /// UCI option of this engine alone, e.g. Hash=64; may be repeated
            #[arg(
                long = concat!($side, "-option"),
                id = concat!($side, "-option"),
                value_name = "NAME=VALUE",
                value_parser = name_and_value,
                requires = $side
            )]
            options: Vec<(String, String)>,
            /// Clock of this engine [default: --tc]
            #[arg(long = concat!($side, "-tc"), id = concat!($side, "-tc"), value_name = "TC", requires = $side)]
            tc: Option<ClockRule>,
            /// Time per move of this engine in milliseconds [default: --movetime]
            #[arg(
                long = concat!($side, "-movetime"),
                id = concat!($side, "-movetime"),
                value_name = "MS",
                value_parser = clap::value_parser!(u64).range(1..=TimeControl::MAX_MOVETIME_MS),
                requires = $side
            )]
            movetime: Option<u64>,
            /// Nodes per move of this engine [default: --nodes]
            #[arg(
                long = concat!($side, "-nodes"),
                id = concat!($side, "-nodes"),
                value_name = "N",
                value_parser = clap::value_parser!(u64).range(1..=TimeControl::MAX_NODES),
                requires = $side
            )]
            nodes: Option<u64>,
            /// Search depth of this engine in plies [default: --depth]
            #[arg(
                long = concat!($side, "-depth"),
                id = concat!($side, "-depth"),
                value_name = "N",
                value_parser = clap::value_parser!(u32).range(1..=i64::from(TimeControl::MAX_DEPTH)),
                requires = $side
            )]
            depth: Option<u32>,
        }

        impl $flags {
            /// Overrides the settings of an engine by the flags that are given.
            pub fn apply(&self, entry: &mut EngineEntry) {
                entry.name = self.name.clone().or(entry.name.take());
                entry.options.extend(self.options.iter().cloned());
                entry.limits.tc = self.tc.or(entry.limits.tc);
                entry.limits.movetime_ms = self.movetime.or(entry.limits.movetime_ms);
                entry.limits.nodes = self.nodes.or(entry.limits.nodes);
                entry.limits.depth = self.depth.or(entry.limits.depth);
            }
        }
    };
}

side_flags!(WhiteFlags, "white", "White alone", "Settings of the engine that has White in the first game.");
side_flags!(BlackFlags, "black", "Black alone", "Settings of the engine that has Black in the first game.");
