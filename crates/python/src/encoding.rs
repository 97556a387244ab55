//! Positions as a network reads them.

use chess::{
    Game, PlayerRatings, Position as _,
    encoding::{FeatureList, FeatureSet, InputEncoding, MoveEncoding, Plane},
};
use dataset::{Batch, SampleLists, SparseInputs};
use network::Inputs;
use pyo3::{prelude::*, types::PyDict};

use crate::{arrays::Arrays, named::Encoding, record::Record};

/// Encodes positions of games between players of these ratings (White's, Black's): the network's input, and the policy indices or
/// rows of their legal moves, in the order of [`Game::legal_moves`].
#[pyfunction]
pub(crate) fn encode(
    py: Python<'_>,
    encoding: (String, Option<String>),
    records: Vec<Record>,
    ratings: (Option<u16>, Option<u16>),
    packed: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let (encoding, moves) = encoding;
    let inputs = Encoding::read(&encoding, moves.as_deref())?.inputs;
    let ratings = PlayerRatings { white: ratings.0, black: ratings.1 };
    let games = records
        .iter()
        .enumerate()
        .map(|(index, record)| Ok(record.game(&format!("position {index}"))?.with_ratings(ratings)));
    let games = games.collect::<PyResult<Vec<Game>>>()?;
    let arrays = py.detach(|| match inputs {
        Inputs::Planes(input, moves) => of_planes(&games, input, moves, packed),
        Inputs::Features(sets) => of_features(&games, &sets),
    });
    arrays.into_dict(py)
}

fn of_planes(
    games: &[Game],
    input: &'static dyn InputEncoding,
    moves: &dyn MoveEncoding,
    packed: bool,
) -> Arrays {
    let mut planes = vec![Plane::EMPTY; games.len() * input.planes()];
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for (game, planes) in games.iter().zip(planes.chunks_exact_mut(input.planes())) {
        input.encode(game, planes);
        let position = game.position();
        indices.extend(position.legal_moves().iter().map(|&legal| moves.index(position, legal) as u16));
        offsets.push(indices.len() as u32);
    }
    let mut arrays = Arrays::default();
    arrays.with_planes(&planes, input, packed);
    arrays.with_moves(offsets, indices);
    arrays
}

fn of_features(games: &[Game], sets: &[&'static dyn FeatureSet]) -> Arrays {
    let mut sparse =
        SparseInputs { features: vec![SampleLists::default(); sets.len()], ..SparseInputs::default() };
    let mut offsets = vec![0];
    let mut found = FeatureList::new();
    for game in games {
        let position = game.position();
        sparse.push(position, &position.legal_moves(), sets, &mut found);
        offsets.push(sparse.move_rows.len() as u32);
    }
    let mut arrays = Arrays::default();
    arrays.with_features(&Batch { sparse, legal_offsets: offsets, ..Batch::default() });
    arrays
}
