//! SIGINT and SIGTERM: the first one stops the search, a second one ends the program at once.

use super::exit::Exit;
use gridhunt::runtime::{StopReason, StopToken};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the first handler ends the program only if an earlier signal has set the flag.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&came))?;
            flag::register(signal, Arc::clone(&came))?;
        }
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let (stop, first) = (Arc::clone(stop), Arc::clone(&watch.0));
        // A separate thread sets the token, because a signal handler may call only few functions.
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                let _ = first.compare_exchange(0, signal as usize, Ordering::Relaxed, Ordering::Relaxed);
                stop.stop(StopReason::Interrupted);
            }
        })?;
        Ok(watch)
    }

    /// The exit of the first signal, if a signal was received.
    pub fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            n if n == SIGTERM as usize => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}
