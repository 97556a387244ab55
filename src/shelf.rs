//! The networks at hand, for the page: the chosen one, the bundled one, own runs, and whatever lies in the nets folder.

mod files;
mod known;
mod levels;
mod listing;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use chess::{Evaluator, Search, SearchOptions, Tablebases};
use search::{GeneralOptions, Puct, puct::PuctOptions, temperature::TemperatureOptions};
use web::{EngineError, Engines, Level, NetworkDetail, NetworkSummary, SearchSettings};

use crate::engine::{EngineArguments, open_evaluator};
use files::{Files, write_new};
use known::Known;
use listing::{Item, from_file};

/// How often a search tells the page how it stands: what an eye can follow.
const REPORT_INTERVAL_MS: u64 = 50;

/// Where networks are looked for.
#[derive(Clone, Debug)]
pub(crate) struct ShelfFolders {
    /// Training runs, each with its `network.tabiya`.
    pub(crate) runs: PathBuf,
    /// Other networks.
    pub(crate) nets: PathBuf,
}

/// All networks at hand; each is opened once, when it is first used.
pub(crate) struct Shelf {
    arguments: EngineArguments,
    options: SearchOptions,
    tables: Option<Arc<Tablebases>>,
    folders: ShelfFolders,
    files: Files,
    opened: Mutex<HashMap<String, Arc<dyn Evaluator>>>,
}

impl Shelf {
    /// The shelf with the chosen network opened, so that a missing one is known at once.
    pub(crate) fn open(arguments: &EngineArguments, folders: ShelfFolders) -> anyhow::Result<Self> {
        let chosen = arguments.open()?;
        let shelf = Self {
            arguments: arguments.clone(),
            options: arguments.search_options()?,
            tables: arguments.tablebases()?,
            folders,
            files: Files::default(),
            opened: Mutex::default(),
        };
        shelf.opened().insert(arguments.net.clone(), chosen.evaluator);
        Ok(shelf)
    }

    fn items(&self) -> Vec<Item> {
        listing::items(&self.arguments.net, &self.folders)
    }

    fn item(&self, network: &str) -> Result<Item, EngineError> {
        let found = self.items().into_iter().find(|item| item.id == network);
        found.ok_or_else(|| EngineError::Unknown { network: network.chars().take(200).collect() })
    }

    fn opened(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<dyn Evaluator>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engines for Shelf {
    fn networks(&self) -> Vec<NetworkSummary> {
        self.items().iter().map(|item| item.summary(&self.files)).collect()
    }

    fn levels(&self) -> Vec<Level> {
        levels::levels(&self.items())
    }

    fn network(&self, network: &str) -> Result<NetworkDetail, EngineError> {
        Ok(self.item(network)?.detail(&self.files))
    }

    fn evaluator(&self, network: &str) -> Result<Arc<dyn Evaluator>, EngineError> {
        if let Some(evaluator) = self.opened().get(network) {
            return Ok(Arc::clone(evaluator));
        }
        let item = self.item(network)?;
        let broken = |error: anyhow::Error| EngineError::Broken {
            network: network.to_owned(),
            reason: format!("{error:#}"),
        };
        let evaluator = open_evaluator(&item.net, self.arguments.device).map_err(broken)?.evaluator;
        self.opened().insert(network.to_owned(), Arc::clone(&evaluator));
        Ok(evaluator)
    }

    fn search(&self, network: &str, settings: &SearchSettings) -> Result<Box<dyn Search>, EngineError> {
        let mut options = self.options.clone();
        let temperature = settings.temperature;
        TemperatureOptions { temperature, ..TemperatureOptions::read(&options) }.write(&mut options);
        let branches = u64::from(settings.branches);
        PuctOptions { branches, ..PuctOptions::read(&options) }.write(&mut options);
        let (seed, hash) = (settings.seed, u64::from(settings.memory));
        let report_interval = REPORT_INTERVAL_MS;
        GeneralOptions { seed, hash, report_interval, ..GeneralOptions::read(&options) }.write(&mut options);
        let mut search = Puct::new(self.evaluator(network)?, &options);
        search.set_tablebases(self.tables.clone());
        Ok(Box::new(search))
    }

    fn recognise(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        let refused =
            |reason: String| EngineError::Refused { file: file.chars().take(200).collect(), reason };
        let plain = file.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter));
        let item =
            from_file(Path::new(file)).filter(|_| plain && !file.starts_with('.') && file.len() <= 100);
        let item = item.ok_or_else(|| {
            refused("expected a name of letters, digits and -_.+ that ends in .tabiya or .pb.gz".into())
        })?;
        let known = Known::from_bytes(bytes, file).map_err(refused)?;
        Ok(NetworkSummary { bytes: Some(bytes.len() as u64), ..item.describe(Some(&Ok(known))) })
    }

    fn keep(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        self.recognise(file, bytes)?;
        let kept = write_new(&self.folders.nets, file, bytes);
        let kept = kept.map_err(|reason| EngineError::Refused { file: file.into(), reason })?;
        let item = from_file(&kept).ok_or_else(|| EngineError::Refused {
            file: file.into(),
            reason: "it is the bundled network, which is offered already".into(),
        })?;
        Ok(item.summary(&self.files))
    }
}
