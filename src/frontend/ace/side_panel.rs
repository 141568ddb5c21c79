//! The panel beside the board: players, captured pieces, the last moves, and the last search.

use std::time::Duration;

use crate::chess::{BoardStyle, ByColor, Color, GameLine, Move, Piece, PieceKind, Position, outlined, solid};
use crate::engine::Score;
use crate::protocol::ace::Role;

/// The source of the last move of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MoveSource {
    /// The opening book.
    Book,
    /// A search.
    Search {
        /// The duration.
        time: Duration,
        /// The depth in plies.
        depth: u32,
        /// The number of nodes.
        nodes: u64,
        /// The score from White's point of view.
        score: Score,
        /// The expected line in SAN.
        line: String,
    },
}

/// The number of full moves shown.
const MOVES_SHOWN: usize = 4;

/// Returns the text beside each of the eight ranks, from the top. `bottom` is the side whose back rank is at the
/// bottom.
pub(super) fn notes(
    line: &GameLine,
    roles: ByColor<Role>,
    bottom: Color,
    source: Option<&MoveSource>,
    style: BoardStyle,
) -> Vec<String> {
    let mut notes = vec![String::new(); 8];
    notes[0] = player(line, roles, !bottom, style);
    for (row, text) in (2..).zip(last_moves(line)) {
        notes[row] = text;
    }
    notes[6] = source.map_or_else(String::new, |source| format!("  {}", dimmed(&source_text(source), style)));
    notes[7] = player(line, roles, bottom, style);
    notes
}

fn player(line: &GameLine, roles: ByColor<Role>, color: Color, style: BoardStyle) -> String {
    let captured = captures(line, color);
    let lead = value(&captured) - value(&captures(line, !color));
    let figurines: String = captured
        .iter()
        .map(|&piece| if style == BoardStyle::Plain { outlined(piece) } else { solid(piece.kind) })
        .collect();
    let lead = if lead > 0 { format!(" +{lead}") } else { String::new() };
    let turn = if line.current().turn() == color && line.outcome().is_none() { "▸" } else { " " };
    format!("{turn} {:<5} ({})  {figurines}{lead}", color.name(), roles[color])
}

/// Returns the pieces that `color` has captured, by decreasing value.
fn captures(line: &GameLine, color: Color) -> Vec<Piece> {
    let mut captured: Vec<Piece> = line
        .positions()
        .zip(line.moves())
        .filter(|(before, mv)| before.turn() == color && mv.is_capture())
        .filter_map(|(before, mv)| match mv.is_en_passant() {
            true => Some(Piece::new(!color, PieceKind::Pawn)),
            false => before.piece_at(mv.to()),
        })
        .collect();
    captured.sort_by_key(|piece| std::cmp::Reverse(piece.kind));
    captured
}

/// Returns the sum of the conventional piece values.
fn value(pieces: &[Piece]) -> i32 {
    pieces.iter().map(|piece| [1, 3, 3, 5, 9, 0][piece.kind.index()]).sum()
}

/// Returns the last full moves with their numbers, one per line.
fn last_moves(line: &GameLine) -> Vec<String> {
    let plies: Vec<(&Position, &Move)> = line.positions().zip(line.moves()).collect();
    let mut rows: Vec<String> = Vec::new();
    // One ply more than is shown, so that the first row is never half a move.
    for &(before, &mv) in &plies[plies.len().saturating_sub(2 * MOVES_SHOWN + 1)..] {
        let san = before.san(mv);
        match (before.turn(), rows.last_mut()) {
            (Color::White, _) => rows.push(format!("{:>3}. {san:<7}", before.fullmove_number())),
            (Color::Black, Some(row)) => row.push_str(&format!(" {san}")),
            (Color::Black, None) => rows.push(format!("{:>3}. …       {san}", before.fullmove_number())),
        }
    }
    rows.split_off(rows.len().saturating_sub(MOVES_SHOWN))
}

fn source_text(source: &MoveSource) -> String {
    match source {
        MoveSource::Book => "book move".into(),
        MoveSource::Search { time, depth, nodes, score, line } => {
            let seconds = format!("{:.1} s", time.as_secs_f64());
            let depth = format!("depth {depth}");
            let parts = [seconds, depth, nodes_text(*nodes), score_text(*score), line.clone()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
        }
    }
}

fn nodes_text(nodes: u64) -> String {
    match nodes {
        0..10_000 => format!("{nodes} nodes"),
        10_000..10_000_000 => format!("{} k nodes", nodes / 1000),
        _ => format!("{:.1} M nodes", nodes as f64 / 1e6),
    }
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("White mates in {moves}"),
        Score::Mate(moves) => format!("Black mates in {}", -moves),
    }
}

fn dimmed(text: &str, style: BoardStyle) -> String {
    match style {
        BoardStyle::Plain => text.to_owned(),
        BoardStyle::Colour => format!("\x1b[2m{text}\x1b[0m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> GameLine {
        let mut line = GameLine::new(Position::startpos());
        for word in moves.split_whitespace() {
            let mv = line.current().parse_san(word).unwrap();
            line.push(mv);
        }
        line
    }

    #[test]
    fn captured_pieces_and_the_lead_are_shown_beside_the_capturing_side() {
        let line = game("e4 d5 exd5 Qxd5 Nc3 Qxg2 Bxg2");
        let roles = ByColor { white: Role::Human, black: Role::Computer };
        let notes = notes(&line, roles, Color::White, None, BoardStyle::Plain);
        assert_eq!(notes[0], "▸ Black (computer)  ♙♙");
        assert_eq!(notes[7], "  White (human)  ♛♟ +8");
    }

    #[test]
    fn an_en_passant_capture_is_counted() {
        let line = game("e4 a6 e5 d5 exd6");
        assert_eq!(captures(&line, Color::White), [Piece::new(Color::Black, PieceKind::Pawn)]);
    }

    #[test]
    fn the_last_moves_are_numbered_pairs() {
        let line = game("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1");
        assert_eq!(
            last_moves(&line),
            ["  3. Bb5     a6", "  4. Ba4     Nf6", "  5. O-O     Be7", "  6. Re1    "]
        );
        let mut black_first = GameLine::new(Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 0 9").unwrap());
        let mv = black_first.current().parse_san("Kd8").unwrap();
        black_first.push(mv);
        assert_eq!(last_moves(&black_first), ["  9. …       Kd8"]);
    }

    #[test]
    fn a_search_is_shown_with_its_time_and_score() {
        let source = |score| MoveSource::Search {
            time: Duration::from_millis(3240),
            depth: 14,
            nodes: 1_234_567,
            score,
            line: "Nf3 Nc6".into(),
        };
        assert_eq!(source_text(&source(Score::Cp(35))), "3.2 s · depth 14 · 1234 k nodes · +0.35 · Nf3 Nc6");
        assert!(source_text(&source(Score::Mate(-2))).contains("Black mates in 2"));
    }
}
