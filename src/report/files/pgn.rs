//! A recorded game as PGN.

use crate::chess::{Move, MoveStyle, PgnGame, PgnMove, PgnResult, Position};
use crate::game::{
    EngineIndex, GameId, GameRecord, GameResult, PlyRecord, Score, Termination, TimeControl, Variant,
};
use crate::journal::GameEntry;
use crate::report::files::styled_pgn::{duration_text, eco_tags, styled_game};
use crate::run::{PgnContent, PgnField, PgnLength, PgnStyle, Plan};
use crate::store::UtcDate;

/// Error: a recorded game cannot be replayed. The journal was not written by this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {round} cannot be replayed: {why}")]
pub struct Unplayable {
    round: String,
    why: String,
}

/// Returns the game as PGN, with the content that the plan asks for.
///
/// In this program's own style times are included only under a time limit, so that a game by nodes or
/// depth has the same text on every machine.
pub fn pgn_text(plan: &Plan, entry: &GameEntry) -> Result<String, Unplayable> {
    let round = GameId { pair: entry.pair, game: entry.game }.to_string();
    let fail = |why: String| Unplayable { round: round.clone(), why };
    let limits = plan.limits_of(entry.white, entry.black);
    let record = entry.unpack(limits).map_err(|why| fail(why.to_string()))?;
    let start = Position::from_fen(&record.start_fen).map_err(|why| fail(why.to_string()))?;
    if plan.pgn.style != PgnStyle::Playself {
        return styled_game(plan, entry, &record, start).map_err(fail);
    }
    let moves = moves(plan, &record, start, limits).map_err(fail)?;
    let played: Vec<Move> = moves.iter().map(|played| played.mv).collect();
    let mut tags = tags(plan, &record, &round, limits);
    tags.extend(eco_tags(plan, &record, start, &played));
    let game = PgnGame {
        tags: tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        start,
        comment: String::new(),
        moves,
        result: Some(match record.ending.result {
            GameResult::WhiteWins => PgnResult::WhiteWins,
            GameResult::BlackWins => PgnResult::BlackWins,
            GameResult::Draw => PgnResult::Draw,
        }),
    };
    Ok(game.to_string())
}

fn tags(
    plan: &Plan,
    record: &GameRecord,
    round: &str,
    limits: [TimeControl; 2],
) -> Vec<(&'static str, String)> {
    let mut tags = vec![
        ("Event", plan.pgn.event.clone().unwrap_or_else(|| plan.name.clone())),
        ("Site", plan.pgn.site.clone().unwrap_or_else(|| "?".to_owned())),
        ("Date", plan.date.clone()),
        ("Round", round.to_owned()),
        ("White", plan.name_of(record.white).to_owned()),
        ("Black", plan.name_of(record.black).to_owned()),
    ];
    if record.variant == Variant::Chess960 {
        tags.push(("Variant", "fischerandom".to_owned()));
    }
    if plan.pgn.length == PgnLength::Min {
        return tags;
    }
    tags.extend(engine_tags(plan, record));
    tags.push(("PlyCount", record.moves.len().to_string()));
    tags.push(("Termination", termination_tag(&record.ending.termination).to_owned()));
    tags.push(("Reason", record.ending.termination.to_string()));
    if limits[0] == limits[1] {
        tags.push(("TimeControl", limits[0].to_string()));
    } else {
        tags.push(("WhiteTimeControl", limits[0].to_string()));
        tags.push(("BlackTimeControl", limits[1].to_string()));
    }
    if limits.iter().any(TimeControl::is_timed) {
        let started = UtcDate::from_unix((record.started_unix_ms / 1000) as i64);
        tags.push(("GameStartTime", started.iso()));
        tags.push(("GameDuration", duration_text(record.duration_ms / 1000)));
    }
    tags
}

/// Returns the tags with the names that the engines gave themselves, which mostly have their versions.
pub(super) fn engine_tags(plan: &Plan, record: &GameRecord) -> Vec<(&'static str, String)> {
    let names = [("EngineWhiteName", record.white), ("EngineBlackName", record.black)];
    let id_name = |engine: EngineIndex| plan.engines[engine.get()].id_name.clone();
    names.into_iter().filter_map(|(tag, engine)| Some((tag, id_name(engine)?))).collect()
}

/// Returns the value of the `Termination` tag in the words that PGN readers know.
pub(super) fn termination_tag(termination: &Termination) -> &'static str {
    match termination {
        Termination::Checkmate
        | Termination::Stalemate
        | Termination::InsufficientMaterial
        | Termination::FiftyMoves
        | Termination::Repetition
        | Termination::Resignation
        | Termination::AgreedDraw => "normal",
        Termination::TimeForfeit { .. } | Termination::TimeForfeitWithoutMate { .. } => "time forfeit",
        Termination::IllegalMove { .. } => "illegal move",
        Termination::Crash { .. } | Termination::Protocol { .. } => "abandoned",
        Termination::Stall { .. } => "stalled connection",
        Termination::AdjudicatedDraw
        | Termination::AdjudicatedWin
        | Termination::MaxMoves
        | Termination::Tablebase => "adjudication",
    }
}

fn moves(
    plan: &Plan,
    record: &GameRecord,
    start: Position,
    limits: [TimeControl; 2],
) -> Result<Vec<PgnMove>, String> {
    let style = match record.variant {
        Variant::Standard => MoveStyle::Standard,
        Variant::Chess960 => MoveStyle::Chess960,
    };
    let mut position = start;
    let mut moves = Vec::with_capacity(record.moves.len());
    for ply in &record.moves {
        let mv = position.parse_coordinate(ply.mv.as_str(), style).map_err(|why| why.to_string())?;
        let limits = limits[position.turn().index()];
        let comment = match plan.pgn.length {
            PgnLength::Full => comment(&plan.pgn, ply, limits),
            PgnLength::Min => String::new(),
        };
        moves.push(PgnMove { mv, nags: Vec::new(), comment });
        position = position.play(mv);
    }
    Ok(moves)
}

/// Returns the search results of a move: `+0.35/12 0.057s, tl=7.611s, n=42103, sd=20`.
fn comment(content: &PgnContent, ply: &PlyRecord, limits: TimeControl) -> String {
    if !ply.source.is_engine() {
        return "book".to_owned();
    }
    let mut parts = Vec::new();
    let score = ply.score.map(score_text);
    let depth = ply.depth.map(|depth| format!("/{depth}")).unwrap_or_default();
    let mut first: Vec<String> = score.map(|score| format!("{score}{depth}")).into_iter().collect();
    if limits.is_timed() {
        first.push(format!("{:.3}s", ply.time_us as f64 / 1e6));
    }
    if !first.is_empty() {
        parts.push(first.join(" "));
    }
    parts.extend(field_texts(content, ply));
    parts.join(", ")
}

/// Returns the chosen fields of a comment that are known.
fn field_texts(content: &PgnContent, ply: &PlyRecord) -> Vec<String> {
    let extra = ply.extra.clone().unwrap_or_default();
    let text = |field: PgnField| match field {
        PgnField::TimeLeft => ply.clock_left_us.map(|left| format!("tl={:.3}s", left as f64 / 1e6)),
        PgnField::Latency => {
            extra.time_ms.map(|time| format!("latency={:.3}s", ply.time_us as f64 / 1e6 - time as f64 / 1e3))
        }
        PgnField::Nodes => ply.nodes.map(|nodes| format!("n={nodes}")),
        PgnField::Seldepth => ply.seldepth.map(|seldepth| format!("sd={seldepth}")),
        PgnField::Nps => extra.nps.map(|nps| format!("nps={nps}")),
        PgnField::Hashfull => extra.hashfull.map(|hashfull| format!("hashfull={hashfull}")),
        PgnField::Tbhits => extra.tbhits.map(|tbhits| format!("tbhits={tbhits}")),
        PgnField::Pv => (!extra.pv.is_empty()).then(|| format!("pv=\"{}\"", extra.pv)),
    };
    let fields = PgnField::ALL.into_iter().map(|(_, field)| field).filter(|field| content.has(*field));
    let lines = extra.lines.iter().map(|line| format!("line=\"{line}\""));
    fields.filter_map(text).chain(lines).collect()
}

/// Returns a score in pawns with its sign, or a mate in plies as `+M5`.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
        Score::Mate(moves) => format!("-M{}", -2 * i64::from(moves)),
    }
}
