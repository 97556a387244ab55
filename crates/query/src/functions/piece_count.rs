use chess::shakmaty::Piece;
use datafusion::{arrow::array::Int64Array, common::exec_datafusion_err, error::Result};

use super::Function;
use crate::arguments::Kind;

pub(super) const PIECE_COUNT: Function = Function {
    usage: "piece_count(position [, letters])",
    meaning: "pieces on the board, kings and pawns included; with letters of FEN, such as 'Qq', only pieces of these kinds",
    arguments: &[&[Kind::Position], &[Kind::Position, Kind::Text]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments.map::<Int64Array, _>(|row| {
            let Some(packed) = arguments.packed(0, row) else { return Ok(None) };
            if !arguments.has(1) {
                return Ok(Some(i64::from(packed.pieces())));
            }
            let Some(letters) = arguments.text(1, row) else { return Ok(None) };
            let count = |letter| {
                let piece = Piece::from_char(letter).ok_or_else(|| {
                    exec_datafusion_err!("found {letter:?}, expected letters of PNBRQKpnbrqk")
                })?;
                Ok(i64::from(packed.count(piece)))
            };
            letters.chars().map(count).sum::<Result<i64>>().map(Some)
        })
    },
};
