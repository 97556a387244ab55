//! Conversion of an lc0 network to a weights file with the same weights and the same outputs.

use std::path::Path;

use crate::{
    NetworkError, Spec,
    error::syntax,
    planes::lc0::{Description, Heads, Lc0Network},
    provenance::{Provenance, Source},
};

use super::{Weights, printable};

impl Weights {
    /// Reads the bytes of an lc0 weights file; `place` names them in errors.
    ///
    /// # Errors
    /// [`NetworkError::Lc0`] if the network is damaged or of an unsupported kind, and those of [`Weights::of_matrices`].
    pub(super) fn from_lc0(bytes: &[u8], place: &str, heads: Heads) -> Result<Self, NetworkError> {
        let network = Lc0Network::from_bytes(bytes, place, heads)?;
        let mut provenance = provenance(bytes, place, &network.description);
        provenance.name += &heads.suffix();
        let provenance =
            printable(&provenance).map_err(|error| syntax(format!("{place}: metadata"), error))?;
        Self::of_matrices(Spec::Planes(network.spec), provenance, network.matrices, place)
    }
}

fn provenance(bytes: &[u8], place: &str, description: &Description) -> Provenance {
    let file = Path::new(place).file_name().map_or(place.into(), |name| name.to_string_lossy());
    Provenance {
        name: file.trim_end_matches(".gz").trim_end_matches(".pb").into(),
        steps: description.training_steps.unwrap_or_default().into(),
        source: Some(Source { file: file.into(), hash: files::bytes_hash(bytes), lc0: description.clone() }),
        ..Provenance::default()
    }
}

#[cfg(test)]
mod tests {
    use chess::{Evaluation, EvaluationRequest, Evaluator, Game};
    use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, Precision, SqueezeExcite};

    use super::*;
    use crate::{
        CpuNetwork, CpuOptions,
        planes::{
            lc0::{
                message::{ConvBlock, Layer, Residual},
                policy_planes::tests::gather,
                synthetic::{SyntheticNetwork, classical, modern},
            },
            policy_map::{POLICY_PLANES, PolicyMap},
        },
    };

    fn evaluation(bytes: &[u8]) -> Evaluation {
        let options = CpuOptions { precision: Some(Precision::F32), ..CpuOptions::default() };
        let network =
            CpuNetwork::from_weights(&Weights::from_bytes(bytes, "x.pb").unwrap(), options).unwrap();
        let game = Game::default();
        let legal_moves = game.legal_moves();
        let request = EvaluationRequest { game: &game, legal_moves: &legal_moves };
        network.evaluate(&[request]).unwrap().remove(0)
    }

    #[test]
    fn a_read_network_evaluates() {
        let modern = evaluation(&modern().bytes());
        assert!((modern.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((modern.wdl.win + modern.wdl.draw + modern.wdl.loss - 1.0).abs() < 1e-5);
        assert!(modern.moves_left.is_some_and(|plies| plies > 0.0));
        let classical = evaluation(&classical().bytes());
        assert_eq!(classical.wdl.draw, 0.0);
        assert_eq!(classical.moves_left, None);
    }

    /// A convolution of a file, where weights are `[outputs][inputs][taps]`.
    fn layer(kernel: usize, weights: Option<&Layer>, biases: Option<&Layer>) -> Convolution {
        let [plain, bias] = [weights, biases].map(|layer| {
            let bytes = layer.unwrap().params.as_deref().unwrap();
            bytes.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes).collect::<Vec<f32>>()
        });
        let (taps, outputs) = (kernel * kernel, bias.len());
        let inputs = plain.len() / outputs / taps;
        let mut weights = vec![0.0; plain.len()];
        for (place, weight) in plain.into_iter().enumerate() {
            let (output, input, tap) = (place / taps / inputs, place / taps % inputs, place % taps);
            weights[(tap * inputs + input) * outputs + output] = weight;
        }
        Convolution { kernel, inputs, outputs, weights, bias }
    }

    fn convolution(kernel: usize, block: Option<&ConvBlock>) -> Convolution {
        let block = block.unwrap();
        layer(kernel, block.weights.as_deref(), block.biases.as_deref())
    }

    fn dense(weights: Option<&Layer>, biases: Option<&Layer>) -> Dense {
        let Convolution { inputs, outputs, weights, bias, .. } = layer(1, weights, biases);
        Dense { inputs, outputs, weights, bias }
    }

    fn block(block: &Residual, activation: Activation) -> Block {
        let [first, second] = [&block.conv1, &block.conv2].map(|layer| convolution(3, layer.as_deref()));
        let squeeze_excite = block.se.as_deref().map(|unit| SqueezeExcite {
            squeeze: dense(unit.w1.as_deref(), unit.b1.as_deref()),
            excite: dense(unit.w2.as_deref(), unit.b2.as_deref()),
            activation,
        });
        Block { first, second, squeeze_excite, activation }
    }

    /// The layers as a reader must find them.
    fn plan(file: &SyntheticNetwork) -> Plan {
        let weights = file.message.weights.as_deref().unwrap();
        let activation = if weights.policy1.is_some() { Activation::Mish } else { Activation::Relu };
        let policy = if weights.policy1.is_some() {
            let first = convolution(3, weights.policy1.as_deref());
            Policy::Planes { first, activation, second: convolution(3, weights.policy.as_deref()) }
        } else {
            let dense = dense(weights.ip_pol_w.as_deref(), weights.ip_pol_b.as_deref());
            Policy::Dense { convolution: convolution(1, weights.policy.as_deref()), activation, dense }
        };
        Plan {
            stem: convolution(3, weights.input.as_deref()),
            activation,
            blocks: weights.residual.iter().map(|residual| block(residual, activation)).collect(),
            policy,
            value: Head {
                convolution: convolution(1, weights.value.as_deref()),
                hidden: dense(weights.ip1_val_w.as_deref(), weights.ip1_val_b.as_deref()),
                activation,
                output: dense(weights.ip2_val_w.as_deref(), weights.ip2_val_b.as_deref()),
            },
            moves_left: weights.moves_left.as_deref().map(|moves_left| Head {
                convolution: convolution(1, Some(moves_left)),
                hidden: dense(weights.ip1_mov_w.as_deref(), weights.ip1_mov_b.as_deref()),
                activation,
                output: dense(weights.ip2_mov_w.as_deref(), weights.ip2_mov_b.as_deref()),
            }),
        }
    }

    /// Asserts that two plans are the same to the last bit, but for the order of the policy's planes: each move has the weights that it has
    /// in the file.
    fn expect_same(ours: &Plan, file: &Plan) {
        let mut rest = ours.clone();
        rest.policy = file.policy.clone();
        assert_eq!(&rest, file);
        let (
            Policy::Planes { first, activation, second },
            Policy::Planes { first: their_first, activation: their_activation, second: theirs },
        ) = (&ours.policy, &file.policy)
        else {
            return assert_eq!(ours.policy, file.policy);
        };
        assert_eq!((first, activation), (their_first, their_activation));
        let map = PolicyMap::planes(&chess::encoding::moves::Lc0Moves1858);
        for (index, place) in gather().into_iter().enumerate() {
            let plane = map.slot(index).unwrap() as usize % POLICY_PLANES;
            assert_eq!(second.bias[plane], theirs.bias[place / 64]);
            let column = |values: &[f32], width: usize, plane: usize| -> Vec<f32> {
                values.iter().skip(plane).step_by(width).copied().collect()
            };
            let expected = column(&theirs.weights, theirs.outputs, place / 64);
            assert_eq!(column(&second.weights, second.outputs, plane), expected, "move {index}");
        }
    }

    #[test]
    fn both_generations_become_our_weights_file_without_loss() {
        for file in [modern(), classical()] {
            let bytes = file.gzipped();
            let ours = Weights::from_bytes(&bytes, "folder/x.pb.gz").unwrap();
            let ours = Weights::from_bytes(&ours.to_bytes().unwrap(), "x.tabiya").unwrap();
            expect_same(&ours.plan().unwrap(), &plan(&file));
            let spec = ours.spec.planes().unwrap();
            assert_eq!((spec.input.as_str(), spec.moves.as_str()), ("lc0-112", "lc0-1858"));
            assert_eq!((ours.provenance.name.as_str(), ours.provenance.steps), ("x", 7));
            let source = ours.provenance.source.unwrap();
            assert_eq!((source.file.as_str(), source.hash.len()), ("x.pb.gz", 32));
            let read = Lc0Network::from_bytes(&bytes, "x", Heads::default()).unwrap();
            assert_eq!(source.lc0, read.description);
            assert_eq!(source.lc0.policy_accuracy, Some(52.5));
            assert_eq!(source.lc0.lc0_parameters.as_deref(), Some("--visits=1"));
        }
    }

    #[test]
    fn a_broken_file_is_named() {
        let message = Weights::from_bytes(&modern().bytes()[..100], "short.pb").unwrap_err().to_string();
        assert!(message.starts_with("lc0 network short.pb: not a valid weights message"), "{message}");
    }
}
