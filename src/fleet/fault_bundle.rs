//! Assembling the fault bundle of an engine failure.

use crate::chess::Color;

use crate::game::{Anomaly, EngineIndex, FaultBundle, GameOfPair, PairId, TimeControl};
use crate::player::{EngineOption, EngineSpec, Player, ProcessTransport, Protocol, SentState, WorkingDir};

/// Stands for a value that may be a secret.
const HIDDEN_VALUE: &str = "(hidden)";

/// Evidence about an engine, collected before it is ended.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineEvidence {
    pub(super) transcript: Vec<String>,
    pub(super) stderr_tail: String,
    pub(super) sent: Box<SentState>,
}

/// Game to which a bundle belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameKey {
    pub(super) id: PairId,
    pub(super) game: GameOfPair,
}

pub(super) fn bundle(
    key: GameKey,
    (engine, spec): (EngineIndex, &EngineSpec),
    reason: String,
    evidence: EngineEvidence,
    anomaly: &Anomaly,
    limits: &TimeControl,
) -> FaultBundle {
    let repeat = repeat(spec, anomaly, limits, &evidence.sent);
    FaultBundle {
        pair: key.id.index,
        attempt: key.id.attempt,
        game: key.game,
        engine,
        engine_name: spec.name.clone(),
        reason,
        transcript: evidence.transcript,
        stderr_tail: evidence.stderr_tail,
        exit: anomaly.exit,
        fen: anomaly.fen.clone(),
        position: anomaly.position.clone(),
        time: anomaly.time.clone(),
        repeat,
    }
}

/// Returns a shell command that asks the same engine the same question.
fn repeat(spec: &EngineSpec, anomaly: &Anomaly, limits: &TimeControl, sent: &SentState) -> String {
    let mut program = vec![quoted(&spec.program.to_string_lossy())];
    program.extend(spec.args.iter().map(|arg| quoted(arg)));
    match &spec.protocol {
        Protocol::Ace { .. } => {
            let limits = limits.first_limits(anomaly.side);
            let args = Player::<ProcessTransport>::game_arguments(spec, anomaly.side, &limits, &anomaly.fen);
            program.extend(args.unwrap_or_default().iter().map(|arg| quoted(arg)));
            in_its_environment(spec, &program.join(" "))
        }
        Protocol::Xboard => {
            let opening = ["xboard", "protover 2"].map(str::to_owned).to_vec();
            let lines = if sent.question.is_empty() { &opening } else { &sent.question };
            fed_with(lines, limits, spec, &program)
        }
        Protocol::Uci => {
            let mut lines = vec!["uci".to_owned()];
            // An engine that failed before its options were sent receives those of its specification.
            let options = if sent.options.is_empty() { &spec.options } else { &sent.options };
            lines.extend(options.iter().map(EngineOption::command));
            lines.extend(["ucinewgame".to_owned(), "isready".to_owned(), question(anomaly, sent)]);
            lines.extend(sent.question.iter().cloned());
            fed_with(&lines, limits, spec, &program)
        }
    }
}

/// Returns a shell command that sends the lines to the program.
fn fed_with(lines: &[String], limits: &TimeControl, spec: &EngineSpec, program: &[String]) -> String {
    let input: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
    format!(
        "(printf '%s\\n' {}; sleep {}) | {}",
        input.join(" "),
        input_open_s(limits),
        in_its_environment(spec, &program.join(" "))
    )
}

/// Returns the `position` command of the engine's last question. An engine that failed on its opponent's time was
/// asked one move earlier.
fn question(anomaly: &Anomaly, sent: &SentState) -> String {
    if let Some(ponder_move) = sent.ponder_move {
        let moves = if anomaly.position.contains(" moves ") { "" } else { " moves" };
        return format!("{}{moves} {}", anomaly.position, ponder_move.as_str());
    }
    let white_to_move = anomaly.fen.split(' ').nth(1) != Some("b");
    let idle = white_to_move != (anomaly.side == Color::White);
    match anomaly.position.rsplit_once(' ') {
        Some((before, _)) if idle && !sent.question.is_empty() && anomaly.position.contains(" moves ") => {
            before.trim_end_matches(" moves").to_owned()
        }
        _ => anomaly.position.clone(),
    }
}

/// Returns how long the engine's input stays open, in seconds: the end of input would end its search.
fn input_open_s(limits: &TimeControl) -> u64 {
    let clock = limits.clock.map_or(0, |rule| rule.time.as_secs() + rule.increment.as_secs());
    let move_time = limits.movetime_ms.unwrap_or(0) / 1000;
    30.max(clock.max(move_time) + 5)
}

/// Returns the command with the working directory and the environment that the plan gives the engine. The values of the
/// environment may be secrets and are not shown; the plan has them.
fn in_its_environment(spec: &EngineSpec, program: &str) -> String {
    let mut command = program.to_owned();
    if !spec.env.is_empty() {
        let set: Vec<String> =
            spec.env.iter().map(|(name, _)| quoted(&format!("{name}={HIDDEN_VALUE}"))).collect();
        command = format!("env {} {command}", set.join(" "));
    }
    match &spec.dir {
        WorkingDir::Inherited => command,
        WorkingDir::Path(path) => format!("(cd {} && {command})", quoted(&path.to_string_lossy())),
        WorkingDir::Private => format!("(cd \"$(mktemp -d)\" && {command})"),
    }
}

/// Quotes the text as one word for a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-=:+,@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::MoveText;

    fn anomaly(fen: &str, position: &str) -> Anomaly {
        Anomaly { side: Color::White, exit: None, time: None, fen: fen.into(), position: position.into() }
    }

    #[test]
    fn the_command_that_repeats_a_fault_quotes_every_name() {
        let mut spec = EngineSpec::uci("x", "/opt/my engines/it's one");
        spec.args = vec!["--quiet".into()];
        let sent = SentState { question: vec!["go nodes 7".into()], ..SentState::default() };
        let failed = anomaly("8/8 w", "position startpos moves e2e4 e7e5");
        let command = repeat(&spec, &failed, &TimeControl::nodes(7), &sent);
        assert_eq!(
            command,
            r"(printf '%s\n' uci ucinewgame isready 'position startpos moves e2e4 e7e5' 'go nodes 7'; sleep 30) | '/opt/my engines/it'\''s one' --quiet"
        );
    }

    #[test]
    fn a_fault_is_repeated_with_the_options_question_and_environment_of_the_engine() {
        let mut spec = EngineSpec::uci("x", "/x");
        spec.options = vec![EngineOption::new("Hash", "16")];
        spec.env = vec![("A".into(), "b c".into())];
        spec.dir = WorkingDir::Path("/some where".into());
        let options = [("Hash", "16"), ("Weight", "7"), ("Clear Hash", ""), ("UCI_Chess960", "true")];
        let sent = SentState {
            options: options.map(|(name, value)| EngineOption::new(name, value)).into(),
            question: vec!["go ponder wtime 812 btime 90".into(), "ponderhit".into()],
            ponder_move: None,
        };
        let limits = TimeControl { clock: Some("60+1".parse().unwrap()), ..TimeControl::nodes(1) };
        let command = repeat(&spec, &anomaly("8/8 w", "position fen x"), &limits, &sent);
        assert_eq!(
            command,
            r"(printf '%s\n' uci 'setoption name Hash value 16' 'setoption name Weight value 7' 'setoption name Clear Hash' 'setoption name UCI_Chess960 value true' ucinewgame isready 'position fen x' 'go ponder wtime 812 btime 90' ponderhit; sleep 66) | (cd '/some where' && env 'A=(hidden)' /x)"
        );
        let without_question =
            repeat(&spec, &anomaly("8/8 w", "position fen x"), &limits, &SentState::default());
        assert!(
            without_question.contains("Hash value 16") && !without_question.contains(" go"),
            "{without_question}"
        );
    }

    #[test]
    fn an_engine_that_failed_on_its_opponents_time_is_asked_its_last_question() {
        let sent = SentState { question: vec!["go nodes 7".into()], ..SentState::default() };
        for (fen, position, asked) in [
            ("8/8 b", "position startpos moves e2e4", "position startpos"),
            ("8/8 b", "position startpos moves e2e4 e7e5 g1f3", "position startpos moves e2e4 e7e5"),
            ("8/8 w", "position startpos moves e2e4", "position startpos moves e2e4"),
            ("8/8 b", "position fen 8/8 b - - 0 1", "position fen 8/8 b - - 0 1"),
        ] {
            assert_eq!(question(&anomaly(fen, position), &sent), asked, "{position}");
        }
        let pondering = SentState { ponder_move: MoveText::new("e7e5"), ..sent };
        let asked = question(&anomaly("8/8 b", "position startpos moves e2e4"), &pondering);
        assert_eq!(asked, "position startpos moves e2e4 e7e5");
    }
}
