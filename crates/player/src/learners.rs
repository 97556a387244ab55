//! Files of learners without a network, which players name as they name networks.

use std::{path::Path, sync::Arc};

use chess::Evaluator;
use network::{Provenance, container::format_of};
use regression::{BlendedNetwork, Combination, RegressionEvaluator, TrainedEnsemble};

use crate::{
    error::OpenError,
    evaluators::{Computation, network_hash, open_evaluator, read_weights},
    nnue::is_nnue,
};

/// True if a file holds learners.
pub fn holds_learners(net: &str) -> bool {
    format_of(Path::new(net)).as_deref() == Some(regression::FORMAT)
}

/// Opens a file of learners, and the network that they are mixed with.
pub(crate) fn open_learners(path: &Path, computation: Computation) -> Result<Arc<dyn Evaluator>, OpenError> {
    let ensemble = TrainedEnsemble::read(path)?;
    let network = ensemble.blend.as_ref().map(|blend| open_blended(path, blend, computation)).transpose()?;
    Ok(Arc::new(RegressionEvaluator::new(ensemble, network)))
}

/// True if learners have a policy, that is, prefer some moves to others: by their votes, or by the policy of the network
/// that they are mixed with.
pub(crate) fn learners_have_policy(
    path: &Path,
    of_network: fn(&str) -> Result<bool, OpenError>,
) -> Result<bool, OpenError> {
    let ensemble = TrainedEnsemble::read(path)?;
    match (ensemble.combination, &ensemble.blend) {
        (Combination::Vote, _) => Ok(true),
        (Combination::Mean, Some(blend)) => of_network(&blend.network),
        (Combination::Mean, None) => Ok(false),
    }
}

fn open_blended(
    path: &Path,
    blend: &BlendedNetwork,
    computation: Computation,
) -> Result<Arc<dyn Evaluator>, OpenError> {
    let (file, network) = (path.to_path_buf(), blend.network.clone());
    let unusable = |error| OpenError::Blend {
        file: path.into(),
        network: blend.network.clone(),
        error: Box::new(error),
    };
    // Before it is opened: a file cannot name itself with its own hash, so nothing opens itself.
    let found = network_hash(&network).map_err(unusable)?;
    if found != blend.hash {
        let text = |hash: Option<String>| hash.unwrap_or_else(|| "of no file".into());
        return Err(OpenError::OtherBlend {
            file,
            network,
            found: text(found),
            expected: text(blend.hash.clone()),
        });
    }
    Ok(open_evaluator(&network, computation).map_err(unusable)?.evaluator)
}

/// Provenance of a network or a file of learners; that of a network of Stockfish's is not known beyond its name.
///
/// # Errors
/// [`OpenError`] if the file is neither.
pub fn provenance_of(net: &str) -> Result<Provenance, OpenError> {
    if holds_learners(net) {
        return Ok(TrainedEnsemble::read(Path::new(net))?.provenance);
    }
    if is_nnue(net) {
        return Ok(Provenance { name: net.into(), ..Provenance::default() });
    }
    Ok(read_weights(net)?.provenance)
}
