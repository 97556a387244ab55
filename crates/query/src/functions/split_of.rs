use datafusion::{arrow::array::StringArray, common::exec_err};
use dataset::Split;

use super::Function;
use crate::arguments::Kind;

pub(super) const SPLIT_OF: Function = Function {
    usage: "split_of(key, share)",
    meaning: "'validation' for a share, 0 to 1, of the keys and 'train' for the others, as `tabiya data build` splits games by `game` and \
              other positions by `position_key`",
    arguments: &[&[Kind::Key, Kind::Real]],
    returns: Kind::Text,
    evaluate: |arguments| {
        arguments.map::<StringArray, _>(|row| {
            let Some((key, share)) = arguments.key(0, row).zip(arguments.real(1, row)) else {
                return Ok(None);
            };
            if !(0.0..=1.0).contains(&share) {
                return exec_err!("found the share {share}, expected 0 to 1");
            }
            Ok(Some(Split::of(key, share).name()))
        })
    },
};
