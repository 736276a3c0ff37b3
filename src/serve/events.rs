//! Server-sent events. A client gets the newest state; it skips states that it had no time for. A client that stops
//! reading keeps one state in memory until its connection breaks.

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

    /// A name of the state. States with equal names are equal.
    fn id(&self) -> &str;

    /// The state as JSON. `before` is the state that the client got before.
    fn json(&self, before: Option<&Self>) -> String;
}

/// The state of one stream.
struct Listener<T> {
    states: Receiver<Option<Arc<T>>>,
    last_sent: Option<Arc<T>>,
    /// The name of the state that the client got on an earlier connection.
    known_id: Option<String>,
    /// Returned when the stream ends.
    _room: OwnedSemaphorePermit,
}

/// Sends each new state until the client is gone. `known_id` is the id of the last event that the client has got.
pub(super) fn events<T: PublishedState>(
    states: Receiver<Option<Arc<T>>>,
    known_id: Option<String>,
    room: OwnedSemaphorePermit,
) -> impl IntoResponse {
    let listener = Listener { states, last_sent: None, known_id, _room: room };
    Sse::new(stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    }))
}

impl<T: PublishedState> Listener<T> {
    /// The next event; `None` if there will be none.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let state = self.states.borrow_and_update().clone();
            let is_told = |state: &Arc<T>| self.last_sent.as_ref().is_some_and(|sent| sent.id() == state.id());
            if let Some(state) = state.filter(|state| !is_told(state)) {
                let before = self.last_sent.replace(Arc::clone(&state));
                if self.known_id.take().is_none_or(|known_id| known_id != state.id()) {
                    let data = state.json(before.as_deref());
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
