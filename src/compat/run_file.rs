//! The run file that a command line means.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::compat::invocation::{ClockArgs, Invocation, InvokedEngine, PgnArgs, TablebaseArgs, Tournament};
use crate::compat::surface::Surface;
use crate::config::{ProtocolName, toml_string};
use crate::run::{PgnField, Plan};
use crate::stats::EloModel;

/// More openings than any book has.
const ALL_OPENINGS: u64 = 1_000_000_000;

/// Returns the text of the run file, or why the command cannot be played.
pub(super) fn run_file(command: &Invocation, processors: usize) -> Result<String, String> {
    if command.engines.len() < 2 {
        return Err("Error: at least two engines are needed.".to_owned());
    }
    let mut text =
        String::from("# The run file that the command line means; `playself match FILE` plays it.\n");
    let mut top = TomlTable::new(&mut text);
    top.whole("seed", command.seed);
    top.text("name", command.event.as_deref());
    match command.tournament {
        Tournament::RoundRobin => {}
        Tournament::Gauntlet if command.surface == Surface::Fastchess => {
            top.text("pairing", Some("gauntlet"));
        }
        Tournament::Gauntlet => top.text("pairing", Some("teams")),
        Tournament::Pyramid => top.text("pairing", Some("pyramid")),
        Tournament::Knockout => {
            return Err("knockout tournaments have no run file: their pairings depend on results".to_owned());
        }
    }
    top.whole("seeds", (command.seeds > 1).then_some(command.seeds));
    for engine in &command.engines {
        engine_table(&mut text, command, engine)?;
    }
    games_table(&mut text, command, processors)?;
    adjudicate_table(&mut text, command);
    sprt_table(&mut text, command);
    pgn_table(&mut text, command);
    Ok(text)
}

/// Keys of one table; what is absent is not written.
struct TomlTable<'a> {
    text: &'a mut String,
}

impl<'a> TomlTable<'a> {
    fn new(text: &'a mut String) -> Self {
        Self { text }
    }

    fn under(text: &'a mut String, head: &str) -> Self {
        let _ = writeln!(text, "\n{head}");
        Self { text }
    }

    fn raw(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key} = {value}");
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(key, &toml_string(value));
        }
    }

    fn whole(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            // TOML has signed integers only.
            self.raw(key, &(value & i64::MAX as u64).to_string());
        }
    }

    fn seconds(&mut self, key: &str, ms: u64) {
        self.raw(key, &format!("{:?}", (ms as f64 / 1000.0).clamp(0.001, 86_400.0)));
    }

    fn texts(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            let list: Vec<String> = values.iter().map(|value| toml_string(value)).collect();
            self.raw(key, &format!("[{}]", list.join(", ")));
        }
    }
}

fn engine_table(text: &mut String, command: &Invocation, engine: &InvokedEngine) -> Result<(), String> {
    let mut table = TomlTable::under(text, "[[engines]]");
    let program = program(engine)?;
    let path = program.display().to_string();
    let protocol = engine.protocol.unwrap_or(ProtocolName::Uci);
    table.text("engine", Some(&format!("{}:{path}", protocol.text())));
    let stem = Path::new(&engine.command).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    table.text("name", engine.name.clone().or(stem).as_deref());
    table.texts("args", &engine.args);
    match (&engine.dir, command.surface) {
        (Some(dir), _) => table.text("dir", Some(&dir.display().to_string())),
        (None, Surface::Cutechess) => table.text("dir", Some(&std::env::temp_dir().display().to_string())),
        (None, Surface::Fastchess) => {}
    }
    // The other programs pass their whole environment on, and scripts that start engines rely on it.
    table.texts("inherit_env", &["*".to_owned()]);
    table.texts("init", &engine.init);
    table.text("restart", engine.restart.then_some("on"));
    if engine.ponder {
        table.raw("ponder", "true");
    }
    table.text("scores", engine.white_scores.then_some("white"));
    table.text("stderr", engine.stderr.as_ref().map(|file| file.display().to_string()).as_deref());
    if let Some(book) = &engine.book {
        table.text("book", Some(&book.display().to_string()));
        table.whole("book_depth", engine.book_depth.map(u64::from));
    }
    limits(&mut table, engine)?;
    timeouts(&mut table, command, engine);
    let options = options(engine);
    if !options.is_empty() {
        let list: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{} = {}", toml_string(name), toml_string(value)))
            .collect();
        table.raw("options", &format!("{{ {} }}", list.join(", ")));
    }
    Ok(())
}

/// Returns the options of an engine: `Threads` first, because it changes what others mean, and of several values the last.
pub(super) fn options(engine: &InvokedEngine) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for (name, value) in &engine.options {
        options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        options.push((name.clone(), value.clone()));
    }
    options.sort_by_key(|(name, _)| !name.eq_ignore_ascii_case("Threads"));
    options
}

/// Returns the program of an engine: relative to its folder, to the current one, or found in `PATH`.
fn program(engine: &InvokedEngine) -> Result<PathBuf, String> {
    let named = Path::new(&engine.command);
    let beside = engine.dir.as_ref().map(|dir| dir.join(named)).filter(|path| path.is_file());
    let path = beside.or_else(|| named.is_file().then(|| named.to_owned()));
    match path {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", path.display())),
        None if engine.command.is_empty() => Err("Error: an engine has no cmd".to_owned()),
        None if engine.dir.is_some() || named.components().count() > 1 => {
            let path = engine.dir.as_ref().map_or_else(|| named.to_owned(), |dir| dir.join(named));
            Err(format!("Engine binary does not exist: {}", path.display()))
        }
        None => in_path(named).ok_or_else(|| format!("Engine binary does not exist: {}", named.display())),
    }
}

/// Returns a program of `PATH`.
fn in_path(name: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn limits(table: &mut TomlTable<'_>, engine: &InvokedEngine) -> Result<(), String> {
    let clock = match engine.clock {
        ClockArgs::Clock { moves, time_ms, increment_ms } if time_ms + increment_ms > 0 => {
            let moves = if moves > 0 { format!("{moves}/") } else { String::new() };
            let seconds = |ms: u64| ms as f64 / 1000.0;
            let increment =
                if increment_ms > 0 { format!("+{}", seconds(increment_ms)) } else { String::new() };
            Some(format!("{moves}{}{increment}", seconds(time_ms)))
        }
        _ => None,
    };
    if clock.is_some() && engine.movetime_ms.is_some() {
        return Err("Error; cannot use tc and st together!".to_owned());
    }
    if clock.is_none() && engine.movetime_ms.is_none() && engine.nodes.is_none() && engine.depth.is_none() {
        return Err("Error; no TimeControl specified!".to_owned());
    }
    table.text("tc", clock.as_deref());
    table.whole("movetime_ms", engine.movetime_ms);
    table.whole("nodes", engine.nodes);
    table.whole("depth", engine.depth);
    table.whole("margin_ms", Some(engine.margin_ms));
    table.text("first_increment", clock.is_some().then_some("before"));
    Ok(())
}

fn timeouts(table: &mut TomlTable<'_>, command: &Invocation, engine: &InvokedEngine) {
    let scaled = |ms: u64| (ms as f64 * engine.timeout_scale.unwrap_or(1.0)) as u64;
    table.seconds("start_s", scaled(command.startup_ms));
    table.seconds("ready_s", scaled(command.ping_ms));
    table.seconds("new_game_s", scaled(command.new_game_ms));
    // The other programs wait without end for a move by nodes or depth.
    table.seconds("move_cap_s", 86_400_000);
}

fn games_table(text: &mut String, command: &Invocation, processors: usize) -> Result<(), String> {
    let mut table = TomlTable::under(text, "[games]");
    table.whole("concurrency", Some(concurrency(command, processors)?));
    table.text("at_once", Some("games"));
    table.text("breaker", Some(if command.recover { "off" } else { "first" }));
    let encounters = encounters(command);
    let two = command.engines.len() == 2;
    match command.surface {
        Surface::Fastchess => {
            table.text("pair", (command.games == 1).then_some("half"));
            table.text("opening_per", Some("encounter"));
        }
        // Every game is an encounter of its own, whose opening is repeated.
        Surface::Cutechess => {
            table.text("pair", Some("half"));
            table.whole("repeat", command.repeat.filter(|repeat| *repeat > 1));
            table.whole("block", (command.games > 1 && !two).then_some(command.games));
            let per_round = command.openings.as_ref().is_some_and(|openings| openings.per_round);
            table.text("opening_per", Some(if per_round && !two { "round" } else { "encounter" }));
        }
    }
    table.text("colours", (!command.swap).then_some("same"));
    table.text("first_colour", command.reverse.then_some("black"));
    table.whole("wait_ms", (command.wait_ms > 0).then_some(command.wait_ms));
    table.whole("max_pairs", Some(encounters.min(Plan::MAX_PAIRS)));
    table.text("variant", command.chess960.then_some("chess960"));
    // Other match runners count every game, also one that repeats an earlier one.
    table.text("after_book", Some("count"));
    if let Some(openings) = &command.openings {
        table.text("openings", Some(&openings.file.display().to_string()));
        let order = if openings.random { command.surface.style_name() } else { "sequential" };
        table.text("order", Some(order));
        table.whole("start", Some(openings.start));
        table.whole("plies", openings.plies.map(u64::from));
        // fastchess keeps as many openings as there are rounds and starts over after them.
        let take = if command.surface == Surface::Fastchess { command.rounds } else { ALL_OPENINGS };
        table.whole("take", Some(take.min(ALL_OPENINGS)));
    }
    Ok(())
}

/// Returns the number of encounters of the run: all matchups in all rounds.
pub(super) fn encounters(command: &Invocation) -> u64 {
    let engines = command.engines.len().max(2) as u64;
    let seeds = command.seeds.clamp(1, engines - 1);
    let matchups = match command.tournament {
        Tournament::RoundRobin | Tournament::Pyramid | Tournament::Knockout => engines * (engines - 1) / 2,
        Tournament::Gauntlet if command.surface == Surface::Fastchess => {
            seeds * engines - seeds * (seeds + 1) / 2
        }
        Tournament::Gauntlet => seeds * (engines - seeds),
    };
    let games = if command.surface == Surface::Cutechess { command.games } else { 1 };
    matchups.saturating_mul(command.rounds).saturating_mul(games)
}

fn concurrency(command: &Invocation, processors: usize) -> Result<u64, String> {
    let wanted = match command.concurrency {
        number if number > 0 => number,
        number => (processors as i64).saturating_add(number),
    };
    if wanted > processors as i64 && !command.force_concurrency {
        return Err(
            "Error: Concurrency exceeds number of CPUs. Use -force-concurrency to override.".to_owned()
        );
    }
    u64::try_from(wanted)
        .ok()
        .filter(|wanted| *wanted > 0)
        .ok_or_else(|| format!("Error: a concurrency of {} leaves no processor.", command.concurrency))
}

fn adjudicate_table(text: &mut String, command: &Invocation) {
    let mut table = TomlTable::under(text, "[adjudicate]");
    table.text("style", Some(command.surface.style_name()));
    table.whole("max_moves", command.max_moves.filter(|moves| *moves > 0).map(u64::from));
    if let Some(tables) = &command.tablebases {
        table.raw("tablebases", &tablebases(tables));
    }
    if let Some(draw) = command.draw.filter(|draw| draw.move_count > 0) {
        table.raw(
            "draw",
            &format!(
                "{{ after_move = {}, moves = {}, cp = {} }}",
                draw.move_number, draw.move_count, draw.score
            ),
        );
    }
    if let Some(resign) = command.resign.filter(|resign| resign.move_count > 0) {
        table.raw(
            "resign",
            &format!(
                "{{ moves = {}, cp = {}, two_sided = {} }}",
                resign.move_count, resign.score, resign.two_sided
            ),
        );
    }
}

fn tablebases(tables: &TablebaseArgs) -> String {
    let mut keys = vec![format!("path = {}", toml_string(&tables.paths))];
    if tables.pieces > 0 {
        keys.push(format!("men = {}", tables.pieces.max(3)));
    }
    if tables.ignore_fifty_moves {
        keys.push("fifty_moves = false".to_owned());
    }
    match (tables.wins, tables.draws) {
        (true, false) => keys.push("results = \"wins\"".to_owned()),
        (false, true) => keys.push("results = \"draws\"".to_owned()),
        _ => {}
    }
    format!("{{ {} }}", keys.join(", "))
}

fn sprt_table(text: &mut String, command: &Invocation) {
    let Some(sprt) = command.sprt else { return };
    let mut table = TomlTable::under(text, "[sprt]");
    table.raw("elo", &format!("[{:?}, {:?}]", sprt.elo0, sprt.elo1));
    table.raw("alpha", &format!("{:?}", sprt.alpha));
    table.raw("beta", &format!("{:?}", sprt.beta));
    table.text(
        "model",
        Some(match sprt.model {
            EloModel::Normalized => "normalized",
            EloModel::Logistic => "logistic",
            EloModel::Bayesian => "bayesian",
        }),
    );
    table.text("count", (!command.penta).then_some("games"));
    table.text("at_limit", Some("undecided"));
}

fn pgn_table(text: &mut String, command: &Invocation) {
    let mut table = TomlTable::under(text, "[pgn]");
    table.text("style", Some(command.surface.style_name()));
    let event = match command.surface {
        Surface::Fastchess => "Fastchess Tournament",
        Surface::Cutechess => "?",
    };
    table.text("event", Some(command.event.as_deref().unwrap_or(event)));
    table.text("site", command.site.as_deref());
    let Some(PgnArgs { minimal, notation, fields, match_lines, .. }) = &command.pgn else { return };
    table.text("notation", (*notation != "san").then_some(*notation));
    table.text("length", minimal.then_some("min"));
    let names = PgnField::ALL.iter().filter(|(_, field)| fields.contains(field));
    let names: Vec<String> = names.map(|(name, _)| (*name).to_owned()).collect();
    table.texts("fields", &names);
    table.texts("match_lines", match_lines);
}
