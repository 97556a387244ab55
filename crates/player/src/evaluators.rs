//! Evaluators by name: weights files, the bundled networks, learners, means of several, UCI engines, and baselines without a file.

mod source;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{Evaluator, Game, MaterialEvaluator, UniformEvaluator};
use network::{Precision, Provenance, Weights};

pub(crate) use self::source::Source;
use crate::{
    error::OpenError,
    mean::{MeanEvaluator, members},
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
    /// Network, arithmetic, and the heads that it lacks, for `info string` and game records.
    pub fn describe(&self) -> String {
        let lacks = self.evaluator.heads().missing();
        let separator = if lacks.is_empty() { "" } else { ", " };
        format!("{}{separator}{lacks}", self.evaluator.describe())
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
    let opened = sources(net).map(|source| source.open(precision));
    let mut opened: Vec<Arc<dyn Evaluator>> = opened.collect::<Result<_, OpenError>>()?;
    let evaluator = match opened.len() {
        1 => opened.remove(0),
        _ => Arc::new(MeanEvaluator::new(opened)),
    };
    let start = Game::default();
    search::evaluate_one(evaluator.as_ref(), &start, &start.legal_moves())
        .map_err(|error| OpenError::Unusable { net: net.into(), error })?;
    Ok(OpenedEvaluator { evaluator, net: net.into() })
}

/// What each name in the name of an evaluator stands for: one, or those of a mean.
pub(crate) fn sources(net: &str) -> impl Iterator<Item = Source> {
    members(net).into_iter().map(Source::of)
}

/// Reads a network's weights by name: a file, or a network in the program.
///
/// # Errors
/// [`OpenError`] if the file is not a weights file.
pub fn read_weights(net: &str) -> Result<Weights, OpenError> {
    match Source::of(net) {
        Source::Bundled(network) => source::bundled_weights(network),
        _ => source::file_weights(Path::new(net)),
    }
}

/// The weights of an evaluator that is one network; `None` for any other: a baseline, an engine, one of
/// Stockfish's, learners, a mean of several.
///
/// # Errors
/// As [`read_weights`].
pub fn weights_of(net: &str) -> Result<Option<Weights>, OpenError> {
    match members(net)[..] {
        [one] => Source::of(one).weights(),
        _ => Ok(None),
    }
}

/// XXH3 of a network's file, 128 bits, hexadecimal; the hashes of a mean are joined by plus signs. `None` for evaluators without a
/// file.
///
/// # Errors
/// [`OpenError::Read`] if the file cannot be read.
pub fn network_hash(net: &str) -> Result<Option<String>, OpenError> {
    let bytes = sources(net).filter_map(|source| source.bytes().transpose());
    let hashes: Vec<String> = bytes.map(|bytes| Ok(hash_of(&bytes?))).collect::<Result<_, OpenError>>()?;
    Ok((!hashes.is_empty()).then(|| hashes.join("+")))
}

/// The files that an evaluator is read from; none for one without a file.
pub fn network_files(net: &str) -> Vec<PathBuf> {
    sources(net).filter_map(|source| source.file().map(Path::to_path_buf)).collect()
}

/// Provenance of a network or a file of learners; of any other evaluator only the name is known.
///
/// # Errors
/// [`OpenError`] if the file cannot be read.
pub fn provenance_of(net: &str) -> Result<Provenance, OpenError> {
    Ok(Source::of(net).origin()?.1)
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
