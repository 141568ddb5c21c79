//! PGN with the tags, comments and line breaks of other match runners.

use std::fmt::Write as _;

use crate::chess::{Color, Move, MoveStyle, PieceKind, Position};
use crate::game::{GameRecord, PlyRecord, Score, Termination, TimeControl, Variant};
use crate::journal::GameEntry;
use crate::opening::eco::{EcoName, classify};
use crate::report::files::pgn::{engine_tags, termination_tag};
use crate::report::text::reason_in_style;
use crate::run::{PgnContent, PgnField, PgnLength, PgnNotation, PgnStyle, Plan};
use crate::store::UtcDate;

/// The longest line of moves.
const LINE_WIDTH: usize = 80;

/// Returns the game, followed by an empty line.
pub(super) fn styled_game(
    plan: &Plan,
    entry: &GameEntry,
    record: &GameRecord,
    start: Position,
) -> Result<String, String> {
    let moves = parsed_moves(record, start)?;
    let mut text = String::with_capacity(4096);
    for (name, value) in tags(plan, entry, record, eco_tags(plan, record, start, &moves)) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let mut lines = Lines { text, column: 0 };
    let ending = ending_text(plan.pgn.style, record);
    let mut position = start;
    for (at, (ply, &mv)) in record.moves.iter().zip(&moves).enumerate() {
        let number = match position.turn() {
            Color::White => format!("{}. ", position.fullmove_number()),
            Color::Black if at == 0 => format!("{}... ", position.fullmove_number()),
            Color::Black => String::new(),
        };
        let last = at + 1 == record.moves.len();
        let comment = match plan.pgn.length {
            PgnLength::Full => format!(" {{{}}}", comment(&plan.pgn, ply, last.then_some(ending.as_str()))),
            PgnLength::Min => String::new(),
        };
        let moved = match plan.pgn.notation {
            PgnNotation::San => position.san(mv),
            PgnNotation::Lan => long_notation(&position, mv),
            PgnNotation::Uci => ply.mv.as_str().to_owned(),
        };
        lines.put(&format!("{number}{moved}{comment}"));
        position = position.play(mv);
    }
    if record.moves.is_empty() && matches!(record.ending.termination, Termination::IllegalMove { .. }) {
        lines.put(&format!("{{{ending}}}"));
    }
    lines.put(record.ending.result.text());
    lines.text.push_str("\n\n");
    Ok(lines.text)
}

fn parsed_moves(record: &GameRecord, start: Position) -> Result<Vec<Move>, String> {
    let style = match record.variant {
        Variant::Standard => MoveStyle::Standard,
        Variant::Chess960 => MoveStyle::Chess960,
    };
    let mut position = start;
    let mut moves = Vec::with_capacity(record.moves.len());
    for ply in &record.moves {
        let mv = position.parse_coordinate(ply.mv.as_str(), style).map_err(|why| why.to_string())?;
        position = position.play(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// Returns the tags of the opening, if its name is known.
pub(super) fn eco_tags(
    plan: &Plan,
    record: &GameRecord,
    start: Position,
    moves: &[Move],
) -> Vec<(&'static str, String)> {
    if record.variant == Variant::Chess960 || plan.pgn.length == PgnLength::Min {
        return Vec::new();
    }
    let tags = |opening: &EcoName| vec![("ECO", opening.code.clone()), ("Opening", opening.name.clone())];
    classify(&start, moves).map(tags).unwrap_or_default()
}

fn tags(
    plan: &Plan,
    entry: &GameEntry,
    record: &GameRecord,
    opening: Vec<(&'static str, String)>,
) -> Vec<(&'static str, String)> {
    let (content, limits) = (&plan.pgn, plan.limits_of(entry.white, entry.black));
    let started = UtcDate::from_unix((record.started_unix_ms / 1000) as i64);
    let ended = UtcDate::from_unix(((record.started_unix_ms + record.duration_ms) / 1000) as i64);
    let mut tags = vec![
        ("Event", content.event.clone().unwrap_or_else(|| plan.name.clone())),
        ("Site", content.site.clone().unwrap_or_else(|| "?".to_owned())),
        ("Date", started.pgn_date()),
        ("Round", round(plan, entry).to_string()),
        ("White", plan.name_of(record.white).to_owned()),
        ("Black", plan.name_of(record.black).to_owned()),
        ("Result", record.ending.result.text().to_owned()),
    ];
    if content.style == PgnStyle::Fastchess && content.length == PgnLength::Full {
        tags.extend(engine_tags(plan, record));
    }
    let chess960 = record.variant == Variant::Chess960;
    if chess960 || record.start_fen != Position::startpos().to_fen() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", record.start_fen.clone()));
    }
    if chess960 {
        let name = if content.style == PgnStyle::Cutechess { "fischerandom" } else { "Chess960" };
        tags.push(("Variant", name.to_owned()));
    }
    if content.length == PgnLength::Min {
        return tags;
    }
    tags.push(("GameDuration", duration_text(record.duration_ms / 1000)));
    tags.push(("GameStartTime", started.iso()));
    tags.push(("GameEndTime", ended.iso()));
    tags.push(("PlyCount", record.moves.len().to_string()));
    tags.extend(termination(content.style, &record.ending.termination).map(|text| ("Termination", text)));
    if limits[0] == limits[1] {
        tags.push(("TimeControl", time_control(&limits[0])));
    } else {
        tags.push(("WhiteTimeControl", time_control(&limits[0])));
        tags.push(("BlackTimeControl", time_control(&limits[1])));
    }
    tags.extend(opening);
    tags
}

/// Returns a duration as `00:01:05`.
pub(super) fn duration_text(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the round: the number of the encounter with fastchess, of all encounters once with cutechess.
fn round(plan: &Plan, entry: &GameEntry) -> u64 {
    match plan.pgn.style {
        PgnStyle::Fastchess | PgnStyle::Playself => entry.pair + 1,
        PgnStyle::Cutechess => plan.schedule().fixture(entry.pair).round / plan.encounters.block.max(1) + 1,
    }
}

fn termination(style: PgnStyle, termination: &Termination) -> Option<String> {
    let text = match termination {
        Termination::Stall { .. } if style == PgnStyle::Fastchess => "abandoned",
        other => termination_tag(other),
    };
    (style != PgnStyle::Cutechess || text != "normal").then(|| text.to_owned())
}

/// Returns a clock as other match runners write it: `40/8+0.08`, `0.1/move`, or `-` without one.
fn time_control(limits: &TimeControl) -> String {
    match (limits.movetime_ms, limits.clock) {
        (Some(ms), _) => format!("{}/move", ms as f64 / 1000.0),
        (None, Some(clock)) => clock.to_string(),
        (None, None) => "-".to_owned(),
    }
}

fn ending_text(style: PgnStyle, record: &GameRecord) -> String {
    let reason = reason_in_style(&record.ending, style);
    match &record.ending.termination {
        Termination::IllegalMove { text } if style == PgnStyle::Fastchess => format!("{reason}: {text}"),
        _ => reason,
    }
}

fn comment(content: &PgnContent, ply: &PlyRecord, ending: Option<&str>) -> String {
    if !ply.source.is_engine() {
        return "book".to_owned();
    }
    let milliseconds = |ms: i64| format!("{:.3}s", ms as f64 / 1000.0);
    let time_ms = (ply.time_us / 1000) as i64;
    let (score, depth) = (ply.score.map(score_text).unwrap_or_default(), ply.depth.unwrap_or(0));
    let mut parts = vec![format!("{score}/{depth} {}", milliseconds(time_ms))];
    let extra = ply.extra.clone().unwrap_or_default();
    for (_, field) in PgnField::ALL.into_iter().filter(|(_, field)| content.has(*field)) {
        parts.push(match field {
            PgnField::TimeLeft => {
                format!("tl={}", milliseconds((ply.clock_left_us.unwrap_or(0) / 1000) as i64))
            }
            PgnField::Latency => {
                format!("latency={}", milliseconds(time_ms - extra.time_ms.unwrap_or(0) as i64))
            }
            PgnField::Nodes => format!("n={}", ply.nodes.unwrap_or(0)),
            PgnField::Seldepth => format!("sd={}", ply.seldepth.unwrap_or(0)),
            PgnField::Nps => format!("nps={}", extra.nps.unwrap_or(0)),
            PgnField::Hashfull => format!("hashfull={}", extra.hashfull.unwrap_or(0)),
            PgnField::Tbhits => format!("tbhits={}", extra.tbhits.unwrap_or(0)),
            PgnField::Pv => format!("pv=\"{}\"", extra.pv),
        });
    }
    parts.extend(extra.lines.iter().map(|line| format!("line=\"{line}\"")));
    parts.extend(ending.map(str::to_owned));
    // A brace would end the comment.
    parts.join(", ").replace('{', "(").replace('}', ")")
}

/// Returns a score in pawns, signed unless it is zero, or a mate in plies.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(0) => "0.00".to_owned(),
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
        Score::Mate(moves) => format!("-M{}", -2 * i64::from(moves)),
    }
}

/// Returns a move with its starting square: `Ng1f3`, `e4xd5`, `e7e8=Q+`.
fn long_notation(position: &Position, mv: Move) -> String {
    if mv.is_castling() {
        return position.san(mv);
    }
    let mut text = String::with_capacity(8);
    if mv.kind() != PieceKind::Pawn {
        text.push(mv.kind().letter());
    }
    let _ = write!(text, "{}{}{}", mv.from(), if mv.is_capture() { "x" } else { "" }, mv.to());
    if let Some(kind) = mv.promotion() {
        text.push('=');
        text.push(kind.letter());
    }
    let after = position.play(mv);
    if after.in_check() {
        text.push(if after.has_legal_move() { '+' } else { '#' });
    }
    text
}

/// Text in lines of limited width; a move and its comment stay together.
struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    fn put(&mut self, part: &str) {
        let width = part.chars().count();
        if self.column > 0 && self.column + width + 1 > LINE_WIDTH {
            self.text.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(part);
        self.column += width;
    }
}
