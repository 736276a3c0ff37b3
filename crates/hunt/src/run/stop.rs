//! Requests to stop the search of a run, from any host that sees the run directory.
//!
//! The request is the file `stop` in the run directory. The searching process polls for the file twice per second, and
//! then ends as after an interruption, with a last checkpoint. It removes the file when it ends and when it begins.

use super::RunDir;
use super::files::{IoResultExt, LOCK, Paths, STOP};
use super::history::History;
use super::identities::Identities;
use super::lock::Lock;
use super::state::check_content;
use crate::RunError;
use gridhunt_search::runtime::{StopReason, StopToken};
use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two polls for a request.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Sets the stop token of a search when there is a request. Dropping the listener removes the request.
#[derive(Debug)]
pub struct StopListener {
    file: PathBuf,
    /// Dropped to end the thread.
    end_thread: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StopListener {
    /// Starts the thread that polls for a request.
    ///
    /// # Errors
    /// When the system refuses the thread.
    pub fn begin(run: &RunDir, stop: &Arc<StopToken>) -> io::Result<Self> {
        let file = run.path().join(STOP);
        let (end_thread, end_signal) = channel();
        let (path, stop) = (file.clone(), Arc::clone(stop));
        let poll = move || {
            while !path.exists() {
                if end_signal.recv_timeout(POLL_INTERVAL) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
            stop.stop(StopReason::Interrupted);
        };
        let thread = std::thread::Builder::new().name("stop".to_owned()).spawn(poll)?;
        Ok(Self { file, end_thread: Some(end_thread), thread: Some(thread) })
    }
}

impl Drop for StopListener {
    fn drop(&mut self) {
        self.end_thread = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // If this fails, the next session removes the file.
        let _ = fs::remove_file(&self.file);
    }
}

/// A request to stop the search of a run.
#[derive(Clone, Debug)]
pub struct StopRequest {
    paths: Paths,
    /// The number of the process that searched at the time of the request, if one did.
    pub process: Option<String>,
    /// Whether a request was written. If not, no process searched: the run had ended or had not begun.
    pub is_written: bool,
    /// Whether the request was written again.
    is_repeated: Cell<bool>,
}

impl StopRequest {
    /// Makes a request if a process may search in the run directory: if the lock is held, or the last session has not
    /// recorded its end. The second condition covers file systems that do not share locks between hosts.
    ///
    /// # Errors
    /// When `run` is not a run directory, or the request cannot be written.
    pub fn make(run: &Path) -> Result<Self, RunError> {
        let paths = Paths(run.to_owned());
        check_content(&paths)?;
        let process = lock_holder(&paths)?;
        let History { has_session, session_end, .. } = History::read(run, &Identities::default());
        let is_written = process.is_some() || has_session && session_end.is_none();
        let request = Self { paths, process, is_written, is_repeated: Cell::new(false) };
        if is_written {
            request.write()?;
        }
        Ok(request)
    }

    /// Whether there is no process to wait for: it has ended, or its lock cannot be seen from here.
    ///
    /// # Errors
    /// When the lock cannot be examined, or the request cannot be written again.
    pub fn has_ended(&self) -> Result<bool, RunError> {
        let holder = lock_holder(&self.paths)?;
        if self.process.is_none() || holder != self.process {
            // The process may have removed the request because it was ending. Then nobody reads the second request.
            if self.is_repeated.take() && holder.is_none() {
                let _ = fs::remove_file(self.paths.of(STOP));
            }
            return Ok(true);
        }
        // A process that has just begun removes the request, because it may have been for an earlier process.
        if !self.paths.of(STOP).exists() {
            self.write()?;
            self.is_repeated.set(true);
        }
        Ok(false)
    }

    fn write(&self) -> Result<(), RunError> {
        let path = self.paths.of(STOP);
        File::create(&path).with_path("create", &path).map(|_| ())
    }
}

/// The number of the process that holds the lock.
fn lock_holder(paths: &Paths) -> Result<Option<String>, RunError> {
    Lock::holder(paths).with_path("look at", &paths.of(LOCK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::line_checksum;
    use gridhunt_boards::{Board, Cell, Entry, usual_symbols};

    fn create(path: &Path) -> RunDir {
        let board = Board::new("a", 1, 2, vec![0, 1], usual_symbols(2), Cell::default()).unwrap();
        let boards = std::iter::once(Ok(Entry { board, published_optimum: None }));
        RunDir::create(path, &Config::default(), boards).unwrap()
    }

    fn run() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        (folder, path)
    }

    #[test]
    fn a_request_stops_the_search_and_goes_with_it() {
        let (_folder, path) = run();
        let run = create(&path);
        let stop = Arc::new(StopToken::new());
        let watch = StopListener::begin(&run, &stop).unwrap();
        let request = StopRequest::make(&path).unwrap();
        assert_eq!(request.process, Some(std::process::id().to_string()));
        while stop.reason().is_none() {
            std::thread::yield_now();
        }
        assert_eq!((stop.reason(), request.has_ended().unwrap()), (Some(StopReason::Interrupted), false));
        drop(watch);
        assert!(!path.join(STOP).exists(), "the request goes with the search");
        drop(run);
        assert!(request.has_ended().unwrap());
        assert!(!path.join(STOP).exists(), "nobody is asked any more");
    }

    #[test]
    fn a_request_is_made_where_somebody_may_search() {
        let (_folder, path) = run();
        assert!(StopRequest::make(&path).is_err(), "no run");
        drop(create(&path));
        let of = |events: &str| {
            fs::write(History::path(&path), events).unwrap();
            let request = StopRequest::make(&path).unwrap();
            (request.process.is_some(), request.is_written, request.has_ended().unwrap())
        };
        let session = &(line_checksum::append(r#"{"time":1.0,"event":"session","value":{"process":7}}"#) + "\n");
        let end = line_checksum::append(r#"{"time":2.0,"event":"end","value":"stopped"}"#) + "\n";
        assert_eq!(of(""), (false, false, true));
        assert_eq!(of(&format!("{session}{end}")), (false, false, true), "it has ended");
        assert_eq!(of(session), (false, true, true), "killed, or on a host whose locks cannot be seen");
        let (run, _) = RunDir::open(&path).unwrap();
        assert!(!path.join(STOP).exists(), "the request was for an earlier session");
        let request = StopRequest::make(&path).unwrap();
        fs::remove_file(path.join(STOP)).unwrap();
        assert!(!request.has_ended().unwrap() && path.join(STOP).exists(), "asked again");
        drop(run);
    }
}
