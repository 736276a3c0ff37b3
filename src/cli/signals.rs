//! SIGINT and SIGTERM: the first one stops the search, a second one ends the program at once.

use super::exit::Exit;
use gridhunt::runtime::{StopReason, StopToken};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Which signal came first.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<AtomicUsize>);

impl Watch {
    /// Lets signals use `stop` from now on.
    ///
    /// # Errors
    /// When the system refuses the handlers or the thread.
    pub fn install(stop: &Arc<StopToken>) -> io::Result<Self> {
        let watch = Self::default();
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the handler that ends the program must not see its own signal's flag.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&came))?;
            flag::register(signal, Arc::clone(&came))?;
        }
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let (stop, first) = (Arc::clone(stop), Arc::clone(&watch.0));
        // A thread of its own: in a handler hardly anything is allowed.
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                let _ = first.compare_exchange(0, signal as usize, Ordering::Relaxed, Ordering::Relaxed);
                stop.stop(StopReason::Interrupted);
            }
        })?;
        Ok(watch)
    }

    /// The end that the first signal stands for, if one came.
    pub fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            n if n == SIGTERM as usize => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}
