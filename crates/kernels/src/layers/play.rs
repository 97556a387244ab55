//! Lists of layers in play.

use chess::encoding::Plane;

use super::{
    compiled::{Compiled, Request, Use, compile},
    folded::FoldedList,
    list::List,
    memory::Memory,
    normalise::NormStatistics,
    training::{check_planes, outputs},
};
use crate::{Isa, KernelError};

/// The largest number of boards run together: their activations stay in the cache.
const BOARDS: usize = 16;

/// A list of layers with its weights, for play. Any number of threads may run it at the same time, each with an arena of its own. The
/// outputs for a position do not depend on the rest of the batch.
pub struct PlayLayers {
    list: List,
    compiled: Box<dyn Compiled>,
    statistics: Vec<Vec<f32>>,
}

/// Scratch memory for one thread.
pub struct LayersArena {
    memory: Memory,
}

impl PlayLayers {
    /// Compiles a list with its parameters, and the mean and variance (`[2][channels]`) of each batch normalisation.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`], or [`KernelError::Shape`] with the first layer or parameter that does not fit.
    pub fn new(
        list: &List,
        isa: Isa,
        parameters: &[Vec<f32>],
        statistics: &[Vec<f32>],
    ) -> Result<Self, KernelError> {
        list.check()?;
        list.check_parameters(parameters)?;
        list.check_statistics(statistics)?;
        let FoldedList { list, parameters, activations } = FoldedList::new(list, parameters, statistics);
        let mut compiled = compile(&list, isa, Use::Play { activations })?;
        compiled.pack(&parameters);
        Ok(Self { list, compiled, statistics: statistics.to_vec() })
    }

    /// Allocates scratch memory for one thread.
    pub fn arena(&self) -> LayersArena {
        LayersArena { memory: Memory::new(&self.list) }
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
