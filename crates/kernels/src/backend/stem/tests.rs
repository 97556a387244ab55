//! Compares the two implementations of the stem.

use super::*;
use crate::{
    backend::{
        Direct, Tiles,
        tests::{random::Random, round},
    },
    layout::POSITIONS,
    simd::{Portable, element::Bf16},
    tiles::Emulated,
};

/// The sums of a few boards, computed one after another in the same memory, without padding.
fn sums<G: Backend>(backend: &G, convolution: &Convolution, boards: &[Plane]) -> Vec<f32> {
    let channels = padded(convolution.outputs, CHANNEL_BLOCK);
    let sizes = crate::backend::Sizes { width: 0, outputs: channels };
    let stem = G::Stem::new(convolution);
    let (mut work, mut scratch) = (backend.work(sizes), stem.scratch());
    let mut output = vec![f32::NAN; POSITIONS * channels];
    let mut found = Vec::new();
    backend.begin(&mut work);
    for planes in boards.chunks_exact(convolution.inputs) {
        stem.run(backend, planes, ThreadMemory { work: &mut work, scratch: &mut scratch }, &mut output);
        let squares = (0..SQUARES).map(|square| &output[position(square) * channels..]);
        found.extend(squares.flat_map(|sums| sums[..convolution.outputs].iter().copied()));
    }
    backend.end(&mut work);
    found
}

#[test]
fn tiles_add_what_the_pieces_add() {
    let mut random = Random(3);
    for (kernel, planes, outputs) in
        [(3, 112, 64), (3, 20, 48), (1, 33, 17), (3, 1, 1), (1, 112, 80), (3, 32, 16)]
    {
        let mut convolution = random.convolution(kernel, planes, outputs);
        let mut boards = random.boards(5, planes);
        convolution.weights.iter_mut().for_each(round);
        for plane in &mut boards {
            round(&mut plane.value);
        }
        let sparse = sums(&Direct::<_, Bf16>::new(Portable), &convolution, &boards);
        for dense in [
            sums(&Tiles::<_, _, Bf16>::new(Portable, Emulated), &convolution, &boards),
            sums(&Tiles::<_, _, u8>::new(Portable, Emulated), &convolution, &boards),
        ] {
            assert_eq!(dense.len(), sparse.len());
            for (dense, sparse) in dense.iter().zip(&sparse) {
                let difference = (dense - sparse).abs();
                assert!(difference <= 2e-5, "{dense} and {sparse}, {kernel} {planes} {outputs}");
            }
        }
    }
}
