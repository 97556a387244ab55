use datafusion::{
    arrow::array::{ArrayRef, UInt64Array},
    error::Result,
};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const POSITION_KEY: Function = Function {
    usage: "position_key(position)",
    meaning: "hash of the position without its fifty-move counter: equal for repetitions",
    arguments: &[&[Kind::Position]],
    returns: Kind::Key,
    evaluate,
};

fn evaluate(arguments: &Arguments) -> Result<ArrayRef> {
    arguments.map::<UInt64Array, _>(|row| Ok(arguments.packed(0, row).map(|packed| packed.key())))
}
