//! A file system in memory in place of a round's folder.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::repository;

/// Room for any work, and small enough to be filled at once.
const BYTES: u64 = 24 << 20;

/// Fails if this machine does not allow it: `mount` needs Linux and root.
pub(crate) fn available() -> Result<()> {
    let folder = repository::root().join("target/torture-mount");
    std::fs::create_dir_all(&folder)?;
    let tried = mount(&folder);
    if tried.is_ok() {
        unmount(&folder)?;
    }
    std::fs::remove_dir(&folder)?;
    tried
}

/// Maximum number of bytes that may be left free: as many as the work takes without faults.
pub(crate) fn room(bytes: u64) -> u64 {
    bytes.clamp(4096, BYTES / 2)
}

pub(crate) fn forbid_writing(folder: &Path) -> Result<()> {
    call(Command::new("mount").args(["-o", "remount,ro"]).arg(folder))
}

pub(crate) fn allow_writing(folder: &Path) -> Result<()> {
    call(Command::new("mount").args(["-o", "remount,rw"]).arg(folder))
}

pub(crate) fn unmount(folder: &Path) -> Result<()> {
    call(Command::new("umount").arg(folder))
}

pub(crate) fn mount(folder: &Path) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("it needs Linux");
    }
    let size = format!("size={BYTES}");
    call(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder))
}

fn call(command: &mut Command) -> Result<()> {
    let output = command.output().context("cannot start mount")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
