//! Reads files written by people or other commands, in bounded memory.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The largest network, checkpoint or object of a store that is read whole, in bytes: 1 GiB. Chosen: the largest convolutional
/// network of lc0 takes 160 MB, a checkpoint of it four times as much.
pub const LARGEST_FILE: u64 = 1 << 30;

/// The largest text that is read, in bytes. Far larger than any recipe, table or log; a file beyond it, such as an endless
/// device, is refused.
const LARGEST_TEXT: u64 = 1 << 28;

/// The text of a file of at most 256 MiB.
///
/// # Errors
/// The errors of [`read_at_most`]; [`io::ErrorKind::InvalidData`] for text that is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_at_most(path, LARGEST_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// The bytes of a file that may have at most `most` bytes.
///
/// # Errors
/// The errors of reading; [`io::ErrorKind::FileTooLarge`] for a longer file.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let problem = format!("found more than {most} bytes, the most that are read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_whole_and_other_bytes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recipe.toml");
        std::fs::write(&path, "steps = 1\n").unwrap();
        assert_eq!(read_text(&path).unwrap(), "steps = 1\n");
        assert_eq!(read_at_most(&path, 10).unwrap(), b"steps = 1\n");
        assert_eq!(read_at_most(&path, 9).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read_text(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
