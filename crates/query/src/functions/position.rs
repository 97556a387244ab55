//! Functions of a position.

use std::sync::Arc;

use chess::{
    Color, Position as _, Role,
    notation::fen::parse_any_fen,
    shakmaty::{EnPassantMode, Piece, fen::Fen},
};
use datafusion::{
    arrow::array::{ArrayRef, BooleanArray, FixedSizeBinaryBuilder, Int64Array, StringArray},
    common::{exec_datafusion_err, exec_err},
    error::Result,
};
use dataset::{
    Phase,
    packed_position::{PACKED_POSITION_BYTES, PackedPosition},
};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const FEN: Function = Function {
    usage: "fen(position [, ply])",
    meaning: "FEN; its move number is 1 without the ply",
    arguments: &[&[Kind::Position], &[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| {
        arguments.map::<StringArray, _>(|row| {
            let ply = if arguments.has(1) { arguments.number(1, row, "ply")? } else { Some(0) };
            let Some((packed, ply)) = arguments.packed(0, row).zip(ply) else { return Ok(None) };
            let position = packed.at_ply(ply).map_err(|error| exec_datafusion_err!("{error}"))?;
            Ok(Some(Fen::from_position(&position, EnPassantMode::Legal).to_string()))
        })
    },
};

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

pub(super) const PHASE: Function = Function {
    usage: "phase(position, ply)",
    meaning: "`opening` (ten moves of each side), `endgame` (pieces worth 26 pawns or less apart from kings and pawns), \
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

pub(super) const PIECE_COUNT: Function = Function {
    usage: "piece_count(position [, letters])",
    meaning: "pieces on the board, kings and pawns included; with letters of FEN, such as 'Qq', only pieces of these kinds",
    arguments: &[&[Kind::Position], &[Kind::Position, Kind::Text]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments.map::<Int64Array, _>(|row| {
            let Some(packed) = arguments.packed(0, row) else { return Ok(None) };
            if !arguments.has(1) {
                return Ok(Some(i64::from(packed.pieces())));
            }
            let Some(letters) = arguments.text(1, row) else { return Ok(None) };
            let mut count = 0;
            for letter in letters.chars() {
                let Some(piece) = Piece::from_char(letter) else {
                    return exec_err!("found {letter:?}, expected letters of PNBRQKpnbrqk");
                };
                count += i64::from(packed.count(piece));
            }
            Ok(Some(count))
        })
    },
};

pub(super) const SIDE_TO_MOVE: Function = Function {
    usage: "side_to_move(position)",
    meaning: "`white` or `black`",
    arguments: &[&[Kind::Position]],
    returns: Kind::Text,
    evaluate: |arguments| {
        arguments.map::<StringArray, _>(|row| {
            Ok(arguments.packed(0, row).map(|packed| packed.turn().fold_wb("white", "black")))
        })
    },
};

pub(super) const FROM_FEN: Function = Function {
    usage: "from_fen(fen)",
    meaning: "position of a FEN of four to six fields, as in the column `position`",
    arguments: &[&[Kind::Text]],
    returns: Kind::Position,
    evaluate,
};

fn evaluate(arguments: &Arguments) -> Result<ArrayRef> {
    let mut positions = FixedSizeBinaryBuilder::new(PACKED_POSITION_BYTES as i32);
    for row in arguments.rows() {
        match arguments.text(0, row) {
            Some(text) => {
                let (position, _) = parse_any_fen(text).map_err(|error| exec_datafusion_err!("{error}"))?;
                positions.append_value(PackedPosition::pack(&position).0)?;
            }
            None => positions.append_null(),
        }
    }
    Ok(Arc::new(positions.finish()))
}

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
        arguments.map::<Int64Array, _>(|row| {
            let Some(packed) = arguments.packed(0, row) else { return Ok(None) };
            let own = material_of(&packed, packed.turn());
            Ok(Some(own - material_of(&packed, !packed.turn())))
        })
    },
};

const VALUES: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

fn material_of(packed: &PackedPosition, color: Color) -> i64 {
    VALUES.iter().map(|&(role, value)| value * i64::from(packed.count(role.of(color)))).sum()
}
