//! Runs slow work on other threads than those that answer requests.

use super::answer::{Refusal, refusal};
use super::app::App;
use axum::http::StatusCode;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// Waits for the permit of a slow answer. Dropping the permit lets another slow answer begin.
pub(super) async fn slow_permit(app: &App) -> Result<OwnedSemaphorePermit, Refusal> {
    let permit = Arc::clone(&app.slow_permits).acquire_owned().await;
    permit.map_err(|_| refusal(StatusCode::SERVICE_UNAVAILABLE, "the server ends"))
}

/// Runs work that may block, such as reading files.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    let result = tokio::task::spawn_blocking(work).await;
    result.map_err(|_| refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal error, please report it"))
}

/// Like [`run_blocking`], for work of many seconds. Only a few run at a time, so that other requests are answered
/// meanwhile. The permit lasts as long as the work, even if the client disconnects.
pub(super) async fn run_slow<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let permit = slow_permit(&app).await?;
    run_blocking(move || {
        let result = work(&app);
        drop(permit);
        result
    })
    .await
}
