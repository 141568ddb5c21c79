//! Faults of a real host, without simulation: Ctrl-Z in a terminal, overload, a full disk, a book with an endless line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::machine;
use crate::records::{acknowledged, limited, on_record};
use crate::run::{Bench, FAKE, Match, PLAYSELF, finish, wait_for};
use nix::fcntl::OFlag;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::signal::{Signal, killpg};
use nix::sys::statvfs::statvfs;
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, setsid, tcsetpgrp};

/// Environment variables of a helper: the folder of its test, and one more argument.
const FOLDER: &str = "PLAYSELF_TEST_FOLDER";
const DETAIL: &str = "PLAYSELF_TEST_DETAIL";

/// The command that runs one of the ignored tests below in its own process.
fn helper(test: &str, bench: &Bench, detail: &str) -> Command {
    let (_, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::{test}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &test, "--ignored", "--nocapture", "--test-threads", "1"])
        .env(FOLDER, bench.folder.path())
        .env(DETAIL, detail)
        .stdout(Stdio::null());
    command
}

fn from_environment(variable: &str) -> PathBuf {
    std::env::var_os(variable).expect("this helper is started by another test, with its variables").into()
}

/// A process that is killed when this is dropped.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn assert_valid(bench: &Bench, run: &str) {
    let verified = bench.verify(run);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

fn with_limit(bench: &Bench, name: &str, wanted: &Match<'_>, limit: &str) -> PathBuf {
    let config = bench.config(name, wanted);
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("depth = 1", limit)).unwrap();
    config
}

/// Opens the terminal that the environment names as the controlling terminal of a new session.
fn terminal_of_a_new_session() -> OwnedFd {
    setsid().unwrap();
    // The first terminal that a session leader opens becomes the controlling terminal.
    OpenOptions::new().read(true).write(true).open(from_environment(DETAIL)).unwrap().into()
}

/// Starts a match as a job of this shell, in a process group of its own.
fn start_job(tty: &OwnedFd) -> Pid {
    let folder = from_environment(FOLDER);
    let stream = || Stdio::from(tty.try_clone().unwrap());
    let mut job = Command::new(PLAYSELF);
    job.arg("match").arg(folder.join("stopped.toml")).arg("--run-dir").arg(folder.join("run"));
    job.process_group(0).stdin(stream()).stdout(stream()).stderr(stream()).current_dir(&folder);
    Pid::from_raw(job.spawn().unwrap().id().cast_signed())
}

/// A terminal for a shell, and a thread that reads what is written to it: output that is not read would fill the terminal.
fn keyboard_and_screen() -> (PtyMaster, std::thread::JoinHandle<String>) {
    let keyboard = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let mut screen = File::from(keyboard.as_fd().try_clone_to_owned().unwrap());
    let screen = std::thread::spawn(move || {
        let (mut shown, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = screen.read(&mut chunk) {
            shown.extend_from_slice(&chunk[..count]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    (keyboard, screen)
}

/// A shell with a job in the background of a terminal that stops such jobs when they write to it.
#[test]
#[ignore = "helper process of another test"]
fn is_a_shell_with_a_background_job() {
    let tty = terminal_of_a_new_session();
    let mut settings = tcgetattr(&tty).unwrap();
    settings.local_flags.insert(LocalFlags::TOSTOP);
    tcsetattr(&tty, SetArg::TCSANOW, &settings).unwrap();
    let job = start_job(&tty);
    assert_eq!(waitpid(job, Some(WaitPidFlag::WUNTRACED)).unwrap(), WaitStatus::Exited(job, 0));
}

#[test]
fn row_130_a_background_job_is_not_stopped_because_it_writes_to_its_terminal() {
    let bench = Bench::new();
    bench.config("stopped", &Match { pairs: 6, ..Match::default() });
    let (keyboard, screen) = keyboard_and_screen();
    let mut shell = helper("is_a_shell_with_a_background_job", &bench, &ptsname_r(&keyboard).unwrap());
    let mut shell = KillOnDrop(shell.spawn().unwrap());
    assert!(shell.0.wait().unwrap().success(), "see the message of the shell above");
    drop(keyboard);
    assert!(screen.join().unwrap().contains("Finished match"));
    assert_valid(&bench, "run");
}

/// A shell with one job: it has a terminal, puts the job into the foreground, and continues it after a stop.
#[test]
#[ignore = "helper process of another test"]
fn is_a_shell_with_one_job() {
    let folder = from_environment(FOLDER);
    let tty = terminal_of_a_new_session();
    let job = start_job(&tty);
    tcsetpgrp(&tty, job).unwrap();
    let stopped = waitpid(job, Some(WaitPidFlag::WUNTRACED)).unwrap();
    assert_eq!(stopped, WaitStatus::Stopped(job, Signal::SIGTSTP));
    fs::write(folder.join("was-stopped"), "").unwrap();
    sleep(Duration::from_millis(700));
    let state = fs::read_to_string(format!("/proc/{job}/stat")).unwrap();
    assert!(state.contains(") T "), "the job is stopped: {state}");
    killpg(job, Signal::SIGCONT).unwrap();
    assert_eq!(waitpid(job, None).unwrap(), WaitStatus::Exited(job, 0));
}

#[test]
fn row_58_games_in_progress_are_void_after_ctrl_z() {
    let _machine = machine::share();
    let whole = Bench::new();
    let wanted = Match { pairs: 6, ..Match::default() };
    let (status, printed) = finish(&mut whole.start(&whole.config("whole", &wanted), "run"));
    assert_eq!(status, 0, "{printed}");
    // With a time limit the stop would lose a game, with a depth limit it would not; the games are void in both cases.
    for limit in ["movetime_ms = 400", "depth = 1"] {
        let bench = Bench::new();
        let (candidate, baseline) = (["--salt", "1", "--sleep-ms", "5"], ["--salt", "2", "--sleep-ms", "5"]);
        let games = "concurrency = 2";
        let slow = Match { candidate: &candidate, baseline: &baseline, games, ..wanted };
        with_limit(&bench, "stopped", &slow, limit);
        let (keyboard, screen) = keyboard_and_screen();
        let mut shell = helper("is_a_shell_with_one_job", &bench, &ptsname_r(&keyboard).unwrap());
        let mut shell = KillOnDrop(shell.spawn().unwrap());
        let journal = bench.path("run/journal.ndjson");
        let recorded = || fs::read_to_string(&journal).unwrap_or_default();
        wait_for("a first game", 30, || recorded().contains("\"type\":\"game\""));
        (&keyboard).write_all(b"\x1a").unwrap();
        wait_for("a stop", 10, || bench.path("was-stopped").exists());
        let length = recorded().len();
        assert!(shell.0.wait().unwrap().success(), "{limit}: see the message of the shell above");
        drop(keyboard);
        let shown = screen.join().unwrap();
        let after = recorded().split_off(length);
        let suspended = after.lines().filter(|line| line.contains("\"type\":\"void\"")).collect::<Vec<_>>();
        assert!((1..=2).contains(&suspended.len()), "{limit}: {suspended:?}\n{shown}");
        assert!(suspended.iter().all(|line| line.contains("suspended")), "{limit}: {suspended:?}");
        assert_eq!(bench.read("run", "pairs.csv"), whole.read("run", "pairs.csv"), "{limit}");
        assert_valid(&bench, "run");
    }
}

/// Runs four busy threads per processor.
#[test]
#[ignore = "helper process of another test"]
fn keeps_every_processor_busy() {
    let threads = 4 * std::thread::available_parallelism().unwrap().get();
    // The test kills this process after the run; the deadline is for a test that fails before.
    let end = Instant::now() + Duration::from_secs(60);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while Instant::now() < end {
                    (0..10_000).for_each(|_| std::hint::spin_loop());
                }
            });
        }
    });
}

#[test]
fn row_61_time_forfeits_under_overload_count_and_have_their_evidence() {
    let _machine = machine::reserve();
    let bench = Bench::new();
    // A move takes 10 ms of work: in time on a whole processor, late on a fifth of one.
    let work = ["--on", "on go: burn 10; play"];
    let games = "concurrency = 2\nbreaker = \"off\"";
    let wanted = Match { pairs: 6, candidate: &work, baseline: &work, games, rest: "" };
    let config = with_limit(&bench, "late", &wanted, "movetime_ms = 10");
    let spinners = KillOnDrop(helper("keeps_every_processor_busy", &bench, "").spawn().unwrap());
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    drop(spinners);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("noisy run"), "{printed}");
    let rows = bench.read("run", "pairs.csv");
    let late = rows.matches("time_forfeit").count() as u64;
    assert!(late > 0, "{rows}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    let count = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!((count("games"), count("faults")), (12, late), "no game is left out: {summary}");
    assert_eq!(count("wins") + count("draws") + count("losses"), 12, "{summary}");
    // The late engine loses, and its bundle has the reason: it waited for a processor.
    let bundles = fs::read_dir(bench.path("run/faults")).unwrap().count() as u64;
    assert_eq!(bundles, late);
    let journal = bench.read("run", "journal.ndjson");
    let faults = journal.lines().filter(|line| line.contains("engine_runqueue_us"));
    let waits = faults.map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["bundle"]["time"]["engine_runqueue_us"].as_u64().unwrap()
    });
    let waits: Vec<u64> = waits.collect();
    assert!(waits.iter().any(|&wait| wait > 5_000), "{journal}");
    let evidence = journal.lines().filter(|line| line.contains("engine_runqueue_us")).map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let time = |key: &str| record["bundle"]["time"][key].as_u64().unwrap();
        (time("measured_us"), time("engine_cpu_us") + time("engine_runqueue_us"))
    });
    // One thread cannot run and wait for longer than the move took, plus the interval between two measurements.
    for (measured, known) in evidence {
        assert!(known <= measured + 100_000, "{known} of {measured} us");
    }
    assert_valid(&bench, "run");
}

#[test]
fn row_245_engines_that_wait_for_a_processor_on_their_clocks_make_a_noisy_run() {
    let _machine = machine::reserve();
    let bench = Bench::new();
    // Each move takes 10 ms of work, and there is time for ten times as much.
    let work = ["--on", "on go: burn 10; play"];
    let wanted = Match { pairs: 1, candidate: &work, baseline: &work, games: "concurrency = 1", rest: "" };
    let config = with_limit(&bench, "starved", &wanted, "tc = \"60+0.1\"");
    let shorter = fs::read_to_string(&config).unwrap().replace("max_moves = 40", "max_moves = 10");
    fs::write(&config, shorter).unwrap();
    let spinners = KillOnDrop(helper("keeps_every_processor_busy", &bench, "").spawn().unwrap());
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    drop(spinners);
    assert_eq!(status, 0, "{printed}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    assert_eq!((&summary["faults"], &summary["starved_games"]), (&0.into(), &2.into()), "{summary}");
    let anomalies = summary["completion"]["anomalies"].as_array().unwrap();
    let starved = |engine: &str| {
        anomalies.iter().any(|found| {
            (&found["kind"], &found["engine"], &found["count"])
                == (&"starved_games".into(), &engine.into(), &2.into())
        })
    };
    assert!(starved("new") && starved("old"), "{summary}");
    assert_eq!(
        printed.matches(" new waited for a processor for ").count(),
        1,
        "once for each engine: {printed}"
    );
    assert!(printed.contains("noisy run: 2 of 2 games were played while an engine waited"), "{printed}");
    assert!(bench.read("run", "report.html").contains("2 of 2 games were played while an engine waited"));
    assert_valid(&bench, "run");
}

/// A small tmpfs in the mount namespace of this process.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(place: PathBuf, size: &str) -> Self {
        fs::create_dir_all(&place).unwrap();
        let options = format!("size={size}");
        mount(Some("tmpfs"), &place, Some("tmpfs"), MsFlags::empty(), Some(options.as_str())).unwrap();
        Self(place)
    }

    fn resize(&self, size: &str) {
        let options = format!("size={size}");
        mount(Some("tmpfs"), &self.0, Some("tmpfs"), MsFlags::MS_REMOUNT, Some(options.as_str())).unwrap();
    }

    /// Shrinks the disk to its contents plus two pages. Filling it with a file would race against the run.
    fn shrink_to_what_it_holds(&self) {
        let shrunk = || {
            let disk = statvfs(&self.0).unwrap();
            let held = (disk.blocks() - disk.blocks_free()) * disk.fragment_size();
            let options = format!("size={}", held + (8 << 10));
            mount(Some("tmpfs"), &self.0, Some("tmpfs"), MsFlags::MS_REMOUNT, Some(options.as_str()))
        };
        // The run may have written more than that since the size was read.
        wait_for("a smaller disk", 10, || shrunk().is_ok());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = umount2(&self.0, MntFlags::MNT_DETACH);
    }
}

#[test]
#[ignore = "helper process of another test"]
fn plays_on_small_disks() {
    let folder = from_environment(FOLDER);
    let start = |run: &Path| {
        let mut command = Command::new(PLAYSELF);
        command.arg("match").arg(folder.join("reference.toml")).arg("--run-dir").arg(run);
        command.current_dir(&folder);
        command
    };
    {
        let disk = SmallDisk::mount(folder.join("tiny"), "64k");
        let (status, printed) = finish(&mut start(&disk.0.join("run")));
        assert_eq!((status, printed.contains("0 MB left")), (2, true), "{printed}");
        assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 0, "a refusal leaves no file");
    }
    // Large enough for the start of a run and the copies of its programs; then the free space is removed for a while.
    let programs = fs::metadata(FAKE).unwrap().len() >> 20;
    let disk = SmallDisk::mount(folder.join("small"), &format!("{}m", 72 + programs));
    let run = disk.0.join("run");
    let (status, reported, text) = std::thread::scope(|scope| {
        let shrinker = scope.spawn(|| {
            let journal = run.join("journal.ndjson");
            // More than the 64 records of a group, so that some games have been reported.
            let begun = || fs::metadata(&journal).is_ok_and(|found| found.len() > 150_000);
            wait_for("some games", 30, begun);
            disk.shrink_to_what_it_holds();
            sleep(Duration::from_millis(2500));
            let held = fs::metadata(&journal).unwrap().len();
            sleep(Duration::from_millis(500));
            assert_eq!(fs::metadata(&journal).unwrap().len(), held, "nothing fits on the disk");
            disk.resize(&format!("{}m", 144 + programs));
        });
        let run = acknowledged(&mut start(&run));
        shrinker.join().unwrap();
        run
    });
    assert_eq!(status, 0, "{text}");
    // Warnings are events on standard output, and lines on standard error.
    let waits = |line: &&str| line.starts_with('{') && line.contains("the run waits until there is room");
    assert_eq!(text.lines().filter(waits).count(), 1, "{text}");
    let kept = on_record(&run.join("journal.ndjson"));
    assert!(reported.iter().all(|game| kept.contains(game)), "reported {reported:?}, kept {kept:?}");
    fs::create_dir(folder.join("saved")).unwrap();
    for entry in fs::read_dir(&run).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), folder.join("saved").join(entry.file_name())).unwrap();
    }
}

#[test]
fn rows_65_and_190_a_full_disk_pauses_the_run_which_goes_on_when_there_is_room() {
    let bench = Bench::new();
    let unshare = |program: &Command| {
        let own = if nix::unistd::geteuid().is_root() { "-m" } else { "-rm" };
        let mut command = Command::new("unshare");
        command.arg(own).arg(program.get_program()).args(program.get_args());
        let given = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.envs(given);
        command
    };
    let mut probe = Command::new("mount");
    probe.args(["-t", "tmpfs", "tmpfs"]).arg(bench.folder.path());
    if !unshare(&probe).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        // The tests with a file size limit in tests/run/faults.rs need no permission to mount.
        let _ = writeln!(io::stderr(), "skipped: this system does not allow mounting a tmpfs");
        return;
    }
    let config =
        bench.config("reference", &Match { pairs: 150, games: "concurrency = 2", ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
    let played = unshare(&helper("plays_on_small_disks", &bench, "")).stdout(Stdio::null()).status().unwrap();
    assert!(played.success(), "see the message of the helper above");
    assert_eq!(bench.results("saved"), bench.results("whole"));
    assert_valid(&bench, "saved");
}

#[test]
fn row_73_a_line_of_a_gigabyte_is_refused_with_its_number_in_bounded_memory() {
    let bench = Bench::new();
    let good = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n";
    // PGN is read character by character, which is slow in a debug build: a quarter is enough.
    for (name, start, length, line) in
        [("book.epd", good, 1 << 30, "line 2"), ("book.pgn", "[Event \"x\"]\n\n1. e4 {", 1 << 28, "line 3")]
    {
        let config = bench.config("book", &Match { pairs: 1, ..Match::default() });
        let text = fs::read_to_string(&config).unwrap().replace("book.epd", name);
        fs::write(&config, text).unwrap();
        let mut book = File::create(bench.path(name)).unwrap();
        book.write_all(start.as_bytes()).unwrap();
        // The start is text, as that of a book is.
        book.write_all(&[b'a'; 1 << 16]).unwrap();
        // A sparse file of zeros, which takes almost no disk space.
        book.set_len(length).unwrap();
        // Less memory than the line would take and much more than the program needs; the seconds are processor time.
        let command = bench.start(&config, "run");
        let (status, printed) = finish(&mut limited("ulimit -v 250000; ulimit -t 60", &command));
        assert_eq!(status, 2, "{name}: {printed}");
        assert!(printed.contains(line), "{name}: {printed}");
        assert!(!bench.path("run").exists(), "{name}");
        fs::remove_file(bench.path(name)).unwrap();
    }
}
