//! One tensor of a weights file: packed bytes to `f32`.

use crate::planes::lc0::{error::Lc0Problem, message::Layer};

/// `Weights.Layer.Encoding` of lc0's `net.proto`, with the names under which errors list them.
const ENCODINGS: [&str; 5] = ["UNKNOWN_ENCODING", "LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32"];

/// Encoding of a layer that does not name one: `LINEAR16`.
const DEFAULT_ENCODING: i32 = 1;

/// Unpacks a required layer.
pub(crate) fn required(layer: Option<&Layer>, name: &str) -> Result<Vec<f32>, Lc0Problem> {
    match layer {
        Some(layer) => unpack(layer, name),
        None => Err(Lc0Problem::missing(name)),
    }
}

/// Unpacks an optional layer; in lc0's format a layer without values is a missing layer.
pub(crate) fn optional(layer: Option<&Layer>, name: &str) -> Result<Option<Vec<f32>>, Lc0Problem> {
    let values = layer.map(|layer| unpack(layer, name)).transpose()?;
    Ok(values.filter(|values| !values.is_empty()))
}

/// Checks the number of a layer's values.
pub(crate) fn expect_len(values: &[f32], expected: usize, name: &str) -> Result<(), Lc0Problem> {
    expect_count(name, values.len(), expected)
}

/// Checks the number of a layer's values or outputs.
pub(crate) fn expect_count(name: &str, found: usize, expected: usize) -> Result<(), Lc0Problem> {
    if found == expected {
        return Ok(());
    }
    Err(Lc0Problem::Size { layer: name.into(), found, expected: expected.to_string() })
}

fn unpack(layer: &Layer, name: &str) -> Result<Vec<f32>, Lc0Problem> {
    let bytes = layer.params.as_deref().unwrap_or_default();
    let encoding = layer.encoding.unwrap_or(DEFAULT_ENCODING);
    let values = match encoding {
        1 => {
            let (least, greatest) = (layer.min_val.unwrap_or_default(), layer.max_val.unwrap_or_default());
            words(bytes, name)?.map(|word| linear(word, least, greatest)).collect()
        }
        2 => words(bytes, name)?.map(half).collect(),
        3 => words(bytes, name)?.map(|word| f32::from_bits(u32::from(word) << 16)).collect(),
        4 => chunks::<4>(bytes, name)?.map(f32::from_le_bytes).collect::<Vec<f32>>(),
        other => {
            return Err(Lc0Problem::Unsupported {
                what: "encoding of a layer,",
                found: crate::planes::lc0::format::name_of(&ENCODINGS, other),
                supported: ENCODINGS[1..].join(", "),
            });
        }
    };
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(index) => Err(Lc0Problem::Value {
            layer: name.into(),
            index,
            found: values[index],
            expected: "a finite number",
        }),
    }
}

fn words<'a>(bytes: &'a [u8], name: &str) -> Result<impl Iterator<Item = u16> + use<'a>, Lc0Problem> {
    Ok(chunks::<2>(bytes, name)?.map(u16::from_le_bytes))
}

fn chunks<'a, const SIZE: usize>(
    bytes: &'a [u8],
    name: &str,
) -> Result<impl Iterator<Item = [u8; SIZE]> + use<'a, SIZE>, Lc0Problem> {
    let (whole, rest) = bytes.as_chunks::<SIZE>();
    if rest.is_empty() {
        return Ok(whole.iter().copied());
    }
    Err(Lc0Problem::Size {
        layer: name.into(),
        found: whole.len(),
        expected: format!("no {} bytes after them", rest.len()),
    })
}

/// LINEAR16: 0 stands for the smallest and 65535 for the largest value of the layer (`weights_adapter.cc`).
fn linear(word: u16, least: f32, greatest: f32) -> f32 {
    let share = f32::from(word) / f32::from(u16::MAX);
    least * (1.0 - share) + greatest * share
}

/// IEEE 754 binary16: every value is exact in `f32`.
fn half(word: u16) -> f32 {
    let sign = if word >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(word >> 10 & 31);
    let fraction = f32::from(word & 1023) / 1024.0;
    let magnitude = match exponent {
        0 => fraction * (-14_f32).exp2(),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * ((exponent - 15) as f32).exp2(),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(encoding: Option<i32>, params: &[u8]) -> Layer {
        Layer { min_val: Some(-1.0), max_val: Some(3.0), params: Some(params.to_vec()), encoding }
    }

    #[test]
    fn each_encoding_unpacks() {
        let linear = layer(None, &[0, 0, 0xff, 0xff]);
        assert_eq!(unpack(&linear, "x").unwrap(), [-1.0, 3.0]);
        let float16 = layer(Some(2), &[0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x55, 0x35]);
        assert_eq!(unpack(&float16, "x").unwrap(), [1.0, -2.0, 5.960_464_5e-8, 0.333_251_95]);
        let bfloat16 = layer(Some(3), &[0x80, 0x3f, 0x20, 0xc1]);
        assert_eq!(unpack(&bfloat16, "x").unwrap(), [1.0, -10.0]);
        let float32 = layer(Some(4), &1.25_f32.to_le_bytes());
        assert_eq!(unpack(&float32, "x").unwrap(), [1.25]);
    }

    #[test]
    fn broken_layers_are_refused_by_name() {
        let odd = unpack(&layer(None, &[1, 2, 3]), "value.weights").unwrap_err();
        assert_eq!(odd.to_string(), "layer value.weights has 1 numbers; expected no 1 bytes after them");
        let infinite = unpack(&layer(Some(2), &[0, 0, 0, 0x7c]), "b").unwrap_err();
        assert_eq!(infinite.to_string(), "layer b: number 1 is inf; expected a finite number");
        let unknown = unpack(&layer(Some(9), &[]), "b").unwrap_err();
        assert!(unknown.to_string().contains("number 9"), "{unknown}");
    }
}
