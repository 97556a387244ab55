//! Networks that evaluate positions.

use std::sync::Arc;

use chess::{CastlingMode, Evaluation, EvaluationRequest, Evaluator, Game, Move, PlayerRatings, StopSignal};
use network::Precision;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use player::{BUNDLED, EVALUATORS, OpenedEvaluator, SYSTEMS, open_evaluator};
use pyo3::prelude::*;

use crate::{failure::failure, record::Record, waiting::watched};

/// Positions that are evaluated at once, so that memory is bounded and Ctrl-C is heard between them.
const CHUNK: usize = 256;

/// The names that need no file: the bundled networks, those of the reproduced systems, then the evaluators without a network.
#[pyfunction]
pub(crate) fn networks() -> Vec<&'static str> {
    let bundled = BUNDLED.iter().map(|network| network.name);
    let systems = SYSTEMS.iter().map(|system| system.network.name);
    bundled.chain(systems).chain(EVALUATORS.iter().map(|named| named.name)).collect()
}

/// A network or another evaluator, ready for use.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub(crate) struct Network {
    opened: OpenedEvaluator,
}

/// `n` positions: win, draw and loss `[n, 3]` for the side to move; moves left `[n]`, where the network predicts them; where
/// the moves of each position start and the last ones end, `[n + 1]`; then of every legal move: from, to, promotion (as
/// python-chess numbers squares and pieces, 0 = none) and prior.
type Answers<'py> = (
    Bound<'py, PyArray2<f32>>,
    Option<Bound<'py, PyArray1<f32>>>,
    Bound<'py, PyArray1<i64>>,
    [Bound<'py, PyArray1<u8>>; 3],
    Bound<'py, PyArray1<f32>>,
);

#[pymethods]
impl Network {
    /// Opens a network by name or path.
    #[new]
    fn new(py: Python<'_>, net: String, precision: Option<&str>) -> PyResult<Self> {
        let precision: Option<Precision> = precision.map(str::parse).transpose().map_err(failure)?;
        let opened = py.detach(|| open_evaluator(&net, precision)).map_err(failure)?;
        Ok(Self { opened })
    }

    /// The name it was opened by.
    #[getter]
    pub(crate) fn net(&self) -> &str {
        &self.opened.net
    }

    /// Network and arithmetic.
    #[getter]
    fn description(&self) -> String {
        self.opened.describe()
    }

    /// Whether it has a policy, and whether it has a value.
    #[getter]
    fn heads(&self) -> (bool, bool) {
        let heads = self.opened.evaluator.heads();
        (heads.policy, heads.value)
    }

    /// Evaluates positions between players of these ratings (White's, Black's); see [`Answers`].
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        records: Vec<Record>,
        ratings: (Option<u16>, Option<u16>),
    ) -> PyResult<Answers<'py>> {
        let ratings = PlayerRatings { white: ratings.0, black: ratings.1 };
        let stop = StopSignal::default();
        let evaluator = self.evaluator();
        let table =
            watched(py, &stop, |_| Table::new(evaluator.as_ref(), &records, ratings, &stop), |_, ()| Ok(()));
        table??.into_arrays(py)
    }
}

impl Network {
    /// The evaluator for a search.
    pub(crate) fn evaluator(&self) -> Arc<dyn Evaluator> {
        Arc::clone(&self.opened.evaluator)
    }
}

/// [`Answers`] before they are arrays.
#[derive(Default)]
struct Table {
    wdl: Vec<f32>,
    moves_left: Vec<f32>,
    offsets: Vec<i64>,
    from: Vec<u8>,
    to: Vec<u8>,
    promotion: Vec<u8>,
    priors: Vec<f32>,
}

impl Table {
    fn new(
        evaluator: &dyn Evaluator,
        records: &[Record],
        ratings: PlayerRatings,
        stop: &StopSignal,
    ) -> PyResult<Self> {
        let mut table = Self { offsets: vec![0], ..Self::default() };
        for (chunk, records) in records.chunks(CHUNK).enumerate() {
            if stop.is_stopped() {
                break;
            }
            let games = records.iter().enumerate().map(|(index, record)| {
                let place = format!("position {}", chunk * CHUNK + index);
                let game = record.game(&place)?.with_ratings(ratings);
                if game.legal_moves().is_empty() {
                    let fen = game.fen();
                    return Err(failure(format_args!(
                        "{place}: found no legal move in {fen}, expected a position that is not over"
                    )));
                }
                Ok(game)
            });
            table.evaluate(evaluator, &games.collect::<PyResult<Vec<Game>>>()?)?;
        }
        Ok(table)
    }

    fn evaluate(&mut self, evaluator: &dyn Evaluator, games: &[Game]) -> PyResult<()> {
        let moves: Vec<Vec<Move>> =
            games.iter().map(|game| game.legal_moves().into_iter().collect()).collect();
        let requests: Vec<EvaluationRequest<'_>> = games
            .iter()
            .zip(&moves)
            .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
            .collect();
        let evaluations = search::evaluate(evaluator, &requests).map_err(failure)?;
        for (request, evaluation) in requests.iter().zip(evaluations) {
            self.push(request, &evaluation);
        }
        Ok(())
    }

    fn push(&mut self, request: &EvaluationRequest<'_>, evaluation: &Evaluation) {
        let wdl = evaluation.wdl;
        self.wdl.extend([wdl.win, wdl.draw, wdl.loss]);
        self.moves_left.extend(evaluation.moves_left);
        self.priors.extend(&evaluation.priors);
        self.offsets.push(self.priors.len() as i64);
        for &legal_move in request.legal_moves {
            let (from, to) = squares(legal_move, request.game.castling_mode());
            self.from.push(from);
            self.to.push(to);
            self.promotion.push(legal_move.promotion().map_or(0, u8::from));
        }
    }

    fn into_arrays(self, py: Python<'_>) -> PyResult<Answers<'_>> {
        let positions = self.offsets.len() - 1;
        let wdl = PyArray1::from_vec(py, self.wdl).reshape([positions, 3])?;
        let moves_left = (positions > 0 && self.moves_left.len() == positions)
            .then(|| PyArray1::from_vec(py, self.moves_left));
        let moves = [self.from, self.to, self.promotion].map(|column| PyArray1::from_vec(py, column));
        Ok((
            wdl,
            moves_left,
            PyArray1::from_vec(py, self.offsets),
            moves,
            PyArray1::from_vec(py, self.priors),
        ))
    }
}

/// Start and end squares of a move in UCI notation: for castling in Chess960 those of king and rook, else those of the king.
fn squares(legal_move: Move, mode: CastlingMode) -> (u8, u8) {
    use chess::shakmaty::uci::UciMove;
    match legal_move.to_uci(mode) {
        UciMove::Normal { from, to, .. } => (from.into(), to.into()),
        UciMove::Put { to, .. } => (to.into(), to.into()),
        UciMove::Null => (0, 0),
    }
}
