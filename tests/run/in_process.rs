//! Runs started inside this process, through `playself::commands`.

use std::fs;
use std::path::{Path, PathBuf};

use playself::commands::{
    Console, Environment, Failure, FileState, Finished, Pilots, ResumeOptions, ResumePlace, RunPlace,
    Session, StartOptions, TuneOutcome, TuneRequest, WarningPolicy, accept, check_plan, checked_plan, pilot,
    resume, start, tuning_plan, verify,
};
use playself::config::RunFile;
use playself::report::{Summary, Verdict, weights_toml};
use playself::run::{RunOutcome, plan_from_toml};

use crate::run::{Bench, FAKE, Match, PLAYSELF};

fn environment() -> Environment {
    Environment::of_program(PathBuf::from(PLAYSELF))
}

fn options(place: PathBuf) -> StartOptions {
    StartOptions {
        place: RunPlace::Exactly(place),
        warnings: WarningPolicy::Report,
        console: Console::Silent,
        serve: None,
        log_dialogue: None,
        session: Session::Attached,
    }
}

fn play(config: &Path, place: PathBuf) -> Result<Finished, Failure> {
    let plan = checked_plan(&RunFile::read(config).unwrap(), &environment())?;
    start(plan, &options(place), &environment())
}

fn resume_silently(place: &Path) -> Result<Finished, Failure> {
    resume(
        place,
        &ResumeOptions {
            console: Console::Silent,
            serve: None,
            session: Session::Attached,
            place: ResumePlace::default(),
        },
        &environment(),
    )
}

/// A tuning run of a few seconds, whose start is so bad that a better value is found.
fn tuning_config(bench: &Bench, accept: &str) -> TuneRequest {
    let text = format!(
        "engine = \"builtin\"\nseed = 1\n[tune]\ngames = 300\nparameters = [\"knight_value\"]\n\
         [tune.bounds.knight_value]\nmin = 20\nmax = 700\nstart = 60\n[games]\nnodes = 60\nconcurrency = 2\n\
         [adjudicate]\nmax_moves = 30\nresign = {{ moves = 2, cp = 400 }}\n{accept}"
    );
    let config = bench.path("tune.toml");
    fs::write(&config, text).unwrap();
    TuneRequest {
        run: RunFile::read(&config).unwrap(),
        config,
        games: None,
        pilots: Pilots::Play,
        learn_from: Vec::new(),
    }
}

#[test]
fn a_match_returns_its_result_and_writes_its_summary() {
    let bench = Bench::new();
    let config = bench.config("match", &Match { pairs: 3, ..Match::default() });
    let finished = play(&config, bench.path("run")).unwrap();
    assert_eq!((&finished.outcome, finished.status()), (&RunOutcome::Finished, 0));
    assert_eq!(finished.state.standings().pairs(), 3);
    let summary: Summary = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    assert_eq!((summary.games, summary.candidate.as_str(), summary.verdict), (6, "new", Verdict::NoTest));
    assert_eq!(plan_from_toml(&bench.read("run", "plan.toml")).unwrap(), finished.plan);
}

#[test]
fn a_recorded_plan_is_played_again_to_the_same_games() {
    let bench = Bench::new();
    let config = bench.engine_test("first", "set = { knight_value = 200 }", "", [0, 400]);
    let first = play(&config, bench.path("first")).unwrap();
    let plan = plan_from_toml(&bench.read("first", "plan.toml")).unwrap();
    let checked = check_plan(plan, &environment()).unwrap();
    let second = start(checked, &options(bench.path("second")), &environment()).unwrap();
    assert_eq!(first.outcome, second.outcome);
    assert_eq!(bench.results("first"), bench.results("second"));
}

#[test]
fn a_run_whose_journal_was_cut_inside_a_record_is_resumed_to_the_same_files() {
    let bench = Bench::new();
    let config = bench.config("cut", &Match { pairs: 3, games: "concurrency = 1", ..Match::default() });
    play(&config, bench.path("run")).unwrap();
    let results = bench.results("run");
    let path = bench.path("run/journal.ndjson");
    let journal = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..journal.len()).filter(|&at| journal[at] == b'\n').collect();
    fs::write(&path, &journal[..ends[ends.len() - 5] + 40]).unwrap();
    let finished = resume_silently(&bench.path("run")).unwrap();
    assert_eq!((finished.outcome, finished.state.standings().pairs()), (RunOutcome::Finished, 3));
    assert_eq!(bench.results("run"), results);
}

#[test]
fn a_damaged_file_is_rewritten_from_the_journal_and_reported() {
    let bench = Bench::new();
    let config = bench.config("damage", &Match { pairs: 2, ..Match::default() });
    play(&config, bench.path("run")).unwrap();
    let results = bench.results("run");
    let path = bench.path("run/pairs.csv");
    let table = fs::read_to_string(&path).unwrap();
    let first_line = table.lines().next().unwrap();
    for (damaged, expected) in [
        (first_line.to_owned(), FileState::Rewritten),
        (format!("{table}2,"), FileState::RewrittenKeeping("pairs.csv.before-verify".to_owned())),
        (table.clone(), FileState::Unchanged),
    ] {
        fs::write(&path, damaged).unwrap();
        let verification = verify(&bench.path("run"), None).unwrap();
        assert_eq!((verification.pairs, verification.torn_bytes, verification.cut), (2, 0, None));
        for file in &verification.files {
            let state = if file.name == "pairs.csv" { &expected } else { &FileState::Unchanged };
            assert_eq!(&file.state, state, "{}", file.name);
        }
        assert_eq!(bench.results("run"), results);
    }
}

#[test]
fn a_pilot_measures_the_seconds_per_pair() {
    let bench = Bench::new();
    let config =
        bench.config("pilot", &Match { baseline: &["--sleep-ms", "5"], pairs: 500, ..Match::default() });
    let plan = checked_plan(&RunFile::read(&config).unwrap(), &environment()).unwrap().plan;
    let measured = pilot(&plan, 2, Console::Silent, &environment()).unwrap();
    assert_eq!(measured.pentanomial.pairs(), 2);
    assert!((0.005..60.0).contains(&measured.seconds_per_pair), "{measured:?}");
    assert!((0.0..=1.0).contains(&measured.draw_ratio), "{measured:?}");
}

#[test]
fn the_values_of_the_journal_are_tested_whatever_weights_toml_contains() {
    let bench = Bench::new();
    let request = tuning_config(&bench, "[accept]\nnodes = 60\nelo = [0.0, 50.0]\nmax_pairs = 4\n");
    let plan = tuning_plan(&request, Console::Silent, &environment()).unwrap();
    let tuning = start(plan, &options(bench.path("run")), &environment()).unwrap();
    assert_eq!(tuning.outcome, RunOutcome::Finished);
    let tuner = tuning.state.tuner().unwrap();
    let best = tuner.finished().best();
    let weights = weights_toml(&tuner.plan().space, &best);
    assert_eq!(bench.read("run", "weights.toml"), weights);

    fs::write(bench.path("run/weights.toml"), "knight_value = 61\n").unwrap();
    let TuneOutcome::Tested { test, .. } =
        accept(tuning, ResumePlace::default(), Console::Silent, &environment()).unwrap()
    else {
        panic!("the tuned values are tested");
    };
    let tuned = &test.plan.engines[0].spec;
    let value = tuned.options.iter().find(|option| option.name == "knight_value").unwrap();
    assert_eq!((tuned.name.as_str(), format!("knight_value = {}\n", value.value)), ("tuned", weights));
    assert!(bench.path("run/accept/summary.json").exists());
    assert_eq!(test.status(), test.outcome.exit_status());
}

#[test]
fn a_tuning_run_without_a_test_ends_with_its_own_status() {
    let bench = Bench::new();
    let plan = tuning_plan(
        &TuneRequest { games: Some(4), ..tuning_config(&bench, "") },
        Console::Silent,
        &environment(),
    );
    let tuning = start(plan.unwrap(), &options(bench.path("run")), &environment()).unwrap();
    let accepted = accept(tuning, ResumePlace::default(), Console::Silent, &environment()).unwrap();
    assert!(matches!(accepted, TuneOutcome::NotTested(_)));
    assert_eq!(accepted.status(), 0);
}

#[test]
fn every_failure_has_the_status_of_its_kind() {
    let bench = Bench::new();
    let config = bench.config("match", &Match { pairs: 1, ..Match::default() });
    play(&config, bench.path("run")).unwrap();
    fs::write(bench.path("file"), "").unwrap();
    fs::create_dir(bench.path("empty")).unwrap();
    let text = fs::read_to_string(&config).unwrap();
    let variant = |name: &str, from: &str, to: &str| {
        fs::write(bench.path(name), text.replace(from, to)).unwrap();
        bench.path(name)
    };
    let missing = variant("missing.toml", FAKE, "/no/such/engine");
    let unfit = variant("unfit.toml", FAKE, "/bin/true");
    let pilot_of = |config: &Path| {
        let plan = checked_plan(&RunFile::read(config).unwrap(), &environment())?.plan;
        pilot(&plan, 1, Console::Silent, &environment()).map(|_| ())
    };
    let played = |config: &Path, place: &str| play(config, bench.path(place)).map(|_| ());
    let resumed = |place: &str| resume_silently(&bench.path(place)).map(|_| ());
    let verified = |place: &str| verify(&bench.path(place), None).map(|_| ());
    for (case, status, result) in [
        ("an engine that does not exist", 2, played(&missing, "other")),
        ("a folder that holds a run", 2, played(&config, "run")),
        ("a folder below a file", 4, played(&config, "file/run")),
        ("an engine that does not answer", 4, pilot_of(&unfit)),
        ("a folder that is not a run", 2, resumed("empty")),
        ("a folder that is not a run", 2, verified("empty")),
        ("a cut inside a record", 2, verify(&bench.path("run"), Some(7)).map(|_| ())),
        ("a journal that is missing", 4, {
            fs::remove_file(bench.path("run/journal.ndjson")).unwrap();
            resumed("run")
        }),
        ("a journal that is missing", 4, verified("run")),
    ] {
        let failure = result.expect_err(case);
        assert_eq!(failure.status(), status, "{case}: {failure}");
    }
    assert!(!bench.path("other").exists(), "a refused run leaves no folder");
}
