//! The networks that the page can use: the chosen one, the bundled one, own runs, and those in the nets folder.

mod entry;
mod imitator;
mod levels;
mod weights_cache;
mod weights_summary;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use chess::{
    Evaluator, Game, PlayerRatings, Search,
    encoding::{input::input_encoding, picture::Seen},
};
use network::Precision;
use player::{
    OpenError, SearchOverrides, SearchSetup, is_bundled, levels::imitation_kind, network_files, network_hash,
    open_evaluator,
};

use self::{
    entry::{CatalogEntry, from_file, imitation_of, searching},
    imitator::Imitator,
    weights_cache::{Stamp, WeightsCache, stamp, write_new},
    weights_summary::WeightsSummary,
};
use crate::{
    engine::{
        EngineError, Engines, Level, NetworkDetail, NetworkKind, NetworkSummary, SearchPurpose,
        SearchSettings, SeenPlanes, shortened,
    },
    threads::locked,
};

/// Interval of a search's reports to the page: what an eye can follow.
const REPORT_INTERVAL_MS: u64 = 50;

/// Alias of the default network, whose list entry carries the name given to `--net`.
const BUNDLED: &str = "bundled";

/// The folders searched for networks.
#[derive(Clone, Debug)]
pub struct CatalogFolders {
    /// Training runs, each with its `network.tabiya`.
    pub runs: PathBuf,
    /// Other weights files, in Tabiya's or lc0's format.
    pub nets: PathBuf,
}

/// All available networks; each is opened when it is first used, and again when its file has been replaced.
pub struct NetworkCatalog {
    chosen: String,
    precision: Option<Precision>,
    setup: SearchSetup,
    folders: CatalogFolders,
    files: WeightsCache,
    opened: Mutex<HashMap<String, Opened>>,
}

/// An opened network.
#[derive(Clone)]
struct Opened {
    evaluator: Arc<dyn Evaluator>,
    /// Hash of its content; see [`network_hash`].
    hash: Option<String>,
    /// The files it was read from, each with its stamp before that.
    files: Vec<(PathBuf, Option<Stamp>)>,
}

impl Opened {
    fn open(net: &str, precision: Option<Precision>) -> Result<Self, OpenError> {
        // Stamped before they are read: a file that is replaced while it is read then counts as changed, and the network is opened
        // again. The other order would keep the old weights under the stamp of the new file for good.
        let mut files = Vec::new();
        for file in network_files(net) {
            let before = stamp(&file);
            files.push((file, before));
        }
        let evaluator = open_evaluator(net, precision)?.evaluator;
        Ok(Self { evaluator, hash: network_hash(net)?, files })
    }

    fn is_current(&self) -> bool {
        self.files.iter().all(|(file, before)| stamp(file) == *before)
    }
}

impl NetworkCatalog {
    /// The catalog with the chosen network opened, so that a missing one is an error at once. All networks
    /// are computed in `precision`, and search with the options of `setup`.
    ///
    /// # Errors
    /// [`OpenError`] if `chosen` names no usable network.
    pub fn open(
        chosen: &str,
        precision: Option<Precision>,
        setup: SearchSetup,
        folders: CatalogFolders,
    ) -> Result<Self, OpenError> {
        let opened = Opened::open(chosen, precision)?;
        let catalog = Self {
            chosen: chosen.to_owned(),
            precision,
            setup,
            folders,
            files: WeightsCache::default(),
            opened: Mutex::default(),
        };
        locked(&catalog.opened).insert(chosen.to_owned(), opened);
        Ok(catalog)
    }

    fn entries(&self) -> Vec<CatalogEntry> {
        let entries = entry::entries(&self.chosen, &self.folders).into_iter();
        entries.flat_map(|entry| entry.with_ratings(&self.files)).collect()
    }

    /// The entry that a request means: by its id, by the name in the list, if only one network has it, by the text that `--net` takes,
    /// or as the bundled network. A network at a rating and a system's network with a search have entries that no list shows.
    fn entry(&self, network: &str) -> Result<CatalogEntry, EngineError> {
        let entries = self.entries();
        let mut named = entries.iter().filter(|entry| entry.name == network);
        let only = named.next().filter(|_| named.next().is_none());
        let find = |is_meant: &dyn Fn(&&CatalogEntry) -> bool| entries.iter().find(is_meant);
        let found = find(&|entry| entry.id == network)
            .or(only)
            .or_else(|| find(&|entry| entry.net == network && entry.imitated.is_none()))
            .or_else(|| find(&|entry| network == BUNDLED && entry.kind == NetworkKind::Bundled));
        if let Some(entry) = found {
            return Ok(entry.clone());
        }
        imitation_of(network, &entries, &self.files)
            .or_else(|| searching(network))
            .ok_or_else(|| EngineError::Unknown { network: shortened(network) })
    }

    fn opened_net(&self, entry: &CatalogEntry) -> Result<Opened, EngineError> {
        if let Some(opened) = self.current(&entry.net) {
            return Ok(opened);
        }
        let opened = Opened::open(&entry.net, self.precision)
            .map_err(|error| EngineError::broken(&entry.id, error))?;
        locked(&self.opened).insert(entry.net.clone(), opened.clone());
        Ok(opened)
    }

    /// A network by its id or name, opened unless it is open already and its file is still the same.
    fn opened_network(&self, network: &str) -> Result<Opened, EngineError> {
        // Every judgement of a position comes through here, so a network that is open and current is found without listing the folders.
        if let Some(opened) = self.current(network) {
            return Ok(opened);
        }
        let entry = self.entry(network)?;
        let mut opened = self.opened_net(&entry)?;
        if let Some(rating) = entry.imitated {
            opened.evaluator = Arc::new(Imitator::new(opened.evaluator, rating));
        }
        locked(&self.opened).insert(network.to_owned(), opened.clone());
        Ok(opened)
    }

    fn current(&self, name: &str) -> Option<Opened> {
        locked(&self.opened).get(name).filter(|opened| opened.is_current()).cloned()
    }
}

impl Engines for NetworkCatalog {
    fn networks(&self) -> Vec<NetworkSummary> {
        self.entries().iter().map(|entry| entry.summary(&self.files)).collect()
    }

    fn levels(&self) -> Vec<Level> {
        levels::levels(&self.entries())
    }

    fn network(&self, network: &str) -> Result<NetworkDetail, EngineError> {
        Ok(self.entry(network)?.detail(&self.files))
    }

    fn planes(&self, network: &str, game: &Game) -> Result<Option<SeenPlanes>, EngineError> {
        let entry = self.entry(network)?;
        let input = entry.input(&self.files).map_err(|reason| EngineError::broken(&entry.id, reason))?;
        let Some(name) = input else { return Ok(None) };
        let encoding = input_encoding(&name).map_err(|error| EngineError::broken(&entry.id, error))?;
        let seen = match entry.imitated {
            Some(rating) => Seen::new(encoding, &game.clone().with_ratings(PlayerRatings::both(rating))),
            None => Seen::new(encoding, game),
        };
        Ok(Some((encoding, seen)))
    }

    fn evaluator(&self, network: &str) -> Result<Arc<dyn Evaluator>, EngineError> {
        Ok(self.opened_network(network)?.evaluator)
    }

    fn content(&self, network: &str) -> Result<Option<String>, EngineError> {
        Ok(self.opened_network(network)?.hash)
    }

    fn search(&self, network: &str, settings: &SearchSettings) -> Result<Box<dyn Search>, EngineError> {
        let is_game = settings.purpose == SearchPurpose::Game;
        let entry = self.entry(network)?;
        // In a game a reproduced system plays as it did: with the search, temperature and options of its paper or program, which the
        // measured ratings are about. Positions are analysed with its network by the same search as for all networks, because an
        // analysis compares networks and not searches. The opening book is for games alone: in an analysis it would answer with a move
        // that nobody has searched.
        let system = entry.system_player().filter(|_| is_game);
        let mut setup = self.setup.clone();
        if settings.purpose == SearchPurpose::Analysis {
            setup.book = None;
        }
        if let Some(player) = &system {
            setup =
                setup.with_options(&player.options).map_err(|error| EngineError::broken(network, error))?;
        }
        let setup = setup.with_overrides(&SearchOverrides {
            temperature: settings.temperature,
            human_time: settings.human_time || (is_game && self.setup.human_time()),
            branches: settings.branches.into(),
            seed: settings.seed,
            memory: settings.memory.into(),
            report_interval: REPORT_INTERVAL_MS,
        });
        let evaluator = self.evaluator(network)?;
        Ok(match system {
            Some(player) => setup.make(player.search, evaluator),
            // The policy plays people's moves; a tree search on it would play better than they do.
            None if entry.imitated.is_some() && is_game => setup.make(imitation_kind(), evaluator),
            None if is_game => setup.make_default(evaluator),
            None => setup.make_tree_search(evaluator),
        })
    }

    fn recognise(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        let is_plain = file.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter))
            && !file.starts_with('.')
            && file.len() <= 100;
        let entry = from_file(Path::new(file)).filter(|_| is_plain).ok_or_else(|| {
            let reason = "expected a name of letters, digits and -_.+ that ends in .tabiya, .onnx or .pb.gz";
            EngineError::refused(file, reason)
        })?;
        let known = WeightsSummary::from_bytes(bytes, file);
        let known = known.map_err(|reason| EngineError::refused(file, reason))?;
        Ok(NetworkSummary { bytes: Some(bytes.len() as u64), ..entry.describe(Some(&Ok(known))) })
    }

    fn keep(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        self.recognise(file, bytes)?;
        if is_bundled(bytes) {
            return Err(EngineError::refused(file, "it is a bundled network, which is offered already"));
        }
        let kept = write_new(&self.folders.nets, file, bytes);
        let kept = kept.map_err(|reason| EngineError::refused(file, reason))?;
        let entry = from_file(&kept).ok_or_else(|| {
            EngineError::refused(file, "expected a name that ends in .tabiya, .onnx or .pb.gz")
        })?;
        Ok(entry.summary(&self.files))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use chess::{Clock, EvaluationRequest, Limits, StopSignal};
    use network::Weights;
    use player::BUNDLED;

    use super::*;

    /// The catalog of `folder` in which the chosen evaluator is `material`.
    fn catalog(folder: &Path) -> NetworkCatalog {
        opened(folder, SearchSetup::default(), None)
    }

    fn opened(folder: &Path, setup: SearchSetup, precision: Option<Precision>) -> NetworkCatalog {
        let folders = CatalogFolders { runs: folder.join("runs"), nets: folder.join("nets") };
        NetworkCatalog::open("material", precision, setup, folders).unwrap()
    }

    fn settings(purpose: SearchPurpose, human_time: bool) -> SearchSettings {
        SearchSettings { purpose, temperature: 0.0, human_time, seed: 0, memory: 1, branches: 0 }
    }

    #[test]
    fn every_network_is_computed_in_the_precision_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = opened(folder.path(), SearchSetup::default(), Some(Precision::Int8));
        let opened = catalog.evaluator("default");
        // A residual tower without calibrated ranges refuses eight bits; none falls back to another precision.
        let text = opened.map_or_else(|error| error.to_string(), |evaluator| evaluator.describe());
        assert!(text.contains("int8") || text.contains("eight-bit"), "{text}");
    }

    #[test]
    fn a_network_is_found_by_its_name_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("runs/mini");
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("network.tabiya"), "no network, but found").unwrap();
        let catalog = catalog(folder.path());
        assert_eq!(catalog.network("mini").unwrap().summary.id, "run-mini");
        for name in ["default", "bundled"] {
            let found = catalog.network(name).unwrap().summary;
            assert_eq!((found.id.as_str(), found.name.as_str()), ("default", "default"), "{name}");
        }
        assert!(matches!(catalog.network("bundle"), Err(EngineError::Unknown { .. })));
        let text = run.join("network.tabiya").display().to_string();
        assert_eq!(catalog.network(&text).unwrap().summary.id, "run-mini", "what --net takes");
    }

    /// The old weights answered until the page was started again.
    #[test]
    fn a_network_whose_file_was_replaced_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let nets = folder.path().join("nets");
        std::fs::create_dir(&nets).unwrap();
        let weights = |steps| {
            let mut weights = Weights::from_bytes(BUNDLED[1].weights, "bundled").unwrap();
            weights.provenance.steps = steps;
            weights.to_bytes().unwrap()
        };
        let catalog = catalog(folder.path());
        let mut seen = Vec::new();
        for steps in [1, 1_000_000] {
            std::fs::write(nets.join("n.tabiya"), weights(steps)).unwrap();
            let opened = catalog.evaluator("n.tabiya").unwrap();
            assert!(Arc::ptr_eq(&opened, &catalog.evaluator("n.tabiya").unwrap()), "open already");
            seen.push((opened, catalog.content("n.tabiya").unwrap().unwrap()));
        }
        assert!(!Arc::ptr_eq(&seen[0].0, &seen[1].0) && seen[0].1 != seen[1].1);
        std::fs::remove_file(nets.join("n.tabiya")).unwrap();
        assert!(catalog.evaluator("n.tabiya").is_err(), "it is not there any more");
    }

    #[test]
    fn the_bundled_network_is_not_kept_again() {
        let folder = tempfile::tempdir().unwrap();
        let refused = catalog(folder.path()).keep("copy.tabiya", BUNDLED[1].weights);
        assert!(refused.unwrap_err().to_string().contains("bundled network"));
        assert!(!folder.path().join("nets").exists());
    }

    #[test]
    fn people_of_any_rating_are_imitated_by_their_policy_in_games_alone() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog(folder.path());
        let described =
            |id, purpose| catalog.search(id, &settings(purpose, false)).map(|search| search.describe());
        let game = described("human-1000", SearchPurpose::Game).unwrap();
        assert!(game.starts_with("policy of human"), "{game}");
        assert!(game.ends_with("for players rated 1000"), "{game}");
        let (start, other) = (chess::Game::default(), catalog.evaluator("human-1900").unwrap());
        let moves = start.legal_moves();
        let request = EvaluationRequest { game: &start, legal_moves: &moves };
        let priors = |evaluator: &dyn Evaluator| evaluator.evaluate(&[request]).unwrap().remove(0).priors;
        assert_ne!(priors(catalog.evaluator("human-1000").unwrap().as_ref()), priors(other.as_ref()));
        assert!(!described("human-1000", SearchPurpose::Analysis).unwrap().starts_with("policy of"));
        for unknown in ["human-", "human-99", "human-9000", "human1100", "human-01000", "human-+1000"] {
            assert!(
                matches!(described(unknown, SearchPurpose::Game), Err(EngineError::Unknown { .. })),
                "{unknown}"
            );
        }
    }

    /// The bundled network of people as a graph, which has ratings as input like Maia-3's.
    #[test]
    fn a_graph_that_is_told_ratings_is_offered_as_people_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let people = Weights::from_bytes(BUNDLED[2].weights, "bundled").unwrap();
        let graph = network::onnx::to_bytes(&people).unwrap();
        let nets = folder.path().join("nets");
        std::fs::create_dir(&nets).unwrap();
        std::fs::write(nets.join("people.onnx"), &graph).unwrap();
        std::fs::write(nets.join("broken.onnx"), "x").unwrap();
        let catalog = catalog(folder.path());
        let networks = catalog.networks();
        let found: Vec<_> = networks
            .iter()
            .filter(|network| network.name.starts_with("people"))
            .map(|network| (network.id.as_str(), network.name.as_str(), network.kind, network.rating))
            .collect();
        assert_eq!(found[0], ("people.onnx", "people", NetworkKind::Own, None));
        assert_eq!(found[1], ("people.onnx-600", "people-600", NetworkKind::Human, Some(600)));
        assert_eq!(found[11], ("people.onnx-2600", "people-2600", NetworkKind::Human, Some(2600)));
        assert_eq!(found.len(), 12);
        assert_eq!(networks.iter().filter(|network| network.name.starts_with("broken")).count(), 1);
        assert!(catalog.levels().iter().all(|level| !level.network.starts_with("people")), "not measured");
        let game = catalog.search("people.onnx-1234", &settings(SearchPurpose::Game, false)).unwrap();
        assert!(game.describe().ends_with("for players rated 1234"), "{}", game.describe());
        for unknown in ["people.onnx-99", "people.onnx-01000", "broken.onnx-1000", "material-1000"] {
            assert!(matches!(catalog.network(unknown), Err(EngineError::Unknown { .. })), "{unknown}");
        }
        let (encoding, _) = catalog.planes("people.onnx-800", &Game::default()).unwrap().unwrap();
        assert!(encoding.shows_ratings());
    }

    #[test]
    fn reproduced_systems_are_opponents_with_their_own_search() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog(folder.path());
        let networks = catalog.networks();
        let found = networks.iter().find(|network| network.id == "aichess").unwrap();
        assert_eq!((found.kind, found.name.as_str()), (NetworkKind::System, "AIChess"));
        let level = catalog.levels().into_iter().find(|level| level.network == "aichess").unwrap();
        assert_eq!((level.name.as_str(), level.nodes, level.temperature), ("AIChess", 1, 1.0));
        let described = |purpose| catalog.search("aichess", &settings(purpose, false)).unwrap().describe();
        let (game, analysis) = (described(SearchPurpose::Game), described(SearchPurpose::Analysis));
        assert!(game.starts_with("policy of") && !analysis.starts_with("policy of"), "{game}; {analysis}");
    }

    #[test]
    fn the_rating_of_a_system_is_that_of_its_level() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog(folder.path());
        let network = catalog.networks().into_iter().find(|network| network.id == "knights-el").unwrap();
        let level = catalog.levels().into_iter().find(|level| level.network == "knights-el").unwrap();
        assert_eq!((network.measurements.first(), network.problem), (level.measurement.as_ref(), None));
        let measured = level.measurement.unwrap();
        assert!(
            measured.low < measured.elo && measured.elo < measured.high && measured.games > 20,
            "{measured:?}"
        );
        assert!(measured.setting.starts_with("knights-el, ") && measured.conditions.contains("UCI_Elo"));
    }

    #[test]
    fn a_persons_pace_is_that_of_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog(folder.path());
        let answers_at_once = |human_time| {
            let mut search =
                catalog.search("human-1000", &settings(SearchPurpose::Game, human_time)).unwrap();
            // A share of ten days is hours.
            let remaining = Duration::from_hours(240);
            let clock = Clock { remaining, increment: Duration::ZERO, moves_to_go: None };
            let limits = Limits { nodes: Some(1), clock: Some(clock), ..Limits::default() };
            let (stop, answered) = (StopSignal::default(), mpsc::channel());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    search.run(&chess::Game::default(), &limits, &stop, &mut |_| ()).unwrap();
                    answered.0.send(()).unwrap();
                });
                // The search that waits is stopped; the other ends by itself, in any time.
                let limit = if human_time { Duration::from_millis(500) } else { Duration::from_mins(2) };
                let at_once = answered.1.recv_timeout(limit).is_ok();
                stop.stop();
                at_once
            })
        };
        assert!(answers_at_once(false));
        assert!(!answers_at_once(true));
    }

    #[test]
    fn games_may_begin_from_a_book_and_analyses_never_do() {
        let folder = tempfile::tempdir().unwrap();
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/books/hand-made.bin");
        let options = [("OwnBook", "true"), ("BookFile", book)];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let catalog = opened(folder.path(), SearchSetup::new(&options).unwrap(), None);
        let described = |purpose| catalog.search("material", &settings(purpose, false)).unwrap().describe();
        assert!(described(SearchPurpose::Game).starts_with("book, "));
        assert!(!described(SearchPurpose::Analysis).contains("book"));
    }

    #[test]
    fn planes_are_those_of_the_network_with_the_rating_that_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = catalog(folder.path());
        let start = Game::default();
        let rating = |id| {
            let (encoding, seen) = catalog.planes(id, &start).unwrap().unwrap();
            let named = |(channel, _): &&(usize, [f32; 64])| encoding.channel_name(*channel) == "own rating";
            seen.boards.iter().find(named).map(|(_, squares)| squares[0])
        };
        assert_eq!((rating("human-1000"), rating("human-1800")), (Some(-0.5), Some(0.3)));
        assert_eq!(rating("cnn"), None);
        for without_planes in ["default", "material"] {
            assert_eq!(catalog.planes(without_planes, &start).unwrap().map(|_| ()), None);
        }
        assert!(matches!(catalog.planes("nobody", &start), Err(EngineError::Unknown { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_among_the_networks_is_no_network() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("nets")).unwrap();
        let pipe = folder.path().join("nets/pipe.tabiya");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let networks = catalog(folder.path()).networks();
        assert!(networks.iter().all(|network| !network.name.contains("pipe")), "{networks:?}");
    }
}
