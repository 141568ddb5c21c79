//! Property tests: every notation round-trips, and no text makes a parser panic.

use cozy_chess::Board;
use playself::chess::{
    Color, Epd, MoveStyle, PackedPosition, PgnGame, PgnMove, PgnReader, PgnResult, Piece, PieceKind,
    Position, Setup, Square,
};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest};

/// A game of random moves from the standard start or from any of the 960 × 960 double Chess960 starts.
fn game() -> impl Strategy<Value = PgnGame> {
    let start = prop_oneof![
        Just(Position::startpos()),
        (0u32..960, 0u32..960).prop_map(|(white, black)| {
            let fen = format!("{:#}", Board::double_chess960_startpos(white, black));
            Position::from_fen(&fen).expect("a Chess960 start position is legal")
        }),
    ];
    let moves = vec((any::<u16>(), vec(any::<u8>(), 0..2), comment()), 0..120);
    (start, moves, vec(("[A-Za-z0-9_]{1,20}", "\\PC{0,40}"), 0..5), 0usize..5).prop_map(
        |(start, choices, tags, result)| {
            let mut game = PgnGame::new(start);
            let mut position = start;
            for (choice, nags, comment) in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[choice as usize % moves.len()];
                game.moves.push(PgnMove { mv, nags, comment });
                position = position.play(mv);
            }
            for (name, value) in tags {
                game.set_tag(&name, value);
            }
            let results = [PgnResult::WhiteWins, PgnResult::BlackWins, PgnResult::Draw, PgnResult::Unknown];
            game.result = results.get(result).copied();
            game
        },
    )
}

/// Mostly an empty comment, otherwise words without braces, which a PGN comment cannot contain.
fn comment() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 1 => "[!-z%\\[\\];()\"]{1,30}( [!-z]{1,30}){0,8}"]
}

/// Random pieces, castling rights and clocks; most setups are illegal.
fn setup() -> impl Strategy<Value = Setup> {
    let men = vec((0u8..64, 0u8..12), 0..20);
    let rooks = vec(proptest::option::weighted(0.3, 0u8..64), 4);
    (men, rooks, proptest::option::weighted(0.2, 0u8..64), any::<bool>(), any::<u16>(), any::<u16>())
        .prop_map(|(men, rooks, ep, black, halfmove, fullmove)| {
            let mut setup = Setup { halfmove, fullmove: fullmove.max(1), ..Setup::EMPTY };
            setup.board[4] = Some(Piece::new(Color::White, PieceKind::King));
            setup.board[60] = Some(Piece::new(Color::Black, PieceKind::King));
            for (square, code) in men {
                setup.board[square as usize] =
                    Piece::from_code(code).filter(|man| man.kind != PieceKind::King);
            }
            if black {
                setup.turn = Color::Black;
            }
            let rook = |n: usize| rooks[n].map(Square::wrap);
            setup.castling_rooks.white.kingside = rook(0);
            setup.castling_rooks.white.queenside = rook(1);
            setup.castling_rooks.black.kingside = rook(2);
            setup.castling_rooks.black.queenside = rook(3);
            setup.ep = ep.map(Square::wrap);
            setup
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_position_and_move_of_a_game_round_trips_in_every_notation(game in game()) {
        let mut position = game.start;
        for PgnMove { mv, .. } in &game.moves {
            prop_assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
            prop_assert_eq!(Position::from_fen(&position.to_shredder_fen()), Ok(position));
            let bytes = PackedPosition::pack(&position).to_bytes();
            prop_assert_eq!(PackedPosition::from_bytes(&bytes).unpack(), Ok(position));
            let epd = Epd::parse(&position.to_epd()).unwrap().position;
            prop_assert_eq!(epd.to_epd(), position.to_epd());
            for style in [MoveStyle::Standard, MoveStyle::Chess960] {
                let text = position.coordinate(*mv, style);
                prop_assert_eq!(position.parse_coordinate(&text, style), Ok(*mv));
            }
            prop_assert_eq!(position.parse_san(&position.san(*mv)), Ok(*mv));
            prop_assert_eq!(position.parse_ace(&position.ace(*mv)), Ok(*mv));
            position = position.play(*mv);
        }
    }

    #[test]
    fn a_written_game_is_read_back_whole(game in game()) {
        let text = game.to_string();
        let mut games: Vec<_> = PgnReader::new(text.as_bytes()).collect();
        prop_assert_eq!(games.len(), 1, "{}", text);
        let back = games.remove(0).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        prop_assert_eq!(&back.moves, &game.moves, "{}", text);
        prop_assert_eq!(back.start, game.start);
        prop_assert_eq!(back.result, Some(game.result.unwrap_or(PgnResult::Unknown)));
        for (name, value) in game.tags.iter().filter(|(name, _)| !["Result", "FEN", "SetUp"].contains(&name.as_str())) {
            let kept = value.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(back.tag(name), Some(kept.as_str()));
        }
        prop_assert_eq!(back.to_string(), text);
    }

    #[test]
    fn a_setup_is_a_position_that_round_trips_or_is_refused_with_reasons(setup in setup()) {
        match Position::from_setup(&setup) {
            Ok(position) => {
                prop_assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
                prop_assert_eq!(Position::from_fen(&setup.to_fen()), Ok(position));
                prop_assert_eq!(PackedPosition::pack(&position).unpack(), Ok(position));
            }
            Err(errors) => {
                assert!(!errors.reasons().is_empty() && !errors.to_string().is_empty());
                // A castling right without its rook has no notation: `Q` means the outermost rook. The text may be a
                // legal position, but never one with the refused rights.
                if let Ok(read) = Position::from_fen(&setup.to_fen()) {
                    assert_ne!(read.to_setup().castling_rooks, setup.castling_rooks);
                }
            }
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,60}", fields in "[kKqQpPrnB1-9/ w\\-a-h]{0,80}", bytes in vec(any::<u8>(), 0..300)) {
        let start = Position::startpos();
        for text in [&text, &fields] {
            let _ = Position::from_fen(text);
            let _ = Epd::parse(text);
            let _ = start.parse_san(text);
            let _ = start.parse_ace(text);
            let _ = start.parse_coordinate(text, MoveStyle::Chess960);
        }
        assert!(PgnReader::new(bytes.as_slice()).count() <= bytes.len());
    }

    #[test]
    fn any_32_bytes_decode_to_one_position_or_none(bytes in any::<[u8; 32]>(), flip in 0usize..256) {
        let packed = PackedPosition::from_bytes(&bytes);
        prop_assert_eq!(packed.to_bytes(), bytes);
        let _ = packed.unpack();
        let mut near = PackedPosition::pack(&Position::startpos()).to_bytes();
        near[flip / 8] ^= 1 << (flip % 8);
        if let Ok(position) = PackedPosition::from_bytes(&near).unpack() {
            prop_assert_eq!(PackedPosition::pack(&position).to_bytes(), near);
        }
    }
}
