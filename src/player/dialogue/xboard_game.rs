//! The text of a game for an xboard engine: setup, limits, moves and options.

use std::time::Duration;

use crate::chess::{Color, Move, MoveStyle, Position};
use crate::player::exchange::{GameStart, ThinkLimits};
use crate::player::{Castling, EngineOption, Pondering};
use crate::protocol::uci::{self, OptionKind, Start};
use crate::protocol::xboard::{Capability, Command, FeatureSet, Level};

/// Time for a move without a limit of time: longer than the harness waits.
const UNLIMITED: Duration = Duration::from_secs(86_400);

/// The commands of a game so far, enough to repeat it.
#[derive(Clone, Debug)]
pub(super) struct GameText {
    /// Lines from `new` up to the first move.
    pub(super) setup: Vec<String>,
    /// All moves, in the notation of the engine.
    pub(super) moves: Vec<String>,
    /// Clocks of the last question.
    pub(super) clocks: Vec<String>,
    castling: Castling,
    /// Side that the engine plays.
    pub(super) side: Color,
}

impl GameText {
    /// Before the first game.
    pub(super) fn none() -> Self {
        let (setup, moves, clocks) = (Vec::new(), Vec::new(), Vec::new());
        Self { setup, moves, clocks, castling: Castling::Standard, side: Color::White }
    }

    /// Returns the text of a new game up to its first question, or the reason why this engine cannot play it.
    pub(super) fn new(
        start: &GameStart<'_>,
        features: &FeatureSet,
        pondering: Pondering,
    ) -> Result<Self, String> {
        let mut game = Self { castling: start.castling, side: start.side, ..Self::none() };
        let text = String::from_utf8_lossy(start.position);
        let uci::Command::Position { start: origin, moves } = uci::Command::parse(&text) else {
            return Err("was given no position".to_owned());
        };
        let mut commands = vec![Command::New.to_string()];
        if start.castling == Castling::Chess960 {
            if !features.plays("fischerandom") {
                return Err("does not list the variant fischerandom, which this opening needs".to_owned());
            }
            commands.push(Command::Variant("fischerandom").to_string());
        }
        commands.push(Command::Force.to_string());
        let mut position = Position::startpos();
        if let Start::Fen(fen) = origin {
            let fen = fen.to_string();
            position = Position::from_fen(&fen).map_err(|error| format!("was given no position: {error}"))?;
            if !features.has(Capability::SetBoard) {
                return Err("has no `setboard` and can only play games from the starting position; \
                            use a PGN book, whose openings are moves from there"
                    .to_owned());
            }
            commands.push(Command::SetBoard(&fen).to_string());
        }
        let limits = limit_commands(&start.limits, start.side, features)?;
        commands.extend(limits.iter().map(ToString::to_string));
        let pondering = if pondering == Pondering::On { Command::Hard } else { Command::Easy };
        commands.extend([Command::Post, pondering].map(|command| command.to_string()));
        game.setup = commands;
        for word in moves {
            let mv = position.parse_coordinate(word, start.castling.style());
            let mv = mv.map_err(|error| format!("was given an impossible opening: {error}"))?;
            game.moves.push(game.move_text(&position, mv, features));
            position = position.play(mv);
        }
        Ok(game)
    }

    /// Returns a move in the notation of the engine.
    pub(super) fn move_text(&self, before: &Position, mv: Move, features: &FeatureSet) -> String {
        if features.has(Capability::San) {
            before.san(mv)
        } else if mv.is_castling() && self.castling == Castling::Chess960 {
            before.san(mv).trim_end_matches(['+', '#']).to_owned()
        } else {
            before.coordinate(mv, MoveStyle::Standard)
        }
    }

    /// Sets the clocks of a question.
    pub(super) fn set_clocks(&mut self, limits: &ThinkLimits, features: &FeatureSet) {
        self.clocks.clear();
        if !features.has(Capability::Time) {
            return;
        }
        // Some engines interpret 0 as having no clock at all.
        let hundredths = |time: Duration| ((time.as_millis() / 10) as u64).max(1);
        if let Some(own) = limits.time[self.side] {
            let other = limits.time[!self.side].unwrap_or(own);
            let clocks = [Command::Time(hundredths(own)), Command::OpponentTime(hundredths(other))];
            self.clocks.extend(clocks.iter().map(ToString::to_string));
        }
    }

    /// Returns the lines that lead a fresh process to the last question.
    pub(super) fn repeat(&self, features: &FeatureSet, options: Vec<String>) -> Vec<String> {
        let opening = [Command::Xboard, Command::Protover(2)].map(|command| command.to_string());
        let moves = self.moves.iter().map(|mv| move_line(mv, features));
        let go = (!self.setup.is_empty()).then(|| Command::Go.to_string());
        let lines = opening.into_iter().chain(options).chain(self.setup.iter().cloned()).chain(moves);
        lines.chain(self.clocks.iter().cloned()).chain(go).collect()
    }
}

/// Returns the line that sends a move to the engine.
pub(super) fn move_line(mv: &str, features: &FeatureSet) -> String {
    if features.has(Capability::UserMove) { Command::UserMove(mv).to_string() } else { mv.to_owned() }
}

/// Returns the limits of a game as commands, or the reason why they cannot be expressed.
fn limit_commands(
    limits: &ThinkLimits,
    side: Color,
    features: &FeatureSet,
) -> Result<Vec<Command<'static>>, String> {
    let depth = limits.depth.map(Command::Depth);
    let time = match (limits.nodes, limits.movetime, limits.time[side]) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            return Err(
                "uses the xboard protocol, in which only one of nodes, time per move and a clock can limit \
                        a search"
                    .to_owned(),
            );
        }
        (Some(_), None, None) if !features.has(Capability::NodeRate) => {
            return Err(
                "cannot be limited by nodes: it uses the xboard protocol and lacks its feature nps; use a \
                        clock, a time per move or a depth"
                    .to_owned(),
            );
        }
        // One second, counted in nodes.
        (Some(nodes), None, None) => {
            vec![Command::MoveTime(Duration::from_secs(1)), Command::NodeRate(nodes)]
        }
        (None, Some(time), None) => vec![Command::MoveTime(time)],
        (None, None, Some(time)) => vec![Command::Level(Level {
            moves: limits.moves_to_go.unwrap_or(0),
            // The exact time follows with `time`.
            base_seconds: (time.as_millis().div_ceil(1000) as u64).max(1),
            increment: limits.increment[side].unwrap_or_default(),
        })],
        (None, None, None) => vec![Command::MoveTime(UNLIMITED)],
    };
    Ok(time.into_iter().chain(depth).collect())
}

/// Returns the command that sets an option of this kind.
pub(super) fn option_line(option: &EngineOption, kind: Option<&OptionKind>, features: &FeatureSet) -> String {
    let EngineOption { name, value } = option;
    if option.is_named("Hash") && features.has(Capability::Memory) {
        return Command::Memory(value).to_string();
    }
    if option.is_named("Threads") && features.has(Capability::Cores) {
        return Command::Cores(value).to_string();
    }
    let value = match kind {
        Some(OptionKind::Button) => None,
        Some(OptionKind::Check { .. }) => Some(if value == "true" { "1" } else { "0" }),
        _ => Some(value.as_str()),
    };
    Command::Option { name, value }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::ByColor;
    use crate::protocol::xboard::{Feature, Reply};

    fn features(text: &str) -> FeatureSet {
        let mut set = FeatureSet::silent();
        let line = format!("feature {text}");
        let Reply::Features(list) = Reply::parse(&line) else { panic!("{text}") };
        list.iter().for_each(|(_, feature): (&str, Feature<'_>)| set.apply(&feature));
        set
    }

    fn game(features: &FeatureSet, position: &str, limits: ThinkLimits) -> Result<GameText, String> {
        let start = GameStart {
            castling: Castling::Standard,
            position: position.as_bytes(),
            options: &[],
            side: Color::Black,
            limits,
        };
        GameText::new(&start, features, Pondering::Off)
    }

    fn clock(time_ms: u64, increment_ms: u64) -> ThinkLimits {
        let time = Some(Duration::from_millis(time_ms));
        ThinkLimits {
            time: ByColor { white: Some(Duration::from_secs(9)), black: time },
            increment: ByColor { white: None, black: Some(Duration::from_millis(increment_ms)) },
            ..ThinkLimits::default()
        }
    }

    #[test]
    fn a_game_begins_with_its_setup_limits_and_opening() {
        let modern = features("setboard=1 usermove=1 nps=1");
        let mut begun = game(&modern, "position startpos moves e2e4 e7e5", clock(8000, 80)).unwrap();
        assert_eq!(begun.setup, ["new", "force", "level 0 0:08 0.08", "post", "easy"]);
        assert_eq!(begun.moves, ["e2e4", "e7e5"]);
        begun.set_clocks(&clock(7123, 80), &modern);
        assert_eq!(begun.clocks, ["time 712", "otim 900"]);
        let lines = begun.repeat(&modern, vec!["memory 16".to_owned()]);
        assert_eq!(
            lines.join("|"),
            "xboard|protover 2|memory 16|new|force|level 0 0:08 0.08|post|easy|usermove e2e4|usermove e7e5|time 712|otim 900|go"
        );
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let nodes = ThinkLimits { nodes: Some(500), depth: Some(9), ..ThinkLimits::default() };
        let begun = game(&modern, &format!("position fen {fen} moves e1g1"), nodes).unwrap();
        assert_eq!(
            begun.setup[2..6],
            [&format!("setboard {fen}"), "st 1", "nps 500", "sd 9"].map(ToString::to_string)
        );
        assert_eq!(begun.moves, ["e1g1"]);
        let notation =
            game(&features("setboard=1 san=1"), &format!("position fen {fen} moves e1g1"), clock(250, 0));
        let notation = notation.unwrap();
        assert_eq!((notation.moves[0].as_str(), notation.setup[3].as_str()), ("O-O", "level 0 0:01 0"));
    }

    #[test]
    fn what_the_protocol_cannot_express_is_refused() {
        let old = FeatureSet::silent();
        let nodes = ThinkLimits { nodes: Some(500), ..ThinkLimits::default() };
        let two = ThinkLimits { movetime: Some(Duration::from_secs(1)), ..clock(1000, 0) };
        for (position, limits, part) in [
            ("position startpos", nodes, "cannot be limited by nodes"),
            ("position startpos", two, "only one of nodes, time per move and a clock"),
            ("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", clock(1, 0), "has no `setboard`"),
        ] {
            let why = game(&old, position, limits).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        assert!(game(&old, "position startpos moves e2e4", clock(1000, 0)).is_ok());
    }

    #[test]
    fn options_are_written_as_their_kind_requires() {
        let with = features("memory=1 smp=1");
        let line = |name: &str, value: &str, kind| option_line(&EngineOption::new(name, value), kind, &with);
        let check = OptionKind::Check { default: Some(false) };
        assert_eq!(line("Hash", "64", None), "memory 64");
        assert_eq!(line("threads", "2", None), "cores 2");
        assert_eq!(line("Resign", "true", Some(&check)), "option Resign=1");
        assert_eq!(line("Clear Hash", "", Some(&OptionKind::Button)), "option Clear Hash");
        let hash = EngineOption::new("Hash", "64");
        assert_eq!(option_line(&hash, None, &FeatureSet::silent()), "option Hash=64");
    }
}
