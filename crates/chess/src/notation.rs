//! Positions and moves as text: FEN, SAN and UCI moves. Every error names the text found and what was expected.

mod error;
pub mod fen;
pub mod san;
pub mod uci_move;

pub use error::NotationError;
pub use san::{legal_san, parse_san, print_san, read_san};
pub use uci_move::{parse_uci_move, print_uci_move};
