//! Conversion of a `go` command to search limits.

use std::time::Duration;

use crate::chess::{Move, MoveStyle, Position};
use crate::engine::{Clock, Limits, SearchMode};
use crate::frontend::options::EngineOptions;
use crate::frontend::uci::position_tracker::read_move;
use crate::protocol::uci::{GoLimits, Horizon};

/// Returns the search limits of a `go` command in a position.
pub(super) fn limits(go: &GoLimits<'_>, position: &Position, options: &EngineOptions) -> Limits {
    let turn = position.turn();
    let millis = |ms: i64| Duration::from_millis(ms.max(0).unsigned_abs());
    // If a GUI sends only one clock, it applies to the side to move.
    let clock = go.time[turn].or(go.time[!turn]).map(|time| Clock {
        time: millis(time),
        inc: millis(go.increment[turn].unwrap_or(0)),
        movestogo: go.moves_to_go.filter(|&moves| moves > 0),
    });
    Limits {
        depth: go.depth,
        nodes: go.nodes,
        movetime: go.move_time.map(millis),
        clock,
        mate: go.mate,
        mode: match go.horizon {
            Horizon::Limits => SearchMode::Normal,
            Horizon::Infinite => SearchMode::Infinite,
            Horizon::Ponder => SearchMode::Ponder,
        },
        searchmoves: search_moves(go, position, options.move_style),
        multipv: options.multipv,
        move_overhead: options.move_overhead,
    }
}

/// Returns the legal moves of `searchmoves`; others are ignored.
fn search_moves(go: &GoLimits<'_>, position: &Position, style: MoveStyle) -> Vec<Move> {
    let words = go.search_moves.into_iter().flatten();
    words.filter_map(|word| read_move(position, word, style).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::uci::Command;

    fn read(text: &str) -> Limits {
        let Command::Go(go) = Command::parse(text) else { panic!("`{text}` is not a go command") };
        limits(&go, &Position::startpos(), &EngineOptions::default())
    }

    #[test]
    fn the_clock_of_the_side_to_move_is_used_and_never_negative() {
        let clock = read("go wtime 5000 btime 7 winc 100 binc 1 movestogo 10").clock.unwrap();
        assert_eq!((clock.time, clock.inc), (Duration::from_secs(5), Duration::from_millis(100)));
        assert_eq!(clock.movestogo, Some(10));
        assert_eq!(read("go wtime -30 btime 7").clock.unwrap().time, Duration::ZERO);
        assert_eq!(read("go btime 7").clock.unwrap().time, Duration::from_millis(7));
        assert_eq!(read("go movetime -1").movetime, Some(Duration::ZERO));
    }

    #[test]
    fn only_legal_root_moves_are_searched() {
        let moves = read("go searchmoves e2e4 e2e5 nonsense d2d4 infinite");
        assert_eq!(moves.searchmoves.len(), 2);
        assert_eq!(moves.mode, SearchMode::Infinite);
    }
}
