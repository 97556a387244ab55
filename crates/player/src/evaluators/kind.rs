//! The kinds of evaluators, and finding the kind of a name.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::Evaluator;
use network::{CpuOptions, Precision, Provenance, Weights};
use output::{LARGEST_FILE, read_at_most};

use super::{NamedEvaluator, hash_of, read_weights};
use crate::{
    bundled::bundled,
    error::OpenError,
    judge::{EngineJudge, is_engine},
    learners::{holds_learners, learners_have_policy, open_learners, provenance_of_learners},
    nnue::{NnueEvaluator, is_nnue},
};

/// An evaluator, or why it cannot be one.
type Opened = Result<Arc<dyn Evaluator>, OpenError>;

/// A kind of evaluator that is not a mean of several. The functions take a name for which `is` is true.
pub(crate) struct EvaluatorKind {
    is: fn(&str) -> bool,
    pub(super) open: fn(&str, Option<Precision>) -> Opened,
    /// True if it has a policy, that is, prefers some moves to others.
    pub(crate) has_policy: fn(&str) -> Result<bool, OpenError>,
    /// The weights of a network of Tabiya's or lc0's; `None` for any other evaluator.
    pub(super) weights: fn(&str) -> Result<Option<Weights>, OpenError>,
    /// The hash of its file; `None` for an evaluator without a file.
    pub(super) hash: fn(&str) -> Result<Option<String>, OpenError>,
    pub(super) provenance: fn(&str) -> Result<Provenance, OpenError>,
}

/// Every kind of evaluator whose names can be recognised, in the order in which they are tried.
const EVALUATOR_KINDS: &[EvaluatorKind] = &[NAMED, ENGINE, BUNDLED, NNUE, LEARNERS];

/// The kind of the evaluator with this name: a weights file unless the name is recognised as another kind.
pub(crate) fn kind_of(net: &str) -> &'static EvaluatorKind {
    EVALUATOR_KINDS.iter().find(|kind| (kind.is)(net)).unwrap_or(&WEIGHTS)
}

/// An evaluator that needs no file.
const NAMED: EvaluatorKind = EvaluatorKind {
    is: |net| NamedEvaluator::find(net).is_some(),
    open: |net, _| Ok((NamedEvaluator::find(net).expect("`is` has found it").make)()),
    has_policy: |_| Ok(false),
    weights: |_| Ok(None),
    hash: |_| Ok(None),
    provenance: |net| Ok(of_unknown_origin(net)),
};

/// A UCI engine.
const ENGINE: EvaluatorKind = EvaluatorKind {
    is: is_engine,
    open: |net, _| Ok(Arc::new(EngineJudge::open(net)?)),
    has_policy: |_| Ok(true),
    weights: |_| Ok(None),
    hash: |_| Ok(None),
    provenance: |net| Ok(of_unknown_origin(net)),
};

/// A bundled network: its name wins over a file of that name.
const BUNDLED: EvaluatorKind = EvaluatorKind { is: |net| bundled(net).is_some(), ..WEIGHTS };

/// A Stockfish network.
const NNUE: EvaluatorKind = EvaluatorKind {
    is: is_nnue,
    open: |net, _| Ok(Arc::new(NnueEvaluator::open(net)?)),
    has_policy: |_| Ok(true),
    weights: |_| Ok(None),
    hash: hash_of_file,
    provenance: |net| Ok(of_unknown_origin(net)),
};

const LEARNERS: EvaluatorKind = EvaluatorKind {
    is: holds_learners,
    open: |net, precision| open_learners(Path::new(net), precision),
    has_policy: |net| learners_have_policy(Path::new(net)),
    weights: |_| Ok(None),
    hash: hash_of_file,
    provenance: |net| provenance_of_learners(Path::new(net)),
};

/// A network of Tabiya's or lc0's: a file, or a bundled one.
const WEIGHTS: EvaluatorKind = EvaluatorKind {
    is: |_| true,
    open: open_weights,
    has_policy: |net| Ok(read_weights(net)?.spec.has_policy()),
    weights: |net| read_weights(net).map(Some),
    hash: |net| match bundled(net) {
        Some(bundled) => Ok(Some(hash_of(bundled.weights))),
        None => hash_of_file(net),
    },
    provenance: |net| Ok(read_weights(net)?.provenance),
};

fn open_weights(net: &str, precision: Option<Precision>) -> Opened {
    let options = CpuOptions { precision, ..CpuOptions::default() };
    match bundled(net) {
        Some(bundled) => network::from_bytes(bundled.weights, options)
            .map_err(|error| OpenError::Bundled { name: bundled.name, error }),
        None => Ok(network::open(Path::new(net), options)?),
    }
}

fn hash_of_file(net: &str) -> Result<Option<String>, OpenError> {
    let path = PathBuf::from(net);
    let bytes = read_at_most(&path, LARGEST_FILE).map_err(|error| OpenError::Read { path, error })?;
    Ok(Some(hash_of(&bytes)))
}

/// The provenance of an evaluator of which only the name is known.
fn of_unknown_origin(net: &str) -> Provenance {
    Provenance { name: net.into(), ..Provenance::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BUNDLED as NETWORKS, EVALUATORS};

    #[test]
    fn names_without_a_file_have_no_weights_and_a_file_has_its_own() {
        for named in EVALUATORS {
            let kind = kind_of(named.name);
            assert!(!(kind.has_policy)(named.name).unwrap());
            assert!((kind.weights)(named.name).unwrap().is_none());
            assert_eq!((kind.hash)(named.name).unwrap(), None);
        }
        let engine = "uci:no/such/engine:nodes=1";
        assert!((kind_of(engine).has_policy)(engine).unwrap());
        let folder = tempfile::tempdir().unwrap();
        for network in NETWORKS {
            let file = folder.path().join(network.name).display().to_string();
            std::fs::write(&file, network.weights).unwrap();
            let of = |net: &str| {
                let (kind, weights) = (kind_of(net), (kind_of(net).weights)(net).unwrap().unwrap());
                ((kind.has_policy)(net).unwrap(), (kind.hash)(net).unwrap(), weights.spec.shape_name())
            };
            assert_eq!(of(network.name), of(&file));
        }
        let missing = folder.path().join("none").display().to_string();
        assert!(
            (kind_of(&missing).weights)(&missing).is_err() && (kind_of(&missing).hash)(&missing).is_err()
        );
    }
}
