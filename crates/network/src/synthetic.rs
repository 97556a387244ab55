//! Legal positions from random games, with labels that a small network can learn, for tests in this crate and in crates
//! that use it.

use chess::{
    Game, Move, Score,
    encoding::{FeatureList, FeatureSet, InputEncoding, MoveEncoding, Plane},
    shakmaty::Position as _,
};
use dataset::{Batch, GameResult, SampleLists, SparseInputs, Stage, packed_position::PackedPosition};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Inputs, Spec};

/// A specification small enough for tests: one block of 16 channels.
///
/// # Panics
/// Never: it is valid.
pub fn tiny_spec() -> Spec {
    Spec::from_toml("blocks = 1\nchannels = 16\nvalue = { channels = 4, hidden = 16 }")
        .expect("a valid specification")
}

/// Positions of random games that have not ended.
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

/// A sparse network small enough for tests: two tables of 64 sums, two buckets.
///
/// # Panics
/// Never: it is valid.
pub fn tiny_sparse_spec() -> Spec {
    let text = r#"
        kind = "sparse"
        features = "attacks"
        width = 64
        hidden = [8, 12]
        buckets = 2
        policy_features = "pieces"
        policy_width = 64
    "#;
    Spec::from_toml(text).expect("a valid specification")
}

/// Encodes positions as a batch. The target move is picked at random (it has to be memorised), and the evaluation is
/// the mover's material. Every third sample also has a result, and every fifth has no evaluation.
///
/// # Panics
/// If the specification names an unknown encoding.
pub fn batch(spec: &Spec, games: &[Game], seed: u64) -> Batch {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let inputs = spec.inputs().expect("a specification names known encodings");
    let mut batch = Batch { size: games.len(), legal_offsets: vec![0], ..Batch::default() };
    for (number, game) in games.iter().enumerate() {
        let legal: Vec<Move> = game.legal_moves().into_iter().collect();
        match &inputs {
            Inputs::Planes(input, moves) => encode_planes(*input, *moves, game, &legal, &mut batch),
            Inputs::Features(sets) => encode_features(sets, game, &legal, &mut batch.sparse),
        }
        let target = random.random_range(0..legal.len());
        batch.policy.extend((0..legal.len()).map(|index| f32::from(u8::from(index == target))));
        batch.legal_offsets.push(batch.policy.len() as u32);
        batch.evaluations.push((number % 5 != 4).then(|| Score::Centipawns(material(game))));
        batch.results.push((number % 3 == 0).then_some(GameResult::Win));
        batch.search_values.push(None);
        let packed = PackedPosition::pack(game.position());
        batch.stages.push(Stage { ply: game.ply() as u16, material: packed.material() });
        batch.policy_weights.push(1.0);
        batch.value_weights.push(1.0);
        batch.keys.push(packed.key());
    }
    batch
}

fn encode_planes(
    input: &dyn InputEncoding,
    moves: &dyn MoveEncoding,
    game: &Game,
    legal: &[Move],
    batch: &mut Batch,
) {
    batch.plane_count = input.planes();
    let start = batch.planes.len();
    batch.planes.resize(start + batch.plane_count, Plane::EMPTY);
    input.encode(game, &mut batch.planes[start..]);
    batch.legal_indices.extend(legal.iter().map(|&legal| moves.index(game.position(), legal) as u16));
}

fn encode_features(sets: &[&'static dyn FeatureSet], game: &Game, legal: &[Move], sparse: &mut SparseInputs) {
    sparse.features.resize_with(sets.len(), SampleLists::default);
    sparse.push(game.position(), legal, sets, &mut FeatureList::new());
}

fn material(game: &Game) -> i32 {
    let board = game.position().board();
    let [own, other] = [game.turn(), !game.turn()].map(|color| {
        let pieces = board.material_side(color);
        i32::from(pieces.pawn) * 100
            + i32::from(pieces.knight + pieces.bishop) * 300
            + i32::from(pieces.rook) * 500
            + i32::from(pieces.queen) * 900
    });
    own - other
}
