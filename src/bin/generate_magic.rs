//! `generate_magic`: finds the magic numbers of the slider tables, or proves the ones in use.

use std::process::ExitCode;

use clap::Parser;
use playself::chess::{check_magic_numbers, magic_numbers_source};

mod usage;

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

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program talks")]
fn main() -> ExitCode {
    let arguments: Arguments = match usage::parse() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    if !arguments.check {
        print!("{}", magic_numbers_source(arguments.seed));
        return ExitCode::SUCCESS;
    }
    match check_magic_numbers() {
        Ok(seed) => {
            println!("ok: 128 magic numbers, found from seed {seed}, keep every attack apart");
            ExitCode::SUCCESS
        }
        Err(collision) => {
            eprintln!("error: {collision}");
            ExitCode::FAILURE
        }
    }
}
