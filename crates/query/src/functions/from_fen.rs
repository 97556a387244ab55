use std::sync::Arc;

use chess::notation::fen::parse_any_fen;
use datafusion::{
    arrow::array::{ArrayRef, FixedSizeBinaryBuilder},
    common::exec_datafusion_err,
    error::Result,
};
use dataset::packed_position::{PACKED_POSITION_BYTES, PackedPosition};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const FROM_FEN: Function = Function {
    usage: "from_fen(fen)",
    meaning: "position of a FEN of four or six fields, as in the column `position`",
    arguments: &[&[Kind::Text]],
    returns: Kind::Position,
    evaluate,
};

fn evaluate(arguments: &Arguments) -> Result<ArrayRef> {
    let mut positions = FixedSizeBinaryBuilder::new(PACKED_POSITION_BYTES as i32);
    for row in arguments.rows() {
        match arguments.text(0, row) {
            Some(text) => {
                let (position, _) = parse_any_fen(text).map_err(|error| exec_datafusion_err!("{error}"))?;
                positions.append_value(PackedPosition::pack(&position).0)?;
            }
            None => positions.append_null(),
        }
    }
    Ok(Arc::new(positions.finish()))
}
