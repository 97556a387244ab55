//! Training speed in positions per second: `cargo bench -p training --bench training -- SHAPE BATCH ...`.
//!
//! Arguments are pairs such as `4x48 256`; without arguments, a few small shapes are run.

use std::{io::Write as _, time::Instant};

use chess::encoding::Plane;
use dataset::{Batch, Stage};
use network::Spec;
use training::{Learner, LossConfig, OptimiserConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut pairs: Vec<(String, usize)> = Vec::new();
    for pair in arguments.chunks_exact(2) {
        pairs.push((pair[0].clone(), pair[1].parse()?));
    }
    if pairs.is_empty() {
        pairs =
            [("3x32", 256), ("4x48", 256), ("5x64", 256), ("4x48", 512)].map(|(s, b)| (s.into(), b)).to_vec();
    }
    for (shape, size) in pairs {
        let (blocks, channels) = shape.split_once('x').ok_or("a shape is BLOCKSxCHANNELS")?;
        let spec = Spec::from_toml(&format!("blocks = {blocks}\nchannels = {channels}"))?;
        let mut learner = Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 1)?;
        let batch = random_batch(size, spec.input_encoding()?.planes());
        learner.step(&batch, 1e-3)?;
        let start = Instant::now();
        let mut steps = 0;
        while start.elapsed().as_secs_f64() < 6.0 {
            learner.step(&batch, 1e-3)?;
            steps += 1;
        }
        let rate = (steps * size) as f64 / start.elapsed().as_secs_f64();
        let parameters = spec.parameter_count()?;
        writeln!(std::io::stdout(), "{shape} batch {size}: {rate:.0} positions/s, {parameters} parameters")?;
    }
    Ok(())
}

/// A random batch of realistic size and density, without chess content: speed does not depend on the values.
fn random_batch(size: usize, planes: usize) -> Batch {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let moves = 32_usize;
    Batch {
        size,
        plane_count: planes,
        planes: (0..size * planes).map(|_| Plane { mask: next() & next() & next(), value: 1.0 }).collect(),
        legal_offsets: (0..=size).map(|sample| (sample * moves) as u32).collect(),
        legal_indices: (0..size * moves).map(|_| (next() % 1792) as u16).collect(),
        policy: (0..size * moves).map(|index| f32::from(u8::from(index % moves == 0))).collect(),
        evaluations: vec![Some(chess::Score::Centipawns(30)); size],
        results: vec![None; size],
        search_values: vec![None; size],
        stages: vec![Stage { ply: 20, material: 70 }; size],
        policy_weights: vec![1.0; size],
        value_weights: vec![1.0; size],
        keys: vec![0; size],
        ..Batch::default()
    }
}
