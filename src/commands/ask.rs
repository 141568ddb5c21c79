//! A position of a recorded game, put to engines again.

use std::future::poll_fn;
use std::path::PathBuf;
use std::time::Duration;

use crate::chess::{ByColor, Color, MoveStyle, PgnGame, Position};
use crate::commands::engine_session::{EngineSession, with_engine};
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::config::{EngineEntry, LimitsTable, plan_engine};
use crate::game::{EngineIndex, GameId, Score, TimeControl};
use crate::player::{Answer, Castling, DrawOffer, GameStart, Protocol, Question, ThinkLimits};
use crate::report::page::pgn_game;
use crate::run::control::from_white;
use crate::run::{Plan, PlannedEngine, plan_from_toml};
use crate::store::{RunFolder, read_text};

/// Time that an engine may take beyond its limit.
const GRACE: Duration = Duration::from_secs(5);

/// A position of a game, and the engines to ask.
#[derive(Clone, Debug)]
pub struct AskRequest {
    /// The run folder.
    pub run: PathBuf,
    /// The game.
    pub game: GameId,
    /// Number of half-moves, the opening included, after which the position is taken.
    pub ply: usize,
    /// Engines; that of the side to move if there are none.
    pub engines: Vec<EngineEntry>,
    /// Limits; those of the run if none are set.
    pub limits: LimitsTable,
}

/// The question and the answers.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The position.
    pub position: Position,
    /// The move that was played, in SAN, with its comment; `None` at the end of the game.
    pub played: Option<(String, String)>,
    /// One answer of each engine.
    pub answers: Vec<AskedEngine>,
}

/// The answer of one engine.
#[derive(Clone, Debug)]
pub struct AskedEngine {
    /// Its name.
    pub name: String,
    /// Its move in SAN, or what it sent instead.
    pub mv: String,
    /// Its score from White's side.
    pub score: Option<String>,
    /// Depth in plies.
    pub depth: Option<u16>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Time that it took.
    pub took: Duration,
}

/// Asks engines for a move in a position of a recorded game.
pub fn ask(request: &AskRequest, environment: &Environment) -> Result<Asked, Failure> {
    let folder = RunFolder::open(&request.run).or_usage()?;
    let plan = plan_from_toml(&read_text(&folder.plan()).or_fault()?).or_fault()?;
    let game = recorded_game(&folder, request.game)?;
    let RecordedPosition { position, question, castling, clocks } = position_at(&game, request.ply)?;
    let played = game.moves.get(request.ply).map(|mv| (position.san(mv.mv), mv.comment.clone()));
    let engines = engines(request, &plan, position.turn(), environment)?;
    let mut answers = Vec::new();
    for engine in &engines {
        let limits = think_limits(engine.limits, clocks);
        let wait = waiting_time(&limits, position.turn()).unwrap_or(engine.spec.timeouts.move_cap) + GRACE;
        let answer = with_engine(&engine.spec, environment, async |player| {
            answer_of(player, (&question, position.turn()), castling, limits, wait).await
        })?;
        answers.push(AskedEngine::new(&engine.spec.name, &answer, &position, castling));
    }
    Ok(Asked { position, played, answers })
}

fn recorded_game(folder: &RunFolder, game: GameId) -> Result<PgnGame, Failure> {
    let found = pgn_game(&folder.games(), game.pair, game.game).or_fault()?;
    found.ok_or_else(|| {
        Failure::usage(format_args!(
            "{} has no game {game}: name the number of a pair and 1 or 2, such as 12.1",
            folder.games().display()
        ))
    })
}

/// A position on the way of a game.
struct RecordedPosition {
    position: Position,
    /// The `position` command.
    question: String,
    castling: Castling,
    /// Time left, as far as it is recorded.
    clocks: ByColor<Option<Duration>>,
}

fn position_at(game: &PgnGame, ply: usize) -> Result<RecordedPosition, Failure> {
    if ply > game.moves.len() {
        return Err(Failure::usage(format_args!("the game has only {} plies", game.moves.len())));
    }
    let chess960 = game.tags.iter().any(|(name, value)| name == "Variant" && value == "fischerandom");
    let (castling, style, fen) = if chess960 {
        (Castling::Chess960, MoveStyle::Chess960, game.start.to_shredder_fen())
    } else {
        (Castling::Standard, MoveStyle::Standard, game.start.to_fen())
    };
    let mut position = game.start;
    let mut question = format!("position fen {fen}");
    let mut clocks = ByColor { white: None, black: None };
    for (at, mv) in game.moves.iter().take(ply).enumerate() {
        question.push_str(if at == 0 { " moves " } else { " " });
        question.push_str(&position.coordinate(mv.mv, style));
        clocks[position.turn()] = time_left(&mv.comment).or(clocks[position.turn()]);
        position = position.play(mv.mv);
    }
    if position.legal_moves().is_empty() {
        return Err(Failure::usage("the game is over in this position; give a smaller --ply"));
    }
    Ok(RecordedPosition { position, question, castling, clocks })
}

/// Returns the time in a comment such as `+0.35/12 0.057s, tl=7.611s`.
fn time_left(comment: &str) -> Option<Duration> {
    let text = comment.split(", ").find_map(|part| part.strip_prefix("tl="))?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the engines to ask: those named, or that of the side to move, as it was in the run.
fn engines(
    request: &AskRequest,
    plan: &Plan,
    mover: Color,
    environment: &Environment,
) -> Result<Vec<PlannedEngine>, Failure> {
    let [first, second] = plan.schedule().fixture(request.game.pair).engines;
    let has_white_first = request.game.game.number() == 1;
    let EngineIndex(place) = if (mover == Color::White) == has_white_first { first } else { second };
    let own = &plan.engines[usize::from(place)];
    if request.engines.is_empty() {
        let limits =
            if request.limits.limits_thinking() { request.limits.time_control() } else { own.limits };
        return Ok(vec![PlannedEngine { limits, ..own.clone() }]);
    }
    let common = request.limits.or(LimitsTable::from(own.limits));
    let paths = environment.search_paths();
    let named = |entry: &EngineEntry| {
        // The name of an engine of the run means that engine with its options.
        let known = plan.engines.iter().find(|engine| engine.spec.name == entry.engine);
        match known {
            Some(known) if *entry == EngineEntry::named(&entry.engine) => {
                let limits = request.limits.or(LimitsTable::from(known.limits)).time_control();
                Ok(PlannedEngine { limits, ..known.clone() })
            }
            _ => plan_engine(entry, common, &paths),
        }
    };
    let engines: Vec<PlannedEngine> =
        request.engines.iter().map(named).collect::<Result<_, _>>().or_usage()?;
    match engines.iter().find(|engine| matches!(engine.spec.protocol, Protocol::Ace { .. })) {
        Some(engine) => Err(Failure::usage(format_args!(
            "engine {}: an ACE program plays whole games and cannot be asked for one move",
            engine.spec.name
        ))),
        None => Ok(engines),
    }
}

/// Returns the limits of one move: on a clock, the time that was left in the game.
fn think_limits(control: TimeControl, clocks: ByColor<Option<Duration>>) -> ThinkLimits {
    let clock = control.clock;
    ThinkLimits {
        time: ByColor::new_with(|color| clock.map(|rule| clocks[color].unwrap_or(rule.time))),
        increment: ByColor::new_with(|_| clock.map(|rule| rule.increment)),
        moves_to_go: None,
        depth: control.depth,
        nodes: control.nodes,
        movetime: control.movetime_ms.map(Duration::from_millis),
    }
}

fn waiting_time(limits: &ThinkLimits, mover: Color) -> Option<Duration> {
    limits.movetime.into_iter().chain(limits.time[mover]).min()
}

async fn answer_of(
    player: &mut EngineSession,
    (question, side): (&str, Color),
    castling: Castling,
    limits: ThinkLimits,
    wait: Duration,
) -> Result<Answer, Failure> {
    let position = question.as_bytes();
    let start = GameStart { castling, position, options: &[], side, limits };
    player.new_game(&start).await.map_err(Failure::fault)?;
    player.ask(&Question { position, limits, last: None, draw: DrawOffer::default() });
    match tokio::time::timeout(wait, poll_fn(|cx| player.poll_answer(cx))).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(Failure::fault("the engine ended instead of answering")),
        Err(_) => Err(Failure::fault(format_args!("no answer within {} s", wait.as_secs()))),
    }
}

impl AskedEngine {
    fn new(name: &str, answer: &Answer, position: &Position, castling: Castling) -> Self {
        let text = answer.reply.as_str();
        let mv = match position.parse_coordinate(text, castling.style()) {
            Ok(mv) => position.san(mv),
            Err(_) => format!("{text} (illegal)"),
        };
        let from_white = |score: Score| from_white(score, position.turn());
        Self {
            name: name.to_owned(),
            mv,
            score: answer.report.score.map(from_white),
            depth: answer.report.depth,
            nodes: answer.report.nodes,
            took: answer.took,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_read_from_the_comment_of_a_move() {
        assert_eq!(time_left("+0.35/12 0.057s, tl=7.611s, n=42103"), Some(Duration::from_millis(7_611)));
        assert_eq!(time_left("book"), None);
    }
}
