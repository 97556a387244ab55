//! Every listed input encoding obeys the laws and agrees with a slow implementation of its documentation.

use chess::{
    CastlingMode, Chess, Color, Game, Position, Role, Square,
    encoding::{
        INPUTS, InputEncoding, LawBreak, Plane,
        input::{input_encoding, write_dense},
    },
    laws,
    shakmaty::CastlingSide,
};

const SIDES: [CastlingSide; 2] = [CastlingSide::KingSide, CastlingSide::QueenSide];

#[test]
fn every_listed_encoding_obeys_the_laws() {
    let games = laws::sample_games(1, 600);
    for encoding in INPUTS {
        laws::input::check(*encoding, &games);
        assert_eq!(input_encoding(encoding.name()).unwrap().name(), encoding.name());
    }
}

const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

fn dense(encoding: &dyn InputEncoding, game: &Game) -> Vec<f32> {
    let mut planes = vec![Plane::EMPTY; encoding.planes()];
    encoding.encode(game, &mut planes);
    let mut out = vec![f32::NAN; planes.len() * 64];
    write_dense(&planes, &mut out);
    out
}

/// The square at `index` in the viewer's view.
fn seen(index: usize, viewer: Color) -> Square {
    let square = Square::new(index as u32);
    if viewer == Color::White { square } else { square.flip_vertical() }
}

/// Twelve planes, square by square.
fn reference_pieces(position: &Chess, viewer: Color, out: &mut [f32]) {
    for (index, square) in (0..64).map(|index| (index, seen(index, viewer))) {
        if let Some(piece) = position.board().piece_at(square) {
            let role = ROLES.iter().position(|role| *role == piece.role).unwrap();
            let side = if piece.color == viewer { 0 } else { 6 };
            out[(side + role) * 64 + index] = 1.0;
        }
    }
}

fn reference_tabiya(game: &Game) -> Vec<f32> {
    let (position, viewer) = (game.position(), game.turn());
    let mut out = vec![0.0; 20 * 64];
    reference_pieces(position, viewer, &mut out);
    for (plane, (color, side)) in
        (12..).zip([viewer, !viewer].into_iter().flat_map(|c| SIDES.map(|s| (c, s))))
    {
        if position.castles().has(color, side) {
            out[plane * 64..][..64].fill(1.0);
        }
    }
    for chess_move in game.legal_moves() {
        if chess_move.is_en_passant() {
            let index = (0..64).find(|&index| seen(index, viewer) == chess_move.to()).unwrap();
            out[16 * 64 + index] = 1.0;
        }
    }
    out[17 * 64..][..64].fill((position.halfmoves() as f32 / 100.0).min(1.0));
    let occurrences = game.history().iter().filter(|entry| entry.position == *position).count();
    out[18 * 64..][..64].fill(f32::from(u8::from(occurrences > 1)));
    out[19 * 64..][..64].fill(1.0);
    out
}

#[test]
fn tabiya_agrees_with_its_description() {
    let mut captures = 0;
    for game in laws::sample_games(2, 600) {
        let out = dense(input_encoding("tabiya").unwrap(), &game);
        assert_eq!(out, reference_tabiya(&game), "{}", game.fen());
        captures += usize::from(out[16 * 64..17 * 64].contains(&1.0));
    }
    assert!(captures > 5, "hardly any en passant ({captures})");
}

/// lc0's classical planes from the description in its source, square by square.
fn reference_lc0(game: &Game, fill: bool) -> Vec<f32> {
    let (position, viewer) = (game.position(), game.turn());
    let mut out = vec![0.0; 112 * 64];
    for ago in 0..8 {
        let block = &mut out[ago * 13 * 64..][..13 * 64];
        let known = game.history().len().checked_sub(ago + 1);
        if known.is_none() && !fill {
            continue;
        }
        let entry = &game.history()[known.unwrap_or(0)];
        reference_pieces(&entry.position, viewer, block);
        if entry.repetitions > 0 {
            block[12 * 64..].fill(1.0);
        }
        if let (None, Some(skipped)) = (known, entry.position.maybe_ep_square()) {
            // The pawn goes back over the skipped square.
            let pushed_by = !entry.position.turn();
            let (origin, target) = if pushed_by == Color::White { (-8, 8) } else { (8, -8) };
            let plane = if pushed_by == viewer { 0 } else { 6 };
            let index = |offset| {
                let square = skipped.offset(offset).unwrap();
                (0..64).find(|&index| seen(index, viewer) == square).unwrap()
            };
            block[plane * 64 + index(target)] = 0.0;
            block[plane * 64 + index(origin)] = 1.0;
        }
    }
    let rights =
        [viewer, !viewer].into_iter().flat_map(|color| [SIDES[1], SIDES[0]].map(|side| (color, side)));
    for (plane, (color, side)) in (104..).zip(rights) {
        out[plane * 64..][..64].fill(f32::from(u8::from(position.castles().has(color, side))));
    }
    out[108 * 64..][..64].fill(f32::from(u8::from(viewer == Color::Black)));
    out[109 * 64..][..64].fill(position.halfmoves() as f32);
    out[111 * 64..][..64].fill(1.0);
    out
}

#[test]
fn lc0_planes_agree_with_the_description_of_lc0() {
    for mut game in laws::sample_games(3, 300) {
        let from_orthodox_start = game.history()[0].position == Chess::default();
        // Include short games, where history is filled.
        for _ in 0..12 {
            for (name, fill) in
                [("lc0-112-fill-no", false), ("lc0-112", !from_orthodox_start), ("lc0-112-fill-always", true)]
            {
                let out = dense(input_encoding(name).unwrap(), &game);
                assert_eq!(
                    out,
                    reference_lc0(&game, fill),
                    "{name} in {} after {} moves",
                    game.fen(),
                    game.ply()
                );
            }
            let back = (game.ply() / 2).max(1);
            for _ in 0..back {
                game.undo();
            }
        }
    }
}

#[test]
fn a_filled_position_with_en_passant_shows_the_pawn_before_its_step() {
    let game = Game::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", CastlingMode::Standard).unwrap();
    let mut planes = [Plane::EMPTY; 112];
    input_encoding("lc0-112").unwrap().encode(&game, &mut planes);
    let square = |square: Square| 1_u64 << u32::from(square);
    assert_eq!(planes[6].mask, square(Square::D5), "now");
    assert_eq!(planes[13 + 6].mask, square(Square::D7), "one position ago");
    assert_eq!(planes[7 * 13 + 6].mask, square(Square::D7), "seven positions ago");
    assert_eq!(planes[13].mask, square(Square::E5), "own pawns stand still");
}

/// Each of these breaks one law; the suite must refuse it.
mod the_laws_refuse {
    use super::*;

    #[derive(PartialEq)]
    enum Broken {
        Nowhere,
        SeesColours,
        LeavesAPlane,
        LooksBack,
        IsInfinite,
        ConfessesInVain,
        SharesSquares,
        HasAnUnevenNumber,
    }

    impl InputEncoding for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn planes(&self) -> usize {
            2
        }

        fn history(&self) -> usize {
            1
        }

        fn channels(&self) -> usize {
            if *self == Self::SharesSquares { 1 } else { 2 }
        }

        fn channel(&self, plane: usize) -> usize {
            if *self == Self::SharesSquares { 0 } else { plane }
        }

        fn channel_name(&self, channel: usize) -> String {
            format!("channel {channel}")
        }

        fn scalars(&self) -> usize {
            usize::from(*self == Self::HasAnUnevenNumber)
        }

        fn breaks(&self) -> &'static [LawBreak] {
            if *self == Self::ConfessesInVain { &[LawBreak { law: 2, reason: "none" }] } else { &[] }
        }

        fn encode(&self, game: &Game, planes: &mut [Plane]) {
            planes[0] = match self {
                Self::SeesColours => Plane::flag(game.turn() == Color::Black),
                Self::LooksBack => Plane::constant(game.ply() as f32),
                Self::IsInfinite => Plane::constant(f32::INFINITY),
                Self::SharesSquares => Plane::squares(1),
                Self::Nowhere | Self::LeavesAPlane | Self::ConfessesInVain | Self::HasAnUnevenNumber => {
                    Plane::EMPTY
                }
            };
            if *self != Self::LeavesAPlane {
                planes[1] =
                    if *self == Self::HasAnUnevenNumber { Plane::squares(1) } else { Plane::flag(true) };
            }
        }
    }

    #[test]
    fn nothing_in_a_sound_one() {
        laws::input::check(&Broken::Nowhere, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 2 (colour-flip symmetry)")]
    fn one_that_sees_colours() {
        laws::input::check(&Broken::SeesColours, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 1 (all planes overwritten)")]
    fn one_that_leaves_a_plane() {
        laws::input::check(&Broken::LeavesAPlane, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 1 (only the last positions)")]
    fn one_that_looks_further_back_than_declared() {
        laws::input::check(&Broken::LooksBack, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 3 (finite values)")]
    fn one_with_infinite_values() {
        laws::input::check(&Broken::IsInfinite, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "declares it broken, but it holds")]
    fn one_that_declares_a_break_it_does_not_have() {
        laws::input::check(&Broken::ConfessesInVain, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 4 (no square twice)")]
    fn one_whose_channel_has_a_square_twice() {
        laws::input::check(&Broken::SharesSquares, &laws::sample_games(4, 30));
    }

    #[test]
    #[should_panic(expected = "law 4 (numbers are the same everywhere)")]
    fn one_whose_number_differs_from_square_to_square() {
        laws::input::check(&Broken::HasAnUnevenNumber, &laws::sample_games(4, 30));
    }
}
