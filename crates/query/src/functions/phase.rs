use datafusion::arrow::array::StringArray;
use dataset::Phase;

use super::Function;
use crate::arguments::Kind;

pub(super) const PHASE: Function = Function {
    usage: "phase(position, ply)",
    meaning: "`opening` (ten moves of each side), `endgame` (pieces worth 26 pawns or less beside kings and pawns), \
              otherwise `middlegame`; as `tabiya data stats` counts them",
    arguments: &[&[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| {
        arguments.map::<StringArray, _>(|row| {
            let ply = arguments.number(1, row, "ply")?;
            Ok(arguments.packed(0, row).zip(ply).map(|(packed, ply)| Phase::of(&packed, ply).name()))
        })
    },
};
