//! The command line of fastchess.

use std::path::PathBuf;

use crate::compat::arguments::{Flag, group, truth, unknown};
use crate::compat::fastchess_keys::{config, draw, epd, log, openings, pgn, processors, quick, resign, sprt};
use crate::compat::invocation::{Invocation, InvokedEngine, PgnArgs, TablebaseArgs, Tournament};
use crate::compat::surface::Surface;
use crate::stats::EloModel;

/// Every flag, for suggestions.
const FLAGS: [&str; 51] = [
    "-autosaveinterval",
    "-check-mate-pvs",
    "-concurrency",
    "-config",
    "-crc32",
    "-draw",
    "-each",
    "-engine",
    "-epdout",
    "-event",
    "-force-concurrency",
    "-games",
    "-help",
    "-log",
    "-maxmoves",
    "-noswap",
    "-openings",
    "-output",
    "-pgnout",
    "-ping-ms",
    "-quick",
    "-randomseed",
    "-ratinginterval",
    "-recover",
    "-repeat",
    "-report",
    "-resign",
    "-reverse",
    "-rounds",
    "-scoreinterval",
    "-seeds",
    "-show-latency",
    "-site",
    "-sprt",
    "-srand",
    "-startup-ms",
    "-strict",
    "-tb",
    "-tbadjudicate",
    "-tbignore50",
    "-tbpieces",
    "-testEnv",
    "-tournament",
    "-ucinewgame-ms",
    "-use-affinity",
    "-variant",
    "-version",
    "-wait",
    "--explain",
    "-debug",
    "--compliance",
];

/// Parses the words after the program's name.
pub(super) fn parse(words: &[String]) -> Result<Invocation, String> {
    let mut command = Invocation::new(Surface::Fastchess);
    let mut each: Vec<(String, String)> = Vec::new();
    for flag in group(words) {
        if flag.name == "-each" {
            let pairs = flag.pairs()?;
            each.extend(pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())));
            continue;
        }
        apply(&mut command, &flag).map_err(|reason| {
            format!(
                "Error while reading option \"{}\" with value \"{}\"\nReason: {reason}",
                flag.name,
                flag.values.join(" ")
            )
        })?;
    }
    for (key, value) in &each {
        for engine in &mut command.engines {
            let wrong = |reason| format!("Error while reading option \"-each\"\nReason: {reason}");
            engine.apply(Surface::Fastchess, key, value).map_err(wrong)?;
        }
    }
    settle(&mut command)?;
    Ok(command)
}

fn apply(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    match flag.name.as_str() {
        "-engine" => {
            let mut engine = InvokedEngine::default();
            for (key, value) in flag.pairs()? {
                engine.apply(Surface::Fastchess, key, value)?;
            }
            command.engines.push(engine);
        }
        "-concurrency" => command.concurrency = flag.number()?,
        "-force-concurrency" => {
            flag.bare()?;
            command.force_concurrency = true;
        }
        "-use-affinity" => command.affinity = Some(processors(flag)?),
        "-recover" => {
            flag.bare()?;
            command.recover = true;
        }
        "-strict" => {
            flag.bare()?;
            command.strict = true;
        }
        "-startup-ms" => command.startup_ms = flag.number()?,
        "-ucinewgame-ms" => command.new_game_ms = flag.number()?,
        "-ping-ms" => command.ping_ms = flag.number()?,
        "-testEnv" => {
            flag.bare()?;
            command.one_line_warnings = true;
        }
        "-check-mate-pvs" => {
            flag.bare()?;
            command.check_mate_lines = true;
        }
        "-show-latency" => {
            flag.bare()?;
            command.show_latency = true;
        }
        "-quick" => quick(command, flag)?,
        "--explain" => {
            flag.bare()?;
            command.explain = true;
        }
        "-debug" => {
            return Err("fastchess has no -debug: -log file=FILE engine=true writes the dialogue.".to_owned());
        }
        _ => return apply_schedule(command, flag),
    }
    Ok(())
}

fn apply_schedule(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    match flag.name.as_str() {
        "-rounds" => command.rounds = flag.number()?,
        "-games" => command.games = flag.number()?,
        "-repeat" => command.games = flag.number().unwrap_or(2),
        "-noswap" => {
            flag.bare()?;
            command.swap = false;
        }
        "-reverse" => {
            flag.bare()?;
            command.reverse = true;
        }
        "-wait" => command.wait_ms = flag.number()?,
        "-openings" => command.openings = Some(openings(flag)?),
        "-srand" => command.seed = Some(flag.number()?),
        "-randomseed" => flag.bare()?,
        "-seeds" => command.seeds = flag.number()?,
        "-variant" => match flag.single()? {
            "standard" => command.chess960 = false,
            "fischerandom" => command.chess960 = true,
            other => return Err(format!("Unknown variant \"{other}\".")),
        },
        "-tournament" => match flag.single()? {
            "roundrobin" => command.tournament = Tournament::RoundRobin,
            "gauntlet" => command.tournament = Tournament::Gauntlet,
            other => {
                return Err(format!(
                    "Unsupported tournament format \"{other}\": roundrobin and gauntlet exist."
                ));
            }
        },
        _ => return apply_rules(command, flag),
    }
    Ok(())
}

fn apply_rules(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    match flag.name.as_str() {
        "-draw" => command.draw = Some(draw(flag)?),
        "-resign" => command.resign = Some(resign(flag)?),
        "-maxmoves" => command.max_moves = Some(flag.number()?),
        "-tb" | "-tbpieces" | "-tbignore50" | "-tbadjudicate" => {
            tables(command.tablebases.get_or_insert_default(), flag)?;
        }
        "-sprt" => command.sprt = Some(sprt(flag)?),
        _ => return apply_output(command, flag),
    }
    Ok(())
}

fn tables(tables: &mut TablebaseArgs, flag: &Flag) -> Result<(), String> {
    match flag.name.as_str() {
        "-tb" => flag.single()?.clone_into(&mut tables.paths),
        "-tbpieces" => tables.pieces = flag.number()?,
        "-tbignore50" => {
            flag.bare()?;
            tables.ignore_fifty_moves = true;
        }
        _ => {
            (tables.wins, tables.draws) = match flag.single()? {
                "BOTH" => (true, true),
                "WIN_LOSS" => (true, false),
                "DRAW" => (false, true),
                other => return Err(format!("Invalid tb adjudication type: {other}")),
            }
        }
    }
    Ok(())
}

fn apply_output(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    match flag.name.as_str() {
        "-ratinginterval" => command.rating_interval = flag.number()?,
        "-scoreinterval" => command.score_interval = flag.number()?,
        "-report" => {
            for (key, value) in flag.pairs()? {
                command.penta =
                    if key == "penta" { truth(key, value)? } else { return Err(flag.wrong(key, value)) };
            }
        }
        "-output" => {
            for (key, value) in flag.pairs()? {
                command.format = match (key, value) {
                    ("format", "fastchess") => Surface::Fastchess,
                    ("format", "cutechess") => Surface::Cutechess,
                    _ => return Err(flag.wrong(key, value)),
                };
            }
        }
        "-pgnout" => command.pgn = Some(pgn(flag, command.pgn.as_ref().is_some_and(|pgn| pgn.crc))?),
        "-epdout" => command.epd = Some(epd(flag)?),
        "-crc32" => {
            for (key, value) in flag.pairs()? {
                let crc = if key == "pgn" { truth(key, value)? } else { return Err(flag.wrong(key, value)) };
                // Without -pgnout there is no file.
                command.pgn.get_or_insert_with(|| PgnArgs::plain(PathBuf::new())).crc = crc;
            }
        }
        "-event" => command.event = Some(flag.values.concat()),
        "-site" => command.site = Some(flag.values.concat()),
        "-config" => config(command, flag)?,
        "-autosaveinterval" => command.config.every = flag.number()?,
        "-log" => command.log = Some(log(flag)?),
        other => return Err(unknown(other, &FLAGS)),
    }
    Ok(())
}

/// Resolves what depends on several flags.
fn settle(command: &mut Invocation) -> Result<(), String> {
    if command.games > 2 {
        std::mem::swap(&mut command.games, &mut command.rounds);
    }
    if !(1..=2).contains(&command.games) || command.rounds < 1 {
        return Err("Error: -games must be 1 or 2, and -rounds at least 1.".to_owned());
    }
    command.penta &= command.format == Surface::Fastchess && command.games == 2;
    if command.sprt.is_some_and(|sprt| sprt.model == EloModel::Bayesian) {
        command.penta = false;
    }
    if command.pgn.as_ref().is_some_and(|pgn| pgn.out.file.as_os_str().is_empty()) {
        command.pgn = None;
    }
    if command.tablebases.as_ref().is_some_and(|tables| tables.paths.is_empty()) {
        command.tablebases = None;
    }
    if command.chess960 && command.openings.is_none() && command.config.resumed.is_none() {
        return Err("Error: Please specify a Chess960 opening book".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::run::PgnField;

    fn parsed(text: &str) -> Result<Invocation, String> {
        parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn each_is_applied_last_whatever_its_place() {
        let command =
            parsed("-each tc=8+0.08 option.Hash=16 -engine cmd=a option.Hash=1 -engine cmd=b name=x")
                .unwrap();
        let hash = |at: usize| command.engines[at].options.last().map(|(_, value)| value.clone());
        assert_eq!([hash(0), hash(1)], [Some("16".to_owned()), Some("16".to_owned())]);
        assert_eq!(command.engines[1].name.as_deref(), Some("x"));
    }

    #[test]
    fn defaults_and_corrections_are_those_of_fastchess() {
        let command = parsed("-engine cmd=a tc=1").unwrap();
        assert_eq!((command.rounds, command.games, command.penta, command.rating_interval), (2, 2, true, 10));
        let swapped = parsed("-games 500 -rounds 2").unwrap();
        assert_eq!((swapped.games, swapped.rounds), (2, 500));
        assert!(parsed("-games 500 -rounds 500").is_err());
        assert!(!parsed("-games 1").unwrap().penta, "single games make no pairs");
        assert!(!parsed("-output format=cutechess").unwrap().penta);
        assert_eq!(parsed("-repeat").unwrap().games, 2);
        assert_eq!(parsed("-event a b").unwrap().event.as_deref(), Some("ab"));
        assert_eq!(parsed("-concurrency -2").unwrap().concurrency, -2);
        assert_eq!(parsed("-use-affinity 3,5-7").unwrap().affinity, Some(vec![3, 5, 6, 7]));
    }

    #[test]
    fn the_pgn_file_may_be_named_without_its_key() {
        let bare = parsed("-pgnout tuner/games.pgn").unwrap().pgn.unwrap();
        assert_eq!(bare.out.file, Path::new("tuner/games.pgn"));
        let keyed =
            parsed("-crc32 pgn=true -pgnout file=a.pgn seldepth=true nodes=true append=false").unwrap();
        let keyed = keyed.pgn.unwrap();
        assert!(keyed.crc && !keyed.out.append);
        assert_eq!(keyed.fields, [PgnField::Seldepth, PgnField::Nodes]);
        assert_eq!(parsed("-crc32 pgn=true").unwrap().pgn, None);
    }

    #[test]
    fn every_flag_of_the_list_is_known() {
        let asks = ["-help", "-version", "--compliance"];
        for flag in FLAGS.iter().filter(|flag| !asks.contains(flag)) {
            let answer = parsed(flag).err().unwrap_or_default();
            assert!(!answer.contains("Unrecognized option"), "{flag}: {answer}");
        }
    }

    #[test]
    fn every_flag_is_documented() {
        let page = include_str!("../../docs/coming-from-fastchess.md");
        for flag in FLAGS.iter().chain(&crate::compat::cutechess::FLAGS) {
            assert!(page.contains(&format!("`{flag}")), "{flag}");
        }
    }

    #[test]
    fn mistakes_name_the_flag() {
        for (text, part) in [
            ("-engin cmd=a", "Did you mean \"-engine\"?"),
            ("-engine cmd=", "key=value"),
            ("-engine cmd=a x=y", "\"x\""),
            ("-rounds many", "not a valid number"),
            ("-recover yes", "does not accept"),
            ("-draw score=-1", "score"),
            ("-openings file=/no/such/book.epd", "does not exist"),
            ("-variant atomic", "Unknown variant"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
