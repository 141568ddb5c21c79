//! The rules of chess: squares, pieces, positions, legal moves, notations and perft.

mod bitboard;
mod color;
mod moves;
mod piece;
mod setup;
mod square;

pub use bitboard::Bitboard;
pub use color::{ByColor, Color};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use piece::{Piece, PieceKind};
pub use setup::{CastlingRooks, Setup, SetupError, SetupErrors};
pub use square::{NotASquare, Square};
