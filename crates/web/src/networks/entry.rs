//! One network of the catalog, and the search for networks on disk.

use std::{
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use network::onnx::OnnxNetwork;
use personal::PERSON_FILE;
use player::{
    CONVOLUTIONAL_NETWORK, DEFAULT_NETWORK, EVALUATORS, HUMAN_NETWORK, NamedEvaluator, OpenError,
    PlayerRating, PlayerSpecification, SYSTEMS, SystemNetwork, bundled, is_bundled_file, levels::levels,
    levels::strength_table, rating,
};
use strength::StrengthTable;

use super::{CatalogFolders, weights_cache::WeightsCache, weights_summary::WeightsSummary};
use crate::engine::{Measurement, NetworkDetail, NetworkKind, NetworkSummary};

/// Endings of file names that are networks.
const WEIGHTS: &str = ".tabiya";
const LC0: &str = ".pb.gz";
const ONNX: &str = ".onnx";
/// Prefix of the names of networks trained on people of one rating (McIlroy-Young et al. 2020).
const HUMAN: &str = "maia";
/// Ratings at which lists offer the bundled human-like network; it is found by the name of any other as well.
const OFFERED_RATINGS: [u16; 7] = [800, 1000, 1200, 1400, 1600, 1800, 2000];
/// Ratings at which lists offer a graph with the players' ratings as input: 600 to 2600, those of Maia-3.
const GRAPH_RATINGS: [u16; 11] = [600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600];
/// Ratings that networks accept as input.
const RATINGS: RangeInclusive<u16> = 100..=3500;

/// A network that was found, or an evaluator without one.
#[derive(Clone, Debug)]
pub(super) struct CatalogEntry {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: NetworkKind,
    /// Name of the network for `open_evaluator`.
    pub(super) net: String,
    /// The rating of the people that it plays like, if the network has ratings as input.
    pub(super) imitated: Option<u16>,
    /// The reproduced system whose network it is.
    pub(super) system: Option<&'static SystemNetwork>,
    /// True if the network of a system plays with a search of this program instead of that of the recipe.
    searches: bool,
    file: Option<PathBuf>,
    /// For the entry of a folder that cannot be listed: the reason.
    unlisted: Option<String>,
}

/// All networks: the chosen network first, then the bundled ones, own runs, those of the reproduced systems, other files and the
/// baselines.
pub(super) fn entries(chosen: &str, folders: &CatalogFolders) -> Vec<CatalogEntry> {
    let mut entries = vec![chosen_item(chosen)];
    entries.extend([DEFAULT_NETWORK, CONVOLUTIONAL_NETWORK].map(chosen_item));
    entries.extend(OFFERED_RATINGS.map(|rating| chosen_item(HUMAN_NETWORK).at_rating(rating)));
    entries.extend(in_folder(&folders.runs, from_run));
    entries.extend(SYSTEMS.iter().map(|system| chosen_item(system.network.name)));
    entries.extend(in_folder(&folders.nets, |file| file.is_file().then(|| from_file(file)).flatten()));
    entries.extend(EVALUATORS.iter().map(|evaluator| chosen_item(evaluator.name)));
    let mut seen: Vec<(String, Option<u16>)> = Vec::new();
    entries.retain(|entry| {
        let player = (entry.net.clone(), entry.imitated);
        let new = !seen.contains(&player);
        seen.push(player);
        new
    });
    entries
}

/// The networks in a folder, sorted by path; one entry with the reason if it cannot be listed.
fn in_folder(folder: &Path, entry: impl Fn(&Path) -> Option<CatalogEntry>) -> Vec<CatalogEntry> {
    match files::entries(folder) {
        Ok(paths) => paths.iter().filter_map(|path| entry(path)).collect(),
        Err(error) => {
            let mut unlisted = CatalogEntry::of_file(file_name(folder), NetworkKind::Own, folder);
            unlisted.unlisted = Some(error.to_string());
            vec![unlisted]
        }
    }
}

/// The network that a training run left.
fn from_run(run: &Path) -> Option<CatalogEntry> {
    let file = run.join(files::run::NETWORK);
    let kind = if run.join(PERSON_FILE).is_file() { NetworkKind::Human } else { NetworkKind::Own };
    if !file.is_file() {
        return None;
    }
    let name = file_name(run);
    Some(CatalogEntry { id: format!("run-{name}"), ..CatalogEntry::of_file(name, kind, &file) })
}

/// The id of the human-like network that plays like people of a rating.
pub(super) fn imitation_id(rating: u16) -> String {
    format!("{HUMAN_NETWORK}-{rating}")
}

/// The entry of a network with ratings as input, at the rating that ends the id; `None` for any other id.
pub(super) fn imitation_of(id: &str, entries: &[CatalogEntry], files: &WeightsCache) -> Option<CatalogEntry> {
    let (network, rating) = id.rsplit_once('-')?;
    let rating = rating.parse::<u16>().ok().filter(|rating| RATINGS.contains(rating))?;
    let found = if network == HUMAN_NETWORK {
        chosen_item(network).at_rating(rating)
    } else {
        let graph = entries.iter().find(|entry| entry.id == network && entry.is_rated_graph(files));
        graph?.at_rating(rating)
    };
    // One spelling each: `human-01000` parses too, and every name that was requested stays in the catalog.
    (found.id == id).then_some(found)
}

fn chosen_item(net: &str) -> CatalogEntry {
    let system = SystemNetwork::find(net);
    let kind = match net {
        _ if system.is_some() => NetworkKind::System,
        net if NamedEvaluator::find(net).is_some() => NetworkKind::Baseline,
        net if bundled(net).is_some() => NetworkKind::Bundled,
        path => from_file(Path::new(path)).map_or(NetworkKind::Own, |entry| entry.kind),
    };
    let is_file = !matches!(kind, NetworkKind::Baseline | NetworkKind::Bundled | NetworkKind::System);
    CatalogEntry {
        id: net.into(),
        name: match system {
            Some(system) => system.network.help.into(),
            None if is_file => file_name(Path::new(net)),
            None => net.into(),
        },
        kind,
        net: net.into(),
        imitated: None,
        system,
        searches: false,
        file: is_file.then(|| PathBuf::from(net)),
        unlisted: None,
    }
}

pub(super) fn from_file(file: &Path) -> Option<CatalogEntry> {
    let full = file_name(file);
    let lc0 = full.ends_with(LC0);
    let name = [LC0, WEIGHTS, ONNX].iter().find_map(|ending| full.strip_suffix(ending))?.to_owned();
    let kind = match (lc0, name.starts_with(HUMAN)) {
        (true, true) => NetworkKind::Human,
        (true, false) => NetworkKind::Lc0,
        (false, _) => NetworkKind::Own,
    };
    // The files that the networks in the program were copied from are not offered twice.
    (!is_bundled_file(file)).then(|| CatalogEntry { id: full, ..CatalogEntry::of_file(name, kind, file) })
}

/// The entry of a system's network that plays with a search, by its id; `None` for any other id.
pub(super) fn searching(id: &str) -> Option<CatalogEntry> {
    chosen_item(SystemNetwork::find_searching(id)?.network.name).with_search()
}

impl CatalogEntry {
    /// The network of a system with a search; `None` for other networks, and for those without a value.
    pub(super) fn with_search(&self) -> Option<Self> {
        let player = self.system?.player_with_search()?;
        Some(Self {
            id: player.name,
            name: format!("{}, with a search", self.name),
            searches: true,
            ..self.clone()
        })
    }

    /// The player of the entry's system, with a search if the entry has one; `None` for an entry without a system.
    pub(super) fn system_player(&self) -> Option<PlayerSpecification> {
        let system = self.system?;
        if self.searches { system.player_with_search() } else { Some(system.player()) }
    }

    /// The same network as people of a rating.
    fn at_rating(&self, rating: u16) -> Self {
        Self {
            id: format!("{}-{rating}", self.id),
            name: format!("{}-{rating}", self.name),
            kind: NetworkKind::Human,
            imitated: Some(rating),
            ..self.clone()
        }
    }

    /// The entry, followed by the same network at each rating that lists offer, if it is a graph with ratings as input.
    pub(super) fn with_ratings(self, files: &WeightsCache) -> Vec<Self> {
        if !self.is_rated_graph(files) {
            return vec![self];
        }
        let people = GRAPH_RATINGS.map(|rating| self.at_rating(rating));
        let mut entries = vec![self];
        entries.extend(people);
        entries
    }

    fn is_rated_graph(&self, files: &WeightsCache) -> bool {
        // Other files are not read to be listed.
        let is_graph = self.file.as_deref().is_some_and(OnnxNetwork::is_named_so);
        is_graph
            && self.imitated.is_none()
            && matches!(self.known(files), Some(Ok(known)) if known.is_rated_graph)
    }

    fn of_file(name: String, kind: NetworkKind, file: &Path) -> Self {
        Self {
            id: name.clone(),
            name,
            kind,
            net: file.display().to_string(),
            imitated: None,
            system: None,
            searches: false,
            file: Some(file.into()),
            unlisted: None,
        }
    }

    pub(super) fn summary(&self, files: &WeightsCache) -> NetworkSummary {
        self.describe(self.known(files).as_ref())
    }

    /// Describes the entry, given the content of its file if that was read.
    pub(super) fn describe(&self, known: Option<&Result<WeightsSummary, String>>) -> NetworkSummary {
        let bytes = match &self.file {
            // A file that cannot be examined reports that as its problem.
            Some(file) => std::fs::metadata(file).ok().map(|data| data.len()),
            None => bundled(&self.net).map(|network| network.weights.len() as u64),
        };
        let good = known.and_then(|known| known.as_ref().ok());
        let table = strength_table(&self.net);
        let rated = self.rating_file();
        let unusable = [table.as_ref().err(), rated.as_ref().err()].into_iter().flatten().next();
        NetworkSummary {
            id: self.id.clone(),
            name: self.name.clone(),
            kind: self.kind,
            file: self.file.as_ref().map(|file| file.display().to_string()),
            bytes,
            shape: good.map(|known| known.shape.clone()),
            parameters: good.map(|known| known.parameters),
            rating: self.rating(),
            problem: known
                .and_then(|known| known.as_ref().err().cloned())
                .or_else(|| unusable.map(ToString::to_string)),
            measurements: self.measurements(table.ok().flatten().as_ref(), rated.ok().flatten()),
        }
    }

    /// Its measured strength; an unusable table is reported as its problem ([`CatalogEntry::summary`]).
    pub(super) fn strength(&self) -> Option<StrengthTable> {
        strength_table(&self.net).ok().flatten()
    }

    /// The measured rating of its player; an unusable file is reported as its problem ([`CatalogEntry::summary`]).
    pub(super) fn rated(&self) -> Option<PlayerRating> {
        self.rating_file().ok().flatten()
    }

    /// The rating file next to a network is that of its own player; with another search or at a rating it does not apply.
    fn rating_file(&self) -> Result<Option<PlayerRating>, OpenError> {
        if self.searches || self.imitated.is_some() { Ok(None) } else { rating(&self.net) }
    }

    /// The levels at which it can be played against, if its strength was measured. A table or weights that cannot be read are
    /// reported as its problem.
    pub(super) fn levels(&self) -> Option<StrengthTable> {
        levels(&self.net).ok().flatten()
    }

    pub(super) fn detail(&self, files: &WeightsCache) -> NetworkDetail {
        let known = self.known(files);
        let summary = self.describe(known.as_ref());
        let (facts, layers, metrics, recipe) = match known {
            Some(Ok(known)) => (known.facts, known.layers, known.metrics, known.recipe),
            _ => (Vec::new(), Vec::new(), Vec::new(), String::new()),
        };
        NetworkDetail { summary, facts, layers, metrics, recipe }
    }

    /// The name of its input planes; `None` if it has other inputs or none.
    pub(super) fn input(&self, files: &WeightsCache) -> Result<Option<String>, String> {
        Ok(self.known(files).transpose()?.and_then(|known| known.input))
    }

    /// Content of its file; `None` for an evaluator without a network.
    fn known(&self, files: &WeightsCache) -> Option<Result<WeightsSummary, String>> {
        if let Some(reason) = &self.unlisted {
            return Some(Err(reason.clone()));
        }
        match (bundled(&self.net), &self.file) {
            (Some(network), _) => Some(files.bundled(network)),
            (None, None) => None,
            (None, Some(file)) => Some(files.known(file)),
        }
    }

    /// The rating of its player, then every measured level, strongest first; if it plays like people of one rating, only the levels
    /// of that rating.
    fn measurements(&self, table: Option<&StrengthTable>, rated: Option<PlayerRating>) -> Vec<Measurement> {
        let mut measurements: Vec<Measurement> = rated.map(Measurement::from).into_iter().collect();
        let Some(table) = table else { return measurements };
        for level in table.levels.iter().rev() {
            if self.imitated.is_none() || level.setting.imitated == self.imitated {
                measurements.push(Measurement::of_level(table, level));
            }
        }
        measurements
    }

    /// The rating in a name such as `maia-1500`.
    fn rating(&self) -> Option<u32> {
        if self.kind != NetworkKind::Human {
            return None;
        }
        self.name.rsplit('-').next()?.parse().ok()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use player::BUNDLED;

    use super::*;
    use crate::networks::levels;

    #[test]
    fn a_folder_that_cannot_be_listed_is_an_entry_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let folders = CatalogFolders { runs: folder.path().join("runs"), nets: folder.path().join("nets") };
        std::fs::write(&folders.nets, "x").unwrap();
        let entries = entries(DEFAULT_NETWORK, &folders);
        let nets = entries.iter().find(|entry| entry.id == "nets").unwrap().summary(&WeightsCache::default());
        let expected = format!("cannot list {}: ", folders.nets.display());
        assert!(nets.problem.as_ref().is_some_and(|problem| problem.starts_with(&expected)), "{nets:?}");
        assert!(
            entries.iter().all(|entry| entry.id != "runs"),
            "a folder that does not exist has no networks"
        );
    }

    #[test]
    fn networks_are_found_by_name_and_kind_and_the_bundled_one_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let folders = CatalogFolders { runs: folder.path().join("runs"), nets: folder.path().join("nets") };
        std::fs::create_dir_all(folders.runs.join("tiny")).unwrap();
        std::fs::create_dir_all(&folders.nets).unwrap();
        std::fs::write(folders.runs.join("tiny/network.tabiya"), "broken").unwrap();
        std::fs::create_dir_all(folders.runs.join("you")).unwrap();
        std::fs::write(folders.runs.join("you/network.tabiya"), BUNDLED[0].weights).unwrap();
        std::fs::write(folders.runs.join("you/person.json"), "{}").unwrap();
        for network in BUNDLED {
            std::fs::write(folders.nets.join(format!("{}.tabiya", network.name)), network.weights).unwrap();
        }
        std::fs::write(folders.nets.join("maia-1500.pb.gz"), "x").unwrap();
        std::fs::write(folders.nets.join("README.md"), "x").unwrap();
        let entries = entries(DEFAULT_NETWORK, &folders);
        let found: Vec<(&str, NetworkKind)> =
            entries.iter().map(|entry| (entry.id.as_str(), entry.kind)).collect();
        assert_eq!(
            found,
            [
                ("default", NetworkKind::Bundled),
                ("cnn", NetworkKind::Bundled),
                ("human-800", NetworkKind::Human),
                ("human-1000", NetworkKind::Human),
                ("human-1200", NetworkKind::Human),
                ("human-1400", NetworkKind::Human),
                ("human-1600", NetworkKind::Human),
                ("human-1800", NetworkKind::Human),
                ("human-2000", NetworkKind::Human),
                ("run-tiny", NetworkKind::Own),
                ("run-you", NetworkKind::Human),
                ("cogs188", NetworkKind::System),
                ("cogs188-corrected", NetworkKind::System),
                ("catfish-v3", NetworkKind::System),
                ("catfish-corrected", NetworkKind::System),
                ("aichess", NetworkKind::System),
                ("aichess-corrected", NetworkKind::System),
                ("mlx", NetworkKind::System),
                ("mlx-corrected", NetworkKind::System),
                ("knights-sl", NetworkKind::System),
                ("knights-el", NetworkKind::System),
                ("knights-el-corrected", NetworkKind::System),
                ("knights-e4", NetworkKind::System),
                ("knights-e3", NetworkKind::System),
                ("knights-e1", NetworkKind::System),
                ("maia-1500.pb.gz", NetworkKind::Human),
                ("material", NetworkKind::Baseline),
                ("uniform", NetworkKind::Baseline),
            ]
        );
        let files = WeightsCache::default();
        let maia = entries[25].summary(&files);
        assert_eq!((maia.rating, maia.problem.is_some()), (Some(1500), true));
        let human = entries[3].summary(&files);
        assert_eq!((human.rating, human.problem, human.file), (Some(1000), None, None));
        assert!(human.bytes.is_some() && human.parameters.is_some());
        for (entry, rating) in entries[2..9].iter().zip(OFFERED_RATINGS) {
            let told = format!("moves of people rated {rating}");
            let measured = entry.summary(&files).measurements;
            assert!(measured.iter().all(|one| one.setting.starts_with(&told)), "{measured:?}");
        }
        let measured = |index: usize| entries[index].summary(&files).measurements.len();
        assert!(
            (2..9).any(|index| measured(index) > 0),
            "the table of the bundled network names some of them"
        );
        assert!(entries[9].summary(&files).problem.is_some_and(|problem| problem.contains("network.tabiya")));
        let you = levels::levels(&entries).into_iter().find(|level| level.name == "you").unwrap();
        assert_eq!((you.network.as_str(), you.nodes), ("run-you", 1), "an opponent like the others");
        assert_eq!(entries[0].summary(&files).problem, None);
        let detail = entries[0].detail(&files);
        assert!(detail.facts.iter().any(|(name, _)| name == "Steps"));
        let of_layers: u64 = detail.layers.iter().map(|layer| layer.parameters).sum();
        assert_eq!(Some(of_layers), detail.summary.parameters, "the layers have all parameters");
    }
}
