use datafusion::{
    arrow::array::{ArrayRef, Int64Array},
    error::Result,
};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const FIFTY_MOVES: Function = Function {
    usage: "fifty_moves(position)",
    meaning: "half-moves since the last capture or pawn's move",
    arguments: &[&[Kind::Position]],
    returns: Kind::Integer,
    evaluate,
};

fn evaluate(arguments: &Arguments) -> Result<ArrayRef> {
    arguments.map::<Int64Array, _>(|row| Ok(arguments.packed(0, row).map(|packed| i64::from(packed.clock()))))
}
