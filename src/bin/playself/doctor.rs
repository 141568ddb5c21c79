//! `playself doctor`: what this machine does to games, measured before a night is spent on it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use playself::config::{EngineEntry, LimitsTable, SearchPaths, plan_engine};
use playself::doctor::{ConcurrencyLevel, Measurement, ProcessorClocks, recommended_concurrency, sync_times};
use playself::fleet::most_slots;
use playself::game::TimeControl;
use playself::player::GuardianProgram;
use playself::run::preflight::DiskRoom;
use serde_json::json;

use playself::commands::{Console, Failure, OrFailure};

/// Measure how fair games on this machine are, and how many it can play at once.
///
/// Plays an engine against itself with one game at a time, then with more, up to one for each processor, and compares:
/// how fast the engine thinks and how much that varies, games lost on time, how late the system wakes a sleeping
/// thread, time stolen by other machines, processor clocks. Looks at the limit on open files and at the disk, too.
/// Do it when nothing else runs, with the engine and the time per move that you will test with. Exit status: 0 all is
/// well with at least one game at a time, 4 it is not.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorCommand {
    /// Engine to play with itself: a program, `builtin`, or a name from configs/engines
    #[arg(value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// How long to play in all
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=36_000))]
    seconds: u64,
    /// Milliseconds per move
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// The most games at once to try; without it, one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    concurrency: Option<u64>,
    /// Folder whose disk is looked at
    #[arg(long, value_name = "DIR", default_value = ".")]
    results: PathBuf,
    /// Print everything as one JSON object
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let most = self.concurrency.map_or(processors, |most| most as usize);
        let sizes = sizes_up_to(most);
        let checkup = self.checkup().or_usage()?;
        let each = Duration::from_secs_f64(self.seconds as f64 / sizes.len() as f64);
        let show = Console::of_flag(self.json);
        let throttled_before = ProcessorClocks::now().throttled;
        show.print(&format!(
            "{} against itself, {} ms a move, {} s: the fewer other things run, the better",
            self.engine, self.movetime, self.seconds
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
        let mut levels = Vec::new();
        for size in sizes {
            levels.push(runtime.block_on(checkup.level(size, each)).map_err(Failure::fault)?);
        }
        let clocks = ProcessorClocks::now();
        let overheated =
            clocks.throttled.zip(throttled_before).map_or(0, |(now, before)| now.saturating_sub(before));
        let findings = Findings { processors, levels, clocks, overheated, disk: Disk::of(&self.results) };
        findings.tell(&self);
        Ok(if findings.objections().is_empty() { ExitCode::SUCCESS } else { ExitCode::from(4) })
    }

    fn checkup(&self) -> anyhow::Result<Measurement> {
        let limits = TimeControl::movetime(self.movetime);
        let around =
            SearchPaths { this_program: std::env::current_exe()?, engines: PathBuf::from("configs/engines") };
        let entry = EngineEntry { engine: self.engine.clone(), ..EngineEntry::default() };
        let planned = plan_engine(
            &entry,
            LimitsTable { movetime_ms: Some(self.movetime), ..LimitsTable::default() },
            &around,
        )?;
        Ok(Measurement { engine: planned.spec, limits, guardian: Some(GuardianProgram::ourselves()?) })
    }
}

/// One, the half, and all of `most`.
fn sizes_up_to(most: usize) -> Vec<usize> {
    let mut sizes = vec![1, most.div_ceil(2), most];
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// What the disk is like, as far as it can be asked.
struct Disk {
    free_mb: Option<u64>,
    sync_ms: Option<(f64, f64)>,
}

impl Disk {
    fn of(folder: &Path) -> Self {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        Self {
            free_mb: DiskRoom::free_bytes(folder).ok().map(|bytes| bytes >> 20),
            sync_ms: sync_times(folder).ok().map(|(median, most)| (milliseconds(median), milliseconds(most))),
        }
    }
}

/// Everything that was found.
struct Findings {
    processors: usize,
    levels: Vec<ConcurrencyLevel>,
    clocks: ProcessorClocks,
    overheated: u64,
    disk: Disk,
}

impl Findings {
    /// What is wrong even with one game at a time.
    fn objections(&self) -> Vec<String> {
        let alone = self.levels.first();
        let mut objections: Vec<String> =
            alone.and_then(|level| level.objection(level)).into_iter().collect();
        if alone.is_some_and(|level| level.games == 0) {
            objections.push("no game was finished: give it more --seconds".to_owned());
        }
        objections
    }

    /// What is worth knowing, and what to do about it.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.objections();
        if let Some(alone) = self.levels.first() {
            let more = self.levels.iter().skip(1);
            remarks.extend(more.filter_map(|level| {
                level.objection(alone).map(|why| format!("{} games at once: {why}", level.concurrency))
            }));
            if alone.nps_spread > 0.05 {
                remarks.push(format!(
                    "speeds vary by {:.0} % with one game alone: something else uses this machine",
                    alone.nps_spread * 100.0
                ));
            }
        }
        if self.levels.iter().any(|level| level.processors.is_some_and(|shares| shares.stolen > 0.01)) {
            remarks.push("other machines take processor time from this one (steal)".to_owned());
        }
        if self.overheated > 0 {
            remarks.push(format!("heat slowed the processors down {} times", self.overheated));
        }
        if self.clocks.governors.iter().any(|governor| governor != "performance") {
            remarks.push(format!(
                "processor clocks follow the governor {}; `performance` is steadier",
                self.clocks.governors.join(", ")
            ));
        }
        if self.disk.free_mb.is_some_and(|free| free < 1024) {
            remarks.push("the disk has less than a gigabyte left".to_owned());
        }
        remarks
    }

    fn tell(&self, command: &DoctorCommand) {
        if command.json {
            // On standard output, where programs listen; what people read went elsewhere.
            Console::Text.print(&self.json(command).to_string());
            return;
        }
        let say = |text: &str| Console::Text.print(text);
        say(
            "at once  games        nps  spread  on time  faults  woken late (ms, median / 99 % / worst)  busy  stolen",
        );
        for level in &self.levels {
            let percent = |share: Option<f64>| {
                share.map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0))
            };
            say(&format!(
                "{:>7} {:>6} {:>10.0} {:>5.1} %  {:>7} {:>7}  {:>38}  {:>4}  {:>6}",
                level.concurrency,
                level.games,
                level.nps,
                level.nps_spread * 100.0,
                level.forfeits,
                level.faults,
                [level.delay_p50_us, level.delay_p99_us, level.delay_max_us]
                    .map(|delay| format!("{:.2}", delay as f64 / 1000.0))
                    .join(" / "),
                percent(level.processors.map(|shares| shares.busy)),
                percent(level.processors.map(|shares| shares.stolen)),
            ));
        }
        let clocks = self
            .clocks
            .mhz
            .map_or("clocks not told".to_owned(), |(least, most)| format!("{least} to {most} MHz"));
        let governors = if self.clocks.governors.is_empty() {
            "not told".to_owned()
        } else {
            self.clocks.governors.join(", ")
        };
        say(&format!("Processors: {}, {clocks}, governor {governors}", self.processors));
        if let Some(slots) = most_slots() {
            say(&format!("Open files: enough for {slots} games at once"));
        }
        if let (Some(free), Some((median, most))) = (self.disk.free_mb, self.disk.sync_ms) {
            say(&format!("Disk: {free} MB free; confirms a write in {median:.1} ms, {most:.1} ms at worst"));
        }
        for remark in self.remarks() {
            say(&format!("Note; {remark}"));
        }
        say(&format!("Recommended: --concurrency {}", recommended_concurrency(&self.levels)));
    }

    fn json(&self, command: &DoctorCommand) -> serde_json::Value {
        json!({
            "engine": command.engine,
            "seconds": command.seconds,
            "movetime_ms": command.movetime,
            "processors": self.processors,
            "levels": self.levels,
            "clocks": self.clocks,
            "throttled_meanwhile": self.overheated,
            "descriptors_allow": most_slots(),
            "disk_free_mb": self.disk.free_mb,
            "sync_ms": self.disk.sync_ms,
            "remarks": self.remarks(),
            "recommended_concurrency": recommended_concurrency(&self.levels),
        })
    }
}
