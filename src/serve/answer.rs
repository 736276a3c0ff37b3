//! The JSON answers below `/api`, and all refusals. Events contain the same JSON.

use crate::views::page::{BoardView, FilmView, RunLine, RunView};
use axum::body::to_bytes;
use axum::extract::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The most bytes of an error text in plain text.
const MOST_REASON_BYTES: usize = 64 << 10;

/// An answer in JSON, or the content of an event. Fields without a value are absent.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// The runs that are shown.
    Runs(RunList),
    /// A run.
    Run(RunView),
    /// A board of a run.
    Board(BoardView),
    /// The best solution of a board.
    Film(FilmView),
    /// What became of an order.
    Done(Done),
    /// Why there is no such answer.
    Refused(Refusal),
}

/// The list of runs, and what the page may do.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunList {
    pub(super) runs: Vec<ListedRun>,
    /// Whether the page may control hunts.
    pub(super) control: bool,
    /// The configurations with which it may begin new ones.
    pub(super) configs: Vec<String>,
}

/// A run in the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ListedRun {
    /// The name in addresses.
    pub(super) id: String,
    #[serde(flatten)]
    pub(super) line: RunLine,
}

/// What became of an order to stop, to resume or to begin a hunt.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Done {
    pub(super) message: String,
}

/// Why a request is refused.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    error: String,
}

pub(super) fn refusal(status: StatusCode, why: impl Into<String>) -> Refusal {
    Refusal { status, error: why.into() }
}

impl Answer {
    /// The answer as JSON, which can represent every field.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Done(_) => StatusCode::ACCEPTED,
            Self::Refused(refusal) => refusal.status,
            _ => StatusCode::OK,
        };
        (status, Json(self)).into_response()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        Answer::Refused(self).into_response()
    }
}

/// Turns an error in plain text, such as the error of axum for an address that is not UTF-8, into a [`Refusal`].
pub(super) async fn errors_to_json(response: Response) -> Response {
    let (status, media) = (response.status(), response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes));
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || !media.is_some_and(|media| media.starts_with(b"text/plain")) {
        return response;
    }
    let why = to_bytes(response.into_body(), MOST_REASON_BYTES).await.unwrap_or_default();
    refusal(status, String::from_utf8_lossy(&why)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_plain_text_become_refusals_and_nothing_else_does() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let media_of = |status: StatusCode| {
            let answer = runtime.block_on(errors_to_json((status, "text").into_response()));
            (answer.status(), answer.headers()[CONTENT_TYPE].to_str().unwrap().to_owned())
        };
        let refused = (StatusCode::BAD_REQUEST, "application/json".to_owned());
        assert_eq!(media_of(StatusCode::BAD_REQUEST), refused);
        assert_eq!(media_of(StatusCode::OK), (StatusCode::OK, "text/plain; charset=utf-8".to_owned()));
    }
}
