//! Files that are damaged, or made to do damage. Sizes that operators ask for are in `claims.rs`.

use super::*;
use crate::planes::{
    onnx_graph::{Graph, Model, Node, Tensor},
    wire::MOST_PARTS,
};

/// An export of this program in which one matrix is changed.
fn with_matrix(change: impl FnOnce(&mut Tensor)) -> Vec<u8> {
    let weights = random_weights(Spec::from_toml("blocks = 1\nchannels = 16").unwrap(), 2);
    let mut model = Model::decode(to_bytes(&weights).unwrap().as_slice()).unwrap();
    let tensors = &mut model.graph.as_mut().unwrap().initializer;
    change(tensors.iter_mut().find(|tensor| tensor.name == "stem.weight").unwrap());
    model.encode_to_vec()
}

fn file(graph: Graph) -> Vec<u8> {
    Model { ir_version: 7, graph: Some(graph), ..Model::default() }.encode_to_vec()
}

/// The ReLU after the first layer hides what is no number from all others.
#[test]
fn weights_that_are_no_numbers_are_refused() {
    let with_number = |number: &[u8], data_type: i32| {
        with_matrix(|tensor| {
            let mut raw = vec![0; tensor.raw_data.len() / 4 * number.len()];
            raw[3 * number.len()..][..number.len()].copy_from_slice(number);
            (tensor.data_type, tensor.raw_data) = (data_type, raw.into());
        })
    };
    let expected = "x.onnx: tensor \"stem.weight\": found NaN as number 3, expected numbers";
    assert_eq!(refused(&with_number(&f32::NAN.to_le_bytes(), Tensor::FLOAT)), expected);
    for half in [0x7e00_u16, 0xfc01] {
        assert_eq!(refused(&with_number(&half.to_le_bytes(), Tensor::FLOAT16)), expected);
    }
    let infinite = 0x7c00_u16.to_le_bytes();
    let message = OnnxNetwork::from_bytes(&with_number(&infinite, Tensor::FLOAT16), "x.onnx").err();
    assert!(message.is_none_or(|message| !message.to_string().contains("NaN as number")));
}

#[test]
fn tensors_of_another_size_than_they_claim_are_refused() {
    let half = with_matrix(|tensor| tensor.raw_data.truncate(tensor.raw_data.len() / 8 * 4));
    let message = refused(&half);
    assert!(message.contains("\"stem.weight\"") && message.contains("does not match shape"), "{message}");
    for (dims, expected) in [
        (vec![1 << 20], "length 0 does not match shape [1048576]"),
        (vec![1 << 29], "tensor \"big\": found 536870912 numbers by its shape, expected at most 268435456"),
        // The product is 0 in 64 bits.
        (vec![1 << 40, 1 << 40], "tensor \"big\": found 1208925819614629174706176 numbers"),
        (vec![-1], "invalid shape"),
    ] {
        let tensor = Tensor { dims, data_type: Tensor::FLOAT, name: "big".into(), ..Tensor::default() };
        let bytes = file(Graph { initializer: vec![tensor], ..Graph::default() });
        assert!(bytes.len() < 100);
        let message = refused(&bytes);
        assert!(
            message.starts_with("x.onnx: ") && message.contains("\"big\"") && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn unknown_operators_are_named() {
    let node = Node {
        input: vec!["planes".into()],
        output: vec!["policy".into()],
        name: "first".into(),
        op_type: "Frobnicate".into(),
        attribute: Vec::new(),
    };
    let message = refused(&file(Graph { node: vec![node], ..Graph::default() }));
    for part in ["\"first\"", "Frobnicate", "expected an ONNX file of operators that the runtime rten has"] {
        assert!(message.contains(part), "{message}");
    }
}

/// Weights in other files are not looked for, wherever they are said to be.
#[test]
fn weights_in_other_files_are_refused() {
    let field = |number: u8, content: &[u8]| [&[number << 3 | 2, content.len() as u8][..], content].concat();
    let entry =
        |key: &str, value: &str| field(13, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat());
    let tensor = Tensor { dims: vec![2], data_type: Tensor::FLOAT, name: "w".into(), ..Tensor::default() };
    // `TensorProto.data_location` is field 14, and 1 stands for another file.
    let outside =
        [entry("location", "weights.bin"), entry("offset", "0"), entry("length", "8"), vec![14 << 3, 1]];
    let tensor = [tensor.encode_to_vec(), outside.concat()].concat();
    // The version of the format, the graph and its only tensor.
    let message = refused(&[vec![1 << 3, 7], field(7, &field(5, &tensor))].concat());
    for part in ["\"w\"", "external data", "with its weights inside"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn outputs_of_another_size_are_refused() {
    let weights = random_weights(Spec::from_toml("blocks = 1\nchannels = 16").unwrap(), 2);
    let bytes = with_metadata(to_bytes(&weights).unwrap(), &[("moves", "from-to-4096")]);
    let message = refused(&bytes);
    let expected = "contract tabiya: found the output policy [batch, 1858], expected 4096 numbers";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_file_of_empty_messages_is_refused_before_it_is_decoded() {
    // Nodes, field 1 of a graph, which is field 7 of the file.
    let nodes = [0x0a_u8, 0x00].repeat(MOST_PARTS);
    let mut bytes = vec![0x3a];
    prost::encoding::encode_varint(nodes.len() as u64, &mut bytes);
    let message = refused(&[bytes, nodes].concat());
    assert!(message.contains("graph: found more than 1048576 messages and texts"), "{message}");
}
