//! A thread that writes, so that an observer never waits for a disk.

use crossbeam::channel::{Receiver, Sender, unbounded};
use std::io;
use std::thread::JoinHandle;

/// Sends items to a thread that writes them. Dropping it waits until everything is written.
#[derive(Debug)]
pub(super) struct WriterThread<T> {
    sender: Option<Sender<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> WriterThread<T> {
    /// Starts the thread. `write` gets the items until the channel is closed.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(super) fn start(name: &str, write: impl FnOnce(Receiver<T>) + Send + 'static) -> io::Result<Self> {
        let (send, receive) = unbounded();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || write(receive))?;
        Ok(Self { sender: Some(send), thread: Some(thread) })
    }

    /// Sends an item, without waiting.
    pub(super) fn send(&self, item: T) {
        if let Some(sender) = &self.sender {
            // The thread may have ended because the output is closed.
            let _ = sender.send(item);
        }
    }

    /// Whether the thread has taken all items.
    pub(super) fn is_empty(&self) -> bool {
        self.sender.as_ref().is_some_and(Sender::is_empty)
    }
}

impl<T> WriterThread<T> {
    /// Waits until everything is written. Later items are dropped.
    pub(super) fn close(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl<T> Drop for WriterThread<T> {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crossbeam::channel::bounded;

    /// A disk that hangs until `release` is called. Until then, `wait` does not return.
    pub(crate) fn hanging() -> (impl FnOnce(), impl FnMut() + Send + 'static) {
        let (release, hang) = bounded::<()>(0);
        (move || drop(release), move || _ = hang.recv())
    }

    #[test]
    fn who_hands_over_does_not_wait_and_everything_is_written() {
        let (release, mut wait) = hanging();
        let (send, written) = unbounded();
        let write = move |receive: Receiver<u32>| {
            receive.iter().for_each(|number| {
                wait();
                let _ = send.send(number);
            });
        };
        let writer = WriterThread::start("test", write).unwrap();
        (0..10_000).for_each(|number| writer.send(number));
        assert!(written.is_empty());
        release();
        drop(writer);
        assert!(written.iter().eq(0..10_000));
    }
}
