//! Errors of starting the server, and refusals sent to its clients.

use std::{net::SocketAddr, path::PathBuf};

use axum::{
    Json,
    extract::rejection::QueryRejection,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use files::OutputError;
use personal::PersonalError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::engine::EngineError;

/// The server could not be started or failed later.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ServerError {
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: std::io::Error },
    /// A folder the server writes to cannot be created.
    #[error("cannot make the folder {}: {source}", folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    /// The folder of reviews cannot be listed.
    #[error(transparent)]
    Reviews(OutputError),
    /// The server's threads or sockets failed.
    #[error("the server failed: {0}")]
    Failed(std::io::Error),
}

/// The body of every refusal: a code for programs and a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Refusal {
    /// A word that does not change between versions, such as `illegal_move`.
    #[schema(example = "illegal_move")]
    pub(crate) code: &'static str,
    /// What was found and what was expected.
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) refusal: Refusal,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, refusal: Refusal { code, message: message.into() } }
    }

    /// The request cannot be understood or names something impossible.
    pub(crate) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// A position or a move of a game in the request is impossible.
    pub(crate) fn invalid_game(message: impl Into<String>) -> Self {
        Self::invalid("invalid_game", message)
    }

    pub(crate) fn missing(what: &str, name: &str) -> Self {
        let shown: String = name.chars().take(80).collect();
        Self::not_found(format!("There is no {what} {shown:?}"))
    }

    pub(crate) fn not_found(message: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// The request is valid but does not fit the present state.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// The machine failed, not the request.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let (status, code) = match error {
            EngineError::Unknown { .. } => (StatusCode::NOT_FOUND, "unknown_network"),
            EngineError::Broken { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "broken_network"),
            EngineError::NoValue { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "no_value"),
            EngineError::Refused { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "refused_file"),
        };
        Self::new(status, code, error.to_string())
    }
}

impl From<QueryRejection> for ApiError {
    fn from(error: QueryRejection) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_query", error.body_text())
    }
}

impl From<OutputError> for ApiError {
    fn from(error: OutputError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<PersonalError> for ApiError {
    fn from(error: PersonalError) -> Self {
        Self::failed(error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.refusal)).into_response()
    }
}
