//! Work that takes long, apart from the threads that answer requests.

use super::answer::{Refusal, refusal};
use super::app::App;
use axum::http::StatusCode;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// The turn of an answer that may take many seconds. It ends when it is dropped.
pub(super) async fn turn(app: &App) -> Result<OwnedSemaphorePermit, Refusal> {
    let turn = Arc::clone(&app.slow).acquire_owned().await;
    turn.map_err(|_| refusal(StatusCode::SERVICE_UNAVAILABLE, "the server ends"))
}

/// Does what may take long, such as reading files, on a thread of its own.
pub(super) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal error, please report it"))
}

/// [`apart`] for what may take many seconds: few at a time, so that others are answered meanwhile. The turn ends with
/// the work, also where the client has gone before.
pub(super) async fn in_turn<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let turn = turn(&app).await?;
    apart(move || {
        let done = work(&app);
        drop(turn);
        done
    })
    .await
}
