//! The encodings of the five programs whose experiments can be repeated: each against a slow implementation of its
//! description, and a test for each of its flaws (`docs/seeds.md`) that the default encodings do not have.

use chess::{
    CastlingMode, Color, Game, Position, Role, Square,
    encoding::{
        Plane,
        input::{input_encoding, write_channels},
        moves::move_encoding,
    },
    laws, parse_uci_move,
};

const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).unwrap()
}

/// `[channels][8][8]`.
fn tensor(name: &str, game: &Game) -> Vec<f32> {
    let encoding = input_encoding(name).unwrap();
    let mut planes = vec![Plane::EMPTY; encoding.planes()];
    encoding.encode(game, &mut planes);
    let mut out = vec![f32::NAN; encoding.channels() * 64];
    write_channels(encoding, &planes, &mut out);
    out
}

/// The square in a row and column of a tensor.
type View = fn(row: u32, column: u32, game: &Game) -> Square;

fn from_a8(row: u32, column: u32, _: &Game) -> Square {
    Square::new((7 - row) * 8 + column)
}

fn from_a1(row: u32, column: u32, _: &Game) -> Square {
    Square::new(row * 8 + column)
}

fn turned(row: u32, column: u32, game: &Game) -> Square {
    let square = row * 8 + column;
    Square::new(if game.turn() == Color::White { square } else { 63 - square })
}

fn behind_the_mover(row: u32, column: u32, game: &Game) -> Square {
    if game.turn() == Color::White { from_a8(row, column, game) } else { from_a1(row, column, game) }
}

/// Twelve planes, those of `first` first.
fn pieces(game: &Game, first: Color, view: View) -> Vec<f32> {
    let mut out = Vec::new();
    for color in [first, !first] {
        for role in ROLES {
            for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                let found = game.position().board().piece_at(view(row, column, game));
                out.push(f32::from(u8::from(found == Some(role.of(color)))));
            }
        }
    }
    out
}

fn constant(value: f32) -> Vec<f32> {
    vec![value; 64]
}

#[test]
fn aichess_is_white_then_black_then_the_turn() {
    for game in laws::sample_games(21, 200) {
        let mut expected = pieces(&game, Color::White, from_a8);
        expected.extend(constant(f32::from(u8::from(game.turn() == Color::White))));
        assert_eq!(tensor("aichess-13", &game), expected, "{}", game.fen());
    }
}

#[test]
fn catfish_is_white_or_who_has_just_moved() {
    for game in laws::sample_games(22, 200) {
        assert_eq!(tensor("catfish-12-white", &game), pieces(&game, Color::White, from_a1));
        assert_eq!(
            tensor("catfish-12", &game),
            pieces(&game, !game.turn(), behind_the_mover),
            "{}",
            game.fen()
        );
    }
}

#[test]
fn mlx_is_the_movers_board_turned_for_black() {
    for game in laws::sample_games(23, 200) {
        let mut expected = pieces(&game, game.turn(), turned);
        let castles = game.position().castles();
        let any = [chess::shakmaty::CastlingSide::KingSide, chess::shakmaty::CastlingSide::QueenSide]
            .into_iter()
            .any(|side| castles.has(game.turn(), side));
        expected.extend(constant(f32::from(u8::from(any))));
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let skipped = game.position().maybe_ep_square() == Some(turned(row, column, &game));
            expected.push(f32::from(u8::from(skipped)));
        }
        assert_eq!(tensor("mlx-14", &game), expected, "{}", game.fen());
    }
}

#[test]
fn knights_are_signed_numbers_and_counts() {
    let values = [
        (Role::Pawn, 8.0, 1.0),
        (Role::Knight, 2.0, 3.0),
        (Role::Bishop, 2.0, 3.1),
        (Role::Rook, 2.0, 5.0),
        (Role::Queen, 1.0, 9.0),
    ];
    for game in laws::sample_games(24, 200) {
        let board = game.position().board();
        let mut expected = Vec::new();
        for (number, role) in (1_u8..).zip(ROLES) {
            for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                let square = from_a8(row, column, &game);
                expected.push(match board.piece_at(square) {
                    Some(piece) if piece == role.of(Color::White) => f32::from(number),
                    Some(piece) if piece == role.of(Color::Black) => -f32::from(number),
                    _ => 0.0,
                });
            }
        }
        assert_eq!(tensor("knights-6", &game), expected, "{}", game.fen());
        for (color, sign) in [(Color::White, 1.0), (Color::Black, -1.0)] {
            for (role, at_start, value) in values {
                let count =
                    Square::ALL.into_iter().filter(|&square| board.piece_at(square) == Some(role.of(color)));
                expected.extend(constant(sign * count.count() as f32 / at_start * value));
            }
        }
        assert_eq!(tensor("knights-6-10", &game), expected, "{}", game.fen());
    }
}

#[test]
fn the_fourth_generation_of_knights_is_told_the_turn_and_whether_something_can_be_taken() {
    for game in laws::sample_games(27, 200) {
        let mut expected = tensor("knights-6", &game);
        expected.extend(constant(f32::from(u8::from(game.turn().is_white()))));
        let takes = game.legal_moves().iter().any(|chess_move| chess_move.is_capture());
        expected.extend(constant(f32::from(u8::from(takes))));
        assert_eq!(tensor("knights-6-2", &game), expected, "{}", game.fen());
    }
}

#[test]
fn the_knights_of_one_channel_add_the_turn_and_checks_or_where_moves_go_and_come_from() {
    for game in laws::sample_games(26, 200) {
        let board = game.position().board();
        let mut expected = Vec::new();
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let number = |piece: chess::shakmaty::Piece| {
                let place = ROLES.iter().position(|role| *role == piece.role).unwrap() as f32 + 1.0;
                if piece.color.is_white() { place } else { -place }
            };
            expected.push(board.piece_at(from_a8(row, column, &game)).map_or(0.0, number));
        }
        assert_eq!(tensor("knights-1", &game), expected, "{}", game.fen());
        let mut with_moves = expected.clone();
        for is_source in [false, true] {
            for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                let square = from_a8(row, column, &game);
                let has_move = game.legal_moves().into_iter().any(|one| {
                    let to = one.castling_side().map_or(one.to(), |side| side.king_to(game.turn()));
                    square == if is_source { one.from().unwrap() } else { to }
                });
                with_moves.push(f32::from(u8::from(has_move)));
            }
        }
        assert_eq!(tensor("knights-3", &game), with_moves, "{}", game.fen());
        expected.extend(constant(f32::from(u8::from(game.turn().is_white()))));
        let in_check = chess::shakmaty::Position::is_check(game.position());
        expected.extend(constant(f32::from(u8::from(in_check))));
        assert_eq!(tensor("knights-1-2", &game), expected, "{}", game.fen());
    }
}

#[test]
fn cogs188_shows_pieces_and_where_each_side_could_go() {
    for game in laws::sample_games(25, 200) {
        let found = tensor("cogs188-14", &game);
        assert_eq!(found[..12 * 64], pieces(&game, Color::White, from_a8));
        let plane = if game.turn() == Color::White { 12 } else { 13 };
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            let square = from_a8(row, column, &game);
            let reached = game.legal_moves().into_iter().any(|one| match one.castling_side() {
                Some(side) => side.king_to(game.turn()) == square,
                None => one.to() == square,
            });
            let value = found[plane * 64 + (row * 8 + column) as usize];
            assert_eq!(value, f32::from(u8::from(reached)), "{square} in {}", game.fen());
        }
    }
}

/// Positions that differ only in who is to move.
const SAME_BOARD: [&str; 2] = ["4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3q4/4P3/8/8/4K3 b - - 0 1"];

#[test]
fn s1_k7_the_default_input_knows_who_is_to_move() {
    let [white, black] = SAME_BOARD.map(game);
    assert_eq!(tensor("cogs188-14", &white), tensor("cogs188-14", &black), "the flaw");
    assert_ne!(tensor("tabiya", &white), tensor("tabiya", &black));
}

#[test]
fn s5_k2_the_default_input_knows_who_is_to_move() {
    let [white, black] = SAME_BOARD.map(game);
    assert_eq!(tensor("knights-6-10", &white), tensor("knights-6-10", &black), "the flaw");
    assert_ne!(tensor("tabiya", &white), tensor("tabiya", &black));
}

/// With the turn changed, the side that gives check could take the king.
#[test]
fn s1_k8_planes_of_moves_out_of_turn_take_the_king() {
    let check = game("4k3/8/8/8/8/8/8/K3R3 b - - 0 1");
    let e8 = 4;
    assert_eq!(tensor("cogs188-14", &check)[12 * 64 + e8], 1.0, "the flaw");
    assert!(
        tensor("tabiya", &check)[12 * 64..16 * 64].iter().all(|&value| value == 0.0),
        "no planes of moves"
    );
}

/// Planes are channels, and each piece has its own: swapping two planes turns one position's tensor into the other's.
#[test]
fn s1_k10_planes_come_first_in_a_tensor() {
    let (knight, bishop) = (game("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1"), game("4k3/8/8/8/8/8/8/1B2K3 w - - 0 1"));
    let (found, mut exchanged) = (tensor("aichess-13", &knight), tensor("aichess-13", &bishop));
    for square in 0..64 {
        exchanged.swap(64 + square, 2 * 64 + square);
    }
    assert_ne!(found, tensor("aichess-13", &bishop));
    assert_eq!(found, exchanged);
}

#[test]
fn s3_k2_the_default_input_shows_castling_and_en_passant() {
    for (with, without) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2"),
    ] {
        let (with, without) = (game(with), game(without));
        assert_eq!(tensor("aichess-13", &with), tensor("aichess-13", &without), "the flaw");
        assert_ne!(tensor("tabiya", &with), tensor("tabiya", &without));
    }
}

#[test]
fn s3_k4_a_position_and_its_colour_flipped_twin_are_one_input() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let flipped = laws::colour_flipped(&game);
    assert_ne!(tensor("aichess-13", &game), tensor("aichess-13", &flipped), "the flaw");
    assert_eq!(tensor("tabiya", &game), tensor("tabiya", &flipped));
}

#[test]
fn s4_k1_all_four_promotions_can_be_played() {
    let game = game("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    let promotions =
        ["a7a8q", "a7a8r", "a7a8b", "a7a8n"].map(|uci| parse_uci_move(game.position(), uci).unwrap());
    let decoded = |name: &str| {
        let encoding = move_encoding(name).unwrap();
        promotions.map(|one| encoding.decode(game.position(), encoding.index(game.position(), one)).unwrap())
    };
    assert_eq!(decoded("mlx-4096"), [promotions[3]; 4], "the flaw: always a knight");
    for name in ["lc0-1858", "uci-1968", "from-to-4096"] {
        assert_eq!(decoded(name), promotions, "{name}");
    }
}

#[test]
fn s4_k2_a_pawns_step_is_the_same_move_for_both_colours() {
    let white = Game::default();
    let black = game("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let index = |name: &str, game: &Game, uci: &str| {
        move_encoding(name).unwrap().index(game.position(), parse_uci_move(game.position(), uci).unwrap())
    };
    assert_eq!(
        (index("mlx-4096", &black, "e7e5"), index("mlx-4096", &white, "d2d4")),
        (731, 731),
        "the flaw"
    );
    assert_eq!((index("from-to-4096", &black, "e7e5"), index("from-to-4096", &white, "e2e4")), (796, 796));
}

#[test]
fn s4_k3_castling_rights_of_both_sides_and_wings_are_told_apart() {
    let rights =
        ["K", "Q", "KQ", "Kk", "Kq"].map(|rights| game(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1")));
    for pair in rights.windows(2) {
        assert_eq!(tensor("mlx-14", &pair[0]), tensor("mlx-14", &pair[1]), "the flaw");
        assert_ne!(tensor("tabiya", &pair[0]), tensor("tabiya", &pair[1]));
    }
}

#[test]
fn s4_k4_en_passant_is_shown_where_it_is_legal() {
    let mut game = Game::default();
    game.play_uci("e2e4").unwrap();
    assert_eq!(tensor("mlx-14", &game)[13 * 64..].iter().sum::<f32>(), 1.0, "the flaw: nobody can capture");
    assert_eq!(tensor("tabiya", &game)[16 * 64..17 * 64].iter().sum::<f32>(), 0.0);
}

#[test]
fn s5_k10_a_king_is_no_louder_than_a_pawn() {
    let loudest = |name: &str, range: std::ops::Range<usize>| {
        let found = tensor(name, &Game::default());
        found[range.start * 64..range.end * 64].iter().fold(0.0_f32, |most, value| most.max(value.abs()))
    };
    assert_eq!((loudest("knights-6", 0..1), loudest("knights-6", 5..6)), (1.0, 6.0), "the flaw");
    assert_eq!((loudest("tabiya", 0..1), loudest("tabiya", 5..6)), (1.0, 1.0));
}
