//! Enlarges a network to one with the same outputs, from which training can start (network morphism: Wei et al., "Network
//! Morphism", 2016; Chen et al., "Net2Net", 2016).

use chess::encoding::{InputEncoding, input::input_encoding};

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
                Some(matrix) => match fitted(matrix, shape, [own, larger])? {
                    Some(values) => values,
                    None => return Ok(None),
                },
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
        let of = |spec: &Spec| spec.planes().ok().and_then(tower).cloned();
        let (Some(now), Some(then)) = (of(&self.spec), of(&before.spec)) else { return };
        for block in (0..now.blocks)
            .filter(|&block| now.squeeze_excite.applies_to(block) && !then.squeeze_excite.applies_to(block))
        {
            for part in ["scale", "shift"] {
                self.values_mut(&format!("block{block}.second.{part}"))
                    .iter_mut()
                    .for_each(|value| *value *= 2.0);
            }
            let means = self.values_mut(&format!("block{block}.second.shift")).to_vec();
            let weights = self.values_mut(&format!("block{block}.squeeze.weight")).to_vec();
            let units = now.squeeze_excite.units(now.channels);
            for (unit, bias) in self.values_mut(&format!("block{block}.squeeze.bias")).iter_mut().enumerate()
            {
                let of_unit = weights.iter().skip(unit).step_by(units);
                *bias = -of_unit.zip(&means).map(|(weight, mean)| weight * mean).sum::<f32>();
            }
        }
    }

    fn values_mut(&mut self, name: &str) -> &mut [f32] {
        let found = self.matrices.iter_mut().find(|matrix| matrix.name == name);
        found.map_or(&mut [], |matrix| &mut matrix.values)
    }
}

/// The values of a network's matrix in the larger shape that it has in the grown network.
fn fitted(
    own: &Matrix,
    [rows, columns]: [usize; 2],
    [before, after]: [&PlaneSpec; 2],
) -> Result<Option<Vec<f32>>, NetworkError> {
    let zeros = |count: usize| std::iter::repeat_n(0.0, count * columns);
    if own.shape == [rows, columns] {
        return Ok(Some(own.values.clone()));
    }
    if own.name == STEM {
        let [before, after] = [before, after].map(|spec| spec.input_encoding().map(InputEncoding::channels));
        let (before, after) = (before?, after?);
        let of_taps = own.values.chunks(before * columns);
        return Ok(Some(of_taps.flat_map(|tap| tap.iter().copied().chain(zeros(after - before))).collect()));
    }
    let of_tap = own.shape[0];
    let after = (TAPS - 1 - MIDDLE) * of_tap;
    Ok((rows == TAPS * of_tap).then(|| {
        let middle = own.values.iter().copied();
        zeros(MIDDLE * of_tap).chain(middle).chain(zeros(after)).collect()
    }))
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
    let [units, wanted_units] = [tower, larger].map(|tower| {
        let applies = |&block: &usize| tower.squeeze_excite.applies_to(block);
        (0..tower.blocks).filter(applies).collect::<Vec<_>>()
    });
    let squeeze_excite = units.iter().all(|block| wanted_units.contains(block))
        && (units.is_empty()
            || tower.squeeze_excite.units(tower.channels) == larger.squeeze_excite.units(larger.channels));
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
