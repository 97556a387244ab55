//! `material` and `material_balance`.

use chess::{Color, Role};
use datafusion::arrow::array::Int64Array;
use dataset::packed_position::PackedPosition;

use super::Function;
use crate::arguments::Kind;

pub(super) const MATERIAL: Function = Function {
    usage: "material(position)",
    meaning: "material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9",
    arguments: &[&[Kind::Position]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments.map::<Int64Array, _>(|row| {
            Ok(arguments.packed(0, row).map(|packed| i64::from(packed.material())))
        })
    },
};

pub(super) const MATERIAL_BALANCE: Function = Function {
    usage: "material_balance(position)",
    meaning: "material of the side to move minus the material of its opponent",
    arguments: &[&[Kind::Position]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        let of = |packed: &PackedPosition, color: Color| -> i64 {
            VALUES.iter().map(|&(role, value)| value * i64::from(packed.count(role.of(color)))).sum()
        };
        let balance = |packed: PackedPosition| of(&packed, packed.turn()) - of(&packed, !packed.turn());
        arguments.map::<Int64Array, _>(|row| Ok(arguments.packed(0, row).map(balance)))
    },
};

const VALUES: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
