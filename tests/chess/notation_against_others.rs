//! Compares all notations with shakmaty and cozy-chess over random games of standard chess and double Chess960.

use cozy_chess::Board;
use playself::chess::{Move, MoveStyle, PackedPosition, Position};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

const GAMES: u64 = 400;
const LONGEST: usize = 160;

/// SplitMix64, which gives the same games on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }
}

struct Trio {
    ours: Position,
    shakmaty: Chess,
    cozy: Board,
    style: MoveStyle,
    mode: CastlingMode,
}

impl Trio {
    fn start(cozy: Board, style: MoveStyle) -> Self {
        let mode = match style {
            MoveStyle::Standard => CastlingMode::Standard,
            MoveStyle::Chess960 => CastlingMode::Chess960,
        };
        let fen: Fen = format!("{cozy:#}").parse().expect("the start position is a FEN");
        Self {
            ours: Position::from_fen(&format!("{cozy:#}")).expect("the start position is legal"),
            shakmaty: fen.into_position(mode).expect("the start position is legal"),
            cozy,
            style,
            mode,
        }
    }

    fn check_position(&self) {
        let fen = self.ours.to_fen();
        assert_eq!(fen, Fen::from_position(&self.shakmaty, EnPassantMode::Legal).to_string());
        assert_eq!(Position::from_fen(&fen), Ok(self.ours), "{fen}");
        let shredder = self.ours.to_shredder_fen();
        assert_eq!(Position::from_fen(&shredder), Ok(self.ours), "{shredder}");
        // cozy-chess also writes en-passant squares on which no capture is possible; parsing drops them.
        assert_eq!(Position::from_fen(&format!("{:#}", self.cozy)), Ok(self.ours), "{fen}");
        assert_eq!(PackedPosition::pack(&self.ours).unpack(), Ok(self.ours), "{fen}");
        assert!(!self.ours.is_chess960() || self.style == MoveStyle::Chess960, "{fen}");
    }

    fn check_move(&self, mv: Move) -> shakmaty::Move {
        let Self { ours, style, .. } = self;
        let fen = ours.to_fen();
        let text = ours.coordinate(mv, *style);
        let read: shakmaty::uci::UciMove = text.parse().expect("the text is a UCI move");
        let theirs = read.to_move(&self.shakmaty).expect("a legal move is legal for shakmaty");
        assert_eq!(theirs.to_uci(self.mode).to_string(), text, "{fen}");
        let san = ours.san(mv);
        assert_eq!(san, SanPlus::from_move(self.shakmaty.clone(), theirs).to_string(), "{fen}");
        assert_eq!(ours.parse_coordinate(&text, *style), Ok(mv), "{fen} {text}");
        assert_eq!(ours.parse_san(&san), Ok(mv), "{fen} {san}");
        assert_eq!(ours.parse_ace(&ours.ace(mv)), Ok(mv), "{fen} {}", ours.ace(mv));
        theirs
    }

    fn play(&mut self, mv: Move) {
        let theirs = self.check_move(mv);
        let cozy = self.ours.coordinate(mv, MoveStyle::Chess960);
        let read = cozy.parse().expect("the text is a move for cozy-chess");
        self.cozy.try_play(read).expect("a legal move is legal for cozy-chess");
        self.shakmaty.play_unchecked(theirs);
        self.ours = self.ours.play(mv);
    }
}

fn play_games(style: MoveStyle, start: impl Fn(&mut Dice) -> Board) {
    let (mut positions, mut checked) = (0, 0);
    for game in 0..GAMES {
        let mut dice = Dice(game);
        let mut trio = Trio::start(start(&mut dice), style);
        for ply in 0..LONGEST {
            trio.check_position();
            positions += 1;
            let moves = trio.ours.legal_moves();
            assert_eq!(moves.len(), trio.shakmaty.legal_moves().len(), "{}", trio.ours.to_fen());
            if moves.is_empty() || trio.ours.halfmove_clock() >= 100 {
                break;
            }
            // Checks all moves of every eighth position only, so that the test takes seconds.
            if ply % 8 == 0 {
                for &mv in moves.iter() {
                    trio.check_move(mv);
                }
                checked += moves.len();
            }
            // Castling is rare among random moves and easy to get wrong, so it is preferred.
            let castling = moves.iter().find(|mv| mv.is_castling() && dice.below(4) == 0);
            let mv = castling.copied().unwrap_or_else(|| moves[dice.below(moves.len())]);
            trio.play(mv);
        }
    }
    assert!(positions > 10_000 && checked > 30_000, "{positions} positions, {checked} moves");
}

#[test]
fn standard_games_agree_with_two_other_libraries_in_every_notation() {
    play_games(MoveStyle::Standard, |_| Board::startpos());
}

#[test]
fn double_chess960_games_agree_with_two_other_libraries_in_every_notation() {
    play_games(MoveStyle::Chess960, |dice| {
        Board::double_chess960_startpos(dice.below(960) as u32, dice.below(960) as u32)
    });
}
