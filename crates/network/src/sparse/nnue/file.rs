//! The file format: little-endian numbers without gaps, as written by `stockfish` on `export_net` (Stockfish 15.1,
//! `evaluate_nnue.cpp`). Hashes in it identify the shape of each part.

use kernels::sparse::{NnuePlan, NnueStack};

use crate::sparse::nnue::{NnueError, features::FEATURES};

/// The first number of every file since Stockfish 12.
pub(crate) const VERSION: u32 = 0x7AF3_2F20;
/// Hash of the table: that of the features, 0x7F234CB8, combined with twice the width.
pub(crate) const TABLE: u32 = 0x7F23_4CB8 ^ (2 * NnuePlan::WIDTH as u32);
pub(crate) const LAYERS: u32 = layers_hash();
/// Limit on the length of the description; a longer one must be an error.
const LONGEST_DESCRIPTION: usize = 4096;

/// The hash of the layers (1024, 16, 32, 1), by the rules of `affine_transform.h` and `clipped_relu.h`.
///
/// It is computed and not copied from a file, because it depends on the sizes alone: a file of another shape is refused by its
/// first bytes and not by its length after 40 million numbers were read wrongly.
const fn layers_hash() -> u32 {
    const fn layer(before: u32, outputs: u32) -> u32 {
        0xCC03_DAE4_u32.wrapping_add(outputs) ^ (before >> 1) ^ (before << 31)
    }
    const fn clipped(before: u32) -> u32 {
        0x538D_24C7_u32.wrapping_add(before)
    }
    let input = 0xEC42_E90D ^ (2 * NnuePlan::WIDTH as u32);
    layer(clipped(layer(clipped(layer(input, 16)), 32)), 1)
}

/// Reads a file; `place` names it in errors.
pub(crate) fn parse(bytes: &[u8], place: &str) -> Result<NnuePlan, NnueError> {
    let mut reader = Reader { bytes, at: 0, place };
    reader.expect("version", VERSION)?;
    reader.expect("hash of the network", TABLE ^ LAYERS)?;
    let length = reader.number("length of the description")? as usize;
    if length > LONGEST_DESCRIPTION {
        let expected = format!("at most {LONGEST_DESCRIPTION}");
        return Err(reader.wrong("length of the description", length.to_string(), expected));
    }
    reader.take("description", length)?;
    reader.expect("hash of the table", TABLE)?;
    let mut plan = NnuePlan {
        bias: reader.halves("bias of the table", NnuePlan::WIDTH)?,
        rows: reader.halves("rows of the table", FEATURES * NnuePlan::WIDTH)?,
        material: reader.words("material of the table", FEATURES * NnuePlan::STACKS)?,
        stacks: Vec::new(),
    };
    for number in 0..NnuePlan::STACKS {
        reader.expect(&format!("hash of stack {number}"), LAYERS)?;
        plan.stacks.push(NnueStack {
            first: reader.layer(number, 16, NnuePlan::WIDTH)?,
            second: reader.layer(number, 32, 32)?,
            third: reader.layer(number, 1, 32)?,
        });
    }
    let left = bytes.len() - reader.at;
    if left > 0 {
        return Err(reader.wrong("end", format!("{left} more bytes"), "none".into()));
    }
    Ok(plan)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    place: &'a str,
}

impl<'a> Reader<'a> {
    fn wrong(&self, part: &str, found: String, expected: String) -> NnueError {
        NnueError::Format { place: self.place.into(), offset: self.at, part: part.into(), found, expected }
    }

    fn take(&mut self, part: &str, count: usize) -> Result<&'a [u8], NnueError> {
        let left = &self.bytes[self.at..];
        let Some(taken) = left.get(..count) else {
            return Err(self.wrong(part, format!("{} bytes", left.len()), format!("{count} bytes")));
        };
        self.at += count;
        Ok(taken)
    }

    /// Weights, `[outputs][inputs]`, and bias of a layer in stack `stack`.
    fn layer(
        &mut self,
        stack: usize,
        outputs: usize,
        inputs: usize,
    ) -> Result<(Vec<i8>, Vec<i32>), NnueError> {
        let part = format!("layer of {outputs} outputs in stack {stack}");
        let bias = self.words(&part, outputs)?;
        let weights = self.take(&part, outputs * inputs)?;
        Ok((weights.iter().map(|weight| weight.cast_signed()).collect(), bias))
    }

    fn number(&mut self, part: &str) -> Result<u32, NnueError> {
        Ok(self.words(part, 1)?[0] as u32)
    }

    fn expect(&mut self, part: &str, expected: u32) -> Result<(), NnueError> {
        let found = self.number(part)?;
        if found == expected {
            return Ok(());
        }
        self.at -= 4;
        let expected = format!("{expected:#010x}, that of Stockfish 15.1's networks");
        Err(self.wrong(part, format!("{found:#010x}"), expected))
    }

    fn halves(&mut self, part: &str, count: usize) -> Result<Vec<i16>, NnueError> {
        let (numbers, _) = self.take(part, 2 * count)?.as_chunks();
        Ok(numbers.iter().map(|bytes| i16::from_le_bytes(*bytes)).collect())
    }

    fn words(&mut self, part: &str, count: usize) -> Result<Vec<i32>, NnueError> {
        let (numbers, _) = self.take(part, 4 * count)?.as_chunks();
        Ok(numbers.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect())
    }
}
