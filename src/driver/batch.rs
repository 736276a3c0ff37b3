//! Many boards: side by side on one thread each, or one after another on all threads.
//!
//! Only boards side by side are searched as tasks of a rayon pool. Each such search uses one thread and waits for no
//! other thread, so no worker of the pool blocks another.

use super::{DriverError, ObjectiveValue, Parallel, Report, Request, RunDir, RunError, solve_board};
use crate::board::{Board, BoardError, Entry};
use crate::engine::CheckpointConfig;
use crate::runtime::{Observer, Silent, StopReason, StopToken};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

/// The maximum number of undelivered reports. Reports wait for earlier boards, because delivery is in input order.
/// With [`READ_AHEAD`], this limit keeps the memory of a batch constant. While a hard board is searched, the other
/// threads can finish almost this many later boards before they have to wait.
const WINDOW: usize = 4_096;

/// The number of boards for each thread that are read ahead while all threads are busy.
const READ_AHEAD: usize = 2;

/// The observer of a batch. The events of a search arrive only if boards are searched one after another.
pub trait Audience: Observer {
    /// The search of a board begins, on all threads. `name` is the board's name, followed by the bound if bounds are
    /// compared. `objective` is the meaning of the costs in the events that follow.
    fn begin(&self, name: &str, objective: ObjectiveValue) {
        let _ = (name, objective);
    }

    /// A board is finished. Boards that are searched side by side finish in any order, on any thread.
    ///
    /// # Errors
    /// When the observer records the report and cannot write the record.
    fn finish(&self, report: &Report) -> Result<(), RunError> {
        let _ = report;
        Ok(())
    }
}

impl Audience for Silent {}

/// Why a batch ended early.
#[derive(Debug, thiserror::Error)]
pub enum BatchError<E> {
    /// A board could not be read or searched.
    #[error(transparent)]
    Hunt(#[from] DriverError),
    /// The receiver of the reports returned an error.
    #[error("the reports cannot be delivered")]
    Deliver(E),
}

/// A run over many boards.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The request for each board.
    pub request: &'a Request,
    /// Whether the threads share one board or search a board each.
    pub parallel: Parallel,
    /// The observer.
    pub audience: &'a dyn Audience,
    /// The token that stops the batch. After an error, a batch of boards side by side sets the token itself.
    pub stop: &'a StopToken,
    /// The run directory, if the batch is kept on disk.
    pub run: Option<&'a RunDir>,
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch").field("request", self.request).field("parallel", &self.parallel).finish_non_exhaustive()
    }
}

/// A search of one board.
pub(super) struct Task<'a> {
    pub(super) board: &'a Board,
    pub(super) request: &'a Request,
    pub(super) observer: &'a dyn Observer,
    pub(super) stop: &'a StopToken,
    pub(super) keep: Option<&'a CheckpointConfig>,
}

type Solve<'a> = dyn Fn(&Task<'_>) -> Result<Report, DriverError> + Sync + 'a;

/// A board with its number in the run, from 1.
type Numbered = (usize, Entry);

impl Batch<'_> {
    /// Searches the boards and delivers their reports in input order. A report is delivered as soon as all reports
    /// before it are delivered.
    ///
    /// After the stop token is set, no further search begins. The reports of the searches under way are still
    /// delivered.
    ///
    /// # Errors
    /// The first error in input order, of a board or of `deliver`. All reports before the error have been delivered,
    /// and the searches of later boards are stopped.
    pub fn run<E>(
        &self,
        boards: impl IntoIterator<Item = Result<Entry, BoardError>>,
        mut deliver: impl FnMut(Report) -> Result<(), E>,
    ) -> Result<(), BatchError<E>> {
        self.run_with(boards.into_iter(), &mut deliver, &|task| {
            solve_board(task.board, task.request, task.observer, task.stop, task.keep)
        })
    }

    fn run_with<E>(
        &self,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
        deliver: &mut dyn FnMut(Report) -> Result<(), E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        let numbered = (1..).zip(boards).map(|(number, entry)| entry.map(|entry| (number, entry)));
        // A resumed run skips the boards that are done.
        let done = |entry: &Result<Numbered, _>| {
            let number = entry.as_ref().map_or(0, |(number, _)| *number);
            self.run.is_some_and(|run| run.is_done(number))
        };
        let boards = numbered.filter(|entry| !done(entry));
        match self.parallel {
            Parallel::Search => self.one_after_another(boards, deliver, solve),
            Parallel::Boards => self.side_by_side(boards, deliver, solve),
        }
    }

    fn one_after_another<E>(
        &self,
        boards: impl Iterator<Item = Result<Numbered, BoardError>>,
        deliver: &mut dyn FnMut(Report) -> Result<(), E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        for entry in boards {
            if self.stop.reason().is_some() {
                break;
            }
            let entry = entry.map_err(DriverError::from)?;
            let objective = self.request.domain.objective_value(&entry.1.board, self.request);
            self.audience.begin(entry.1.board.name(), objective);
            let report = self.search(&entry, self.request, self.audience, solve)?;
            deliver(report).map_err(BatchError::Deliver)?;
        }
        Ok(())
    }

    fn side_by_side<E>(
        &self,
        mut boards: impl Iterator<Item = Result<Numbered, BoardError>>,
        deliver: &mut dyn FnMut(Report) -> Result<(), E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        let threads = self.request.threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("board-{i}"))
            .build()
            .map_err(|e| DriverError::Threads { threads, reason: e.to_string() })?;
        let request = &self.request.share(threads);
        let (send, receive) = mpsc::channel();
        let mut window = Window::default();
        let (mut under_way, mut exhausted) = (0, false);
        pool.in_place_scope(|scope| {
            loop {
                while !exhausted && under_way < threads * (1 + READ_AHEAD) && window.reports.len() < WINDOW {
                    exhausted = self.stop.reason().is_some();
                    match if exhausted { None } else { boards.next() } {
                        Some(Ok(entry)) => {
                            let (send, number) = (send.clone(), window.push(None));
                            under_way += 1;
                            scope.spawn(move |_| {
                                // The receiver is dropped only after an error; the report is not needed then.
                                let _ = send.send((number, self.search_unless_stopped(&entry, request, solve)));
                            });
                        }
                        Some(Err(e)) => {
                            window.push(Some(Err(e.into())));
                            exhausted = true;
                        }
                        None => exhausted = true,
                    }
                }
                window.deliver(deliver).inspect_err(|_| self.stop.stop(StopReason::Interrupted))?;
                if under_way == 0 && exhausted {
                    // Every report has arrived, so `deliver` has delivered all of them.
                    return Ok(());
                }
                if under_way > 0
                    && let Ok((number, report)) = receive.recv()
                {
                    under_way -= 1;
                    window.arrive(number, report);
                }
            }
        })
    }

    /// Searches one of several boards side by side. Returns `None` if the stop token was set before the search began.
    fn search_unless_stopped(&self, entry: &Numbered, request: &Request, solve: &Solve<'_>) -> Arrival {
        if self.stop.reason().is_some() {
            return Ok(None);
        }
        self.search(entry, request, &Silent, solve).map(Some)
    }

    /// Searches one board. A panic becomes an error, because another thread waits for the report.
    fn search(
        &self,
        (number, entry): &Numbered,
        request: &Request,
        observer: &dyn Observer,
        solve: &Solve<'_>,
    ) -> Result<Report, DriverError> {
        let board = &entry.board;
        let keep = self.run.map(|run| run.keep(*number, board, self.request, request));
        let task = Task { board, request, observer, stop: self.stop, keep: keep.as_ref() };
        let mut report = catch_unwind(AssertUnwindSafe(|| solve(&task))).unwrap_or_else(|panic| {
            Err(DriverError::Panicked { board: board.name().to_owned(), message: panic_message(&*panic) })
        })?;
        (report.number, report.published) = (*number, entry.published);
        self.audience.finish(&report)?;
        if let (Some(run), Some(keep)) = (self.run, &keep)
            && report.outcome.stopped.is_none()
        {
            run.forget(keep)?;
        }
        Ok(report)
    }
}

/// The result of a board; `None` if its search was never begun.
type Arrival = Result<Option<Report>, DriverError>;

/// Reports that are not delivered yet, in input order. An entry is `None` while the board's search is under way.
#[derive(Default)]
struct Window {
    reports: VecDeque<Option<Arrival>>,
    /// The number of entries delivered. This is also the number, from 0, of the first entry in `reports`.
    delivered: usize,
}

impl Window {
    /// Appends an entry and returns the number of the entry.
    fn push(&mut self, report: Option<Arrival>) -> usize {
        self.reports.push_back(report);
        self.delivered + self.reports.len() - 1
    }

    fn arrive(&mut self, number: usize, report: Arrival) {
        self.reports[number - self.delivered] = Some(report);
    }

    /// Delivers the reports before the first missing report.
    fn deliver<E>(&mut self, deliver: &mut dyn FnMut(Report) -> Result<(), E>) -> Result<(), BatchError<E>> {
        while let Some(report) = self.reports.pop_front_if(|report| report.is_some()).flatten() {
            self.delivered += 1;
            if let Some(report) = report? {
                deliver(report).map_err(BatchError::Deliver)?;
            }
        }
        Ok(())
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
