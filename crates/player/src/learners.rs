//! Files of learners without a network, which players name as they name networks.

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, Result, ensure};
use chess::Evaluator;
use network::{Provenance, container::format_of};
use regression::{RegressionEvaluator, TrainedEnsemble};

use super::{Computation, network_hash, open_evaluator, read_weights};

/// Whether a file holds learners.
pub(crate) fn holds_learners(net: &str) -> bool {
    format_of(Path::new(net)).as_deref() == Some(regression::FORMAT)
}

/// Opens a file of learners, and the network that they are mixed with.
pub(super) fn open_learners(path: &Path, computation: Computation) -> Result<Arc<dyn Evaluator>> {
    let ensemble = TrainedEnsemble::read(path)?;
    let network = match &ensemble.blend {
        None => None,
        Some(blend) => {
            let place = || format!("{}: its network {}", path.display(), blend.network);
            // Before it is opened: a file cannot name itself with its own hash, so nothing opens itself.
            let found = network_hash(&blend.network).with_context(place)?;
            ensure!(
                found == blend.hash,
                "{}: found the hash {}, expected {}: it is another network than in the training",
                place(),
                found.as_deref().unwrap_or("of no file"),
                blend.hash.as_deref().unwrap_or("of no file")
            );
            Some(open_evaluator(&blend.network, computation).with_context(place)?.evaluator)
        }
    };
    Ok(Arc::new(RegressionEvaluator::new(ensemble, network)))
}

/// Where a network or a file of learners comes from.
pub(crate) fn provenance_of(net: &str) -> Result<Provenance> {
    if holds_learners(net) {
        return Ok(TrainedEnsemble::read(Path::new(net))?.provenance);
    }
    Ok(read_weights(net)?.provenance)
}
