use chess::shakmaty::{EnPassantMode, fen::Fen};
use datafusion::{arrow::array::StringArray, common::exec_datafusion_err};

use super::Function;
use crate::arguments::Kind;

pub(super) const FEN: Function = Function {
    usage: "fen(position [, ply])",
    meaning: "FEN; its move number is 1 without the ply",
    arguments: &[&[Kind::Position], &[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| {
        arguments.map::<StringArray, _>(|row| {
            let ply = if arguments.has(1) { arguments.number(1, row, "ply")? } else { Some(0) };
            let Some((packed, ply)) = arguments.packed(0, row).zip(ply) else { return Ok(None) };
            let position = packed.at_ply(ply).map_err(|error| exec_datafusion_err!("{error}"))?;
            Ok(Some(Fen::from_position(&position, EnPassantMode::Legal).to_string()))
        })
    },
};
