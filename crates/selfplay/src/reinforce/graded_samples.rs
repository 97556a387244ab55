//! Graded moves as batches with signed targets.

use std::collections::HashSet;

use chess::encoding::{InputEncoding, MoveEncoding, Plane};
use dataset::{Batch, SparseInputs, Split, Stage, packed_position::PackedPosition, record::ply};
use training::{SampleStream, Samples, StreamRequest, TrainingError};

use super::{
    ReinforceSettings,
    drawn_games::{DrawnGame, DrawnMove},
    targets,
};

/// One in this number of games is held out. Chosen, not tuned.
const HELD_OUT: usize = 10;

/// The encodings of the network that learns.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Encodings<'a> {
    pub input: &'a dyn InputEncoding,
    pub moves: &'a dyn MoveEncoding,
}

/// The moves of an iteration, in memory.
pub struct GradedSamples {
    name: String,
    train: Vec<Batch>,
    held_out: Vec<Batch>,
}

impl GradedSamples {
    /// The samples of games whose moves have these advantages, before the factor of the settings.
    pub fn new(
        name: String,
        games: &[DrawnGame],
        advantages: &[Vec<f32>],
        encodings: Encodings<'_>,
        settings: &ReinforceSettings,
    ) -> Self {
        let mut samples = Self { name, train: Vec::new(), held_out: Vec::new() };
        for (number, (drawn, advantages)) in games.iter().zip(advantages).enumerate() {
            let split =
                if number % HELD_OUT == HELD_OUT - 1 { &mut samples.held_out } else { &mut samples.train };
            for (drawn_move, advantage) in drawn.moves.iter().zip(advantages) {
                let advantage = settings.advantage_scale * advantage;
                let DrawnMove { policy, start_policy, chosen, .. } = drawn_move;
                let targets = targets(policy, start_policy, *chosen, advantage, settings);
                split.push(encode(drawn, drawn_move, targets, encodings));
            }
        }
        samples
    }

    fn split(&self, split: Split) -> &[Batch] {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.held_out,
        }
    }
}

fn encode(
    drawn: &DrawnGame,
    drawn_move: &DrawnMove,
    policy: Vec<f32>,
    Encodings { input, moves }: Encodings<'_>,
) -> Batch {
    // From the whole game backwards, because input encodings read the history.
    let game = drawn.game.at_ply(drawn_move.ply);
    let mut planes = vec![Plane::EMPTY; input.planes()];
    input.encode(&game, &mut planes);
    let position = game.position();
    let (packed, legal) = (PackedPosition::pack(position), &drawn_move.legal);
    Batch {
        size: 1,
        plane_count: planes.len(),
        planes,
        sparse: SparseInputs::default(),
        legal_offsets: vec![0, legal.len() as u32],
        legal_indices: legal.iter().map(|&chess_move| moves.index(position, chess_move) as u16).collect(),
        policy,
        evaluations: vec![None],
        results: vec![None],
        search_values: vec![None],
        stages: vec![Stage { ply: ply(position), material: packed.material() }],
        policy_weights: vec![1.0],
        value_weights: vec![1.0],
        keys: vec![packed.key()],
    }
}

impl Samples for GradedSamples {
    fn hash(&self) -> String {
        self.name.clone()
    }

    fn positions(&self, split: Split) -> u64 {
        self.split(split).len() as u64
    }

    fn trained(&self, keys: &HashSet<u64>) -> Result<HashSet<u64>, TrainingError> {
        let found = self.train.iter().flat_map(|batch| &batch.keys);
        Ok(found.copied().filter(|key| keys.contains(key)).collect())
    }

    /// In a fixed order: moves that follow each other in a game are far apart, so a batch has few moves from one game.
    fn stream(&self, request: StreamRequest) -> Result<SampleStream, TrainingError> {
        /// Places between two such moves; after the last place the count wraps around. Chosen, not tuned: the thousandth
        /// prime, far above the length of a game. Samples share places only if their number is a multiple of it.
        const APART: usize = 7919;
        let samples = self.split(request.split);
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by_key(|place| (place * APART) % samples.len().max(1));
        let mut batches = Vec::new();
        for places in order.chunks(request.batch_size).skip(request.start.batch as usize) {
            // Training needs batches of one size; all held-out samples are measured.
            if request.split == Split::Train && places.len() < request.batch_size {
                continue;
            }
            // A chunk is never empty.
            let mut batch = samples[places[0]].clone();
            for &place in &places[1..] {
                batch.append(samples[place].clone());
            }
            batches.push(batch);
        }
        Ok(Box::new(batches.into_iter().map(Ok)))
    }
}
