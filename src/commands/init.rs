//! A first run file: for a match, a test, a tuning run or a CI job.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::commands::engine_options::{EngineOptionList, engine_options};
use crate::commands::environment::Environment;
use crate::commands::failure::Failure;
use crate::commands::shell_word::shell_word;
use crate::config::{EngineEntry, toml_string};
use crate::player::NumberOption;

/// Names of programs that are UCI engines, as Debian and their authors spell them.
const KNOWN_ENGINES: [&str; 24] = [
    "arasan",
    "berserk",
    "caissa",
    "clover",
    "ethereal",
    "fruit",
    "glaurung",
    "igel",
    "koivisto",
    "lc0",
    "minic",
    "obsidian",
    "pedone",
    "plentychess",
    "rodent",
    "rubichess",
    "seer",
    "stash",
    "stockfish",
    "stormphrax",
    "toga2",
    "viridithas",
    "wasp",
    "weiss",
];

/// Folders in which engines are looked for, in addition to `PATH`.
const FOLDERS: [&str; 6] = ["/usr/games", ".", "target/release", "src", "build", "bin"];

/// Numbers that a first tuning run takes; more need more games.
const TUNED_AT_FIRST: usize = 8;

/// A workflow of GitHub Actions, with the values that a request replaces.
const WORKFLOW: &str = include_str!("../../docs/github-actions.yml");
const WORKFLOW_PROGRAM: &str = "--program src/engine";
const WORKFLOW_CLOCK: &str = "--tc 4+0.04";

/// The book that comes with this project.
const BOOK: &str = "openings/balanced.epd.gz";

/// What the file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitKind {
    /// A match of two engines.
    Match,
    /// A sequential test.
    Sprt,
    /// Tuning of an engine's numbers.
    Tune,
    /// A workflow of GitHub Actions that tests every change.
    Ci,
}

/// Parameters of a new run file.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// What the file is for.
    pub kind: InitKind,
    /// The engine of the user.
    pub engine: String,
    /// Its opponent.
    pub against: String,
    /// The clock.
    pub tc: String,
    /// The file that is written.
    pub file: PathBuf,
}

impl InitRequest {
    /// Returns the command that plays the file.
    pub fn command(&self) -> String {
        format!("playself {} {}", self.kind.command(), shell_word(&self.file))
    }
}

impl InitKind {
    /// Returns the usual name of the file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Match => "match.toml",
            Self::Sprt => "sprt.toml",
            Self::Tune => "tune.toml",
            Self::Ci => ".github/workflows/strength.yml",
        }
    }

    /// Returns the command that plays the file.
    fn command(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Sprt | Self::Ci => "sprt",
            Self::Tune => "tune",
        }
    }
}

/// Returns the programs on this machine that are or may be engines: those in `PATH` and `/usr/games` with the name of a known
/// engine, and every program of this project. None is started.
pub fn found_engines() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(FOLDERS.iter().map(PathBuf::from));
    let mut found = BTreeSet::new();
    for folder in folders {
        let own = folder.is_relative();
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let known = KNOWN_ENGINES.iter().any(|engine| name.starts_with(engine));
            if (known || own) && is_program(&entry.path()) {
                found.insert(entry.path());
            }
        }
    }
    found.into_iter().collect()
}

/// Returns whether this is a compiled program: scripts of a project are not engines.
fn is_program(path: &Path) -> bool {
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = path.metadata() else { return false };
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return false;
    }
    let mut magic = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Returns the text of the file. The engine is started to read its options, so that a wrong one is noticed here; a CI job
/// builds its own.
pub fn run_file_text(request: &InitRequest, environment: &Environment) -> Result<String, Failure> {
    if request.kind == InitKind::Ci {
        return workflow(request);
    }
    let engine: EngineEntry = request.engine.parse().map_err(Failure::usage)?;
    let options = engine_options(&engine, &[], environment)?;
    let mut text = head(request, &options);
    match request.kind {
        InitKind::Tune => tune(&mut text, request, &options.tunable())?,
        InitKind::Match | InitKind::Sprt | InitKind::Ci => {
            let opponent: EngineEntry = request.against.parse().map_err(Failure::usage)?;
            engine_options(&opponent, &[], environment)?;
            two_engines(&mut text, request);
        }
    }
    games(&mut text, request);
    if request.kind == InitKind::Sprt {
        text.push_str(
            "\n[sprt]                          # H0: as strong as the first number, H1: as strong as the second\n\
             elo = [0.0, 5.0]                # normalized Elo; [-5.0, 0.0] to show that nothing was lost\nalpha = 0.05\n\
             beta = 0.05\n",
        );
    }
    if request.kind == InitKind::Tune {
        text.push_str(
            "\n[accept]                        # the test that the tuned values must pass, on openings of their own\n\
             elo = [0.0, 10.0]\nmax_pairs = 2000\n",
        );
    }
    Ok(text)
}

/// Replaces what would end a comment.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn head(request: &InitRequest, options: &EngineOptionList) -> String {
    let mut text = format!(
        "# {}\n# Every key is described in docs/configuration.md; `--dry-run` shows what the run would do.\n",
        one_line(&request.command())
    );
    if let Some(name) = &options.id_name {
        let _ = writeln!(
            text,
            "# {}: {name}, {} options (playself options)",
            one_line(&request.engine),
            options.options.len()
        );
    }
    let _ = writeln!(text, "name = \"{}\"", request.kind.command());
    text
}

fn two_engines(text: &mut String, request: &InitRequest) {
    let (engine, against) = (toml_string(&request.engine), toml_string(&request.against));
    let _ = write!(
        text,
        "\n[candidate]\nengine = {engine}\n# name = \"dev\"                  # in results; by default that of the file\n\
         # options = {{ Hash = 16, Threads = 1 }}\n\n[baseline]\nengine = {against}\n# options = {{ Hash = 16, Threads = 1 }}\n"
    );
}

fn tune(text: &mut String, request: &InitRequest, numbers: &[NumberOption]) -> Result<(), Failure> {
    if numbers.is_empty() {
        return Err(Failure::usage(format_args!(
            "{} declares no number that can be tuned, beside usual settings: make its parameters UCI options of type spin",
            request.engine
        )));
    }
    let _ = writeln!(text, "engine = {}", toml_string(&request.engine));
    let (first, rest) = numbers.split_at(numbers.len().min(TUNED_AT_FIRST));
    let list = |numbers: &[NumberOption]| {
        numbers.iter().map(|number| toml_string(&number.name)).collect::<Vec<_>>().join(", ")
    };
    let _ = write!(
        text,
        "\n[tune]\ngames = 20000                   # or hours = 8.0\n# names, or patterns such as \"*_margin\"\nparameters = [{}]\n",
        list(first)
    );
    if !rest.is_empty() {
        let _ = writeln!(text, "# not tuned: {}", list(rest));
    }
    for NumberOption { name, min, max, default } in first {
        let name = toml_string(name);
        let _ = writeln!(text, "# bounds.{name} = {{ min = {min}, max = {max}, start = {default} }}");
    }
    Ok(())
}

fn games(text: &mut String, request: &InitRequest) {
    let tc = toml_string(&request.tc);
    let _ = write!(
        text,
        "\n[games]\ntc = {tc}                   # or nodes = 20000 | movetime_ms = 100 | depth = 8\n"
    );
    if Path::new(BOOK).exists() {
        let _ = writeln!(text, "openings = \"{BOOK}\"");
    } else {
        text.push_str(
            "# openings = \"book.epd\"         # EPD or PGN, `playself book make` makes one; without a book every\n\
             #                               # game begins at the initial position\n",
        );
    }
    if request.kind == InitKind::Match {
        text.push_str("max_pairs = 50                  # two games each\n");
    }
    text.push_str("# concurrency = 2               # pairs at once; one for each processor by default\n");
    text.push_str(
        "\n[adjudicate]\ndraw = { after_move = 34, moves = 8, cp = 20 }\nresign = { moves = 3, cp = 600, two_sided = true }\n",
    );
}

/// Returns a workflow that builds a change and tests it against the main branch.
fn workflow(request: &InitRequest) -> Result<String, Failure> {
    if request.engine.starts_with("builtin") {
        return Err(Failure::usage(
            "a CI job tests your engine: --engine names the program that its build makes",
        ));
    }
    let program = format!("--program {}", shell_word(Path::new(&request.engine)));
    Ok(WORKFLOW.replace(WORKFLOW_PROGRAM, &program).replace(WORKFLOW_CLOCK, &format!("--tc {}", request.tc)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunFile;

    fn request(kind: InitKind) -> InitRequest {
        InitRequest {
            kind,
            engine: "./my \"engine\"".to_owned(),
            against: "builtin".to_owned(),
            tc: "8+0.08".to_owned(),
            file: PathBuf::from("x.toml"),
        }
    }

    fn options() -> EngineOptionList {
        EngineOptionList { id_name: Some("Mine 1".to_owned()), options: Vec::new() }
    }

    #[test]
    fn the_texts_are_run_files_without_a_mistake() {
        for kind in [InitKind::Match, InitKind::Sprt, InitKind::Tune] {
            let request = request(kind);
            let mut text = head(&request, &options());
            if kind == InitKind::Tune {
                let number = |name: &str| NumberOption { name: name.to_owned(), min: 0, max: 9, default: 3 };
                let numbers: Vec<NumberOption> = (0..12).map(|at| number(&format!("margin {at}"))).collect();
                tune(&mut text, &request, &numbers).unwrap();
            } else {
                two_engines(&mut text, &request);
            }
            games(&mut text, &request);
            let run =
                RunFile::parse(Path::new("x.toml"), &text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            assert_eq!(run.engines[0].engine, request.engine);
            if let Some(tune) = run.tune {
                assert_eq!(tune.parameters.len(), TUNED_AT_FIRST);
            }
        }
    }

    #[test]
    fn an_engine_without_numbers_cannot_be_tuned() {
        let error = tune(&mut String::new(), &request(InitKind::Tune), &[]).unwrap_err();
        assert!(error.to_string().contains("declares no number that can be tuned"), "{error}");
    }
    #[test]
    fn a_workflow_has_the_program_and_the_clock_of_the_request() {
        let request = InitRequest { engine: "src/my engine".to_owned(), ..request(InitKind::Ci) };
        let text = workflow(&request).unwrap();
        assert!(text.contains("--program 'src/my engine' \\\n") && text.contains("--tc 8+0.08 "), "{text}");
        assert!(!text.contains(WORKFLOW_PROGRAM) && !text.contains(WORKFLOW_CLOCK), "{text}");
    }
}
