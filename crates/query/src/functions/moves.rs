//! Functions of moves: `legal_moves`, `legal_move_count`, `san` and `uci`.

use std::sync::Arc;

use chess::{Chess, Move, Position as _, print_san, print_uci_move};
use datafusion::{
    arrow::array::{ArrayRef, Int64Array, ListBuilder, StringArray, StringBuilder},
    common::exec_datafusion_err,
    error::Result,
};
use dataset::{packed_move::PackedMove, packed_position::castling_mode};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const LEGAL_MOVES: Function = Function {
    usage: "legal_moves(position)",
    meaning: "list of the legal moves in UCI notation; empty where the game is over",
    arguments: &[&[Kind::Position]],
    returns: Kind::Texts,
    evaluate: legal_moves,
};

pub(super) const LEGAL_MOVE_COUNT: Function = Function {
    usage: "legal_move_count(position)",
    meaning: "number of legal moves",
    arguments: &[&[Kind::Position]],
    returns: Kind::Integer,
    evaluate: |arguments| {
        arguments.map::<Int64Array, _>(|row| {
            Ok(arguments.position(0, row)?.map(|position| position.legal_moves().len() as i64))
        })
    },
};

fn legal_moves(arguments: &Arguments) -> Result<ArrayRef> {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in arguments.rows() {
        let position = arguments.position(0, row)?;
        if let Some(position) = &position {
            let mode = castling_mode(position);
            for legal in position.legal_moves() {
                lists.values().append_value(print_uci_move(legal, mode));
            }
        }
        lists.append(position.is_some());
    }
    Ok(Arc::new(lists.finish()))
}

pub(super) const SAN: Function = Function {
    usage: "san(position, move)",
    meaning: "a move of the columns `best_move`, `played_move` or `policy_moves` in SAN",
    arguments: &[&[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| print_moves(arguments, print_san),
};

pub(super) const UCI: Function = Function {
    usage: "uci(position, move)",
    meaning: "the same in UCI notation",
    arguments: &[&[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| {
        print_moves(arguments, |position, found| print_uci_move(found, castling_mode(position)))
    },
};

fn print_moves(arguments: &Arguments, print: impl Fn(&Chess, Move) -> String) -> Result<ArrayRef> {
    arguments.map::<StringArray, _>(|row| {
        let Some(bits) = arguments.number(1, row, "move")? else { return Ok(None) };
        let Some(position) = arguments.position(0, row)? else { return Ok(None) };
        let found = PackedMove(bits).unpack(&position);
        let found =
            found.ok_or_else(|| exec_datafusion_err!("{bits} is not a legal move of its position"))?;
        Ok(Some(print(&position, found)))
    })
}
