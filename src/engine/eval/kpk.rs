//! King and pawn against king: a bitbase of all positions, computed at first use, with one bit per position.

use std::sync::OnceLock;

use crate::chess::{Bitboard, Color, Square, king_attacks, pawn_attacks};

/// The positions with a pawn on one square that White, who has the pawn, wins: the squares of the black king, by side to
/// move and square of the white king.
type Wins = [[Bitboard; 64]; 2];

const WHITE: usize = Color::White.index();
const BLACK: usize = Color::Black.index();

/// The wins for each square of the pawn: files a to d, ranks 2 to 7.
static WINS: OnceLock<Vec<Wins>> = OnceLock::new();

/// Whether White, who has the pawn, wins.
pub(super) fn white_wins(turn: Color, white_king: Square, pawn: Square, black_king: Square) -> bool {
    let wins = WINS.get_or_init(solve);
    // Only pawns on the files a to d are stored; the others are mirrored.
    let mirrored = |square: Square| match pawn.file() < 4 {
        true => square,
        false => Square::at(7 - square.file(), square.rank()),
    };
    wins[index(mirrored(pawn))][turn.index()][mirrored(white_king).index()].has(mirrored(black_king))
}

fn index(pawn: Square) -> usize {
    (pawn.rank() as usize - 1) * 4 + pawn.file() as usize
}

fn solve() -> Vec<Wins> {
    let mut solved = vec![[[Bitboard::EMPTY; 64]; 2]; 24];
    // Each square needs the results of those in front of it.
    for rank in (1..7).rev() {
        for file in 0..4 {
            let pawn = Square::at(file, rank);
            solved[index(pawn)] = wins(pawn, &solved);
        }
    }
    solved
}

/// Finds wins from the end of games backwards, until a pass finds no more; the remaining positions are draws.
fn wins(pawn: Square, solved: &[Wins]) -> Wins {
    let attacks = pawn_attacks(Color::White, pawn);
    let mut wins = [[Bitboard::EMPTY; 64]; 2];
    loop {
        let before = wins;
        for white in Bitboard::ALL.without(Bitboard::of(pawn)) {
            let near = king_attacks(white);
            let apart = !(near | Bitboard::of(white) | Bitboard::of(pawn));

            let kings = near
                .without(Bitboard::of(pawn))
                .fold(Bitboard::EMPTY, |won, to| won | wins[BLACK][to.index()]);
            wins[WHITE][white.index()] = apart.without(attacks) & (kings | wins_by_pawn(pawn, white, solved));

            let covered = near | attacks;
            let escapes = beside(!(covered | wins[WHITE][white.index()]));
            let no_stalemate = beside(!covered) | attacks;
            wins[BLACK][white.index()] = (apart & no_stalemate).without(escapes);
        }
        if wins == before {
            return wins;
        }
    }
}

/// Returns the squares of the black king where White wins by a move of the pawn.
fn wins_by_pawn(pawn: Square, white: Square, solved: &[Wins]) -> Bitboard {
    let one = Square::wrap(pawn.index() as u8 + 8);
    if white == one {
        return Bitboard::EMPTY;
    }
    let after = |pawn: Square| solved[index(pawn)][BLACK][white.index()];
    match pawn.rank() {
        6 if king_attacks(one).has(white) => !Bitboard::of(one),
        6 => !(king_attacks(one) | Bitboard::of(one)),
        1 => after(one) | after(Square::wrap(pawn.index() as u8 + 16)).without(Bitboard::of(one)),
        _ => after(one),
    }
}

/// Returns the squares from which a king can step to a square of `set`.
fn beside(set: Bitboard) -> Bitboard {
    let sides = set.east() | set.west();
    let row = set | sides;
    sides | row.north() | row.south()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_wins_is_the_published_one() {
        let wins: u32 = solve().iter().flatten().flatten().map(|black_kings| black_kings.len()).sum();
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
