//! Recognises a residual tower in a list of layers, in the form that this project's kernels for towers compute.
//!
//! Only play has kernels of its own for towers, the only ones in bf16. Training computes a tower as a list like any other
//! network: lists train at 0.97 to 1.36 times the speed of kernels that trained only towers, which were removed
//! (`docs/experiments/training-layer-lists.md`, "Towers as lists of layers").

use kernels::KernelSize;

use super::{Activation, Layer, LayerList, Operator, Pooling, Shape};

/// The activations that a tower may have.
const SUPPORTED: [Activation; 3] = [Activation::Relu, Activation::Mish, Activation::Swish];

/// The mean of each channel over the board.
const MEAN: Operator = Operator::Pool { method: Pooling::Average, window: None };

/// A residual tower with its heads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TowerLayers {
    /// The activation of the whole network.
    pub(crate) activation: Activation,
    pub(crate) channels: usize,
    pub(crate) stem: NormalisedLayer,
    pub(crate) blocks: Vec<Block>,
    pub(crate) policy_first: NormalisedLayer,
    /// A convolution to planes, or a dense layer.
    pub(crate) policy_last: BiasedLayer,
    pub(crate) dense_policy: bool,
    pub(crate) value: PooledLayers,
    pub(crate) moves_left: Option<PooledLayers>,
}

impl TowerLayers {
    pub(crate) fn find(list: &LayerList) -> Result<Self, Refusal> {
        if !list.channels.iter().copied().eq(0..list.inputs[0].channels) {
            let expected = "inputs of one plane a channel, all on the board";
            let found = "several values in a channel, or numbers outside the board".into();
            return Err(Refusal { layer: "input".into(), found, expected });
        }
        let mut cursor = Cursor { list, next: 0, activation: None };
        let (stem, mut trunk) = cursor.activated(0)?;
        let mut blocks = Vec::new();
        while trunk != list.trunk {
            let (block, place) = cursor.block(trunk)?;
            blocks.push(block);
            trunk = place;
        }
        let policy = head("policy", list.policy)?;
        let (policy_first, place) = cursor.activated(trunk)?;
        let dense_policy = cursor.is_next(Operator::Flatten);
        let (policy_last, place) = cursor.policy_end(place)?;
        cursor.ends(place, policy)?;
        let value = head("value", list.value)?;
        let (value_layers, place) = cursor.pooled(trunk)?;
        cursor.ends(place, value)?;
        let mut moves_left = None;
        if let Some(head) = list.moves_left {
            let (layers, place) = cursor.pooled(trunk)?;
            cursor.ends(place, head)?;
            moves_left = Some(layers);
        }
        Ok(Self {
            channels: list.shape(trunk).channels,
            stem,
            blocks,
            policy_first,
            policy_last,
            dense_policy,
            value: value_layers,
            moves_left,
            activation: cursor.activation.unwrap_or(Activation::Relu),
        })
    }
}

/// A convolution without bias and its batch normalisation, identified by the indices of their parameters and
/// statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NormalisedLayer {
    pub(crate) kernel: KernelSize,
    pub(crate) weight: usize,
    pub(crate) scale: usize,
    pub(crate) shift: usize,
    pub(crate) statistics: usize,
}

/// A convolution or dense layer with a bias.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BiasedLayer {
    pub(crate) kernel: KernelSize,
    pub(crate) weight: usize,
    pub(crate) bias: usize,
}

/// Two convolutions, an optional squeeze-and-excitation unit, and the skip connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) first: NormalisedLayer,
    pub(crate) second: NormalisedLayer,
    pub(crate) excite: Option<[BiasedLayer; 2]>,
}

/// A 1x1 convolution and two dense layers: the shape of value and moves-left heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PooledLayers {
    pub(crate) first: NormalisedLayer,
    pub(crate) hidden: BiasedLayer,
    pub(crate) last: BiasedLayer,
}

/// The place at which a head ends. The kernels require both a policy and a value head.
fn head(name: &str, place: Option<usize>) -> Result<usize, Refusal> {
    let expected = "a policy and a value head";
    place.ok_or_else(|| Refusal { layer: name.into(), found: "no such head".into(), expected })
}

/// A layer that was read, and its place.
struct Taken<'a, T> {
    /// What `accept` returned for it.
    accepted: T,
    layer: &'a Layer,
    place: usize,
}

/// Reads a list from input to output.
///
/// The order of layers in a list is part of what a tower is: [`Builder`](super::Builder) appends those of a tower in one order,
/// so the next layer either is the one that a tower has there, or the network is refused and named by its first other layer.
/// A search for the layers by their inputs would accept a few more networks, and would not know which layer to name.
struct Cursor<'a> {
    list: &'a LayerList,
    next: usize,
    activation: Option<Activation>,
}

impl<'a> Cursor<'a> {
    /// The error for the next layer: the list ends too early, or the layer is of another kind or reads another place.
    fn refusal(&self, expected: &'static str) -> Refusal {
        match self.list.layers.get(self.next) {
            Some(layer) => Refusal { layer: layer.name.clone(), found: layer.operation.describe(), expected },
            None => Refusal { layer: "after the last".into(), found: "nothing".into(), expected },
        }
    }

    /// The next layer and its place, if it reads these places and is accepted.
    fn take<T>(
        &mut self,
        inputs: &[usize],
        expected: &'static str,
        accept: impl Fn(Operator) -> Option<T>,
    ) -> Result<Taken<'a, T>, Refusal> {
        let layer = self.list.layers.get(self.next).filter(|layer| layer.inputs == inputs);
        let Some(layer) = layer else { return Err(self.refusal(expected)) };
        let Some(accepted) = accept(layer.operation.operator()) else { return Err(self.refusal(expected)) };
        let place = self.list.inputs.len() + self.next;
        self.next += 1;
        Ok(Taken { accepted, layer, place })
    }

    /// The next layer, if it reads these places and is this one.
    fn expect(
        &mut self,
        inputs: &[usize],
        expected: &'static str,
        operator: Operator,
    ) -> Result<Taken<'a, ()>, Refusal> {
        self.take(inputs, expected, |found| (found == operator).then_some(()))
    }

    /// True if the next layer is this one, whatever it reads.
    fn is_next(&self, operator: Operator) -> bool {
        self.list.layers.get(self.next).is_some_and(|layer| layer.operation.operator() == operator)
    }

    /// Checks that a place is a map of the whole board.
    fn on_board(&self, input: usize, expected: &'static str) -> Result<(), Refusal> {
        let is_board = self.list.shape(input).squares() == Shape::board(1).squares();
        if is_board { Ok(()) } else { Err(self.refusal(expected)) }
    }

    fn normalised(&mut self, input: usize) -> Result<(NormalisedLayer, usize), Refusal> {
        let expected = "a 1x1 or 3x3 convolution without bias on 8x8 squares";
        self.on_board(input, expected)?;
        let convolution = self.take(&[input], expected, |operator| kernel(operator, false))?;
        let expected = "batch normalisation after a convolution";
        let norm = self.expect(&[convolution.place], expected, Operator::BATCH_NORM)?;
        let scale = norm.layer.parameters.start;
        let layer = NormalisedLayer {
            kernel: convolution.accepted,
            weight: convolution.layer.parameters.start,
            scale,
            shift: scale + 1,
            statistics: norm.layer.statistics.ok_or_else(|| self.refusal(expected))?,
        };
        Ok((layer, norm.place))
    }

    fn activate(&mut self, input: usize) -> Result<usize, Refusal> {
        let expected = "relu, mish or swish, one for the whole network";
        let usual = self.activation;
        let taken = self.take(&[input], expected, |operator| match operator {
            Operator::Activation { function } if SUPPORTED.contains(&function) => {
                usual.is_none_or(|usual| usual == function).then_some(function)
            }
            _ => None,
        })?;
        self.activation = Some(taken.accepted);
        Ok(taken.place)
    }

    fn activated(&mut self, input: usize) -> Result<(NormalisedLayer, usize), Refusal> {
        let (layer, place) = self.normalised(input)?;
        Ok((layer, self.activate(place)?))
    }

    fn block(&mut self, input: usize) -> Result<(Block, usize), Refusal> {
        let channels = self.list.shape(input).channels;
        let expected = "two 3x3 convolutions that keep the tower's channels in a residual block";
        let begin = self.next;
        let (first, inner) = self.activated(input)?;
        let middle = self.list.shape(inner).channels;
        let (second, mut inner) = self.normalised(inner)?;
        if middle != channels || [first.kernel, second.kernel] != [KernelSize::ThreeByThree; 2] {
            self.next = begin;
            return Err(self.refusal(expected));
        }
        let mut excite = None;
        if self.is_next(MEAN) {
            let (unit, place) = self.unit(inner)?;
            (excite, inner) = (Some(unit), place);
        }
        let sum = self.expect(&[inner, input], "the sum with the block's input", Operator::Sum)?;
        Ok((Block { first, second, excite }, self.activate(sum.place)?))
    }

    fn unit(&mut self, input: usize) -> Result<([BiasedLayer; 2], usize), Refusal> {
        let expected = "squeeze-and-excitation after a block's second convolution";
        let mean = self.expect(&[input], expected, MEAN)?;
        let (squeeze, hidden) = self.dense(mean.place)?;
        let hidden = self.activate(hidden)?;
        let (excite, gates) = self.dense(hidden)?;
        let gate = self.expect(&[input, gates], expected, Operator::Gate)?;
        Ok(([squeeze, excite], gate.place))
    }

    fn dense(&mut self, input: usize) -> Result<(BiasedLayer, usize), Refusal> {
        let dense = self.expect(&[input], "a dense layer with bias", Operator::Dense { bias: true })?;
        let weight = dense.layer.parameters.start;
        Ok((BiasedLayer { kernel: KernelSize::OneByOne, weight, bias: weight + 1 }, dense.place))
    }

    fn flatten(&mut self, input: usize) -> Result<usize, Refusal> {
        Ok(self.expect(&[input], "flatten", Operator::Flatten)?.place)
    }

    /// A convolution to planes, or flatten and dense.
    fn policy_end(&mut self, input: usize) -> Result<(BiasedLayer, usize), Refusal> {
        if self.is_next(Operator::Flatten) {
            let flat = self.flatten(input)?;
            return self.dense(flat);
        }
        let expected = "a 1x1 or 3x3 convolution with bias";
        self.on_board(input, expected)?;
        let convolution = self.take(&[input], expected, |operator| kernel(operator, true))?;
        let weight = convolution.layer.parameters.start;
        let layer = BiasedLayer { kernel: convolution.accepted, weight, bias: weight + 1 };
        Ok((layer, self.flatten(convolution.place)?))
    }

    fn pooled(&mut self, trunk: usize) -> Result<(PooledLayers, usize), Refusal> {
        let begin = self.next;
        let (first, place) = self.activated(trunk)?;
        if first.kernel != KernelSize::OneByOne {
            self.next = begin;
            return Err(self.refusal("a 1x1 convolution at the beginning of a head"));
        }
        let flat = self.flatten(place)?;
        let (hidden, place) = self.dense(flat)?;
        let place = self.activate(place)?;
        let (last, place) = self.dense(place)?;
        Ok((PooledLayers { first, hidden, last }, place))
    }

    /// Checks that a head has no layers after those of the tower kernels.
    fn ends(&self, found: usize, expected: usize) -> Result<(), Refusal> {
        if found == expected { Ok(()) } else { Err(self.refusal("nothing more in this head")) }
    }
}

/// The kernel of a convolution of 8x8 squares to 8x8 squares that has a bias or none, as wanted.
fn kernel(operator: Operator, with_bias: bool) -> Option<KernelSize> {
    match operator {
        Operator::Convolution { bias, .. } if bias != with_bias => None,
        Operator::Convolution { size: 1, stride: 1, margin: 0, .. } => Some(KernelSize::OneByOne),
        Operator::Convolution { size: 3, stride: 1, margin: 1, .. } => Some(KernelSize::ThreeByThree),
        _ => None,
    }
}

/// The first layer that does not fit a tower, and the layers that towers have in its place. The kernels for towers are
/// the fastest, and the only ones that play in bf16. Networks that they refuse are computed layer by
/// layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a tower: layer {layer} ({found}); towers have {expected} there")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct Refusal {
    pub layer: String,
    pub found: String,
    /// The layers that a tower has at this place.
    pub expected: &'static str,
}
