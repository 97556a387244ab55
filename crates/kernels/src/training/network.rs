//! A whole network in training.

use std::ops::Range;

use chess::encoding::Plane;
use rayon::prelude::*;

use super::{
    arithmetic::Arithmetic,
    block::{Block, Places, add},
    heads::Head,
    linear::{Context, Linear},
    normalised::{Normalisation, Normalised},
    shape::TrainingShape,
    tensor::{Layout, Tensor, shares},
    workspace::{BackwardPass, Gradients, Workspace},
};
use crate::{
    Isa, KernelError, Operations, Precision,
    layout::{BOARD, position},
};

/// Forward and backward passes of a network, with room for one batch.
///
/// Call [`TrainingNetwork::forward`], then, where gradients are wanted, [`TrainingNetwork::backward`] with the gradients of
/// its answers. Results do not depend on the number of threads, which are those of the rayon pool the calls are made in.
pub struct TrainingNetwork {
    shape: TrainingShape,
    arithmetic: Box<dyn Arithmetic>,
    /// Whether its 3x3 convolutions are done by Winograd's algorithm.
    winograd: bool,
    capacity: usize,
    shares: Vec<Range<usize>>,
    input: Tensor,
    stem: Normalised,
    blocks: Vec<Block>,
    policy: Head,
    value: Head,
    moves_left: Option<Head>,
    workspace: Workspace,
}

/// The answers of a forward pass.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingAnswer {
    /// `[boards][policy_width]`, before softmax.
    pub policy: Vec<f32>,
    /// `[boards][outputs]`, before softmax or tanh.
    pub value: Vec<f32>,
    /// For every normalisation `[2][channels]`: mean and variance that were used.
    pub moments: Vec<Vec<f32>>,
}

impl TrainingNetwork {
    /// Room for batches of up to `boards`, with convolutions in `precision`.
    ///
    /// # Errors
    /// [`KernelError`] where the processor does not have the instruction set, or the instruction set not the precision.
    pub fn new(
        shape: &TrainingShape,
        isa: Isa,
        precision: Precision,
        boards: usize,
    ) -> Result<Self, KernelError> {
        let arithmetic = super::instructions(isa, precision)?;
        let mut places = Places { boards, ..Places::default() };
        let stem =
            places.normalised(Linear { reach: shape.stem, inputs: shape.planes, outputs: shape.channels });
        let blocks = shape
            .blocks
            .iter()
            .map(|&hidden| Block::new(shape.channels, hidden, shape.activation, &mut places))
            .collect();
        Ok(Self {
            arithmetic,
            winograd: precision == Precision::F32 && isa != Isa::Portable,
            capacity: boards,
            shares: Vec::new(),
            input: Tensor::boards(boards, shape.planes),
            stem,
            blocks,
            policy: Head::policy(shape, &mut places),
            value: Head::pooled(shape, shape.value, &mut places),
            moves_left: shape.moves_left.map(|head| Head::pooled(shape, head, &mut places)),
            workspace: Workspace::new(boards),
            shape: shape.clone(),
        })
    }

    /// Runs the network on boards, of which `planes` holds the planes one board after another.
    ///
    /// # Errors
    /// [`KernelError::Shape`] when the planes are no whole boards, none or too many, or the parameters do not fit.
    pub fn forward(
        &mut self,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        from: Normalisation<'_>,
    ) -> Result<TrainingAnswer, KernelError> {
        self.shape.check(parameters)?;
        self.shares = shares(self.boards(planes)?);
        let Self { arithmetic, shares, input, stem, blocks, policy, value, moves_left, .. } = self;
        let context = Context { arithmetic: &**arithmetic, shares };
        set_planes(context, input, self.shape.planes, planes);
        stem.pack(context, parameters, false);
        blocks.par_iter_mut().for_each(|block| block.pack(context, parameters));
        stem.normalise(context, parameters, from, input);
        stem.finish(context, None, self.shape.activation);
        let mut trunk = &stem.output;
        for block in blocks.iter_mut() {
            block.forward(context, parameters, from, trunk);
            trunk = &block.second.output;
        }
        policy.pack(context, parameters);
        value.pack(context, parameters);
        let policy_answer = policy.forward(context, parameters, from, trunk);
        let value_answer = value.forward(context, parameters, from, trunk);
        if let Some(head) = moves_left {
            // For its moments, which belong to those of the network.
            head.pack(context, parameters);
            head.forward(context, parameters, from, trunk);
        }
        Ok(TrainingAnswer { policy: policy_answer, value: value_answer, moments: self.moments() })
    }

    /// Multiply-adds of forward and backward pass for one position.
    pub fn operations(&self) -> Operations {
        self.shape.operations(self.winograd)
    }

    fn boards(&self, planes: &[Plane]) -> Result<usize, KernelError> {
        let boards = planes.len() / self.shape.planes;
        if boards == 0 || boards > self.capacity || !planes.len().is_multiple_of(self.shape.planes) {
            let part =
                format!("planes of a batch ({} each of 1 to {} boards)", self.shape.planes, self.capacity);
            return Err(KernelError::Shape {
                part,
                found: planes.len(),
                expected: self.shape.planes * boards.clamp(1, self.capacity),
            });
        }
        Ok(boards)
    }

    fn moments(&self) -> Vec<Vec<f32>> {
        let blocks = self.blocks.iter().flat_map(Block::moments);
        let heads = [Some(&self.policy), Some(&self.value), self.moves_left.as_ref()];
        let heads = heads.into_iter().flatten().map(Head::moments);
        std::iter::once(&self.stem.moments).chain(blocks).chain(heads).cloned().collect()
    }

    /// The gradients of the parameters from those of the last forward pass's answers, which must have taken its moments
    /// from the batch.
    ///
    /// # Errors
    /// [`KernelError::Shape`] when the gradients are not those of the last batch.
    pub fn backward(
        &mut self,
        policy_gradient: &[f32],
        value_gradient: &[f32],
    ) -> Result<Vec<Vec<f32>>, KernelError> {
        let boards = self.shares.last().map_or(0, |share| share.end);
        let widths = [self.shape.policy_width(), self.shape.value.outputs];
        for ((part, gradient), width) in
            [("policy gradient", policy_gradient), ("value gradient", value_gradient)].into_iter().zip(widths)
        {
            if boards == 0 || gradient.len() != boards * width {
                let expected = boards * width;
                return Err(KernelError::Shape { part: part.into(), found: gradient.len(), expected });
            }
        }
        let Self { arithmetic, shares, input, stem, blocks, policy, value, workspace, shape, .. } = self;
        let context = Context { arithmetic: &**arithmetic, shares };
        let gradients = Gradients(shape.parameter_lengths().into_iter().map(|len| vec![0.0; len]).collect());
        let mut pass = BackwardPass { workspace, gradients };
        let mut gradient = pass.workspace.take(Layout::Boards, shape.channels);
        let mut of_value = pass.workspace.take(Layout::Boards, shape.channels);
        let trunk = blocks.last().map_or(&stem.output, |block| &block.second.output);
        policy.backward(context, &mut pass, (trunk, &mut gradient), policy_gradient);
        value.backward(context, &mut pass, (trunk, &mut of_value), value_gradient);
        add(context, &mut gradient, &of_value);
        for number in (0..blocks.len()).rev() {
            let below = number.checked_sub(1).map_or(&stem.output, |below| &blocks[below].second.output);
            blocks[number].backward(context, &mut pass, below, &mut gradient);
        }
        let sums = stem.gate(context, None, shape.activation, &mut gradient);
        let of_stem = stem.backward(context, input, (&gradient, &sums), &mut of_value);
        pass.gradients.put(stem.parameter, of_stem);
        pass.workspace.give(gradient);
        pass.workspace.give(of_value);
        Ok(pass.gradients.0)
    }
}

/// Writes planes into rows of numbers.
fn set_planes(context: Context<'_>, input: &mut Tensor, count: usize, planes: &[Plane]) {
    let width = input.width;
    context.each(input, |share, part| {
        part.fill(0.0);
        for (number, board) in share.clone().enumerate() {
            for (plane, Plane { mask, value }) in planes[board * count..][..count].iter().enumerate() {
                let mut squares = *mask;
                while squares != 0 {
                    let square = squares.trailing_zeros() as usize;
                    part[(number * BOARD + position(square)) * width + plane] = *value;
                    squares &= squares - 1;
                }
            }
        }
    });
}
