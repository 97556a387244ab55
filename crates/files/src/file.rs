//! Files that are replaced atomically, even if the process is killed.
//!
//! Four steps, each needed for what follows it:
//!
//! 1. Write a temporary file in the folder of the target: a rename is atomic only within one file system.
//! 2. Sync it. Without this a file system may make the rename durable before the content, and a power failure leaves an empty
//!    file under the final name.
//! 3. Rename it over the target. Readers have the old or the new file open, never a mixture.
//! 4. Sync the folder. Without this the rename itself may be lost after the caller has reported success, for instance after it
//!    removed the work that produced the file.
//!
//! A kill leaves the temporary file. Whoever writes to the folder next removes it, unless its lock says that a running process is
//! still writing.

use std::{
    convert::identity,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use tempfile::{NamedTempFile, TempPath};

use crate::{OutputError, entries, if_there, path::resolve};

/// A file that a command writes when its work is done.
///
/// A regular file is written under a temporary name and renamed, so at every moment it is either the old or the new one.
/// Symbolic links are followed and stay. Anything else, such as a FIFO or `/dev/null`, is written to and not replaced.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A regular file, which need not exist, with all links resolved.
    Regular(PathBuf),
    /// An open device or FIFO.
    Other(File),
}

/// The users who may read a file.
#[derive(Clone, Copy)]
enum Readers {
    /// The readers of the file that is replaced or, for a new file, those that the umask allows.
    Usual,
    Owner,
}

impl OutputFile {
    /// Checks that the file can be written, before the work that produces its content. A FIFO is opened here, which waits for
    /// its reader.
    ///
    /// # Errors
    /// [`OutputError::IsFolder`], or [`OutputError::Io`] if the path leads nowhere or its folder may not be written.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        if path.is_dir() {
            return Err(OutputError::IsFolder { path: path.into() });
        }
        let target = match target(path) {
            Ok(Target::Regular(file)) => {
                // An earlier run of the command may have been killed and left files here. Leftovers that cannot be
                // removed are harmless.
                let _ = file.parent().map(remove_partial);
                let probed = beside(&file, Readers::Usual).map(|_removed| Target::Regular(file));
                probed.map_err(OutputError::io("write", path))?
            }
            opened => opened.map_err(OutputError::io("write", path))?,
        };
        Ok(Self { path: path.into(), target })
    }

    /// Writes the content and moves the file into its place.
    ///
    /// # Errors
    /// [`OutputError::Io`]; a regular file is then unchanged.
    pub fn finish(self, content: impl AsRef<[u8]>) -> Result<(), OutputError> {
        let path = self.path.clone();
        self.fill(|file| file.write_all(content.as_ref()).map_err(OutputError::io("write", &path)))
    }

    /// Like [`OutputFile::finish`], for content of any length that `fill` writes.
    ///
    /// # Errors
    /// The errors of `fill`, and [`OutputError::Io`]; a regular file is then unchanged.
    pub fn fill<T, E: From<OutputError>>(self, fill: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
        put(self.target, fill, Readers::Usual, |error| OutputError::io("write", &self.path)(error).into())
    }
}

/// Writes a file as [`OutputFile`] does, for callers whose errors name the path themselves.
///
/// # Errors
/// If the system refuses; a regular file is then unchanged.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    put(target(path)?, |file| file.write_all(content.as_ref()), Readers::Usual, identity)
}

/// Like [`write()`], for content of any length from `source`; returns its length.
///
/// # Errors
/// Errors of [`write()`] and of `source`.
pub fn copy(path: &Path, source: &mut dyn Read) -> io::Result<u64> {
    put(target(path)?, |file| io::copy(source, file), Readers::Usual, identity)
}

/// Writes a file that must not exist yet; returns `false` if it does, and leaves it unchanged.
///
/// # Errors
/// If the system refuses; there is then no file.
pub fn write_new(path: &Path, content: impl AsRef<[u8]>) -> io::Result<bool> {
    let path = resolve(path).map_err(OutputError::into_io)?;
    let mut file = beside(&path, Readers::Usual)?;
    file.write_all(content.as_ref())?;
    file.as_file().sync_all()?;
    let moved = file.persist_noclobber(&path).map_err(|error| error.error);
    moved_new(moved.map(drop), &path)
}

/// Gives a finished file another name on the same file system, which nothing may have yet; returns `false` if something has, and
/// leaves both as they are.
///
/// # Errors
/// If the system refuses; the file then has its old name.
pub fn move_new(file: &Path, path: &Path) -> io::Result<bool> {
    // Windows syncs only files that are open for writing.
    OpenOptions::new().write(true).open(file)?.sync_all()?;
    let path = resolve(path).map_err(OutputError::into_io)?;
    let mut file = TempPath::try_from_path(file)?;
    // It is finished work, not a temporary file: it stays if it cannot be moved.
    file.disable_cleanup(true);
    moved_new(file.persist_noclobber(&path).map_err(|error| error.error), &path)
}

/// Makes a move to a new name durable; `false` if the name was taken, which is an answer and not an error.
fn moved_new(moved: io::Result<()>, path: &Path) -> io::Result<bool> {
    match moved {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
        Ok(()) => sync_folder(path).map(|()| true),
    }
}

/// Like [`write()`], for a file that only the owner may read.
///
/// # Errors
/// Errors of [`write()`].
pub fn write_private(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    put(target(path)?, |file| file.write_all(content.as_ref()), Readers::Owner, identity)
}

fn target(path: &Path) -> io::Result<Target> {
    match path.metadata() {
        // The path itself, not the resolved one: /dev/stdout leads to a pipe that has no path.
        Ok(data) if !data.is_file() => OpenOptions::new().write(true).open(path).map(Target::Other),
        _ => resolve(path).map(Target::Regular).map_err(OutputError::into_io),
    }
}

/// Prefix and suffix of the temporary names of files that are being written. They stay if the process is killed.
const ASIDE: [&str; 2] = [".tabiya-", ".partial"];

/// True if this is the name of a file that is being written.
pub fn is_partial(name: &str) -> bool {
    name.starts_with(ASIDE[0]) && name.ends_with(ASIDE[1])
}

/// Removes the temporary files that killed processes left in a folder. A file that a running process is writing stays: the
/// process holds the file's lock, which ends with it. Files that may not be opened also stay. A folder that does not exist has
/// none.
///
/// # Errors
/// [`OutputError::Io`].
pub fn remove_partial(folder: &Path) -> Result<(), OutputError> {
    for path in entries(folder)? {
        let is_left = path.file_name().is_some_and(|name| is_partial(&name.to_string_lossy()));
        if !(is_left && path.symlink_metadata().is_ok_and(|data| data.is_file())) {
            continue;
        }
        // A file that has been renamed in the meantime is gone, or no longer at this path.
        let Ok(file) = OpenOptions::new().write(true).open(&path) else { continue };
        if file.try_lock().is_ok() && crate::system::is_at(&file, &path) {
            // Its writer may have found the lock taken and removed the file first, to use another name.
            if_there(fs::remove_file(&path)).map_err(OutputError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// A temporary file, readable only by its owner. It is removed when dropped, or by [`remove_partial`] after a kill, and locked
/// so that [`remove_partial`] leaves it alone until then.
///
/// # Errors
/// If the system refuses.
pub fn aside(folder: &Path) -> io::Result<NamedTempFile> {
    partial(folder, Readers::Owner)
}

/// A temporary file next to `target`, removed unless it is renamed to `target`.
fn beside(target: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let file = partial(target.parent().unwrap_or(Path::new("/")), readers)?;
    if let (Readers::Usual, Ok(replaced)) = (readers, target.metadata()) {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file)
}

/// A temporary file that [`remove_partial`] leaves alone while it is open.
fn partial(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(ASIDE[0]).suffix(ASIDE[1]);
    if let Some(permissions) = crate::system::new_file_permissions(matches!(readers, Readers::Owner)) {
        builder.permissions(permissions);
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // A process that saw the file before it was locked removes it; on systems without file locks, no process does.
        let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && crate::system::is_at(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Writes a file with `fill` and moves it into its place; `failed` converts I/O errors to the error type of `fill`.
fn put<T, E>(
    target: Target,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
    readers: Readers,
    failed: impl Fn(io::Error) -> E,
) -> Result<T, E> {
    let path = match target {
        Target::Regular(path) => path,
        Target::Other(mut file) => return fill(&mut file),
    };
    // The four steps of this module.
    let mut file = beside(&path, readers).map_err(&failed)?;
    let filled = fill(file.as_file_mut())?;
    file.as_file().sync_all().map_err(&failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    sync_folder(&path).map_err(failed)?;
    Ok(filled)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    // The rename itself is durable only after the folder has been synced.
    path.parent().map_or(Ok(()), crate::system::sync_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn what_killed_processes_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".tabiya-a1b2c3.partial", "mine.partial", ".tabiya-notes", "games.pgn"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let written = beside(&folder.path().join("table.json"), Readers::Usual).unwrap();
        let sent = aside(folder.path()).unwrap();
        remove_partial(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), 5, "what is being written stays");
        assert!(written.path().exists() && sent.path().exists());
        drop((written, sent));
        assert_eq!(names(folder.path()), [".tabiya-notes", "games.pgn", "mine.partial"]);
        remove_partial(&folder.path().join("none")).unwrap();
    }

    /// Another process may call [`remove_partial`] at any moment.
    #[test]
    fn files_are_written_while_others_tidy_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.json");
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    remove_partial(folder.path()).unwrap();
                }
            });
            for number in 0..300 {
                let written = write(&path, number.to_string());
                if written.is_err() {
                    is_over.store(true, std::sync::atomic::Ordering::Relaxed);
                }
                written.unwrap();
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "299");
        assert_eq!(names(folder.path()), ["table.json"]);
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.json");
        drop(OutputFile::open(&path).unwrap());
        assert!(names(folder.path()).is_empty());
        for content in ["text", "other"] {
            OutputFile::open(&path).unwrap().finish(content).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["table.json"]);
        }
        let broken: Result<(), OutputError> = OutputFile::open(&path).unwrap().fill(|file| {
            file.write_all(b"half of it").unwrap();
            Err(OutputError::IsFolder { path: "elsewhere".into() })
        });
        assert!(matches!(broken, Err(OutputError::IsFolder { .. })), "{broken:?}");
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("other", 1));
    }

    #[test]
    fn a_new_file_is_written_once_and_a_copy_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.json");
        assert!(write_new(&path, "first").unwrap() && !write_new(&path, "second").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(copy(&path, &mut "third".as_bytes()).unwrap(), 5);
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
        let mut broken = "four".as_bytes().chain(BrokenOff);
        assert!(copy(&path, &mut broken).is_err());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("third", 1));
    }

    #[test]
    fn a_finished_file_takes_no_name_that_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let [made, path] = ["made.pgn", "games.pgn"].map(|name| folder.path().join(name));
        fs::write(&made, "games").unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(!move_new(&made, &path).unwrap());
        assert_eq!([&made, &path].map(|file| fs::read_to_string(file).unwrap()), ["games", "mine"]);
        assert!(move_new(&made, &folder.path().join("no/such/games.pgn")).is_err() && made.exists());
        fs::remove_file(&path).unwrap();
        assert!(move_new(&made, &path).unwrap() && !made.exists());
        assert_eq!(fs::read_to_string(&path).unwrap(), "games");
    }

    struct BrokenOff;

    impl Read for BrokenOff {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the line is dead"))
        }
    }

    #[test]
    fn who_writes_again_tidies_up_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".tabiya-a1b2c3.partial"), "{\"ta").unwrap();
        OutputFile::open(&folder.path().join("table.json")).unwrap().finish("text").unwrap();
        assert_eq!(names(folder.path()), ["table.json"]);
    }

    #[test]
    fn wrong_paths_are_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("no/such/table.json")] {
            let error = OutputFile::open(&path).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }

    /// Defect N3: a file belonging to the user was emptied and removed.
    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.json");
        fs::write(folder.path().join("table.json.partial"), "mine").unwrap();
        OutputFile::open(&path).unwrap().finish("text").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("table.json.partial")).unwrap(), "mine");
        assert_eq!(names(folder.path()), ["table.json", "table.json.partial"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

        use super::*;

        /// Defect N3: a link was replaced by a file, and the file it pointed to was not updated.
        #[test]
        fn links_stay_and_what_they_lead_to_is_written() {
            let folder = tempfile::tempdir().unwrap();
            let [link, target] = ["link.json", "target.json"].map(|name| folder.path().join(name));
            symlink("target.json", &link).unwrap();
            for content in ["made", "replaced"] {
                OutputFile::open(&link).unwrap().finish(content).unwrap();
                assert!(link.symlink_metadata().unwrap().is_symlink());
                assert_eq!(fs::read_to_string(&target).unwrap(), content);
            }
            write(&link, "again").unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "again");
            assert_eq!(names(folder.path()), ["link.json", "target.json"]);
        }

        /// Defect N3: a FIFO and a device were replaced by regular files.
        #[test]
        fn fifos_and_devices_are_written_through() {
            let folder = tempfile::tempdir().unwrap();
            let fifo = folder.path().join("fifo");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &fifo,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::from_raw_mode(0o600),
                0,
            )
            .unwrap();
            let reader = std::thread::spawn({
                let fifo = fifo.clone();
                move || fs::read_to_string(fifo).unwrap()
            });
            OutputFile::open(&fifo).unwrap().finish("text").unwrap();
            assert_eq!(reader.join().unwrap(), "text");
            assert!(fifo.metadata().unwrap().file_type().is_fifo());
            OutputFile::open(Path::new("/dev/null")).unwrap().finish("text").unwrap();
            assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        }

        #[test]
        fn permissions_are_those_of_the_file_before_or_the_owners() {
            let folder = tempfile::tempdir().unwrap();
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            let path = folder.path().join("table.json");
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            write(&path, "text").unwrap();
            assert_eq!(mode(&path), 0o640);
            write_private(&path, "text").unwrap();
            assert_eq!(mode(&path), 0o600);
            let fresh = folder.path().join("fresh.json");
            write(&fresh, "text").unwrap();
            fs::write(folder.path().join("usual"), "").unwrap();
            assert_eq!(mode(&fresh), mode(&folder.path().join("usual")));
        }
    }
}
