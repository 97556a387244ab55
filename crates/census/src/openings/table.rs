//! The file of a table: sixteen bytes that name the format, entries of 42 bytes in the order of their keys, the lists of their games
//! if it has them, a JSON object about it all, and the length of that object.

use std::{
    cmp::Reverse,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use chess::{
    Chess, MOST_MOVES, Move, Position as _,
    polyglot::{BookEntry, polyglot_key},
};
use files::OutputError;
use serde::{Deserialize, Serialize};

use crate::openings::{
    ExplorerError, GameCounts, ListSizes, MoveTally,
    list_maker::LISTS_IN_BLOCK,
    posting::POSTING_BYTES,
    reading::is_store,
    tally::{ENTRY_BYTES, Entry},
};

/// First bytes of a table of counts; another layout will have another number.
const MAGIC: &[u8; 16] = b"tabiya openings1";

/// First bytes of a table with lists of games. Tables without them keep the old number, so that older versions read them.
const MAGIC_WITH_GAMES: &[u8; 16] = b"tabiya openings2";

/// Longest object about a table; a thousand sources with long paths fit.
const MOST_INFO_BYTES: u64 = 1 << 20;

/// A source file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Stamp {
    pub path: PathBuf,
    /// Its length in bytes; 0 for a folder.
    pub bytes: u64,
    /// Time of the last change, in seconds since 1970.
    pub modified: u64,
}

impl Stamp {
    /// The current stamp of a file; zeros if it does not exist. A time before 1970 is 0.
    ///
    /// # Errors
    /// [`ExplorerError::Output`].
    pub fn of(path: &Path) -> Result<Self, ExplorerError> {
        let data = match std::fs::metadata(path) {
            Ok(data) => data,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Self { path: path.into(), bytes: 0, modified: 0 });
            }
            Err(error) => return Err(OutputError::io("look at", path)(error).into()),
        };
        let bytes = if data.is_file() { data.len() } else { 0 };
        let modified = data.modified().map_err(OutputError::io("look at", path))?;
        let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Ok(Self { path: path.into(), bytes, modified })
    }
}

/// Description of a table, in the header of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TableInfo {
    /// The name shown to people.
    pub name: String,
    pub sources: Vec<Stamp>,
    /// True if counts are weights of a book instead of games.
    pub weights: bool,
    /// Half-moves of each game that were read.
    pub plies: u16,
    /// Minimum number of games of a move in it.
    pub min_games: u32,
    pub counts: GameCounts,
    pub positions: u64,
    pub moves: u64,
    #[serde(default)]
    pub game_list: GameList,
}

/// Whether a table has lists of its games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameList {
    /// An older version of the program, which knew no lists, made the table.
    #[default]
    Older,
    /// Left out by choice, or because a book or a sample store went into the table.
    LeftOut,
    /// Each move has a list of its games.
    Kept(ListSizes),
}

impl TableInfo {
    /// True if an older version made the table of files whose games are kept today, so that they have to be read again. Books and
    /// sample stores have no games to keep.
    pub fn lacks_games(&self) -> bool {
        // The stamp of a folder has no length: a sample store, or a folder of games if it is still there.
        let has_games =
            |source: &Stamp| source.bytes > 0 || (source.path.is_dir() && !is_store(&source.path));
        self.game_list == GameList::Older && !self.weights && self.sources.iter().all(has_games)
    }

    /// True if a source that is still there has changed since it was read.
    ///
    /// # Errors
    /// [`ExplorerError::Output`] for a source that cannot be examined.
    pub fn is_stale(&self) -> Result<bool, ExplorerError> {
        for stamp in &self.sources {
            let now = Stamp::of(&stamp.path)?;
            let is_gone = now.bytes == 0 && now.modified == 0;
            if !is_gone && now != *stamp {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A move in a position of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMove {
    /// A move that was played in the position.
    pub chess_move: Move,
    /// Results and years of the games with this move.
    pub tally: MoveTally,
}

/// A table opened for reading. Its entries are not held in memory.
#[derive(Debug)]
pub struct Table {
    file: File,
    path: PathBuf,
    info: TableInfo,
}

/// The moves of a position, as the file has them.
#[derive(Debug)]
pub(crate) struct FoundEntries {
    /// Index of the first one in the file.
    pub(crate) first: u64,
    pub(crate) entries: Vec<Entry>,
}

/// True if the file begins like a table: no game, book or store begins with these 16 bytes. [`Table::open`] names the error in
/// one that is damaged further on.
pub fn is_table(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && [MAGIC, MAGIC_WITH_GAMES].contains(&&start)
}

impl Table {
    /// Opens a table.
    ///
    /// # Errors
    /// [`ExplorerError::Output`], or [`ExplorerError::Format`] for another file or one that was cut off.
    pub fn open(path: &Path) -> Result<Self, ExplorerError> {
        let mut file = File::open(path).map_err(OutputError::io("open", path))?;
        let info = read_info(&mut file, path)?;
        Ok(Self { file, path: path.into(), info })
    }

    /// The header of the table.
    pub fn info(&self) -> &TableInfo {
        &self.info
    }

    /// The moves that were played in a position, most games first; empty if the table lacks the position.
    /// Illegal moves, which come from another position with the same key, are left out.
    ///
    /// # Errors
    /// [`ExplorerError::Output`].
    pub fn moves(&mut self, position: &Chess) -> Result<Vec<TableMove>, ExplorerError> {
        let FoundEntries { entries, .. } = self.entries(polyglot_key(position))?;
        // Two positions may share a key. Each legal move looks for its entry, and not the other way round, so that the moves of the other
        // position are dropped unless they are legal here too.
        let legal = position.legal_moves();
        let mut moves: Vec<TableMove> = legal
            .iter()
            .filter_map(|&chess_move| {
                let packed = BookEntry::new(position, chess_move, 0).packed_move;
                let entry = entries.iter().find(|entry| entry.key.packed_move == packed)?;
                Some(TableMove { chess_move, tally: entry.tally })
            })
            .collect();
        moves.sort_by_key(|each| Reverse(each.tally.games()));
        Ok(moves)
    }

    /// All entries of a key: bisection on the disk, then one block.
    pub(crate) fn entries(&mut self, key: u64) -> Result<FoundEntries, ExplorerError> {
        // About thirty reads of one entry for a billion moves, without an index in memory. A position has at most `MOST_MOVES` legal moves,
        // so one block from the first entry of its key holds all of them.
        let low = bisect(0..self.info.moves, |middle| {
            let mut bytes = [0; ENTRY_BYTES];
            self.read_at(offset(middle), &mut bytes)?;
            Ok(Entry::from_bytes(&bytes).key.position >= key)
        })?;
        let count = (self.info.moves - low).min(MOST_MOVES as u64);
        let entries = self.entries_at(low, count)?;
        let entries = entries.into_iter().take_while(|entry| entry.key.position == key).collect();
        Ok(FoundEntries { first: low, entries })
    }

    /// Entries from an index on, all of which the table has.
    pub(crate) fn entries_at(&mut self, first: u64, count: u64) -> Result<Vec<Entry>, ExplorerError> {
        let mut block = vec![0; count as usize * ENTRY_BYTES];
        self.read_at(offset(first), &mut block)?;
        Ok(block.as_chunks().0.iter().map(Entry::from_bytes).collect())
    }

    /// Fills `bytes` from an offset in the file.
    pub(crate) fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), ExplorerError> {
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(bytes));
        Ok(read.map_err(OutputError::io("read", &self.path))?)
    }

    /// The error of a file whose parts contradict each other.
    pub(crate) fn damaged(&self, found: String, expected: impl Into<String>) -> ExplorerError {
        not_a_table(&self.path, found, expected)
    }
}

/// The first place of a range from which on `is_after` is true; the end of the range if it is true nowhere.
pub(crate) fn bisect(
    range: Range<u64>,
    mut is_after: impl FnMut(u64) -> Result<bool, ExplorerError>,
) -> Result<u64, ExplorerError> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_after(middle)? { high = middle } else { low = middle + 1 }
    }
    Ok(low)
}

/// Offset of an entry in the file.
pub(crate) fn offset(index: u64) -> u64 {
    MAGIC.len() as u64 + index * ENTRY_BYTES as u64
}

/// Writes the part before the entries.
pub(crate) fn begin(out: &mut dyn Write, has_games: bool) -> io::Result<()> {
    out.write_all(if has_games { MAGIC_WITH_GAMES } else { MAGIC })
}

/// Writes the part after entries and lists.
pub(crate) fn end(out: &mut dyn Write, info: &TableInfo) -> io::Result<()> {
    let text = serde_json::to_vec(info)?;
    out.write_all(&text)?;
    out.write_all(&(text.len() as u64).to_le_bytes())
}

/// Reads the header, which is the last part of the file, because its counts are known only when the entries have been written. Every
/// length in the file is compared with that of the file before it is used.
fn read_info(file: &mut File, path: &Path) -> Result<TableInfo, ExplorerError> {
    let length = file.seek(SeekFrom::End(0)).map_err(OutputError::io("read", path))?;
    let least = (MAGIC.len() + 8) as u64;
    let mut start = [0; MAGIC.len()];
    file.rewind().map_err(OutputError::io("read", path))?;
    let is_known =
        length >= least && file.read_exact(&mut start).is_ok() && [MAGIC, MAGIC_WITH_GAMES].contains(&&start);
    if !is_known {
        let found = format!("a file of {length} bytes");
        let expected = "one that begins with \"tabiya openings1\" or \"tabiya openings2\"";
        return Err(not_a_table(path, found, expected));
    }
    let mut number = [0; 8];
    file.seek(SeekFrom::End(-8)).map_err(OutputError::io("read", path))?;
    file.read_exact(&mut number).map_err(OutputError::io("read", path))?;
    let text_length = u64::from_le_bytes(number);
    if text_length > MOST_INFO_BYTES.min(length - least) {
        let found = format!("{text_length} as the length of its last part");
        return Err(not_a_table(path, found, "a whole file"));
    }
    let mut text = vec![0; text_length as usize];
    file.seek(SeekFrom::Start(length - 8 - text_length)).map_err(OutputError::io("read", path))?;
    file.read_exact(&mut text).map_err(OutputError::io("read", path))?;
    let info: TableInfo = serde_json::from_slice(&text).map_err(|error| {
        not_a_table(path, format!("a last part that cannot be read ({error})"), "a whole file")
    })?;
    let has_games = matches!(info.game_list, GameList::Kept(_));
    if has_games != (start == *MAGIC_WITH_GAMES) {
        let found = format!("lists of games: {has_games}");
        return Err(not_a_table(path, found, format!("what its first bytes say: {}", !has_games)));
    }
    if body_bytes(&info) != Some(length - least - text_length) {
        let found = format!("{} bytes before its last part", length - least - text_length);
        let expected = format!("{} moves of {ENTRY_BYTES} bytes and {:?}", info.moves, info.game_list);
        return Err(not_a_table(path, found, expected));
    }
    Ok(info)
}

/// Bytes of entries and lists; `None` if there can be no such file.
fn body_bytes(info: &TableInfo) -> Option<u64> {
    let entries = info.moves.checked_mul(ENTRY_BYTES as u64)?;
    let GameList::Kept(sizes) = info.game_list else { return Some(entries) };
    let postings = sizes.postings.checked_mul(POSTING_BYTES as u64)?;
    let places = info.moves.div_ceil(LISTS_IN_BLOCK).checked_add(sizes.games)?.checked_mul(8)?;
    entries.checked_add(postings)?.checked_add(places)?.checked_add(sizes.record_bytes)
}

fn not_a_table(path: &Path, found: String, expected: impl Into<String>) -> ExplorerError {
    ExplorerError::Format { path: path.into(), found, expected: expected.into() }
}
