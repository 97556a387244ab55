//! Positions, moves and histories survive packing.

use crate::games;

use std::num::NonZeroU32;

use chess::{
    CastlingMode, Chess, Color, Game, Position,
    shakmaty::{EnPassantMode, fen::Fen},
};
use dataset::{
    packed_move::PackedMove,
    packed_position::{PACKED_POSITION_BYTES, PackedPosition},
};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Positions of special interest: en passant legal, not legal and pinned, castling half lost, all promotions, clocks.
const SPECIAL: &[&str] = &[
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "rnbqkbnr/pppp1ppp/8/4pP2/8/8/PPPPP1PP/RNBQKBNR w KQkq e6 0 3",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 99 73",
    "r3k2r/8/8/8/8/8/8/R3K2R b - - 149 200",
    "3rk3/P1P5/8/8/8/8/p1p5/3RK3 w - - 0 60",
];

#[test]
fn special_positions_and_their_moves_survive() {
    for text in SPECIAL {
        let position = Game::from_fen(text, CastlingMode::Standard).unwrap().position().clone();
        let packed = PackedPosition::pack(&position);
        assert_eq!(fen(&packed.unpack(position.fullmoves()).unwrap()), fen(&position));
        for chess_move in position.legal_moves() {
            assert_eq!(PackedMove::pack(chess_move).unpack(&position), Some(chess_move), "{text}");
        }
    }
}

/// Pawn 1, knight and bishop 3, rook 5, queen 9, of both sides.
fn material(position: &Chess) -> u8 {
    let side = |color| {
        let pieces = position.board().material_side(color);
        pieces.pawn + 3 * (pieces.knight + pieces.bishop) + 5 * pieces.rook + 9 * pieces.queen
    };
    side(Color::White) + side(Color::Black)
}

#[test]
fn a_pawn_that_can_be_captured_en_passant_counts_as_material() {
    let game = Game::from_fen(SPECIAL[1], CastlingMode::Standard).unwrap();
    assert_eq!(PackedPosition::pack(game.position()).material(), 78);
}

#[test]
fn the_starting_position_has_the_documented_bytes() {
    let bytes = PackedPosition::pack(&Chess::default()).0;
    assert_eq!(bytes[..8], [0x27, 0x53, 0x36, 0x72, 0x11, 0x11, 0x11, 0x11]);
    assert_eq!(bytes[8..24], [0; 16]);
    assert_eq!(bytes[24..34], [0x99, 0x99, 0x99, 0x99, 0xaf, 0xdb, 0xbe, 0xfa, 0, 0]);
}

#[test]
fn bits_that_mean_no_legal_move_are_refused() {
    let position = Chess::default();
    let legal: Vec<u16> = position.legal_moves().iter().map(|&played| PackedMove::pack(played).0).collect();
    for bits in 0..=u16::MAX {
        assert_eq!(PackedMove(bits).unpack(&position).is_some(), legal.contains(&bits), "{bits:#06x}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn positions_of_random_games_survive(seed: u64, chess960 in any::<bool>()) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = if chess960 { chess960_start(seed) } else { Chess::default() };
        for _ in 0..200 {
            let packed = PackedPosition::pack(&position);
            let unpacked = packed.unpack(position.fullmoves()).unwrap();
            prop_assert_eq!(fen(&unpacked), fen(&position));
            prop_assert_eq!(packed.turn(), position.turn());
            prop_assert_eq!(packed.material(), material(&position));
            for color in Color::ALL {
                for (role, count) in position.board().material_side(color).zip_role() {
                    prop_assert_eq!(packed.count(role.of(color)), count, "{:?} {:?}", color, role);
                }
            }
            prop_assert_eq!(u32::from(packed.clock()), position.halfmoves());
            let Some(played) = games::random_move(&position, &mut random) else { break };
            prop_assert_eq!(PackedMove::pack(played).unpack(&position), Some(played));
            position.play_unchecked(played);
        }
    }

    #[test]
    fn a_mirrored_position_has_the_mirrored_moves(seed: u64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = Chess::default();
        for _ in 0..160 {
            let packed = PackedPosition::pack(&position);
            let has_rights = !position.castles().castling_rights().is_empty();
            prop_assert_eq!(packed.mirrored().is_none(), has_rights);
            if let Some(mirrored) = packed.mirrored() {
                prop_assert_eq!(mirrored.mirrored(), Some(packed));
                let unpacked = mirrored.unpack(position.fullmoves()).unwrap();
                let mut board = position.board().clone();
                board.flip_horizontal();
                prop_assert_eq!(unpacked.board(), &board);
                let moves = |position: &Chess| -> Vec<PackedMove> {
                    position.legal_moves().iter().map(|&played| PackedMove::pack(played)).collect()
                };
                let mut expected: Vec<u16> = moves(&position).into_iter().map(|packed| packed.mirrored().0).collect();
                let mut found: Vec<u16> = moves(&unpacked).into_iter().map(|packed| packed.0).collect();
                expected.sort_unstable();
                found.sort_unstable();
                prop_assert_eq!(found, expected);
            }
            let Some(played) = games::random_move(&position, &mut random) else { break };
            position.play_unchecked(played);
        }
    }

    #[test]
    fn any_bytes_are_a_position_or_an_error(bytes in prop::collection::vec(any::<u8>(), PACKED_POSITION_BYTES)) {
        let packed = PackedPosition(bytes.try_into().unwrap());
        if let Ok(position) = packed.unpack(NonZeroU32::MIN) {
            prop_assert!(position.board().kings().count() == 2);
        }
    }
}

fn chess960_start(seed: u64) -> Chess {
    use chess::shakmaty::{Bitboard, Board, FromSetup, Setup};
    let board = Board::chess960(u32::try_from(seed % 960).unwrap());
    let castling_rights = board.rooks() & Bitboard::BACKRANKS;
    Chess::from_setup(Setup { board, castling_rights, ..Setup::initial() }, CastlingMode::Chess960).unwrap()
}
