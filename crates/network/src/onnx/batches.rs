//! The outputs of a graph for the samples of a store, as those of weights in training.

use dataset::Batch;

use super::{OnnxNetwork, of_planes::PlanesContract};
use crate::{Inputs, NetworkError, ValueKind, error::mismatch, passes::Outputs};

/// Positions of one run, at most: enough to share the cost of a run, few enough that the activations take little memory.
const MOST: usize = 32;

impl OnnxNetwork {
    /// The encodings of its samples.
    ///
    /// # Errors
    /// [`NetworkError::Format`] for a graph whose contract has a form of its own (`maia-3`).
    pub fn inputs(&self) -> Result<Inputs, NetworkError> {
        let contract = self.samples()?;
        Ok(Inputs::Planes(contract.input.1, contract.moves))
    }

    /// True if it scores moves.
    pub fn has_policy(&self) -> bool {
        self.contract.heads().policy
    }

    /// Meaning of the values in [`OnnxNetwork::forward`].
    ///
    /// # Errors
    /// As [`OnnxNetwork::inputs`]; [`NetworkError::Format`] for evaluations in pawns of which the file does not say the largest.
    pub fn value_kind(&self) -> Result<ValueKind, NetworkError> {
        self.samples()?.value_kind().ok_or_else(|| {
            let expected =
                "a limit, as the exports of this program name it, or probabilities, logits or expected";
            mismatch(
                &self.place,
                "value",
                "pawns without a limit, to which labels would be clipped",
                expected,
            )
        })
    }

    /// The outputs of a batch. The share of the legal moves in all moves is not among them: many indices of a move encoding
    /// belong to no move, and what a graph computes for those means nothing.
    ///
    /// # Errors
    /// As [`OnnxNetwork::inputs`]; [`NetworkError::Data`] if the batch was encoded for another network; [`NetworkError::Format`] if the
    /// runtime fails or an output is not finite.
    pub fn forward(&self, batch: &Batch) -> Result<Outputs, NetworkError> {
        let contract = self.samples()?;
        let (found, expected) = (batch.plane_count, contract.input.1.planes());
        if found != expected {
            return Err(NetworkError::Data(format!("a batch of {found} planes for a network of {expected}")));
        }
        let unusable = |found: String| mismatch(&self.place, "outputs", found, "finite numbers");
        let mut outputs = Outputs::default();
        let mut legal = batch.legal_offsets.windows(2);
        for planes in batch.planes.chunks(self.most_at_once().min(MOST) * expected) {
            let boards = planes.len() / expected;
            let numbers = self.numbers(boards, contract.tensor(planes)).map_err(unusable)?;
            for (board, ends) in (0..boards).zip(legal.by_ref()) {
                let legal = &batch.legal_indices[ends[0] as usize..ends[1] as usize];
                contract.add(&numbers.of(board), legal, &mut outputs);
            }
        }
        // An expected result of one is the tanh of an infinite number.
        let is_usable = outputs.logits.iter().all(|logit| logit.is_finite());
        if is_usable && !outputs.values.iter().any(|value| value.is_nan()) {
            return Ok(outputs);
        }
        Err(unusable("a number that is not finite".into()))
    }

    /// The contract of a graph that reads planes.
    fn samples(&self) -> Result<&PlanesContract, NetworkError> {
        self.contract.of_planes().ok_or_else(|| {
            let found = format!("{}, whose input has a form of its own", self.contract());
            mismatch(&self.place, "contract", found, "an input of planes, as those of samples")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Spec, architecture::Architecture, onnx::to_bytes, passes::NormStatistics,
        probabilities::PositionValue, synthetic, weights::layers_tests::random_weights,
    };

    /// Every form of value that this program exports, more positions than one run takes, and no policy.
    #[test]
    fn outputs_are_those_of_the_weights() {
        for keys in [
            "",
            "value = { kind = \"scalar\" }",
            "value = { kind = \"pawns\", limit = 9.0, squash = true }",
            "value = { kind = \"none\" }",
            "policy = { kind = \"none\" }",
        ] {
            let spec = Spec::from_toml(&format!("blocks = 1\nchannels = 16\n{keys}")).unwrap();
            let weights = random_weights(spec.clone(), 13);
            let graph = OnnxNetwork::from_bytes(&to_bytes(&weights).unwrap(), "x.onnx").unwrap();
            let batch = synthetic::batch(&spec, &synthetic::positions(MOST + 3, 5), 5);
            let (parameters, statistics) = weights.values();
            let mut passes = Architecture::new(&spec).unwrap().forward().unwrap();
            let expected = passes.forward(&parameters, NormStatistics::Stored(&statistics), &batch).unwrap();
            let found = graph.forward(&batch).unwrap();
            assert_eq!(
                (found.logits.len(), graph.has_policy()),
                (expected.logits.len(), spec.has_policy()),
                "{keys}"
            );
            for (found, expected) in found.logits.iter().zip(&expected.logits) {
                let off = (found - expected).abs();
                assert!(off < 1e-3 * expected.abs().max(1.0), "{keys}: {found}, expected {expected}");
            }
            let (kind, theirs) = (graph.value_kind().unwrap(), spec.value_kind());
            assert_eq!(
                (kind.outputs(), found.values.len()),
                (theirs.outputs(), expected.values.len()),
                "{keys}"
            );
            for board in 0..batch.size {
                let value = |kind: ValueKind, values: &[f32]| {
                    PositionValue::of(kind, &values[board * kind.outputs()..(board + 1) * kind.outputs()])
                };
                let (found, expected) = (value(kind, &found.values), value(theirs, &expected.values));
                assert!(
                    (found.number - expected.number).abs() < 1e-3,
                    "{keys}: {found:?}, expected {expected:?}"
                );
                assert!((found.wdl.draw - expected.wdl.draw).abs() < 1e-3, "{keys}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn batches_of_other_encodings_are_refused() {
        let of = |input: &str| {
            Spec::from_toml(&format!("input = \"{input}\"\nblocks = 1\nchannels = 16")).unwrap()
        };
        let weights = random_weights(of("tabiya"), 1);
        let graph = OnnxNetwork::from_bytes(&to_bytes(&weights).unwrap(), "x.onnx").unwrap();
        let batch = synthetic::batch(&of("lc0-112"), &synthetic::positions(2, 1), 1);
        let message = graph.forward(&batch).unwrap_err().to_string();
        assert!(message.starts_with("data: a batch of 112 planes for a network of "), "{message}");
    }
}
