//! Every listed feature set obeys the laws and agrees with a slow implementation of its documentation.

use chess::{
    CastlingMode, Chess, Color, Position, Square,
    encoding::{FEATURES, FeatureList, FeatureSet, features::feature_set},
    laws,
    notation::fen::parse_flawed_fen,
    shakmaty::{Board, FromSetup, Piece, PositionError, Role, Setup, attacks},
};

#[test]
fn every_listed_set_obeys_the_laws() {
    let games = laws::sample_games(31, 900);
    for set in FEATURES {
        laws::features::check(*set, &games);
        assert_eq!(feature_set(set.name()).unwrap().name(), set.name());
    }
    assert_eq!(FEATURES.iter().map(|set| set.size()).collect::<Vec<_>>(), [768, 3072, 12_288, 24_576]);
}

fn active(set: &dyn FeatureSet, position: &Chess) -> Vec<usize> {
    let mut list = FeatureList::new();
    set.active(position, &mut list);
    let mut found: Vec<usize> = list.as_slice().iter().map(|&index| index as usize).collect();
    found.sort_unstable();
    found
}

/// A slow reference: the features of the largest set square by square, in the order of their blocks; the others are
/// parts of it.
struct Slow {
    pieces: Vec<usize>,
    seen: Vec<usize>,
    threats: Vec<usize>,
    areas: Vec<usize>,
}

impl Slow {
    fn of(position: &Chess) -> Self {
        let (board, mover) = (position.board(), position.turn());
        let king = board.king_of(mover).unwrap();
        let view = |square: Square| {
            let rank = if mover.is_white() { square.rank() as usize } else { 7 - square.rank() as usize };
            let mirrored = king.file() as usize > 3;
            let file = if mirrored { 7 - square.file() as usize } else { square.file() as usize };
            8 * rank + file
        };
        let kind = |piece: Piece| {
            let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
            let role = roles.iter().position(|role| *role == piece.role).unwrap();
            if piece.color == mover { role } else { 6 + role }
        };
        let king_rank = view(king) / 8;
        let area = 4 * (view(king) % 8)
            + match king_rank {
                0 => 0,
                1 => 1,
                2 | 3 => 2,
                _ => 3,
            };
        let mut slow = Self { pieces: vec![], seen: vec![], threats: vec![], areas: vec![] };
        let placed: Vec<(Square, Piece)> =
            Square::ALL.into_iter().filter_map(|square| Some((square, board.piece_at(square)?))).collect();
        for &(square, piece) in &placed {
            let place = 64 * kind(piece) + view(square);
            slow.pieces.push(place);
            slow.areas.push(12_288 + 768 * area + place);
            let (mut attacked, mut defended) = (0, 0);
            for &(from, attacker) in &placed {
                if attacks::attacks(from, attacker, board.occupied()).contains(square) {
                    if attacker.color == mover {
                        defended = 1;
                    } else {
                        attacked = 1;
                    }
                    slow.threats.push(3072 + 64 * (12 * kind(attacker) + kind(piece)) + view(square));
                }
            }
            slow.seen.push(place + 768 * attacked + 1536 * defended);
        }
        slow.threats.sort_unstable();
        slow.threats.dedup();
        slow
    }
}

#[test]
fn every_set_agrees_with_its_description() {
    for game in laws::sample_games(32, 900) {
        let slow = Slow::of(game.position());
        let expected = [
            vec![&slow.pieces],
            vec![&slow.seen],
            vec![&slow.seen, &slow.threats],
            vec![&slow.seen, &slow.threats, &slow.areas],
        ];
        for (set, parts) in FEATURES.iter().zip(expected) {
            let mut expected: Vec<usize> = parts.into_iter().flatten().copied().collect();
            expected.sort_unstable();
            assert_eq!(active(*set, game.position()), expected, "{} in {}", set.name(), game.fen());
        }
    }
}

/// Thirty kings and queens around each other, which a damaged store may hold: every one attacks up to eight others.
fn crowded(shift: u32) -> Chess {
    let mut board = Board::empty();
    let mut put = |square: u32, color: Color, role: Role| {
        board.set_piece_at(Square::new(square), Piece { color, role });
    };
    for number in 0..28 {
        let color = if (number + shift).is_multiple_of(3) { Color::Black } else { Color::White };
        put(8 + (number * 5 + shift) % 40, color, Role::Queen);
    }
    put(shift % 8, Color::White, Role::King);
    // Only knights could attack a king between its own pieces.
    for square in [48, 49, 57] {
        put(square, Color::Black, Role::Queen);
    }
    put(56, Color::Black, Role::King);
    Chess::from_setup(Setup { board, ..Setup::empty() }, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .unwrap()
}

#[test]
fn the_features_of_crowded_boards_fit_into_a_list() {
    let sixteen_pawns = "rnbqkbnr/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/RNBQKBNR w - - 0 1";
    let mut positions = vec![parse_flawed_fen(sixteen_pawns).unwrap()];
    positions.extend((0..40).map(crowded));
    for set in FEATURES {
        let lengths = positions.iter().map(|position| active(*set, position).len());
        // A list that is full refuses more by a panic.
        assert!(lengths.max().unwrap() >= 30, "{}", set.name());
    }
}
