//! Every row of the table of faults on one machine has a test that names it.
//!
//! Rows 1 to 52 are what engines do, rows 53 to 64 what the host does, rows 65 to 73 what the disk does. A test names its
//! row as `row 7`, `rows 53 and 54`, in its own name as `row_29_`, or, where many rows are one test, as a case
//! `"7 hang at go"`.
#![allow(clippy::unwrap_used, reason = "a file that cannot be read has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Rows that belong to other parts of the house: the file and the test that would fail.
const ELSEWHERE: &[(u32, &str, &str)] = &[
    (55, "tests/run_faults.rs", "row_55_a_run_interrupted_once_or_twice_goes_on_to_the_same_end"),
    (56, "tests/run_faults.rs", "row_56_a_machine_that_goes_down_is_given_ten_seconds"),
    (57, "tests/run_faults.rs", "row_57_no_engine_is_alive_a_second_after_we_were_killed"),
    (58, "tests/run_host.rs", "row_58_games_under_way_are_void_after_ctrl_z_whatever_their_result"),
    (61, "tests/run_host.rs", "row_61_games_lost_on_time_under_overload_count_and_the_run_is_called_noisy"),
    (62, "tests/run_faults.rs", "row_62_three_slips_of_ours_stop_the_run_and_score_nothing"),
    (63, "tests/run_faults.rs", "row_63_a_reader_that_stops_reading_does_not_hold_a_run_up"),
    (64, "src/stats/sprt.rs", "no_counts_and_no_hypotheses_make_the_ratio_infinite"),
    (65, "tests/run_host.rs", "row_65_a_disk_that_fills_up_ends_the_run_and_it_goes_on_elsewhere"),
    (66, "tests/journal_damage.rs", "row_66_a_tail_cut_at_every_byte_of_the_last_record_is_dropped"),
    (67, "tests/journal_damage.rs", "row_67_a_flipped_byte_anywhere_is_refused_with_its_offset"),
    (
        68,
        "tests/run_faults.rs",
        "rows_65_and_68_a_disk_that_fails_ends_the_run_with_every_acknowledged_game_intact",
    ),
    (69, "tests/run_durability.rs", "row_69_deleted_cut_and_edited_files_are_written_anew_from_the_journal"),
    (70, "tests/run_durability.rs", "row_70_a_second_program_on_the_same_run_is_refused"),
    (71, "tests/run_durability.rs", "row_71_a_changed_engine_book_or_plan_is_refused_with_what_changed"),
    (72, "tests/run_durability.rs", "row_72_a_journal_of_a_newer_program_is_refused"),
    (73, "tests/run_host.rs", "row_73_a_line_of_a_gigabyte_is_refused_with_its_number_in_little_memory"),
];

#[test]
fn every_row_from_1_to_73_has_its_test() {
    let mut covered = BTreeSet::new();
    for folder in ["tests", "src/fleet", "src/player", "src/game"] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let ours = folder != "tests" || name.starts_with("faults_") || name.starts_with("player_");
            if ours && name.ends_with(".rs") && name != "faults_coverage.rs" {
                covered.extend(rows_named_in(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    for &(row, file, test) in ELSEWHERE {
        let text = fs::read_to_string(Path::new(file)).unwrap();
        assert!(text.contains(&format!("fn {test}(")), "row {row}: {file} has no test {test}");
        covered.insert(row);
    }
    let missing: Vec<u32> = (1..=73).filter(|row| !covered.contains(row)).collect();
    assert!(missing.is_empty(), "rows without a test: {missing:?}");
}

fn rows_named_in(text: &str) -> Vec<u32> {
    let number = |text: &str| text.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u32>().ok();
    let mut found = Vec::new();
    for mark in ["row ", "rows ", "row_"] {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            found.extend(number(rest));
            found.extend(
                rest.split_once(" and ").filter(|_| mark == "rows ").and_then(|(_, rest)| number(rest)),
            );
        }
    }
    for piece in text.split('"') {
        let (row, case) = piece.split_once(' ').unwrap_or_default();
        if case.starts_with(|letter: char| letter.is_lowercase()) {
            found.extend(row.parse::<u32>().ok());
        }
    }
    found
}

#[test]
fn rows_are_found_however_they_are_named() {
    let text = "fn row_29_x() {} (\"7 hang at go\", \"on go\") \"rows 53 and 54\" \"row 12: it\"";
    assert_eq!(BTreeSet::from_iter(rows_named_in(text)), BTreeSet::from([7, 12, 29, 53, 54]));
}
