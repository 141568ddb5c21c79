//! `playself doctor`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use playself::commands::{Console, DoctorRequest, Environment, Failure, OrFailure, answer, diagnose};
use playself::doctor::{ConcurrencyLevel, Diagnosis};

/// Measure how many games this machine can play at once without disturbing them.
///
/// Plays an engine against itself, first one game at a time, then more, up to one for each processor. Compares engine
/// speed and its variation, games lost on time, wake-up delays of a sleeping thread, time stolen by a hypervisor and
/// processor clocks. Also checks the limit on open files and the disk.
///
/// Run it while nothing else runs, with the engine and the time per move of your tests. Exit status: 0 if one game at a
/// time has no problem, 4 if it has.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorCommand {
    /// Engine that plays itself: a program, `builtin`, or a name in configs/engines
    #[arg(value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// Duration of the measurement in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=36_000))]
    seconds: u64,
    /// Time per move in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    movetime: u64,
    /// Maximum number of games at once [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    concurrency: Option<u64>,
    /// Folder whose disk is checked
    #[arg(long, value_name = "DIR", default_value = ".")]
    results: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let request = DoctorRequest {
            engine: self.engine,
            seconds: self.seconds,
            movetime_ms: self.movetime,
            concurrency: self.concurrency.map(|most| most as usize),
            results: self.results,
        };
        let environment = Environment::current().or_fault()?;
        let diagnosis = diagnose(&request, Console::of_flag(self.json), &environment)?;
        if self.json {
            answer(serde_json::to_string(&diagnosis).or_fault()?)?;
        } else {
            answer(text(&diagnosis).or_fault()?)?;
        }
        Ok(ExitCode::from(if diagnosis.is_fit() { 0 } else { Failure::FAULT_STATUS }))
    }
}

fn text(diagnosis: &Diagnosis) -> Result<String, std::fmt::Error> {
    let found = &diagnosis.findings;
    let mut text =
        "at once  games        nps  spread  flagged  faults  woken late (ms, median / 99 % / worst)  busy  stolen\n"
            .to_owned();
    for level in &found.levels {
        writeln!(text, "{}", row(level))?;
    }
    let clocks = found
        .clocks
        .mhz
        .map_or("clocks unknown".to_owned(), |(least, most)| format!("{least} to {most} MHz"));
    let governors = match &found.clocks.governors[..] {
        [] => "unknown".to_owned(),
        governors => governors.join(", "),
    };
    writeln!(text, "Processors: {}, {clocks}, governor {governors}", found.processors)?;
    if let Some(slots) = found.max_slots {
        writeln!(text, "Open files: enough for {slots} games at once")?;
    }
    if let (Some(free), Some((median, most))) = (found.disk_free_mb, found.sync_ms) {
        writeln!(text, "Disk: {free} MB free; a sync takes {median:.1} ms, {most:.1} ms at worst")?;
    }
    for remark in &diagnosis.remarks {
        writeln!(text, "Note: {remark}")?;
    }
    if diagnosis.is_fit() {
        write!(text, "Recommended: --concurrency {}", diagnosis.recommended_concurrency)?;
    } else {
        text.push_str("Not fit for games on a clock, not even one at a time: see the first note");
    }
    Ok(text)
}

fn row(level: &ConcurrencyLevel) -> String {
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let delays = [level.delay_p50_us, level.delay_p99_us, level.delay_max_us];
    format!(
        "{:>7} {:>6} {:>10.0} {:>5.1} %  {:>7} {:>7}  {:>38}  {:>4}  {:>6}",
        level.concurrency,
        level.games,
        level.nps,
        level.nps_spread * 100.0,
        level.forfeits,
        level.faults,
        delays.map(|delay| format!("{:.2}", delay as f64 / 1000.0)).join(" / "),
        percent(level.processors.map(|shares| shares.busy)),
        percent(level.processors.map(|shares| shares.stolen)),
    )
}
