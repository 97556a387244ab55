//! Operations that differ between Linux, macOS and Windows: identity and permissions of files, ending child processes, and
//! information about the machine.
//!
//! Everything else in the program uses only the standard library. Load, memory and processor time, which only Linux reports in
//! a file (`/proc`), are missing elsewhere. AMX tiles and large pages, which need unsafe code, are in `kernels`. This file is
//! the facade over one file for each system, so each operation is documented once. Each operation is a single request to the
//! system, so there is no example.

#[cfg(not(unix))]
mod other;
mod process;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other as this;
#[cfg(unix)]
use unix as this;

pub use process::{
    CLOCK_TICKS, peak_memory, processor_seconds, processor_seconds_of_children, resident_memory,
};

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

/// True if two paths lead to the same file, through symbolic or hard links; false if one of them does not exist. On
/// Windows, hard links count as two files.
pub fn is_same_file(first: &Path, second: &Path) -> bool {
    this::is_same_file(first, second)
}

/// Makes opening a symbolic link an error. On Windows, where creating one requires a privilege, links are followed.
pub fn refuse_links(options: &mut OpenOptions) {
    this::refuse_links(options);
}

/// The permissions of a new file before the umask is applied: for the owner only, or for everybody. `None` on Windows, where a
/// file inherits those of its folder.
pub fn new_file_permissions(only_owner: bool) -> Option<Permissions> {
    this::new_file_permissions(only_owner)
}

/// The permission bits of a file if users other than its owner have any access; `None` if only the owner has. On Windows, a
/// file in the user's profile is assumed to be accessible only to the user.
///
/// # Errors
/// If the metadata of the file cannot be read.
pub fn open_permissions(path: &Path) -> io::Result<Option<u32>> {
    this::open_permissions(path)
}

/// The processor's name if the system reports it in a file, as Linux does for most processors; otherwise its architecture.
pub fn processor_name() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = information.lines().find(|line| line.starts_with("model name"));
    let told = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    told.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// The average number of processes that ran or waited to run over the last minute, if the system reports it in a file,
/// as Linux does.
pub fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The machine's host name, if the system reports it: in a file on Linux, in a shell's environment elsewhere.
pub fn host_name() -> Option<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok()));
    told.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Makes the renaming of files in a folder durable. On Windows, where a folder cannot be opened as a file, the file system does
/// this.
///
/// # Errors
/// If the system cannot sync the folder.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    this::sync_folder(folder)
}

/// Asks a running command, which has not been waited for, to end, as `kill` does. On Windows, a console sends Ctrl-C to all
/// its programs.
///
/// # Errors
/// If the process cannot be signalled.
pub fn end(child: &Child) -> io::Result<()> {
    this::end(child)
}

/// Keeps Ctrl-C in a terminal, which goes to a whole process group, from reaching a command that is about to start.
pub fn shield_from_ctrl_c(command: &mut Command) {
    this::shield_from_ctrl_c(command);
}

#[cfg(test)]
mod tests;
