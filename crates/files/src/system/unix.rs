//! Linux and macOS.

use std::{
    fs::{File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::{
        fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::{Child, Command},
};

use rustix::{
    fs::OFlags,
    process::{Pid, Signal, kill_process},
};

/// Device and inode number, which no two files share.
fn number(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}

pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(held), Ok(named)) = (file.metadata(), path.symlink_metadata()) else { return false };
    number(&held) == number(&named)
}

pub(super) fn is_same_file(first: &Path, second: &Path) -> bool {
    let (Ok(first), Ok(second)) = (first.metadata(), second.metadata()) else { return false };
    number(&first) == number(&second)
}

pub(super) fn refuse_links(options: &mut OpenOptions) {
    options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
}

#[expect(clippy::unnecessary_wraps, reason = "not every system has them")]
pub(super) fn new_file_permissions(only_owner: bool) -> Option<Permissions> {
    Some(Permissions::from_mode(if only_owner { 0o600 } else { 0o666 }))
}

pub(super) fn open_permissions(path: &Path) -> io::Result<Option<u32>> {
    let mode = path.metadata()?.permissions().mode() & 0o777;
    // The bits for group and others are the last six.
    Ok((mode & 0o077 != 0).then_some(mode))
}

pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        // A folder that may be written but not read, such as a drop box.
        Err(_) => Ok(()),
    }
}

pub(super) fn end(child: &Child) -> io::Result<()> {
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

pub(super) fn shield_from_ctrl_c(command: &mut Command) {
    command.process_group(0);
}
