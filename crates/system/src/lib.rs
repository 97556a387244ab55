//! Operations that Linux, macOS and Windows do differently: identity and permissions of files, the ends of child processes, and what
//! the machine tells of itself.
//!
//! Everything else in the program uses the standard library alone. Load, memory and processor time, which only Linux tells in a file
//! (`/proc`), are missing elsewhere; what needs unsafe code, AMX tiles and large pages, is in `kernels`.
//! This file is the facade over one file for each system, so each operation is documented once; each is one request to the system, so there is
//! no example.

#[cfg(not(unix))]
mod other;
mod process;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other as this;
#[cfg(unix)]
use unix as this;

pub use process::{CLOCK_TICKS, peak_memory, processor_seconds, resident_memory};

use std::{
    fs::{File, OpenOptions, Permissions},
    io,
    path::Path,
    process::{Child, Command},
};

/// True if the open file is the one that has this name now: another process may have removed or replaced it.
pub fn is_at(file: &File, path: &Path) -> bool {
    this::is_at(file, path)
}

/// True if two paths lead to one file, through symbolic or hard links; false if one of them does not exist. On Windows hard
/// links are two files.
pub fn is_same_file(first: &Path, second: &Path) -> bool {
    this::is_same_file(first, second)
}

/// Makes opening a symbolic link an error. On Windows, where making one takes a privilege, it is followed.
pub fn refuse_links(options: &mut OpenOptions) {
    this::refuse_links(options);
}

/// The permissions of a new file, from which the umask takes its share: those of the owner alone, or of everybody. None on Windows,
/// where a file has those of its folder.
pub fn new_file_permissions(only_owner: bool) -> Option<Permissions> {
    this::new_file_permissions(only_owner)
}

/// The permission bits of a file that others than its owner may read or write; none where only the owner may. On Windows a file in
/// the user's profile is taken to be the user's alone.
///
/// # Errors
/// The file cannot be looked at.
pub fn open_permissions(path: &Path) -> io::Result<Option<u32>> {
    this::open_permissions(path)
}

/// The processor's name, where the system tells it in a file, as Linux does for most; elsewhere its architecture has to suffice.
pub fn processor_name() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = information.lines().find(|line| line.starts_with("model name"));
    let told = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    told.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// Processes that ran or waited to, on average over the last minute, where the system tells it in a file: on Linux.
pub fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The machine's name in its network, where the system tells it: in a file on Linux, in the environment of a shell elsewhere.
pub fn host_name() -> Option<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok()));
    told.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Makes the renaming of files in a folder durable. On Windows, where a folder cannot be opened as a file, the file system does so.
///
/// # Errors
/// The system cannot write the folder.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    this::sync_folder(folder)
}

/// Tells a command that has not been waited for to end, as `kill` does. On Windows a console tells all its programs of Ctrl-C.
///
/// # Errors
/// The process cannot be told.
pub fn end(child: &Child) -> io::Result<()> {
    this::end(child)
}

/// Keeps Ctrl-C in a terminal, which goes to a whole group of processes, from a command that is about to start.
pub fn shield_from_ctrl_c(command: &mut Command) {
    this::shield_from_ctrl_c(command);
}

#[cfg(test)]
mod tests;
