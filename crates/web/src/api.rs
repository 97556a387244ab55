//! The requests under `/api/v1` and their description.

mod body;
mod calibration;
mod games;
mod judgements;
mod networks;
mod openings;
mod personal;
mod planes;
mod portraits;
mod reviews;
mod runs;
mod server;

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use utoipa::{
    Modify, OpenApi,
    openapi::{RefOr, schema::Schema},
};

use crate::{app::App, limits::LARGEST_NETWORK_FILE};

pub(crate) use server::ServerView;

/// The description that `/api/v1/openapi.json` serves and `docs/openapi.json` keeps.
#[derive(OpenApi)]
#[openapi(
    info(title = "Tabiya", description = "Games against the engine, analysis, networks, training runs and results. \
        Every refusal is a `Refusal`. Live states come over the WebSocket `/api/v1/live`: docs/api.md."),
    paths(
        games::list, games::start, games::show, games::pgn, games::play, games::undo, games::resign, games::draw,
        games::hint, games::retry, games::hold, networks::list, networks::show, networks::levels,
        networks::import, planes::planes, calibration::calibration, judgements::judge, openings::list, openings::make, openings::send, openings::stop,
        openings::delete, openings::moves, portraits::make, personal::show, personal::collect, personal::delete,
        reviews::start, reviews::find, reviews::show, reviews::stop, runs::list, runs::show, runs::curves, runs::probes,
        runs::game, runs::write_notes, runs::results,
        runs::pgn, server::show, server::stop_job
    ),
    servers((url = "/api/v1")),
    modifiers(&Completion)
)]
struct Description;

/// The bodies of requests and their parts, whose optional fields may be left out.
const REQUESTS: [&str; 11] = [
    "ClockSettings",
    "Collecting",
    "Holding",
    "JudgedPosition",
    "JudgementRequest",
    "NewGame",
    "NewOpenings",
    "PersonMove",
    "PortraitRequest",
    "ReviewRequest",
    "RunNotes",
];

/// Adds to the description what types and handlers cannot state: responses hold every field (unknown values are `null`, never
/// omitted), and every operation has a name of its own.
struct Completion;

impl Modify for Completion {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let schemas = description.components.iter_mut().flat_map(|components| &mut components.schemas);
        for (_, schema) in schemas.filter(|(name, _)| !REQUESTS.contains(&name.as_str())) {
            require_all(schema);
        }
        for (path, item) in &mut description.paths.paths {
            let words = path.replace(['/', '{', '}'], " ");
            let words = words.split_whitespace().collect::<Vec<_>>().join("_");
            for (method, operation) in [("get", &mut item.get), ("post", &mut item.post)] {
                if let Some(operation) = operation {
                    operation.operation_id = Some(format!("{method}_{words}"));
                }
            }
        }
    }
}

fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

/// The OpenAPI description of the server as JSON.
///
/// # Errors
/// If the description has no JSON form.
pub fn openapi() -> Result<String, serde_json::Error> {
    Description::openapi().to_pretty_json()
}

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/openapi.json", get(|| async { Json(Description::openapi()) }))
        .route("/server", get(server::show))
        .route(
            "/networks",
            get(networks::list).post(networks::import).layer(DefaultBodyLimit::max(LARGEST_NETWORK_FILE)),
        )
        .route("/judgements", post(judgements::judge))
        .route("/portraits", post(portraits::make))
        .route("/jobs/{id}/stop", post(server::stop_job))
        .route("/networks/{id}", get(networks::show))
        .route("/networks/{id}/planes", get(planes::planes))
        .route("/networks/{id}/calibration", get(calibration::calibration))
        .route("/levels", get(networks::levels))
        .route("/personal", get(personal::show).post(personal::collect))
        .route("/personal/delete", post(personal::delete))
        .route("/openings", get(openings::list).post(openings::make))
        .route("/openings/files/{name}", post(openings::send))
        .route("/openings/{id}/moves", get(openings::moves))
        .route("/openings/{id}/stop", post(openings::stop))
        .route("/openings/{id}/delete", post(openings::delete))
        .route("/runs", get(runs::list))
        .route("/runs/{name}", get(runs::show))
        .route("/runs/{name}/curves", get(runs::curves))
        .route("/runs/{name}/probes", get(runs::probes))
        .route("/runs/{name}/game", get(runs::game))
        .route("/runs/{name}/notes", post(runs::write_notes))
        .route("/results", get(runs::results))
        .route("/results/{id}/pgn", get(runs::pgn))
        .route("/reviews", get(reviews::find).post(reviews::start))
        .route("/reviews/{id}", get(reviews::show))
        .route("/reviews/{id}/stop", post(reviews::stop))
        .route("/games", get(games::list).post(games::start))
        .route("/games/{id}", get(games::show))
        .route("/games/{id}/pgn", get(games::pgn))
        .route("/games/{id}/moves", post(games::play))
        .route("/games/{id}/undo", post(games::undo))
        .route("/games/{id}/resign", post(games::resign))
        .route("/games/{id}/draw", post(games::draw))
        .route("/games/{id}/hint", post(games::hint))
        .route("/games/{id}/retry", post(games::retry))
        .route("/games/{id}/hold", post(games::hold))
}
