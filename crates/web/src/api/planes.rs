//! Positions as the input planes of a network.

use axum::extract::{Path, Query, State, rejection::QueryRejection};
use chess::Game;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Answer;
use crate::{
    app::App,
    error::{ApiError, Refusal},
    game::ColorView,
    limits::LONGEST_GAME,
};

/// Query of the planes: a position.
#[derive(Debug, Deserialize)]
pub(crate) struct PlanesRequest {
    /// The position before `moves`, FEN; the usual start if omitted.
    fen: Option<String>,
    /// The moves that lead to the position, UCI, separated by commas.
    #[serde(default)]
    moves: String,
}

/// A position as the input of a network.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlanesView {
    /// The input encoding.
    encoding: &'static str,
    /// The side whose first rank is at the bottom of the boards.
    view: ColorView,
    /// Channels that are not zero everywhere.
    boards: Vec<PlaneView>,
    /// Names of the channels that are zero everywhere.
    empty: Vec<String>,
    /// Channels outside the board.
    numbers: Vec<NumberView>,
}

/// A channel of the input.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaneView {
    /// Its index in the input.
    channel: usize,
    name: String,
    /// The 64 squares, rank by rank from the top of the board.
    squares: Vec<f32>,
}

/// A number of the input.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NumberView {
    /// Its index in the input.
    channel: usize,
    name: String,
    /// Value of the number, as the network reads it.
    value: f32,
}

/// The input planes of a network for a position; `null` for a network without planes
#[utoipa::path(
    get, path = "/networks/{id}/planes", tag = "insights",
    params(
        ("id" = String, Path, description = "The network's id"),
        ("fen" = Option<String>, Query, description = "The position before the moves, FEN; the usual start if omitted"),
        ("moves" = Option<String>, Query, description = "The moves, UCI, separated by commas")
    ),
    responses(
        (status = 200, body = Option<PlanesView>), (status = 404, body = Refusal), (status = 422, body = Refusal)
    )
)]
pub(crate) async fn planes(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<PlanesRequest>, QueryRejection>,
) -> Answer<Option<PlanesView>> {
    let Query(request) = query?;
    let game = request.game()?;
    app.answer(move |app| {
        let Some((encoding, seen)) = app.engines.planes(&id, &game)? else { return Ok(None) };
        let boards = seen.boards.into_iter().map(|(channel, squares)| PlaneView {
            channel,
            name: encoding.channel_name(channel),
            squares: squares.to_vec(),
        });
        let numbers = seen.numbers.into_iter().map(|(channel, value)| NumberView {
            channel,
            name: encoding.channel_name(channel),
            value,
        });
        Ok(Some(PlanesView {
            encoding: encoding.name(),
            view: encoding.value_viewer(game.turn()).into(),
            boards: boards.collect(),
            empty: seen.empty.into_iter().map(|channel| encoding.channel_name(channel)).collect(),
            numbers: numbers.collect(),
        }))
    })
    .await
}

impl PlanesRequest {
    fn game(&self) -> Result<Game, ApiError> {
        let mut game = match &self.fen {
            Some(fen) => Game::from_any_fen(fen)
                .map_err(|error| ApiError::invalid("invalid_fen", format!("fen: {error}")))?,
            None => Game::default(),
        };
        for (index, uci) in self.moves.split(',').filter(|uci| !uci.is_empty()).enumerate() {
            if index == LONGEST_GAME {
                return Err(ApiError::invalid_game(format!("moves: expected at most {LONGEST_GAME}")));
            }
            game.play_uci(uci)
                .map_err(|error| ApiError::invalid_game(format!("move {}: {error}", index + 1)))?;
        }
        Ok(game)
    }
}
