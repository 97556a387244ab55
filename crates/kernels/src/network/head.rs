//! Policy, value and moves-left heads.

use super::{Convolved, Memory, Watch, excite::bias, target};
use crate::{
    Activation,
    aligned::Aligned,
    backend::{Backend, Batch, Sizes, SumOf, ThreadMemory},
    epilogue::{EpilogueInPlace, RowEpilogue, Skip, Target},
    gemm::{Gemm, Matrix, Packed, Rows},
    layout::{Boards, CHANNEL_BLOCK, Flat, SQUARES, padded},
    plan::Dense,
    quantisation::QuantParams,
    simd::Simd,
    simd::element::{Element, Sum},
};

/// A value or moves-left head: convolution, hidden layer, output layer.
pub(super) struct PackedHead<G: Backend> {
    convolution: Convolved<G>,
    hidden: Connected<G>,
    output: Packed<f32>,
    output_bias: Aligned<f32>,
    ones: Aligned<f32>,
    /// Number of outputs, without padding.
    outputs: usize,
}

pub(super) struct HeadMemory<G: Backend> {
    /// `[boards][64][width]`.
    flat: Flat<G::Element>,
    sums: Flat<SumOf<G>>,
    hidden: Flat<f32>,
    answer: Flat<f32>,
}

impl<G: Backend> PackedHead<G> {
    /// Packs the last layer, which computes in floats, after the layers that are already packed.
    pub(super) fn new(convolution: Convolved<G>, hidden: Connected<G>, output: &Dense) -> Self {
        let matrix =
            Matrix { taps: 1, inputs: output.inputs, outputs: output.outputs, weights: &output.weights };
        let packed = Packed::new::<G::Simd>(&matrix, hidden.outputs);
        let width = packed.outputs;
        Self {
            convolution,
            hidden,
            output: packed,
            output_bias: bias(&output.bias, width),
            ones: Aligned::filled(width, 1.0),
            outputs: output.outputs,
        }
    }

    pub(super) fn memory(&self, zero: G::Element) -> HeadMemory<G> {
        let flat = SQUARES * padded(self.convolution.channels, G::CHANNELS);
        HeadMemory {
            flat: Flat::new(G::BOARDS, flat, zero),
            sums: Flat::new(G::BOARDS, self.hidden.outputs, SumOf::<G>::ZERO),
            hidden: Flat::new(G::BOARDS, self.hidden.outputs, 0.0),
            answer: Flat::new(G::BOARDS, self.output.outputs, 0.0),
        }
    }

    pub(super) fn sizes(&self) -> Sizes {
        Sizes { width: 0, outputs: self.convolution.channels }
    }

    pub(super) fn answer<'a>(&self, memory: &'a HeadMemory<G>, board: usize) -> &'a [f32] {
        &memory.answer.board(board)[..self.outputs]
    }

    pub(super) fn run(
        &self,
        backend: &G,
        trunk: Trunk<'_, G::Element>,
        memory: ThreadMemory<'_, G::Work, HeadMemory<G>>,
        watch: &mut Watch<'_>,
    ) {
        let (simd, boards) = (backend.simd(), trunk.boards);
        let ThreadMemory { work, scratch: HeadMemory { flat, sums, hidden, answer } } = memory;
        flatten(backend, &self.convolution, trunk, work, flat);
        see(watch, self.convolution.tensor, self.convolution.quantisation, flat, boards);
        self.hidden.run(backend, work, DenseBuffers { input: flat, sums, output: hidden }, boards);
        for board in 0..boards {
            let output = &mut answer.data[board * self.output.outputs..][..self.output.outputs];
            let rows = Rows { first: 0, group_stride: 0, stride: 0 };
            simd.run(Gemm {
                input: hidden.board(board),
                input_rows: rows,
                taps: &[0],
                weights: &self.output,
                output: &mut *output,
                output_rows: rows,
                size: (1, 1),
            });
            simd.run(EpilogueInPlace {
                row: output,
                scale: &self.ones,
                shift: &self.output_bias,
                activation: Activation::Identity,
            });
        }
    }
}

pub(super) enum PackedPolicy<G: Backend> {
    Planes {
        first: Convolved<G>,
        second: Convolved<G>,
    },
    /// A convolution and a dense layer.
    Dense {
        convolution: Convolved<G>,
        dense: Connected<G>,
    },
}

/// Scratch memory of the policy head.
pub(super) struct PolicyMemory<G: Backend> {
    inner: Boards<G::Element>,
    flat: Flat<G::Element>,
    sums: Flat<SumOf<G>>,
    /// `[boards][64][planes]` or `[boards][moves]`.
    pub(super) answer: Flat<f32>,
}

impl<G: Backend> PackedPolicy<G> {
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Planes { second, .. } => second.channels,
            Self::Dense { .. } => 0,
        }
    }

    pub(super) fn sizes(&self) -> Sizes {
        match self {
            Self::Planes { first, second } => Sizes {
                width: padded(first.channels, G::CHANNELS),
                outputs: first.channels.max(second.channels),
            },
            Self::Dense { convolution, .. } => Sizes { width: 0, outputs: convolution.channels },
        }
    }

    pub(super) fn memory(&self, zero: G::Element) -> PolicyMemory<G> {
        let boards = G::BOARDS;
        match self {
            Self::Planes { first, second } => PolicyMemory {
                inner: Boards::new(boards, padded(first.channels, G::CHANNELS), zero),
                flat: Flat::new(0, 0, zero),
                sums: Flat::new(0, 0, SumOf::<G>::ZERO),
                answer: Flat::new(boards, SQUARES * second.channels, 0.0),
            },
            Self::Dense { convolution, dense } => PolicyMemory {
                inner: Boards::new(0, CHANNEL_BLOCK, zero),
                flat: Flat::new(boards, SQUARES * padded(convolution.channels, G::CHANNELS), zero),
                sums: Flat::new(boards, dense.outputs, SumOf::<G>::ZERO),
                answer: Flat::new(boards, dense.outputs, 0.0),
            },
        }
    }

    pub(super) fn run(&self, backend: &G, memory: &mut Memory<G>, boards: usize, watch: &mut Watch<'_>) {
        let simd = backend.simd();
        let Memory { trunk, work, policy: PolicyMemory { inner, flat, sums, answer }, .. } = memory;
        match self {
            Self::Planes { first, second } => {
                backend.convolve(
                    &first.weights,
                    Batch { input: trunk.grid(), boards },
                    work,
                    |board, sums| {
                        simd.run(first.epilogue(sums, first.scale_shift(), Skip::None, target(inner, board)));
                    },
                );
                super::see(watch, first.tensor, first.quantisation, inner, boards);
                backend.convolve(
                    &second.weights,
                    Batch { input: inner.grid(), boards },
                    work,
                    |board, sums| {
                        simd.run(second.epilogue(
                            sums,
                            second.scale_shift(),
                            Skip::None,
                            row(answer, board, second.channels),
                        ));
                    },
                );
            }
            Self::Dense { convolution, dense } => {
                flatten(backend, convolution, Trunk { output: trunk, boards }, work, flat);
                see(watch, convolution.tensor, convolution.quantisation, flat, boards);
                dense.run(backend, work, DenseBuffers { input: flat, sums, output: answer }, boards);
            }
        }
    }
}

/// Runs a convolution whose result has no zeros between ranks.
fn flatten<G: Backend>(
    backend: &G,
    convolution: &Convolved<G>,
    trunk: Trunk<'_, G::Element>,
    work: &mut G::Work,
    flat: &mut Flat<G::Element>,
) {
    let width = flat.stride / SQUARES;
    let batch = Batch { input: trunk.output.grid(), boards: trunk.boards };
    backend.convolve(&convolution.weights, batch, work, |board, sums| {
        backend.simd().run(convolution.epilogue(
            sums,
            convolution.scale_shift(),
            Skip::None,
            row(flat, board, width),
        ));
    });
}

fn row<E: Element>(flat: &mut Flat<E>, board: usize, width: usize) -> Target<'_, E> {
    Target { first: board * flat.stride, data: &mut flat.data, rank: 8, width }
}

fn see<E: Element>(
    watch: &mut Watch<'_>,
    tensor: usize,
    quantisation: QuantParams,
    flat: &Flat<E>,
    boards: usize,
) {
    let Some(watch) = watch else { return };
    for board in 0..boards {
        let real = |element: &E| (element.to_f32() - quantisation.zero_point) * quantisation.scale;
        watch(tensor, &flat.board(board).iter().map(real).collect::<Vec<_>>());
    }
}

/// A dense layer after a convolution.
pub(super) struct Connected<G: Backend> {
    pub(super) weights: G::Dense,
    /// Padded number of outputs.
    pub(super) outputs: usize,
    pub(super) scale: Aligned<f32>,
    pub(super) shift: Aligned<f32>,
    pub(super) activation: Activation,
}

/// Input, sums and output of a dense layer.
struct DenseBuffers<'a, G: Backend> {
    input: &'a Flat<G::Element>,
    sums: &'a mut Flat<SumOf<G>>,
    output: &'a mut Flat<f32>,
}

/// The output of the tower for the first `boards` boards of the memory.
#[derive(Clone, Copy)]
pub(super) struct Trunk<'a, E> {
    pub(super) output: &'a Boards<E>,
    pub(super) boards: usize,
}

impl<G: Backend> Connected<G> {
    fn run(&self, backend: &G, work: &mut G::Work, buffers: DenseBuffers<'_, G>, boards: usize) {
        let DenseBuffers { input, sums, output } = buffers;
        backend.dense(&self.weights, Batch { input, boards }, work, sums);
        for board in 0..boards {
            let stride = output.stride;
            backend.simd().run(RowEpilogue {
                sums: &sums.board(board)[..self.outputs],
                scale: &self.scale,
                shift: &self.shift,
                activation: self.activation,
                target: &mut output.data[board * stride..][..stride],
            });
        }
    }
}
