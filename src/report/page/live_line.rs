//! A game in progress in the format of the viewer, kept up to date from snapshots of the run.

use crate::chess::{MoveStyle, Position};
use crate::report::page::viewer_games::{MATE, MoveTexts, ShelvedGame};
use crate::run::control::BoardStatus;

/// The moves of a game in progress with their search results.
#[derive(Debug, Default)]
pub struct LiveLine {
    round: String,
    start: String,
    texts: Option<MoveTexts>,
    scores: Vec<Option<i32>>,
    depths: Vec<Option<u16>>,
    nodes: Vec<Option<u64>>,
}

impl LiveLine {
    /// Adds the moves of a snapshot. A game other than the one before replaces it.
    pub fn update(&mut self, board: &BoardStatus) {
        let count = board.moves.split_whitespace().count();
        let known = self.texts.as_ref().map_or(0, |texts| texts.san.len());
        if self.round != board.round || self.start != board.start || known > count {
            let texts = Position::from_fen(&board.start).ok().map(MoveTexts::new);
            *self = Self { round: board.round.clone(), start: board.start.clone(), texts, ..Self::default() };
        }
        let Some(texts) = &mut self.texts else { return };
        let style = if board.chess960 { MoveStyle::Chess960 } else { MoveStyle::Standard };
        for text in board.moves.split_whitespace().skip(texts.san.len()) {
            let Ok(mv) = texts.position.parse_coordinate(text, style) else { break };
            texts.push(mv, style);
        }
        let plies = texts.san.len();
        self.scores.resize(plies, None);
        self.depths.resize(plies, None);
        self.nodes.resize(plies, None);
        for (place, (score, depth, nodes)) in board.searches.iter().enumerate().take(plies) {
            self.scores[place] = score.as_deref().and_then(centipawns);
            self.depths[place] = *depth;
            self.nodes[place] = *nodes;
        }
    }

    /// Returns the game as JSON, with the clocks of both sides in milliseconds.
    pub fn json(&self, board: &BoardStatus) -> String {
        let (packed, san) = self
            .texts
            .as_ref()
            .map_or_else(Default::default, |texts| (texts.packed.clone(), texts.san.join(" ")));
        let game = ShelvedGame {
            r: self.round.clone(),
            w: &board.white,
            b: &board.black,
            s: "*",
            l: self.scores.len(),
            f: &self.start,
            m: packed,
            n: san,
            v: self.scores.clone(),
            d: self.depths.clone(),
            k: self.nodes.clone(),
            c: Some(clocks(board)),
            lines: Some(&board.dialogue),
            ..ShelvedGame::default()
        };
        game.json()
    }
}

/// Returns the time left on the clocks of White and Black; that of the side to move is running.
fn clocks(board: &BoardStatus) -> [Option<u64>; 2] {
    let mover = usize::from(board.fen.split(' ').nth(1) == Some("b"));
    let mut clocks = board.clocks_ms;
    clocks[mover] = clocks[mover].map(|left| left.saturating_sub(board.since_ms));
    clocks
}

/// Parses a score from White's side: `+0.35` or `#-3`.
fn centipawns(text: &str) -> Option<i32> {
    if let Some(mate) = text.strip_prefix('#') {
        return Some(if mate.starts_with('-') { -MATE } else { MATE });
    }
    text.parse::<f64>().ok().map(|pawns| ((100.0 * pawns).round() as i32).clamp(-MATE, MATE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::control::MoveSearch;

    fn search(place: usize) -> MoveSearch {
        match place {
            0 => (None, None, None),
            1 => (Some("#-2".to_owned()), Some(8), None),
            _ => (Some("+0.35".to_owned()), Some(9), Some(100)),
        }
    }

    fn board(moves: &str, fen: &str) -> BoardStatus {
        BoardStatus {
            black: "b".to_owned(),
            chess960: false,
            clocks_ms: [Some(5000), Some(4000)],
            depths: [Some(9), Some(8)],
            dialogue: [vec!["> go".to_owned()], Vec::new()],
            fen: fen.to_owned(),
            last: None,
            moves: moves.to_owned(),
            nodes: [Some(100), None],
            plies: moves.split_whitespace().count(),
            round: "3.1".to_owned(),
            score: None,
            scores: [Some("+0.35".to_owned()), Some("#-2".to_owned())],
            searches: (0..moves.split_whitespace().count()).map(search).collect(),
            since_ms: 300,
            slot: 0,
            start: Position::startpos().to_fen(),
            white: "a".to_owned(),
        }
    }

    #[test]
    fn moves_are_added_as_they_come_and_another_game_replaces_them() {
        let mut line = LiveLine::default();
        let black_to_move = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        line.update(&board("e2e4", black_to_move));
        let game: serde_json::Value =
            serde_json::from_str(&line.json(&board("e2e4", black_to_move))).unwrap();
        assert_eq!((game["n"].as_str(), game["v"][0].as_i64()), (Some("e4"), None));
        assert_eq!(game["c"], serde_json::json!([5000, 3700]), "the clock of Black is running");
        line.update(&board("e2e4 e7e5 g1f3", black_to_move));
        let game: serde_json::Value =
            serde_json::from_str(&line.json(&board("e2e4 e7e5 g1f3", black_to_move))).unwrap();
        assert_eq!(game["n"], "e4 e5 Nf3");
        assert_eq!(game["m"], "e2e4e7e5g1f3");
        assert_eq!(
            game["v"],
            serde_json::json!([null, -32_000, 35]),
            "moves that were made before the first snapshot have their scores, too"
        );
        let other = BoardStatus { round: "3.2".to_owned(), ..board("d2d4", black_to_move) };
        line.update(&other);
        assert!(line.json(&other).contains("\"n\":\"d4\""));
    }
}
