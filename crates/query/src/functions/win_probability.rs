//! `win_probability` and `expected_score`.

use chess::{Score, Wdl};
use datafusion::{
    arrow::array::{ArrayRef, Float64Array},
    common::exec_err,
    error::Result,
};
use dataset::{EvaluationCurve, Stage};
use serde::Deserialize;

use super::Function;
use crate::arguments::{Arguments, Kind};

pub(super) const WIN_PROBABILITY: Function = Function {
    usage: "win_probability(centipawns, mate [, curve [, position, ply]])",
    meaning: "of the side to move; at most one of the two columns is not NULL; the curve is written as in a recipe, such as \
              'lichess' or '{ kind = \"tanh\", scale = 500 }'",
    arguments: CALLS,
    returns: Kind::Real,
    evaluate: |arguments| evaluate(arguments, |wdl| wdl.win),
};

pub(super) const EXPECTED_SCORE: Function = Function {
    usage: "expected_score(centipawns, mate [, curve [, position, ply]])",
    meaning: "the same probability plus half that of a draw",
    arguments: CALLS,
    returns: Kind::Real,
    evaluate: |arguments| evaluate(arguments, Wdl::expected_score),
};

const CALLS: &[&[Kind]] = &[
    &[Kind::Integer, Kind::Integer],
    &[Kind::Integer, Kind::Integer, Kind::Text],
    &[Kind::Integer, Kind::Integer, Kind::Text, Kind::Position, Kind::Integer],
];

fn evaluate(arguments: &Arguments, number: impl Fn(Wdl) -> f32) -> Result<ArrayRef> {
    let mut curves = Curves { last: None };
    arguments.map::<Float64Array, _>(|row| {
        let Some(score) = score(arguments, row)? else { return Ok(None) };
        let curve = if arguments.has(2) {
            let Some(text) = arguments.text(2, row) else { return Ok(None) };
            curves.curve(text)?
        } else {
            EvaluationCurve::default()
        };
        let stage = if arguments.has(3) {
            let Some(packed) = arguments.packed(3, row) else { return Ok(None) };
            let Some(ply) = arguments.number(4, row, "ply")? else { return Ok(None) };
            Stage { ply, material: packed.material() }
        } else if matches!(curve, EvaluationCurve::Stockfish | EvaluationCurve::Material { .. }) {
            return exec_err!(
                "the curve {curve} depends on the stage of the game; expected position and ply after it"
            );
        } else {
            Stage::START
        };
        Ok(Some(f64::from(number(curve.wdl(score, stage)))))
    })
}

fn score(arguments: &Arguments, row: usize) -> Result<Option<Score>> {
    match (arguments.number(0, row, "centipawns")?, arguments.number(1, row, "mate")?) {
        (None, None) => Ok(None),
        (Some(centipawns), None) => Ok(Some(Score::Centipawns(centipawns))),
        (None, Some(moves)) => Ok(Some(Score::Mate(moves))),
        (Some(centipawns), Some(moves)) => {
            exec_err!("found both centipawns {centipawns} and mate {moves}, expected one of them")
        }
    }
}

/// Curves by their text in the query. A query has one or a few, so the last one used is nearly always the
/// next.
struct Curves {
    last: Option<(String, EvaluationCurve)>,
}

impl Curves {
    fn curve(&mut self, text: &str) -> Result<EvaluationCurve> {
        match &self.last {
            Some((known, curve)) if known == text => Ok(*curve),
            _ => {
                let curve = parse(text)?;
                self.last = Some((text.to_owned(), curve));
                Ok(curve)
            }
        }
    }
}

/// Parses a curve as in a recipe; without constants, the name alone is enough.
fn parse(text: &str) -> Result<EvaluationCurve> {
    #[derive(Deserialize)]
    struct Written {
        curve: EvaluationCurve,
    }
    let table =
        if text.trim_start().starts_with('{') { text.to_owned() } else { format!("{{ kind = {text:?} }}") };
    let written = match toml::from_str::<Written>(&format!("curve = {table}")) {
        Ok(written) => written,
        Err(error) => return exec_err!("the curve {text:?}: {}", error.message().trim_end()),
    };
    for (name, found, range) in written.curve.constants() {
        if !range.contains(&found) {
            let (least, greatest) = range.into_inner();
            return exec_err!("the curve {text:?}: {name}: found {found}, expected {least} to {greatest}");
        }
    }
    Ok(written.curve)
}
