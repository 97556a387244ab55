use datafusion::arrow::array::StringArray;

use super::Function;
use crate::arguments::Kind;

pub(super) const SIDE_TO_MOVE: Function = Function {
    usage: "side_to_move(position)",
    meaning: "`white` or `black`",
    arguments: &[&[Kind::Position]],
    returns: Kind::Text,
    evaluate: |arguments| {
        let name = |row| arguments.packed(0, row).map(|packed| packed.turn().fold_wb("white", "black"));
        arguments.map::<StringArray, _>(|row| Ok(name(row)))
    },
};
