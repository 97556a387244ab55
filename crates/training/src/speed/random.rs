//! A random batch without chess content: speed does not depend on the values.

use chess::{Score, encoding::Plane};
use dataset::{Batch, Stage};
use network::architecture::PlaneArchitecture;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Number of legal moves per position; about the average in games.
const MOVES: usize = 32;

/// Planes with about the density of real ones, and as many moves as the network allows.
pub(super) fn random_batch(architecture: &PlaneArchitecture, size: usize) -> Batch {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let known: Vec<u16> = (0..architecture.moves())
        .filter(|&index| architecture.policy_slot(index).is_some())
        .map(|index| index as u16)
        .collect();
    let moves = MOVES.min(known.len());
    let mut batch = Batch {
        size,
        plane_count: architecture.planes(),
        legal_offsets: (0..=size).map(|sample| (sample * moves) as u32).collect(),
        evaluations: vec![Some(Score::Centipawns(30)); size],
        results: vec![None; size],
        search_values: vec![None; size],
        stages: vec![Stage { ply: 20, material: 70 }; size],
        policy_weights: vec![1.0; size],
        value_weights: vec![1.0; size],
        keys: vec![0; size],
        ..Batch::default()
    };
    for _ in 0..size {
        let mask = |_| random.random::<u64>() & random.random::<u64>() & random.random::<u64>();
        batch.planes.extend((0..batch.plane_count).map(mask).map(|mask| Plane { mask, value: 1.0 }));
        let first = random.random_range(0..known.len());
        batch.legal_indices.extend((0..moves).map(|number| known[(first + number) % known.len()]));
        batch.policy.extend((0..moves).map(|number| f32::from(u8::from(number == 0))));
    }
    batch
}
