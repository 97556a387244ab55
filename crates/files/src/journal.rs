//! Append-only files of lines.
//!
//! The line ending commits: JSON escapes line endings inside a value, so a `\n` is the end of a complete line and nothing else.
//! What follows the last one is a write that was cut off.
//!
//! Nothing is synced. If the process dies, what the system accepted reaches the file all the same, and at most the last write is
//! incomplete. If the machine loses power, a tail of complete lines may be missing as well, and their work is done again (a game,
//! a label: seconds). A sync for each line would make every machine pay milliseconds a line for that. `docs/reliability.md`
//! promises no more.
//!
//! A line that refers to another file has to be written after it: a resumed command believes what the journal says. Where such
//! lines become part of a result, each has a hash ([`Journal::append_hashed`]), and the command believes only those whose hash fits.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Split, Take, Write as _},
    ops::Range,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::bytes_hash;

/// Number of bytes that are searched at once for the end of the last complete line.
const BLOCK: u64 = 1 << 16;

/// Number of bytes with which a hashed line ends: its last key, 32 hexadecimal digits, and the end of the object.
const HASH_END: usize = ",\"hash\":\"\"}".len() + 32;

/// A file with a line of JSON for each finished piece of work. A line is written in one piece, so a kill or a full disk leaves
/// at most one incomplete line, at the end. Readers do not see it, and the next line replaces it.
///
/// Only one process may write at a time; where several might, use a [`crate::FolderLock`].
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The end of the last complete line, in bytes.
    end: u64,
    /// True if bytes without a line ending may follow.
    is_unfinished: bool,
}

impl Journal {
    /// Opens or creates the file. Its content does not change before the first line is added, because it may be another file,
    /// opened by mistake.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Appending, so that the system moves to the end and writes in one operation, wherever reading has left the file's
        // position.
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let length = file.metadata()?.len();
        let end = end_of_lines(&file, length)?;
        Ok(Self { path: path.into(), file, end, is_unfinished: end < length })
    }

    /// The length of all complete lines, in bytes.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// The complete lines, starting with the first, without line endings.
    ///
    /// # Errors
    /// If the system refuses; each line may also be an error.
    pub fn lines(&mut self) -> io::Result<Split<BufReader<Take<&File>>>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(file.take(self.end)).split(b'\n'))
    }

    /// The bytes after the last complete line, at most `most` of them.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn unfinished(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut file = &self.file;
        let mut bytes = Vec::new();
        if self.is_unfinished {
            file.seek(SeekFrom::Start(self.end))?;
            file.take(most).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// The bytes at a place, which was returned by [`Self::append`] or computed from the lengths of [`Self::lines`].
    ///
    /// # Errors
    /// If the system refuses or the file has become shorter.
    pub fn read(&self, place: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (place.end - place.start) as usize];
        let mut file = &self.file;
        // This does not affect writes: a file opened for appending writes at its end.
        file.seek(SeekFrom::Start(place.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Adds a line, and returns its place, including the line ending.
    ///
    /// # Errors
    /// If the line cannot be serialised or written; the file then has the lines it had.
    pub fn append(&mut self, line: &impl Serialize) -> io::Result<Range<u64>> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.write(bytes.len() as u64, |file| file.write_all(&bytes))
    }

    /// Adds a line that ends with the hash of its content and of `work`, by which [`has_own_hash`] finds lines that were edited or
    /// damaged, or that other work wrote. `work` stands for what the content depends on, such as the settings. Returns the line's
    /// place as [`Self::append`] does.
    ///
    /// # Errors
    /// As for [`Self::append`]; [`io::ErrorKind::InvalidInput`] for anything but a JSON object with a key.
    pub fn append_hashed(&mut self, work: &str, line: &impl Serialize) -> io::Result<Range<u64>> {
        let line = serde_json::to_vec(line)?;
        let Some(content) = line.strip_suffix(b"}").filter(|content| content.len() > 1) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a JSON object with a key"));
        };
        let bytes = [content, hash_end(work, content).as_bytes(), b"\n"].concat();
        self.write(bytes.len() as u64, |file| file.write_all(&bytes))
    }

    fn write(
        &mut self,
        length: u64,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Range<u64>> {
        self.cut()?;
        // Set before the write and cleared after it: whatever happens in between, the next line begins with a cut.
        self.is_unfinished = true;
        if let Err(error) = write(&mut self.file) {
            // The first error is the one to report; if this also fails, the next line starts with this cut.
            let _ = self.cut();
            return Err(error);
        }
        self.is_unfinished = false;
        let start = self.end;
        self.end += length;
        Ok(start..self.end)
    }

    /// Removes everything after the last complete line.
    fn cut(&mut self) -> io::Result<()> {
        if self.is_unfinished {
            cut(&self.path, self.end)?;
            self.is_unfinished = false;
        }
        Ok(())
    }
}

/// True for a line as [`Journal::append_hashed`] wrote it for this work; false for a line without a hash, which an older version wrote.
pub fn has_own_hash(work: &str, line: &[u8]) -> bool {
    let (content, end) = line.split_at(line.len().saturating_sub(HASH_END));
    end == hash_end(work, content).as_bytes()
}

/// The end of a line with this content, which is a JSON object without its last brace.
fn hash_end(work: &str, content: &[u8]) -> String {
    format!(",\"hash\":\"{}\"}}", bytes_hash(&[work.as_bytes(), content].concat()))
}

/// Removes what follows the first `length` bytes of a file to which somebody appends. Opens it once more, because Windows does not let
/// a file be cut that was opened for appending.
///
/// # Errors
/// If the system refuses.
pub fn cut(path: &Path, length: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_len(length)
}

/// The end of the last complete line, searched from the end of the file, because lines may be long and the file may be
/// larger than memory.
fn end_of_lines(mut file: &File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        block.clear();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut block)?;
        if let Some(last) = block.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;

    fn lines(journal: &mut Journal) -> Vec<String> {
        journal.lines().unwrap().map(|line| String::from_utf8(line.unwrap()).unwrap()).collect()
    }

    #[test]
    fn wherever_a_kill_cuts_the_file_whole_lines_stay_and_the_next_follows_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        let places: Vec<Range<u64>> =
            ["é", "", "three"].iter().map(|line| journal.append(line).unwrap()).collect();
        assert_eq!(journal.read(&places[2]).unwrap(), b"\"three\"\n");
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            let count = places.iter().filter(|place| place.end <= length as u64).count();
            let end = places[..count].last().map_or(0, |place| place.end);
            assert_eq!((lines(&mut journal).len(), journal.length()), (count, end), "after {length} bytes");
            assert_eq!(journal.unfinished(u64::MAX).unwrap(), &whole[end as usize..length]);
            assert_eq!(fs::read(&path).unwrap(), &whole[..length], "opening changes nothing");
            let place = journal.append(&1).unwrap();
            assert_eq!((place.start, journal.unfinished(1).unwrap().len()), (end, 0));
            drop(journal);
            let mut expected: Vec<&str> = vec!["\"é\"", "\"\"", "\"three\""];
            expected.truncate(count);
            expected.push("1");
            assert_eq!(lines(&mut Journal::open(&path).unwrap()), expected, "after {length} bytes");
        }
    }

    #[test]
    fn the_last_whole_line_is_found_before_a_long_one_that_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        for rest in [BLOCK - 1, BLOCK, 3 * BLOCK + 5] {
            let mut text = "x".repeat(2 * BLOCK as usize) + "\n";
            let end = text.len() as u64;
            text.push_str(&"y".repeat(rest as usize));
            fs::write(&path, &text).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            assert_eq!((journal.length(), journal.unfinished(7).unwrap()), (end, b"yyyyyyy".to_vec()));
            assert_eq!(lines(&mut journal), [text.lines().next().unwrap()]);
        }
        fs::write(&path, "y".repeat(2 * BLOCK as usize)).unwrap();
        assert_eq!(Journal::open(&path).unwrap().length(), 0);
    }

    #[test]
    fn a_line_that_was_edited_or_is_of_other_work_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("games.jsonl")).unwrap();
        let place = journal.append_hashed("work", &json!({"game": 1, "name": "}"})).unwrap();
        assert_eq!(place, 0..journal.length());
        let line = lines(&mut journal).remove(0);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["game"], 1);
        assert!(has_own_hash("work", line.as_bytes()) && !has_own_hash("other", line.as_bytes()));
        let edited = line.replace("\"game\":1", "\"game\":2");
        let spaced = line.replace(",\"hash\"", ", \"hash\"");
        for other in [edited.as_str(), &spaced, "{\"game\":1}", ""] {
            assert!(other != line && !has_own_hash("work", other.as_bytes()), "{other}");
        }
        for keyless in [json!({}), json!([{}]), json!("}")] {
            let error = journal.append_hashed("work", &keyless).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{keyless}");
        }
        assert_eq!(lines(&mut journal), [line]);
    }

    #[test]
    fn a_line_that_could_not_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(&1).unwrap();
        let full = |file: &mut File| {
            file.write_all(b"\"half a li")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert_eq!(journal.write(15, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
        let unwritable = std::collections::BTreeMap::from([((), 1)]);
        assert!(journal.append(&unwritable).is_err(), "the keys of JSON are texts");
        assert_eq!(journal.append(&2).unwrap(), 2..4);
        assert_eq!(lines(&mut journal), ["1", "2"]);
    }

    /// The disk may refuse both the cut and the line.
    #[test]
    fn a_cut_that_failed_is_made_before_the_next_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(&1).unwrap();
        let writable = std::mem::replace(&mut journal.file, File::open(&path).unwrap());
        assert!(journal.append(&2).is_err(), "the file is open to be read");
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"half").unwrap();
        assert!(journal.append(&2).is_err() && lines(&mut journal) == ["1"]);
        journal.file = writable;
        journal.append(&2).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
    }

    #[test]
    fn a_file_that_was_cut_is_continued_at_its_new_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).unwrap();
        file.write_all(b"first, second").unwrap();
        cut(&path, 7).unwrap();
        file.write_all(b"third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first, third");
        assert_eq!(cut(&folder.path().join("gone"), 0).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        let mut journal = Journal::open(Path::new("/dev/full")).unwrap();
        assert_eq!(journal.append(&1).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!((journal.length(), lines(&mut journal).len()), (0, 0));
    }
}
