//! Conversion of an lc0 network to a weights file with the same weights and the same outputs.

use std::path::Path;

use crate::{
    NetworkError, Spec,
    planes::{
        lc0::{Description, Lc0Kind, Lc0Layers, Lc0Network, ValueFormat},
        plain_tower::PlainTower,
    },
    provenance::{Provenance, Source},
    spec::ValueKind,
};

use super::{Weights, printable::printable};

impl Weights {
    /// Reads the bytes of an lc0 weights file; `place` names them in errors.
    ///
    /// # Errors
    /// [`NetworkError::Lc0`] if the network is damaged or of an unsupported kind, and those of [`Weights::from_tower`].
    pub(super) fn from_lc0(bytes: &[u8], place: &str) -> Result<Self, NetworkError> {
        let network = Lc0Kind::from_bytes(bytes, place)?;
        let description = match &network {
            Lc0Kind::Tower(network) => &network.description,
            Lc0Kind::Layers(network) => &network.description,
        };
        let provenance = provenance(bytes, place, description);
        let provenance = printable(&provenance).map_err(|error| NetworkError::Syntax {
            place: format!("{place}: metadata"),
            reason: error.to_string(),
        })?;
        match network {
            Lc0Kind::Tower(network) => Self::from_tower(&tower(*network, place), provenance),
            Lc0Kind::Layers(network) => {
                let Lc0Layers { spec, matrices, .. } = *network;
                Self::of_matrices(Spec::Planes(spec), provenance, matrices, place)
            }
        }
    }
}

fn provenance(bytes: &[u8], place: &str, description: &Description) -> Provenance {
    let file = Path::new(place).file_name().map_or(place.into(), |name| name.to_string_lossy());
    Provenance {
        name: file.trim_end_matches(".gz").trim_end_matches(".pb").into(),
        steps: description.training_steps.unwrap_or_default().into(),
        source: Some(Source {
            file: file.into(),
            hash: format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes)),
            lc0: description.clone(),
        }),
        ..Provenance::default()
    }
}

fn tower(network: Lc0Network, name: &str) -> PlainTower {
    PlainTower {
        name: name.into(),
        input: &crate::planes::lc0::INPUT,
        moves: &crate::planes::lc0::MOVES,
        plan: network.plan,
        gather: network.gather,
        value: match network.value {
            ValueFormat::Classical => ValueKind::Scalar,
            ValueFormat::Wdl => ValueKind::Wdl,
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::planes::lc0::synthetic::{classical, modern};
    use chess::{Evaluation, EvaluationRequest, Evaluator, Game};
    use kernels::Precision;

    use super::*;
    use crate::{CpuNetwork, CpuOptions, synthetic};

    /// Evaluations in full precision, so that equal networks give bit-identical results.
    fn answers(network: &PlainTower, games: &[Game]) -> Vec<Evaluation> {
        let options = CpuOptions { precision: Some(Precision::F32), ..CpuOptions::default() };
        let moves: Vec<_> = games.iter().map(Game::legal_moves).collect();
        let requests: Vec<_> = games
            .iter()
            .zip(&moves)
            .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
            .collect();
        CpuNetwork::new(network, None, options).unwrap().evaluate(&requests).unwrap()
    }

    fn read(bytes: &[u8]) -> PlainTower {
        tower(Lc0Network::from_bytes(bytes, "x").unwrap(), "x")
    }

    #[test]
    fn a_read_network_evaluates() {
        let games = [Game::default()];
        let modern = answers(&read(&modern().bytes()), &games);
        assert!((modern[0].priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((modern[0].wdl.win + modern[0].wdl.draw + modern[0].wdl.loss - 1.0).abs() < 1e-5);
        assert!(modern[0].moves_left.is_some_and(|plies| plies > 0.0));
        let classical = answers(&read(&classical().bytes()), &games);
        assert_eq!(classical[0].wdl.draw, 0.0);
        assert_eq!(classical[0].moves_left, None);
    }

    #[test]
    fn both_generations_become_our_weights_file_without_loss() {
        let mut games = synthetic::positions(12, 5);
        games.push(Game::default());
        for file in [modern(), classical()] {
            let bytes = file.gzipped();
            let ours = Weights::from_bytes(&bytes, "folder/x.pb.gz").unwrap();
            let ours = Weights::from_bytes(&ours.to_bytes().unwrap(), "x.tabiya").unwrap();
            let (theirs, answers) = (answers(&read(&bytes), &games), answers(&ours.tower().unwrap(), &games));
            assert_eq!(answers, theirs, "to the last bit");
            let spec = ours.spec.planes().unwrap();
            assert_eq!((spec.input.as_str(), spec.moves.as_str()), ("lc0-112", "lc0-1858"));
            assert_eq!((ours.provenance.name.as_str(), ours.provenance.steps), ("x", 7));
            let source = ours.provenance.source.unwrap();
            assert_eq!((source.file.as_str(), source.hash.len()), ("x.pb.gz", 32));
            assert_eq!(source.lc0, Lc0Network::from_bytes(&bytes, "x").unwrap().description);
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
