//! Searches many boards: side by side on one thread each, or one after another on all threads.
//!
//! Boards side by side are tasks of a rayon pool. Each search uses one thread and waits for no other thread, so no
//! worker of the pool blocks another.

use super::board_search::{BoardSearch, SearchOutput, panic_message};
use super::certify::certify_record;
use super::run::discard_all;
use super::solve::search_board;
use super::{
    BatchObserver, BoardFolder, BoardRecord, BoardSearchInfo, HuntError, Parallelism, Ranks, RunDir, write_certificate,
};
use crate::Request;
use gridhunt_boards::Entry;
use gridhunt_puzzle::{CertificateForm, StartPosition};
use gridhunt_search::engine::{CheckpointConfig, RefutedSets};
use gridhunt_search::runtime::{Observer, StopReason, StopToken};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

/// The maximum number of results that wait for delivery in input order. With [`READ_AHEAD_PER_THREAD`], this limit
/// keeps the memory of a batch constant. While one hard board is searched, the other threads can finish almost this
/// number of later boards.
const MAX_UNDELIVERED: usize = 4_096;

/// The number of boards for each thread that are read ahead while all threads are busy.
const READ_AHEAD_PER_THREAD: usize = 2;

/// The result of a board of a batch.
#[derive(Debug)]
pub enum BoardResult {
    /// The search of the board ended.
    Record {
        /// The record.
        record: Box<BoardRecord>,
        /// Why the run directory lacks the record, or why the certificate is missing.
        record_error: Option<HuntError>,
    },
    /// The board could not be read or searched.
    Failed(FailedBoard),
    /// The batch was stopped before the search of the board began.
    NotBegun {
        /// The board's number in the run, from 1.
        number: usize,
        /// The board's name.
        board: String,
    },
}

/// A board without a record.
#[derive(Debug)]
pub struct FailedBoard {
    /// The board's number in the run, from 1; `None` if a run directory does not hold the board.
    pub number: Option<usize>,
    /// The board's name; `None` if the board could not be read.
    pub board: Option<String>,
    /// The reason.
    pub error: HuntError,
}

/// Why a batch ended early.
#[derive(Debug, thiserror::Error)]
pub enum BatchError<E> {
    /// A board of a strict batch could not be read or searched, the threads cannot be started, or a rank does not see
    /// the run directory.
    #[error(transparent)]
    Hunt(#[from] HuntError),
    /// The receiver of the results returned an error.
    #[error("the results cannot be delivered")]
    Deliver(E),
}

/// A run over many boards.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The request for each board.
    pub request: &'a Request,
    /// Whether the threads share one board or each search a board.
    pub parallel: Parallelism,
    /// The observer.
    pub observer: &'a dyn BatchObserver,
    /// The token that stops the batch. After an error, a batch of boards side by side sets it.
    pub stop: &'a StopToken,
    /// The run directory, if there is one.
    pub run: Option<&'a RunDir>,
    /// Whether the first board that fails ends the batch.
    pub is_strict: bool,
    /// Whether a stopped batch reads the remaining boards, and reports them as [`BoardResult::NotBegun`].
    pub reports_not_begun: bool,
    /// The folder for certificates, if boards are to have certificates.
    pub certificates: Option<&'a BoardFolder>,
    /// The other ranks, if there are any. They take part in searches one after another; the leader alone searches
    /// boards side by side.
    pub ranks: Option<Ranks<'a>>,
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch").field("request", self.request).field("parallel", &self.parallel).finish_non_exhaustive()
    }
}

/// The receiver of the results, in input order.
type Deliver<'a, E> = &'a mut dyn FnMut(BoardResult) -> Result<(), E>;

/// The function that searches a board.
type Solve<'a> = dyn Fn(&BoardSearch<'_>) -> Result<SearchOutput, HuntError> + Sync + 'a;

/// The number of a board in the run, from 1, and the board, or why it could not be read.
type NumberedBoard = (usize, Result<StartPosition, HuntError>);

impl Batch<'_> {
    /// Searches the boards and delivers their results in input order. A result is delivered as soon as all results
    /// before it are delivered. A board that cannot be read or searched does not end the batch, unless it is strict.
    ///
    /// After the stop token is set, no further search begins. The records of running searches are delivered.
    ///
    /// # Errors
    /// When a rank does not see the run directory; nothing is searched then. Otherwise the first error in input order,
    /// of `deliver` or of a board of a strict batch. All earlier results have been delivered, and the searches of later
    /// boards are stopped.
    pub fn run<E, B: Into<StartPosition>, F: Into<HuntError>>(
        &self,
        boards: impl IntoIterator<Item = Result<B, F>>,
        mut deliver: impl FnMut(BoardResult) -> Result<(), E>,
    ) -> Result<(), BatchError<E>> {
        if let (Some(ranks), Some(run)) = (self.participating_ranks(), self.run) {
            ranks.check_shared(run)?;
        }
        self.run_with(boards.into_iter(), &mut deliver, &|search| match self.participating_ranks() {
            None => search_board(search, None),
            Some(ranks) => ranks.solve(search),
        })
    }

    /// The other ranks, if they take part in searches.
    fn participating_ranks(&self) -> Option<Ranks<'_>> {
        self.ranks.filter(|_| self.parallel == Parallelism::Search)
    }

    /// Does the work of [`Batch::run`]. `solve` searches a board.
    fn run_with<E, B: Into<StartPosition>, F: Into<HuntError>>(
        &self,
        boards: impl Iterator<Item = Result<B, F>>,
        deliver: Deliver<'_, E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        // A resumed run skips the boards that are done.
        let is_done = |number: usize| self.run.is_some_and(|run| run.is_done(number));
        let boards = (1..)
            .zip(boards)
            .filter(|(number, _)| !is_done(*number))
            .map(|(number, start)| (number, start.map(Into::into).map_err(Into::into)));
        match self.parallel {
            Parallelism::Search => self.run_one_after_another(boards, deliver, solve),
            Parallelism::Boards => self.run_side_by_side(boards, deliver, solve),
        }
    }

    fn run_one_after_another<E>(
        &self,
        boards: impl Iterator<Item = NumberedBoard>,
        deliver: Deliver<'_, E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        for (number, start) in boards {
            let result = if self.stop.reason().is_some() {
                if !self.reports_not_begun {
                    break;
                }
                result_without_search(number, start)
            } else {
                if let Ok(StartPosition { entry, .. }) = &start {
                    self.observer.begin_board(&BoardSearchInfo::new(number, &entry.board, self.request));
                }
                self.search(number, start, self.request, self.observer, solve)
            };
            self.deliver_or_fail(result, deliver)?;
        }
        Ok(())
    }

    /// Delivers a result. In a strict batch, a board that failed is an error.
    fn deliver_or_fail<E>(&self, result: BoardResult, deliver: Deliver<'_, E>) -> Result<(), BatchError<E>> {
        match result {
            BoardResult::Failed(FailedBoard { error, .. }) if self.is_strict => Err(error.into()),
            result => deliver(result).map_err(BatchError::Deliver),
        }
    }

    fn run_side_by_side<E>(
        &self,
        mut boards: impl Iterator<Item = NumberedBoard>,
        deliver: Deliver<'_, E>,
        solve: &Solve<'_>,
    ) -> Result<(), BatchError<E>> {
        let threads = self.request.threads.max(1);
        let request = &self.request.for_parallel_boards(threads);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("board-{i}"))
            .build()
            .map_err(|e| HuntError::Threads { threads, reason: e.to_string() })?;
        let (send, receive) = mpsc::channel();
        let mut buffer = ReorderBuffer::default();
        let (mut running, mut is_exhausted) = (0, false);
        pool.in_place_scope(|scope| {
            loop {
                while !is_exhausted
                    && running < threads * (1 + READ_AHEAD_PER_THREAD)
                    && buffer.results.len() < MAX_UNDELIVERED
                {
                    let is_stopped = self.stop.reason().is_some();
                    match if is_stopped && !self.reports_not_begun { None } else { boards.next() } {
                        Some((number, start)) if is_stopped || start.is_err() => {
                            is_exhausted = self.is_strict && start.is_err();
                            buffer.push(Some(result_without_search(number, start)));
                        }
                        Some((number, start)) => {
                            let (send, index) = (send.clone(), buffer.push(None));
                            running += 1;
                            scope.spawn(move |_| {
                                // The receiver is dropped only after an error; the result is not needed then.
                                let _ = send.send((index, self.search_unless_stopped(number, start, request, solve)));
                            });
                        }
                        None => is_exhausted = true,
                    }
                }
                let mut deliver_or_fail = |result| self.deliver_or_fail(result, deliver);
                buffer.deliver(&mut deliver_or_fail).inspect_err(|_| self.stop.stop(StopReason::Interrupted))?;
                if running == 0 && is_exhausted {
                    // Every result has arrived, so `deliver` has delivered all of them.
                    return Ok(());
                }
                if running > 0
                    && let Ok((index, result)) = receive.recv()
                {
                    running -= 1;
                    buffer.fill(index, result);
                }
            }
        })
    }

    fn search_unless_stopped(
        &self,
        number: usize,
        start: Result<StartPosition, HuntError>,
        request: &Request,
        solve: &Solve<'_>,
    ) -> BoardResult {
        if self.stop.reason().is_some() {
            return result_without_search(number, start);
        }
        let Ok(StartPosition { entry, .. }) = &start else { return result_without_search(number, start) };
        let board = entry.board.clone();
        let info = BoardSearchInfo::new(number, &board, self.request);
        let observer = self.observer.begin_parallel_board(&info);
        self.search(number, start, request, &*observer, solve)
    }

    /// Searches one board. Turns a panic into an error, because another thread waits for the result.
    fn search(
        &self,
        number: usize,
        start: Result<StartPosition, HuntError>,
        request: &Request,
        observer: &dyn Observer,
        solve: &Solve<'_>,
    ) -> BoardResult {
        let StartPosition { entry, solution } = match start {
            Ok(start) => start,
            error => return result_without_search(number, error),
        };
        let known_range = self.run.map(|run| run.known_range(number, &entry, self.request)).unwrap_or_default();
        let Entry { board, published_optimum, .. } = &entry;
        let checkpoints = self.run.map(|run| run.checkpoint_config_of(number, board, self.request, request));
        let (known_solution, known_range, checkpoints) = (solution.as_ref(), &known_range, checkpoints.as_ref());
        let search =
            BoardSearch { board, request, known_solution, known_range, observer, stop: self.stop, checkpoints };
        let output = catch_unwind(AssertUnwindSafe(|| solve(&search))).unwrap_or_else(|panic| {
            Err(HuntError::Panicked { board: board.name().to_owned(), message: panic_message(&*panic) })
        });
        let (mut record, refuted) = match output {
            Ok((record, refuted)) => (Box::new(record), refuted),
            Err(error) => {
                let board = Some(board.name().to_owned());
                return BoardResult::Failed(FailedBoard { number: Some(number), board, error });
            }
        };
        (record.number, record.published) = (number, *published_optimum);
        let recorded = self.record(&record, checkpoints);
        let record_error = recorded.and_then(|()| self.certify(&search, (&record, refuted))).err();
        BoardResult::Record { record, record_error }
    }

    /// Writes the certificate of a board, if boards are to have certificates.
    fn certify(&self, search: &BoardSearch<'_>, output: (&BoardRecord, RefutedSets)) -> Result<(), HuntError> {
        let Some(folder) = self.certificates else { return Ok(()) };
        let certificate = certify_record(search, output, CertificateForm::Records)?;
        write_certificate(folder.reserve(search.board.name())?, &certificate).map(|_| ())
    }

    /// Writes a record to the run directory, then removes the checkpoints of a finished board.
    fn record(&self, record: &BoardRecord, checkpoints: Option<&CheckpointConfig>) -> Result<(), HuntError> {
        self.observer.finish_board(record)?;
        if let Some(checkpoints) = checkpoints.filter(|_| record.stopped.is_none()) {
            discard_all(&checkpoints.files)?;
            self.participating_ranks().map_or(Ok(()), |ranks| ranks.discard_spill_of(checkpoints))?;
        }
        Ok(())
    }
}

/// Makes the result of a board that could not be read, or whose search was not begun.
fn result_without_search(number: usize, start: Result<StartPosition, HuntError>) -> BoardResult {
    match start {
        Ok(StartPosition { entry, .. }) => BoardResult::NotBegun { number, board: entry.board.name().to_owned() },
        Err(error) => BoardResult::Failed(FailedBoard { number: Some(number), board: None, error }),
    }
}

/// The results that wait for delivery, in input order. An entry is `None` while the board is searched.
#[derive(Default)]
struct ReorderBuffer {
    results: VecDeque<Option<BoardResult>>,
    /// The index of the first entry of `results`: the number of delivered entries.
    first_index: usize,
}

impl ReorderBuffer {
    /// Appends an entry and returns its index.
    fn push(&mut self, result: Option<BoardResult>) -> usize {
        self.results.push_back(result);
        self.first_index + self.results.len() - 1
    }

    fn fill(&mut self, index: usize, result: BoardResult) {
        self.results[index - self.first_index] = Some(result);
    }

    /// Delivers the results before the first missing one.
    fn deliver<E>(&mut self, deliver: Deliver<'_, E>) -> Result<(), E> {
        while let Some(result) = self.results.pop_front_if(|result| result.is_some()).flatten() {
            self.first_index += 1;
            deliver(result)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
