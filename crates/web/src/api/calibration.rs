//! The calibration of a network's values in the games played here.

use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::Answer;
use crate::{app::App, engine::CalibrationCurve, error::Refusal};

/// Calibration of a network's values in the games that it finished here.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CalibrationView {
    /// Finished games without hints or moves taken back.
    games: usize,
    /// Games that cannot be read, whatever network played them.
    unreadable: usize,
    /// The network's curve, then that of the mean score; none without games.
    curves: Vec<CalibrationCurve>,
}

/// Calibration of a network's values in the games played here
#[utoipa::path(
    get, path = "/networks/{id}/calibration", tag = "insights",
    params(("id" = String, Path, description = "The network's id")),
    responses((status = 200, body = CalibrationView), (status = 404, body = Refusal))
)]
pub(crate) async fn calibration(State(app): State<App>, Path(id): Path<String>) -> Answer<CalibrationView> {
    app.answer(move |app| {
        let engines = app.engines();
        let network = engines.network(&id)?.summary;
        let (expectations, unreadable) = app.games().expectations(&network.id)?;
        let games = expectations.chunk_by(|one, other| one.game == other.game).count();
        let curves = engines.calibration(&network.name, &expectations);
        Ok(CalibrationView { games, unreadable, curves })
    })
    .await
}
