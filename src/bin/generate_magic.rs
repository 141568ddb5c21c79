//! `generate_magic`: finds the magic numbers of the slider tables, or proves the ones in use.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use playself::chess::{check_magic_numbers, magic_numbers_source};
use playself::cli::usage;

/// Print Rust source of a table of magic numbers, or check the committed one.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where the random search starts; the same seed always gives the same table.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Check that the numbers this program is built with keep all attacks apart.
    #[arg(long, conflicts_with = "seed")]
    check: bool,
}

fn main() -> ExitCode {
    let arguments: Arguments = match usage::parse() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let text = if arguments.check {
        match check_magic_numbers() {
            Ok(seed) => format!("ok: 128 magic numbers, found from seed {seed}, keep every attack apart\n"),
            Err(collision) => {
                usage::refuse(collision);
                return ExitCode::FAILURE;
            }
        }
    } else {
        magic_numbers_source(arguments.seed)
    };
    usage::answered(io::stdout().write_all(text.as_bytes()).map(|()| ExitCode::SUCCESS))
}
