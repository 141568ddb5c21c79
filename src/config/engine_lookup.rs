//! Finds the engine that a command line or a file names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::fleet::Shipment;
use crate::opening::PolyglotBook;
use crate::player::{EngineBookPlan, EngineOption, EngineSpec, Pondering, Protocol, WorkingDir};
use crate::run::{OwnSetting, PlannedEngine};
use crate::spelling::nearest;
use crate::store::FileHash;

use crate::config::engine_name_error::EngineNameError;
use crate::config::engine_table::{EngineDir, EngineEntry, ProtocolName};
use crate::config::limits_table::LimitsTable;
use crate::config::program_file::why_unusable;

/// Where engines are looked for.
#[derive(Clone, Debug)]
pub struct SearchPaths {
    /// This program, which is also the built-in engine.
    pub this_program: PathBuf,
    /// The folder of named engines, usually `configs/engines`.
    pub engines: PathBuf,
}

/// What kind of program an entry means, and where it is.
struct Found {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    protocol: Protocol,
    files: Vec<PathBuf>,
    builtin: bool,
}

/// Finds the engine that `entry` names; `common` are the limits of engines that set none.
pub fn plan_engine(
    entry: &EngineEntry,
    common: LimitsTable,
    around: &SearchPaths,
) -> Result<PlannedEngine, EngineNameError> {
    let entry = &with_arguments(&with_named_file(&with_arguments(entry)?, around)?)?;
    let mut found = find(entry, around)?;
    found.args.extend(entry.args.iter().cloned());
    let mut options: Vec<EngineOption> =
        entry.options.iter().map(|(name, value)| EngineOption::new(name, value)).collect();
    // Weights of the built-in engine are arguments, so that a wrong one is reported before the first game; for other
    // engines they are options.
    if found.builtin || matches!(found.protocol, Protocol::Ace { .. }) {
        for (name, value) in &entry.set {
            found.args.extend(["--set".to_owned(), format!("{name}={value}")]);
        }
    } else {
        options.extend(entry.set.iter().map(|(name, value)| EngineOption::new(name, value)));
    }
    if let (Protocol::Ace { template }, Some(own)) = (&mut found.protocol, &entry.ace_args) {
        template.clone_from(own);
    }
    let name = entry.name.clone().unwrap_or_else(|| found.name.clone() + &weights_suffix(&entry.set));
    check_options(&name, &found.protocol, &options, entry)?;
    let mut spec = EngineSpec::uci(name, &found.program);
    spec.protocol = found.protocol;
    spec.args = found.args;
    spec.options = options;
    spec.env.clone_from(&entry.env);
    spec.inherit_env.clone_from(&entry.inherit_env);
    spec.restart = entry.restart.unwrap_or_default();
    spec.ponder = entry.ponder.unwrap_or_default();
    spec.scores = entry.scores.unwrap_or_default();
    spec.stderr =
        entry.stderr.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()));
    spec.book = engine_book(entry, &spec)?;
    spec.init.clone_from(&entry.init);
    spec.dir = match &entry.dir {
        Some(EngineDir::Path(dir)) => WorkingDir::Path(absolute(dir)?),
        Some(EngineDir::Private) => WorkingDir::Private,
        None => WorkingDir::Inherited,
    };
    spec.sandbox = entry.bounds.sandbox();
    spec.sandbox.isolation = entry.isolation.unwrap_or_default();
    spec.timeouts = entry.bounds.timeouts();
    let shipment = shipment(&entry.shipment)?;
    let mut paths = found.files;
    for path in spec.named_files().into_iter().chain(shipment.files.iter().cloned()) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let files = paths.iter().map(|path| hash(path)).collect::<Result<_, _>>()?;
    Ok(PlannedEngine {
        named: entry.engine.clone(),
        id_name: None,
        defaults: Vec::new(),
        spec,
        limits: entry.limits.or(common).time_control(),
        files,
        own: own_settings(entry),
        shipment,
    })
}

/// Returns the book of an engine, after a look at its form.
fn engine_book(entry: &EngineEntry, spec: &EngineSpec) -> Result<Option<EngineBookPlan>, EngineNameError> {
    match (&entry.book, entry.book_depth) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(EngineNameError::DepthWithoutBook(spec.name.clone())),
        (Some(_), _) if matches!(spec.protocol, Protocol::Ace { .. }) => {
            Err(EngineNameError::AceBook(spec.name.clone()))
        }
        (Some(file), depth) => {
            PolyglotBook::open(file)?;
            Ok(Some(EngineBookPlan {
                file: absolute(file)?,
                depth: depth.unwrap_or(EngineBookPlan::DEFAULT_DEPTH),
            }))
        }
    }
}

/// Returns the files for other machines with paths that do not depend on the current folder.
fn shipment(written: &Shipment) -> Result<Shipment, EngineNameError> {
    let readable = |path: &PathBuf| hash(&absolute(path)?).map(|found| found.path);
    let mut found = Shipment {
        files: written.files.iter().map(readable).collect::<Result<_, _>>()?,
        binaries: BTreeMap::new(),
        source: written.source.clone(),
    };
    for (target, path) in &written.binaries {
        found.binaries.insert(target.clone(), readable(path)?);
    }
    if let Some(source) = &mut found.source {
        source.repo = absolute(&source.repo)?;
    }
    Ok(found)
}

/// Refuses options that cannot be sent as written.
fn check_options(
    name: &str,
    protocol: &Protocol,
    options: &[EngineOption],
    entry: &EngineEntry,
) -> Result<(), EngineNameError> {
    let engine = name.to_owned();
    if matches!(protocol, Protocol::Ace { .. }) {
        let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
        let what = match (&names[..], entry.ponder) {
            ([], Some(Pondering::On)) => "pondering".to_owned(),
            ([], _) => return Ok(()),
            (names, _) => format!("options (here {})", names.join(", ")),
        };
        return Err(EngineNameError::AceTakesNo { engine, what });
    }
    let split = |text: &str| text.chars().any(char::is_control);
    match options.iter().find(|option| split(&option.name) || split(&option.value)) {
        Some(option) => {
            Err(EngineNameError::NotOneLine { engine, option: option.name.escape_debug().to_string() })
        }
        None => Ok(()),
    }
}

/// The settings that the entry has itself instead of taking those of the run.
fn own_settings(entry: &EngineEntry) -> Vec<OwnSetting> {
    let settings = [
        (entry.limits != LimitsTable::default(), OwnSetting::Limits),
        (entry.ponder.is_some(), OwnSetting::Ponder),
        (entry.restart.is_some(), OwnSetting::Restart),
    ];
    settings.into_iter().filter(|(is_set, _)| *is_set).map(|(_, setting)| setting).collect()
}

/// The suffix that changed weights add to an engine's name.
fn weights_suffix(set: &[(String, String)]) -> String {
    match set {
        [] => String::new(),
        [(name, value)] => format!("({name}={value})"),
        more => format!("({} weights set)", more.len()),
    }
}

/// The entry with a command line such as `gnuchess --uci` split into program and arguments, as a shell would split it. A
/// file whose name has spaces is found as it is.
fn with_arguments(entry: &EngineEntry) -> Result<EngineEntry, EngineNameError> {
    let text = entry.engine.as_str();
    let path = ["ace:", "uci:", "xboard:", "builtin:"]
        .iter()
        .fold(text, |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest));
    if !text.contains(char::is_whitespace) || Path::new(path).exists() {
        return Ok(entry.clone());
    }
    let mut words =
        shlex::split(text).ok_or_else(|| EngineNameError::OpenQuote(text.to_owned()))?.into_iter();
    let engine = words.next().unwrap_or_default();
    Ok(EngineEntry { engine, args: words.chain(entry.args.iter().cloned()).collect(), ..entry.clone() })
}

/// The entry, completed by the file `configs/engines/NAME.toml` if it names one.
fn with_named_file(entry: &EngineEntry, around: &SearchPaths) -> Result<EngineEntry, EngineNameError> {
    let name = entry.engine.as_str();
    let file = around.engines.join(format!("{name}.toml"));
    let plain = !name.contains(['/', ':']) && name != "builtin" && !Path::new(name).is_file();
    if !plain || !file.is_file() {
        return Ok(entry.clone());
    }
    let named = EngineEntry::read(&file)?;
    let joined = |base: &[(String, String)], own: &[(String, String)]| {
        let kept = base.iter().filter(|(name, _)| own.iter().all(|(other, _)| other != name));
        kept.chain(own).cloned().collect::<Vec<_>>()
    };
    Ok(EngineEntry {
        engine: named.engine.clone(),
        protocol: entry.protocol.or(named.protocol),
        name: entry.name.clone().or(named.name).or_else(|| Some(name.to_owned())),
        args: named.args.iter().chain(&entry.args).cloned().collect(),
        dir: entry.dir.clone().or(named.dir),
        env: joined(&named.env, &entry.env),
        inherit_env: named.inherit_env.iter().chain(&entry.inherit_env).cloned().collect(),
        isolation: entry.isolation.or(named.isolation),
        options: joined(&named.options, &entry.options),
        set: joined(&named.set, &entry.set),
        ace_args: entry.ace_args.clone().or(named.ace_args),
        restart: entry.restart.or(named.restart),
        ponder: entry.ponder.or(named.ponder),
        scores: entry.scores.or(named.scores),
        stderr: entry.stderr.clone().or(named.stderr),
        book: entry.book.clone().or(named.book),
        book_depth: entry.book_depth.or(named.book_depth),
        init: named.init.iter().chain(&entry.init).cloned().collect(),
        shipment: Shipment {
            files: named.shipment.files.iter().chain(&entry.shipment.files).cloned().collect(),
            binaries: named.shipment.binaries.into_iter().chain(entry.shipment.binaries.clone()).collect(),
            source: entry.shipment.source.clone().or(named.shipment.source),
        },
        bounds: entry.bounds.or(&named.bounds),
        limits: entry.limits.or(named.limits),
    })
}

fn find(entry: &EngineEntry, around: &SearchPaths) -> Result<Found, EngineNameError> {
    let text = entry.engine.as_str();
    let (stated, rest) = ProtocolName::split(text);
    let protocol = match (stated, entry.protocol) {
        (Some(one), Some(other)) if one != other => {
            return Err(EngineNameError::TwoProtocols(text.to_owned()));
        }
        (None, None) if entry.ace_args.is_some() => ProtocolName::Ace,
        (stated, written) => stated.or(written).unwrap_or(ProtocolName::Uci),
    };
    if rest == "builtin" || rest.starts_with("builtin:") {
        if protocol == ProtocolName::Xboard {
            return Err(EngineNameError::BuiltinXboard(text.to_owned()));
        }
        return builtin(protocol == ProtocolName::Ace, rest.strip_prefix("builtin:"), around);
    }
    let program = find_program(rest).ok_or_else(|| {
        let name = text.to_owned();
        if Path::new(rest).is_dir() {
            return EngineNameError::Folder(name);
        }
        // Only a plain name can be that of a file in the folder of engines.
        if text.contains(['/', ':']) {
            EngineNameError::NoFile { name, path: rest.to_owned() }
        } else {
            let looked_for = around.engines.join(format!("{rest}.toml"));
            EngineNameError::Unknown { name, looked_for, similar: similar_program(rest) }
        }
    })?;
    let program = absolute(&program)?;
    // The permission to run it would not help a file that is no program.
    if let Some(problem) = why_unusable(&program) {
        return Err(EngineNameError::Unusable { path: program, problem });
    }
    if !is_executable(&program) {
        return Err(EngineNameError::NotExecutable(program));
    }
    Ok(Found {
        name: stem(&program),
        files: vec![program.clone()],
        program,
        args: Vec::new(),
        protocol: match protocol {
            ProtocolName::Uci => Protocol::Uci,
            ProtocolName::Xboard => Protocol::Xboard,
            ProtocolName::Ace => Protocol::ace(),
        },
        builtin: false,
    })
}

fn builtin(ace: bool, weights: Option<&str>, around: &SearchPaths) -> Result<Found, EngineNameError> {
    let program = absolute(&around.this_program)?;
    let mut files = vec![program.clone()];
    let mut args = vec!["engine".to_owned(), if ace { "ace" } else { "uci" }.to_owned()];
    let mut name = "builtin".to_owned();
    if ace {
        // Games start from the plan's openings; the engine's own book would hide them. The board costs time.
        args.extend(["--book", "off", "--board", "off"].map(str::to_owned));
    }
    if let Some(weights) = weights {
        if !Path::new(weights).is_file() {
            let path = if weights.is_empty() { "after the colon" } else { weights };
            let name = format!("builtin:{weights}");
            return Err(EngineNameError::NoFile { name, path: path.to_owned() });
        }
        let path = absolute(Path::new(weights))?;
        args.extend(["--weights".to_owned(), path.display().to_string()]);
        name = format!("builtin-{}", stem(&path));
        files.push(path);
    }
    let protocol = if ace { Protocol::ace() } else { Protocol::Uci };
    Ok(Found { name, program, args, protocol, files, builtin: true })
}

/// Where Debian has engines; often not in the `PATH` of root.
const GAMES: &str = "/usr/games";

/// A path as given, or a program in `PATH` or in [`GAMES`].
fn find_program(text: &str) -> Option<PathBuf> {
    let path = Path::new(text);
    if path.is_file() {
        return Some(path.to_owned());
    }
    if text.is_empty() || text.contains('/') {
        return None;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).chain([PathBuf::from(GAMES)]).collect();
    folders.iter().map(|folder| folder.join(text)).find(|path| is_executable(path))
}

/// Returns the name of a program in this folder that is similar to `text`.
fn similar_program(text: &str) -> Option<String> {
    let entries = std::fs::read_dir(".").ok()?.flatten().filter(|entry| is_executable(&entry.path()));
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    nearest(text, names.iter().map(String::as_str)).map(str::to_owned)
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn absolute(path: &Path) -> Result<PathBuf, EngineNameError> {
    path.canonicalize().map_err(|source| EngineNameError::Unreadable { path: path.to_owned(), source })
}

fn hash(path: &Path) -> Result<FileHash, EngineNameError> {
    FileHash::of(path).map_err(|source| EngineNameError::Unreadable { path: path.to_owned(), source })
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "engine".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(folder: &Path) -> SearchPaths {
        std::fs::create_dir_all(folder.join("engines")).unwrap();
        SearchPaths { this_program: PathBuf::from("/bin/sh"), engines: folder.join("engines") }
    }

    fn plan(entry: &EngineEntry, around: &SearchPaths) -> Result<PlannedEngine, String> {
        plan_engine(entry, LimitsTable { nodes: Some(10), ..LimitsTable::default() }, around)
            .map_err(|why| why.to_string())
    }

    #[test]
    fn every_form_of_a_name_finds_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let weights = folder.path().join("plain.toml");
        std::fs::write(&weights, "").unwrap();
        let file = format!("builtin:{}", weights.display());
        for (text, args, ace, name) in [
            ("/bin/cat", vec![], false, "cat"),
            ("cat", vec![], false, "cat"),
            ("uci:/bin/cat", vec![], false, "cat"),
            ("ace:/bin/cat", vec![], true, "cat"),
            ("builtin", vec!["engine", "uci"], false, "builtin"),
            ("ace:builtin", vec!["engine", "ace", "--book", "off", "--board", "off"], true, "builtin"),
            (
                file.as_str(),
                vec!["engine", "uci", "--weights", weights.to_str().unwrap()],
                false,
                "builtin-plain",
            ),
        ] {
            let planned = plan(&EngineEntry::named(text), &around).unwrap();
            assert_eq!(planned.spec.args, args, "{text}");
            assert_eq!(matches!(planned.spec.protocol, Protocol::Ace { .. }), ace, "{text}");
            assert!(planned.spec.name.starts_with(name), "{text}: {}", planned.spec.name);
            assert_eq!(planned.files[0].sha256.len(), 64, "{text}");
        }
    }

    #[test]
    fn an_xboard_engine_is_named_by_prefix_or_by_key() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let with = |engine: &str, protocol| EngineEntry { protocol, ..EngineEntry::named(engine) };
        for entry in [with("xboard:/bin/cat", None), with("/bin/cat", Some(ProtocolName::Xboard))] {
            let planned = plan(&entry, &around).unwrap();
            assert_eq!((planned.spec.protocol, planned.spec.name.as_str()), (Protocol::Xboard, "cat"));
        }
        for (entry, part) in [
            (with("uci:/bin/cat", Some(ProtocolName::Xboard)), "different protocols"),
            (with("xboard:builtin", None), "UCI and ACE only"),
        ] {
            let error = plan(&entry, &around).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_command_line_is_split_as_a_shell_would_and_a_path_with_spaces_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let planned = plan(&EngineEntry::named("cat --style 'very solid' -u"), &around).unwrap();
        assert_eq!(planned.spec.args, ["--style", "very solid", "-u"]);
        assert_eq!(planned.spec.name, "cat");
        let spaced = folder.path().join("my engine --v2");
        std::fs::copy("/bin/cat", &spaced).unwrap();
        let planned = plan(&EngineEntry::named(spaced.to_str().unwrap()), &around).unwrap();
        assert!(planned.spec.args.is_empty() && planned.spec.program.ends_with("my engine --v2"));
        let error = plan(&EngineEntry::named("cat 'open"), &around).unwrap_err();
        assert!(error.contains("quotes are not closed"), "{error}");
        let error = plan(&EngineEntry::named(folder.path().to_str().unwrap()), &around).unwrap_err();
        assert!(error.ends_with("it is a folder; name the program in it"), "{error}");
    }

    #[test]
    fn a_named_engine_takes_its_file_and_what_the_user_adds() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let file =
            "engine = \"/bin/cat\"\nargs = [\"-u\"]\noptions = { Hash = 64, Threads = 1 }\ndepth = 4\n";
        std::fs::write(around.engines.join("pet.toml"), file).unwrap();
        let mut entry = EngineEntry::named("pet");
        entry.options = vec![("Hash".to_owned(), "16".to_owned())];
        let planned = plan(&entry, &around).unwrap();
        assert_eq!((planned.spec.name.as_str(), planned.limits.depth), ("pet", Some(4)));
        assert_eq!(planned.spec.args, ["-u"]);
        let options = [EngineOption::new("Threads", "1"), EngineOption::new("Hash", "16")];
        assert_eq!(planned.spec.options, options);
    }

    #[test]
    fn options_that_cannot_be_sent_as_written_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let with = |engine: &str, name: &str, value: &str| EngineEntry {
            options: vec![(name.to_owned(), value.to_owned())],
            ..EngineEntry::named(engine)
        };
        let ponder = EngineEntry { ponder: Some(Pondering::On), ..EngineEntry::named("ace:/bin/cat") };
        for (entry, expected) in [
            (
                with("ace:/bin/cat", "Hash", "16"),
                "engine cat uses the ACE protocol, which has no options (here Hash)",
            ),
            (with("ace:builtin", "Hash", "16"), "engine builtin uses the ACE protocol"),
            (ponder, "engine cat uses the ACE protocol, which has no pondering"),
            (
                with("/bin/cat", "Style", "a\nquit"),
                "engine cat: option `Style`: a name or value must be one line",
            ),
        ] {
            let error = plan(&entry, &around).unwrap_err();
            assert!(error.contains(expected), "{expected}: {error}");
        }
        assert!(plan(&with("/bin/cat", "Style", "solid"), &around).is_ok());
    }

    #[test]
    fn folder_limits_and_timeouts_of_an_engine_reach_its_plan() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let file = "engine = \"/bin/cat\"\ndir = \"private\"\nmemory_mb = 64\nstart_s = 3\n";
        std::fs::write(around.engines.join("pet.toml"), file).unwrap();
        let spec = plan(&EngineEntry::named("pet"), &around).unwrap().spec;
        assert_eq!((spec.dir, spec.sandbox.memory_bytes), (WorkingDir::Private, Some(64 << 20)));
        assert_eq!(spec.timeouts.start.as_secs(), 3);
        let mut entry = EngineEntry::named("pet");
        entry.dir = Some(EngineDir::Path(folder.path().to_owned()));
        let dir = folder.path().canonicalize().unwrap();
        assert_eq!(plan(&entry, &around).unwrap().spec.dir, WorkingDir::Path(dir));
    }

    #[test]
    fn what_cannot_be_found_or_run_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let around = around(folder.path());
        let text = folder.path().join("text");
        std::fs::write(&text, "x").unwrap();
        for (name, part) in [
            ("no-such-engine", "there is no engine `no-such-engine`"),
            ("/no/such/path", "there is no engine"),
            ("builtin:/no/such.toml", "there is no file /no/such.toml"),
            (text.to_str().unwrap(), "is not executable"),
        ] {
            let error = plan(&EngineEntry::named(name), &around).unwrap_err();
            assert!(error.contains(part), "{name}: {error}");
        }
    }
}
