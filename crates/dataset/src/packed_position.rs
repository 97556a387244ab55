//! A chess position in 34 bytes: the column `position` of a sample store.
//!
//! | bytes | content |
//! |---|---|
//! | 0..32 | one nibble per square, a1 first, even squares in the low nibble |
//! | 32..34 | little-endian `u16`: bit 15 is set when Black is to move, bits 0..15 are the fifty-move clock in plies |
//!
//! Nibbles: 0 empty; 1 to 6 White's pawn, knight, bishop, rook, queen, king; 9 to 14 the same for Black; 7 and 15
//! White's and Black's rook that may still castle; 8 the pawn (White's on the fourth rank, Black's on the fifth) that
//! can legally be captured en passant now. The move number is stored separately, as the column `ply`.
//!
//! A nibble per square, rather than a shorter list of pieces, because a move then changes two or four bytes at fixed
//! places, which zstd compresses better from row to row.

use std::num::NonZeroU32;

use chess::{
    CastlingMode, Chess, Color, Position, Square,
    shakmaty::{Bitboard, Board, ByColor, ByRole, EnPassantMode, FromSetup, Piece, PositionError, Setup},
};

/// Bytes of a packed position, as in the table above.
pub const PACKED_POSITION_BYTES: usize = 34;

const SQUARES: usize = 32;
const BLACK_TO_MOVE: u16 = 1 << 15;
/// Ranks five to eight: a pawn there that can be captured en passant is Black's.
const BLACK_HALF: u64 = 0xffff_ffff_0000_0000;
/// The greatest fifty-move clock that can be stored; far above the 150 at which the rules end the game.
pub const MAX_CLOCK: u32 = (BLACK_TO_MOVE - 1) as u32;

/// A position in the layout of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedPosition(pub [u8; PACKED_POSITION_BYTES]);

/// Bytes that are not a packed position, with the reason.
#[derive(Debug, thiserror::Error)]
#[error("not a packed position: {reason}")]
pub struct UnpackError {
    reason: String,
}

impl PackedPosition {
    /// Packs a position. The en passant square is kept only where a capture is legal; a clock above [`MAX_CLOCK`] is
    /// clamped to it.
    pub fn pack(position: &Chess) -> Self {
        // The nibbles of all squares are made as four bitboards, one for each bit, instead of square by square: the codes are chosen such
        // that each bit is a union of bitboards that the board has already. A rook that may castle is a rook with the two lower bits
        // set; a pawn that can be captured loses its own bit and has only the highest, which elsewhere means Black.
        let board = position.board();
        let castling = position.castles().castling_rights();
        let en_passant =
            position.ep_square(EnPassantMode::Legal).map_or(0, |target| 1 << (target as u32 ^ 8));
        let (pawns, knights, bishops) = (board.pawns().0, board.knights().0, board.bishops().0);
        let (rooks, queens, kings) = (board.rooks().0, board.queens().0, board.kings().0);
        let planes = [
            ((pawns | bishops | queens) & !en_passant) | castling.0,
            knights | bishops | kings | castling.0,
            rooks | queens | kings,
            board.black().0 | en_passant,
        ];
        let mut bytes = [0; PACKED_POSITION_BYTES];
        for (two_ranks, chunk) in bytes[..SQUARES].chunks_exact_mut(8).enumerate() {
            let nibbles = planes.iter().enumerate().fold(0, |nibbles, (bit, plane)| {
                nibbles | spread_bits_to_nibbles((plane >> (16 * two_ranks)) as u16) << bit
            });
            chunk.copy_from_slice(&nibbles.to_le_bytes());
        }
        let clock = position.halfmoves().min(MAX_CLOCK) as u16;
        let turn = if position.turn().is_black() { BLACK_TO_MOVE } else { 0 };
        bytes[SQUARES..].copy_from_slice(&(clock | turn).to_le_bytes());
        Self(bytes)
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        Color::from_white(self.meta() & BLACK_TO_MOVE == 0)
    }

    /// The position with its files reversed, which is equally good for either side; none if a king may still castle, because
    /// castling differs between the wings.
    pub fn mirrored(&self) -> Option<Self> {
        if self.nibbles().any(|nibble| nibble == 7 || nibble == 15) {
            return None;
        }
        let mut bytes = self.0;
        for rank in bytes[..SQUARES].chunks_exact_mut(4) {
            rank.reverse();
            for pair in rank {
                *pair = pair.rotate_left(4);
            }
        }
        Some(Self(bytes))
    }

    /// Material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9; 255 for more.
    pub fn material(&self) -> u8 {
        let [p0, p1, p2, p3] = self.planes();
        let pawns = (p0 & !p1 & !p2) | (p3 & !(p0 | p1 | p2));
        let (minor, rooks, queens) = (p1 & !p2, p2 & !(p0 ^ p1), p0 & !p1 & p2);
        let value =
            pawns.count_ones() + 3 * minor.count_ones() + 5 * rooks.count_ones() + 9 * queens.count_ones();
        value.min(255) as u8
    }

    /// Number of pawns of both sides.
    pub fn pawns(&self) -> u8 {
        self.nibbles().map(|nibble| u8::from(is_pawn(nibble))).sum()
    }

    /// Pieces of both sides, kings and pawns included.
    pub fn pieces(&self) -> u8 {
        self.nibbles().map(|nibble| u8::from(nibble != 0)).sum()
    }

    /// Pieces of one kind and colour.
    pub fn count(&self, piece: Piece) -> u8 {
        let plain = piece.role as u8 + if piece.color.is_black() { 8 } else { 0 };
        let mut count = 0;
        for (square, nibble) in self.nibbles().enumerate() {
            let found = match nibble {
                // A rook that may castle, and a pawn that can be captured en passant.
                7 | 15 => nibble - 3,
                8 if square < 32 => 1,
                8 => 9,
                _ => nibble,
            };
            count += u8::from(found == plain);
        }
        count
    }

    /// For each bit of a nibble the squares whose nibble has it: the inverse of what [`PackedPosition::pack`] does, also by bits instead
    /// of squares.
    fn planes(&self) -> [u64; 4] {
        let mut planes = [0; 4];
        for (two_ranks, bytes) in self.0[..SQUARES].as_chunks().0.iter().enumerate() {
            let nibbles = u64::from_le_bytes(*bytes);
            for (bit, plane) in planes.iter_mut().enumerate() {
                *plane |= u64::from(gather_bits_of_nibbles(nibbles >> bit)) << (16 * two_ranks);
            }
        }
        planes
    }

    /// The nibble of each square, from a1.
    fn nibbles(&self) -> impl Iterator<Item = u8> + '_ {
        self.0[..SQUARES].iter().flat_map(|byte| [byte & 15, byte >> 4])
    }

    /// Squares of both kings and number of pieces, in the mover's view with its king on files a to d:
    /// positions with equal numbers share many features of sparse networks.
    pub(crate) fn neighbourhood(&self) -> [u8; 3] {
        // Bits of a square's number that flip its rank and its file.
        const RANKS: u8 = 0o70;
        const FILES: u8 = 0o7;
        let [p0, p1, p2, p3] = self.planes();
        let kings = !p0 & p1 & p2;
        let [white, black] = [kings & !p3, kings & p3].map(|king| king.trailing_zeros() as u8 & 63);
        let (own, other) =
            if self.turn().is_white() { (white, black) } else { (black ^ RANKS, white ^ RANKS) };
        let mirror = if own % 8 > 3 { FILES } else { 0 };
        [own ^ mirror, other ^ mirror, (p0 | p1 | p2 | p3).count_ones() as u8]
    }

    /// The fifty-move clock in plies.
    pub fn clock(&self) -> u16 {
        self.meta() & !BLACK_TO_MOVE
    }

    /// True if the two are the same position for repetition: equal but for the clocks (FIDE 9.2.3).
    pub fn repeats(&self, earlier: &Self) -> bool {
        self.0[..SQUARES] == earlier.0[..SQUARES] && self.turn() == earlier.turn()
    }

    /// Hash of the fields compared by [`PackedPosition::repeats`].
    pub fn key(&self) -> u64 {
        let mut bytes = self.0;
        let turn = self.meta() & BLACK_TO_MOVE;
        bytes[SQUARES..].copy_from_slice(&turn.to_le_bytes());
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }

    /// The position, with the move number, which is stored separately.
    ///
    /// # Errors
    /// [`UnpackError`] when the bytes do not describe a legal position.
    pub fn unpack(&self, fullmoves: NonZeroU32) -> Result<Chess, UnpackError> {
        let [p0, p1, p2, p3] = self.planes();
        let en_passant = p3 & !(p0 | p1 | p2);
        let castling = p0 & p1 & p2;
        let black = (p3 & !en_passant) | (en_passant & BLACK_HALF);
        let white = (p0 | p1 | p2 | en_passant) & !black;
        let by_role = ByRole {
            pawn: Bitboard((p0 & !p1 & !p2) | en_passant),
            knight: Bitboard(!p0 & p1 & !p2),
            bishop: Bitboard(p0 & p1 & !p2),
            rook: Bitboard((!p0 & !p1 & p2) | castling),
            queen: Bitboard(p0 & !p1 & p2),
            king: Bitboard(!p0 & p1 & p2),
        };
        let by_color = ByColor { black: Bitboard(black), white: Bitboard(white) };
        let board = Board::try_from_bitboards(by_role, by_color)
            .map_err(|error| UnpackError { reason: error.to_string() })?;
        let setup = Setup {
            board,
            turn: self.turn(),
            castling_rights: Bitboard(castling),
            ep_square: en_passant_target(en_passant)?,
            halfmoves: u32::from(self.clock()),
            fullmoves,
            ..Setup::empty()
        };
        let mode = CastlingMode::detect(&setup);
        // From an odd starting position, play can reach positions that no retraction explains: they must stay
        // readable.
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_too_much_material)
            .map_err(|error| UnpackError { reason: error.to_string() })
    }

    /// The position with the move number that belongs to `ply`, the number of plies before it.
    ///
    /// # Errors
    /// As [`PackedPosition::unpack`].
    pub fn at_ply(&self, ply: u16) -> Result<Chess, UnpackError> {
        self.unpack(NonZeroU32::MIN.saturating_add(u32::from(ply) / 2))
    }

    fn meta(&self) -> u16 {
        u16::from_le_bytes([self.0[SQUARES], self.0[SQUARES + 1]])
    }
}

/// True if a nibble is a pawn, whether or not it can be captured en passant.
fn is_pawn(nibble: u8) -> bool {
    matches!(nibble, 1 | 8 | 9)
}

/// The square behind the pawn that may be captured en passant.
fn en_passant_target(pawn: u64) -> Result<Option<Square>, UnpackError> {
    match Bitboard(pawn).single_square() {
        Some(square) => Ok(Some(square.xor(Square::A2))),
        None if pawn == 0 => Ok(None),
        None => Err(UnpackError { reason: format!("{} en passant pawns", pawn.count_ones()) }),
    }
}

/// Bit `i` of the argument becomes bit `4 * i` of the result (parallel prefix spreading, Hacker's Delight 7-2).
fn spread_bits_to_nibbles(bits: u16) -> u64 {
    let mut spread = u64::from(bits);
    spread = (spread | spread << 24) & 0x0000_00ff_0000_00ff;
    spread = (spread | spread << 12) & 0x000f_000f_000f_000f;
    spread = (spread | spread << 6) & 0x0303_0303_0303_0303;
    (spread | spread << 3) & 0x1111_1111_1111_1111
}

/// Bit `4 * i` of the argument becomes bit `i` of the result: the inverse of [`spread_bits_to_nibbles`];
/// other bits are ignored.
fn gather_bits_of_nibbles(nibbles: u64) -> u16 {
    let mut bits = nibbles & 0x1111_1111_1111_1111;
    bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
    bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
    bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
    (bits | bits >> 24) as u16
}

/// Standard rules wherever they allow the position's castling rights, for the sake of castling notation.
pub fn castling_mode(position: &Chess) -> CastlingMode {
    CastlingMode::detect(&position.to_setup(EnPassantMode::Legal))
}

/// Pieces besides kings and pawns of both sides, in pawns, up to which a position is an endgame: 13 a side (J. Speelman,
/// Endgame Preparation, 1981).
const ENDGAME_PIECES: u8 = 26;

/// Plies before which a position that is not an endgame belongs to the opening: ten moves of each side. A
/// round number, not tuned; used only in statistics and queries.
const OPENING_PLIES: u16 = 20;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first ten moves of each side.
    Opening,
    /// Neither opening nor endgame.
    Middlegame,
    /// At any ply, pieces other than kings and pawns worth at most 26 pawns in total.
    Endgame,
}

impl Phase {
    /// The phase of a position with this number of plies before it.
    pub fn of(position: &PackedPosition, ply: u16) -> Self {
        if pieces(position) <= ENDGAME_PIECES {
            Self::Endgame
        } else if ply < OPENING_PLIES {
            Self::Opening
        } else {
            Self::Middlegame
        }
    }

    /// `opening`, `middlegame` or `endgame`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        }
    }
}

fn pieces(position: &PackedPosition) -> u8 {
    position.material() - position.pawns()
}
