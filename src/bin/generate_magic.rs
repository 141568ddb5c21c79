//! `generate_magic`: searches magic numbers for the slider tables, or checks those in use.

use std::process::ExitCode;

use clap::Parser;
use playself::chess::{check_magic_numbers, magic_numbers_source};
use playself::cli::usage;
use playself::commands::answer;

/// Print a table of magic numbers as Rust source, or check the one in use
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Random seed; the same seed gives the same table
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Check that the numbers compiled into this program distinguish all attack sets; exit status 1 if not
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
            Ok(seed) => format!("ok: 128 magic numbers, found from seed {seed}, distinguish all attack sets"),
            Err(collision) => {
                usage::refuse(collision);
                return ExitCode::FAILURE;
            }
        }
    } else {
        magic_numbers_source(arguments.seed)
    };
    usage::exit_code("generate_magic", answer(text.trim_end()).map(|()| ExitCode::SUCCESS))
}
