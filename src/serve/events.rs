//! Server-sent events. A client gets the newest state; a slow client skips states. A client that stops reading keeps
//! one state in memory until its connection breaks.

use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

/// The longest silence. Proxies close silent connections.
const SILENCE: Duration = Duration::from_secs(15);

/// A state that is sent to clients.
pub(super) trait PublishedState: Send + Sync + 'static {
    /// The name of the event.
    const EVENT: &'static str;

    /// The id of the state. States with equal ids are equal.
    fn id(&self) -> &str;

    /// The state as JSON. `previous` is the last state that the client got.
    fn json(&self, previous: Option<&Self>) -> String;
}

/// The events of one client.
struct EventStream<T> {
    states: Receiver<Option<Arc<T>>>,
    last_sent: Option<Arc<T>>,
    /// The id of the state that the client got on an earlier connection.
    known_id: Option<String>,
    /// Returned when the stream ends.
    _permit: OwnedSemaphorePermit,
}

/// Sends each new state until the client is gone. `known_id` is the id of the last event that the client has got.
pub(super) fn events<T: PublishedState>(
    states: Receiver<Option<Arc<T>>>,
    known_id: Option<String>,
    permit: OwnedSemaphorePermit,
) -> impl IntoResponse {
    let stream = EventStream { states, last_sent: None, known_id, _permit: permit };
    Sse::new(stream::unfold(stream, |mut stream| async move {
        let event = stream.next().await?;
        Some((Ok::<_, Infallible>(event), stream))
    }))
}

impl<T: PublishedState> EventStream<T> {
    /// The next event; `None` after the last one.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let state = self.states.borrow_and_update().clone();
            let was_sent = |state: &Arc<T>| self.last_sent.as_ref().is_some_and(|sent| sent.id() == state.id());
            if let Some(state) = state.filter(|state| !was_sent(state)) {
                let previous = self.last_sent.replace(Arc::clone(&state));
                if self.known_id.take().is_none_or(|known_id| known_id != state.id()) {
                    let data = state.json(previous.as_deref());
                    return Some(Event::default().event(T::EVENT).id(state.id()).data(data));
                }
            }
            match timeout(SILENCE, self.states.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(Event::default().comment("")),
            }
        }
    }
}
