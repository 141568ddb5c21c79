//! The bundle that an engine's failure leaves behind.

use crate::fleet::PairId;
use crate::fleet::seat::think_limits;
use crate::game::{Anomaly, FaultBundle, GameOfPair, TimeControl};
use crate::player::{EngineIndex, EngineSpec, Player, ProcessTransport, Protocol};

/// What an engine said last, taken before it is ended.
#[derive(Clone, Debug, Default)]
pub(super) struct LastWords {
    pub(super) transcript: Vec<String>,
    pub(super) stderr_tail: String,
}

/// Which game a bundle belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameKey {
    pub(super) id: PairId,
    pub(super) game: GameOfPair,
}

pub(super) fn bundle(
    key: GameKey,
    (engine, spec): (EngineIndex, &EngineSpec),
    reason: String,
    words: LastWords,
    anomaly: &Anomaly,
    limits: &TimeControl,
) -> FaultBundle {
    FaultBundle {
        pair: key.id.index,
        attempt: key.id.attempt,
        game: key.game,
        engine,
        engine_name: spec.name.clone(),
        reason,
        transcript: words.transcript,
        stderr_tail: words.stderr_tail,
        exit: anomaly.exit,
        fen: anomaly.fen.clone(),
        position: anomaly.position.clone(),
        time: anomaly.time.clone(),
        repeat: repeat(spec, anomaly, limits),
    }
}

/// A shell command that asks the same engine the same question.
fn repeat(spec: &EngineSpec, anomaly: &Anomaly, limits: &TimeControl) -> String {
    let mut program = vec![quoted(&spec.program.to_string_lossy())];
    program.extend(spec.args.iter().map(|arg| quoted(arg)));
    match &spec.protocol {
        Protocol::Ace { .. } => {
            let limits = think_limits(limits, anomaly.side);
            let args = Player::<ProcessTransport>::game_arguments(spec, anomaly.side, &limits, &anomaly.fen);
            program.extend(args.unwrap_or_default().iter().map(|arg| quoted(arg)));
            program.join(" ")
        }
        Protocol::Uci => {
            let mut lines = vec!["uci".to_owned()];
            for option in &spec.options {
                lines.push(format!("setoption name {} value {}", option.name, option.value));
            }
            lines.extend(["isready".to_owned(), anomaly.position.clone(), go(limits)]);
            let input: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
            format!("(printf '%s\\n' {}; sleep 30) | {}", input.join(" "), program.join(" "))
        }
    }
}

fn go(limits: &TimeControl) -> String {
    let mut go = "go".to_owned();
    if let Some(clock) = limits.clock {
        let (time, increment) = (clock.time.as_millis(), clock.increment.as_millis());
        go.push_str(&format!(" wtime {time} btime {time} winc {increment} binc {increment}"));
    }
    let rest =
        [("movetime", limits.movetime_ms), ("nodes", limits.nodes), ("depth", limits.depth.map(u64::from))];
    for (word, value) in rest {
        if let Some(value) = value {
            go.push_str(&format!(" {word} {value}"));
        }
    }
    go
}

/// The text as one word of a shell.
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
    use crate::chess::Color;

    #[test]
    fn the_command_that_repeats_a_fault_survives_any_name() {
        let mut spec = EngineSpec::uci("x", "/opt/my engines/it's one");
        spec.args = vec!["--quiet".into()];
        let anomaly = Anomaly {
            side: Color::White,
            exit: None,
            time: None,
            fen: String::new(),
            position: "position startpos moves e2e4".into(),
        };
        let command = repeat(&spec, &anomaly, &TimeControl::nodes(7));
        assert_eq!(
            command,
            r"(printf '%s\n' uci isready 'position startpos moves e2e4' 'go nodes 7'; sleep 30) | '/opt/my engines/it'\''s one' --quiet"
        );
    }
}
