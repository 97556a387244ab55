//! The scratch memory of a running network, allocated once.

use super::{
    Network,
    excite::Gating,
    head::{HeadMemory, PackedHead, PolicyMemory},
};
use crate::{
    aligned::Aligned,
    backend::{Backend, Sizes, Stem},
    layout::{Boards, Flat, POSITIONS, SQUARES, padded},
    simd::element::Element,
};

type Scratch<G> = <<G as Backend>::Stem as Stem<G>>::Scratch;

/// Activations of [`Backend::BOARDS`] positions.
pub(crate) struct Memory<G: Backend> {
    /// The tower's input and output.
    pub(super) trunk: Boards<G::Element>,
    /// The activations between the two convolutions of a block.
    pub(super) inner: Boards<G::Element>,
    /// The trunk in 32-bit floats, if its own format is too coarse to accumulate in.
    pub(super) exact: Option<Flat<f32>>,
    pub(super) stem_sums: Aligned<f32>,
    pub(super) stem: Scratch<G>,
    pub(super) excite: Gating,
    pub(super) policy: PolicyMemory<G>,
    pub(super) value: HeadMemory<G>,
    pub(super) moves_left: HeadMemory<G>,
    pub(super) work: G::Work,
}

impl<G: Backend> Memory<G> {
    pub(crate) fn new(network: &Network<G>) -> Self {
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
