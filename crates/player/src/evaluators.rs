//! Evaluators by name: weights files, the bundled networks, learners, means of several, UCI engines, and baselines without a file.

mod source;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{Evaluator, Game, MaterialEvaluator, UniformEvaluator};
use network::{CpuOptions, NetworkError, Precision, Provenance, Weights, lc0::Heads, onnx::OnnxNetwork};
use regression::{BlendedNetwork, RegressionEvaluator, TrainedEnsemble};

pub(crate) use self::source::Source;
pub use self::source::holds_learners;
use crate::{
    error::OpenError,
    judge::EngineJudge,
    mean::{MeanEvaluator, members},
    nnue::NnueEvaluator,
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

/// An evaluator with the name passed to [`open_evaluator`].
#[derive(Clone)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct OpenedEvaluator {
    pub evaluator: Arc<dyn Evaluator>,
    /// The requested name.
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

/// Opens a network, or an evaluator without one, by name, and evaluates the start position, so that values
/// that are not probabilities are an error here, not in the middle of a game. Without a precision, the
/// network and the machine decide.
///
/// # Errors
/// [`OpenError`] if the file or the precision cannot be used.
pub fn open_evaluator(net: &str, precision: Option<Precision>) -> Result<OpenedEvaluator, OpenError> {
    let members = members(net);
    if members.len() > 1 && members.contains(&"") {
        return Err(OpenError::EmptyName(net.into()));
    }
    let opened = sources(net).map(|source| open(&source, precision));
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

/// The sources in an evaluator's name: one, or those of a mean.
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
        Source::Weights(path, heads) => source::file_weights(&path, heads),
        _ => source::file_weights(Path::new(net), Heads::default()),
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
    let hashes: Vec<String> =
        bytes.map(|bytes| Ok(files::bytes_hash(&bytes?))).collect::<Result<_, OpenError>>()?;
    Ok((!hashes.is_empty()).then(|| hashes.join("+")))
}

/// The files that an evaluator is read from; none for one without a file.
pub fn network_files(net: &str) -> Vec<PathBuf> {
    sources(net).filter_map(|source| source.file().map(Path::to_path_buf)).collect()
}

/// Provenance of a network or a file of learners; for any other evaluator only the name.
///
/// # Errors
/// [`OpenError`] if the file cannot be read.
pub fn provenance_of(net: &str) -> Result<Provenance, OpenError> {
    Ok(Source::of(net).origin()?.1)
}

/// The evaluator that a name stands for.
fn open(source: &Source, precision: Option<Precision>) -> Result<Arc<dyn Evaluator>, OpenError> {
    Ok(match source {
        Source::Named(named) => (named.make)(),
        Source::Engine(name) => Arc::new(EngineJudge::open(name)?),
        Source::Nnue(name) => Arc::new(NnueEvaluator::open(name)?),
        Source::Learners(path) => open_learners(path, precision)?,
        Source::Onnx(path) => open_graph(path, precision)?,
        Source::Bundled(network) => play(&source::bundled_weights(network)?, precision)
            .map_err(|error| OpenError::Bundled { name: network.name, error })?,
        Source::Weights(path, heads) => play(&source::file_weights(path, *heads)?, precision)?,
    })
}

fn play(weights: &Weights, precision: Option<Precision>) -> Result<Arc<dyn Evaluator>, NetworkError> {
    network::from_weights(weights, CpuOptions { precision, ..CpuOptions::default() })
}

/// A graph, which the runtime computes in 32-bit floats.
fn open_graph(path: &Path, precision: Option<Precision>) -> Result<Arc<dyn Evaluator>, OpenError> {
    if let Some(precision) = precision.filter(|precision| *precision != Precision::F32) {
        let reason = format!("{}: ONNX files are computed in f32 (use precision f32)", path.display());
        return Err(NetworkError::Precision { precision: precision.name(), reason }.into());
    }
    let network = OnnxNetwork::read(path).map_err(|error| source::missing(path, error.into()))?;
    Ok(Arc::new(network))
}

/// Opens a file of learners, and the network that they are mixed with.
fn open_learners(path: &Path, precision: Option<Precision>) -> Result<Arc<dyn Evaluator>, OpenError> {
    let ensemble = TrainedEnsemble::read(path)?;
    let network = ensemble.blend.as_ref().map(|blend| open_blended(path, blend, precision)).transpose()?;
    Ok(Arc::new(RegressionEvaluator::new(ensemble, network)))
}

fn open_blended(
    path: &Path,
    blend: &BlendedNetwork,
    precision: Option<Precision>,
) -> Result<Arc<dyn Evaluator>, OpenError> {
    let BlendedNetwork { network, hash, .. } = blend;
    // The hash is compared before the network is opened. A file cannot name itself with its own hash, because the hash is part of the
    // file; this is what keeps a file of learners from opening itself without end.
    let found = network_hash(network).map_err(|error| unusable_blend(path, network, error))?;
    if found != *hash {
        return Err(OpenError::OtherBlend {
            file: path.into(),
            network: network.clone(),
            found: found.unwrap_or_else(|| "of no file".into()),
            expected: hash.clone().unwrap_or_else(|| "of no file".into()),
        });
    }
    let opened = open_evaluator(network, precision);
    Ok(opened.map_err(|error| unusable_blend(path, network, error))?.evaluator)
}

fn unusable_blend(file: &Path, network: &str, error: OpenError) -> OpenError {
    OpenError::Blend { file: file.into(), network: network.into(), error: Box::new(error) }
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

    #[test]
    fn networks_say_which_heads_they_lack() {
        let lacks = |net: &str| open_evaluator(net, None).unwrap().evaluator.heads().missing();
        for (net, expected) in [
            ("default", ""),
            ("mlx", ""),
            ("cogs188", "no policy"),
            ("catfish-corrected", "no policy"),
            ("knights-el", "no policy"),
            ("knights-sl", "no value"),
            ("material", "no policy"),
            ("uniform", "no policy, no value"),
        ] {
            assert_eq!(lacks(net), expected, "{net}");
        }
    }
}
