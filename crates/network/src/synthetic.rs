//! Real positions from random games, with labels that a small network can learn: for tests, here and in crates above.

use chess::{Game, Move, Score, shakmaty::Position as _};
use dataset::{Batch, GameResult, Stage, packed_position::PackedPosition};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Spec;

/// A specification small enough for tests: one block of 16 channels.
///
/// # Panics
/// Never: it is valid.
pub fn tiny_spec() -> Spec {
    Spec::from_toml("blocks = 1\nchannels = 16\nvalue = { channels = 4, hidden = 16 }")
        .expect("a valid specification")
}

/// Positions of random games, without endings.
pub fn positions(count: usize, seed: u64) -> Vec<Game> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut positions = Vec::new();
    let mut game = Game::default();
    while positions.len() < count {
        let moves = game.legal_moves();
        if game.outcome().is_some() || moves.is_empty() || game.ply() > 100 {
            game = Game::default();
            continue;
        }
        positions.push(game.clone());
        game.play_unchecked(moves[random.random_range(0..moves.len())]);
    }
    positions
}

/// Encodes positions as a batch: the target move is picked at random (it has to be memorised), the evaluation is the
/// mover's material, every third sample has a result too, every fifth no evaluation.
///
/// # Panics
/// Where the specification names an encoding that no list knows.
pub fn batch(spec: &Spec, games: &[Game], seed: u64) -> Batch {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let input = spec.input_encoding().expect("a specification names known encodings");
    let moves = spec.move_encoding().expect("a specification names known encodings");
    let mut batch =
        Batch { size: games.len(), plane_count: input.planes(), legal_offsets: vec![0], ..Batch::default() };
    batch.planes = vec![chess::encoding::Plane::EMPTY; games.len() * input.planes()];
    for (number, game) in games.iter().enumerate() {
        input.encode(game, &mut batch.planes[number * input.planes()..][..input.planes()]);
        let legal: Vec<Move> = game.legal_moves().into_iter().collect();
        let target = random.random_range(0..legal.len());
        for (index, &chess_move) in legal.iter().enumerate() {
            batch.legal_indices.push(moves.index(game.position(), chess_move) as u16);
            batch.policy.push(f32::from(u8::from(index == target)));
        }
        batch.legal_offsets.push(batch.legal_indices.len() as u32);
        batch.evaluations.push((number % 5 != 4).then(|| Score::Centipawns(material(game))));
        batch.results.push((number % 3 == 0).then_some(GameResult::Win));
        batch.search_values.push(None);
        let packed = PackedPosition::pack(game.position());
        batch.stages.push(Stage { ply: game.ply() as u16, material: packed.material() });
        batch.weights.push(1.0);
        batch.keys.push(packed.key());
    }
    batch
}

fn material(game: &Game) -> i32 {
    let board = game.position().board();
    let side = |color| {
        let pieces = board.material_side(color);
        i32::from(pieces.pawn) * 100
            + i32::from(pieces.knight + pieces.bishop) * 300
            + i32::from(pieces.rook) * 500
            + i32::from(pieces.queen) * 900
    };
    side(game.turn()) - side(!game.turn())
}
