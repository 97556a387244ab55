//! Where a command makes a store: in a folder or in a bucket.

use std::path::Path;

use anyhow::Context as _;
use dataset::{storage::is_url, store};

use crate::folder_lock::FolderLock;

/// Has `make` make a store at `output`, a folder that nobody else writes to meanwhile. A store for a bucket is made in a folder for
/// temporary files and then copied; where `make` left none, after Ctrl-C, none is copied.
///
/// # Errors
/// Those of `make`, and where the place is taken or refuses to be written.
pub(crate) fn make_store<T>(
    output: &Path,
    make: impl FnOnce(&Path) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let Some(address) = output.to_str().filter(|address| is_url(address)) else {
        let _lock = FolderLock::take(output)?;
        return make(output);
    };
    store::expect_vacant(address)?;
    let folder = tempfile::tempdir().context("cannot make a folder for temporary files")?;
    let output = folder.path().join("store");
    let made = make(&output)?;
    if output.exists() {
        store::publish(&output, address, |_| {})?;
    }
    Ok(made)
}
