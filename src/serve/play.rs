//! The page to play. The solver of this program answers its questions.

use super::answer::Refusal;
use super::app::App;
use super::slow_work::{run_blocking, slow_permit};
use crate::play::{SearchResources, answer, is_search};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use gridhunt_search::runtime::{StopReason, StopToken};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, channel};

/// The most events that wait for a slow reader. Further events are dropped: the answer has the result.
const MOST_WAITING_EVENTS: usize = 256;

/// The lines of an answer. If the client disconnects, they are dropped, which ends the search.
struct Lines {
    receiver: Receiver<String>,
    stop: Arc<StopToken>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.stop(StopReason::Interrupted);
    }
}

/// Answers a question: a line for each event of a search, and the answer as the last line.
pub(super) async fn ask(State(app): State<Arc<App>>, question: String) -> Result<Response, Refusal> {
    let stop = Arc::new(StopToken::new());
    let body = if is_search(&question) {
        let permit = slow_permit(&app).await?;
        let (sender, receiver) = channel(MOST_WAITING_EVENTS);
        let lines = Lines { receiver, stop: Arc::clone(&stop) };
        tokio::task::spawn_blocking(move || {
            let mut send_event = |event: &str| drop(sender.try_send(event.to_owned()));
            let last_line = answer(&question, &all_processors(&stop), &mut send_event);
            // This fails if the client is gone.
            let _ = sender.blocking_send(last_line);
            drop(permit);
        });
        Body::from_stream(stream::unfold(lines, |mut lines| async move {
            let line = lines.receiver.recv().await?;
            Some((Ok::<_, Infallible>(line + "\n"), lines))
        }))
    } else {
        run_blocking(move || answer(&question, &all_processors(&stop), &mut |_| {})).await?.into()
    };
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

fn all_processors(stop: &StopToken) -> SearchResources<'_> {
    SearchResources { threads: std::thread::available_parallelism().map_or(1, usize::from), stop }
}
