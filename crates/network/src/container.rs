//! Named matrices with a text header in one safetensors file: the container of weights files and checkpoints.
//!
//! A matrix is stored as 32-bit floats, or in eight bits: an integer from -127 to 127 times a step, which is a second tensor.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::Read as _,
    path::Path,
};

use files::LARGEST_FILE;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::{
    NetworkError,
    error::{mismatch, syntax},
};

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
                let what = format!("matrix `{}`", matrix.name);
                return Err(mismatch("bytes", what, value.to_string(), "finite numbers"));
            }
            let Rounded { integers, steps } = round(matrix, quantisation);
            tensors.push(Tensor::floats(format!("{}{STEP}", matrix.name), [steps.len(), 1], &steps));
            let (name, shape) = (matrix.name.clone(), matrix.shape);
            tensors.push(Tensor { name, kind: Dtype::I8, shape, bytes: integers });
        }
        let mut views = Vec::with_capacity(tensors.len());
        for Tensor { name, kind, shape, bytes } in &tensors {
            let view = TensorView::new(*kind, shape.to_vec(), bytes).map_err(|error| unwritable(&error))?;
            views.push((name.as_str(), view));
        }
        let mut bytes = safetensors::serialize(views, Some(header)).map_err(|error| unwritable(&error))?;
        sort_header(&mut bytes).map_err(|error| syntax("safetensors header", error))?;
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
        let (_, metadata) =
            SafeTensors::read_metadata(bytes).map_err(|error| broken(bytes, place, format, &error))?;
        let mut header = metadata.metadata().clone().unwrap_or_default();
        let found = header.remove("format").unwrap_or_else(|| "no format key".into());
        if found != format {
            return Err(mismatch(place, "header key `format`", found, format));
        }
        let found = header.remove("version").unwrap_or_else(|| "no version key".into());
        if found != VERSION {
            return Err(mismatch(place, "header key `version`", found, VERSION));
        }
        let tensors =
            SafeTensors::deserialize(bytes).map_err(|error| broken(bytes, place, format, &error))?;
        let mut matrices = Vec::new();
        for (name, view) in tensors.iter().filter(|(name, _)| !is_step(&tensors, name)) {
            let what = format!("tensor `{name}`");
            let &[rows, columns] = view.shape() else {
                return Err(mismatch(place, what, format!("{:?}", view.shape()), "a matrix"));
            };
            let values = match view.dtype() {
                Dtype::F32 => floats(view.data()),
                Dtype::I8 => {
                    let Some(steps) = steps_of(&tensors, name, rows) else {
                        let expected =
                            format!("a tensor `{name}{STEP}` of one F32 above 0, or one for each row");
                        return Err(mismatch(place, what, "I8 without steps", expected));
                    };
                    restore(view.data(), columns, &steps)
                }
                other => return Err(mismatch(place, what, format!("{other:?}"), "F32 or I8")),
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
        let text = self.header.get(key).map(String::as_str);
        text.ok_or_else(|| mismatch(place, format!("header key `{key}`"), "nothing", "a text"))
    }

    /// Removes a matrix from the container and checks its shape and that its values are finite.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if it is missing or fails a check.
    pub fn take(&mut self, name: &str, shape: [usize; 2], place: &str) -> Result<Vec<f32>, NetworkError> {
        let found = match self.matrices.iter().position(|matrix| matrix.name == name) {
            None => "nothing".into(),
            Some(index) => {
                let matrix = self.matrices.swap_remove(index);
                let not_finite = matrix.values.iter().find(|value| !value.is_finite());
                match not_finite {
                    _ if matrix.shape != shape => format!("{:?}", matrix.shape),
                    Some(value) => format!("the value {value}"),
                    None => return Ok(matrix.values),
                }
            }
        };
        let expected = format!("{shape:?}, as the specification says");
        Err(mismatch(place, format!("matrix `{name}`"), found, expected))
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

fn unwritable(error: &safetensors::SafeTensorError) -> NetworkError {
    mismatch("bytes", "safetensors", error.to_string(), "matrices whose values fill their shapes")
}

fn broken(bytes: &[u8], place: &str, format: &str, error: &safetensors::SafeTensorError) -> NetworkError {
    let found = format!("{} bytes ({error})", bytes.len());
    mismatch(place, "safetensors", found, format!("a complete {format} file"))
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

/// The steps of an eight-bit tensor, one for all rows or one for each; `None` if they are missing or not usable.
fn steps_of(tensors: &SafeTensors<'_>, name: &str, rows: usize) -> Option<Vec<f32>> {
    let view = tensors.tensor(&format!("{name}{STEP}")).ok()?;
    let has_shape = [[1, 1], [rows, 1]].iter().any(|shape| view.shape() == shape);
    if view.dtype() != Dtype::F32 || !has_shape {
        return None;
    }
    let steps = floats(view.data());
    steps.iter().all(|step| step.is_finite() && *step > 0.0).then_some(steps)
}

/// The part of a matrix that has its own quantisation step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightQuantisation {
    /// The whole matrix, with a step of at least [`FINEST`].
    Matrix,
    /// Each row.
    Rows,
}

/// The finest step of a whole matrix: in play, sums of rows are computed in this unit.
pub const FINEST: f32 = 1.0 / 128.0;

/// The largest integer; the smallest is its negative.
const LARGEST: f32 = 127.0;

/// The finest step of a row, used for a row of zeros.
const FINEST_OF_ROW: f32 = 1.0 / 16_777_216.0;

/// The integers of a matrix as bytes, and their steps: one step for all rows, or one for each row.
#[derive(Debug, PartialEq)]
struct Rounded {
    integers: Vec<u8>,
    steps: Vec<f32>,
}

/// Rounds a matrix to eight bits.
///
/// Steps are powers of two. Division by a power of two is exact, so the restored values round to the same integers with the
/// same steps, and a file that is read and written again has the same bytes. A step of `largest / 127` could change a
/// little each time, and a network that was only copied would have another hash.
fn round(matrix: &Matrix, quantisation: WeightQuantisation) -> Rounded {
    let columns = matrix.shape[1].max(1);
    let (length, finest) = match quantisation {
        WeightQuantisation::Matrix => (matrix.values.len().max(1), FINEST),
        WeightQuantisation::Rows => (columns, FINEST_OF_ROW),
    };
    let mut steps = Vec::new();
    let mut integers = Vec::with_capacity(matrix.values.len());
    for values in matrix.values.chunks(length) {
        let step = step(values, finest);
        integers.extend(values.iter().map(|value| ((value / step).round_ties_even() as i8).cast_unsigned()));
        steps.push(step);
    }
    Rounded { integers, steps }
}

/// The finest power of two at which no value exceeds the largest integer.
fn step(values: &[f32], finest: f32) -> f32 {
    let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let mut step = finest;
    while largest > LARGEST * step {
        step *= 2.0;
    }
    step
}

/// The values represented by integers, with one step per row or one for all rows.
fn restore(integers: &[u8], columns: usize, steps: &[f32]) -> Vec<f32> {
    let length = if steps.len() == 1 { integers.len() } else { columns };
    let mut values = Vec::with_capacity(integers.len());
    for (row, step) in integers.chunks(length.max(1)).zip(steps) {
        values.extend(row.iter().map(|integer| f32::from(integer.cast_signed()) * step));
    }
    values
}

/// Sorts the header's keys, so that equal content gives equal bytes: safetensors writes them in the order of
/// a hash map, which differs between runs.
fn sort_header(bytes: &mut [u8]) -> Result<(), serde_json::Error> {
    let (length, rest) = bytes.split_at_mut(size_of::<u64>());
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
    let header = &mut rest[..length];
    let entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)?;
    let mut sorted: BTreeMap<String, BTreeMap<String, serde_json::Value>> = BTreeMap::new();
    for (key, value) in entries {
        sorted.insert(key, serde_json::from_value(value)?);
    }
    let sorted = serde_json::to_vec(&sorted)?;
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
    // The first bytes decide before the rest is read: a wrong path may name a disk image or an endless device.
    if !accepts(&bytes) {
        return Err(other_content(&bytes, &place, kind));
    }
    file.take(limit - BEGINNING + 1).read_to_end(&mut bytes).map_err(NetworkError::file(path, "read"))?;
    if bytes.len() as u64 > limit {
        return Err(mismatch(&place, "size", format!("more than {limit} bytes"), kind));
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
    let found: String = match beginning {
        _ if Path::new(place).extension().is_some_and(|ending| ending == "onnx") => "an ONNX file".into(),
        [] => "an empty file".into(),
        bytes => format!("bytes that begin with \"{}\"", bytes.escape_ascii()),
    };
    mismatch(place, "content", found, kind)
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
    use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest};

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

    proptest! {
        #[test]
        fn values_are_near_and_rounding_twice_changes_nothing(values in vec(-30.0_f32..30.0, 24)) {
            for (quantisation, count) in [(WeightQuantisation::Matrix, 1), (WeightQuantisation::Rows, 4)] {
                let matrix = Matrix { name: "m".into(), shape: [4, 6], values: values.clone() };
                let Rounded { integers, steps } = round(&matrix, quantisation);
                prop_assert_eq!((integers.len(), steps.len()), (24, count));
                let restored = restore(&integers, 6, &steps);
                for (number, (value, restored)) in values.iter().zip(&restored).enumerate() {
                    let step = steps[if count == 1 { 0 } else { number / 6 }];
                    prop_assert!((value - restored).abs() <= step / 2.0, "{value} {restored} {step}");
                }
                let again = round(&Matrix { values: restored.clone(), ..matrix }, quantisation);
                prop_assert_eq!(&restored, &restore(&again.integers, 6, &again.steps));
            }
        }
    }

    #[test]
    fn a_matrix_has_a_step_of_at_least_the_finest_and_a_row_of_zeros_the_finest() {
        let matrix = |values: Vec<f32>| Matrix { name: "m".into(), shape: [1, 2], values };
        assert_eq!(
            round(&matrix(vec![0.25, -1.0 / 128.0]), WeightQuantisation::Matrix),
            Rounded { integers: vec![32, 255], steps: vec![FINEST] }
        );
        assert_eq!(
            round(&matrix(vec![0.0; 2]), WeightQuantisation::Rows),
            Rounded { integers: vec![0; 2], steps: vec![FINEST_OF_ROW] }
        );
        assert_eq!(round(&matrix(vec![1.0, 0.0]), WeightQuantisation::Matrix).steps, [2.0 * FINEST]);
    }
}
