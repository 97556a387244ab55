//! Compares backends with each other, layer by layer and as whole networks. The tile programs run on the emulated unit.

use super::*;
use crate::{
    Calibration, Outputs, Plan,
    layout::Boards,
    network::Network,
    program::Run,
    quantisation::scale_weights,
    simd::Portable,
    simd::element::{Bf16, Sum},
    tiles::{Emulated, TileElement},
};

#[path = "../../tests/support/random.rs"]
pub(crate) mod random;
use random::{MAIA, Random, Shape};

const BOARDS: usize = 3;

/// The sums of a convolution as floats, without the positions between ranks, with weights and activations in the range
/// of the format.
fn convolved<G: Backend>(backend: &G, (kernel, inputs, outputs): (usize, usize, usize)) -> Vec<f32> {
    let mut random = Random((kernel * 10_000 + inputs * 100 + outputs) as u64);
    let convolution = random.convolution(kernel, inputs, outputs);
    let matrix = Matrix { taps: kernel * kernel, inputs, outputs, weights: &convolution.weights };
    let scaled =
        scale_weights::<G::Element>(&matrix, &convolution.bias, crate::quantisation::QuantParams::IDENTITY);
    let matrix = Matrix { weights: &scaled.weights, ..matrix };
    let width = crate::layout::padded(inputs, G::CHANNELS);
    let layer = backend.pack_convolution(&matrix, width);
    let mut boards = Boards::new(BOARDS, width, G::Element::nearest(0.0));
    let range = if G::Element::QUANTISED { 255.0 } else { 1.0 };
    for board in 0..BOARDS {
        let first = boards.first(board);
        for square in 0..64 {
            for channel in 0..inputs {
                let at = first + crate::layout::position(square) * width + channel;
                boards.data[at] = G::Element::nearest(random.float().abs() * range);
            }
        }
    }
    let room = crate::layout::padded(outputs, 16);
    let mut work = backend.work(Sizes { width, outputs: room });
    let mut found = Vec::new();
    backend.begin(&mut work);
    backend.convolve(&layer, Batch { input: boards.grid(), boards: BOARDS }, &mut work, |_, sums| {
        for square in 0..64 {
            let sums = &sums[crate::layout::position(square) * room..][..outputs];
            let mut lanes = [0.0; 8];
            for sum in sums {
                let repeated = [*sum; 8];
                // SAFETY: `repeated` holds eight sums.
                lanes = unsafe { Sum::load(Portable, repeated.as_ptr()) };
                found.push(lanes[0]);
            }
            assert!(lanes[0].is_finite());
        }
    });
    backend.end(&mut work);
    found
}

const LAYERS: [(usize, usize, usize); 7] =
    [(3, 64, 64), (1, 64, 32), (3, 1, 1), (3, 33, 80), (1, 112, 17), (3, 48, 48), (1, 5, 130)];

fn compare<A: Backend, B: Backend>(a: &A, b: &B, tolerance: f32) {
    for layer in LAYERS {
        let (left, right) = (convolved(a, layer), convolved(b, layer));
        assert_eq!(left.len(), right.len());
        for (left, right) in left.iter().zip(&right) {
            assert!((left - right).abs() <= tolerance, "{left} and {right} in {layer:?}");
        }
    }
}

#[test]
fn tile_programs_add_what_plain_loops_add() {
    compare(&Tiles::<_, _, u8>::new(Portable, Emulated), &Direct::<_, u8>::new(Portable), 0.0);
    compare(&Tiles::<_, _, Bf16>::new(Portable, Emulated), &Direct::<_, Bf16>::new(Portable), 2e-5);
}

/// Without a configuration the unit faults, and with another one it writes beyond the sums.
#[test]
#[should_panic(expected = "a pass that has begun")]
fn a_tile_unit_multiplies_only_within_a_pass() {
    let backend = Tiles::<_, _, u8>::new(Portable, Emulated);
    let matrix = Matrix { taps: 1, inputs: 64, outputs: 16, weights: &[0.0; 1024] };
    let layer = backend.pack_convolution(&matrix, 64);
    let mut work = backend.work(Sizes { width: 64, outputs: 16 });
    backend.begin(&mut work);
    backend.end(&mut work);
    let boards = Boards::new(1, 64, 0_u8);
    backend.convolve(&layer, Batch { input: boards.grid(), boards: 1 }, &mut work, |_, _| ());
}

#[test]
fn winograds_algorithm_adds_what_plain_loops_add() {
    compare(&Winograd::new(Portable), &Direct::<_, f32>::new(Portable), 5e-5);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn every_engine_of_this_machine_adds_what_plain_loops_add() {
    use crate::{simd, tiles::Hardware};
    let exact = Direct::<_, u8>::new(Portable);
    let pairs = Direct::<_, Bf16>::new(Portable);
    let floats = Direct::<_, f32>::new(Portable);
    if let Some(token) = simd::Avx2::new() {
        compare(&Winograd::new(token), &floats, 5e-5);
        compare(&Direct::<_, f32>::new(token), &floats, 1e-5);
    }
    if let Some(token) = simd::Avx512::new() {
        compare(&Winograd::new(token), &floats, 5e-5);
        compare(&Direct::<_, f32>::new(token), &floats, 1e-5);
    }
    if let Some(token) = simd::Avx512Bf16::new() {
        compare(&Direct::<_, Bf16>::new(token), &pairs, 2e-5);
        if let Ok(unit) = Hardware::new() {
            compare(&Tiles::<_, _, Bf16>::new(token, unit), &pairs, 2e-5);
        }
    }
    if let Some(token) = simd::Avx512Vnni::new() {
        compare(&Direct::<_, u8>::new(token), &exact, 0.0);
        if let Ok(unit) = Hardware::new() {
            compare(&Tiles::<_, _, u8>::new(token, unit), &exact, 0.0);
        }
    }
}

/// Rounds to the nearest bf16 number: a tile unit's stem computes in bf16 whatever the format of the other layers.
pub(crate) fn round(value: &mut f32) {
    *value = Bf16::from_f32(*value).to_f32();
}

fn answers<G: Backend>(backend: G, plan: &Plan, calibration: &Calibration, boards: usize) -> Vec<f32> {
    let network = Network::new(backend, plan, Some(calibration)).unwrap();
    let mut planes = Random(5).boards(boards, plan.stem.inputs);
    for plane in &mut planes {
        round(&mut plane.value);
    }
    let mut found = Vec::new();
    let mut each = |_, answer: Outputs<'_>| {
        found.extend_from_slice(answer.value);
        found.extend(answer.moves_left);
        let width = network.policy_width().max(1);
        // Backends differ only in padding that is never read.
        found.extend(answer.policy.chunks(width).flat_map(|square| &square[..width.min(73)]));
    };
    network.run(network.memory().as_mut(), &planes, &mut each, &mut None);
    found
}

fn networks_agree<E: TileElement>(shape: &Shape, tolerance: f32)
where
    Portable: crate::simd::Lanes<E>,
{
    let mut plan = Random(8).plan(shape);
    plan.stem.weights.iter_mut().for_each(round);
    let calibration = Calibration { ranges: vec![6.0; plan.tensors().len()] };
    for boards in [1, 17] {
        let tiles = answers(Tiles::<_, _, E>::new(Portable, Emulated), &plan, &calibration, boards);
        let plain = answers(Direct::<_, E>::new(Portable), &plan, &calibration, boards);
        assert_eq!(tiles.len(), plain.len());
        for (tiles, plain) in tiles.iter().zip(&plain) {
            assert!((tiles - plain).abs() <= tolerance, "{tiles} and {plain} in {shape:?}");
        }
    }
}

#[test]
fn networks_on_emulated_tiles_are_those_of_plain_loops() {
    let small = Shape { planes: 20, blocks: 1, channels: 48, value: (16, 100, 3), ..MAIA };
    let dense = Shape { dense_policy: true, moves_left: true, channels: 32, ..small.clone() };
    for shape in [small, dense] {
        // A stem sum halfway between two levels, or any sum halfway between two bf16 numbers, may be rounded either way.
        networks_agree::<u8>(&shape, 0.02);
        networks_agree::<Bf16>(&shape, 0.05);
    }
}
