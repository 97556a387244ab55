use datafusion::arrow::array::Int64Array;

use super::Function;
use crate::arguments::Kind;

pub(super) const FIFTY_MOVES: Function = Function {
    usage: "fifty_moves(position)",
    meaning: "half-moves since the last capture or pawn move",
    arguments: &[&[Kind::Position]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments
            .map::<Int64Array, _>(|row| Ok(arguments.packed(0, row).map(|packed| i64::from(packed.clock()))))
    },
};
