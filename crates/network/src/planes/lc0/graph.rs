//! Weights files of lc0 that hold an ONNX graph instead of layers.

use std::{fs::File, io::Read as _, path::Path};

use flate2::read::MultiGzDecoder;
use prost::Message as _;

use crate::planes::{
    lc0::{
        error::{Lc0Error, Lc0Problem},
        format,
        message::Format,
        network,
    },
    wire::next_field,
};

/// `NETWORK_ONNX`.
const ONNX: i32 = 5;

/// `OnnxModel.DataType`. A value's name is at the index of its number, and empty if the number is skipped.
const DATA_TYPES: [&str; 17] =
    ["UNKNOWN_DATATYPE", "FLOAT", "", "", "", "", "", "", "", "", "FLOAT16", "", "", "", "", "", "BFLOAT16"];

/// Bytes at the beginning of a file among which is its format, which precedes the weights.
const BEGINNING: u64 = 4096;

/// Field of `Net` with the format.
const FORMAT_FIELD: u64 = 4;

/// A graph, its encodings, and the names of its input and outputs.
#[derive(Debug)]
pub(crate) struct EmbeddedGraph {
    /// The ONNX file.
    pub(crate) model: Vec<u8>,
    /// Name of the encoding of positions.
    pub(crate) input: &'static str,
    /// Name of the encoding of moves.
    pub(crate) moves: &'static str,
    pub(crate) planes: String,
    pub(crate) policy: Option<String>,
    /// Win, draw and loss.
    pub(crate) wdl: Option<String>,
    /// The expected result, from -1 to 1.
    pub(crate) value: Option<String>,
    pub(crate) moves_left: Option<String>,
}

impl EmbeddedGraph {
    /// True if a file declares that it holds a graph. Only files with lc0's extension are read.
    pub(crate) fn is_in(path: &Path) -> bool {
        let name = path.to_string_lossy();
        let extension = Path::new(name.trim_end_matches(".gz")).extension();
        if extension.is_none_or(|extension| extension != "pb") {
            return false;
        }
        let mut beginning = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
        read.is_ok() && Self::is_in_bytes(&beginning, &name)
    }

    /// As [`EmbeddedGraph::is_in`], from the content of a file or its beginning.
    pub(crate) fn is_in_bytes(bytes: &[u8], file: &str) -> bool {
        let beginning = &bytes[..bytes.len().min(BEGINNING as usize)];
        network::is_network(beginning, file) && declares_graph(beginning)
    }

    /// Reads a weights file's content, compressed or not; `file` names it in errors.
    ///
    /// # Errors
    /// [`Lc0Error`] with the file and the problem.
    pub(crate) fn from_bytes(bytes: &[u8], file: &str) -> Result<Self, Lc0Error> {
        Self::parse(bytes).map_err(|problem| Lc0Error { file: file.into(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, Lc0Problem> {
        let net = network::decode(bytes)?;
        let model = net.onnx_model.ok_or_else(|| Lc0Problem::missing("onnx_model"))?;
        let data_type = model.data_type.unwrap_or_default();
        // The runtime widens FLOAT16 and computes in 32 bits. Without a declared type, that of the graph's own tensors counts.
        if !matches!(data_type, 0 | 1 | 10) {
            return Err(format::unsupported("data type of the graph,", &DATA_TYPES, data_type, &[1, 10]));
        }
        let declared = net.format.and_then(|format| format.network_format).unwrap_or_default();
        let [input, moves] = format::encodings(&declared)?;
        Ok(Self {
            model: model.model.ok_or_else(|| Lc0Problem::missing("onnx_model.model"))?,
            input,
            moves,
            planes: model.input_planes.ok_or_else(|| Lc0Problem::missing("onnx_model.input_planes"))?,
            policy: model.output_policy,
            wdl: model.output_wdl,
            value: model.output_value,
            moves_left: model.output_mlh,
        })
    }
}

/// Reads the fields of a message up to its format.
///
/// The file is cut after its first bytes and possibly compressed, so the message cannot be decoded as a whole: fields are skipped
/// one by one until the format, which lc0 writes before the weights. To decode the message would mean to read a whole network in order to know what it is.
fn declares_graph(beginning: &[u8]) -> bool {
    let mut content = Vec::new();
    if beginning.starts_with(&network::GZIP_MAGIC) {
        // Only the beginning of the stream was read, so the error at its end is expected.
        let _ = MultiGzDecoder::new(beginning).take(BEGINNING).read_to_end(&mut content);
    } else {
        content.extend(beginning);
    }
    let mut rest = content.as_slice();
    while let Some((key, field)) = next_field(&mut rest) {
        if key >> 3 == FORMAT_FIELD {
            let format = Format::decode(field).ok().and_then(|format| format.network_format);
            return format.is_some_and(|format| format.network == Some(ONNX));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::lc0::{
        message::{NetworkFormat, OnnxModel},
        synthetic::modern,
    };

    fn file(model: OnnxModel) -> crate::planes::lc0::synthetic::SyntheticNetwork {
        let mut file = modern();
        let format = NetworkFormat { input: Some(4), network: Some(ONNX), ..NetworkFormat::default() };
        file.message.format.as_mut().unwrap().network_format = Some(format);
        file.message.onnx_model = Some(Box::new(model));
        file
    }

    #[test]
    fn a_graph_is_known_by_the_beginning_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let is_in = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            EmbeddedGraph::is_in(&path)
        };
        let graph = file(OnnxModel { model: Some(vec![1; 10_000]), ..OnnxModel::default() });
        assert!(is_in("a.pb", &graph.bytes()) && is_in("a.pb.gz", &graph.gzipped()));
        assert!(!is_in("a.tabiya", &graph.bytes()));
        assert!(EmbeddedGraph::is_in_bytes(&graph.gzipped(), "nowhere.pb.gz"));
        assert!(!EmbeddedGraph::is_in_bytes(&modern().gzipped(), "a.pb.gz"));
        assert!(!is_in("b.pb", &modern().bytes()) && !is_in("b.pb.gz", &modern().gzipped()));
        for length in 0..60 {
            is_in("short.pb", &graph.bytes()[..length]);
        }
    }

    #[test]
    fn what_a_graph_lacks_is_named() {
        let refused =
            |model| EmbeddedGraph::from_bytes(&file(model).bytes(), "x.pb").unwrap_err().to_string();
        for (data_type, name) in [(16, "BFLOAT16"), (11, "number 11"), (-1, "number -1")] {
            let other = refused(OnnxModel { data_type: Some(data_type), ..OnnxModel::default() });
            assert!(
                other.contains(&format!("{name} is not supported; supported: FLOAT, FLOAT16")),
                "{other}"
            );
        }
        let half = refused(OnnxModel { data_type: Some(10), ..OnnxModel::default() });
        assert!(half.contains("onnx_model.model is missing"), "{half}");
        let model = OnnxModel { model: Some(vec![1]), ..OnnxModel::default() };
        assert!(refused(model).contains("onnx_model.input_planes is missing"));
        let none = EmbeddedGraph::from_bytes(&modern().bytes(), "x.pb").unwrap_err().to_string();
        assert!(none.contains("layer onnx_model is missing"), "{none}");
    }
}
