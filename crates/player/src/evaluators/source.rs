//! Sources of evaluators: how a name is resolved.

use std::{
    borrow::Cow,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use files::{LARGEST_FILE, read_at_most};
use network::{Provenance, Weights, container::format_of, lc0::Heads, onnx::OnnxNetwork};
use regression::TrainedEnsemble;

use super::{EVALUATORS, NamedEvaluator};
use crate::{
    error::OpenError,
    judge::{engine, is_engine},
    nnue::is_nnue,
    recipe::RUNS,
    specification::PlayerSpecification,
    systems::{BundledNetwork, SystemNetwork, all_bundled, bundled},
};

/// The source that a name stands for. Names are parsed only here.
pub(crate) enum Source {
    /// An evaluator that needs no file.
    Named(&'static NamedEvaluator),
    /// A UCI engine, by its whole name.
    Engine(String),
    /// A network in the program: its name wins over a file of that name.
    Bundled(&'static BundledNetwork),
    /// A Stockfish network.
    Nnue(String),
    Learners(PathBuf),
    /// A network of any program, as an ONNX file.
    Onnx(PathBuf),
    /// A network of Tabiya's or lc0's. Every name that is nothing else is the path of one, or with heads of lc0's behind it.
    Weights(PathBuf, Heads),
}

impl Source {
    /// Parses the name of one evaluator (not a mean).
    ///
    /// Names without a file come first, so that a file which happens to be called `material` never replaces the baseline (its path,
    /// `./material`, still names it). Then the content of the file decides. Heads at the end of a name, as in `BT4.pb.gz@optimistic`,
    /// count only if no file has the whole name. A missing file ends here as a weights file, whose reader reports it.
    pub(crate) fn of(net: &str) -> Self {
        if let Some(named) = NamedEvaluator::find(net) {
            Self::Named(named)
        } else if is_engine(net) {
            Self::Engine(net.into())
        } else if let Some(network) = bundled(net) {
            Self::Bundled(network)
        } else if is_nnue(net) {
            Self::Nnue(net.into())
        } else if holds_learners(net) {
            Self::Learners(net.into())
        } else if OnnxNetwork::is_one(Path::new(net)) {
            Self::Onnx(net.into())
        } else {
            match Heads::of_name(net).filter(|_| !Path::new(net).exists()) {
                Some((file, heads)) => Self::Weights(file.into(), heads),
                None => Self::Weights(net.into(), Heads::default()),
            }
        }
    }

    /// The bytes of its file; `None` for an evaluator without a file.
    pub(super) fn bytes(&self) -> Result<Option<Cow<'static, [u8]>>, OpenError> {
        if let Self::Bundled(network) = self {
            return Ok(Some(network.weights.into()));
        }
        let Some(path) = self.file() else { return Ok(None) };
        let bytes = read_at_most(path, LARGEST_FILE)
            .map_err(|error| missing(path, OpenError::Read { path: path.into(), error }))?;
        Ok(Some(bytes.into()))
    }

    /// The weights of a network of Tabiya's or lc0's; `None` for any other evaluator.
    pub(super) fn weights(&self) -> Result<Option<Weights>, OpenError> {
        match self {
            Self::Bundled(network) => bundled_weights(network).map(Some),
            Self::Weights(path, heads) => file_weights(path, *heads).map(Some),
            Self::Named(_) | Self::Engine(_) | Self::Nnue(_) | Self::Learners(_) | Self::Onnx(_) => Ok(None),
        }
    }

    /// The specification of a UCI engine, if this is one and its name is valid.
    pub(crate) fn engine(&self) -> Option<PlayerSpecification> {
        match self {
            Self::Engine(name) => engine(name).ok(),
            _ => None,
        }
    }

    /// The file that it is read from; `None` for an evaluator without one, or one in the program.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Named(_) | Self::Engine(_) | Self::Bundled(_) => None,
            Self::Nnue(name) => Some(Path::new(name)),
            Self::Learners(path) | Self::Onnx(path) | Self::Weights(path, _) => Some(path),
        }
    }

    /// The hash of its file, if it has one, and its provenance, read at once. Without a provenance, only the
    /// name.
    pub(crate) fn origin(&self) -> Result<(Option<String>, Provenance), OpenError> {
        let bytes = self.bytes()?;
        let hash = bytes.as_deref().map(files::bytes_hash);
        let bytes = bytes.unwrap_or_default();
        let provenance = match self {
            Self::Named(known) => named_only(known.name),
            Self::Engine(name) | Self::Nnue(name) => named_only(name),
            Self::Onnx(path) => named_only(&path.display().to_string()),
            Self::Bundled(network) => bundled_weights(network)?.provenance,
            Self::Learners(path) => {
                TrainedEnsemble::from_bytes(&bytes, &path.display().to_string())?.provenance
            }
            Self::Weights(path, heads) => {
                Weights::with_heads(&bytes, &path.display().to_string(), *heads)?.provenance
            }
        };
        Ok((hash, provenance))
    }
}

fn named_only(name: &str) -> Provenance {
    Provenance { name: name.into(), ..Provenance::default() }
}

pub(super) fn bundled_weights(network: &BundledNetwork) -> Result<Weights, OpenError> {
    Weights::from_bytes(network.weights, "built-in network")
        .map_err(|error| OpenError::Bundled { name: network.name, error })
}

pub(super) fn file_weights(path: &Path, heads: Heads) -> Result<Weights, OpenError> {
    Weights::read_bytes(path)
        .and_then(|bytes| Weights::with_heads(&bytes, &path.display().to_string(), heads))
        .map_err(|error| missing(path, error.into()))
}

/// True if a file holds learners.
pub fn holds_learners(net: &str) -> bool {
    format_of(Path::new(net)).as_deref() == Some(regression::FORMAT)
}

/// The error of reading a network; for a missing file, with similar names.
pub(super) fn missing(path: &Path, error: OpenError) -> OpenError {
    let is_missing = std::fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if !is_missing {
        return error;
    }
    let folder = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    let trained = folder.and_then(SystemNetwork::find).filter(|_| path.ends_with(files::run::NETWORK));
    let hint = if let Some((file, head)) = wrong_head(path) {
        let known = [&Heads::POLICIES[..], &Heads::VALUES].concat().join(", ");
        format!("{file} exists, but has no head {head}; expected one of {known}")
    } else if let Some(system) = trained {
        let name = system.network.name;
        format!(
            "`tabiya run recipes/{name}` trains it, and the player {name} is one that was trained already (nets/seeds)"
        )
    } else if let Some(file) = network_of_run(Path::new(RUNS), path) {
        format!("the network of the run {} is {}", path.display(), file.display())
    } else if let Some(player) = searching(path) {
        format!(
            "that player is the network {} with `--search {}`",
            player.net().unwrap_or_default(),
            player.search.name
        )
    } else {
        let names = all_bundled().map(|network| network.name);
        let names: Vec<&str> = names.chain(EVALUATORS.iter().map(|named| named.name)).collect();
        format!("expected a file or one of {}", names.join(", "))
    };
    OpenError::Missing { error: Box::new(error), hint }
}

/// The network of the run with this name, by which the page lists it; `None` if there is no such run, or it has no network yet.
fn network_of_run(runs: &Path, name: &Path) -> Option<PathBuf> {
    files::is_name(name).then(|| runs.join(name).join(files::run::NETWORK)).filter(|file| file.is_file())
}

/// The player `NAME-search`, whose name is not that of a network.
fn searching(path: &Path) -> Option<PlayerSpecification> {
    SystemNetwork::find_searching(path.to_str()?)?.player_with_search()
}

/// The file and the end of a name such as `BT4.pb.gz@fast`, if the file exists: what is missing then is a head of that name.
fn wrong_head(path: &Path) -> Option<(&str, &str)> {
    let (file, head) = path.to_str()?.rsplit_once('@')?;
    let file = Heads::of_name(file).map_or(file, |(file, _)| file);
    Path::new(file).exists().then_some((file, head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_file_have_no_weights_and_a_file_has_its_own() {
        for named in EVALUATORS {
            let source = Source::of(named.name);
            assert!(source.weights().unwrap().is_none());
            let (hash, provenance) = source.origin().unwrap();
            assert_eq!((hash, provenance.name.as_str()), (None, named.name));
        }
        let folder = tempfile::tempdir().unwrap();
        for network in all_bundled() {
            let file = folder.path().join(network.name).display().to_string();
            std::fs::write(&file, network.weights).unwrap();
            let of = |net: &str| {
                let (source, weights) = (Source::of(net), Source::of(net).weights().unwrap().unwrap());
                let (hash, provenance) = source.origin().unwrap();
                assert_eq!(provenance, weights.provenance);
                (hash, weights.spec.shape_name())
            };
            assert_eq!(of(network.name), of(&file));
        }
        let missing = Source::of(&folder.path().join("none").display().to_string());
        assert!(missing.weights().is_err() && missing.bytes().is_err());
    }

    #[test]
    fn a_wrong_name_lists_the_right_ones() {
        let error = |net: &str| Source::of(net).weights().unwrap_err().to_string();
        let found = error("mlxx");
        assert!(found.contains("cannot") && found.contains("mlxx"), "{found}");
        assert!(found.ends_with("expected a file or one of default, cnn, human, cogs188, cogs188-corrected, catfish-v3, catfish-corrected, aichess, aichess-corrected, mlx, mlx-corrected, knights-sl, knights-el, knights-el-corrected, knights-e4, knights-e3, knights-e1, material, uniform"), "{found}");
        let untrained = error("runs/mlx/network.tabiya");
        for part in ["runs/mlx/network.tabiya", "the player mlx", "nets/seeds"] {
            assert!(untrained.contains(part), "{untrained}");
        }
        assert!(error("runs/first/network.tabiya").contains("expected a file or one of"));
        assert!(
            error("knights-el-search").ends_with("that player is the network knights-el with `--search pvs`")
        );
        assert!(
            error("knights-sl-search").contains("expected a file or one of"),
            "it has no value to search with"
        );
    }

    #[test]
    fn the_name_of_a_run_leads_to_its_network() {
        let runs = tempfile::tempdir().unwrap();
        let network = runs.path().join("toy").join(files::run::NETWORK);
        std::fs::create_dir_all(runs.path().join("toy")).unwrap();
        assert_eq!(network_of_run(runs.path(), Path::new("toy")), None, "it has no network yet");
        std::fs::write(&network, "").unwrap();
        assert_eq!(network_of_run(runs.path(), Path::new("toy")), Some(network));
        assert_eq!(network_of_run(runs.path(), Path::new("runs/toy")), None, "a path is no name");
    }

    #[test]
    fn a_wrong_head_lists_the_right_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("BT4.pb.gz");
        std::fs::write(&file, "").unwrap();
        for name in ["@fast", "@fast@q", "@q@fast"] {
            let found = Source::of(&format!("{}{name}", file.display())).weights().unwrap_err().to_string();
            let expected = "BT4.pb.gz exists, but has no head fast; expected one of vanilla, optimistic, soft, opponent, winner, q, st";
            assert!(found.ends_with(expected), "{found}");
        }
    }
}
