//! The command line of cutechess-cli.

use std::path::PathBuf;

use crate::compat::arguments::{Flag, at_least, group, number, unknown};
use crate::compat::fastchess_keys::{draw, resign};
use crate::compat::invocation::{
    ClockArgs, FileArgs, Invocation, InvokedEngine, OpeningArgs, PgnArgs, SprtArgs, Tournament,
};
use crate::compat::result_fields::ResultFields;
use crate::compat::surface::Surface;
use crate::stats::EloModel;

/// Every flag, for suggestions.
pub(super) const FLAGS: [&str; 33] = [
    "-bookmode",
    "-concurrency",
    "-debug",
    "-draw",
    "-each",
    "-engine",
    "-epdout",
    "-event",
    "-games",
    "-maxmoves",
    "-noswap",
    "-openings",
    "-outcomeinterval",
    "-pgnout",
    "-ratinginterval",
    "-recover",
    "-repeat",
    "-resign",
    "-resultformat",
    "-reverse",
    "-rounds",
    "-seeds",
    "-site",
    "-sprt",
    "-srand",
    "-tb",
    "-tbignore50",
    "-tbpieces",
    "-tournament",
    "-variant",
    "-wait",
    "-engines",
    "--explain",
];

/// Parses the words after the program's name.
pub(super) fn parse(words: &[String]) -> Result<Invocation, String> {
    let mut command = Invocation::new(Surface::Cutechess);
    let mut each: Vec<(String, String)> = Vec::new();
    let flags = group(words);
    for (at, flag) in flags.iter().enumerate() {
        if flag.name != "-engine" && flags[..at].iter().any(|earlier| earlier.name == flag.name) {
            return Err(format!("Multiple instances of option \"{}\"", flag.name));
        }
        match flag.name.as_str() {
            "-each" => each = engine_pairs(flag),
            "-engine" => {
                let mut engine = InvokedEngine::default();
                for (key, value) in engine_pairs(flag) {
                    engine.apply(Surface::Cutechess, &key, &value)?;
                }
                command.engines.push(engine);
            }
            _ => apply(&mut command, flag)?,
        }
    }
    for engine in &mut command.engines {
        for (key, value) in &each {
            engine.apply(Surface::Cutechess, key, value)?;
        }
    }
    check_engines(&command)?;
    Ok(command)
}

/// Keys with values, and keys that stand alone.
fn engine_pairs(flag: &Flag) -> Vec<(String, String)> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => (text.clone(), String::new()),
    };
    flag.values.iter().map(split).filter(|(key, _)| !key.is_empty()).collect()
}

fn check_engines(command: &Invocation) -> Result<(), String> {
    if command.explain && command.engines.is_empty() {
        return Ok(());
    }
    for engine in &command.engines {
        if engine.clock == ClockArgs::Absent && engine.movetime_ms.is_none() {
            return Err("Invalid or missing time control".to_owned());
        }
        if engine.command.is_empty() {
            return Err("missing chess engine command".to_owned());
        }
        if engine.protocol.is_none() {
            return Err("Missing chess protocol".to_owned());
        }
    }
    match command.engines.len() {
        0 | 1 => Err("At least two engines are needed".to_owned()),
        _ => Ok(()),
    }
}

fn apply(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    let wrong = || format!("Invalid value for option \"{}\": \"{}\"", flag.name, flag.values.join(" "));
    match flag.name.as_str() {
        "-srand" => command.seed = Some(u64::from(flag.number::<u32>()?)),
        "-tournament" => {
            command.tournament = match flag.single()? {
                "round-robin" => Tournament::RoundRobin,
                "gauntlet" => Tournament::Gauntlet,
                "knockout" => Tournament::Knockout,
                "pyramid" => Tournament::Pyramid,
                other => return Err(format!("Invalid tournament type: {other}")),
            }
        }
        "-seeds" => command.seeds = flag.number()?,
        "-variant" => match flag.single()? {
            "standard" => command.chess960 = false,
            "fischerandom" => command.chess960 = true,
            other => return Err(format!("The variant \"{other}\" is not supported")),
        },
        "-concurrency" => command.concurrency = at_least("-concurrency", flag.single()?, 1)?,
        "-games" => command.games = at_least("-games", flag.single()?, 1)?,
        "-rounds" => command.rounds = at_least("-rounds", flag.single()?, 1)?,
        "-repeat" => {
            let count = if flag.values.is_empty() { 2 } else { at_least("-repeat", flag.single()?, 1)? };
            command.repeat = Some(count);
        }
        "-noswap" => command.swap = false,
        "-reverse" => command.reverse = true,
        "-recover" => command.recover = true,
        "-wait" => command.wait_ms = flag.number()?,
        "-openings" => command.openings = Some(openings(flag)?),
        "-debug" => command.debug = matches!(flag.values.first().map(String::as_str), None | Some("all")),
        "-bookmode" if ["ram", "disk"].contains(&flag.single()?) => {}
        "-bookmode" => return Err(wrong()),
        "--explain" => command.explain = true,
        _ => return apply_rules(command, flag),
    }
    Ok(())
}

fn apply_rules(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    let wrong = || format!("Invalid value for option \"{}\": \"{}\"", flag.name, flag.values.join(" "));
    let needs = |keys: &[&str]| -> Result<(), String> {
        let given = flag.pairs()?;
        let missing = keys.iter().any(|key| given.iter().all(|(name, _)| name != key));
        if missing { Err(wrong()) } else { Ok(()) }
    };
    match flag.name.as_str() {
        "-draw" => {
            needs(&["movenumber", "movecount", "score"])?;
            command.draw = Some(draw(flag)?);
        }
        "-resign" => {
            needs(&["movecount", "score"])?;
            command.resign = Some(resign(flag)?);
        }
        "-maxmoves" => command.max_moves = Some(flag.number::<u32>()?).filter(|moves| *moves > 0),
        "-tb" | "-tbpieces" | "-tbignore50" => tablebases(command, flag)?,
        "-sprt" => {
            needs(&["elo0", "elo1", "alpha", "beta"])?;
            command.sprt = Some(sprt(flag)?);
        }
        "-ratinginterval" => command.rating_interval = flag.number()?,
        "-outcomeinterval" => command.outcome_interval = flag.number()?,
        "-resultformat" => command.result_fields = ResultFields::parse(flag.single()?),
        "-event" => command.event = Some(flag.single()?.to_owned()),
        "-site" => command.site = Some(flag.single()?.to_owned()),
        "-pgnout" => command.pgn = Some(pgn(flag).ok_or_else(wrong)?),
        "-epdout" => command.epd = Some(FileArgs { file: PathBuf::from(flag.single()?), append: true }),
        other => return Err(unknown(other, &FLAGS)),
    }
    Ok(())
}

fn tablebases(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    let tables = command.tablebases.get_or_insert_default();
    match flag.name.as_str() {
        "-tb" => tables.paths = flag.single()?.to_owned(),
        "-tbpieces" => tables.pieces = at_least("-tbpieces", flag.single()?, 3)?,
        _ => tables.ignore_fifty_moves = true,
    }
    Ok(())
}

/// `FILE [min] [fi]`; unfinished games are never written, so `fi` has no effect.
fn pgn(flag: &Flag) -> Option<PgnArgs> {
    let (file, words) = flag.values.split_first()?;
    let known = words.len() <= 2 && words.iter().all(|word| word == "min" || word == "fi");
    let minimal = words.iter().any(|word| word == "min");
    known.then(|| PgnArgs { minimal, ..PgnArgs::plain(PathBuf::from(file)) })
}

fn openings(flag: &Flag) -> Result<OpeningArgs, String> {
    let mut openings = OpeningArgs::default();
    for (key, value) in flag.pairs()? {
        match (key, value) {
            ("file", file) => openings.file = PathBuf::from(file),
            ("format", "epd" | "pgn") | ("policy", "default" | "encounter") => {}
            ("policy", "round") => openings.per_round = true,
            ("order", "sequential") => openings.random = false,
            ("order", "random") => openings.random = true,
            ("plies", plies) => openings.plies = Some(at_least(key, plies, 1)?),
            ("start", start) => openings.start = at_least(key, start, 1)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    if openings.file.as_os_str().is_empty() {
        return Err("Option \"-openings\" needs file=FILE".to_owned());
    }
    Ok(openings)
}

fn sprt(flag: &Flag) -> Result<SprtArgs, String> {
    let mut sprt = SprtArgs { elo0: 0.0, elo1: 0.0, alpha: 0.0, beta: 0.0, model: EloModel::Logistic };
    for (key, value) in flag.pairs()? {
        match key {
            "elo0" => sprt.elo0 = number(key, value)?,
            "elo1" => sprt.elo1 = number(key, value)?,
            "alpha" => sprt.alpha = number(key, value)?,
            "beta" => sprt.beta = number(key, value)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(sprt)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINES: &str = "-engine cmd=a proto=uci -engine cmd=b proto=uci -each tc=inf nodes=5";

    fn parsed(text: &str) -> Result<Invocation, String> {
        parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_round_is_one_game_unless_flags_ask_for_more() {
        let command = parsed(ENGINES).unwrap();
        assert_eq!((command.games, command.rounds, command.repeat, command.penta), (1, 1, None, false));
        let command =
            parsed(&format!("{ENGINES} -games 2 -rounds 50 -repeat -debug -pgnout out.pgn min")).unwrap();
        assert_eq!((command.games, command.rounds, command.repeat), (2, 50, Some(2)));
        assert!(command.debug && command.pgn.unwrap().minimal);
    }

    #[test]
    fn mistakes_are_those_that_cutechess_refuses() {
        for (text, part) in [
            (format!("{ENGINES} -games 2 -games 2"), "Multiple instances"),
            (ENGINES.replace("proto=uci", ""), "Missing chess protocol"),
            ("-engine cmd=a proto=uci nodes=4 -engine cmd=b proto=uci".to_owned(), "time control"),
            (format!("{ENGINES} -draw movenumber=40 movecount=4"), "Invalid value"),
            (format!("{ENGINES} -sprt elo0=0 elo1=5"), "Invalid value"),
            ("-engine cmd=a proto=uci tc=1".to_owned(), "At least two engines"),
            (format!("{ENGINES} -tournament swiss"), "Invalid tournament type"),
        ] {
            let error = parsed(&text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
