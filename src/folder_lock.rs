//! A lock for folders that only one command at a time may write to: stores, training runs, game folders.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

/// An exclusive lock on a folder, held by this process until dropped.
///
/// An advisory lock of the operating system on the file `.NAME.lock` beside the folder. It ends with the process, even if
/// killed, so a stale lock file has no effect.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
    path: PathBuf,
}

impl FolderLock {
    /// Locks a folder, which need not exist.
    ///
    /// # Errors
    /// When another process holds the lock (the message names the process), or the lock file cannot be made.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = lock_file(folder)?;
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent)
                .with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .with_context(|| format!("cannot open the lock file {}", path.display()))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => bail!(
                    "{} is being written by another process ({}); wait for it to end, or name another folder",
                    folder.display(),
                    holder(&mut file)
                ),
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("cannot lock {}", path.display()));
                }
            }
            // A holder that ended between open and lock has removed the file: lock the present one.
            if is_same_file(&file, &path) {
                file.set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| write!(file, "{}", std::process::id()))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                return Ok(Self { file, path });
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Removed while still locked; a file that cannot be removed is harmless.
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

fn lock_file(folder: &Path) -> Result<PathBuf> {
    let absolute =
        std::path::absolute(folder).with_context(|| format!("cannot use the path {}", folder.display()))?;
    let Some(name) = absolute.file_name() else {
        bail!("found the path {}, expected one that ends with a name", folder.display());
    };
    let mut lock = std::ffi::OsString::from(".");
    lock.push(name);
    lock.push(".lock");
    Ok(absolute.with_file_name(lock))
}

/// The process that holds the lock, from the content of the file.
fn holder(file: &mut File) -> String {
    let mut process = String::new();
    match file.read_to_string(&mut process) {
        Ok(_) if !process.trim().is_empty() => format!("process {}", process.trim()),
        _ => "of unknown number".to_owned(),
    }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(held), Ok(named)) = (file.metadata(), path.metadata()) else { return false };
    (held.dev(), held.ino()) == (named.dev(), named.ino())
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        let lock = FolderLock::take(&store).unwrap();
        let refused = format!("{:#}", FolderLock::take(&store).unwrap_err());
        assert!(
            refused.contains("games.store") && refused.contains(&std::process::id().to_string()),
            "{refused}"
        );
        FolderLock::take(&folder.path().join("other.store")).unwrap();
        drop(lock);
        FolderLock::take(&store).unwrap();
    }

    #[test]
    fn a_file_left_behind_by_a_killed_process_means_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.store");
        std::fs::write(folder.path().join(".games.store.lock"), "999999").unwrap();
        FolderLock::take(&store).unwrap();
    }

    #[test]
    fn a_path_without_a_name_is_refused() {
        assert!(FolderLock::take(Path::new("/")).is_err());
    }
}
