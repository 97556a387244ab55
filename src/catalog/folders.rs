//! Where the catalog finds networks.

use std::path::PathBuf;

/// The folders in which networks are looked for.
#[derive(Clone, Debug)]
pub(crate) struct CatalogFolders {
    /// Training runs, each with its `network.tabiya`.
    pub(crate) runs: PathBuf,
    /// Other weights files, in our format or lc0's.
    pub(crate) nets: PathBuf,
}
