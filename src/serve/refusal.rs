//! Refusals, as JSON with their status.

use axum::extract::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal(StatusCode, String);

/// A refusal for this reason.
pub(super) fn refusal(status: StatusCode, why: impl Into<String>) -> Refusal {
    Refusal(status, why.into())
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, why) = self;
        (status, Json(json!({ "error": why }))).into_response()
    }
}
