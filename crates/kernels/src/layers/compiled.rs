//! A list of layers on one instruction set.

mod backward;
mod forward;

use chess::encoding::Plane;

use super::{
    attention::Attention,
    convolution::{Buffers, Convolution, EightBitConvolutions, HalfConvolutions, Needs, Products},
    list::{Chain, List, Shape, Step},
    memory::Memory,
    normalise::{Groups, NormStatistics},
    operation::{Operation, Pooling},
    pooling::Pool,
    rearrange,
    workers::Workers,
};
use crate::{
    Activation, FreeList, Isa, KernelError,
    simd::{GradientLanes, Kernel},
};

/// Draws the factors of a dropout layer, `[boards][squares][channels]`, given the layer's number and the number of
/// factors.
pub type Factors<'a> = &'a (dyn Fn(usize, usize) -> Vec<f32> + Sync);

/// A compiled list with its instruction set erased. The caller has checked all sizes.
pub(crate) trait Compiled: Send + Sync {
    /// Packs the parameters for the products.
    fn pack(&mut self, parameters: &[Vec<f32>]);

    /// Runs the layers; `helpers` in the request says whether threads of the rayon pool may help.
    fn forward(&self, memory: &mut Memory, request: &Request<'_>);

    /// The gradients of all parameters, given the gradients of the outputs of the last forward pass, which must have
    /// used the batch's own statistics. They are stored in the buffers of `spare`, if it has any.
    fn backward(
        &self,
        memory: &mut Memory,
        spare: Vec<Vec<f32>>,
        request: &BackwardRequest<'_>,
    ) -> Vec<Vec<f32>>;
}

/// The input of one forward pass.
pub(crate) struct Request<'a> {
    pub(crate) parameters: &'a [Vec<f32>],
    pub(crate) planes: &'a [Plane],
    pub(crate) normalisation: NormStatistics<'a>,
    pub(crate) factors: Option<Factors<'a>>,
    pub(crate) helpers: bool,
}

/// The input of one backward pass.
pub(crate) struct BackwardRequest<'a> {
    pub(crate) parameters: &'a [Vec<f32>],
    /// The gradients of the outputs.
    pub(crate) outputs: &'a [&'a [f32]],
    pub(crate) helpers: bool,
}

/// The purpose a list is compiled for.
pub(super) enum Use {
    /// With the convolutions that multiply 16-bit floats, if there are any.
    Training { half: Option<HalfConvolutions> },
    /// Forward passes only, with the activation that is applied to the sums of each layer.
    Play { activations: Vec<Activation>, eight_bits: Option<EightBits> },
}

/// The layers that multiply eight-bit integers.
pub(super) struct EightBits {
    pub(super) convolutions: EightBitConvolutions,
    /// True for each step that does.
    pub(super) steps: Vec<bool>,
}

/// Layers on an instruction set.
pub(super) struct OnSimd<S: GradientLanes<f32>> {
    list: List,
    simd: S,
    free: FreeList<Buffers>,
    layers: Vec<Layer>,
    /// Scale and shift of each layer that is a normalisation.
    affine: Vec<[Vec<f32>; 2]>,
    /// The layers computed together with each layer, and the activation of the result.
    chains: Vec<Chain>,
    /// True for each layer that is computed as part of one before it, or needs no computation.
    joined: Vec<bool>,
    /// True for each place whose gradient is needed.
    learns: Vec<bool>,
}

impl<S: GradientLanes<f32>> OnSimd<S> {
    pub(super) fn new(simd: S, list: &List, usage: Use) -> Self {
        let places = list.inputs.len() + list.steps.len();
        let is_training = matches!(usage, Use::Training { .. });
        let learns = if is_training { list.learns() } else { vec![false; places] };
        let (half, activations, eight_bits) = match usage {
            Use::Training { half } => (half, Vec::new(), None),
            Use::Play { activations, eight_bits } => (None, activations, eight_bits),
        };
        let needs = |step: &Step| match step.inputs.iter().any(|place| learns[*place]) {
            true => Needs::All,
            false if is_training => Needs::Weights,
            false => Needs::Play,
        };
        let layers: Vec<Layer> = (list.steps.iter().enumerate())
            .map(|(number, step)| {
                let products = match (&half, &eight_bits) {
                    (Some(half), _) => Products::Half(half),
                    (_, Some(eight_bits)) if eight_bits.steps[number] => {
                        Products::EightBits(&eight_bits.convolutions)
                    }
                    _ => Products::F32,
                };
                Layer::new(list, step, needs(step), products)
            })
            .collect();
        let affine = vec![[Vec::new(), Vec::new()]; layers.len()];
        let mut joined = vec![false; layers.len()];
        let mut chains = list.chains();
        for (number, chain) in chains.iter().enumerate() {
            joined[number + 1..][..chain.followers].fill(true);
        }
        if !is_training {
            for (joined, step) in joined.iter_mut().zip(&list.steps) {
                *joined |= list.is_view(step);
            }
        }
        // In play, activations are also fused into convolutions, which have no followers.
        for (chain, activation) in
            chains.iter_mut().zip(activations).filter(|(chain, _)| chain.followers == 0)
        {
            chain.activation = activation;
        }
        Self { list: list.clone(), simd, free: FreeList::default(), layers, affine, chains, joined, learns }
    }

    fn workers_of(&self, request: &Request<'_>) -> Workers<S> {
        Workers { simd: self.simd, helpers: request.helpers }
    }
}

impl<S: GradientLanes<f32>> Compiled for OnSimd<S> {
    fn pack(&mut self, parameters: &[Vec<f32>]) {
        for (step, affine) in self.list.steps.iter().zip(&mut self.affine) {
            let of_step = &parameters[step.parameters.clone()];
            match step.operation {
                Operation::BatchNorm | Operation::GroupNorm { .. } => {
                    *affine = [0, 1].map(|place| of_step[place].clone());
                }
                Operation::LayerNorm { .. } => {
                    let padded = |parameter: &[f32]| {
                        let mut row = parameter.to_vec();
                        row.resize(step.shape.width(), 0.0);
                        row
                    };
                    *affine = [0, 1].map(|place| padded(&of_step[place]));
                }
                Operation::Squares { scale, shift } => {
                    let mut of_step = of_step.iter();
                    *affine = [scale, shift].map(|is_there| {
                        let Some(parameter) = is_there.then(|| of_step.next()).flatten() else {
                            return Vec::new();
                        };
                        let mut board = vec![0.0; step.shape.room()];
                        rearrange::unflatten(parameter, step.shape, &mut board);
                        board
                    });
                }
                _ => {}
            }
        }
        let workers = Workers { simd: self.simd, helpers: true };
        let convolutions = self.layers.iter_mut().filter_map(|layer| match layer {
            Layer::Convolution(convolution) => Some(convolution),
            _ => None,
        });
        workers.each(convolutions.collect(), |convolution| convolution.pack(workers.simd, parameters));
    }

    fn forward(&self, memory: &mut Memory, request: &Request<'_>) {
        memory.set_planes(&self.list, request.planes);
        for number in (0..self.layers.len()).filter(|number| !self.joined[*number]) {
            self.forward_layer(number, memory, request);
        }
    }

    fn backward(
        &self,
        memory: &mut Memory,
        spare: Vec<Vec<f32>>,
        request: &BackwardRequest<'_>,
    ) -> Vec<Vec<f32>> {
        self.gradients(memory, spare, request)
    }
}

/// Compiles a list for the kernels of an instruction set.
pub(super) fn compile(list: &List, isa: Isa, usage: Use) -> Result<Box<dyn Compiled>, KernelError> {
    isa.check()?;
    list.check()?;
    Ok(isa.run(Compile { list, usage }))
}

struct Compile<'a> {
    list: &'a List,
    usage: Use,
}

impl<S: GradientLanes<f32>> Kernel<S, Box<dyn Compiled>> for Compile<'_> {
    fn call(self, simd: S) -> Box<dyn Compiled> {
        Box::new(OnSimd::new(simd, self.list, self.usage))
    }
}

/// A layer's kernel with its compiled parameters.
enum Layer {
    Convolution(Box<Convolution>),
    BatchNorm,
    GroupNorm(Groups),
    Activation(Activation),
    Dropout,
    Pool(Pool),
    /// The mean of each channel over the whole map.
    Mean,
    Flatten,
    Join,
    Gate,
    Sum,
    /// Over the channels of each square.
    ChannelNorm {
        epsilon: f32,
    },
    Squares,
    Attention(Attention),
    MoveScores,
    First,
    Unflatten,
}

impl Layer {
    fn new(list: &List, step: &Step, needs: Needs, products: Products<'_>) -> Self {
        let from = list.input(step);
        if let Some(convolution) = Convolution::new(step, from, needs, products) {
            return Self::Convolution(Box::new(convolution));
        }
        match step.operation {
            Operation::Convolution { .. } => unreachable!("made above"),
            Operation::BatchNorm => Self::BatchNorm,
            Operation::GroupNorm { groups } => Self::GroupNorm(Groups { groups, shape: from }),
            Operation::Activation(activation) => Self::Activation(activation),
            Operation::Dropout { .. } => Self::Dropout,
            Operation::Pool { method: Pooling::Average, patch } if patch.is_whole(from) => Self::Mean,
            Operation::Pool { method, patch } => Self::Pool(Pool::new(method, patch, (from, step.shape))),
            Operation::Flatten => Self::Flatten,
            Operation::Join => Self::Join,
            Operation::Gate => Self::Gate,
            Operation::Sum => Self::Sum,
            Operation::LayerNorm { epsilon } => Self::ChannelNorm { epsilon },
            Operation::Squares { .. } => Self::Squares,
            Operation::Attention { heads, bias } => {
                Self::Attention(Attention { heads, bias, keys: from, values: step.shape })
            }
            Operation::MoveScores => Self::MoveScores,
            Operation::First { .. } => Self::First,
            Operation::Unflatten => Self::Unflatten,
        }
    }
}

/// The shapes of a step's inputs and of its output.
fn shapes(list: &List, step: &Step) -> (Vec<Shape>, Shape) {
    (step.inputs.iter().map(|place| list.shape(*place)).collect(), step.shape)
}
