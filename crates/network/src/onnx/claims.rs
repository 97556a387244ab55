//! Numbers that a graph asks for: an operator with a constant size can ask for gigabytes in a file of a hundred bytes.
//!
//! What is counted is certain before anything is allocated: at least so many numbers does the operator make, whatever its
//! other inputs are. Sizes that the graph computes from constants, products of broadcast inputs and paddings of
//! convolutions are not counted.

use std::collections::HashMap;

use files::LARGEST_FILE;

use crate::{
    NetworkError,
    error::mismatch,
    planes::onnx_graph::{Attribute, Graph, Model, Node, Tensor},
};

/// Most numbers that all operators with constant sizes may make: as many 32-bit weights as the largest file has.
const MOST_NUMBERS: f64 = (LARGEST_FILE / 4) as f64;

/// The constants of a graph, by the names of their values.
type Constants<'a> = HashMap<&'a str, Constant<'a>>;

#[derive(Clone, Copy)]
enum Constant<'a> {
    Tensor(&'a Tensor),
    /// A number or a list of numbers of an operator `Constant`.
    Attribute(&'a Attribute),
}

/// Refuses a file whose operators ask for more than [`MOST_NUMBERS`], or a constant of such a shape: the runtime multiplies sizes
/// without a check, so that an overflow would give a tensor without numbers an enormous shape.
///
/// # Errors
/// [`NetworkError::Format`] with the operator or the constant that exceeds it.
pub(super) fn check(model: &Model, place: &str) -> Result<(), NetworkError> {
    model.graph.iter().try_for_each(|graph| add(graph, &mut Vec::new(), &mut 0.0, place))
}

/// Adds the numbers of the operators of a graph and of the graphs inside it, which see the constants of `outer`.
fn add<'a>(
    graph: &'a Graph,
    outer: &mut Vec<Constants<'a>>,
    sum: &mut f64,
    place: &str,
) -> Result<(), NetworkError> {
    let too_many = |what: String, found: String| {
        Err(mismatch(place, what, found, format!("at most {MOST_NUMBERS:.0} in all")))
    };
    let attributes = graph.node.iter().flat_map(|node| &node.attribute);
    let tensors = graph.initializer.iter().chain(attributes.filter_map(|attribute| attribute.t.as_deref()));
    for tensor in tensors {
        let claimed: f64 = tensor.dims.iter().map(|&size| size as f64).product();
        if claimed.abs() > MOST_NUMBERS {
            return too_many(
                format!("tensor {:?}", tensor.name),
                format!("{claimed:.0} numbers by its shape"),
            );
        }
    }
    outer.push(constants(graph));
    for node in &graph.node {
        *sum += asked(node, outer).unwrap_or_default();
        if *sum > MOST_NUMBERS {
            let what = format!("node {:?} ({})", node.name, node.op_type);
            return too_many(what, format!("{sum:.0} numbers that constants ask for"));
        }
        for inner in node.attribute.iter().filter_map(|attribute| attribute.g.as_deref()) {
            add(inner, outer, sum, place)?;
        }
    }
    outer.pop();
    Ok(())
}

fn constants(graph: &Graph) -> Constants<'_> {
    let tensors = graph.initializer.iter().map(|tensor| (tensor.name.as_str(), Constant::Tensor(tensor)));
    let made = graph.node.iter().filter(|node| node.op_type == "Constant").filter_map(|node| {
        let (name, attribute) = (node.output.first()?, node.attribute.first()?);
        let constant = attribute.t.as_deref().map_or(Constant::Attribute(attribute), Constant::Tensor);
        Some((name.as_str(), constant))
    });
    tensors.chain(made).collect()
}

/// The least numbers that an operator makes; `None` if no constant says it.
fn asked(node: &Node, known: &[Constants<'_>]) -> Option<f64> {
    match node.op_type.as_str() {
        "ConstantOfShape" => Some(product(input(node, 0, known)?)),
        // For a repeated or enlarged input of one number.
        "Expand" | "Tile" | "OneHot" | "Upsample" => Some(product(input(node, 1, known)?)),
        // Sizes, or else factors.
        "Resize" => Some(product(input(node, 3, known).or_else(|| input(node, 2, known))?)),
        "Pad" => {
            let pads = input(node, 1, known)?;
            let (before, after) = pads.split_at(pads.len() / 2);
            Some(before.iter().zip(after).map(|(before, after)| (before + after).max(1.0)).product())
        }
        "Range" => {
            let [start, end, step] = [0, 1, 2].map(|place| input(node, place, known)?.first().copied());
            Some(((end? - start?) / step?).ceil().max(0.0))
        }
        _ => None,
    }
}

/// The numbers of an input, if it is a constant of this graph or of a graph around it.
fn input(node: &Node, place: usize, known: &[Constants<'_>]) -> Option<Vec<f64>> {
    let name = node.input.get(place)?.as_str();
    let constant = known.iter().rev().find_map(|constants| constants.get(name))?;
    Some(constant.numbers())
}

fn product(sizes: Vec<f64>) -> f64 {
    sizes.into_iter().map(|size| size.max(0.0)).product()
}

impl Constant<'_> {
    /// Its numbers; none for types that no size has.
    fn numbers(self) -> Vec<f64> {
        match self {
            Self::Tensor(tensor) => tensor.numbers(),
            Self::Attribute(attribute) => match attribute.name.as_str() {
                "value_int" => vec![attribute.i as f64],
                "value_float" => vec![attribute.f.into()],
                _ => {
                    let whole = attribute.ints.iter().map(|number| *number as f64);
                    whole.chain(attribute.floats.iter().map(|number| f64::from(*number))).collect()
                }
            },
        }
    }
}

impl Tensor {
    fn numbers(&self) -> Vec<f64> {
        let (fours, eights) = (self.raw_data.as_chunks::<4>().0, self.raw_data.as_chunks::<8>().0);
        match self.data_type {
            Self::FLOAT => {
                let raw = fours.iter().map(|bytes| f32::from_le_bytes(*bytes));
                raw.chain(self.float_data.iter().copied()).map(f64::from).collect()
            }
            Self::INT32 => {
                let raw = fours.iter().map(|bytes| i32::from_le_bytes(*bytes));
                raw.chain(self.int32_data.iter().copied()).map(f64::from).collect()
            }
            Self::INT64 => {
                let raw = eights.iter().map(|bytes| i64::from_le_bytes(*bytes));
                raw.chain(self.int64_data.iter().copied()).map(|number| number as f64).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::onnx::OnnxNetwork;

    fn whole(name: &str, values: &[i64]) -> Tensor {
        let dims = vec![values.len() as i64];
        Tensor {
            dims,
            data_type: Tensor::INT64,
            name: name.into(),
            int64_data: values.to_vec(),
            ..Tensor::default()
        }
    }

    fn node(operator: &str, inputs: &[&str]) -> Node {
        Node {
            input: inputs.iter().map(|name| (*name).into()).collect(),
            output: vec!["made".into()],
            name: "big".into(),
            op_type: operator.into(),
            attribute: Vec::new(),
        }
    }

    fn model(node: Vec<Node>, initializer: Vec<Tensor>) -> Model {
        let graph = Graph { node, initializer, ..Graph::default() };
        Model { ir_version: 7, graph: Some(graph), ..Model::default() }
    }

    fn refusal(model: &Model) -> Option<String> {
        check(model, "x.onnx").err().map(|error| error.to_string())
    }

    const LARGE: i64 = 1 << 20;

    /// Operator, inputs, a small and a large constant.
    type Case = (&'static str, &'static [&'static str], &'static [i64], &'static [i64]);

    #[test]
    fn a_hundred_bytes_do_not_ask_for_gigabytes() {
        let cases: [Case; 7] = [
            ("ConstantOfShape", &["sizes"], &[64, 64], &[LARGE, LARGE]),
            ("Expand", &["x", "sizes"], &[8, 64, 64], &[LARGE, 1, LARGE]),
            ("Tile", &["x", "sizes"], &[1, 8], &[LARGE, LARGE]),
            ("OneHot", &["x", "sizes", "values"], &[1858], &[LARGE * LARGE]),
            ("Resize", &["x", "", "", "sizes"], &[1, 8, 8, 8], &[1, 1, LARGE, LARGE]),
            ("Resize", &["x", "", "sizes"], &[1, 1, 2, 2], &[1, 1, LARGE, LARGE]),
            ("Pad", &["x", "sizes"], &[0, 0, 1, 1, 0, 0, 1, 1], &[LARGE, 0, 0, LARGE]),
        ];
        for (operator, inputs, small, large) in cases {
            let of = |sizes: &[i64]| model(vec![node(operator, inputs)], vec![whole("sizes", sizes)]);
            assert_eq!(refusal(&of(small)), None, "{operator}");
            let message = refusal(&of(large)).unwrap();
            assert!(
                message
                    .starts_with(&format!("x.onnx: node \"big\" ({operator}): found 1099511627776 numbers")),
                "{message}"
            );
        }
        let limits = |end| vec![whole("from", &[0]), whole("to", &[end]), whole("by", &[2])];
        let range = |end| model(vec![node("Range", &["from", "to", "by"])], limits(end));
        assert_eq!(refusal(&range(64)), None);
        assert!(refusal(&range(LARGE * LARGE)).unwrap().contains("found 549755813888 numbers"));
    }

    #[test]
    fn a_file_that_asks_for_gigabytes_is_not_given_to_the_runtime() {
        let bytes = model(vec![node("ConstantOfShape", &["sizes"])], vec![whole("sizes", &[LARGE, LARGE])]);
        let bytes = bytes.encode_to_vec();
        assert!(bytes.len() < 100, "{}", bytes.len());
        let message = OnnxNetwork::from_bytes(&bytes, "x.onnx").err().unwrap().to_string();
        assert!(message.contains("numbers that constants ask for, expected at most 268435456"), "{message}");
    }

    /// Raw bytes, numbers of an operator `Constant`, a graph inside an operator, and many operators together.
    #[test]
    fn sizes_are_found_wherever_they_stand() {
        let raw_data: Vec<u8> = [LARGE, LARGE].iter().flat_map(|size| size.to_le_bytes()).collect();
        let raw = Tensor { raw_data: raw_data.into(), int64_data: Vec::new(), ..whole("sizes", &[0, 0]) };
        let asking = || node("ConstantOfShape", &["sizes"]);
        assert!(refusal(&model(vec![asking()], vec![raw.clone()])).is_some());
        let constant = |attribute| Node {
            output: vec!["sizes".into()],
            attribute: vec![attribute],
            ..node("Constant", &[])
        };
        let ints = Attribute { name: "value_ints".into(), ints: vec![LARGE, LARGE], ..Attribute::default() };
        let tensor = Attribute { name: "value".into(), t: Some(Box::new(raw)), ..Attribute::default() };
        for attribute in [ints, tensor] {
            assert!(refusal(&model(vec![constant(attribute), asking()], Vec::new())).is_some());
        }
        let inner = Graph { node: vec![asking()], ..Graph::default() };
        let branch = Attribute { g: Some(Box::new(inner)), ..Attribute::default() };
        let outer = Node { attribute: vec![branch], ..node("If", &["condition"]) };
        assert!(refusal(&model(vec![outer], vec![whole("sizes", &[LARGE, LARGE])])).is_some());
        let half = whole("sizes", &[1 << 27]);
        assert_eq!(refusal(&model(vec![asking(); 2], vec![half.clone()])), None);
        assert!(refusal(&model(vec![asking(); 3], vec![half])).is_some());
    }
}
