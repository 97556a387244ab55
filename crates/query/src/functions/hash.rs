use datafusion::arrow::array::Int64Array;
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
            Ok(Some((hasher.digest() >> 1).cast_signed()))
        })
    },
};
