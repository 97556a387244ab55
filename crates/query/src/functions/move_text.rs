//! `san` and `uci`.

use chess::{Chess, Move, print_san, print_uci_move};
use datafusion::{
    arrow::array::{ArrayRef, StringArray},
    common::exec_datafusion_err,
    error::Result,
};
use dataset::{packed_move::PackedMove, packed_position::castling_mode};

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const SAN: Function = Function {
    usage: "san(position, move)",
    meaning: "a move of the columns `best_move`, `played_move` or `policy_moves` in SAN",
    arguments: &[&[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| evaluate(arguments, print_san),
};

pub(super) const UCI: Function = Function {
    usage: "uci(position, move)",
    meaning: "the same in UCI notation",
    arguments: &[&[Kind::Position, Kind::Integer]],
    returns: Kind::Text,
    evaluate: |arguments| {
        evaluate(arguments, |position, found| print_uci_move(found, castling_mode(position)))
    },
};

fn evaluate(arguments: &Arguments, print: impl Fn(&Chess, Move) -> String) -> Result<ArrayRef> {
    arguments.map::<StringArray, _>(|row| {
        let Some(bits) = arguments.number(1, row, "move")? else { return Ok(None) };
        let Some(position) = arguments.position(0, row)? else { return Ok(None) };
        let found = PackedMove(bits).unpack(&position);
        let found =
            found.ok_or_else(|| exec_datafusion_err!("{bits} is not a legal move of its position"))?;
        Ok(Some(print(&position, found)))
    })
}
