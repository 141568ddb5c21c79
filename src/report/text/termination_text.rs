//! The reason of a result in the words that wrappers of other match runners expect.

use crate::chess::Color;
use crate::game::{Ending, Termination};
use crate::run::PgnStyle;

/// Returns the reason as another match runner states it.
pub fn reason_in_style(ending: &Ending, style: PgnStyle) -> String {
    let text = reason_text(ending);
    match (&ending.termination, style) {
        (Termination::IllegalMove { .. } | Termination::MaxMoves, PgnStyle::Fastchess) => {
            text.split(':').next().unwrap_or_default().to_owned()
        }
        (Termination::TimeForfeit { over_us }, PgnStyle::Fastchess | PgnStyle::Cutechess) => {
            let plain = text.split(" (").next().unwrap_or_default();
            match style {
                PgnStyle::Fastchess => format!("{plain} ({}ms overrun)", over_us.div_ceil(1000)),
                _ => plain.to_owned(),
            }
        }
        (Termination::TimeForfeitWithoutMate { .. }, PgnStyle::Cutechess) => "Draw by timeout".to_owned(),
        _ => text,
    }
}

/// Returns the reason inside the braces of a `Finished game` line.
pub fn reason_text(ending: &Ending) -> String {
    let winner = ending.result.winner();
    let name = |color: Color| if color == Color::White { "White" } else { "Black" };
    let wins = winner.map_or("Neither side", name);
    let loses = winner.map_or("Neither side", |winner| name(!winner));
    match &ending.termination {
        Termination::Checkmate => format!("{wins} mates"),
        Termination::Stalemate => "Draw by stalemate".to_owned(),
        Termination::InsufficientMaterial => "Draw by insufficient mating material".to_owned(),
        Termination::FiftyMoves => "Draw by fifty moves rule".to_owned(),
        Termination::Repetition => "Draw by 3-fold repetition".to_owned(),
        Termination::TimeForfeit { over_us } => {
            format!("{loses} loses on time ({}ms beyond clock and margin)", over_us.div_ceil(1000))
        }
        Termination::TimeForfeitWithoutMate { .. } => {
            "Draw by insufficient mating material after a time forfeit".to_owned()
        }
        Termination::IllegalMove { text } => format!("{loses} makes an illegal move: {text}"),
        Termination::Crash { .. } | Termination::Protocol { .. } => format!("{loses} disconnects"),
        Termination::Stall { .. } => format!("{loses}'s connection stalls"),
        Termination::AdjudicatedDraw => "Draw by adjudication".to_owned(),
        Termination::AdjudicatedWin => format!("{wins} wins by adjudication"),
        Termination::Resignation => format!("{loses} resigns"),
        Termination::AgreedDraw => "Draw by agreement".to_owned(),
        Termination::MaxMoves => "Draw by adjudication: maximal game length".to_owned(),
        Termination::Tablebase if winner.is_none() => "Draw by adjudication: SyzygyTB".to_owned(),
        Termination::Tablebase => format!("{wins} wins by adjudication: SyzygyTB"),
    }
}
