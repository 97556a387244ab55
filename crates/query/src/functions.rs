//! Chess as scalar functions of SQL.

mod keys;
mod moves;
mod position;
mod win_probability;

use std::sync::Arc;

use datafusion::{
    arrow::array::ArrayRef,
    error::{DataFusionError, Result},
    logical_expr::{ScalarUDF, Signature, TypeSignature, Volatility, expr_fn::SimpleScalarUDF},
};

use crate::arguments::{Arguments, Kind};

/// An SQL function. It returns NULL for NULL unless documented otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Signature; arguments in brackets may be omitted.
    pub usage: &'static str,
    /// Description of the result.
    pub meaning: &'static str,
    /// The arguments of each way to call it.
    arguments: &'static [&'static [Kind]],
    returns: Kind,
    evaluate: fn(&Arguments) -> Result<ArrayRef>,
}

/// The functions of every session.
pub const FUNCTIONS: &[Function] = &[
    position::FEN,
    position::FROM_FEN,
    position::SIDE_TO_MOVE,
    position::FIFTY_MOVES,
    keys::POSITION_KEY,
    keys::HASH,
    keys::SPLIT_OF,
    position::PIECE_COUNT,
    position::MATERIAL,
    position::MATERIAL_BALANCE,
    position::PHASE,
    position::IN_CHECK,
    moves::LEGAL_MOVES,
    moves::LEGAL_MOVE_COUNT,
    moves::SAN,
    moves::UCI,
    win_probability::WIN_PROBABILITY,
    win_probability::EXPECTED_SCORE,
];

impl Function {
    /// The name in a query: the usage up to the bracket.
    pub fn name(&self) -> &'static str {
        self.usage.split('(').next().unwrap_or(self.usage)
    }

    /// The function in the form that the query engine registers.
    pub(crate) fn to_udf(self) -> ScalarUDF {
        let mut signatures = Vec::with_capacity(self.arguments.len());
        for kinds in self.arguments {
            signatures.push(TypeSignature::Exact(kinds.iter().map(|kind| kind.data_type()).collect()));
        }
        let implementation = Arc::new(move |values: &[_]| {
            let arguments = Arguments::new(values)?;
            let result = (self.evaluate)(&arguments)
                .map_err(|error| DataFusionError::Execution(format!("{}: {error}", self.name())))?;
            arguments.value(result)
        });
        ScalarUDF::from(SimpleScalarUDF::new_with_signature(
            self.name(),
            Signature::one_of(signatures, Volatility::Immutable),
            self.returns.data_type(),
            implementation,
        ))
    }
}
