//! Operations that differ between Linux, macOS and Windows: identity and permissions of files, ending child processes, and
//! information about the machine.
//!
//! Everything else in the program uses only the standard library. Load, memory and processor time, which only Linux reports in
//! a file (`/proc`), are missing elsewhere. AMX tiles and large pages, which need unsafe code, are in `kernels`. This file is
//! the facade over one file for each system, so each operation is documented once. Each operation is a single request to the
//! system, so there is no example.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other as this;
#[cfg(unix)]
use unix as this;

use std::{
    fs::{File, OpenOptions, Permissions},
    io,
    path::Path,
    process::{Child, Command},
};

/// Clock ticks per second of CPU times: 100 on every Linux (`USER_HZ`, man proc_pid_stat).
pub const CLOCK_TICKS: f64 = 100.0;

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
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// The average number of processes that ran or waited to run over the last minute, if the system reports it in a file,
/// as Linux does.
pub fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The machine's host name, if the system reports it: in a file on Linux, in a shell's environment elsewhere.
pub fn host_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|key| std::env::var(key).ok()));
    name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// CPU time used by all threads, in seconds.
pub fn processor_seconds() -> Option<f64> {
    seconds(0)
}

/// CPU time of the child processes that have ended and been waited for, in seconds.
pub fn processor_seconds_of_children() -> Option<f64> {
    seconds(2)
}

/// User and system time; `after` is the distance of the first from that of the process itself, in fields.
fn seconds(after: usize) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain anything. The state after it is field 3; user and system time are fields 14
    // and 15, those of the children fields 16 and 17.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11 + after);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / CLOCK_TICKS)
}

/// Peak resident memory of the process, in bytes.
pub fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// Current resident memory of the process, in bytes.
pub fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
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
