//! Named matrices with a text header in one safetensors file: the container of weights files and checkpoints.

mod rounded;

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::Read as _,
    path::Path,
};

use files::LARGEST_FILE;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::NetworkError;

pub use rounded::{FINEST, WeightQuantisation};

/// Version of both formats, incremented whenever an old reader would misread a new file.
const VERSION: &str = "1";

/// One matrix in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Its name, unique in the file.
    pub name: String,
    /// Number of rows and of columns.
    pub shape: [usize; 2],
    /// `[rows, columns]`, flat.
    pub values: Vec<f32>,
}

/// The content of a file: header texts and named matrices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    /// Keys and values of the header, without `format` and `version`.
    pub header: HashMap<String, String>,
    /// The matrices, in the order of the file.
    pub matrices: Vec<Matrix>,
}

impl Container {
    /// The file's bytes. `format` is the type of the file, such as `tabiya-network`.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if values do not fill their shape.
    pub fn to_bytes(&self, format: &str) -> Result<Vec<u8>, NetworkError> {
        self.to_rounded_bytes(format, |_| None)
    }

    /// The file's bytes, with some matrices stored in eight bits; `quantisation` selects them by name.
    ///
    /// # Errors
    /// As [`Container::to_bytes`]; [`NetworkError::Format`] if a value to be rounded is not finite.
    pub fn to_rounded_bytes(
        &self,
        format: &str,
        quantisation: impl Fn(&str) -> Option<WeightQuantisation>,
    ) -> Result<Vec<u8>, NetworkError> {
        let mut header = self.header.clone();
        header.insert("format".into(), format.into());
        header.insert("version".into(), VERSION.into());
        let mut tensors = Vec::new();
        for matrix in &self.matrices {
            let Some(quantisation) = quantisation(&matrix.name) else {
                tensors.push(Tensor::floats(matrix.name.clone(), matrix.shape, &matrix.values));
                continue;
            };
            if let Some(value) = matrix.values.iter().find(|value| !value.is_finite()) {
                let (what, expected) = (format!("matrix `{}`", matrix.name), "finite numbers".into());
                let (place, found) = ("bytes".into(), value.to_string());
                return Err(NetworkError::Format { place, what, found, expected });
            }
            let (integers, steps) = rounded::round(matrix, quantisation);
            tensors.push(Tensor::floats(format!("{}{STEP}", matrix.name), [steps.len(), 1], &steps));
            let (name, shape) = (matrix.name.clone(), matrix.shape);
            tensors.push(Tensor { name, kind: Dtype::I8, shape, bytes: integers });
        }
        let unwritable = |error: safetensors::SafeTensorError| NetworkError::Format {
            place: "bytes".into(),
            what: "safetensors".into(),
            found: error.to_string(),
            expected: "matrices whose values fill their shapes".into(),
        };
        let views = tensors
            .iter()
            .map(|Tensor { name, kind, shape, bytes }| {
                Ok((name.as_str(), TensorView::new(*kind, shape.to_vec(), bytes).map_err(unwritable)?))
            })
            .collect::<Result<Vec<_>, NetworkError>>()?;
        let mut bytes = safetensors::serialize(views, Some(header)).map_err(unwritable)?;
        sort_header(&mut bytes).map_err(|error| NetworkError::Syntax {
            place: "safetensors header".into(),
            reason: error.to_string(),
        })?;
        Ok(bytes)
    }

    /// Reads a file of this type. Memory use is bounded for any file.
    ///
    /// # Errors
    /// [`NetworkError::Output`], and those of [`Container::from_bytes`].
    pub fn open(path: &Path, format: &str) -> Result<Self, NetworkError> {
        Self::from_bytes(&read(path, format, is_container)?, &path.display().to_string(), format)
    }

    /// Reads a file's bytes; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if the bytes are not such a file, or for another file type or version.
    pub fn from_bytes(bytes: &[u8], place: &str, format: &str) -> Result<Self, NetworkError> {
        let wrong = |what: &str, found: String, expected: String| NetworkError::Format {
            place: place.into(),
            what: what.into(),
            found,
            expected,
        };
        let broken = |error: safetensors::SafeTensorError| {
            let found = format!("{} bytes ({error})", bytes.len());
            wrong("safetensors", found, format!("a complete {format} file"))
        };
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let mut header = metadata.metadata().clone().unwrap_or_default();
        let found = header.remove("format").unwrap_or_else(|| "no format key".into());
        if found != format {
            return Err(wrong("header key `format`", found, format.into()));
        }
        let found = header.remove("version").unwrap_or_else(|| "no version key".into());
        if found != VERSION {
            return Err(wrong("header key `version`", found, VERSION.into()));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let mut matrices = Vec::new();
        for (name, view) in tensors.iter().filter(|(name, _)| !is_step(&tensors, name)) {
            let what = format!("tensor `{name}`");
            let &[rows, columns] = view.shape() else {
                return Err(wrong(&what, format!("{:?}", view.shape()), "a matrix".into()));
            };
            let values = match view.dtype() {
                Dtype::F32 => floats(view.data()),
                Dtype::I8 => {
                    let steps = tensors.tensor(&format!("{name}{STEP}")).ok().filter(|steps| {
                        let one_each = [[1, 1], [rows, 1]].iter().any(|shape| steps.shape() == shape);
                        steps.dtype() == Dtype::F32 && one_each
                    });
                    let steps = steps.map(|steps| floats(steps.data()));
                    let steps =
                        steps.filter(|steps| steps.iter().all(|step| step.is_finite() && *step > 0.0));
                    let expected =
                        || format!("a tensor `{name}{STEP}` of one F32 above 0, or one for each row");
                    let steps = steps.ok_or_else(|| wrong(&what, "I8 without steps".into(), expected()))?;
                    rounded::restore(view.data(), columns, &steps)
                }
                other => return Err(wrong(&what, format!("{other:?}"), "F32 or I8".into())),
            };
            matrices.push(Matrix { name: name.into(), shape: [rows, columns], values });
        }
        Ok(Self { header, matrices })
    }

    /// The text of a header key; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if the header lacks the key.
    pub fn text(&self, key: &str, place: &str) -> Result<&str, NetworkError> {
        self.header.get(key).map(String::as_str).ok_or_else(|| NetworkError::Format {
            place: place.into(),
            what: format!("header key `{key}`"),
            found: "nothing".into(),
            expected: "a text".into(),
        })
    }

    /// Removes a matrix from the container and checks its shape and that its values are finite.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if it is missing or fails a check.
    pub fn take(&mut self, name: &str, shape: [usize; 2], place: &str) -> Result<Vec<f32>, NetworkError> {
        let wrong = |found: String| NetworkError::Format {
            place: place.into(),
            what: format!("matrix `{name}`"),
            found,
            expected: format!("{shape:?}, as the specification says"),
        };
        let index = self.matrices.iter().position(|matrix| matrix.name == name);
        let matrix = self.matrices.swap_remove(index.ok_or_else(|| wrong("nothing".into()))?);
        if matrix.shape != shape {
            return Err(wrong(format!("{:?}", matrix.shape)));
        }
        if let Some(value) = matrix.values.iter().find(|value| !value.is_finite()) {
            return Err(wrong(format!("the value {value}")));
        }
        Ok(matrix.values)
    }
}

struct Tensor {
    name: String,
    kind: Dtype,
    shape: [usize; 2],
    bytes: Vec<u8>,
}

impl Tensor {
    fn floats(name: String, shape: [usize; 2], values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { name, kind: Dtype::F32, shape, bytes }
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// Suffix of the name of the tensor that holds the steps of an eight-bit tensor.
const STEP: &str = ".step";

/// True if a tensor holds the steps of another one.
fn is_step(tensors: &SafeTensors<'_>, name: &str) -> bool {
    let rounded = name.strip_suffix(STEP).and_then(|rounded| tensors.tensor(rounded).ok());
    rounded.is_some_and(|rounded| rounded.dtype() == Dtype::I8)
}

/// Sorts the header's keys, so that equal content gives equal bytes: safetensors writes them in the order of
/// a hash map, which differs between runs.
fn sort_header(bytes: &mut [u8]) -> Result<(), serde_json::Error> {
    let (length, rest) = bytes.split_at_mut(size_of::<u64>());
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
    let header = &mut rest[..length];
    let entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)?;
    let sorted = entries.into_iter().map(|(key, value)| {
        let inner: BTreeMap<String, serde_json::Value> = serde_json::from_value(value)?;
        Ok((key, inner))
    });
    let sorted = serde_json::to_vec(&sorted.collect::<Result<BTreeMap<_, _>, serde_json::Error>>()?)?;
    // The same characters in a different order; the spaces at the end, which align the tensors, stay.
    header[..sorted.len()].copy_from_slice(&sorted);
    Ok(())
}

/// Reads a file of at most [`LARGEST_FILE`] bytes if its first bytes are accepted. Memory use is bounded for any file.
/// `kind` names the expected content in errors.
///
/// # Errors
/// [`NetworkError::Output`], or [`NetworkError::Format`] for a file with other first bytes or one that is too large.
pub fn read(path: &Path, kind: &str, accepts: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, NetworkError> {
    read_at_most(LARGEST_FILE, path, kind, accepts)
}

fn read_at_most(
    limit: u64,
    path: &Path,
    kind: &str,
    accepts: impl Fn(&[u8]) -> bool,
) -> Result<Vec<u8>, NetworkError> {
    let place = path.display().to_string();
    let mut file = File::open(path).map_err(NetworkError::file(path, "read"))?;
    let mut bytes = Vec::new();
    let read = (&mut file).take(BEGINNING).read_to_end(&mut bytes);
    read.map_err(NetworkError::file(path, "read"))?;
    if !accepts(&bytes) {
        return Err(other_content(&bytes, &place, kind));
    }
    file.take(limit - BEGINNING + 1).read_to_end(&mut bytes).map_err(NetworkError::file(path, "read"))?;
    if bytes.len() as u64 > limit {
        let (what, found) = ("size".into(), format!("more than {limit} bytes"));
        return Err(NetworkError::Format { place, what, found, expected: kind.into() });
    }
    Ok(bytes)
}

/// The longest header that the `safetensors` package reads (`MAX_HEADER_SIZE` in its `tensor.rs`).
const LONGEST_HEADER: u64 = 100_000_000;

/// Number of bytes that identify the format of a file.
const BEGINNING: u64 = 16;

/// The type of a file, such as `tabiya-network`, according to its header; `None` if it cannot be read or has no such header.
/// The tensors are not examined: the reader for that file type reports errors in them.
pub fn format_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut length = [0; size_of::<u64>()];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut header = vec![0];
    file.read_exact(&mut header).ok()?;
    if header != b"{" || !(1..=LONGEST_HEADER).contains(&length) {
        return None;
    }
    file.take(length - 1).read_to_end(&mut header).ok()?;
    let header: serde_json::Value = serde_json::from_slice(&header).ok()?;
    header["__metadata__"]["format"].as_str().map(String::from)
}

/// True if these are the first bytes of a safetensors file: the length of a header, which is a JSON object.
pub fn is_container(beginning: &[u8]) -> bool {
    let Some((length, [b'{', ..])) = beginning.split_first_chunk() else { return false };
    (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(*length))
}

/// The error for content of another kind, with a guess at what the file is.
pub(crate) fn other_content(bytes: &[u8], place: &str, kind: &str) -> NetworkError {
    let beginning = &bytes[..bytes.len().min(BEGINNING as usize)];
    let found = match beginning {
        _ if Path::new(place).extension().is_some_and(|ending| ending == "onnx") => "an ONNX file".into(),
        [] => "an empty file".into(),
        bytes => format!("bytes that begin with \"{}\"", bytes.escape_ascii()),
    };
    NetworkError::Format { place: place.into(), what: "content".into(), found, expected: kind.into() }
}

/// Writes a file atomically: at every moment it is either the old or the new one.
///
/// # Errors
/// [`NetworkError::Output`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), NetworkError> {
    files::write(path, bytes).map_err(NetworkError::file(path, "write"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Defect 23: a gigabyte of /dev/urandom was read before its first bytes were examined.
    #[test]
    fn noise_is_refused_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("noise");
        // A header of 2^56 bytes, which an endless file would contain.
        let mut noise = vec![0, 0, 0, 0, 0, 0, 0, 1];
        noise.extend(br#"{"__metadata__":{"format":"x"}}"#);
        std::fs::write(&path, &noise).unwrap();
        assert!(!is_container(&noise));
        assert_eq!(format_of(&path), None);
        noise[..8].copy_from_slice(&31_u64.to_le_bytes());
        std::fs::write(&path, &noise).unwrap();
        assert!(is_container(&noise));
        assert_eq!(format_of(&path).as_deref(), Some("x"));
        for (byte, length) in [(b'[', 31), (b'{', 0)] {
            noise[8] = byte;
            noise[0] = length;
            std::fs::write(&path, &noise).unwrap();
            assert!(!is_container(&noise));
            assert_eq!(format_of(&path), None);
        }
    }

    #[test]
    fn a_file_is_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.tabiya");
        std::fs::write(&path, b"\x08\0\0\0\0\0\0\0{and so on, without end").unwrap();
        let read = |limit| read_at_most(limit, &path, "a network", is_container);
        let message = read(20).unwrap_err().to_string();
        assert!(message.contains("size: found more than 20 bytes, expected a network"), "{message}");
        assert_eq!(read(31).unwrap().len(), 31);
        assert!(read(30).is_err());
    }
}
