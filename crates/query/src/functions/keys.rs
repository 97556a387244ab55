//! Keys of positions, and choices that depend on a key alone.

use datafusion::{
    arrow::array::{Int64Array, StringArray, UInt64Array},
    common::exec_err,
};
use dataset::Split;
use xxhash_rust::xxh3::Xxh3;

use super::Function;
use crate::arguments::Kind;

pub(super) const HASH: Function = Function {
    usage: "hash(key [, number [, number [, number]]])",
    meaning: "number from 0 that is always the same for the same arguments and otherwise looks random: hash(game) % 10 = 0 chooses a \
              tenth of the games, hash(game, 7) % 10 = 0 another tenth",
    arguments: &[
        &[Kind::Key],
        &[Kind::Key, Kind::Integer],
        &[Kind::Key, Kind::Integer, Kind::Integer],
        &[Kind::Key, Kind::Integer, Kind::Integer, Kind::Integer],
    ],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments.map::<Int64Array, _>(|row| {
            let Some(key) = arguments.key(0, row) else { return Ok(None) };
            let mut hasher = Xxh3::new();
            hasher.update(&key.to_le_bytes());
            for index in (1..).take_while(|&index| arguments.has(index)) {
                let Some(number) = arguments.integer(index, row) else { return Ok(None) };
                hasher.update(&number.to_le_bytes());
            }
            // Without its lowest bit the hash is a BIGINT that is never negative, so that `% 10` has ten values and not nineteen.
            Ok(Some((hasher.digest() >> 1).cast_signed()))
        })
    },
};

pub(super) const POSITION_KEY: Function = Function {
    usage: "position_key(position)",
    meaning: "hash of the position without its fifty-move counter: equal for repetitions",
    arguments: &[&[Kind::Position]],
    returns: Kind::Key,
    evaluate: |arguments| {
        arguments.map::<UInt64Array, _>(|row| Ok(arguments.packed(0, row).map(|packed| packed.key())))
    },
};

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
