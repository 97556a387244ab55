//! The mark of a run that has ended by itself: without it, lists and the page say that the run was stopped.

use std::{fs, path::Path};

use files::{OutputError, OutputFile, if_there, run::SUMMARY};

/// Marks the run in a folder as finished.
///
/// # Errors
/// [`OutputError`] if the mark cannot be written.
pub fn finish(folder: &Path) -> Result<(), OutputError> {
    OutputFile::open(&folder.join(SUMMARY))?.finish("{\n  \"ending\": \"finished\"\n}\n")
}

/// Removes the mark, because the run continues.
///
/// # Errors
/// [`OutputError`] if the mark cannot be removed.
pub fn go_on(folder: &Path) -> Result<(), OutputError> {
    let mark = folder.join(SUMMARY);
    if_there(fs::remove_file(&mark)).map_err(OutputError::io("remove", &mark))?;
    Ok(())
}
