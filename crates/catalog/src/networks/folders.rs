//! Folders of the catalog.

use std::path::PathBuf;

/// The folders in which networks are looked for.
#[derive(Clone, Debug)]
pub struct CatalogFolders {
    /// Training runs, each with its `network.tabiya`.
    pub runs: PathBuf,
    /// Other weights files, in our format or lc0's.
    pub nets: PathBuf,
}
