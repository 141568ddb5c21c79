//! `playself doctor`.

use std::process::{Command, Output};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

fn doctor(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_playself"));
    command.arg("doctor").args(args).current_dir(folder.path());
    let output = command.output().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the command leaves no file");
    output
}

#[test]
fn the_machine_is_measured_at_every_concurrency_and_one_is_recommended() {
    let output = doctor(&["--seconds", "2", "--movetime", "60", "--concurrency", "2", "--json"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let levels = report["levels"].as_array().unwrap();
    let sizes: Vec<_> = levels.iter().map(|level| level["concurrency"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [1, 2], "{report}");
    for level in levels {
        assert!(level["games"].as_u64().unwrap() > 0, "{report}");
        assert!(level["nps"].as_f64().unwrap() > 1000.0, "{report}");
        assert!(level["delay_max_us"].as_u64() >= level["delay_p50_us"].as_u64(), "{report}");
    }
    assert!((1..=2).contains(&report["recommended_concurrency"].as_u64().unwrap()), "{report}");
    assert!(report["disk_free_mb"].as_u64().unwrap() > 0 && report["sync_ms"].is_array(), "{report}");
}

#[test]
fn a_late_engine_is_reported_and_a_program_that_is_not_an_engine_is_refused() {
    let slow = std::env::temp_dir().join(format!("playself-slow-{}", std::process::id()));
    std::fs::write(&slow, format!("#!/bin/sh\nexec {FAKE} --sleep-ms 120\n")).unwrap();
    let mut permissions = std::fs::metadata(&slow).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&slow, permissions).unwrap();
    let output =
        doctor(&[slow.to_str().unwrap(), "--seconds", "1", "--movetime", "20", "--concurrency", "1"]);
    std::fs::remove_file(&slow).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(4), "{printed}");
    assert!(
        printed.contains("games were lost on time") && printed.contains("Not fit for games on a clock"),
        "{printed}"
    );

    assert_eq!(doctor(&["/no/such/engine", "--seconds", "1"]).status.code(), Some(2));
    assert_eq!(doctor(&["/bin/true", "--seconds", "1"]).status.code(), Some(4));
}
