//! Lists of layers in play.

use chess::encoding::Plane;

use super::{
    compiled::{Compiled, EightBits, Request, Use, compile},
    convolution::{eight_bit_convolutions, in_eight_bits},
    folded::FoldedList,
    list::List,
    memory::Memory,
    normalise::NormStatistics,
    training::{check_planes, outputs},
};
use crate::{Isa, KernelError, Precision};

/// The largest number of boards run together: their activations stay in the cache.
const BOARDS: usize = 16;

/// A list of layers with its weights, for play. Any number of threads may run it at the same time, each with an arena of its own. The
/// outputs for a position do not depend on the rest of the batch.
pub struct PlayLayers {
    list: List,
    compiled: Box<dyn Compiled>,
    statistics: Vec<Vec<f32>>,
    eight_bits: Option<EightBitShare>,
}

/// How much of a list is multiplied in eight bits. The rest, which includes every function between the products, is in f32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EightBitShare {
    /// Number of convolutions and dense layers that are.
    pub layers: usize,
    /// Number of convolutions and dense layers.
    pub all_layers: usize,
    /// Their part of the multiply-adds of all convolutions and dense layers, 0 to 1.
    pub multiply_adds: f64,
}

/// Scratch memory for one thread.
pub struct LayersArena {
    memory: Memory,
}

impl PlayLayers {
    /// The precisions in which a list can be played: f32, and int8 if it has layers that are multiplied in eight bits.
    pub fn precisions(list: &List) -> Vec<Precision> {
        let has_eight_bits = in_eight_bits(list).contains(&true);
        std::iter::once(Precision::F32).chain(has_eight_bits.then_some(Precision::Int8)).collect()
    }

    /// Compiles a list with its parameters, and the mean and variance (`[2][channels]`) of each batch normalisation. In int8, most 1x1
    /// convolutions and dense layers multiply eight-bit integers ([`PlayLayers::eight_bits`]); no calibration is needed.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`]; [`KernelError::MissingPrecision`] if the instruction set or the list does not have the precision;
    /// [`KernelError::Shape`] with the first layer or parameter that does not fit.
    pub fn new(
        list: &List,
        isa: Isa,
        precision: Precision,
        parameters: &[Vec<f32>],
        statistics: &[Vec<f32>],
    ) -> Result<Self, KernelError> {
        list.check()?;
        list.check_parameters(parameters)?;
        list.check_statistics(statistics)?;
        if !Self::precisions(list).contains(&precision) {
            return Err(isa.without(precision, "no layer of the network plays in it"));
        }
        let in_eight_bits = in_eight_bits(list);
        let FoldedList { list, parameters, numbers, activations } =
            FoldedList::new(list, parameters, statistics);
        let (mut share, mut eight_bits) = (None, None);
        if precision == Precision::Int8 {
            let steps: Vec<bool> = numbers.iter().map(|number| in_eight_bits[*number]).collect();
            share = Some(EightBitShare::new(&list, &steps));
            eight_bits = Some(EightBits { convolutions: eight_bit_convolutions(isa)?, steps });
        }
        let mut compiled = compile(&list, isa, Use::Play { activations, eight_bits })?;
        compiled.pack(&parameters);
        Ok(Self { list, compiled, statistics: statistics.to_vec(), eight_bits: share })
    }

    /// How much of the list is multiplied in eight bits; `None` if it was compiled in f32.
    pub fn eight_bits(&self) -> Option<EightBitShare> {
        self.eight_bits
    }

    /// Allocates scratch memory for one thread.
    pub fn arena(&self) -> LayersArena {
        LayersArena { memory: Memory::with_views(&self.list) }
    }

    /// Runs the layers on boards; `planes` holds the planes of one board after another. Returns the values of each
    /// output of the list, `[boards][channels]`.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if `planes` is empty or does not hold whole boards.
    pub fn run(&self, arena: &mut LayersArena, planes: &[Plane]) -> Result<Vec<Vec<f32>>, KernelError> {
        check_planes(&self.list, planes)?;
        let mut answers = vec![Vec::new(); self.list.outputs.len()];
        for planes in planes.chunks(BOARDS * self.list.channels.len()) {
            let normalisation = NormStatistics::Stored(&self.statistics);
            let request = Request { parameters: &[], planes, normalisation, factors: None, helpers: false };
            self.compiled.forward(&mut arena.memory, &request);
            for (answers, outputs) in answers.iter_mut().zip(outputs(&self.list, &arena.memory)) {
                answers.extend(outputs);
            }
        }
        Ok(answers)
    }
}

impl EightBitShare {
    /// `steps` says which steps are multiplied in eight bits.
    fn new(list: &List, steps: &[bool]) -> Self {
        let mut share = Self { layers: 0, all_layers: 0, multiply_adds: 0.0 };
        let [mut in_eight_bits, mut all] = [0, 0];
        for (step, is_in_eight_bits) in list.steps.iter().zip(steps) {
            let Some(weights) = list.weights(step) else { continue };
            let products = weights * step.shape.squares();
            share.all_layers += 1;
            all += products;
            if *is_in_eight_bits {
                share.layers += 1;
                in_eight_bits += products;
            }
        }
        share.multiply_adds = in_eight_bits as f64 / all.max(1) as f64;
        share
    }
}
