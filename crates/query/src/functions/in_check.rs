use chess::Position as _;
use datafusion::arrow::array::BooleanArray;

use super::Function;
use crate::arguments::Kind;

pub(super) const IN_CHECK: Function = Function {
    usage: "in_check(position)",
    meaning: "whether the side to move is in check",
    arguments: &[&[Kind::Position]],
    returns: Kind::Truth,
    evaluate: |arguments| {
        arguments
            .map::<BooleanArray, _>(|row| Ok(arguments.position(0, row)?.map(|position| position.is_check())))
    },
};
