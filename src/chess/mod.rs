//! Rules of chess: squares, pieces, positions, legal moves, notations and perft.

mod ace_moves;
mod attacks;
mod bitboard;
mod board;
mod board_text;
mod castling;
mod check_squares;
mod color;
mod coordinate;
mod epd;
mod fen;
mod game_line;
mod legality;
mod make_move;
mod move_sinks;
mod movegen;
mod moves;
mod outcome;
mod packed;
mod perft;
mod pgn;
mod piece;
mod piece_counts;
mod position;
mod san;
mod setup;
mod side;
mod sliders;
mod square;
mod zobrist;

pub use attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks, rook_attacks,
};
pub use bitboard::Bitboard;
pub use board_text::{BoardStyle, BoardText, outlined, solid};
pub use castling::{CastlingRights, CastlingSide};
pub use check_squares::CheckSquares;
pub use color::{ByColor, Color};
pub use coordinate::{MoveProblem, MoveStyle, MoveTextError};
pub use epd::{Epd, EpdError, EpdOperation};
pub use fen::{FenError, FenReason, RankProblem, START_FEN};
pub use game_line::GameLine;
pub use moves::{MAX_MOVES, Move, MoveList};
pub use outcome::{DrawReason, Outcome, WinRule};
pub use packed::{PackedPosition, UnpackError};
pub use perft::{LeafStats, Perft, PerftTable, SEED_SUITE, SuiteRow, perft};
pub use pgn::{GameTags, PgnError, PgnGame, PgnMove, PgnProblem, PgnReader, PgnResult, PgnTags, Place};
pub use piece::{Piece, PieceKind};
pub use piece_counts::PieceCounts;
pub use position::Position;
pub use setup::{CastlingRooks, Setup, SetupError, SetupErrors};
pub use sliders::{
    MagicCollision, ParseSliderTechniqueError, SliderTechnique, check_magic_numbers, magic_numbers_source,
};
pub use square::{ParseSquareError, Square};

#[cfg(test)]
mod position_tests;
