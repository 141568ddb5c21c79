//! King and pawn against king: a bitbase of all positions, computed at first use, with one bit per position.

use std::sync::OnceLock;

use crate::chess::{Bitboard, Color, Square, king_attacks, pawn_attacks};

/// Number of positions: 2 sides to move, 24 pawn squares (files a to d, ranks 2 to 7), 64 squares for each king.
const SIZE: usize = 2 * 24 * 64 * 64;

/// A position with a white pawn on the files a to d.
#[derive(Clone, Copy, Debug)]
struct Node {
    turn: Color,
    pawn: Square,
    white: Square,
    black: Square,
}

/// The result of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PositionResult {
    Unreachable,
    Unknown,
    Draw,
    Win,
}

static BITS: OnceLock<Vec<u64>> = OnceLock::new();

/// Computes the bitbase if that has not been done yet. It captures tens of milliseconds, which may be more than a clock has.
pub(super) fn prepare() {
    BITS.get_or_init(solve);
}

/// Whether White, who has the pawn, wins.
pub(super) fn white_wins(turn: Color, white_king: Square, pawn: Square, black_king: Square) -> bool {
    let bits = BITS.get_or_init(solve);
    // Only pawns on the files a to d are stored; the others are mirrored.
    let mirrored = |square: Square| match pawn.file() < 4 {
        true => square,
        false => Square::at(7 - square.file(), square.rank()),
    };
    let node = Node { turn, pawn: mirrored(pawn), white: mirrored(white_king), black: mirrored(black_king) };
    let index = node.index();
    bits[index / 64] >> (index % 64) & 1 != 0
}

impl Node {
    fn index(self) -> usize {
        let pawn = (self.pawn.rank() as usize - 1) * 4 + self.pawn.file() as usize;
        ((self.turn.index() * 24 + pawn) * 64 + self.white.index()) * 64 + self.black.index()
    }

    fn at(index: usize) -> Self {
        let pawn = index / 4096 % 24;
        Self {
            turn: Color::ALL[index / (24 * 4096)],
            pawn: Square::at((pawn % 4) as u8, (pawn / 4 + 1) as u8),
            white: Square::wrap((index / 64 % 64) as u8),
            black: Square::wrap((index % 64) as u8),
        }
    }

    /// Returns the result as far as it follows from the position alone.
    fn initial_result(self) -> PositionResult {
        let Self { turn, pawn, white, black } = self;
        let attacks = pawn_attacks(Color::White, pawn);
        if white.distance(black) <= 1 || white == pawn || black == pawn {
            return PositionResult::Unreachable;
        }
        match turn {
            Color::White if attacks.has(black) => PositionResult::Unreachable,
            Color::White if pawn.rank() == 6 => {
                let goal = Square::at(pawn.file(), 7);
                let captured = black.distance(goal) <= 1 && white.distance(goal) > 1;
                if white != goal && black != goal && !captured {
                    PositionResult::Win
                } else {
                    PositionResult::Unknown
                }
            }
            Color::White => PositionResult::Unknown,
            Color::Black => {
                let escapes = king_attacks(black).without(king_attacks(white) | attacks);
                let captures = king_attacks(black).has(pawn) && !king_attacks(white).has(pawn);
                let stalemate = escapes.is_empty() && !attacks.has(black);
                if captures || stalemate { PositionResult::Draw } else { PositionResult::Unknown }
            }
        }
    }

    /// Returns the positions after one move; captures of the pawn and promotions have an initial result.
    fn next(self) -> impl Iterator<Item = Node> {
        let Self { turn, pawn, white, black } = self;
        let (king, other) = match turn {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        let steps = king_attacks(king).without(king_attacks(other) | Bitboard::of(pawn));
        let kings = steps.map(move |to| match turn {
            Color::White => Node { turn: Color::Black, white: to, ..self },
            Color::Black => Node { turn: Color::White, black: to, ..self },
        });
        let free = move |square: Square| square != white && square != black;
        let one = Square::wrap(pawn.index() as u8 + 8);
        let two = Square::wrap(pawn.index() as u8 + 16);
        let can_push = turn == Color::White && pawn.rank() < 6 && free(one);
        let can_double_push = can_push && pawn.rank() == 1 && free(two);
        let pawns = [(can_push, one), (can_double_push, two)].into_iter().filter(|(may, _)| *may);
        kings.chain(pawns.map(move |(_, pawn)| Node { turn: Color::Black, pawn, ..self }))
    }
}

/// Classifies positions by retrograde analysis, until a pass finds no new result; the remaining positions are draws.
fn solve() -> Vec<u64> {
    let mut results: Vec<PositionResult> = (0..SIZE).map(|index| Node::at(index).initial_result()).collect();
    loop {
        let mut found = 0;
        for index in 0..SIZE {
            if results[index] == PositionResult::Unknown {
                results[index] = classify(Node::at(index), &results);
                found += usize::from(results[index] != PositionResult::Unknown);
            }
        }
        if found == 0 {
            break;
        }
    }
    let mut bits = vec![0; SIZE / 64];
    for (index, _) in results.iter().enumerate().filter(|(_, results)| **results == PositionResult::Win) {
        bits[index / 64] |= 1 << (index % 64);
    }
    bits
}

fn classify(node: Node, results: &[PositionResult]) -> PositionResult {
    let (good, bad) = match node.turn {
        Color::White => (PositionResult::Win, PositionResult::Draw),
        Color::Black => (PositionResult::Draw, PositionResult::Win),
    };
    let mut all_bad = true;
    for next in node.next() {
        let reached = results[next.index()];
        if reached == good {
            return good;
        }
        all_bad &= reached == bad || reached == PositionResult::Unreachable;
    }
    if all_bad { bad } else { PositionResult::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_wins_is_the_published_one() {
        let wins: u32 = solve().iter().map(|word| word.count_ones()).sum();
        assert_eq!(wins, 111_282, "Stockfish asserts this count for its bitbase of the same positions");
    }

    #[test]
    fn textbook_positions_have_the_right_result() {
        use Color::{Black, White};
        for (name, turn, white, pawn, black, wins) in [
            ("king on the sixth in front of its pawn", White, Square::E6, Square::E5, Square::E8, true),
            ("the same with Black to move", Black, Square::E6, Square::E5, Square::E8, true),
            ("opposition held by Black", White, Square::E5, Square::E4, Square::E7, false),
            ("opposition held by White", Black, Square::E5, Square::E4, Square::E7, true),
            ("rook pawn, king in the corner", White, Square::H6, Square::H5, Square::H8, false),
            ("out of the square", White, Square::A1, Square::H5, Square::A5, true),
            ("inside the square", Black, Square::A1, Square::H5, Square::D5, false),
            ("the pawn is lost", Black, Square::A1, Square::E4, Square::E5, false),
        ] {
            assert_eq!(white_wins(turn, white, pawn, black), wins, "{name}");
        }
    }
}
