//! Compiles a plan into packed layers.

use super::{
    Convolved, Network, PackedBlock,
    excite::{Excite, bias},
    head::{Connected, PackedHead, PackedPolicy},
};
use crate::{
    Activation, KernelError, Operations,
    aligned::Aligned,
    backend::{Backend, Stem as _},
    gemm::Matrix,
    layout::{CHANNEL_BLOCK, SQUARES, padded},
    plan::{Block, Convolution, Dense, Head, Plan, Policy},
    quantisation::{ActivationQuantisation, Calibration, QuantParams, QuantisedWeights, scale_weights},
    simd::element::Element,
};

impl<G: Backend> Network<G> {
    /// Packs a checked plan.
    ///
    /// # Errors
    /// [`KernelError::Calibration`] if the backend's number format needs a calibration and this one does not fit,
    /// [`KernelError::Range`] if the format cannot represent the plan's activations.
    pub(crate) fn new(
        backend: G,
        plan: &Plan,
        calibration: Option<&Calibration>,
    ) -> Result<Self, KernelError> {
        let activations = if G::Element::QUANTISED {
            ActivationQuantisation::new(plan, calibration)?
        } else {
            ActivationQuantisation::none(plan)
        };
        let mut compiler =
            Compiler { backend: &backend, activations: &activations, operations: Operations::default() };
        let channels = padded(plan.stem.outputs, CHANNEL_BLOCK);
        compiler.operations.nominal += nominal(&plan.stem);
        let blocks = plan.blocks.iter().enumerate();
        let blocks = blocks.map(|(number, block)| compiler.block(block, number)).collect();
        // The index of the trunk's quantisation at the end of the tower; the activations of the heads follow those of
        // the blocks.
        let trunk = 2 * plan.blocks.len();
        let policy = compiler.policy(&plan.policy, (trunk, trunk + 1));
        let value = compiler.head(&plan.value, (trunk, trunk + 2));
        let moves_left = plan.moves_left.as_ref().map(|head| compiler.head(head, (trunk, trunk + 3)));
        let operations = compiler.operations;
        Ok(Self {
            planes: plan.stem.inputs,
            stem: G::Stem::new(&plan.stem),
            stem_scale: Aligned::filled(channels, 1.0),
            stem_shift: bias(&plan.stem.bias, channels),
            stem_activation: plan.activation,
            stem_quantisation: activations.of(0),
            zero_point: activations.zero_point(),
            blocks,
            policy,
            value,
            moves_left,
            operations,
            backend,
        })
    }
}

struct Compiler<'a, G> {
    backend: &'a G,
    activations: &'a ActivationQuantisation,
    operations: Operations,
}

impl<G: Backend> Compiler<'_, G> {
    /// A convolution from one activation (by its index in the calibration) to another, or to floats.
    fn convolution(
        &mut self,
        convolution: &Convolution,
        activation: Activation,
        (input, output): (usize, Option<usize>),
    ) -> Convolved<G> {
        let Convolution { kernel, inputs, outputs, ref weights, bias: ref offsets } = *convolution;
        let matrix = Matrix { taps: kernel * kernel, inputs, outputs, weights };
        let QuantisedWeights { weights, scale, shift } =
            scale_weights::<G::Element>(&matrix, offsets, self.activations.of(input));
        let matrix = Matrix { weights: &weights, ..matrix };
        let channels = padded(outputs, CHANNEL_BLOCK);
        let width = padded(inputs, G::CHANNELS);
        self.operations.nominal += nominal(convolution);
        self.operations.executed += self.backend.operations(&matrix, width);
        Convolved {
            weights: self.backend.pack_convolution(&matrix, width),
            channels,
            scale: bias(&scale, channels),
            shift: bias(&shift, channels),
            activation,
            quantisation: output.map_or(QuantParams::IDENTITY, |output| self.activations.of(output)),
            tensor: output.unwrap_or_default(),
        }
    }

    fn block(&mut self, block: &Block, number: usize) -> PackedBlock<G> {
        let (input, inner, output) = (2 * number, 2 * number + 1, 2 * number + 2);
        let channels = padded(block.second.outputs, CHANNEL_BLOCK);
        let excite = block.squeeze_excite.as_ref().map(|unit| {
            self.operations.nominal += (unit.squeeze.weights.len() + unit.excite.weights.len()) as u64;
            Excite::new::<G::Simd>(unit, channels)
        });
        PackedBlock {
            first: self.convolution(&block.first, block.activation, (input, Some(inner))),
            second: self.convolution(&block.second, block.activation, (inner, Some(output))),
            excite,
        }
    }

    fn policy(&mut self, policy: &Policy, (trunk, inner): (usize, usize)) -> PackedPolicy<G> {
        match policy {
            Policy::Planes { first, activation, second } => PackedPolicy::Planes {
                first: self.convolution(first, *activation, (trunk, Some(inner))),
                second: self.convolution(second, Activation::Identity, (inner, None)),
            },
            Policy::Dense { convolution, activation, dense } => PackedPolicy::Dense {
                convolution: self.convolution(convolution, *activation, (trunk, Some(inner))),
                dense: self.connected(dense, Activation::Identity, inner),
            },
        }
    }

    fn head(&mut self, head: &Head, (trunk, inner): (usize, usize)) -> PackedHead<G> {
        let convolution = self.convolution(&head.convolution, head.activation, (trunk, Some(inner)));
        let hidden = self.connected(&head.hidden, head.activation, inner);
        self.operations.nominal += head.output.weights.len() as u64;
        PackedHead::new(convolution, hidden, &head.output)
    }

    /// A dense layer after a convolution whose outputs lie in memory as `[64][width]`.
    fn connected(&mut self, dense: &Dense, activation: Activation, input: usize) -> Connected<G> {
        let channels = dense.inputs / SQUARES;
        let width = padded(channels, G::CHANNELS);
        let mut reordered = vec![0.0; SQUARES * width * dense.outputs];
        for (row, weights) in dense.weights.chunks_exact(dense.outputs).enumerate() {
            let (channel, square) = (row / SQUARES, row % SQUARES);
            reordered[(square * width + channel) * dense.outputs..][..dense.outputs].copy_from_slice(weights);
        }
        let (inputs, outputs) = (SQUARES * width, dense.outputs);
        let matrix = Matrix { taps: 1, inputs, outputs, weights: &reordered };
        let QuantisedWeights { weights, scale, shift } =
            scale_weights::<G::Element>(&matrix, &dense.bias, self.activations.of(input));
        let matrix = Matrix { weights: &weights, ..matrix };
        let room = padded(outputs, CHANNEL_BLOCK);
        self.operations.nominal += dense.weights.len() as u64;
        self.operations.executed += (inputs * room) as u64;
        Connected {
            weights: self.backend.pack_dense(&matrix),
            outputs: room,
            scale: bias(&scale, room),
            shift: bias(&shift, room),
            activation,
        }
    }
}

fn nominal(convolution: &Convolution) -> u64 {
    (convolution.weights.len() * SQUARES) as u64
}
