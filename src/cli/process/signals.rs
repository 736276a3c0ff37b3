//! Signals: the first one stops the search with a checkpoint.
//!
//! The signals are SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1 and SIGXCPU. A later SIGINT or SIGQUIT ends the program at
//! once; the others do not, because systems repeat them: Slurm sends SIGTERM to each process and has `srun` pass it on,
//! a closed terminal sends SIGHUP twice, and SIGXCPU comes every second.

use super::system::{self, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU};
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::screen::ViewRequest;
use gridhunt_search::runtime::{StopReason, StopToken};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The signals that stop a search, with the exits.
const EXIT_OF_SIGNAL: [(i32, Exit); 6] = [
    (SIGINT, Exit::Interrupted),
    (SIGQUIT, Exit::Quit),
    (SIGTERM, Exit::Terminated),
    (SIGHUP, Exit::HungUp),
    (SIGUSR1, Exit::UserSignal),
    (SIGXCPU, Exit::CpuLimit),
];

/// The signals that end the program at once if they are not the first.
const ENDS_AT_ONCE: [i32; 2] = [SIGINT, SIGQUIT];

/// The number of the signal that has arrived, or 0: the first for a search, the last for a view.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Installs the handlers of a search: from now on the first signal sets `stop`.
    pub fn install_for_search(stop: &Arc<StopToken>) -> io::Result<Self> {
        let signals = Self::default();
        let (stop, first) = (Arc::clone(stop), Arc::clone(&signals.0));
        system::on_signal(&EXIT_OF_SIGNAL.map(|(signal, _)| signal), &ENDS_AT_ONCE, move |signal| {
            let _ = first.compare_exchange(0, signal as usize, Ordering::Relaxed, Ordering::Relaxed);
            stop.stop(StopReason::Interrupted);
        })?;
        Ok(signals)
    }

    /// Installs the handlers of a view: a screen or a page, which has nothing to save.
    pub fn install_for_view() -> io::Result<Self> {
        let signals = Self::default();
        system::store_last_signal(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM], &signals.0)?;
        Ok(signals)
    }

    pub fn has_arrived(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// The exit of a view. A signal explains why a terminal has failed.
    ///
    /// # Errors
    /// When the terminal has failed without a signal.
    pub fn view_exit(&self, request: io::Result<ViewRequest>) -> Result<Exit, Failure> {
        match self.exit() {
            Some(exit) => Ok(exit),
            None => request.map(ViewRequest::exit).map_err(Failure::output),
        }
    }

    /// The exit of the signal that has arrived.
    pub fn exit(&self) -> Option<Exit> {
        let number = self.0.load(Ordering::Relaxed);
        EXIT_OF_SIGNAL.into_iter().find(|(signal, _)| *signal as usize == number).map(|(_, exit)| exit)
    }
}
