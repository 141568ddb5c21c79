//! The run file that a command line means.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::compat::command::{
    ClockArgs, EngineArgs, EngineProtocol, MatchCommand, PgnArgs, TablebaseArgs, Tournament,
};
use crate::compat::runner::Runner;
use crate::run::PgnField;
use crate::stats::EloModel;

/// More openings than any book has.
const ALL_OPENINGS: u64 = 1_000_000_000;

/// Returns the text of the run file, or why the command cannot be played.
pub(super) fn run_file(command: &MatchCommand, processors: usize) -> Result<String, String> {
    let mut text =
        String::from("# The run file that the command line means; `playself match FILE` plays it.\n");
    let mut top = Table::new(&mut text);
    top.whole("seed", command.seed);
    top.text("name", command.event.as_deref());
    match command.tournament {
        Tournament::RoundRobin => {}
        Tournament::Gauntlet if command.runner == Runner::Fastchess => top.text("pairing", Some("gauntlet")),
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
struct Table<'a> {
    text: &'a mut String,
}

impl<'a> Table<'a> {
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
            self.raw(key, &quoted(value));
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
            let list: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            self.raw(key, &format!("[{}]", list.join(", ")));
        }
    }
}

/// Returns a TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn engine_table(text: &mut String, command: &MatchCommand, engine: &EngineArgs) -> Result<(), String> {
    let mut table = Table::under(text, "[[engines]]");
    let program = program(engine)?;
    let path = program.display().to_string();
    let protocol = match engine.protocol {
        Some(EngineProtocol::Xboard) => "xboard",
        Some(EngineProtocol::Uci) | None => "uci",
    };
    table.text("engine", Some(&format!("{protocol}:{path}")));
    let stem = Path::new(&engine.command).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    table.text("name", engine.name.clone().or(stem).as_deref());
    table.texts("args", &engine.args);
    match (&engine.dir, command.runner) {
        (Some(dir), _) => table.text("dir", Some(&dir.display().to_string())),
        (None, Runner::Cutechess) => table.text("dir", Some(&std::env::temp_dir().display().to_string())),
        (None, Runner::Fastchess) => {}
    }
    table.texts("init", &engine.init);
    table.text("restart", engine.restart.then_some("on"));
    if engine.ponder {
        table.raw("ponder", "true");
    }
    table.text("scores", engine.white_scores.then_some("white"));
    table.text("stderr", engine.stderr.as_ref().map(|file| file.display().to_string()).as_deref());
    limits(&mut table, engine)?;
    timeouts(&mut table, command, engine);
    let options = options(engine);
    if !options.is_empty() {
        let list: Vec<String> =
            options.iter().map(|(name, value)| format!("{} = {}", quoted(name), quoted(value))).collect();
        table.raw("options", &format!("{{ {} }}", list.join(", ")));
    }
    Ok(())
}

/// Returns the options of an engine: `Threads` first, because it changes what others mean, and of several values the last.
pub(super) fn options(engine: &EngineArgs) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for (name, value) in &engine.options {
        options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        options.push((name.clone(), value.clone()));
    }
    options.sort_by_key(|(name, _)| !name.eq_ignore_ascii_case("Threads"));
    options
}

/// Returns the program of an engine: relative to its folder, to the current one, or found in `PATH`.
fn program(engine: &EngineArgs) -> Result<PathBuf, String> {
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
        None => Ok(named.to_owned()),
    }
}

fn limits(table: &mut Table<'_>, engine: &EngineArgs) -> Result<(), String> {
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

fn timeouts(table: &mut Table<'_>, command: &MatchCommand, engine: &EngineArgs) {
    let scaled = |ms: u64| (ms as f64 * engine.timeout_scale.unwrap_or(1.0)) as u64;
    table.seconds("start_s", scaled(command.startup_ms));
    table.seconds("ready_s", scaled(command.ping_ms));
    table.seconds("new_game_s", scaled(command.new_game_ms));
    // The other programs wait without end for a move by nodes or depth.
    table.seconds("move_cap_s", 86_400_000);
}

fn games_table(text: &mut String, command: &MatchCommand, processors: usize) -> Result<(), String> {
    let mut table = Table::under(text, "[games]");
    table.whole("concurrency", Some(concurrency(command, processors)?));
    table.text("at_once", Some("games"));
    table.text("breaker", Some(if command.recover { "off" } else { "first" }));
    let encounters = encounters(command);
    let two = command.engines.len() == 2;
    match command.runner {
        Runner::Fastchess => {
            table.text("pair", (command.games == 1).then_some("half"));
            table.text("opening_per", Some("encounter"));
        }
        // Every game is an encounter of its own, whose opening is repeated.
        Runner::Cutechess => {
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
    table.whole("max_pairs", Some(encounters));
    table.text("variant", command.chess960.then_some("chess960"));
    // Other match runners count every game, also one that repeats an earlier one.
    table.text("after_book", Some("count"));
    if let Some(openings) = &command.openings {
        table.text("openings", Some(&openings.file.display().to_string()));
        let order = match (openings.random, command.runner) {
            (true, Runner::Fastchess) => "fastchess",
            (true, Runner::Cutechess) => "cutechess",
            (false, _) => "sequential",
        };
        table.text("order", Some(order));
        table.whole("start", Some(openings.start));
        table.whole("plies", openings.plies.map(u64::from));
        // fastchess keeps as many openings as there are rounds and starts over after them.
        let take = if command.runner == Runner::Fastchess { command.rounds } else { ALL_OPENINGS };
        table.whole("take", Some(take.min(ALL_OPENINGS)));
    }
    Ok(())
}

/// Returns the number of encounters of the run: all matchups in all rounds.
pub(super) fn encounters(command: &MatchCommand) -> u64 {
    let engines = command.engines.len().max(2) as u64;
    let seeds = command.seeds.clamp(1, engines - 1);
    let matchups = match command.tournament {
        Tournament::RoundRobin | Tournament::Pyramid | Tournament::Knockout => engines * (engines - 1) / 2,
        Tournament::Gauntlet if command.runner == Runner::Fastchess => {
            seeds * engines - seeds * (seeds + 1) / 2
        }
        Tournament::Gauntlet => seeds * (engines - seeds),
    };
    let games = if command.runner == Runner::Cutechess { command.games } else { 1 };
    matchups.saturating_mul(command.rounds).saturating_mul(games)
}

fn concurrency(command: &MatchCommand, processors: usize) -> Result<u64, String> {
    let wanted = match command.concurrency {
        number if number > 0 => number,
        number => processors as i64 + number,
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

fn adjudicate_table(text: &mut String, command: &MatchCommand) {
    let mut table = Table::under(text, "[adjudicate]");
    table.text(
        "style",
        Some(match command.runner {
            Runner::Fastchess => "fastchess",
            Runner::Cutechess => "cutechess",
        }),
    );
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
    let mut keys = vec![format!("path = {}", quoted(&tables.paths))];
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

fn sprt_table(text: &mut String, command: &MatchCommand) {
    let Some(sprt) = command.sprt else { return };
    let mut table = Table::under(text, "[sprt]");
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

fn pgn_table(text: &mut String, command: &MatchCommand) {
    let mut table = Table::under(text, "[pgn]");
    let fastchess = command.runner == Runner::Fastchess;
    table.text("style", Some(if fastchess { "fastchess" } else { "cutechess" }));
    let event = command.event.as_deref().unwrap_or(if fastchess { "Fastchess Tournament" } else { "?" });
    table.text("event", Some(event));
    table.text("site", command.site.as_deref());
    let Some(PgnArgs { minimal, notation, fields, match_lines, .. }) = &command.pgn else { return };
    table.text("notation", (*notation != "san").then_some(*notation));
    table.text("length", minimal.then_some("min"));
    let names = PgnField::ALL.iter().filter(|(_, field)| fields.contains(field));
    let names: Vec<String> = names.map(|(name, _)| (*name).to_owned()).collect();
    table.texts("fields", &names);
    table.texts("match_lines", match_lines);
}
