//! Server-sent events. A client gets the newest state; states for which it had no time are left out. A client that
//! stops reading keeps one state in memory, until its connection breaks.

use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

/// The longest silence. Programs between server and browser close silent connections.
const SILENCE: Duration = Duration::from_secs(15);

/// A state that is sent to clients.
pub(super) trait Streamed: Send + Sync + 'static {
    /// The name of the event.
    const EVENT: &'static str;

    /// A name of the state. States with the same name are equal.
    fn id(&self) -> &str;

    /// The state as JSON. `before` is the state that the client got before.
    fn json(&self, before: Option<&Self>) -> String;
}

/// What a stream of events remembers.
struct Listener<T> {
    states: Receiver<Option<Arc<T>>>,
    /// The state that was sent last.
    told: Option<Arc<T>>,
    /// The name of the state that the client has from an earlier connection.
    known: Option<String>,
    /// The permit of the stream, returned at its end.
    _room: OwnedSemaphorePermit,
}

/// Sends each new state until the client is gone. `known` is the id of the last event that the client has got.
pub(super) fn events<T: Streamed>(
    states: Receiver<Option<Arc<T>>>,
    known: Option<String>,
    room: OwnedSemaphorePermit,
) -> impl IntoResponse {
    let listener = Listener { states, told: None, known, _room: room };
    Sse::new(stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    }))
}

impl<T: Streamed> Listener<T> {
    /// The next event; `None` if there will be none.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let state = self.states.borrow_and_update().clone();
            let is_told = |state: &Arc<T>| self.told.as_ref().is_some_and(|told| told.id() == state.id());
            if let Some(state) = state.filter(|state| !is_told(state)) {
                if self.known.take().is_none_or(|known| known != state.id()) {
                    let event = Event::default().event(T::EVENT).id(state.id()).data(state.json(self.told.as_deref()));
                    self.told = Some(state);
                    return Some(event);
                }
                self.told = Some(state);
            }
            match timeout(SILENCE, self.states.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(Event::default().comment("")),
            }
        }
    }
}
