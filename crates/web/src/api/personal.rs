//! The person's own games.

use axum::extract::State;
use personal::PersonalError;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    error::Refusal,
    personal::{PersonalFolder, PersonalView},
};

/// Choice whether games that end on the page become personal games.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Collecting {
    /// Whether finished games are saved from now on. Saved games are kept either way.
    collect: bool,
}

/// The person's own games, from which a network can learn to play like the person
#[utoipa::path(
    get, path = "/personal", responses((status = 200, body = PersonalView), (status = 500, body = Refusal))
)]
pub(crate) async fn show(State(app): State<App>) -> Answer<PersonalView> {
    in_store(app, PersonalFolder::view).await
}

/// Chooses whether games that end on the page are added to the personal games
#[utoipa::path(
    post, path = "/personal", request_body = Collecting,
    responses((status = 200, body = PersonalView), (status = 500, body = Refusal))
)]
pub(crate) async fn collect(
    State(app): State<App>,
    Body(Collecting { collect }): Body<Collecting>,
) -> Answer<PersonalView> {
    in_store(app, move |store| store.collect(collect)).await
}

/// Deletes all personal games and stops adding to them
#[utoipa::path(
    post, path = "/personal/delete", responses((status = 200, body = PersonalView), (status = 500, body = Refusal))
)]
pub(crate) async fn delete(State(app): State<App>) -> Answer<PersonalView> {
    in_store(app, PersonalFolder::delete).await
}

async fn in_store(
    app: App,
    act: impl FnOnce(&PersonalFolder) -> Result<PersonalView, PersonalError> + Send + 'static,
) -> Answer<PersonalView> {
    app.answer(move |app| Ok(act(&app.personal)?)).await
}
