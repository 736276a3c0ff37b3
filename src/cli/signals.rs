//! Signals: the first one that asks for an end stops the search with a checkpoint.
//!
//! SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1 and SIGXCPU ask for an end. A later SIGINT or SIGQUIT ends the program at
//! once; the others do not, because systems repeat them: Slurm sends SIGTERM to each process and has `srun` pass it on,
//! a closed terminal sends SIGHUP twice, and SIGXCPU comes every second.

use super::exit::{Exit, Failure};
use super::screen::Asked;
use super::system::{self, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU};
use gridhunt_search::runtime::{StopReason, StopToken};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The signals that ask for an end, with the exits.
const ENDING: [(i32, Exit); 6] = [
    (SIGINT, Exit::Interrupted),
    (SIGQUIT, Exit::Quit),
    (SIGTERM, Exit::Terminated),
    (SIGHUP, Exit::HungUp),
    (SIGUSR1, Exit::UserSignal),
    (SIGXCPU, Exit::CpuLimit),
];

/// The signals that end the program at once when they come later.
const IMPATIENT: [i32; 2] = [SIGINT, SIGQUIT];

/// The first signal that was received.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<AtomicUsize>);

impl Watch {
    /// Installs the handlers: from now on the first signal sets `stop`.
    ///
    /// # Errors
    /// When the system refuses the handlers or the thread.
    pub fn install(stop: &Arc<StopToken>) -> io::Result<Self> {
        let watch = Self::default();
        let (stop, first) = (Arc::clone(stop), Arc::clone(&watch.0));
        system::hear(&ENDING.map(|(signal, _)| signal), &IMPATIENT, move |signal| {
            let _ = first.compare_exchange(0, signal as usize, Ordering::Relaxed, Ordering::Relaxed);
            stop.stop(StopReason::Interrupted);
        })?;
        Ok(watch)
    }

    /// The exit of the first signal, if a signal was received.
    pub fn exit(&self) -> Option<Exit> {
        exit_of(self.0.load(Ordering::Relaxed))
    }
}

/// The signals that end a view: a screen or a page, which has nothing to save.
#[derive(Clone, Debug, Default)]
pub struct EndOfView(Arc<AtomicUsize>);

impl EndOfView {
    /// Installs the handlers.
    ///
    /// # Errors
    /// When the system refuses them.
    pub fn install() -> io::Result<Self> {
        let end = Self::default();
        system::hear_last(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM], &end.0)?;
        Ok(end)
    }

    /// Whether a signal has come.
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// The exit of a view. A signal explains why a terminal has failed.
    ///
    /// # Errors
    /// When the terminal has failed without a signal.
    pub fn end(&self, asked: io::Result<Asked>) -> Result<Exit, Failure> {
        match self.exit() {
            Some(exit) => Ok(exit),
            None => asked.map(Asked::exit).map_err(Failure::output),
        }
    }

    /// The exit of the signal that has come last, if one has come.
    pub fn exit(&self) -> Option<Exit> {
        exit_of(self.0.load(Ordering::Relaxed))
    }
}

/// The exit of a signal; `None` for 0.
fn exit_of(number: usize) -> Option<Exit> {
    ENDING.into_iter().find(|(signal, _)| *signal as usize == number).map(|(_, exit)| exit)
}
