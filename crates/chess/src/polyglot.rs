//! Opening books in Polyglot's format, which most chess programs read: for each position some moves with weights.
//!
//! Source: Michel Van den Bergh, "Book formats" (<http://hgm.nubati.net/book_format.html>): entries of 16 bytes, big endian
//! (key 8, move 2, weight 2, learn 4), in the order of their keys. The keys are shakmaty's, which uses Polyglot's table of
//! random numbers.

mod counts;
mod packed_move;

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use shakmaty::{Chess, EnPassantMode, Move, Position, zobrist::Zobrist64};

pub use counts::{BookCounts, BookRule, BookWeight};
use packed_move::{is_named, pack};

const ENTRY_BYTES: usize = 16;

/// Maximum size of a file in bytes, several times that of the largest books; a larger one, such as an endless
/// device, is refused.
const LARGEST_FILE: u64 = 1 << 29;

/// The key of a position in books. Unlike [`crate::position_key`] it counts an en passant square wherever a pawn stands
/// next to the one that moved, even if the capture would be illegal.
pub fn polyglot_key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// An entry of a book as stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// [`polyglot_key`] of the position.
    pub key: u64,
    /// The move in Polyglot's bits; castling is king takes rook.
    pub packed_move: u16,
    /// Preference among the moves of the position; a move with weight 0 is never played.
    pub weight: u16,
    /// Learning data of other programs; kept, not used.
    pub learn: u32,
}

impl BookEntry {
    /// The entry of a legal move of `position`.
    pub fn new(position: &Chess, chess_move: Move, weight: u16) -> Self {
        Self { key: polyglot_key(position), packed_move: pack(chess_move), weight, learn: 0 }
    }

    fn from_bytes(bytes: [u8; ENTRY_BYTES]) -> Self {
        let whole = u128::from_be_bytes(bytes);
        Self {
            key: (whole >> 64) as u64,
            packed_move: (whole >> 48) as u16,
            weight: (whole >> 32) as u16,
            learn: whole as u32,
        }
    }

    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let whole = u128::from(self.key) << 64
            | u128::from(self.packed_move) << 48
            | u128::from(self.weight) << 32
            | u128::from(self.learn);
        whole.to_be_bytes()
    }
}

/// A move of a book in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal in the position.
    pub chess_move: Move,
    /// Its weight, relative to the other moves of the position.
    pub weight: u16,
}

/// An error of reading a book.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum BookError {
    #[error("cannot read the book {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{place} is not a Polyglot book: found {found}, expected {expected}")]
    Format { place: String, found: String, expected: &'static str },
}

/// An opening book in the format of Polyglot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolyglotBook {
    /// Entries in the order of their keys, moves of one position by descending weight.
    entries: Vec<BookEntry>,
}

impl PolyglotBook {
    /// A book of these entries, which are put in order.
    pub fn new(mut entries: Vec<BookEntry>) -> Self {
        entries.sort_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight), entry.packed_move));
        Self { entries }
    }

    /// Reads a `.bin` file.
    ///
    /// # Errors
    /// [`BookError`] if it cannot be read or is not a book.
    pub fn read(path: &Path) -> Result<Self, BookError> {
        let mut bytes = Vec::new();
        fs::File::open(path)
            .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
            .map_err(|source| BookError::Read { path: path.into(), source })?;
        let place = path.display().to_string();
        if bytes.len() as u64 > LARGEST_FILE {
            let found = format!("more than {LARGEST_FILE} bytes");
            return Err(BookError::Format { place, found, expected: "a book" });
        }
        Self::from_bytes(&bytes, &place)
    }

    /// Reads the bytes of a `.bin` file; `place` names them in errors.
    ///
    /// # Errors
    /// [`BookError::Format`] if there are no entries, the last one is incomplete, or one is out of order.
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, BookError> {
        let (entries, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        if entries.is_empty() || !rest.is_empty() {
            let (found, expected) = (format!("{} bytes", bytes.len()), "entries of 16 bytes, at least one");
            return Err(BookError::Format { place: place.to_owned(), found, expected });
        }
        let entries: Vec<BookEntry> = entries.iter().copied().map(BookEntry::from_bytes).collect();
        if let Some(index) = entries.windows(2).position(|pair| pair[0].key > pair[1].key) {
            let (before, after) = (entries[index].key, entries[index + 1].key);
            let found = format!("key {after:016x} of entry {} after {before:016x}", index + 2);
            let expected = "keys that do not fall";
            return Err(BookError::Format { place: place.to_owned(), found, expected });
        }
        Ok(Self::new(entries))
    }

    /// The bytes of the `.bin` file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.iter().flat_map(|entry| entry.to_bytes()).collect()
    }

    /// All entries, in the order of the file.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// Number of different positions in the book.
    pub fn positions(&self) -> usize {
        self.entries.chunk_by(|one, other| one.key == other.key).count()
    }

    /// The moves of a position, heaviest first, castling also where an entry names the king's step; empty if the position is not in
    /// the book. An entry that does not name a legal move (another position of the same key, or a broken book) is left out, and so
    /// is the lighter of two entries for one move.
    pub fn moves(&self, position: &Chess) -> Vec<BookMove> {
        let key = polyglot_key(position);
        let first = self.entries.partition_point(|entry| entry.key < key);
        let known = self.entries[first..].iter().take_while(|entry| entry.key == key);
        let legal = position.legal_moves();
        let mut moves: Vec<BookMove> = Vec::new();
        for entry in known {
            let found = legal.iter().copied().find(|&chess_move| is_named(chess_move, entry.packed_move));
            if let Some(chess_move) = found
                && moves.iter().all(|other| other.chess_move != chess_move)
            {
                moves.push(BookMove { chess_move, weight: entry.weight });
            }
        }
        moves
    }
}
