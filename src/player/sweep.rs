//! Finding processes by the mark their environment carries, wherever they have moved to.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The variable that names the run a process belongs to.
pub(super) const RUN_VARIABLE: &str = "PLAYSELF_RUN";
/// The variable that names the very engine process it descends from.
pub(super) const ENGINE_VARIABLE: &str = "PLAYSELF_ENGINE";

/// Kills every process whose environment holds `variable=value`, ourselves excepted; says how many.
///
/// A child that left its parent's group and session still carries its environment.
pub(super) fn kill_marked(variable: &str, value: &str) -> u64 {
    let mark = format!("{variable}={value}");
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let ourselves = std::process::id();
    let mut killed = 0;
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Kernel threads and other users' processes show no environment.
        let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
        let marked = environment.split(|&byte| byte == 0).any(|item| item == mark.as_bytes());
        if marked && pid != ourselves && kill(Pid::from_raw(pid as i32), Signal::SIGKILL).is_ok() {
            killed += 1;
        }
    }
    killed
}
