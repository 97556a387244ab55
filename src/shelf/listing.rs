//! Looking for networks on disk.

use std::path::{Path, PathBuf};

use network::Weights;
use web::{NetworkDetail, NetworkKind, NetworkSummary};

use super::ShelfFolders;
use crate::engine::{BUNDLED_NETWORK, DEFAULT_NETWORK};

/// The weights that a training run leaves.
const RUN_NETWORK: &str = "network.tabiya";
/// Ends of the names of files that are networks.
const WEIGHTS: &str = ".tabiya";
const LC0: &str = ".pb.gz";
/// How the names of networks begin that were trained on people of one rating (McIlroy-Young et al. 2020).
const HUMAN: &str = "maia";

/// A network that was found, or an evaluator without one.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its name in requests.
    pub(super) id: String,
    /// Its name for people.
    pub(super) name: String,
    pub(super) kind: NetworkKind,
    /// What `open_evaluator` calls it.
    pub(super) net: String,
    file: Option<PathBuf>,
}

/// Everything at hand: the chosen network first, then the bundled one, own runs, other files and the baselines.
pub(super) fn items(chosen: &str, folders: &ShelfFolders) -> Vec<Item> {
    let mut items = vec![chosen_item(chosen)];
    items.push(chosen_item(DEFAULT_NETWORK));
    for run in entries(&folders.runs) {
        let file = run.join(RUN_NETWORK);
        if file.is_file() {
            let name = file_name(&run);
            items.push(Item {
                id: format!("run-{name}"),
                name,
                kind: NetworkKind::Own,
                net: file.display().to_string(),
                file: Some(file),
            });
        }
    }
    items.extend(entries(&folders.nets).into_iter().filter_map(|file| from_file(&file)));
    items.extend(["material", "uniform"].map(chosen_item));
    let mut seen: Vec<String> = Vec::new();
    items.retain(|item| {
        let new = !seen.contains(&item.net);
        seen.push(item.net.clone());
        new
    });
    items
}

fn chosen_item(net: &str) -> Item {
    let kind = match net {
        "material" | "uniform" => NetworkKind::Baseline,
        DEFAULT_NETWORK => NetworkKind::Bundled,
        path => from_file(Path::new(path)).map_or(NetworkKind::Own, |item| item.kind),
    };
    let is_file = !matches!(kind, NetworkKind::Baseline | NetworkKind::Bundled);
    Item {
        id: net.into(),
        name: match kind {
            NetworkKind::Bundled => "bundled".into(),
            _ if is_file => file_name(Path::new(net)),
            _ => net.into(),
        },
        kind,
        net: net.into(),
        file: is_file.then(|| PathBuf::from(net)),
    }
}

fn from_file(file: &Path) -> Option<Item> {
    let full = file_name(file);
    let lc0 = full.ends_with(LC0);
    let name = full.strip_suffix(LC0).or_else(|| full.strip_suffix(WEIGHTS))?.to_owned();
    let kind = match (lc0, name.starts_with(HUMAN)) {
        (true, true) => NetworkKind::Human,
        (true, false) => NetworkKind::Lc0,
        (false, _) => NetworkKind::Own,
    };
    // The file in nets/ that the bundled network was copied from is not offered twice.
    let bundled = std::fs::metadata(file).is_ok_and(|data| data.len() == BUNDLED_NETWORK.len() as u64)
        && std::fs::read(file).is_ok_and(|bytes| bytes == BUNDLED_NETWORK);
    (!bundled).then(|| Item {
        id: full,
        name,
        kind,
        net: file.display().to_string(),
        file: Some(file.into()),
    })
}

impl Item {
    /// What the list says.
    pub(super) fn summary(&self) -> NetworkSummary {
        let weights = self.weights();
        let (shape, parameters, problem) = match &weights {
            Some(Ok(weights)) => {
                (Some(weights.spec.shape_name()), Some(weights.parameter_count() as u64), None)
            }
            Some(Err(error)) => (None, None, Some(error.clone())),
            None => (None, None, None),
        };
        let bytes = match &self.file {
            Some(file) => std::fs::metadata(file).ok().map(|data| data.len()),
            None => (self.kind == NetworkKind::Bundled).then_some(BUNDLED_NETWORK.len() as u64),
        };
        NetworkSummary {
            id: self.id.clone(),
            name: self.name.clone(),
            kind: self.kind,
            file: self.file.as_ref().map(|file| file.display().to_string()),
            bytes,
            shape,
            parameters,
            rating: self.rating(),
            measurements: Vec::new(),
            problem,
        }
    }

    /// Everything its header says.
    pub(super) fn detail(&self) -> NetworkDetail {
        let summary = self.summary();
        let Some(Ok(weights)) = self.weights() else {
            return NetworkDetail { summary, facts: Vec::new(), metrics: Vec::new(), recipe: String::new() };
        };
        let (spec, origin) = (&weights.spec, &weights.provenance);
        let fact = |name: &str, text: String| (name.to_owned(), text);
        NetworkDetail {
            summary,
            facts: vec![
                fact("Run", origin.name.clone()),
                fact("Input encoding", spec.input.clone()),
                fact("Move encoding", spec.moves.clone()),
                fact("Steps", origin.steps.to_string()),
                fact("Positions seen", origin.positions.to_string()),
                fact("Training time", format!("{:.0} minutes", origin.seconds / 60.0)),
                fact("Hardware", origin.hardware.clone()),
                fact("Seed", origin.seed.to_string()),
                fact("Data", origin.data.clone()),
                fact("Commit", origin.commit.clone()),
            ],
            metrics: origin.metrics.iter().map(|(name, value)| (name.clone(), *value)).collect(),
            recipe: origin.recipe.clone(),
        }
    }

    /// Its header and numbers; `None` for what is no weights file of ours.
    fn weights(&self) -> Option<Result<Weights, String>> {
        let read = match (self.kind, &self.file) {
            (NetworkKind::Bundled, _) => Weights::from_bytes(BUNDLED_NETWORK, "the bundled network"),
            (NetworkKind::Own, Some(file)) => Weights::read(file),
            _ => return None,
        };
        Some(read.map_err(|error| error.to_string()))
    }

    /// The rating in a name such as `maia-1500`.
    fn rating(&self) -> Option<u32> {
        if self.kind != NetworkKind::Human {
            return None;
        }
        self.name.rsplit('-').next()?.parse().ok()
    }
}

/// What a folder holds, by name; nothing where there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_found_by_name_and_kind_and_the_bundled_one_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let folders = ShelfFolders { runs: folder.path().join("runs"), nets: folder.path().join("nets") };
        std::fs::create_dir_all(folders.runs.join("tiny")).unwrap();
        std::fs::create_dir_all(&folders.nets).unwrap();
        std::fs::write(folders.runs.join("tiny/network.tabiya"), "broken").unwrap();
        std::fs::write(folders.nets.join("default.tabiya"), BUNDLED_NETWORK).unwrap();
        std::fs::write(folders.nets.join("maia-1500.pb.gz"), "x").unwrap();
        std::fs::write(folders.nets.join("README.md"), "x").unwrap();
        let items = items(DEFAULT_NETWORK, &folders);
        let found: Vec<(&str, NetworkKind)> =
            items.iter().map(|item| (item.id.as_str(), item.kind)).collect();
        assert_eq!(
            found,
            [
                ("default", NetworkKind::Bundled),
                ("run-tiny", NetworkKind::Own),
                ("maia-1500.pb.gz", NetworkKind::Human),
                ("material", NetworkKind::Baseline),
                ("uniform", NetworkKind::Baseline),
            ]
        );
        assert_eq!(items[2].summary().rating, Some(1500));
        assert!(items[1].summary().problem.is_some_and(|problem| problem.contains("network.tabiya")));
        assert_eq!(items[0].summary().problem, None);
        assert!(items[0].detail().facts.iter().any(|(name, _)| name == "Steps"));
    }
}
