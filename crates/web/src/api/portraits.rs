//! Portraits of whole games: networks' evaluations without a search.

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    engine::judge_of,
    error::{ApiError, Refusal},
    game::replayed,
    limits::LONGEST_PORTRAYED_GAME,
    portrait::{Portrait, PortraitNetworks, people},
};

/// A game and the networks that judge it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortraitRequest {
    /// Id of the network whose values count.
    network: String,
    /// Id of a network to compare it with.
    second: Option<String>,
    /// The position before the moves, FEN; the usual start if omitted.
    fen: Option<String>,
    /// The moves, UCI, 1 to 400.
    moves: Vec<String>,
}

/// Divergence of networks along a game, each side's estimated rating, and the mean loss of people; takes seconds
#[utoipa::path(
    post, path = "/portraits", request_body = PortraitRequest,
    responses((status = 200, body = Portrait), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn make(State(app): State<App>, Body(request): Body<PortraitRequest>) -> Answer<Portrait> {
    let found = request.moves.len();
    if !(1..=LONGEST_PORTRAYED_GAME).contains(&found) {
        let message = format!("moves: found {found}, expected 1 to {LONGEST_PORTRAYED_GAME}");
        return Err(ApiError::invalid_game(message));
    }
    let game = replayed(request.fen.as_deref(), &request.moves).map_err(ApiError::invalid_game)?;
    app.answer(move |app| {
        let engines = app.engines.as_ref();
        let people = people(engines)?;
        let first = judge_of(engines, &request.network)?;
        let second = request.second.as_deref().map(|network| judge_of(engines, network)).transpose()?;
        let networks = PortraitNetworks { first: first.as_ref(), second: second.as_deref(), people: &people };
        Portrait::of(&game, &networks).map_err(|error| ApiError::failed(error.to_string()))
    })
    .await
}
