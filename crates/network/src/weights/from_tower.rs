//! Conversion from plain layers, such as those of an lc0 network, to a weights file's specification and matrices.
//!
//! The conversion is lossless: [`Weights::tower`] returns layers with exactly the same outputs. Normalisations were
//! already folded into the layers, so the file stores identities instead: `(x - 0) / sqrt(1) * 1 + bias`.

use chess::encoding::SQUARES;
use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy};

use super::{Matrix, Weights, shapes, to_tower::square_major};
use crate::{
    NetworkError, Spec,
    architecture::Architecture,
    error::invalid,
    parameter::EPSILON,
    planes::{
        layers::tower::{BiasedLayer, NormalisedLayer, PooledLayers, TowerLayers},
        plain_tower::PlainTower,
        policy_map::{POLICY_PLANES, PolicyMap},
    },
    provenance::Provenance,
    spec::{self, Body, HeadBody, MovesLeftHead, PlaneSpec, Stem, Tower, ValueHead},
};

impl Weights {
    /// The weights file of a network that is given as layers.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] for layers that no specification describes: different activations, squeeze-excite
    /// units of different sizes, or a policy head whose moves are not on the squares from which they start.
    pub fn from_tower(network: &PlainTower, provenance: Provenance) -> Result<Self, NetworkError> {
        let place = &network.name;
        let spec = specification(network)?;
        spec.check(place)?;
        let architecture = Architecture::new(&spec)?;
        let planes = architecture.planes()?;
        let mut writer = Writer {
            parameters: vec![Vec::new(); planes.list.parameters.len()],
            statistics: vec![Vec::new(); planes.list.statistics.len()],
        };
        writer.layers(planes.tower()?, &planes.policy_map, network).map_err(|misfit| {
            invalid(place, "policy planes", misfit, "each move on the square it starts from".into())
        })?;
        let values = writer.parameters.into_iter().chain(writer.statistics);
        let matrices = shapes(&architecture).zip(values).map(|((name, shape), values)| {
            if values.len() != shape[0] * shape[1] {
                let expected = format!("{} x {}, as in the layers around it", shape[0], shape[1]);
                return Err(invalid(place, &name, format!("{} numbers", values.len()), expected));
            }
            match values.iter().find(|value| !value.is_finite()) {
                Some(value) => Err(invalid(place, &name, value, "finite numbers".into())),
                None => Ok(Matrix { name, shape, values }),
            }
        });
        Ok(Self { matrices: matrices.collect::<Result<_, _>>()?, spec, provenance, calibration: None })
    }
}

/// The specification whose architecture has these layers.
fn specification(network: &PlainTower) -> Result<Spec, NetworkError> {
    let (place, layers) = (&network.name, &network.plan);
    let activation = match layers.activation {
        Activation::Relu => spec::Activation::Relu,
        Activation::Mish => spec::Activation::Mish,
        Activation::Swish => spec::Activation::Swish,
        Activation::LeakyRelu => spec::Activation::LeakyRelu,
        Activation::Tanh => spec::Activation::Tanh,
        Activation::ReluSquared => spec::Activation::ReluSquared,
        Activation::Selu => spec::Activation::Selu,
        Activation::Gelu => spec::Activation::Gelu,
        Activation::Identity => {
            return Err(invalid(place, "activation", "identity", "a function".into()));
        }
    };
    if let Some(other) = activations(layers).find(|other| *other != layers.activation) {
        let found = format!("{:?} and {other:?}", layers.activation);
        return Err(invalid(place, "activation", found, "one for the whole network".into()));
    }
    let channels = layers.stem.outputs;
    let policy = match &layers.policy {
        Policy::Dense { convolution, .. } => spec::PolicyHead::Dense { channels: convolution.outputs },
        Policy::Planes { first, .. } if first.kernel == 1 && first.outputs == channels => {
            spec::PolicyHead::Pointwise {}
        }
        Policy::Planes { first, .. } => {
            let narrow = (first.outputs != channels).then_some(first.outputs);
            spec::PolicyHead::Convolution { channels: narrow }
        }
    };
    let squeeze_excite = squeeze_excite(&layers.blocks, channels).map_err(|[hidden, other]| {
        let found = format!("{hidden} and {other} units");
        invalid(place, "squeeze_excite", found, "one size for the whole network".into())
    })?;
    let value = &layers.value;
    let (channels_of_value, hidden) = (value.convolution.outputs, value.hidden.outputs);
    Ok(Spec::Planes(PlaneSpec {
        input: network.input.name().into(),
        moves: network.moves.name().into(),
        numbers: 0,
        body: Body::Tower(Tower {
            stem: if layers.stem.kernel == 1 { Stem::Pointwise } else { Stem::Convolution },
            blocks: layers.blocks.len(),
            channels,
            squeeze_excite,
        }),
        activation,
        policy,
        value: ValueHead {
            kind: network.value,
            body: HeadBody::Pooled { channels: channels_of_value, hidden },
        },
        moves_left: layers
            .moves_left
            .as_ref()
            .map(|head| MovesLeftHead { channels: head.convolution.outputs, hidden: head.hidden.outputs }),
    }))
}

fn activations(layers: &Plan) -> impl Iterator<Item = Activation> {
    let (Policy::Dense { activation: policy, .. } | Policy::Planes { activation: policy, .. }) =
        &layers.policy;
    let blocks = layers.blocks.iter().flat_map(|block| {
        let unit = block.squeeze_excite.as_ref().map(|unit| unit.activation);
        [Some(block.activation), unit]
    });
    let moves_left = layers.moves_left.as_ref().map(|head| head.activation);
    blocks.chain([Some(*policy), Some(layers.value.activation), moves_left]).flatten()
}

/// The squeeze-excite units of these blocks; the error is the size of the first unit and another one.
pub(crate) fn squeeze_excite(blocks: &[Block], channels: usize) -> Result<spec::SqueezeExcite, [usize; 2]> {
    let units = blocks.iter().enumerate().filter_map(|(number, block)| {
        block.squeeze_excite.as_ref().map(|unit| (number, unit.squeeze.outputs))
    });
    let (with_unit, sizes): (Vec<usize>, Vec<usize>) = units.unzip();
    let Some(&hidden) = sizes.first() else { return Ok(spec::SqueezeExcite::default()) };
    if let Some(other) = sizes.iter().find(|size| **size != hidden) {
        return Err([hidden, *other]);
    }
    let ratio = channels / hidden.max(1);
    let exact = ratio > 0 && channels / ratio == hidden;
    Ok(spec::SqueezeExcite {
        ratio: if exact { ratio } else { 0 },
        hidden: (!exact).then_some(hidden),
        blocks: (with_unit.len() < blocks.len()).then_some(with_unit),
    })
}

/// Collects the values of parameters and statistics in the architecture's order.
struct Writer {
    parameters: Vec<Vec<f32>>,
    statistics: Vec<Vec<f32>>,
}

impl Writer {
    /// The error names the move with an impossible index.
    fn layers(&mut self, tower: &TowerLayers, map: &PolicyMap, network: &PlainTower) -> Result<(), String> {
        let layers = &network.plan;
        self.normalised(tower.stem, &layers.stem);
        for (places, block) in tower.blocks.iter().zip(&layers.blocks) {
            self.normalised(places.first, &block.first);
            self.normalised(places.second, &block.second);
            if let (Some([squeeze, excite]), Some(unit)) = (places.excite, &block.squeeze_excite) {
                self.dense(squeeze, &unit.squeeze);
                self.biased(excite, with_second_half(&unit.excite, unit.squeeze.inputs));
            }
        }
        match &layers.policy {
            Policy::Dense { convolution, dense, .. } => {
                self.normalised(tower.policy_first, convolution);
                self.dense_on_board(tower.policy_last, dense);
            }
            Policy::Planes { first, second, .. } => {
                let gather = network.gather.as_deref().unwrap_or_default();
                self.normalised(tower.policy_first, first);
                let columns = plane_order(map, gather, second.outputs)?;
                self.biased(tower.policy_last, reordered(second, &columns));
            }
        }
        self.pooled(tower.value, &layers.value);
        if let (Some(places), Some(head)) = (tower.moves_left, &layers.moves_left) {
            self.pooled(places, head);
        }
        Ok(())
    }

    fn normalised(&mut self, place: NormalisedLayer, layer: &Convolution) {
        let outputs = layer.outputs;
        self.parameters[place.weight].clone_from(&layer.weights);
        self.parameters[place.scale] = vec![1.0; outputs];
        self.parameters[place.shift].clone_from(&layer.bias);
        // The variance that gives exactly one when epsilon is added, also in f32.
        let statistics = std::iter::repeat_n(0.0, outputs).chain(std::iter::repeat_n(1.0 - EPSILON, outputs));
        self.statistics[place.statistics] = statistics.collect();
    }

    fn biased(&mut self, place: BiasedLayer, (weights, bias): (Vec<f32>, Vec<f32>)) {
        self.parameters[place.weight] = weights;
        self.parameters[place.bias] = bias;
    }

    fn dense(&mut self, place: BiasedLayer, layer: &Dense) {
        self.biased(place, (layer.weights.clone(), layer.bias.clone()));
    }

    /// A dense layer that reads the whole board.
    fn dense_on_board(&mut self, place: BiasedLayer, layer: &Dense) {
        let columns = layer.outputs;
        let channels = layer.inputs / SQUARES;
        let mut weights = vec![0.0; layer.weights.len()];
        for (row, values) in layer.weights.chunks_exact(columns).enumerate() {
            weights[square_major(row, channels) * columns..][..columns].copy_from_slice(values);
        }
        self.biased(place, (weights, layer.bias.clone()));
    }

    fn pooled(&mut self, places: PooledLayers, head: &Head) {
        self.normalised(places.first, &head.convolution);
        self.dense_on_board(places.hidden, &head.hidden);
        self.dense(places.last, &head.output);
    }
}

/// The weights and bias of both halves; for a unit that only scales, the second half is zero.
fn with_second_half(excite: &Dense, channels: usize) -> (Vec<f32>, Vec<f32>) {
    let widened = |row: &[f32]| {
        let mut row = row.to_vec();
        row.resize(2 * channels, 0.0);
        row
    };
    let rows = excite.weights.chunks_exact(excite.outputs);
    (rows.flat_map(widened).collect(), widened(&excite.bias))
}

/// For each plane of this program's encoding, the plane of the layers with the same moves. Planes without moves, which
/// do not affect any output, keep their order as long as there is room.
fn plane_order(map: &PolicyMap, gather: &[usize], planes: usize) -> Result<Vec<Option<usize>>, String> {
    let mut order = vec![None; POLICY_PLANES];
    for (index, place) in gather.iter().enumerate() {
        let Some(slot) = map.slot(index) else { continue };
        let (from, plane) = (slot as usize / POLICY_PLANES, slot as usize % POLICY_PLANES);
        let theirs = *order[plane].get_or_insert(place / SQUARES);
        if theirs * SQUARES + from != *place {
            return Err(format!("move {index} at square {} of plane {}", place % SQUARES, place / SQUARES));
        }
    }
    let mut unused =
        (0..planes).filter(|plane| !order.contains(&Some(*plane))).collect::<Vec<_>>().into_iter();
    for place in order.iter_mut().filter(|place| place.is_none()) {
        *place = unused.next();
    }
    Ok(order)
}

/// The weights and bias of a convolution with its outputs reordered; zero where `order` has `None`.
fn reordered(layer: &Convolution, order: &[Option<usize>]) -> (Vec<f32>, Vec<f32>) {
    let pick = |row: &[f32]| -> Vec<f32> {
        order.iter().map(|column| column.map_or(0.0, |column| row[column])).collect()
    };
    let rows = layer.weights.chunks_exact(layer.outputs);
    (rows.flat_map(pick).collect(), pick(&layer.bias))
}
