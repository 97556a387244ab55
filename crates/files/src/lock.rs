//! A lock for folders to which only one command at a time may write: stores, training runs, game folders.
//!
//! # Order of the operations
//!
//! ```text
//! take     open or create -> lock -> is the locked file still the one of this name? -> write the process ID
//! release  remove the name -> unlock; of a run that can be resumed only unlock
//! ```
//!
//! The lock belongs to the file, not to its name, and a waiting process may have opened a file whose name has been removed since.
//! Hence the question after locking: if the name leads elsewhere, this lock excludes nobody, and the process begins again.
//!
//! Unlocking before removing would let a second process lock the file in between; the removal would then take away the name of a
//! lock that is held, a third process would create a new file under it, and two would hold "the" lock.
//!
//! The lock file stands next to the folder because the folder may not exist yet, and may be renamed or removed by the command that holds
//! the lock. The process ID is for messages only: a number proves nothing, since another process may have it by now.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{OutputError, path::resolve, run};

/// Pause between two attempts at a lock that another process holds.
const PAUSE: Duration = Duration::from_millis(20);

/// Time after which a lock counts as held. Chosen: far longer than [`FolderLock::is_held`] disturbs the lock of a killed process.
const GLANCE: Duration = Duration::from_millis(100);

/// Number of digits of a process ID, with room to spare.
const LONGEST_CONTENT: u64 = 20;

/// An exclusive lock on a folder, held by this process until dropped.
///
/// It is an advisory lock of the operating system on the file `.NAME.lock` next to the folder, after all names and links have
/// been resolved. It ends with the process, even if the process is killed, so a stale lock file has no effect.
///
/// The file is removed when the lock is dropped, except that of a run that can be resumed: without it, a run that was just stopped
/// looks like one that another machine is training ([`FolderLock::is_held`]).
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    path: PathBuf,
    /// The folder, without links.
    folder: PathBuf,
}

impl FolderLock {
    /// Locks a folder, which need not exist.
    ///
    /// # Errors
    /// [`OutputError::Locked`] if another process holds the lock, [`OutputError::ForeignLock`] if something else has the
    /// name of the lock file, [`OutputError::Io`] if the lock file cannot be created.
    pub fn take(folder: &Path) -> Result<Self, OutputError> {
        Self::wait(folder, GLANCE)
    }

    /// Locks a folder as [`FolderLock::take`] does, but waits this long for a process that holds the lock. For work of a moment
    /// that nobody repeats if it is refused.
    ///
    /// # Errors
    /// The errors of [`FolderLock::take`].
    pub fn wait(folder: &Path, patience: Duration) -> Result<Self, OutputError> {
        let start = Instant::now();
        loop {
            match Self::attempt(folder) {
                Err(OutputError::Locked { .. }) if start.elapsed() < patience => thread::sleep(PAUSE),
                taken => return taken,
            }
        }
    }

    /// True if a process holds the lock of a folder, false if the last one that held it has stopped or was killed. `None` if neither is
    /// known, because there is no lock file: the last holder reached its end, or worked on another machine. Only for display: to write,
    /// take the lock.
    pub fn is_held(folder: &Path) -> Option<bool> {
        // Opened for reading: nothing is created, and the process ID stays.
        let file = File::open(lock_file(&resolve(folder).ok()?).ok()?).ok()?;
        // Shared, so that several may look at the same time.
        Some(matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    fn attempt(folder: &Path) -> Result<Self, OutputError> {
        let resolved = resolve(folder)?;
        let path = lock_file(&resolved)?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(OutputError::io("make the folder", parent))?;
        }
        loop {
            let mut file = open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(OutputError::Locked { folder: folder.into(), holder: holder(&mut file) });
                }
                Err(TryLockError::Error(error)) => return Err(OutputError::io("lock", &path)(error)),
            }
            // A holder that ended between open and lock has removed the file: lock the current one instead.
            if crate::system::is_at(&file, &path) {
                // From here on the file is removed on drop, even if a full disk refuses the process ID.
                let mut lock = Self { file, path, folder: resolved };
                lock.sign().map_err(OutputError::io("write", &lock.path))?;
                return Ok(lock);
            }
        }
    }

    /// Writes the ID of the process that holds the lock.
    fn sign(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        write!(self.file, "{}", std::process::id())
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if can_be_resumed(&self.folder) {
            // Empty, so that nobody takes a number that another process may have by now for the holder.
            let _ = self.file.set_len(0);
        } else {
            // The file is removed while still locked; one that cannot be removed is harmless.
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// True for a run that has begun and has no outcome.
fn can_be_resumed(folder: &Path) -> bool {
    folder.join(run::LOG).exists() && !folder.join(run::SUMMARY).exists()
}

/// The lock file of a folder whose path has no links.
fn lock_file(resolved: &Path) -> Result<PathBuf, OutputError> {
    let Some(name) = resolved.file_name() else {
        return Err(OutputError::Nameless { path: resolved.into() });
    };
    let mut lock = OsString::from(".");
    lock.push(name);
    lock.push(".lock");
    Ok(resolved.with_file_name(lock))
}

/// Opens or creates the lock file, but refuses files that could belong to somebody else.
fn open(path: &Path) -> Result<File, OutputError> {
    if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
        return Err(OutputError::ForeignLock { path: path.into(), found: "a symbolic link" });
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // A link created since then is an I/O error, and not followed.
    crate::system::refuse_links(&mut options);
    let mut file = options.open(path).map_err(OutputError::io("open the lock file", path))?;
    let data = file.metadata().map_err(OutputError::io("read", path))?;
    if !data.is_file() {
        return Err(OutputError::ForeignLock { path: path.into(), found: "no regular file" });
    }
    let mut content = Vec::new();
    if data.len() > LONGEST_CONTENT
        || file.read_to_end(&mut content).is_err()
        || !content.iter().all(u8::is_ascii_digit)
    {
        let found = "a file that holds no process number";
        return Err(OutputError::ForeignLock { path: path.into(), found });
    }
    Ok(file)
}

/// The process that holds the lock, from the content of the file.
fn holder(file: &mut File) -> String {
    let mut process = String::new();
    match file.rewind().and_then(|()| file.read_to_string(&mut process)) {
        Ok(_) if !process.is_empty() => format!("process {process}"),
        _ => "of unknown number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        let lock = FolderLock::take(&store).unwrap();
        let refused = FolderLock::take(&store).unwrap_err().to_string();
        assert!(
            refused.contains("games.store") && refused.contains(&std::process::id().to_string()),
            "{refused}"
        );
        FolderLock::take(&folder.path().join("other.store")).unwrap();
        drop(lock);
        FolderLock::take(&store).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_lock_that_is_released_in_time_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        let lock = FolderLock::take(&store).unwrap();
        let refused = FolderLock::wait(&store, Duration::ZERO);
        assert!(matches!(refused, Err(OutputError::Locked { .. })), "{refused:?}");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| FolderLock::wait(&store, Duration::from_mins(10)));
            drop(lock);
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_lock_is_seen_while_it_is_held_and_not_disturbed() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        assert_eq!(FolderLock::is_held(&store), None);
        let lock = FolderLock::take(&store).unwrap();
        assert_eq!([(); 2].map(|()| FolderLock::is_held(&store)), [Some(true); 2]);
        drop(lock);
        assert_eq!(FolderLock::is_held(&store), None);
        fs::write(folder.path().join(".games.store.lock"), "999999").unwrap();
        assert_eq!(FolderLock::is_held(&store), Some(false), "left behind by a killed process");
        FolderLock::take(&store).unwrap();
    }

    #[test]
    fn a_run_that_was_stopped_keeps_its_lock_file_until_it_has_an_outcome() {
        let folder = tempfile::tempdir().unwrap();
        let toy = folder.path().join("toy");
        let lock = FolderLock::take(&toy).unwrap();
        fs::create_dir(&toy).unwrap();
        fs::write(toy.join(run::LOG), "").unwrap();
        drop(lock);
        assert_eq!(FolderLock::is_held(&toy), Some(false));
        assert_eq!(fs::read(folder.path().join(".toy.lock")).unwrap(), b"");
        let lock = FolderLock::take(&toy).unwrap();
        assert_eq!(FolderLock::is_held(&toy), Some(true));
        fs::write(toy.join(run::SUMMARY), "{}").unwrap();
        drop(lock);
        assert_eq!(FolderLock::is_held(&toy), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_left_behind_by_a_killed_process_means_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        fs::write(folder.path().join(".games.store.lock"), "999999").unwrap();
        FolderLock::take(&store).unwrap();
    }

    #[test]
    fn a_path_without_a_name_is_refused() {
        assert!(FolderLock::take(Path::new("/")).is_err());
    }

    /// Defect N2: a symbolic link to the folder had its own lock, and two matches wrote to one journal.
    #[cfg(unix)]
    #[test]
    fn a_folder_has_one_lock_under_all_its_names() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("m");
        std::os::unix::fs::symlink("m", place.path().join("link")).unwrap();
        for _ in 0..2 {
            let lock = FolderLock::take(&folder).unwrap();
            for name in ["link", "link/", "./m", "link/../m"] {
                let refused = FolderLock::take(&place.path().join(name));
                assert!(matches!(refused, Err(OutputError::Locked { .. })), "{name}: {refused:?}");
            }
            drop(lock);
            fs::create_dir_all(&folder).unwrap();
        }
    }

    /// Defect N13: the file behind a link was overwritten with the process ID.
    #[cfg(unix)]
    #[test]
    fn files_of_others_under_the_name_of_the_lock_are_refused_and_left() {
        let place = tempfile::tempdir().unwrap();
        let [store, lock, precious] = ["s", ".s.lock", "precious.txt"].map(|name| place.path().join(name));
        fs::write(&precious, "precious").unwrap();
        for link in [std::os::unix::fs::symlink, fs::hard_link] {
            link(&precious, &lock).unwrap();
            let refused = FolderLock::take(&store);
            assert!(matches!(refused, Err(OutputError::ForeignLock { .. })), "{refused:?}");
            assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
            fs::remove_file(&lock).unwrap();
        }
    }
}
