//! The list of layers of a specification: a residual tower, or a body given as layers, and the heads.

use super::{Builder, Convolution, Dense, Flatten, LayerList, Shape, SqueezeExciteUnit};
use crate::{
    NetworkError,
    error::invalid,
    planes::policy_map::POLICY_PLANES,
    spec::{Body, HeadBody, MovesLeftHead, PlaneSpec, PolicyHead, Stem, Tower, ValueHead, ValueKind},
};

impl Builder<'_> {
    fn tower(&mut self, tower: &Tower) -> Result<usize, NetworkError> {
        let size = match tower.stem {
            Stem::Convolution => 3,
            Stem::Pointwise => 1,
        };
        let mut trunk = self.activated("stem", Convolution::plain(size, tower.channels), 0)?;
        for number in 0..tower.blocks {
            let name = format!("block{number}");
            let layer = Convolution::plain(3, tower.channels);
            let inner = self.activated(&format!("{name}.first"), layer, trunk)?;
            let mut inner = self.normalised(&format!("{name}.second"), layer, inner)?;
            if tower.squeeze_excite.applies_to(number) {
                let unit = SqueezeExciteUnit { hidden: tower.squeeze_excite.units(tower.channels) };
                let parts = ["squeeze", "excite"].map(|part| format!("{name}.{part}"));
                inner = unit.append_as(self, &format!("{name}.unit"), parts, inner)?;
            }
            trunk = self.sum(&name, [inner, trunk], Some(self.activation))?;
        }
        Ok(trunk)
    }

    /// Appends the policy head: from the trunk to a logit for each of `moves`, or for each plane of each square.
    fn policy(
        &mut self,
        head: &PolicyHead,
        trunk: usize,
        moves: usize,
    ) -> Result<Option<usize>, NetworkError> {
        let channels = self.shape(trunk).channels;
        // Three heads are complete here; the other two differ in the kernel of their convolutions.
        let (kind, size, narrow) = match head {
            PolicyHead::None {} => return Ok(None),
            PolicyHead::Layers { layers } => {
                let inner = self.sequence(layers, "policy", trunk)?;
                return self.flat_output("policy", inner, moves).map(Some);
            }
            PolicyHead::Attention { depth, layers } => {
                let inner = self.sequence(layers, "policy", trunk)?;
                return self.move_scores("policy", *depth, inner).map(Some);
            }
            PolicyHead::Dense { channels } => {
                let inner = self.activated("policy.first", Convolution::plain(1, *channels), trunk)?;
                let flat = self.add("policy.flat", Flatten {}, &[inner])?;
                return self.add("policy.last", Dense::output(moves), &[flat]).map(Some);
            }
            PolicyHead::Convolution { channels: narrow } => ("convolution", 3, narrow.unwrap_or(channels)),
            PolicyHead::Pointwise {} => ("pointwise", 1, channels),
        };
        let found = self.shape(trunk);
        if found != Shape::board(channels) {
            let expected = format!("8x8 squares, where moves start; or policy.kind other than {kind}");
            return Err(self.invalid("policy", format!("{found} before it"), expected));
        }
        let inner = self.activated("policy.first", Convolution::plain(size, narrow), trunk)?;
        let planes = self.add("policy.last", Convolution::output(size, POLICY_PLANES), &[inner])?;
        self.add("policy.flat", Flatten {}, &[planes]).map(Some)
    }

    /// Appends the value head: from the trunk to the outputs for the value.
    fn value(&mut self, head: &ValueHead, trunk: usize) -> Result<Option<usize>, NetworkError> {
        let outputs = head.kind.outputs();
        match &head.body {
            _ if head.kind == ValueKind::None => Ok(None),
            HeadBody::Pooled { channels, hidden } => {
                let head = PooledHead { channels: *channels, hidden: *hidden, outputs };
                self.pooled("value", head, trunk).map(Some)
            }
            HeadBody::Layers(layers) => {
                let inner = self.sequence(layers, "value", trunk)?;
                self.flat_output("value", inner, outputs).map(Some)
            }
        }
    }

    /// Appends the moves-left head: from the trunk to the plies until the game ends.
    fn moves_left(&mut self, head: MovesLeftHead, trunk: usize) -> Result<usize, NetworkError> {
        let head = PooledHead { channels: head.channels, hidden: head.hidden, outputs: 1 };
        self.pooled("moves_left", head, trunk)
    }

    fn pooled(&mut self, name: &str, head: PooledHead, trunk: usize) -> Result<usize, NetworkError> {
        let PooledHead { channels, hidden, outputs } = head;
        let narrow = self.activated(&format!("{name}.first"), Convolution::plain(1, channels), trunk)?;
        let flat = self.add(&format!("{name}.flat"), Flatten {}, &[narrow])?;
        let inner = self.add(&format!("{name}.hidden"), Dense::hidden(hidden), &[flat])?;
        let inner = self.add(&format!("{name}.hidden.activated"), self.activation, &[inner])?;
        self.add(&format!("{name}.last"), Dense::output(outputs), &[inner])
    }

    /// The last layer of a head given as a list, preceded by a flatten layer if its input has squares.
    fn flat_output(&mut self, name: &str, inner: usize, outputs: usize) -> Result<usize, NetworkError> {
        let flat = if self.shape(inner).is_flat() {
            inner
        } else {
            self.add(&format!("{name}.flat"), Flatten {}, &[inner])?
        };
        self.add(&format!("{name}.last"), Dense::output(outputs), &[flat])
    }
}

/// A 1x1 convolution, a hidden layer and the outputs.
#[derive(Clone, Copy)]
struct PooledHead {
    channels: usize,
    hidden: usize,
    outputs: usize,
}

impl LayerList {
    /// The layers of a specification; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] with the first layer that does not fit, or [`NetworkError::UnknownEncoding`].
    pub(crate) fn new(spec: &PlaneSpec, place: &str) -> Result<Self, NetworkError> {
        let input = spec.input_encoding()?;
        let mut list = Self::of_sizes(spec, input.channels(), spec.move_encoding()?.size(), place)?;
        list.channels = (0..input.planes()).map(|plane| input.channel(plane)).collect();
        Ok(list)
    }

    /// Like [`LayerList::new`], for given numbers of channels (one plane each) and of moves instead of named encodings.
    pub(crate) fn of_sizes(
        spec: &PlaneSpec,
        channels: usize,
        moves: usize,
        place: &str,
    ) -> Result<Self, NetworkError> {
        if spec.numbers >= channels {
            let expected = format!("fewer than the {channels} channels of input {}", spec.input);
            return Err(invalid(place, "network.numbers", spec.numbers, expected));
        }
        let mut builder = Builder::new(place, spec.activation, channels - spec.numbers, spec.numbers);
        let trunk = match &spec.body {
            Body::Tower(tower) => builder.tower(tower)?,
            Body::Layers(entries) => builder.sequence(entries, "body", 0)?,
        };
        // Policy, value, moves left: the order of their matrices in every weights file.
        let policy = builder.policy(&spec.policy, trunk, moves)?;
        let value = builder.value(&spec.value, trunk)?;
        let moves_left = match spec.moves_left {
            Some(head) => Some(builder.moves_left(head, trunk)?),
            None => None,
        };
        if spec.numbers > 0 && !builder.reads_numbers() {
            let expected = "a layer of kind \"numbers\" that reads them".into();
            return Err(invalid(place, "network.numbers", spec.numbers, expected));
        }
        let Builder { inputs, layers, parameters, statistics, .. } = builder;
        Ok(Self {
            inputs,
            channels: (0..channels).collect(),
            layers,
            trunk,
            policy,
            value,
            moves_left,
            parameters,
            statistics,
        })
    }
}
