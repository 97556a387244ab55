//! Statistics of results: the functions of `strength::statistics`, with results as JSON.

use pyo3::prelude::*;
use serde::Serialize;
use strength::statistics::{
    PairTally, Sprt, SprtModel, Tally, elo_from_games, elo_from_pairs, normalized_elo,
};

use crate::failure::failure;

/// The rating difference that single games (wins, draws, losses) show; nothing without games.
#[pyfunction]
pub(crate) fn elo(games: Option<[u64; 3]>, pairs: Option<[u64; 5]>) -> PyResult<Option<String>> {
    let estimate = match (games, pairs) {
        (Some([wins, draws, losses]), None) => elo_from_games(Tally { wins, draws, losses }),
        (None, Some(pairs)) => elo_from_pairs(PairTally(pairs)),
        _ => return Err(failure("elo: expected either games or pairs of games")),
    };
    let normalized = pairs.map(PairTally).and_then(normalized_elo);
    estimate.map(|estimate| json(&(estimate, normalized))).transpose()
}

/// State of a sequential test after these pairs of games.
#[pyfunction]
pub(crate) fn sprt(
    pairs: [u64; 5],
    hypotheses: (f64, f64),
    errors: (Option<f64>, Option<f64>),
    normalized: bool,
) -> PyResult<String> {
    let (elo0, elo1) = hypotheses;
    let (alpha, beta) = (errors.0.unwrap_or(Sprt::ERROR_RATE), errors.1.unwrap_or(Sprt::ERROR_RATE));
    let test = Sprt { model: model(normalized), elo0, elo1, alpha, beta }.checked().map_err(failure)?;
    json(&test.judge(PairTally(pairs)))
}

/// The scale of the hypotheses.
pub(crate) fn model(normalized: bool) -> SprtModel {
    if normalized { SprtModel::Normalized } else { SprtModel::Logistic }
}

/// A value as the text that the package reads.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(failure)
}
