//! Builds an opening table from files and stores.

use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use chess::{
    StopSignal,
    polyglot::{BookEntry, PolyglotBook},
};
use dataset::record::GameRecord;
use files::{FolderLock, OutputError, OutputFile};

use crate::openings::{
    ExplorerError, GameCounts, GameList, Listener, MoveTally, ReadMove, ReadingProgress, ReadingRules, Stamp,
    TableInfo,
    list_maker::ListMaker,
    read_games,
    reading::is_store,
    sorter::{MOST_COUNTED, Sorter},
    table,
    tally::MoveKey,
};

/// A file or store whose games go into a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInput {
    /// Its name, for people; one that ends in `.bin` is a book.
    pub name: String,
    /// Path of a file, a folder or an archive of games, a sample store, or a book.
    pub path: PathBuf,
}

impl TableInput {
    /// A path under its own name.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { name, path: path.into() }
    }

    /// True for a Polyglot book, a format that only its name reveals.
    fn is_book(&self) -> bool {
        Path::new(&self.name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bin"))
    }
}

/// The name of a table, and the rules for which moves are included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakeOptions {
    /// The name under which the table is shown.
    pub name: String,
    /// Half-moves of each game to read.
    pub plies: u16,
    /// Minimum number of games in which a move was played. With 1, the counts of a million games of 40 half-moves need up to 1.7 GB
    /// on disk, because most positions after the opening are played once.
    pub min_games: u32,
    /// Minimum rating of both players.
    pub min_rating: Option<u16>,
    /// Keep lists of the games behind the counts. For 100,000 games of 40 half-moves they take up to 40 MB, and the games, of 80
    /// half-moves each, 21 MB. A table into which a book or a sample store goes has none.
    pub lists_games: bool,
}

impl MakeOptions {
    /// Default of [`MakeOptions::plies`].
    pub const PLIES: u16 = 40;
    /// Default of [`MakeOptions::min_games`].
    pub const MIN_GAMES: u32 = 1;

    /// A table of every move of the first [`MakeOptions::PLIES`] half-moves, with its games.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            plies: Self::PLIES,
            min_games: Self::MIN_GAMES,
            min_rating: None,
            lists_games: true,
        }
    }
}

/// True if a table of these inputs can keep its games: books have none, and sample stores do not know their players and years.
pub fn have_games(inputs: &[TableInput]) -> bool {
    !inputs.iter().any(|input| input.is_book() || is_store(&input.path))
}

/// Reads all inputs into a table at `out`, which appears complete or not at all. If a position is repeated in a game, only its
/// first move counts.
///
/// # Errors
/// [`ExplorerError`]; [`ExplorerError::Stopped`] once `stop` is signalled.
pub fn make_table(
    inputs: &[TableInput],
    out: &Path,
    options: &MakeOptions,
    stop: &StopSignal,
    report: &mut dyn FnMut(&ReadingProgress),
) -> Result<TableInfo, ExplorerError> {
    let _lock = FolderLock::take(out)?;
    let output = OutputFile::open(out)?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Stamps are taken before reading: a file that changes while it is read makes its table stale, not wrong without a sign.
    let sources = inputs.iter().map(|input| Stamp::of(&input.path)).collect::<Result<_, _>>()?;
    let lists_games = options.lists_games && have_games(inputs);
    let lists = lists_games.then(|| ListMaker::new(folder)).transpose();
    let mut counter = Counter {
        sorter: Sorter::new(folder, MOST_COUNTED),
        lists: lists.map_err(OutputError::io("write to", folder))?,
        folder,
        stop,
        report,
        input: 0,
        inputs: inputs.len(),
        books: GameCounts::default(),
    };
    let mut counts = GameCounts::default();
    let rules = ReadingRules { plies: options.plies, min_rating: options.min_rating };
    let mut weights = false;
    for (index, input) in inputs.iter().enumerate() {
        counter.input = index;
        if input.is_book() {
            weights = true;
            counter.book(&input.path)?;
        } else {
            read_games(&input.path, &rules, &mut counts, &mut counter)?;
        }
    }
    let Counter { sorter, lists, .. } = counter;
    output.fill(|file| {
        let mut writer = BufWriter::new(file);
        let min_games = u64::from(options.min_games);
        table::begin(&mut writer, lists_games).map_err(OutputError::io("write", out))?;
        let written = sorter.finish(min_games, &mut writer).map_err(OutputError::io("write", out))?;
        if written.moves == 0 {
            let games = counts.games + counts.without_result;
            return Err(ExplorerError::Empty { name: options.name.clone(), games, broken: counts.broken });
        }
        let game_list = match lists {
            None => GameList::LeftOut,
            Some(lists) => {
                let sizes = lists.finish(min_games, &mut writer).map_err(OutputError::io("write", out))?;
                GameList::Kept(sizes)
            }
        };
        let info = TableInfo {
            name: options.name.clone(),
            sources,
            weights,
            plies: options.plies,
            min_games: options.min_games,
            counts,
            positions: written.positions,
            moves: written.moves,
            game_list,
        };
        table::end(&mut writer, &info).map_err(OutputError::io("write", out))?;
        writer.flush().map_err(OutputError::io("write", out))?;
        Ok(info)
    })
}

struct Counter<'a> {
    sorter: Sorter,
    lists: Option<ListMaker>,
    folder: &'a Path,
    stop: &'a StopSignal,
    report: &'a mut dyn FnMut(&ReadingProgress),
    /// Index of the input being read.
    input: usize,
    inputs: usize,
    books: GameCounts,
}

impl Counter<'_> {
    /// A book is held in memory while it is read: the format has no more than a few million entries.
    fn book(&mut self, path: &Path) -> Result<(), ExplorerError> {
        for entry in PolyglotBook::read(path)?.entries() {
            let tally = MoveTally { unknown: u32::from(entry.weight), ..MoveTally::default() };
            let key = MoveKey { position: entry.key, packed_move: entry.packed_move };
            let added = self.sorter.add(key, &tally);
            added.map_err(OutputError::io("write to", self.folder))?;
        }
        self.progress(&ReadingProgress { counts: self.books, share: 1.0 })
    }
}

impl Listener for Counter<'_> {
    fn game(&mut self, record: &GameRecord) -> Result<(), ExplorerError> {
        let Some(lists) = &mut self.lists else { return Ok(()) };
        Ok(lists.begin(record).map_err(OutputError::io("write to", self.folder))?)
    }

    fn played(&mut self, played: &ReadMove<'_>) -> Result<(), ExplorerError> {
        if played.is_repetition {
            return Ok(());
        }
        let BookEntry { key, packed_move, .. } = BookEntry::new(played.position, played.chess_move, 0);
        let key = MoveKey { position: key, packed_move };
        let mut added = self.sorter.add(key, &MoveTally::of(played));
        if let Some(lists) = &mut self.lists {
            added = added.and_then(|()| lists.add(key));
        }
        Ok(added.map_err(OutputError::io("write to", self.folder))?)
    }

    fn progress(&mut self, progress: &ReadingProgress) -> Result<(), ExplorerError> {
        if self.stop.is_stopped() {
            return Err(ExplorerError::Stopped);
        }
        let share = (self.input as f64 + progress.share) / self.inputs.max(1) as f64;
        (self.report)(&ReadingProgress { share, ..*progress });
        Ok(())
    }
}
