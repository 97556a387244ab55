//! Folders of the catalog.

use std::path::PathBuf;

/// The folders searched for networks.
#[derive(Clone, Debug)]
pub struct CatalogFolders {
    /// Training runs, each with its `network.tabiya`.
    pub runs: PathBuf,
    /// Other weights files, in Tabiya's or lc0's format.
    pub nets: PathBuf,
}
