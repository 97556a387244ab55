//! A list of layers on one instruction set.

mod backward;
mod forward;

use chess::encoding::Plane;

use super::{
    convolution::Demand,
    layer::Layer,
    list::{List, Operation, Step},
    memory::Memory,
    work::Crew,
};
use crate::{
    Activation,
    engine::{Engine as _, Sizes, Winograd},
    simd::GradientLanes,
    training::{Normalisation, Pool},
};

/// Draws what a dropout multiplies with: the number of the layer, and how many numbers it is asked for, `[boards][squares][channels]`.
pub type Factors<'a> = &'a (dyn Fn(usize, usize) -> Vec<f32> + Sync);

/// What a list computes, whatever computes it. Sizes have been checked.
pub(crate) trait Compiled: Send + Sync {
    /// Takes over the parameters.
    fn pack(&mut self, parameters: &[Vec<f32>]);

    /// Runs the layers; `helpers` where threads of the rayon pool may help.
    fn forward(&self, memory: &mut Memory, request: &Request<'_>);

    /// The gradients of all parameters from those of the outputs of the last forward pass, which has taken its moments from the batch.
    fn backward(&self, memory: &mut Memory, parameters: &[Vec<f32>], outputs: &[&[f32]]) -> Vec<Vec<f32>>;
}

/// What to run the layers on.
pub(crate) struct Request<'a> {
    /// Those that are packed.
    pub(crate) parameters: &'a [Vec<f32>],
    pub(crate) planes: &'a [Plane],
    pub(crate) normalisation: Normalisation<'a>,
    pub(crate) factors: Option<Factors<'a>>,
    pub(crate) helpers: bool,
}

/// What a list is compiled for.
pub(crate) enum Use {
    /// Forward and backward passes.
    Training,
    /// Forward passes, with functions that follow the sums of each layer.
    Play { activations: Vec<Activation> },
}

/// Layers on an instruction set.
pub(super) struct OnSimd<S: GradientLanes<f32>> {
    list: List,
    engine: Winograd<S>,
    pool: Pool<Winograd<S>>,
    layers: Vec<Layer<S>>,
    /// Scale and shift of each layer that is a normalisation.
    affine: Vec<[Vec<f32>; 2]>,
    /// What follows the sums of each layer, as part of it.
    activations: Vec<Activation>,
    /// Places whose gradient is asked for.
    learns: Vec<bool>,
}

impl<S: GradientLanes<f32>> OnSimd<S> {
    /// The layers of a list.
    pub(super) fn new(simd: S, list: &List, usage: Use) -> Self {
        let places = list.inputs.len() + list.steps.len();
        let is_training = matches!(usage, Use::Training);
        let (learns, activations) = match usage {
            Use::Training => (list.learns(), vec![Activation::Identity; list.steps.len()]),
            Use::Play { activations } => (vec![false; places], activations),
        };
        let demand = |step: &Step| match step.inputs.iter().any(|place| learns[*place]) {
            true => Demand::All,
            false if is_training => Demand::Weights,
            false => Demand::Play,
        };
        let layer = |step: &Step| Layer::new(list, step, demand(step));
        let layers: Vec<Layer<S>> = list.steps.iter().map(layer).collect();
        let widths = layers.iter().map(|layer| match layer {
            Layer::Convolution(convolution) => convolution.board_width(),
            _ => 0,
        });
        let width = widths.max().unwrap_or_default();
        let engine = Winograd::new(simd);
        let pool = Pool::new(engine.clone(), Sizes { width, outputs: width });
        let affine = vec![[Vec::new(), Vec::new()]; layers.len()];
        Self { list: list.clone(), engine, pool, layers, affine, activations, learns }
    }

    fn crew(&self, helpers: bool) -> Crew<S> {
        Crew { simd: self.engine.simd(), helpers }
    }
}

impl<S: GradientLanes<f32>> Compiled for OnSimd<S> {
    fn pack(&mut self, parameters: &[Vec<f32>]) {
        for (step, affine) in self.list.steps.iter().zip(&mut self.affine) {
            if let Operation::BatchNorm | Operation::GroupNorm { .. } = step.operation {
                *affine = [0, 1].map(|place| parameters[step.parameters.start + place].clone());
            }
        }
        let engine = &self.engine;
        let convolutions = self.layers.iter_mut().filter_map(|layer| match layer {
            Layer::Convolution(convolution) => Some(convolution),
            _ => None,
        });
        let crew = Crew { simd: engine.simd(), helpers: true };
        crew.each(convolutions.collect(), |convolution| convolution.pack(engine, parameters));
    }

    fn forward(&self, memory: &mut Memory, request: &Request<'_>) {
        memory.set_planes(&self.list, request.planes);
        for number in 0..self.layers.len() {
            self.forward_layer(number, memory, request);
        }
    }

    fn backward(&self, memory: &mut Memory, parameters: &[Vec<f32>], outputs: &[&[f32]]) -> Vec<Vec<f32>> {
        self.gradients(memory, parameters, outputs)
    }
}
