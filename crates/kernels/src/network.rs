//! A whole network on one backend: packed once, then run without allocating.

mod compile;
mod excite;
mod head;

use std::any::Any;

use chess::encoding::Plane;

use self::{
    excite::{Excite, Gating},
    head::{HeadMemory, PackedHead, PackedPolicy, PolicyMemory, Trunk},
};
use crate::{
    Activation, Operations, Outputs,
    aligned::Aligned,
    backend::{Backend, Batch, Sizes, Stem, SumOf, ThreadMemory},
    epilogue::{Epilogue, ScaleShift, Skip, Target},
    layout::{Boards, Flat, POSITIONS, SQUARES, padded},
    program::Run,
    quantisation::QuantParams,
    simd::{Simd, element::Element},
};

/// A network, packed for one backend.
pub(crate) struct Network<G: Backend> {
    backend: G,
    planes: usize,
    stem: G::Stem,
    stem_scale: Aligned<f32>,
    stem_shift: Aligned<f32>,
    stem_activation: Activation,
    stem_quantisation: QuantParams,
    blocks: Vec<PackedBlock<G>>,
    policy: PackedPolicy<G>,
    value: PackedHead<G>,
    moves_left: Option<PackedHead<G>>,
    /// The int8 level that represents zero.
    zero_point: f32,
    operations: Operations,
}

/// Observes every activation between layers: its index in the calibration, and its values for one board.
pub(crate) type Watch<'a> = Option<&'a mut dyn FnMut(usize, &[f32])>;

/// A convolution with its epilogue.
pub(crate) struct Convolved<G: Backend> {
    weights: G::Convolution,
    /// Padded number of outputs.
    channels: usize,
    scale: Aligned<f32>,
    shift: Aligned<f32>,
    activation: Activation,
    quantisation: QuantParams,
    /// The index of the result in the calibration.
    tensor: usize,
}

struct PackedBlock<G: Backend> {
    first: Convolved<G>,
    second: Convolved<G>,
    excite: Option<Excite>,
}

impl<G: Backend> Run for Network<G> {
    fn operations(&self) -> Operations {
        self.operations
    }

    fn policy_width(&self) -> usize {
        self.policy.width()
    }

    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(Memory::new(self))
    }

    fn run(
        &self,
        memory: &mut (dyn Any + Send),
        planes: &[Plane],
        each: &mut dyn FnMut(usize, Outputs<'_>),
        watch: &mut Watch<'_>,
    ) {
        let memory =
            memory.downcast_mut::<Memory<G>>().expect("an arena is used with the program that made it");
        assert!(planes.len().is_multiple_of(self.planes), "whole positions");
        self.backend.begin(&mut memory.work);
        for (chunk, planes) in planes.chunks(G::BOARDS * self.planes).enumerate() {
            let boards = planes.len() / self.planes;
            self.chunk(memory, planes, watch);
            for board in 0..boards {
                let moves_left =
                    self.moves_left.as_ref().map(|head| head.answer(&memory.moves_left, board)[0]);
                let answer = Outputs {
                    policy: memory.policy.answer.board(board),
                    value: self.value.answer(&memory.value, board),
                    moves_left: moves_left.map(|moves| moves.max(0.0)),
                };
                each(chunk * G::BOARDS + board, answer);
            }
        }
        self.backend.end(&mut memory.work);
    }
}

impl<G: Backend> Network<G> {
    fn chunk(&self, memory: &mut Memory<G>, planes: &[Plane], watch: &mut Watch<'_>) {
        let boards = planes.len() / self.planes;
        for (board, planes) in planes.chunks_exact(self.planes).enumerate() {
            self.run_stem(memory, board, planes);
        }
        see(watch, 0, self.stem_quantisation, &memory.trunk, boards);
        for block in &self.blocks {
            self.block(block, memory, boards, watch);
        }
        self.policy.run(&self.backend, memory, boards, watch);
        let Memory { trunk, work, value, moves_left, .. } = memory;
        let trunk = Trunk { output: trunk, boards };
        self.value.run(&self.backend, trunk, ThreadMemory { work, scratch: value }, watch);
        if let Some(head) = &self.moves_left {
            head.run(&self.backend, trunk, ThreadMemory { work, scratch: moves_left }, watch);
        }
    }

    /// Step 1: from the planes to the trunk.
    fn run_stem(&self, memory: &mut Memory<G>, board: usize, planes: &[Plane]) {
        let simd = self.backend.simd();
        let Memory { trunk, exact, stem_sums, stem, work, .. } = memory;
        self.stem.run(&self.backend, planes, ThreadMemory { work, scratch: stem }, stem_sums);
        let channels = self.stem_scale.len();
        simd.run(Epilogue {
            sums: &stem_sums[..],
            channels,
            scale: &self.stem_scale,
            shift: &self.stem_shift,
            skip: match exact {
                Some(exact) => {
                    Skip::Record(&mut exact.data[board * SQUARES * channels..][..SQUARES * channels])
                }
                None => Skip::None,
            },
            activation: self.stem_activation,
            target: target(trunk, board),
            quantisation: self.stem_quantisation,
        });
    }

    /// Step 2, for each block: from the trunk to the inner activations, and back onto the trunk.
    fn block(&self, block: &PackedBlock<G>, memory: &mut Memory<G>, boards: usize, watch: &mut Watch<'_>) {
        let simd = self.backend.simd();
        let Memory { trunk, inner, exact, work, excite: gates, .. } = memory;
        let PackedBlock { first, second, excite } = block;
        self.backend.convolve(&first.weights, Batch { input: trunk.grid(), boards }, work, |board, sums| {
            simd.run(first.epilogue(sums, first.scale_shift(), Skip::None, target(inner, board)));
        });
        see(watch, first.tensor, first.quantisation, inner, boards);
        let channels = second.channels;
        // The trunk is overwritten in place although it is also the skip connection: this convolution reads only `inner`, and the
        // epilogue reads each element of the trunk before it writes it. A convolution that read the trunk here would need a
        // second one.
        self.backend.convolve(&second.weights, Batch { input: inner.grid(), boards }, work, |board, sums| {
            let skip = match exact {
                Some(exact) => {
                    Skip::Exact(&mut exact.data[board * SQUARES * channels..][..SQUARES * channels])
                }
                None => Skip::Target,
            };
            let factors = match excite {
                Some(excite) => excite.run(simd, sums, second.scale_shift(), gates),
                None => second.scale_shift(),
            };
            simd.run(second.epilogue(sums, factors, skip, target(trunk, board)));
        });
        see(watch, second.tensor, second.quantisation, trunk, boards);
    }
}

impl<G: Backend> Convolved<G> {
    fn scale_shift(&self) -> ScaleShift<'_> {
        ScaleShift { scale: &self.scale, shift: &self.shift }
    }

    /// The epilogue for one board's sums.
    fn epilogue<'a, E: Element>(
        &self,
        sums: &'a [SumOf<G>],
        ScaleShift { scale, shift }: ScaleShift<'a>,
        skip: Skip<'a>,
        target: Target<'a, E>,
    ) -> Epilogue<'a, SumOf<G>, E> {
        let Self { channels, activation, quantisation, .. } = *self;
        Epilogue { sums, channels, scale, shift, skip, activation, target, quantisation }
    }
}

fn target<E: Element>(boards: &mut Boards<E>, board: usize) -> Target<'_, E> {
    let (first, width) = (boards.first(board), boards.width);
    Target { data: &mut boards.data, first, rank: crate::layout::RANK, width }
}

/// Passes activations to the observer of a calibration.
fn see<E: Element>(
    watch: &mut Watch<'_>,
    tensor: usize,
    quantisation: QuantParams,
    boards: &Boards<E>,
    count: usize,
) {
    let Some(watch) = watch else { return };
    for board in 0..count {
        let first = boards.first(board);
        let squares = (0..SQUARES).flat_map(|square| {
            let at = first + crate::layout::position(square) * boards.width;
            boards.data[at..at + boards.width].iter()
        });
        let real = |element: &E| (element.to_f32() - quantisation.zero_point) * quantisation.scale;
        watch(tensor, &squares.map(real).collect::<Vec<_>>());
    }
}

type Scratch<G> = <<G as Backend>::Stem as Stem<G>>::Scratch;

/// Activations of [`Backend::BOARDS`] positions.
pub(crate) struct Memory<G: Backend> {
    /// The tower's input and output.
    trunk: Boards<G::Element>,
    /// The activations between the two convolutions of a block.
    inner: Boards<G::Element>,
    /// The trunk in 32-bit floats, if its own format is too coarse to accumulate in.
    exact: Option<Flat<f32>>,
    stem_sums: Aligned<f32>,
    stem: Scratch<G>,
    excite: Gating,
    policy: PolicyMemory<G>,
    value: HeadMemory<G>,
    moves_left: HeadMemory<G>,
    work: G::Work,
}

impl<G: Backend> Memory<G> {
    fn new(network: &Network<G>) -> Self {
        let channels = network.stem_scale.len();
        let width = padded(channels, G::CHANNELS);
        let zero = G::Element::nearest(network.zero_point);
        let widest = |sizes: Sizes, more: Sizes| Sizes {
            width: sizes.width.max(more.width),
            outputs: sizes.outputs.max(more.outputs),
        };
        let firsts = network.blocks.iter().map(|block| block.first.channels).max().unwrap_or(channels);
        let inner_width = padded(firsts, G::CHANNELS);
        let sizes = Sizes { width: width.max(inner_width), outputs: channels.max(firsts) };
        let heads = [Some(&network.value), network.moves_left.as_ref()].into_iter().flatten();
        let sizes = heads.map(PackedHead::sizes).fold(sizes, widest);
        let sizes = widest(sizes, network.policy.sizes());
        Self {
            trunk: Boards::new(G::BOARDS, width, zero),
            inner: Boards::new(G::BOARDS, inner_width, zero),
            exact: G::Element::QUANTISED.then(|| Flat::new(G::BOARDS, SQUARES * channels, 0.0)),
            stem_sums: Aligned::filled(POSITIONS * channels, 0.0),
            stem: network.stem.scratch(),
            excite: Gating::new(network.blocks.iter().filter_map(|block| block.excite.as_ref())),
            policy: network.policy.memory(zero),
            value: network.value.memory(zero),
            moves_left: network.moves_left.as_ref().unwrap_or(&network.value).memory(zero),
            work: network.backend.work(sizes),
        }
    }
}
