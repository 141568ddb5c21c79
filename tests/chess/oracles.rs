//! Compares the rules with cozy-chess and shakmaty, move by move, over ten thousand random games of standard chess,
//! Chess960 and double Chess960.

use cozy_chess::{Board, GameStatus};
use playself::chess::{DrawReason, GameLine, Move, MoveStyle, Outcome, PieceKind, Position, WinRule};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, KnownOutcome, Position as _};

/// Length that no random game reaches, since the fifty-move rule ends all of them.
const LONGEST: usize = 6000;

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

/// A move in a form that is common to all three libraries: from, to (the rook's square when castling), promotion.
type Plain = u16;

fn plain(from: usize, to: usize, promotion: usize) -> Plain {
    (promotion << 12 | to << 6 | from) as Plain
}

fn our_plain(mv: Move) -> Plain {
    plain(mv.from().index(), mv.to().index(), mv.promotion().map_or(0, PieceKind::index))
}

fn cozy_plain(mv: cozy_chess::Move) -> Plain {
    plain(mv.from as usize, mv.to as usize, mv.promotion.map_or(0, |kind| kind as usize))
}

fn shakmaty_plain(mv: shakmaty::Move) -> Plain {
    let from = mv.from().expect("no drops in chess");
    plain(usize::from(from), usize::from(mv.to()), mv.promotion().map_or(0, |role| role as usize - 1))
}

/// The same game in three libraries.
struct Game {
    ours: GameLine,
    cozy: Board,
    shakmaty: Chess,
    /// Zobrist keys by shakmaty of all positions so far, which count repetitions independently.
    visits: Vec<u64>,
}

impl Game {
    fn start(cozy: Board, mode: CastlingMode) -> Self {
        let text = format!("{cozy:#}");
        let fen: Fen = text.parse().expect("the start position is a FEN");
        Self {
            ours: GameLine::new(Position::from_fen(&text).expect("the start position is legal")),
            cozy,
            shakmaty: fen.into_position(mode).expect("the start position is legal"),
            visits: Vec::new(),
        }
    }

    /// Outcome of the game according to the other two libraries.
    fn their_outcome(&self) -> Option<Outcome> {
        let repeated = || {
            let visits = self.visits.iter().filter(|&key| Some(key) == self.visits.last()).count();
            (visits >= 3).then_some(Outcome::Draw(DrawReason::ThreefoldRepetition))
        };
        match self.shakmaty.outcome().known() {
            Some(KnownOutcome::Decisive { winner }) => {
                assert_eq!(self.cozy.status(), GameStatus::Won);
                let winner = if winner.is_white() {
                    playself::chess::Color::White
                } else {
                    playself::chess::Color::Black
                };
                Some(Outcome::Win { winner, by: WinRule::Checkmate })
            }
            Some(KnownOutcome::Draw) if self.shakmaty.is_stalemate() => {
                assert_eq!(self.cozy.status(), GameStatus::Drawn);
                Some(Outcome::Draw(DrawReason::Stalemate))
            }
            Some(KnownOutcome::Draw) => Some(Outcome::Draw(DrawReason::InsufficientMaterial)),
            None if self.cozy.status() == GameStatus::Drawn => Some(Outcome::Draw(DrawReason::FiftyMoves)),
            None => repeated(),
        }
    }

    /// Compares the position and its moves, and returns the moves.
    fn compare(&mut self) -> Vec<Move> {
        let position = *self.ours.current();
        let fen = position.to_fen();
        assert_eq!(fen, Fen::from_position(&self.shakmaty, EnPassantMode::Legal).to_string());
        self.visits.push(self.shakmaty.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0);

        let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
        let mut ours: Vec<Plain> = moves.iter().copied().map(our_plain).collect();
        let mut cozy: Vec<Plain> = Vec::with_capacity(ours.len());
        self.cozy.generate_moves(|set| {
            cozy.extend(set.into_iter().map(cozy_plain));
            false
        });
        let mut shakmaty: Vec<Plain> =
            self.shakmaty.legal_moves().iter().copied().map(shakmaty_plain).collect();
        ours.sort_unstable();
        cozy.sort_unstable();
        shakmaty.sort_unstable();
        assert_eq!(ours, cozy, "{fen}");
        assert_eq!(ours, shakmaty, "{fen}");
        assert_eq!(position.checkers().0, self.cozy.checkers().0, "{fen}");
        assert_eq!(self.ours.outcome(), self.their_outcome(), "{fen}");
        moves
    }

    fn play(&mut self, mv: Move) {
        let position = self.ours.current();
        let code = our_plain(mv);
        let theirs = *self
            .shakmaty
            .legal_moves()
            .iter()
            .find(|&&mv| shakmaty_plain(mv) == code)
            .expect("the moves were compared before");
        let san = SanPlus::from_move_and_play_unchecked(&mut self.shakmaty, theirs).to_string();
        assert_eq!(position.san(mv), san, "{}", position.to_fen());
        let cozy = position.coordinate(mv, MoveStyle::Chess960).parse().expect("cozy-chess reads UCI");
        self.cozy.play_unchecked(cozy);
        self.ours.push(mv);
    }
}

/// Plays games until the rules end them or `longest` is reached, and counts each kind of ending.
fn play_games(
    seeds: std::ops::Range<u64>,
    longest: usize,
    mode: CastlingMode,
    start: impl Fn(&mut Dice) -> Board,
) -> Ends {
    let mut ends = Ends::default();
    for seed in seeds {
        let mut dice = Dice(seed);
        let mut game = Game::start(start(&mut dice), mode);
        for _ in 0..longest {
            let moves = game.compare();
            if let Some(outcome) = game.ours.outcome() {
                ends.count(outcome);
                break;
            }
            // Castling is rare among random moves and easy to get wrong; captures shorten a game.
            let rare = moves.iter().find(|mv| mv.is_castling() || mv.is_en_passant());
            let capture = moves.iter().find(|mv| mv.is_capture());
            let mv = match dice.below(8) {
                0 | 1 => rare.or(capture),
                2 => capture,
                _ => None,
            };
            game.play(mv.copied().unwrap_or_else(|| moves[dice.below(moves.len())]));
        }
    }
    ends
}

#[derive(Debug, Default)]
struct Ends {
    mates: u32,
    stalemates: u32,
    bare: u32,
    fifty: u32,
    repeated: u32,
}

impl Ends {
    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Win { .. } => &mut self.mates,
            Outcome::Draw(DrawReason::Stalemate) => &mut self.stalemates,
            Outcome::Draw(DrawReason::InsufficientMaterial) => &mut self.bare,
            Outcome::Draw(DrawReason::FiftyMoves) => &mut self.fifty,
            Outcome::Draw(DrawReason::ThreefoldRepetition) => &mut self.repeated,
        } += 1;
    }

    /// Whether every kind of ending occurred, so that every rule was compared.
    fn all_met(&self) -> bool {
        [self.mates, self.stalemates, self.bare, self.fifty, self.repeated].iter().all(|&met| met > 0)
    }
}

#[test]
fn three_thousand_standard_games_agree() {
    play_games(0..3000, LONGEST, CastlingMode::Standard, |_| Board::startpos());
}

#[test]
fn three_thousand_chess960_games_agree() {
    play_games(10_000..13_000, LONGEST, CastlingMode::Chess960, |dice| {
        Board::chess960_startpos(dice.below(960) as u32)
    });
}

#[test]
fn three_thousand_double_chess960_games_agree() {
    play_games(20_000..23_000, LONGEST, CastlingMode::Chess960, |dice| {
        Board::double_chess960_startpos(dice.below(960) as u32, dice.below(960) as u32)
    });
}

/// Starts with few pieces, so that games reach every kind of ending.
#[test]
fn a_thousand_endings_agree_to_their_last_rule() {
    const STARTS: [&str; 8] = [
        "8/8/4k3/8/8/3QK3/8/8 w - - 0 1",
        "8/5k2/8/2p5/1P6/8/3K4/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/2BNK3 w - - 0 1",
        "8/8/2bk4/8/8/3KB3/8/8 w - - 90 60",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 80 50",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        "7k/5K2/8/6Q1/8/8/8/8 w - - 97 90",
    ];
    let ends = play_games(30_000..31_000, 240, CastlingMode::Standard, |dice| {
        STARTS[dice.below(STARTS.len())].parse().expect("the endings are legal")
    });
    assert!(ends.all_met(), "{ends:?}");
}
