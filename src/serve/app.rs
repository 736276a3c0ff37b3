//! The state of a server.

use super::ServeOptions;
use super::control::Control;
use super::error::ServeError;
use super::guard::Guard;
use super::served_runs::ServedRuns;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The most slow answers at a time.
const MOST_SLOW_ANSWERS: usize = 4;

/// The most streams of events at a time, so that other requests are answered too.
const MOST_STREAMS: usize = 200;

/// What all requests share.
#[derive(Debug)]
pub(super) struct App {
    pub(super) guard: Arc<Guard>,
    pub(super) served_runs: ServedRuns,
    pub(super) control: Option<Control>,
    pub(super) slow_permits: Arc<Semaphore>,
    pub(super) stream_permits: Arc<Semaphore>,
}

impl App {
    /// Finds the runs of `sources`, and makes a token. `names` are further names of the host.
    ///
    /// # Errors
    /// When a source is not a folder or cannot be read, or the system has no random numbers.
    pub(super) fn new(address: SocketAddr, options: ServeOptions) -> Result<Self, ServeError> {
        let ServeOptions { names, sources, control, .. } = options;
        Ok(Self {
            guard: Arc::new(Guard::new(address, names).map_err(ServeError::Token)?),
            served_runs: ServedRuns::new(sources, control.as_ref())?,
            control,
            slow_permits: Arc::new(Semaphore::new(MOST_SLOW_ANSWERS)),
            stream_permits: Arc::new(Semaphore::new(MOST_STREAMS)),
        })
    }
}
