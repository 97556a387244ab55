//! The directory in which a store grows before it gets its name.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    DatasetError,
    storage::is_url,
    store::{manifest::Manifest, writer::SplitWriter},
};

/// `OUT.partial`, removed unless published.
pub(crate) struct Workplace {
    partial: PathBuf,
    output: PathBuf,
}

impl Workplace {
    /// Creates the directory, replacing what an earlier build left there when it was killed.
    pub(crate) fn create(output: &Path) -> Result<Self, DatasetError> {
        if output.to_str().is_some_and(is_url) {
            let expected = "a folder; `tabiya data publish` copies a store into a bucket";
            return Err(DatasetError::setting("output", output.display().to_string(), expected));
        }
        if output.symlink_metadata().is_ok() {
            return Err(DatasetError::Exists { path: output.into() });
        }
        let Some(name) = output.file_name() else {
            let expected = "a path that ends with a name";
            return Err(DatasetError::setting("output", output.display().to_string(), expected));
        };
        let mut name = name.to_os_string();
        name.push(".partial");
        let partial = output.with_file_name(name);
        if partial.exists() {
            remove_leftover(&partial)?;
        }
        fs::create_dir_all(&partial).map_err(DatasetError::io("create", &partial))?;
        Ok(Self { partial, output: output.into() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.partial
    }

    /// A writer of files of this name for samples with `history` positions each, their own included.
    pub(crate) fn writer(&self, name: &'static str, history: usize) -> Result<SplitWriter, DatasetError> {
        SplitWriter::new(&self.partial, name, history > 1)
    }

    /// Writes the manifest and renames the directory to the output.
    //
    // A folder is a store if it has a manifest. So the manifest comes after the data files, which their writers have synced, and is synced
    // itself before the renaming: a store that is found under the name of the output, after a kill too, is whole.
    pub(crate) fn publish(self, manifest: &Manifest) -> Result<(), DatasetError> {
        let path = self.partial.join(files::run::MANIFEST);
        write_manifest(&path, manifest).map_err(DatasetError::io("write", &path))?;
        fs::rename(&self.partial, &self.output).map_err(DatasetError::io("create", &self.output))
    }
}

fn write_manifest(path: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(manifest).map_err(io::Error::other)?;
    text.push('\n');
    let mut file = fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // After publishing there is nothing left under this name; if removing fails, the next build reports it.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

/// Removes the directory of an earlier build, and nothing else.
fn remove_leftover(partial: &Path) -> Result<(), DatasetError> {
    let entries = fs::read_dir(partial).map_err(DatasetError::io("read", partial))?;
    for entry in entries {
        let name = entry.map_err(DatasetError::io("read", partial))?.file_name();
        let name = name.to_string_lossy();
        let ours = name == files::run::MANIFEST
            || (["train-", "validation-", "held-out-"].iter().any(|split| name.starts_with(split))
                && name.ends_with(".parquet"));
        if !ours {
            return Err(DatasetError::Exists { path: partial.join(name.as_ref()) });
        }
    }
    fs::remove_dir_all(partial).map_err(DatasetError::io("remove", partial))
}
