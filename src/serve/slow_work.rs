//! Slow work, done on other threads than those that answer requests.

use super::answer::{Refusal, refusal};
use super::app::App;
use axum::http::StatusCode;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// Waits until another answer that takes many seconds may begin. The answer counts as done when the permit is dropped.
pub(super) async fn slow_permit(app: &App) -> Result<OwnedSemaphorePermit, Refusal> {
    let permit = Arc::clone(&app.slow).acquire_owned().await;
    permit.map_err(|_| refusal(StatusCode::SERVICE_UNAVAILABLE, "the server ends"))
}

/// Does what may take long, such as reading files, on a thread of its own.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal error, please report it"))
}

/// Does what [`run_blocking`] does, for work that may take many seconds. Only a few run at a time, so that other
/// requests are answered meanwhile. The permit lasts as long as the work, even if the client disconnects earlier.
pub(super) async fn run_slow<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let permit = slow_permit(&app).await?;
    run_blocking(move || {
        let done = work(&app);
        drop(permit);
        done
    })
    .await
}
