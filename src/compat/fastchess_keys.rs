//! Flags of fastchess that have keys.

use std::path::{Path, PathBuf};

use crate::compat::arguments::{Flag, at_least, number, truth};
use crate::compat::invocation::{
    ClockArgs, DrawArgs, FileArgs, Invocation, InvokedEngine, LogArgs, LogLevel, OpeningArgs, PgnArgs,
    ResignArgs, SprtArgs,
};
use crate::compat::surface::Surface;
use crate::run::PgnField;
use crate::stats::EloModel;
use crate::store::UtcDate;

pub(super) fn pgn(flag: &Flag, crc: bool) -> Result<PgnArgs, String> {
    let file = PathBuf::from(format!("fastchess_{}.pgn", UtcDate::now().stamp().replace('-', "_")));
    let mut pgn = PgnArgs { crc, ..PgnArgs::plain(file) };
    // Some tools still write the bare file name.
    if let [file] = &flag.values[..]
        && !file.contains('=')
    {
        pgn.out.file = PathBuf::from(file);
        return Ok(pgn);
    }
    for (key, value) in flag.pairs()? {
        let field = match key {
            "timeleft" => Some(PgnField::TimeLeft),
            "latency" => Some(PgnField::Latency),
            "nodes" => Some(PgnField::Nodes),
            "seldepth" => Some(PgnField::Seldepth),
            "nps" => Some(PgnField::Nps),
            "hashfull" => Some(PgnField::Hashfull),
            "tbhits" => Some(PgnField::Tbhits),
            "pv" => Some(PgnField::Pv),
            _ => None,
        };
        match (key, field) {
            (_, Some(field)) => {
                pgn.fields.retain(|known| *known != field);
                pgn.fields.extend(truth(key, value)?.then_some(field));
            }
            ("file", _) => pgn.out.file = PathBuf::from(value),
            ("append", _) => pgn.out.append = truth(key, value)?,
            ("min", _) => pgn.minimal = truth(key, value)?,
            ("notation", _) => {
                pgn.notation = *["san", "lan", "uci"]
                    .iter()
                    .find(|known| **known == value)
                    .ok_or_else(|| flag.wrong(key, value))?;
            }
            ("match_line", _) => pgn.match_lines.push(value.to_owned()),
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(pgn)
}

pub(super) fn epd(flag: &Flag) -> Result<FileArgs, String> {
    let file = PathBuf::from(format!("fastchess_{}.epd", UtcDate::now().stamp().replace('-', "_")));
    let mut out = FileArgs { file, append: true };
    for (key, value) in flag.pairs()? {
        match key {
            "file" => out.file = PathBuf::from(value),
            "append" => out.append = truth(key, value)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(out)
}

pub(super) fn log(flag: &Flag) -> Result<LogArgs, String> {
    let out = FileArgs { file: PathBuf::new(), append: true };
    let mut log = LogArgs { out, level: LogLevel::Warning, compressed: false, engines: false };
    for (key, value) in flag.pairs()? {
        match key {
            "file" => log.out.file = PathBuf::from(value),
            "append" => log.out.append = truth(key, value)?,
            "compress" => log.compressed = truth(key, value)?,
            "engine" => log.engines = truth(key, value)?,
            "realtime" => drop(truth(key, value)?),
            "level" => {
                log.level = match value {
                    "trace" => LogLevel::Trace,
                    "info" => LogLevel::Info,
                    "warn" => LogLevel::Warning,
                    "err" => LogLevel::Error,
                    "fatal" => LogLevel::Fatal,
                    _ => return Err(flag.wrong(key, value)),
                }
            }
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(log)
}

pub(super) fn config(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    for (key, value) in flag.pairs()? {
        match key {
            "file" => command.config.resumed = Some(PathBuf::from(value)),
            "outname" => command.config.saved_as = PathBuf::from(value),
            "discard" if truth(key, value)? => command.config.resumed = None,
            "discard" => {}
            "stats" => command.config.keep_games = value != "false",
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(())
}

pub(super) fn openings(flag: &Flag) -> Result<OpeningArgs, String> {
    let mut openings = OpeningArgs::default();
    for (key, value) in flag.pairs()? {
        match (key, value) {
            ("file", file) if !Path::new(file).exists() => {
                return Err(format!("Opening file does not exist: {file}"));
            }
            ("file", file) => openings.file = PathBuf::from(file),
            ("format", "epd" | "pgn") | ("policy", "round") => {}
            ("order", "sequential") => openings.random = false,
            ("order", "random") => openings.random = true,
            ("plies", plies) => openings.plies = u32::try_from(number::<i64>(key, plies)?).ok(),
            ("start", start) => openings.start = at_least(key, start, 1)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(openings)
}

pub(super) fn draw(flag: &Flag) -> Result<DrawArgs, String> {
    let mut draw = DrawArgs { move_number: 0, move_count: 1, score: 0 };
    for (key, value) in flag.pairs()? {
        match key {
            "movenumber" => draw.move_number = number(key, value)?,
            "movecount" => draw.move_count = number(key, value)?,
            "score" => draw.score = number(key, value)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(draw)
}

pub(super) fn resign(flag: &Flag) -> Result<ResignArgs, String> {
    let mut resign = ResignArgs { move_count: 1, score: 0, two_sided: false };
    for (key, value) in flag.pairs()? {
        match key {
            "movecount" => resign.move_count = number(key, value)?,
            "score" => resign.score = number(key, value)?,
            "twosided" => resign.two_sided = truth(key, value)?,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(resign)
}

pub(super) fn sprt(flag: &Flag) -> Result<SprtArgs, String> {
    let mut sprt = SprtArgs { elo0: 0.0, elo1: 0.0, alpha: 0.0, beta: 0.0, model: EloModel::Normalized };
    for (key, value) in flag.pairs()? {
        match (key, value) {
            ("elo0", _) => sprt.elo0 = number(key, value)?,
            ("elo1", _) => sprt.elo1 = number(key, value)?,
            ("alpha", _) => sprt.alpha = number(key, value)?,
            ("beta", _) => sprt.beta = number(key, value)?,
            ("model", "normalized") => sprt.model = EloModel::Normalized,
            ("model", "logistic") => sprt.model = EloModel::Logistic,
            ("model", "bayesian") => sprt.model = EloModel::Bayesian,
            _ => return Err(flag.wrong(key, value)),
        }
    }
    Ok(sprt)
}

/// Parses `3,5-7`.
pub(super) fn processors(flag: &Flag) -> Result<Vec<usize>, String> {
    let Some(list) = flag.values.first() else { return Ok(Vec::new()) };
    let wrong = |_| format!("Bad cpu list: \"{list}\".");
    let mut processors = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().map_err(wrong)?, last.parse::<usize>().map_err(wrong)?);
        if last < first || last > 65_535 {
            return Err(format!("Bad cpu list: \"{list}\"."));
        }
        processors.extend(first..=last);
    }
    Ok(processors)
}

pub(super) fn quick(command: &mut Invocation, flag: &Flag) -> Result<(), String> {
    let clock = ClockArgs::Clock { moves: 0, time_ms: 10_000, increment_ms: 100 };
    let mut engines = Vec::new();
    for (key, value) in flag.pairs()? {
        match key {
            "cmd" => engines.push(InvokedEngine {
                command: value.to_owned(),
                name: Some(value.to_owned()),
                clock,
                ..InvokedEngine::default()
            }),
            "book" if [".pgn", ".epd"].iter().any(|suffix| value.ends_with(suffix)) => {
                command.openings =
                    Some(OpeningArgs { file: PathBuf::from(value), random: true, ..OpeningArgs::default() });
            }
            "book" => return Err("the opening book needs the extension .pgn or .epd".to_owned()),
            _ => return Err(flag.wrong(key, value)),
        }
    }
    let [first, second] = &mut engines[..] else {
        return Err("Option \"-quick\" requires exactly two cmd entries.".to_owned());
    };
    if first.name == second.name {
        first.name.iter_mut().for_each(|name| name.push('1'));
        second.name.iter_mut().for_each(|name| name.push('2'));
    }
    if command.openings.is_none() {
        return Err("Option \"-quick\" requires a book=FILE entry.".to_owned());
    }
    command.engines.append(&mut engines);
    (command.games, command.rounds, command.recover) = (2, 25_000, true);
    command.concurrency =
        std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(2).max(1) as i64;
    command.draw = Some(DrawArgs { move_number: 30, move_count: 8, score: 8 });
    command.format = Surface::Cutechess;
    Ok(())
}
