//! Addresses and their answers.

use super::answer::{Answer, Done, Refusal, errors_to_json, refusal};
use super::app::App;
use super::control::Control;
use super::events::events;
use super::guard::guard;
use super::page_files::page_file;
use super::play::ask;
use super::served_run::ServedRun;
use super::slow_work::{run_blocking, run_slow};
use crate::views::page::{asset, media_type};
use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Json, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// The router of all addresses. Each request passes the guard first.
pub(super) fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/", get(|| async { file("index.html") }))
        .route("/assets/{name}", get(|Path(name): Path<String>| async move { file(&name) }))
        .route("/play", get(|| async { Redirect::permanent("/play/") }))
        .route("/play/", get(|| async { play_file("index.html") }))
        .route("/play/{name}", get(|Path(name): Path<String>| async move { play_file(&name) }))
        .route("/play/api/ask", post(ask).layer(DefaultBodyLimit::disable()))
        .route("/api/runs", get(runs))
        .route("/api/events", get(list_events))
        .route("/api/runs/{id}/events", get(run_events))
        .route("/api/runs/{id}/boards/{number}", get(board))
        .route("/api/runs/{id}/boards/{number}/film", get(film))
        .route("/api/runs/{id}/stop", post(stop))
        .route("/api/runs/{id}/resume", post(resume))
        .route("/api/hunts", post(hunt))
        .fallback(|| async { refusal(StatusCode::NOT_FOUND, "nothing is at this address") })
        .method_not_allowed_fallback(|| async { refusal(StatusCode::METHOD_NOT_ALLOWED, "expected GET here, or POST") })
        .layer(map_response(errors_to_json))
        .layer(from_fn_with_state(Arc::clone(&app.guard), guard))
        .with_state(Arc::clone(app))
}

fn file(name: &str) -> Response {
    file_response(asset(name).map(|text| (media_type(name), text)))
}

fn play_file(name: &str) -> Response {
    file_response(page_file(name))
}

fn file_response(file: Option<(&'static str, impl IntoResponse)>) -> Response {
    match file {
        Some((media, text)) => ([(CONTENT_TYPE, media)], text).into_response(),
        None => refusal(StatusCode::NOT_FOUND, "the page has no such file").into_response(),
    }
}

fn find(app: &App, id: &str) -> Result<Arc<ServedRun>, Refusal> {
    app.served_runs.run(id).ok_or_else(|| refusal(StatusCode::NOT_FOUND, "no run has this name"))
}

fn number_of(text: &str) -> Result<usize, Refusal> {
    text.parse().map_err(|_| refusal(StatusCode::NOT_FOUND, "expected the number of a board, from 1"))
}

fn stream_permit(app: &App) -> Result<OwnedSemaphorePermit, Refusal> {
    let permit = Arc::clone(&app.stream_permits).try_acquire_owned();
    permit.map_err(|_| refusal(StatusCode::SERVICE_UNAVAILABLE, "too many pages follow the events"))
}

/// The last event that the client got before its connection broke.
fn last_event(headers: &HeaderMap) -> Option<String> {
    headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned)
}

async fn runs(State(app): State<Arc<App>>) -> Result<Answer, Refusal> {
    run_blocking(move || app.served_runs.list()).await.map(Answer::Runs)
}

async fn list_events(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, Refusal> {
    let permit = stream_permit(&app)?;
    let states = run_blocking(move || app.served_runs.subscribe()).await?;
    Ok(events(states, last_event(&headers), permit).into_response())
}

async fn run_events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let run = find(&app, &id)?;
    let permit = stream_permit(&app)?;
    let states = run_blocking(move || run.subscribe()).await?;
    Ok(events(states, last_event(&headers), permit).into_response())
}

async fn board(State(app): State<Arc<App>>, Path((id, number)): Path<(String, String)>) -> Result<Answer, Refusal> {
    let (run, number) = (find(&app, &id)?, number_of(&number)?);
    let view = run_blocking(move || run.board(number)).await?;
    view.map(Answer::Board).ok_or_else(|| refusal(StatusCode::NOT_FOUND, "no progress is known for this board"))
}

async fn film(State(app): State<Arc<App>>, Path((id, number)): Path<(String, String)>) -> Result<Answer, Refusal> {
    let (run, number) = (find(&app, &id)?, number_of(&number)?);
    let film = run_slow(app, move |_| run.film(number)).await?;
    film.map(Answer::Film).map_err(|why| refusal(StatusCode::NOT_FOUND, why))
}

/// The control of hunts, if it is allowed.
fn control(app: &App) -> Result<&Control, Refusal> {
    let refused =
        || refusal(StatusCode::FORBIDDEN, "hunts are only shown: gridhunt serve --allow-control controls them");
    app.control.as_ref().ok_or_else(refused)
}

/// Starts, stops or resumes a hunt with `order`, if this is allowed.
async fn carry_out(
    app: Arc<App>,
    order: impl FnOnce(&App, &Control) -> Result<String, String> + Send + 'static,
) -> Result<Answer, Refusal> {
    let work = move |app: &App| Ok(order(app, control(app)?));
    let result = run_slow(app, work).await??;
    result.map(|message| Answer::Done(Done { message })).map_err(|why| refusal(StatusCode::CONFLICT, why))
}

async fn stop(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Answer, Refusal> {
    let run = find(&app, &id)?;
    carry_out(app, move |_, _| Control::stop(&run.path)).await
}

async fn resume(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Answer, Refusal> {
    let run = find(&app, &id)?;
    carry_out(app, move |_, control| control.resume(&run.path)).await
}

#[derive(Deserialize)]
struct NewHunt {
    config: String,
}

async fn hunt(State(app): State<Arc<App>>, body: Result<Json<NewHunt>, JsonRejection>) -> Result<Answer, Refusal> {
    let Json(NewHunt { config }) = body.map_err(|error| refusal(StatusCode::BAD_REQUEST, error.body_text()))?;
    carry_out(app, move |app, control| {
        let folder =
            app.served_runs.folder().ok_or("gridhunt serve FOLDER --allow-control names the folder of new hunts")?;
        control.hunt(&config, folder)
    })
    .await
}
