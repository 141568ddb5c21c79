//! King and pawn against king: every position solved once, at first use, and kept as one bit each.

use std::sync::OnceLock;

use crate::chess::{Bitboard, Color, Square, king_attacks, pawn_attacks};

/// Positions: side to move 2, pawn 24 (files a to d, ranks 2 to 7), kings 64 each.
const SIZE: usize = 2 * 24 * 64 * 64;

/// A position with a white pawn on the files a to d.
#[derive(Clone, Copy, Debug)]
struct Node {
    turn: Color,
    pawn: Square,
    white: Square,
    black: Square,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Unreachable,
    Unknown,
    Draw,
    Win,
}

static BITS: OnceLock<Vec<u64>> = OnceLock::new();

/// Solves everything, unless that has been done: tens of milliseconds, which a clock may not have.
pub(super) fn prepare() {
    BITS.get_or_init(solve);
}

/// Whether White, who has the pawn, wins.
pub(super) fn white_wins(turn: Color, white_king: Square, pawn: Square, black_king: Square) -> bool {
    let bits = BITS.get_or_init(solve);
    // The wings are alike.
    let turned = |square: Square| match pawn.file() < 4 {
        true => square,
        false => Square::at(7 - square.file(), square.rank()),
    };
    let node = Node { turn, pawn: turned(pawn), white: turned(white_king), black: turned(black_king) };
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

    /// What is plain to see without looking at a second position.
    fn first_sight(self) -> Known {
        let Self { turn, pawn, white, black } = self;
        let strikes = pawn_attacks(Color::White, pawn);
        if white.distance(black) <= 1 || white == pawn || black == pawn {
            return Known::Unreachable;
        }
        match turn {
            Color::White if strikes.has(black) => Known::Unreachable,
            Color::White if pawn.rank() == 6 => {
                let goal = Square::at(pawn.file(), 7);
                let taken = black.distance(goal) <= 1 && white.distance(goal) > 1;
                if white != goal && black != goal && !taken { Known::Win } else { Known::Unknown }
            }
            Color::White => Known::Unknown,
            Color::Black => {
                let flights = king_attacks(black).without(king_attacks(white) | strikes);
                let takes = king_attacks(black).has(pawn) && !king_attacks(white).has(pawn);
                let stalemate = flights.is_empty() && !strikes.has(black);
                if takes || stalemate { Known::Draw } else { Known::Unknown }
            }
        }
    }

    /// The positions one move on; captures of the pawn and promotions are settled at first sight.
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
        let walks = turn == Color::White && pawn.rank() < 6 && free(one);
        let jumps = walks && pawn.rank() == 1 && free(two);
        let pawns = [(walks, one), (jumps, two)].into_iter().filter(|(may, _)| *may);
        kings.chain(pawns.map(move |(_, pawn)| Node { turn: Color::Black, pawn, ..self }))
    }
}

/// Repeats one pass after another until nothing new is learnt; what is then unknown is a draw.
fn solve() -> Vec<u64> {
    let mut known: Vec<Known> = (0..SIZE).map(|index| Node::at(index).first_sight()).collect();
    loop {
        let mut learnt = 0;
        for index in 0..SIZE {
            if known[index] == Known::Unknown {
                known[index] = judge(Node::at(index), &known);
                learnt += usize::from(known[index] != Known::Unknown);
            }
        }
        if learnt == 0 {
            break;
        }
    }
    let mut bits = vec![0; SIZE / 64];
    for (index, _) in known.iter().enumerate().filter(|(_, known)| **known == Known::Win) {
        bits[index / 64] |= 1 << (index % 64);
    }
    bits
}

fn judge(node: Node, known: &[Known]) -> Known {
    let (good, bad) = match node.turn {
        Color::White => (Known::Win, Known::Draw),
        Color::Black => (Known::Draw, Known::Win),
    };
    let mut all_bad = true;
    for next in node.next() {
        let reached = known[next.index()];
        if reached == good {
            return good;
        }
        all_bad &= reached == bad || reached == Known::Unreachable;
    }
    if all_bad { bad } else { Known::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_wins_is_the_published_one() {
        let wins: u32 = solve().iter().map(|word| word.count_ones()).sum();
        assert_eq!(wins, 111_282, "Stockfish asserts this count for its bitbase of the same positions");
    }

    #[test]
    fn textbook_positions_come_out_right() {
        use Color::{Black, White};
        for (name, turn, white, pawn, black, wins) in [
            ("king on the sixth before its pawn", White, Square::E6, Square::E5, Square::E8, true),
            ("the same with Black to move", Black, Square::E6, Square::E5, Square::E8, true),
            ("opposition held by Black", White, Square::E5, Square::E4, Square::E7, false),
            ("opposition held by White", Black, Square::E5, Square::E4, Square::E7, true),
            ("rook pawn, king in the corner", White, Square::H6, Square::H5, Square::H8, false),
            ("out of the square", White, Square::A1, Square::H5, Square::A5, true),
            ("inside the square", Black, Square::A1, Square::H5, Square::D5, false),
            ("the pawn falls", Black, Square::A1, Square::E4, Square::E5, false),
        ] {
            assert_eq!(white_wins(turn, white, pawn, black), wins, "{name}");
        }
    }
}
