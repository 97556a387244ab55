use datafusion::arrow::array::UInt64Array;

use super::Function;
use crate::arguments::Kind;

pub(super) const POSITION_KEY: Function = Function {
    usage: "position_key(position)",
    meaning: "hash of the position without its fifty-move counter: equal for repetitions",
    arguments: &[&[Kind::Position]],
    returns: Kind::Key,
    evaluate: |arguments| {
        arguments.map::<UInt64Array, _>(|row| Ok(arguments.packed(0, row).map(|packed| packed.key())))
    },
};
