//! The weights file: a network ready for play, with its provenance.

mod from_lc0;
mod grown;
pub(crate) mod plan;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use kernels::{Calibration, PRECISIONS, Precision, layers::PlayLayers};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    NetworkError, Spec,
    architecture::{Architecture, PlaneArchitecture},
    container::{self, Container, Matrix, WeightQuantisation},
    error::{invalid, mismatch, syntax},
    passes::{Parameters, Statistics},
    planes::lc0::{self, Heads},
    provenance::Provenance,
};

/// Value of `format` in the header of a weights file.
const FORMAT: &str = "tabiya-network";

/// The files from which networks are read, for errors.
const KIND: &str = "a network: ours (.tabiya) or lc0's (.pb, .pb.gz)";

/// A trained network: specification, parameters and normalisation statistics.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Weights {
    pub spec: Spec,
    /// Run, data and origin of the network.
    pub provenance: Provenance,
    /// Calibrated activation ranges, which int8 needs.
    pub calibration: Option<ActivationRanges>,
    /// Parameters, then statistics, in the order of the architecture.
    matrices: Vec<Matrix>,
}

impl Weights {
    /// The weights of an architecture, parameters and normalisation statistics in its order.
    pub fn new(
        architecture: &Architecture,
        parameters: &Parameters,
        statistics: &Statistics,
        provenance: Provenance,
    ) -> Self {
        let mut matrices = Vec::new();
        for ((name, shape), values) in shapes(architecture).zip(parameters.iter().chain(statistics)) {
            matrices.push(Matrix { name, shape, values: values.clone() });
        }
        Self { spec: architecture.spec().clone(), provenance, calibration: None, matrices }
    }

    /// An untrained network: random parameters, and statistics of mean 0 and variance 1.
    ///
    /// # Errors
    /// As [`Spec::check`] and [`Architecture::initial_parameters`].
    pub fn initial(spec: &Spec, seed: u64) -> Result<Self, NetworkError> {
        let architecture = Architecture::new(spec)?;
        let mut statistics = Statistics::new();
        for shape in architecture.statistics() {
            let (means, variances) = (vec![0.0; shape.channels], vec![1.0; shape.channels]);
            statistics.push([means, variances].concat());
        }
        let parameters = architecture.initial_parameters(seed)?;
        Ok(Self::new(&architecture, &parameters, &statistics, Provenance::default()))
    }

    /// Reads a weights file in this program's format or lc0's. The format is recognised from the content.
    ///
    /// # Errors
    /// [`NetworkError::Output`] if it cannot be read; [`NetworkError::Format`] if it is truncated, not a weights file, of
    /// another version or does not fit its own specification; [`NetworkError::UnknownEncoding`]; [`NetworkError::Lc0`] if
    /// it is an lc0 file that is damaged or of an unsupported kind.
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&Self::read_bytes(path)?, &path.display().to_string())
    }

    /// The bytes of a file that starts like a weights file. Memory use is bounded for any file.
    ///
    /// # Errors
    /// [`NetworkError::Output`], or [`NetworkError::Format`] for a file that starts differently or is too large.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, NetworkError> {
        let place = path.display().to_string();
        container::read(path, KIND, |beginning| {
            container::is_container(beginning) || lc0::is_network(beginning, &place)
        })
    }

    /// Reads the bytes of a weights file; `place` names them in errors.
    ///
    /// # Errors
    /// As [`Weights::read`].
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, NetworkError> {
        Self::with_heads(bytes, place, Heads::default())
    }

    /// As [`Weights::from_bytes`], with the chosen heads of a network of lc0 that has several.
    ///
    /// # Errors
    /// As [`Weights::read`], and for heads that the network does not have.
    pub fn with_heads(bytes: &[u8], place: &str, heads: Heads) -> Result<Self, NetworkError> {
        if lc0::is_network(bytes, place) {
            return Self::from_lc0(bytes, place, heads);
        }
        if heads != Heads::default() {
            let expected = "a network of lc0, or no heads by name".into();
            return Err(invalid(place, "heads", heads.suffix(), expected));
        }
        if !container::is_container(bytes) {
            return Err(container::other_content(bytes, place, KIND));
        }
        let mut container = Container::from_bytes(bytes, place, FORMAT)?;
        let spec: Spec = toml::from_str(container.text("spec", place)?)
            .map_err(|error| syntax(format!("{place}: header key `spec`"), error))?;
        let provenance = serde_json::from_str(container.text("provenance", place)?)
            .and_then(|provenance| printable::<Provenance>(&provenance))
            .map_err(|error| syntax(format!("{place}: header key `provenance`"), error))?;
        let calibration = ActivationRanges::from_header(&container, place)?;
        let matrices = std::mem::take(&mut container.matrices);
        Ok(Self { calibration, ..Self::of_matrices(spec, provenance, matrices, place)? })
    }

    /// The weights of a specification from named matrices in any order; `place` names their source in errors.
    ///
    /// # Errors
    /// [`NetworkError::Format`] with the first matrix that is missing, unexpected, of another shape or not finite, and
    /// those of [`Spec::check`].
    pub fn of_matrices(
        spec: Spec,
        provenance: Provenance,
        matrices: Vec<Matrix>,
        place: &str,
    ) -> Result<Self, NetworkError> {
        let mut container = Container { header: HashMap::new(), matrices };
        spec.check(place)?;
        let architecture = Architecture::new(&spec)?;
        // The specification decides which matrices there are; the file only has to contain them. In memory they are in the order
        // of the architecture, parameters before statistics, on which `values`, `plan` and the trainer rely.
        let mut matrices = Vec::new();
        for (name, shape) in shapes(&architecture) {
            let values = container.take(&name, shape, place)?;
            matrices.push(Matrix { name, shape, values });
        }
        check_variances(&matrices[architecture.parameters().len()..], place)?;
        if let Some(surplus) = container.matrices.first() {
            let found = format!("`{}`", surplus.name);
            return Err(mismatch(place, "matrices", found, "only what the specification lists"));
        }
        Ok(Self { spec, provenance, calibration: None, matrices })
    }

    /// The bytes of the weights file.
    ///
    /// # Errors
    /// [`NetworkError::Format`] or [`NetworkError::Syntax`] if the content cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        self.to_rounded_bytes(|name| self.spec.kind().quantisation(name, false))
    }

    /// The bytes of a weights file a quarter as long: the weights of a network of planes as eight-bit integers with a step for each
    /// row of their matrix. Such files can be played like any other. Sparse networks are always stored in eight bits.
    ///
    /// # Errors
    /// As [`Weights::to_bytes`]; [`NetworkError::Format`] if a weight is not finite.
    pub fn to_eight_bit_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        self.to_rounded_bytes(|name| self.spec.kind().quantisation(name, true))
    }

    fn to_rounded_bytes(
        &self,
        quantisation: impl Fn(&str) -> Option<WeightQuantisation>,
    ) -> Result<Vec<u8>, NetworkError> {
        let mut header = HashMap::from([
            ("spec".to_owned(), self.spec.to_toml()?),
            ("provenance".to_owned(), json("provenance", &self.provenance)?),
        ]);
        if let Some(ranges) = &self.calibration {
            header.insert(CALIBRATION_KEY.to_owned(), json(CALIBRATION_KEY, ranges)?);
        }
        let container = Container { header, matrices: self.matrices.clone() };
        container.to_rounded_bytes(FORMAT, quantisation)
    }

    /// Writes the weights file; an existing one is replaced atomically.
    ///
    /// # Errors
    /// [`NetworkError::Output`].
    pub fn write(&self, path: &Path) -> Result<(), NetworkError> {
        container::write(path, &self.to_bytes()?)
    }

    /// Number of trained parameters.
    pub fn parameter_count(&self) -> usize {
        self.matrices[..self.parameters()].iter().map(|matrix| matrix.values.len()).sum()
    }

    /// The precisions in which the network plays on a machine that has them: of a tower all, int8 only if it was calibrated; of other
    /// lists of layers f32, and int8 if a layer of it is multiplied in eight bits.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], which reading a file already rules out.
    pub fn precisions(&self) -> Result<Vec<Precision>, NetworkError> {
        let architecture = PlaneArchitecture::new(self.spec.planes()?)?;
        if architecture.tower().is_err() {
            return Ok(PlayLayers::precisions(&architecture.list.for_play()));
        }
        let mut precisions = PRECISIONS.to_vec();
        precisions.retain(|&precision| precision != Precision::Int8 || self.calibration.is_some());
        Ok(precisions)
    }

    /// All matrices, parameters and normalisation statistics, in the order of the architecture.
    pub fn matrices(&self) -> &[Matrix] {
        &self.matrices
    }

    /// Parameters and normalisation statistics, in the order of the architecture.
    pub fn values(&self) -> (Parameters, Statistics) {
        let mut parameters: Vec<Vec<f32>> =
            self.matrices.iter().map(|matrix| matrix.values.clone()).collect();
        let statistics = parameters.split_off(self.parameters());
        (parameters, statistics)
    }

    /// Number of matrices before the statistics.
    fn parameters(&self) -> usize {
        self.matrices.iter().take_while(|matrix| !is_statistics(matrix)).count()
    }
}

/// Checks that no normalisation takes the square root of a negative number.
fn check_variances(statistics: &[Matrix], place: &str) -> Result<(), NetworkError> {
    for Matrix { name, values, .. } in statistics {
        let variances = &values[values.len() / 2..];
        if let Some(variance) = variances.iter().find(|variance| **variance < 0.0) {
            let found = format!("the variance {variance}");
            return Err(mismatch(place, format!("matrix `{name}`"), found, "0 or more"));
        }
    }
    Ok(())
}

fn is_statistics(matrix: &Matrix) -> bool {
    matrix.name.ends_with(".moments")
}

/// Name and shape of every matrix in a weights file, in order.
fn shapes(architecture: &Architecture) -> impl Iterator<Item = (String, [usize; 2])> {
    let parameters =
        architecture.parameters().iter().map(|shape| (shape.name.clone(), [shape.rows, shape.columns]));
    parameters.chain(architecture.statistics().iter().map(|shape| (shape.name.clone(), [2, shape.channels])))
}

/// A value of the header as JSON text.
fn json(key: &str, value: &impl Serialize) -> Result<String, NetworkError> {
    serde_json::to_string(value).map_err(|error| syntax(key, error))
}

/// Replaces the control characters in all texts of a value with spaces, since terminals interpret some of them. Line breaks
/// and tabs stay, because recipes need them.
fn printable<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, serde_json::Error> {
    fn cleaned_text(text: &str) -> String {
        chess::printable(text, &['\n', '\t'])
    }
    fn cleaned(value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(cleaned_text(&text)),
            Value::Array(values) => values.into_iter().map(cleaned).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(key, value)| (cleaned_text(&key), cleaned(value))).collect()
            }
            other => other,
        }
    }
    serde_json::from_value(cleaned(serde_json::to_value(value)?))
}

/// Key of the ranges in the header.
const CALIBRATION_KEY: &str = "calibration";

/// The ranges of a network's activations between layers, measured on real positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivationRanges {
    /// Number of positions on which they were measured.
    pub positions: u64,
    /// Hash of the sample store with these positions.
    pub data: String,
    /// The largest value worth representing, for each activation by name.
    pub ranges: BTreeMap<String, f32>,
}

impl ActivationRanges {
    /// Reads the ranges from a weights file's header, if it has them.
    fn from_header(container: &Container, place: &str) -> Result<Option<Self>, NetworkError> {
        let Some(text) = container.header.get(CALIBRATION_KEY) else { return Ok(None) };
        serde_json::from_str(text)
            .map(Some)
            .map_err(|error| syntax(format!("{place}: header key `{CALIBRATION_KEY}`"), error))
    }

    /// The ranges in the order that the kernels expect.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if one of `tensors` has no range, or if a range is negative or not a number.
    pub(crate) fn in_order(&self, tensors: &[String]) -> Result<Calibration, NetworkError> {
        let mut ranges = Vec::with_capacity(tensors.len());
        for name in tensors {
            let found = match self.ranges.get(name) {
                Some(range) if range.is_finite() && *range >= 0.0 => {
                    ranges.push(*range);
                    continue;
                }
                Some(range) => range.to_string(),
                None => "nothing".into(),
            };
            return Err(mismatch("calibration", format!("range of `{name}`"), found, "a number, 0 or more"));
        }
        Ok(Calibration { ranges })
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod layers_tests;
