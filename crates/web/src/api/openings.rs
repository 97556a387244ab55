//! Opening tables.

use std::ops::RangeInclusive;

use axum::{
    Json,
    extract::{Path, Query, Request, State, rejection::QueryRejection},
    http::StatusCode,
};
use census::openings::{GameFilter, GameQuery};
use chess::{Game, parse_uci_move};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Answer,
    body::Body,
    upload::{Upload, file_in, receive},
};
use crate::{
    app::App,
    error::{ApiError, Refusal},
    limits::LARGEST_OPENINGS_FILE,
    openings::{MOST_GAMES, OpeningGames, OpeningMove, OpeningsView},
};

/// Games in an answer where the request does not say how many.
const USUAL_GAMES: usize = 20;

/// Source of a new opening table.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOpenings {
    /// The name of a source.
    source: String,
}

/// A position, and the games that count in it.
#[derive(Debug, Deserialize)]
pub(crate) struct MovesQuery {
    fen: String,
    rating_from: Option<u16>,
    rating_to: Option<u16>,
    year_from: Option<u16>,
    year_to: Option<u16>,
}

/// The part of the games to list; the other parameters are those of [`MovesQuery`].
#[derive(Debug, Deserialize)]
pub(crate) struct PartQuery {
    uci: Option<String>,
    from: Option<usize>,
    most: Option<usize>,
}

impl MovesQuery {
    fn game(&self) -> Result<Game, ApiError> {
        Game::from_any_fen(&self.fen).map_err(|error| ApiError::invalid("invalid_fen", error.to_string()))
    }

    fn filter(&self) -> Result<GameFilter, ApiError> {
        Ok(GameFilter {
            ratings: range("rating", self.rating_from, self.rating_to)?,
            years: range("year", self.year_from, self.year_to)?,
        })
    }
}

/// A range with its ends; an end that is left out bounds nothing.
fn range(name: &str, from: Option<u16>, to: Option<u16>) -> Result<Option<RangeInclusive<u16>>, ApiError> {
    let range = from.unwrap_or(0)..=to.unwrap_or(u16::MAX);
    if range.is_empty() {
        let message = format!(
            "{name}_from is {}, {name}_to is {}: expected numbers that do not fall",
            range.start(),
            range.end()
        );
        return Err(ApiError::invalid("invalid_range", message));
    }
    Ok((from.is_some() || to.is_some()).then_some(range))
}

/// Opening tables, ready or being made, and the sources for more
#[utoipa::path(
    get, path = "/openings", responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn list(State(app): State<App>) -> Answer<OpeningsView> {
    app.answer(move |app| Ok(app.openings.view()?)).await
}

/// Starts making the table of a source
#[utoipa::path(
    post, path = "/openings", request_body = NewOpenings,
    responses((status = 202, body = OpeningsView), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn make(
    State(app): State<App>,
    Body(NewOpenings { source }): Body<NewOpenings>,
) -> Result<(StatusCode, Json<OpeningsView>), ApiError> {
    app.blocking(move |app| {
        app.openings.shelf.make(&source)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings.view()?)))
    })
    .await
}

/// Uploads a file of games or a book and starts making its table
#[utoipa::path(
    post, path = "/openings/files/{name}", params(("name" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 202, body = OpeningsView), (status = 408, body = Refusal), (status = 413, body = Refusal),
        (status = 500, body = Refusal), (status = 503, body = Refusal)
    )
)]
pub(crate) async fn send(
    State(app): State<App>,
    Path(name): Path<String>,
    request: Request,
) -> Result<(StatusCode, Json<OpeningsView>), ApiError> {
    let upload =
        receive(&app, request, LARGEST_OPENINGS_FILE, |app| file_in(app.openings.waiting_room()?)).await?;
    app.blocking(move |app| {
        let Upload { file, share: _share } = upload;
        app.openings.shelf.make_of_file(&name, file)?;
        Ok((StatusCode::ACCEPTED, Json(app.openings.view()?)))
    })
    .await
}

/// Stops making a table, or clears the reason why it failed
#[utoipa::path(
    post, path = "/openings/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = OpeningsView), (status = 500, body = Refusal))
)]
pub(crate) async fn stop(State(app): State<App>, Path(id): Path<String>) -> Answer<OpeningsView> {
    app.answer(move |app| {
        app.openings.shelf.stop(&id);
        Ok(app.openings.view()?)
    })
    .await
}

/// Deletes a table; its source stays
#[utoipa::path(
    post, path = "/openings/{id}/delete", params(("id" = String, Path)),
    responses((status = 200, body = OpeningsView), (status = 404, body = Refusal), (status = 500, body = Refusal))
)]
pub(crate) async fn delete(State(app): State<App>, Path(id): Path<String>) -> Answer<OpeningsView> {
    app.answer(move |app| {
        app.openings.shelf.delete(&id)?;
        Ok(app.openings.view()?)
    })
    .await
}

/// Moves played in a position, most games first
#[utoipa::path(
    get, path = "/openings/{id}/moves",
    params(
        ("id" = String, Path), ("fen" = String, Query),
        ("rating_from" = Option<u16>, Query, description = "lowest mean rating of both players of the games that count"),
        ("rating_to" = Option<u16>, Query, description = "highest mean rating"),
        ("year_from" = Option<u16>, Query, description = "first year of the games that count"),
        ("year_to" = Option<u16>, Query, description = "last year")
    ),
    responses(
        (status = 200, body = [OpeningMove]), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 500, body = Refusal)
    )
)]
pub(crate) async fn moves(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<MovesQuery>, QueryRejection>,
) -> Answer<Vec<OpeningMove>> {
    let Query(query) = query?;
    let (game, filter) = (query.game()?, query.filter()?);
    app.answer(move |app| Ok(app.openings.moves(&id, game.position(), &filter)?)).await
}

/// Games that reached a position, or in which a move was played there, the strongest players first
#[utoipa::path(
    get, path = "/openings/{id}/games",
    params(
        ("id" = String, Path), ("fen" = String, Query),
        ("uci" = Option<String>, Query, description = "only games with this move"),
        ("rating_from" = Option<u16>, Query, description = "lowest mean rating of both players"),
        ("rating_to" = Option<u16>, Query, description = "highest mean rating"),
        ("year_from" = Option<u16>, Query, description = "first year"),
        ("year_to" = Option<u16>, Query, description = "last year"),
        ("from" = Option<usize>, Query, description = "number of games to skip; the list ends with the 1,000th"),
        ("most" = Option<usize>, Query, description = "number of games, 1 to 100; 20 by default")
    ),
    responses(
        (status = 200, body = OpeningGames), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 422, body = Refusal), (status = 500, body = Refusal)
    )
)]
pub(crate) async fn games(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<MovesQuery>, QueryRejection>,
    part: Result<Query<PartQuery>, QueryRejection>,
) -> Answer<OpeningGames> {
    let (Query(query), Query(part)) = (query?, part?);
    let game = query.game()?;
    let chess_move = part.uci.map(|uci| parse_uci_move(game.position(), &uci)).transpose();
    let most = part.most.unwrap_or(USUAL_GAMES);
    if !(1..=MOST_GAMES).contains(&most) {
        let message = format!("most is {most}, expected 1 to {MOST_GAMES}");
        return Err(ApiError::invalid("invalid_number", message));
    }
    let wanted = GameQuery {
        chess_move: chess_move.map_err(|error| ApiError::invalid("illegal_move", error.to_string()))?,
        filter: query.filter()?,
        from: part.from.unwrap_or(0),
        most,
    };
    app.answer(move |app| Ok(app.openings.games(&id, game.position(), &wanted)?)).await
}
