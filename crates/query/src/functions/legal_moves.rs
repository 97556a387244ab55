//! `legal_moves` and `legal_move_count`.

use std::sync::Arc;

use chess::{Position as _, print_uci_move};
use datafusion::{
    arrow::array::{ArrayRef, Int64Array, ListBuilder, StringBuilder},
    error::Result,
};
use dataset::packed_position::castling_mode;

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
