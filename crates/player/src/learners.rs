//! Files of learners without a network, which are named in players as networks are.

use std::{path::Path, sync::Arc};

use chess::Evaluator;
use network::{Precision, container::format_of};
use regression::{BlendedNetwork, RegressionEvaluator, TrainedEnsemble};

use crate::{
    error::OpenError,
    evaluators::{network_hash, open_evaluator},
};

/// True if a file holds learners.
pub fn holds_learners(net: &str) -> bool {
    format_of(Path::new(net)).as_deref() == Some(regression::FORMAT)
}

/// Opens a file of learners, and the network that they are mixed with.
pub(crate) fn open_learners(
    path: &Path,
    precision: Option<Precision>,
) -> Result<Arc<dyn Evaluator>, OpenError> {
    let ensemble = TrainedEnsemble::read(path)?;
    let network = ensemble.blend.as_ref().map(|blend| open_blended(path, blend, precision)).transpose()?;
    Ok(Arc::new(RegressionEvaluator::new(ensemble, network)))
}

fn open_blended(
    path: &Path,
    blend: &BlendedNetwork,
    precision: Option<Precision>,
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
    Ok(open_evaluator(&network, precision).map_err(unusable)?.evaluator)
}
