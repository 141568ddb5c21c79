//! Invariants of positions, checked in every position of random games.

use super::{CastlingRooks, CheckSquares, Color, GameLine, Move, Outcome, Piece, Position, Setup, Square};

/// Parses a FEN without error handling, so that these tests do not depend on the real parser. Castling rights refer to
/// the outermost rooks.
fn position(fen: &str) -> Position {
    Position::from_setup(&setup(fen)).unwrap()
}

fn setup(fen: &str) -> Setup {
    let fields: Vec<&str> = fen.split(' ').collect();
    let mut setup = Setup::EMPTY;
    let (mut file, mut rank) = (0, 7);
    for letter in fields[0].chars() {
        match letter {
            '/' => (file, rank) = (0, rank - 1),
            '1'..='8' => file += letter as u8 - b'0',
            _ => {
                setup.board[Square::at(file, rank).index()] = Piece::from_letter(letter);
                file += 1;
            }
        }
    }
    setup.turn = if fields[1] == "w" { Color::White } else { Color::Black };
    for letter in fields[2].chars().filter(|&letter| letter != '-') {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = Some(Piece::new(color, super::PieceKind::Rook));
        let mut home = (0..8).map(|file| Square::at(file, 0).relative(color));
        let rooks: &mut CastlingRooks = &mut setup.castling_rooks[color];
        if letter.eq_ignore_ascii_case(&'k') {
            rooks.kingside = home.rfind(|square| setup.board[square.index()] == rook);
        } else {
            rooks.queenside = home.find(|square| setup.board[square.index()] == rook);
        }
    }
    setup.ep = fields[3].parse().ok();
    setup
}

fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return position.legal_moves().len() as u64;
    }
    position.legal_moves().iter().map(|&mv| perft(&position.play(mv), depth - 1)).sum()
}

#[test]
fn the_six_seed_positions_have_the_published_counts() {
    for (name, fen, counts) in [
        ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8902, 197_281][..]),
        ("kiwi", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2039, 97_862]),
        ("pos3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238]),
        (
            "pos4",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9467, 422_333],
        ),
        ("pos4m", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", &[6, 264, 9467]),
        ("pos5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1486, 62_379]),
        (
            "pos6",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2079, 89_890],
        ),
    ] {
        let position = position(fen);
        for (depth, &expected) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), expected, "{name} at depth {depth}");
        }
    }
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Position::startpos());
}

/// A xorshift generator, so that a failing game is reproducible.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }

    fn bits(&mut self) -> u32 {
        (self.roll(1 << 12) << 12 | self.roll(1 << 12)) as u32
    }
}

const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rkr5/pppppppp/8/8/8/8/PPPPPPPP/2R1K2R w KQkq - 0 1",
];

/// Calls `check` with every position of some random games.
fn in_random_games(mut check: impl FnMut(&Position, &mut Dice)) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for start in STARTS.iter().cycle().take(60) {
        let mut game = GameLine::new(position(start));
        for _ in 0..120 {
            check(game.current(), &mut dice);
            let moves = game.current().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.push(moves[dice.roll(moves.len())]);
        }
    }
}

#[test]
fn captures_and_quiets_together_are_all_moves() {
    in_random_games(|position, _| {
        let mut parts: Vec<u32> = position.legal_captures().iter().map(|mv| mv.bits()).collect();
        assert!(position.legal_captures().iter().all(|mv| mv.is_tactical()));
        assert!(position.legal_quiets().iter().all(|mv| !mv.is_tactical()));
        parts.extend(position.legal_quiets().iter().map(|mv| mv.bits()));
        let mut all: Vec<u32> = position.legal_moves().iter().map(|mv| mv.bits()).collect();
        assert_eq!(all.len() as u64, position.legal_move_count());
        parts.sort_unstable();
        all.sort_unstable();
        assert_eq!(parts, all, "{position:?}");
        all.dedup();
        assert_eq!(parts.len(), all.len(), "duplicate move in {position:?}");
    });
}

#[test]
fn a_move_picked_by_index_is_the_one_in_the_list() {
    in_random_games(|position, _| {
        let all = position.legal_moves();
        assert_eq!(position.has_legal_move(), !all.is_empty(), "{position:?}");
        for (index, &mv) in all.iter().enumerate() {
            let picked = position.pick_legal_move(|count| {
                assert_eq!(count, all.len() as u64);
                index as u64
            });
            assert_eq!(picked, Some(mv), "{index} of {position:?}");
        }
    });
}

#[test]
fn a_move_is_legal_exactly_if_it_is_in_the_list() {
    let mut seen: Vec<Move> = Vec::new();
    in_random_games(|position, dice| {
        let moves = position.legal_moves();
        for &mv in moves.iter() {
            assert!(position.is_legal(mv), "{mv:?} in {position:?}");
            // One flipped bit gives the most plausible illegal moves.
            let near = Move::from_bits(mv.bits() ^ 1 << dice.roll(24));
            assert_eq!(position.is_legal(near), moves.contains(&near), "{:#x} in {position:?}", near.bits());
        }
        for _ in 0..20 {
            let any = Move::from_bits(dice.bits());
            assert_eq!(position.is_legal(any), moves.contains(&any), "{:#x} in {position:?}", any.bits());
        }
        // Moves of other positions are what a transposition table returns after a key collision.
        for _ in 0..40.min(seen.len()) {
            let other = seen[dice.roll(seen.len())];
            assert_eq!(position.is_legal(other), moves.contains(&other), "{other:?} in {position:?}");
        }
        seen.extend(moves.iter().take(3));
    });
}

#[test]
fn a_move_gives_check_exactly_if_the_next_position_is_in_check() {
    in_random_games(|position, _| {
        let squares = CheckSquares::of(position);
        for &mv in position.legal_moves().iter() {
            let next = position.play(mv);
            assert_eq!(position.gives_check(mv), next.in_check(), "{mv:?} in {position:?}");
            assert_eq!(squares.gives_check(position, mv), next.in_check(), "{mv:?} in {position:?}");
        }
    });
}

#[test]
fn incremental_state_equals_the_state_computed_from_scratch() {
    in_random_games(|position, _| {
        assert_eq!((position.key(), position.pawn_key()), position.fresh_keys(), "{position:?}");
        let again = Position::from_setup(&position.to_setup()).unwrap();
        assert_eq!(&again, position);
        assert_eq!((again.key(), again.checkers()), (position.key(), position.checkers()));
        assert_eq!(again.counts(), position.counts(), "{position:?}");
        for piece in (0..12).filter_map(Piece::from_code) {
            let (color, kind) = (piece.color, piece.kind);
            assert_eq!(position.counts().of(color, kind), position.pieces(color, kind).len(), "{position:?}");
        }
        for square in Square::all() {
            assert_eq!(again.piece_at(square), position.piece_at(square), "{square} in {position:?}");
        }
        if !position.in_check() {
            let passed = position.play_null();
            assert_eq!((passed.key(), passed.pawn_key()), passed.fresh_keys(), "{position:?}");
            assert_ne!(passed.turn(), position.turn());
        }
    });
}

#[test]
fn the_key_after_a_plain_move_is_known_before_it_is_played() {
    in_random_games(|position, _| {
        for &mv in position.legal_moves().iter() {
            let child = position.play(mv);
            let special = mv.is_castling() || mv.is_en_passant() || mv.promotion().is_some();
            let same_rights = child.castling().bits() == position.castling().bits();
            if !special && same_rights && child.ep_square().is_none() {
                assert_eq!(position.likely_key_after(mv), child.key(), "{mv:?} in {position:?}");
            }
        }
    });
}

#[test]
fn the_third_occurrence_of_a_position_ends_the_game() {
    let mut game = GameLine::new(Position::startpos());
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (ply, text) in shuffle.iter().cycle().take(8).enumerate() {
        assert_eq!(game.outcome(), None, "after {ply} plies");
        let mv = *game.current().legal_moves().iter().find(|mv| format!("{mv:?}") == *text).unwrap();
        game.push(mv);
    }
    assert_eq!(game.repetitions(), 3);
    assert_eq!(game.outcome(), Some(Outcome::Draw(super::DrawReason::ThreefoldRepetition)));
    game.pop();
    assert_eq!(game.outcome(), None);
}

/// BB Chess's "tricky position" has nine white pawns, so `Position::from_setup` rejects it; its perft counts still
/// hold.
#[test]
fn the_generator_does_not_rely_on_possible_material() {
    let fen = "rnbqkb1r/pp1p1pPp/8/2p1pP2/1P1P4/3P3P/P1P1P3/RNBQKBNR w KQkq e6 0 1";
    let setup = setup(fen);
    assert!(Position::from_setup(&setup).is_err());
    let position = Position::from_checked_setup(&setup);
    assert_eq!([1, 2].map(|depth| perft(&position, depth)), [42, 1088]);
}
