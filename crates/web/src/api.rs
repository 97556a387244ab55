//! The requests under `/api/v1` and their description.

mod analyses;
mod body;
mod calibration;
mod endgames;
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
mod upload;

use std::collections::BTreeSet;

use axum::{
    Json, Router,
    routing::{MethodFilter, MethodRouter, get, on},
};
use serde_json::Value;
use utoipa::{
    OpenApi,
    openapi::{RefOr, schema::Schema},
};

use crate::{app::App, error::ApiError};

pub(crate) use server::ServerView;
pub(crate) use upload::Uploads;

/// The answer to most requests: JSON or a refusal.
pub(crate) type Answer<T> = Result<Json<T>, ApiError>;

/// The path of the schemas in a description.
const SCHEMAS: &str = "#/components/schemas/";

/// Depth of the kept description from which on a response or a property is one line.
const DESCRIPTION_DEPTH: usize = 5;

/// The part of the description about the server as a whole.
#[derive(OpenApi)]
#[openapi(
    info(title = "Tabiya", description = "Games against the engine, analysis, networks, training runs and results. \
        A refused request is answered with a `Refusal`. Live states come over the WebSocket `/api/v1/live` (docs/api.md)."),
    servers((url = "/api/v1"))
)]
struct Server;

/// A request: its description with address and method, and the handler for that method.
struct Request {
    description: utoipa::openapi::OpenApi,
    answered: fn(MethodFilter) -> MethodRouter<App>,
}

/// Builds the list of requests: each handler with its OpenAPI description.
macro_rules! requests {
    ($($module:ident::$handler:ident,)*) => {
        vec![$({
            #[derive(OpenApi)]
            #[openapi(paths($module::$handler))]
            struct Described;

            Request { description: Described::openapi(), answered: |method| on(method, $module::$handler) }
        }),*]
    };
}

/// All requests. Description and routes are built from this list.
fn requests() -> Vec<Request> {
    requests! {
        analyses::list,
        analyses::show,
        analyses::save,
        analyses::delete,
        endgames::moves,
        games::list,
        games::start,
        games::show,
        games::pgn,
        games::play,
        games::undo,
        games::resign,
        games::draw,
        games::hint,
        games::retry,
        games::hold,
        networks::list,
        networks::show,
        networks::levels,
        networks::import,
        planes::planes,
        calibration::calibration,
        judgements::judge,
        openings::list,
        openings::make,
        openings::send,
        openings::stop,
        openings::delete,
        openings::moves,
        openings::games,
        portraits::make,
        personal::show,
        personal::collect,
        personal::delete,
        reviews::start,
        reviews::find,
        reviews::show,
        reviews::stop,
        runs::list,
        runs::show,
        runs::curves,
        runs::probes,
        runs::game,
        runs::write_notes,
        runs::results,
        runs::pgn,
        server::show,
        server::stop_job,
    }
}

/// The description that `/api/v1/openapi.json` serves and `docs/openapi.json` keeps.
fn description() -> utoipa::openapi::OpenApi {
    let mut description = Server::openapi();
    for request in requests() {
        description.merge(request.description);
    }
    complete(&mut description);
    description
}

/// Completes the description: responses hold every field (unknown values are `null`, never omitted), and every operation has a
/// unique name. The optional fields of requests may be left out.
fn complete(description: &mut utoipa::openapi::OpenApi) {
    let sent = sent(&serde_json::json!(description));
    let schemas = description.components.iter_mut().flat_map(|components| &mut components.schemas);
    for (_, schema) in schemas.filter(|(name, _)| !sent.contains(*name)) {
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

fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

/// Names of the schemas of request bodies, and of their parts.
fn sent(description: &Value) -> BTreeSet<String> {
    let paths = description["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    let operations = paths.filter_map(Value::as_object).flat_map(|item| item.values());
    let mut unread: Vec<&Value> = operations.filter_map(|operation| operation.get("requestBody")).collect();
    let mut names = BTreeSet::new();
    while let Some(value) = unread.pop() {
        match value {
            Value::Object(entries) => unread.extend(entries.values()),
            Value::Array(values) => unread.extend(values),
            Value::String(text) => {
                let Some(name) = text.strip_prefix(SCHEMAS) else { continue };
                if names.insert(name.to_owned()) {
                    unread.push(&description["components"]["schemas"][name]);
                }
            }
            _ => {}
        }
    }
    names
}

/// The OpenAPI description of the server as JSON.
///
/// # Errors
/// If the description has no JSON form.
pub fn openapi() -> Result<String, serde_json::Error> {
    files::json_to_depth(&description(), DESCRIPTION_DEPTH)
}

pub(crate) fn router() -> Router<App> {
    let mut router = Router::new().route("/openapi.json", get(|| async { Json(description()) }));
    for Request { description, answered } in requests() {
        for (path, item) in description.paths.paths {
            let method = match (item.get, item.post) {
                (Some(_), None) => MethodFilter::GET,
                (None, Some(_)) => MethodFilter::POST,
                _ => panic!("{path}: expected a handler for GET or for POST"),
            };
            router = router.route(&path, answered(method));
        }
    }
    router
}
