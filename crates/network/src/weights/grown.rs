//! Enlarges a network to one with the same outputs, from which training can start (network morphism: Wei et al., "Network
//! Morphism", 2016; Chen et al., "Net2Net", 2016).

use chess::encoding::input::input_encoding;

use super::{Matrix, Weights, shapes};
use crate::{
    NetworkError, Spec,
    architecture::Architecture,
    spec::{Body, PlaneSpec, PolicyHead, Tower},
};

/// The weights of the first layer of a residual tower, whose rows are ordered by tap and then by input channel.
const STEM: &str = "stem.weight";
/// Number of taps of a 3x3 convolution, and the index of its centre.
const TAPS: usize = 9;
const MIDDLE: usize = 4;
/// Seed of the random weights of new squeeze layers. These do not affect any output before the first step.
const SEED: u64 = 1;

impl Weights {
    /// This network enlarged to the specification `wanted`, with the same outputs until it is trained further. A
    /// residual tower can grow in three ways, separately or together:
    ///
    /// - an input encoding that extends its own ([`chess::encoding::InputEncoding::extends`]), directly or through
    ///   several extensions: the weights of new planes are zero;
    /// - squeeze-and-excitation in more blocks: its gates are 1/2, and the branch before them is doubled. The
    ///   pre-activations of its squeeze units are zero when the branch's channels have the means that its normalisation
    ///   gives them, so no unit starts dead;
    /// - the policy head of two 3x3 convolutions instead of that of two 1x1 convolutions: the centre taps have its
    ///   weights, and the others are zero.
    ///
    /// The value of a sparse network can become static, without a change of its parameters.
    ///
    /// `None` if `wanted` is equal or differs in anything else.
    ///
    /// # Errors
    /// [`NetworkError`] for an invalid specification.
    pub fn grown(&self, wanted: &Spec) -> Result<Option<Self>, NetworkError> {
        self.spec.kind().grown(self, wanted)
    }

    /// As [`Weights::grown`], for a network of planes with the specification `own`.
    pub(crate) fn grown_tower(&self, own: &PlaneSpec, wanted: &Spec) -> Result<Option<Self>, NetworkError> {
        let Ok(larger) = wanted.planes() else { return Ok(None) };
        if larger == own || !extends(larger, own) {
            return Ok(None);
        }
        let architecture = Architecture::new(wanted)?;
        let initial = architecture.initial_parameters(SEED)?;
        let mut matrices = Vec::new();
        for (number, (name, shape)) in shapes(&architecture).enumerate() {
            let values = match self.matrix(&name) {
                Some(matrix) => {
                    let Some(values) = fitted(matrix, shape, own, larger)? else { return Ok(None) };
                    values
                }
                // Only squeeze-and-excitation is new. With an excitation of zero its gates are 1/2 for any
                // output of the squeeze layer.
                None if name.ends_with(".squeeze.weight") => initial[number].clone(),
                None => vec![0.0; shape[0] * shape[1]],
            };
            matrices.push(Matrix { name, shape, values });
        }
        let mut grown = Self { spec: wanted.clone(), matrices, calibration: None, ..self.clone() };
        grown.make_up_for_new_gates(self);
        Ok(Some(grown))
    }

    fn matrix(&self, name: &str) -> Option<&Matrix> {
        self.matrices.iter().find(|matrix| matrix.name == name)
    }

    /// Compensates for gates of 1/2: scale and shift of the normalisation before them are doubled. Its shifts are the
    /// means of the squeeze layer's inputs.
    fn make_up_for_new_gates(&mut self, before: &Self) {
        let [now, then] = [&*self, before].map(|weights| weights.spec.planes().ok().and_then(tower).cloned());
        let (Some(now), Some(then)) = (now, then) else { return };
        for block in 0..now.blocks {
            if !now.squeeze_excite.applies_to(block) || then.squeeze_excite.applies_to(block) {
                continue;
            }
            for part in ["scale", "shift"] {
                for value in self.values_mut(&format!("block{block}.second.{part}")) {
                    *value *= 2.0;
                }
            }
            // With random weights and no bias, the channels' means shift the sum of every squeeze unit, and a ReLU whose sum is
            // negative for all positions never gets a gradient. The bias cancels the means, so that both signs occur.
            let means = self.values_mut(&format!("block{block}.second.shift")).to_vec();
            let weights = self.values_mut(&format!("block{block}.squeeze.weight")).to_vec();
            let units = now.squeeze_excite.units(now.channels);
            for (unit, bias) in self.values_mut(&format!("block{block}.squeeze.bias")).iter_mut().enumerate()
            {
                let weights_of_unit = weights.iter().skip(unit).step_by(units);
                *bias = -weights_of_unit.zip(&means).map(|(weight, mean)| weight * mean).sum::<f32>();
            }
        }
    }

    fn values_mut(&mut self, name: &str) -> &mut [f32] {
        let found = self.matrices.iter_mut().find(|matrix| matrix.name == name);
        found.map_or(&mut [], |matrix| &mut matrix.values)
    }
}

/// The values of a network's matrix in the larger shape `[rows, columns]` that it has in the grown network; `None` for a
/// matrix that cannot grow to this shape.
fn fitted(
    own: &Matrix,
    [rows, columns]: [usize; 2],
    before: &PlaneSpec,
    after: &PlaneSpec,
) -> Result<Option<Vec<f32>>, NetworkError> {
    if own.shape == [rows, columns] {
        return Ok(Some(own.values.clone()));
    }
    let mut values = Vec::with_capacity(rows * columns);
    if own.name == STEM {
        // New channels come last in an encoding that extends another, so the rows of each tap keep their places and are
        // followed by the zeros of the new channels.
        let channels = before.input_encoding()?.channels();
        let added = after.input_encoding()?.channels() - channels;
        for tap in own.values.chunks(channels * columns) {
            values.extend_from_slice(tap);
            values.resize(values.len() + added * columns, 0.0);
        }
        return Ok(Some(values));
    }
    if rows != TAPS * own.shape[0] {
        return Ok(None);
    }
    values.resize(MIDDLE * own.values.len(), 0.0);
    values.extend_from_slice(&own.values);
    values.resize(TAPS * own.values.len(), 0.0);
    Ok(Some(values))
}

fn tower(spec: &PlaneSpec) -> Option<&Tower> {
    match &spec.body {
        Body::Tower(tower) => Some(tower),
        Body::Layers(_) => None,
    }
}

/// True if a specification is that of a network with only the additions listed at [`Weights::grown`].
fn extends(wanted: &PlaneSpec, own: &PlaneSpec) -> bool {
    let (Some(larger), Some(tower)) = (tower(wanted), tower(own)) else { return false };
    let (Ok(own_input), Ok(wider)) = (input_encoding(&own.input), input_encoding(&wanted.input)) else {
        return false;
    };
    let input = wanted.input == own.input || wider.extended().any(|nearer| nearer.name() == own_input.name());
    // Every block that has a unit must keep it, in the same size.
    let units = tower.squeeze_excite.units(tower.channels);
    let is_same_size = units == larger.squeeze_excite.units(larger.channels);
    let mut with_unit = (0..tower.blocks).filter(|block| tower.squeeze_excite.applies_to(*block));
    let squeeze_excite = with_unit
        .all(|block| is_same_size && block < larger.blocks && larger.squeeze_excite.applies_to(block));
    let widened = (&own.policy, &wanted.policy);
    let policy = own.policy == wanted.policy
        || matches!(widened, (PolicyHead::Pointwise {}, PolicyHead::Convolution { channels: None }));
    let body = Tower { squeeze_excite: tower.squeeze_excite.clone(), ..larger.clone() };
    let rest = PlaneSpec {
        input: own.input.clone(),
        body: Body::Tower(body),
        policy: own.policy.clone(),
        ..wanted.clone()
    };
    input && squeeze_excite && policy && rest == *own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::layers_tests::random_weights;

    #[test]
    fn new_squeeze_units_see_zero_where_the_channels_are_at_their_means() {
        let [small, excited] = ["", "squeeze_excite = { ratio = 4 }"]
            .map(|more| Spec::from_toml(&format!("blocks = 2\nchannels = 16\n{more}")).unwrap());
        let weights = random_weights(small, 3);
        let mut grown = weights.grown(&excited).unwrap().unwrap();
        let means = grown.values_mut("block1.second.shift").to_vec();
        let of_channels = grown.values_mut("block1.squeeze.weight").to_vec();
        let bias = grown.values_mut("block1.squeeze.bias").to_vec();
        assert_eq!((means.len(), bias.len()), (16, 4));
        for (unit, bias) in bias.iter().enumerate() {
            let seen: f32 = (0..16).map(|channel| of_channels[4 * channel + unit] * means[channel]).sum();
            assert!((seen + bias).abs() < 1e-4 && bias.abs() > 1e-3, "unit {unit}: {seen}, {bias}");
        }
    }
}
