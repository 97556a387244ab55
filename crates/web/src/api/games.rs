//! Games against the engine.

use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{StatusCode, header},
    response::IntoResponse,
};
use chess::Game;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    game::{GameList, GameRefusal, GameState, GameView, HintView, NewGame, NewGameError},
};

/// A move of the person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonMove {
    /// Half-moves before it, as the sender knows them, so that a move sent twice is played once.
    #[schema(example = 0)]
    ply: usize,
    /// The move in UCI notation.
    #[schema(example = "e2e4")]
    uci: String,
    /// Id of the page that sends it; the move is refused if another page plays the game.
    #[serde(default)]
    page: Option<String>,
}

/// A page that starts or stops playing a game.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Holding {
    /// Id that the page chose, at most 64 characters; `null` for no page.
    page: Option<String>,
}

/// Maximum length in bytes of a page's id, chosen by the page.
const LONGEST_PAGE: usize = 64;

fn page_name(page: Option<String>) -> Result<Option<String>, ApiError> {
    match page {
        Some(name) if name.is_empty() || name.len() > LONGEST_PAGE => {
            Err(ApiError::invalid("invalid_page", format!("page: expected 1 to {LONGEST_PAGE} bytes")))
        }
        page => Ok(page),
    }
}

impl From<NewGameError> for ApiError {
    fn from(error: NewGameError) -> Self {
        Self::invalid_game(error.to_string())
    }
}

impl From<GameRefusal> for ApiError {
    fn from(refusal: GameRefusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            GameRefusal::Over(_) => Self::conflict("game_over", message),
            GameRefusal::OtherPage => Self::conflict("other_page", message),
            GameRefusal::NotYourTurn => Self::conflict("not_your_turn", message),
            GameRefusal::OtherPly { .. } => Self::conflict("other_ply", message),
            GameRefusal::IllegalMove(_) => Self::invalid("illegal_move", message),
            GameRefusal::NothingToUndo => Self::conflict("nothing_to_undo", message),
            GameRefusal::OfferedAlready => Self::conflict("offered_already", message),
            GameRefusal::Engine(error) => error.into(),
            GameRefusal::Search(_) | GameRefusal::NoSearch(_) => Self::failed(message),
        }
    }
}

/// What a list of games is about.
#[derive(Debug, Deserialize)]
pub(crate) struct GamesQuery {
    fen: Option<String>,
    most: Option<usize>,
}

/// The latest games, newest first, and the problems with files of games and reviews
#[utoipa::path(
    get, path = "/games",
    params(
        ("fen" = Option<String>, Query, description = "only games that reached this position; its move counters do not matter"),
        ("most" = Option<usize>, Query, description = "number of games to look through, 1 to 2000; 200 by default")
    ),
    responses((status = 200, body = GameList), (status = 400, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<GamesQuery>, QueryRejection>,
) -> Answer<GameList> {
    let Query(GamesQuery { fen, most }) = query?;
    let position = fen.map(|fen| Game::from_any_fen(&fen)).transpose();
    let position = position.map_err(|error| ApiError::invalid("invalid_fen", format!("fen: {error}")))?;
    let key = position.map(|game| game.key());
    app.answer(move |app| {
        let mut list = app.games.list(most, key)?;
        list.problems.extend(app.reviews.problems());
        Ok(list)
    })
    .await
}

/// Starts a game; the engine begins to think if it has the first move
#[utoipa::path(
    post, path = "/games", request_body = NewGame,
    responses((status = 201, body = GameView), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn start(
    State(app): State<App>,
    Body(settings): Body<NewGame>,
) -> Result<(StatusCode, Json<GameView>), ApiError> {
    app.blocking(move |app| {
        let session = app.games.start(settings)?;
        Ok((StatusCode::CREATED, Json(session.view())))
    })
    .await
}

/// A game as it stands
#[utoipa::path(
    get, path = "/games/{id}", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 404, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Answer<GameView> {
    app.answer(move |app| Ok(app.games.find(&id)?.view())).await
}

/// A game as PGN
#[utoipa::path(
    get, path = "/games/{id}/pgn", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "application/x-chess-pgn"), (status = 404, body = Refusal))
)]
pub(crate) async fn pgn(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, ApiError> {
    app.blocking(move |app| {
        let text = app.games.find(&id)?.pgn();
        Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8")], text))
    })
    .await
}

/// Plays the person's move
#[utoipa::path(
    post, path = "/games/{id}/moves", params(("id" = String, Path)), request_body = PersonMove,
    responses(
        (status = 200, body = GameView), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 422, body = Refusal)
    )
)]
pub(crate) async fn play(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(played): Body<PersonMove>,
) -> Answer<GameView> {
    let page = page_name(played.page)?;
    act(app, id, move |state| state.play(played.ply, &played.uci, page)).await
}

/// Sets which page plays the game
#[utoipa::path(
    post, path = "/games/{id}/hold", params(("id" = String, Path)), request_body = Holding,
    responses((status = 200, body = GameView), (status = 404, body = Refusal), (status = 422, body = Refusal))
)]
pub(crate) async fn hold(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(holding): Body<Holding>,
) -> Answer<GameView> {
    let page = page_name(holding.page)?;
    app.answer(move |app| {
        let session = app.games.find(&id)?;
        session.hold(page);
        Ok(session.view())
    })
    .await
}

/// Takes moves back to the person's last turn
#[utoipa::path(
    post, path = "/games/{id}/undo", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 409, body = Refusal))
)]
pub(crate) async fn undo(State(app): State<App>, Path(id): Path<String>) -> Answer<GameView> {
    act(app, id, GameState::undo).await
}

/// Resigns
#[utoipa::path(
    post, path = "/games/{id}/resign", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 409, body = Refusal))
)]
pub(crate) async fn resign(State(app): State<App>, Path(id): Path<String>) -> Answer<GameView> {
    act(app, id, |state| {
        state.resign();
        Ok(())
    })
    .await
}

/// Offers a draw; the returned game shows whether the engine accepted
#[utoipa::path(
    post, path = "/games/{id}/draw", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 409, body = Refusal))
)]
pub(crate) async fn draw(State(app): State<App>, Path(id): Path<String>) -> Answer<GameView> {
    act(app, id, GameState::offer_draw).await
}

/// Lets the engine try again after it failed
#[utoipa::path(
    post, path = "/games/{id}/retry", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 409, body = Refusal))
)]
pub(crate) async fn retry(State(app): State<App>, Path(id): Path<String>) -> Answer<GameView> {
    act(app, id, |state| {
        state.retry();
        Ok(())
    })
    .await
}

/// Suggests the engine's move to the person; the game is then marked as played with help
#[utoipa::path(
    post, path = "/games/{id}/hint", params(("id" = String, Path)),
    responses((status = 200, body = HintView), (status = 409, body = Refusal))
)]
pub(crate) async fn hint(State(app): State<App>, Path(id): Path<String>) -> Answer<HintView> {
    app.answer(move |app| Ok(app.games.find(&id)?.hint()?)).await
}

/// Performs an action of the person in a game, whose state afterwards is the answer.
async fn act(
    app: App,
    id: String,
    change: impl FnOnce(&mut GameState) -> Result<(), GameRefusal> + Send + 'static,
) -> Answer<GameView> {
    app.answer(move |app| {
        let session = app.games.find(&id)?;
        session.act(change)?;
        Ok(session.view())
    })
    .await
}
