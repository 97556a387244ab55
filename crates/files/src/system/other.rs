//! Windows, using what the standard library offers everywhere.

#![expect(clippy::unnecessary_wraps, reason = "other systems can fail where this one does nothing")]

use std::{
    fs::{File, OpenOptions, Permissions},
    io,
    path::Path,
    process::{Child, Command},
};

/// On Windows, an open file cannot be removed or replaced.
pub(super) fn is_at(_: &File, _: &Path) -> bool {
    true
}

pub(super) fn is_same_file(first: &Path, second: &Path) -> bool {
    let (Ok(first), Ok(second)) = (first.canonicalize(), second.canonicalize()) else { return false };
    first == second
}

pub(super) fn refuse_links(_: &mut OpenOptions) {}

pub(super) fn new_file_permissions(_: bool) -> Option<Permissions> {
    None
}

pub(super) fn open_permissions(path: &Path) -> io::Result<Option<u32>> {
    path.metadata().map(|_| None)
}

pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn end(_: &Child) -> io::Result<()> {
    Ok(())
}

#[cfg(windows)]
pub(super) fn shield_from_ctrl_c(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    /// `CREATE_NEW_PROCESS_GROUP` of the Win32 function `CreateProcess`.
    const NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(NEW_PROCESS_GROUP);
}

#[cfg(not(windows))]
pub(super) fn shield_from_ctrl_c(_: &mut Command) {}
