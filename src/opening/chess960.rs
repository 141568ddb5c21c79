//! The starting positions of Chess960.

use crate::chess::{ByColor, CastlingRooks, Color, Piece, PieceKind, Position, Setup, Square};

/// Returns the starting position with this number in Scharnagl's table, modulo 960; 518 is the standard one.
pub fn chess960_start(number: u16) -> Position {
    let mut rest = number % 960;
    let mut digit = |base: u16| {
        let digit = rest % base;
        rest /= base;
        usize::from(digit)
    };
    let mut back = [None; 8];
    back[2 * digit(4) + 1] = Some(PieceKind::Bishop);
    back[2 * digit(4)] = Some(PieceKind::Bishop);
    place(&mut back, digit(6), PieceKind::Queen);
    // The ten placements of two knights on five free files, in lexicographic order.
    let knights = usize::from(rest);
    let (first, second) = (0..5)
        .flat_map(|first| (first + 1..5).map(move |second| (first, second)))
        .nth(knights)
        .expect("960 / 4 / 4 / 6 = 10 placements");
    place(&mut back, second, PieceKind::Knight);
    place(&mut back, first, PieceKind::Knight);
    for kind in [PieceKind::Rook, PieceKind::King, PieceKind::Rook] {
        place(&mut back, 0, kind);
    }
    set_up(back)
}

/// Places a piece on the `n`-th free file.
fn place(back: &mut [Option<PieceKind>; 8], n: usize, kind: PieceKind) {
    if let Some(free) = back.iter_mut().filter(|file| file.is_none()).nth(n) {
        *free = Some(kind);
    }
}

fn set_up(back: [Option<PieceKind>; 8]) -> Position {
    let mut setup = Setup::EMPTY;
    let mut rooks = (0u8..8).filter(|file| back[usize::from(*file)] == Some(PieceKind::Rook));
    let (queenside, kingside) = (rooks.next(), rooks.next());
    for color in Color::ALL {
        for (file, kind) in (0u8..8).zip(back) {
            let home = Square::at(file, 0).relative(color);
            setup.board[home.index()] = kind.map(|kind| Piece::new(color, kind));
            let second = Square::at(file, 1).relative(color);
            setup.board[second.index()] = Some(Piece::new(color, PieceKind::Pawn));
        }
    }
    setup.castling_rooks = ByColor::new_with(|color| {
        let at = |file: Option<u8>| file.map(|file| Square::at(file, 0).relative(color));
        CastlingRooks { kingside: at(kingside), queenside: at(queenside) }
    });
    Position::from_setup(&setup).expect("every starting position is legal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_gives_the_same_position_as_in_cozy_chess() {
        assert_eq!(chess960_start(518), Position::startpos());
        for number in 0..960 {
            let other = format!("{:#}", cozy_chess::Board::chess960_startpos(u32::from(number)));
            assert_eq!(chess960_start(number).to_shredder_fen(), other, "{number}");
        }
    }
}
