//! The state of a server.

use super::ServeOptions;
use super::control::Control;
use super::error::ServeError;
use super::guard::Guard;
use super::served_runs::ServedRuns;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::Semaphore;

const MOST_SLOW: usize = 4;

/// The most streams of events at a time, so that others are answered too.
const MOST_STREAMS: usize = 200;

/// What all requests share.
#[derive(Debug)]
pub(super) struct App {
    pub(super) guard: Arc<Guard>,
    pub(super) served_runs: ServedRuns,
    pub(super) control: Option<Control>,
    /// Permits for slow answers.
    pub(super) slow: Arc<Semaphore>,
    pub(super) streams: Arc<Semaphore>,
}

impl App {
    /// Finds the runs of `sources`, and makes a token. `names` are further names of the host.
    ///
    /// # Errors
    /// When a source is no run, or the system has no random numbers.
    pub(super) fn new(address: SocketAddr, options: ServeOptions) -> Result<Self, ServeError> {
        let ServeOptions { names, sources, control, .. } = options;
        Ok(Self {
            guard: Arc::new(Guard::new(address, names).map_err(ServeError::Token)?),
            served_runs: ServedRuns::new(sources, control.as_ref())?,
            control,
            slow: Arc::new(Semaphore::new(MOST_SLOW)),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
        })
    }
}
