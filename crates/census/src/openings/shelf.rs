//! A folder of tables, the sources from which more can be made, and the tables that are being made.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use chess::{StopSignal, guarded};
use files::{OutputError, entries};
use tempfile::NamedTempFile;

use crate::openings::{
    ExplorerError, GameSource, MakeOptions, ReadingProgress, Table, TableInfo, TableInput,
    game_source::{DEPTH, find, gathered},
    make_table,
};

/// The ending of a table's file.
const ENDING: &str = "openings";

/// Longest beginning of a name that its id keeps: a file name has 255 bytes, which must also hold a number, the ending and the ending of
/// a lock.
const MOST_ID_CHARACTERS: usize = 100;
const MOST_ID_BYTES: usize = 200;

/// The id of a name without letters, digits and dots.
const NAMELESS: &str = "table";

/// State of a table on the shelf.
#[derive(Clone, Debug, PartialEq)]
pub enum TableState {
    /// Ready for queries.
    Ready(TableInfo),
    /// Being built, or queued.
    Making(TableProgress),
    /// Not made or not readable, with the reason.
    Failed(String),
}

/// Progress of a table that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TableProgress {
    pub progress: ReadingProgress,
    /// Games per second since it began; 0 before.
    pub games_per_second: f64,
}

/// A table of the shelf, whether it is ready or not.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ListedTable {
    /// Identifier, a plain file name.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    pub state: TableState,
    /// True if its source has changed since it was made.
    pub stale: bool,
}

/// The tables of a folder. Clones share the tables that are being made.
#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
    /// Folders in which sources are searched for.
    places: Vec<PathBuf>,
    /// Games of one folder that form one source with this name.
    gathered: Option<(String, PathBuf)>,
    work: Arc<Work>,
}

#[derive(Debug, Default)]
struct Work {
    /// Tables that are being made or could not be, by their ids.
    open: Mutex<BTreeMap<String, Open>>,
    /// One table is made at a time, so that memory and disk use are those of one table.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct Open {
    name: String,
    state: TableState,
    stop: StopSignal,
}

/// A table to be made.
struct Job {
    id: String,
    name: String,
    inputs: Vec<TableInput>,
    out: PathBuf,
    stop: StopSignal,
    /// The uploaded file to be read; deleted when it is dropped.
    sent: Option<NamedTempFile>,
}

impl Work {
    /// Makes a table when those begun before it are made; its progress, or the reason why it failed, is in `open`.
    fn run(&self, job: Job) {
        let Job { id, name, inputs, out, stop, sent } = job;
        let _turn = lock(&self.turn);
        let began = Instant::now();
        let options = MakeOptions::named(name);
        // Without the guard, a table whose thread panicked would be in the making until the server ends.
        let made = guarded(|| {
            make_table(&inputs, &out, &options, &stop, &mut |progress: &ReadingProgress| {
                self.report(&id, began, progress);
            })
        });
        drop(sent);
        let mut open = lock(&self.open);
        let reason = match made {
            Ok(Ok(_) | Err(ExplorerError::Stopped)) => {
                open.remove(&id);
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => panicked.to_string(),
        };
        if let Some(open) = open.get_mut(&id) {
            open.state = TableState::Failed(reason);
        }
    }

    fn report(&self, id: &str, began: Instant, progress: &ReadingProgress) {
        let games = progress.counts.games + progress.counts.without_result;
        let games_per_second = games as f64 / began.elapsed().as_secs_f64().max(1e-3);
        if let Some(open) = lock(&self.open).get_mut(id) {
            open.state = TableState::Making(TableProgress { progress: *progress, games_per_second });
        }
    }
}

impl Shelf {
    /// A shelf in `folder`, which is created when a table is made; sources are searched for in `places`.
    pub fn new(folder: PathBuf, places: Vec<PathBuf>) -> Self {
        Self { folder, places, gathered: None, work: Arc::default() }
    }

    /// Also offers all PGN files of a folder as one source.
    #[must_use]
    pub fn gathering(mut self, name: &str, folder: PathBuf) -> Self {
        self.gathered = Some((name.into(), folder));
        self
    }

    /// The folder of the tables.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sources that can be read, in the order of their names.
    ///
    /// # Errors
    /// [`ExplorerError::Output`] if one of their folders, or one below, cannot be listed.
    pub fn sources(&self) -> Result<Vec<GameSource>, ExplorerError> {
        let gathered = self.gathered.as_ref().map(|(name, folder)| gathered(name, folder)).transpose()?;
        let mut sources: Vec<GameSource> = gathered.flatten().into_iter().collect();
        for place in &self.places {
            let mut found = Vec::new();
            find(place, place, DEPTH, &mut found)?;
            found.sort_by(|one, other| one.name.cmp(&other.name));
            for source in found {
                if sources.iter().all(|known| known.name != source.name) {
                    sources.push(source);
                }
            }
        }
        Ok(sources)
    }

    /// All tables, in the order of their ids.
    ///
    /// # Errors
    /// [`ExplorerError::Output`] if the folder cannot be listed. Problems with a table, or with a source of it, are in its state.
    pub fn tables(&self) -> Result<Vec<ListedTable>, ExplorerError> {
        let mut tables: BTreeMap<String, ListedTable> = BTreeMap::new();
        for path in entries(&self.folder)? {
            let Some(id) = path.file_stem().and_then(|id| id.to_str()).map(str::to_owned) else { continue };
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            let looked_at = Table::open(&path).and_then(|table| Ok((table.info().is_stale()?, table)));
            let (name, stale, state) = match looked_at {
                Ok((stale, table)) => {
                    let info = table.info().clone();
                    (info.name.clone(), stale, TableState::Ready(info))
                }
                Err(error) => (id.clone(), false, TableState::Failed(error.to_string())),
            };
            tables.insert(id.clone(), ListedTable { id, name, state, stale });
        }
        for (id, open) in &*self.open() {
            let (name, state) = (open.name.clone(), open.state.clone());
            tables.insert(id.clone(), ListedTable { id: id.clone(), name, state, stale: false });
        }
        Ok(tables.into_values().collect())
    }

    /// Starts building the table of a source, replacing any earlier one, and returns its id.
    ///
    /// # Errors
    /// [`ExplorerError::Unknown`], [`ExplorerError::Output`] if sources cannot be searched for or the folder
    /// cannot be created.
    pub fn make(&self, source: &str) -> Result<String, ExplorerError> {
        let found = self.sources()?.into_iter().find(|known| known.name == source);
        let Some(found) = found else {
            return Err(ExplorerError::Unknown { what: "source", name: source.into() });
        };
        self.begin(source, found.inputs, None)
    }

    /// Builds a table from an uploaded file, which was written [`files::aside`] and is deleted afterwards.
    ///
    /// # Errors
    /// As [`Shelf::make`].
    pub fn make_of_file(&self, name: &str, file: NamedTempFile) -> Result<String, ExplorerError> {
        let input = TableInput { name: name.into(), path: file.path().into() };
        // On Windows a file that another handle has locked exclusively cannot be read. If a cleanup deletes
        // the file between the two locks, reading it is an error.
        let handle = file.as_file();
        let _ = handle.unlock().and_then(|()| handle.lock_shared());
        self.begin(name, vec![input], Some(file))
    }

    /// Stops making a table, or forgets that making it failed.
    pub fn stop(&self, id: &str) {
        let mut open = self.open();
        if open.get(id).is_some_and(|open| matches!(open.state, TableState::Failed(_))) {
            open.remove(id);
        } else if let Some(open) = open.get(id) {
            open.stop.stop();
        }
    }

    /// Deletes a table.
    ///
    /// # Errors
    /// [`ExplorerError::Unknown`], [`ExplorerError::Output`].
    pub fn delete(&self, id: &str) -> Result<(), ExplorerError> {
        let path = self.path(id)?;
        Ok(fs::remove_file(&path).map_err(OutputError::io("delete", &path))?)
    }

    /// Opens a table for queries.
    ///
    /// # Errors
    /// [`ExplorerError::Unknown`] if there is no such table yet, and those of [`Table::open`].
    pub fn table(&self, id: &str) -> Result<Table, ExplorerError> {
        Table::open(&self.path(id)?)
    }

    /// The file of an existing table. Ids are compared with the folder's listing, so no id can name a path
    /// outside it.
    fn path(&self, id: &str) -> Result<PathBuf, ExplorerError> {
        let wanted = format!("{id}.{ENDING}");
        let found = entries(&self.folder)?
            .into_iter()
            .find(|path| path.file_name().is_some_and(|name| *name == *wanted));
        found.ok_or_else(|| ExplorerError::Unknown { what: "opening table", name: id.into() })
    }

    fn begin(
        &self,
        name: &str,
        inputs: Vec<TableInput>,
        sent: Option<NamedTempFile>,
    ) -> Result<String, ExplorerError> {
        fs::create_dir_all(&self.folder).map_err(OutputError::io("make the folder", &self.folder))?;
        let stop = StopSignal::default();
        let begun = Open {
            name: name.into(),
            state: TableState::Making(TableProgress::default()),
            stop: stop.clone(),
        };
        // The id is chosen and taken under one lock: two requests for one name at the same time make one table.
        let id = {
            let mut open = self.open();
            let id = self.id_of(name, &open);
            if open.get(&id).is_some_and(|open| matches!(open.state, TableState::Making(_))) {
                return Ok(id);
            }
            open.insert(id.clone(), begun);
            id
        };
        let job = Job { id: id.clone(), name: name.into(), inputs, out: self.file(&id), stop, sent };
        let work = Arc::clone(&self.work);
        let spawned = thread::Builder::new().name("openings".into()).spawn(move || work.run(job));
        if let Err(error) = spawned {
            self.open().remove(&id);
            return Err(OutputError::io("start a thread for", &self.folder)(error).into());
        }
        Ok(id)
    }

    /// The id of the table of this name: the name as a file's, with a number if another table has that.
    fn id_of(&self, name: &str, open: &BTreeMap<String, Open>) -> String {
        let (plain, mut number) = (plain(name), 1_u32);
        let mut id = plain.clone();
        loop {
            let is_taken = match open.get(&id) {
                Some(open) => open.name != name,
                None => Table::open(&self.file(&id)).is_ok_and(|table| table.info().name != name),
            };
            if !is_taken {
                return id;
            }
            number += 1;
            id = format!("{plain}-{number}");
        }
    }

    /// Where the table of an id is written.
    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Open>> {
        lock(&self.work.open)
    }
}

/// Locks a mutex, even after a thread panicked with it: the data is valid at any moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name as a file's name on every system: every character except letters, digits, dots and dashes becomes a dash.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for (at, letter) in name.char_indices().take(MOST_ID_CHARACTERS) {
        if at + letter.len_utf8() > MOST_ID_BYTES {
            break;
        }
        plain.push(if letter.is_alphanumeric() || letter == '.' { letter } else { '-' });
    }
    let plain = plain.trim_matches(['.', '-']);
    if plain.is_empty() { NAMELESS.into() } else { plain.into() }
}
