//! Evaluators by name: weights files, the bundled networks, learners, means of several, UCI engines, and baselines without a file.

mod kind;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{Evaluator, Game, MaterialEvaluator, UniformEvaluator};
use network::{Precision, Provenance, Weights};

pub(crate) use self::kind::kind_of;
use crate::{
    bundled::bundled,
    error::OpenError,
    judge::is_engine,
    mean::{MeanEvaluator, Member, members},
};

/// An evaluator that needs no file; its name is given instead of a file.
#[derive(Clone, Copy, Debug)]
pub struct NamedEvaluator {
    /// Name in a player specification, after `net=`.
    pub name: &'static str,
    /// Its values and priors, in a few words.
    pub help: &'static str,
    make: fn() -> Arc<dyn Evaluator>,
}

/// Every evaluator that needs no file: the baselines for networks. Engines are named as `uci:COMMAND:nodes=N`, means as `A+B`.
pub const EVALUATORS: &[NamedEvaluator] = &[
    NamedEvaluator {
        name: "material",
        help: "the balance of material",
        make: || Arc::new(MaterialEvaluator),
    },
    NamedEvaluator {
        name: "uniform",
        help: "equal chances and equal priors",
        make: || Arc::new(UniformEvaluator),
    },
];

impl NamedEvaluator {
    /// The evaluator of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        EVALUATORS.iter().find(|evaluator| evaluator.name == name)
    }
}

/// An evaluator with the name by which it was opened.
#[derive(Clone)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct OpenedEvaluator {
    pub evaluator: Arc<dyn Evaluator>,
    /// The name by which it was requested.
    pub net: String,
}

impl OpenedEvaluator {
    /// Network and arithmetic, for `info string` and game records.
    pub fn describe(&self) -> String {
        self.evaluator.describe()
    }
}

/// Opens a network, or an evaluator without one, by name, and asks it about the start position: answers that are not
/// probabilities are an error here and not in the middle of a game. Without a precision, the network and the machine decide.
///
/// # Errors
/// [`OpenError`] if the file or the precision cannot be used.
pub fn open_evaluator(net: &str, precision: Option<Precision>) -> Result<OpenedEvaluator, OpenError> {
    let members = members(net);
    if members.len() > 1 && members.contains(&"") {
        return Err(OpenError::EmptyName(net.into()));
    }
    let evaluator = if let [one] = members[..] {
        (kind_of(one).open)(one, precision)?
    } else {
        let open = |one: &&str| {
            let kind = kind_of(one);
            let has_policy = (kind.has_policy)(one)?;
            Ok(Member { evaluator: (kind.open)(one, precision)?, has_policy })
        };
        let opened: Result<Vec<Member>, OpenError> = members.iter().map(open).collect();
        Arc::new(MeanEvaluator::new(opened?))
    };
    let start = Game::default();
    search::evaluate_one(evaluator.as_ref(), &start, &start.legal_moves())
        .map_err(|error| OpenError::Unusable { net: net.into(), error })?;
    Ok(OpenedEvaluator { evaluator, net: net.into() })
}

/// Reads a network's weights by name: a file, or a bundled network.
///
/// # Errors
/// [`OpenError`] if the file is not a weights file.
pub fn read_weights(net: &str) -> Result<Weights, OpenError> {
    match bundled(net) {
        Some(bundled) => Weights::from_bytes(bundled.weights, "built-in network")
            .map_err(|error| OpenError::Bundled { name: bundled.name, error }),
        None => Ok(Weights::read(Path::new(net))?),
    }
}

/// The weights of an evaluator that is one network; `None` for any other: a baseline, an engine, one of
/// Stockfish's, learners, a mean of several.
///
/// # Errors
/// As [`read_weights`].
pub fn weights_of(net: &str) -> Result<Option<Weights>, OpenError> {
    match members(net)[..] {
        [one] => (kind_of(one).weights)(one),
        _ => Ok(None),
    }
}

/// XXH3 of a network's file, 128 bits, hexadecimal; the hashes of a mean are joined by plus signs. `None` for evaluators without a
/// file.
///
/// # Errors
/// [`OpenError::Read`] if the file cannot be read.
pub fn network_hash(net: &str) -> Result<Option<String>, OpenError> {
    let hashes: Vec<String> = members(net)
        .into_iter()
        .filter_map(|one| (kind_of(one).hash)(one).transpose())
        .collect::<Result<_, _>>()?;
    Ok((!hashes.is_empty()).then(|| hashes.join("+")))
}

/// The files that an evaluator is read from; none for one without a file.
pub fn network_files(net: &str) -> Vec<PathBuf> {
    let is_file =
        |one: &&str| !is_engine(one) && bundled(one).is_none() && NamedEvaluator::find(one).is_none();
    members(net).into_iter().filter(is_file).map(PathBuf::from).collect()
}

/// Provenance of a network or a file of learners; of any other evaluator only the name is known.
///
/// # Errors
/// [`OpenError`] if the file cannot be read.
pub fn provenance_of(net: &str) -> Result<Provenance, OpenError> {
    (kind_of(net).provenance)(net)
}

pub(crate) fn hash_of(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluators_without_a_network_are_named_choices() {
        for named in EVALUATORS {
            let opened = open_evaluator(named.name, None).unwrap();
            assert!(opened.describe().starts_with(named.name), "{}", opened.describe());
        }
    }

    #[test]
    fn a_missing_network_is_an_error_and_never_replaced() {
        let error = open_evaluator("no/such.tabiya", None).err().expect("there is no such file");
        assert!(error.to_string().contains("no/such.tabiya"), "{error}");
    }

    #[test]
    fn a_mean_names_its_networks_and_the_one_that_is_missing() {
        let opened = open_evaluator("default+material", None).unwrap();
        assert!(opened.describe().starts_with("mean of ") && opened.describe().contains(" and material"));
        let hash = |net| network_hash(net).unwrap().unwrap();
        assert_eq!(hash("default+material"), hash("default"));
        assert_eq!(hash("default+human"), format!("{}+{}", hash("default"), hash("human")));
        let error = open_evaluator("default+no/such.tabiya", None).err().unwrap();
        assert!(error.to_string().contains("no/such.tabiya") && !error.to_string().contains('+'), "{error}");
        let error = open_evaluator("default+", None).err().unwrap();
        assert!(error.to_string().starts_with("default+: found an empty name"), "{error}");
    }

    #[test]
    fn an_engine_that_is_not_there_is_named() {
        let error = open_evaluator("uci:no/such/engine:nodes=1", None).err().unwrap().to_string();
        assert!(
            error.starts_with("uci:no/such/engine:nodes=1: ") && error.contains("no/such/engine"),
            "{error}"
        );
    }
}
