//! Boards that several ranks search, together or each for itself.
//!
//! The leading rank reads boards and reports results. Before each search it sends an order to the other ranks: the
//! configuration, the board and a known solution. Each of them makes the same search space of them and takes part in the
//! search ([`follow`]). So only the leader needs the files of the user. Boards side by side are dealt out (`dealt`).

use super::dealt::{self, Dealer};
use super::sent::{entry_of, or_end, written};
use super::solve::{check, solve_task};
use super::task::Task;
use super::{Config, DriverError, Held, Report};
use crate::engine::Solution;
use crate::runtime::{Exchange, Silent, StopReason, StopToken};
use serde::{Deserialize, Serialize};

/// The leading rank's way to the other ranks.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'a> {
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The configuration of the batch, as [`Config::to_text`] writes it.
    pub config: &'a str,
}

/// What the leader asks the other ranks to do.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Take part in the search of a board.
    Search {
        /// The configuration, as text.
        config: String,
        /// The board, in the format `json`.
        board: Vec<u8>,
        known: Option<Solution>,
    },
    /// Search the boards that are dealt to the rank.
    Deal {
        /// The configuration, as text.
        config: String,
    },
    /// Nothing is left to be done.
    End,
}

impl Ranks<'_> {
    /// Searches a board on all ranks.
    ///
    /// # Errors
    /// As [`solve_from`](super::solve_from).
    pub(super) fn solve(&self, task: &Task<'_>) -> Result<Report, DriverError> {
        // What would be refused is not sent.
        check(task)?;
        let board = written(task.board)?;
        let (config, known) = (self.config.to_owned(), task.known.cloned());
        self.exchange.agree_on(&Some(Order::Search { config, board, known }));
        let report = solve_or_end(task, self.exchange)?;
        if report.outcome.stopped == Some(StopReason::Interrupted) {
            // The signal may have reached another rank.
            task.stop.stop(StopReason::Interrupted);
        }
        Ok(report)
    }

    /// Runs a batch whose boards are dealt out to all ranks. The leader searches on `threads` threads.
    pub(super) fn deal<T>(&self, threads: usize, stop: &StopToken, batch: impl FnOnce(&Dealer<'_>) -> T) -> T {
        self.exchange.agree_on(&Some(Order::Deal { config: self.config.to_owned() }));
        dealt::deal(self.exchange, threads, stop, batch)
    }
}

/// Sends the other ranks home. To be called once by the leader, whatever became of its work.
pub fn dismiss(exchange: &Exchange) {
    exchange.agree_on(&Some(Order::End));
}

/// The work of a rank that does not lead: takes part in the leader's searches until the leader has no more. `stop` stops
/// the search of a board, on all ranks.
///
/// # Errors
/// When an order cannot be carried out. The other ranks wait for this one then, so the caller ends all ranks.
pub fn follow(exchange: &Exchange, stop: &StopToken) -> Result<(), DriverError> {
    loop {
        let orders = exchange.agree_on(&None::<Order>);
        let (config, search) = match orders.into_iter().next().flatten() {
            Some(Order::Search { config, board, known }) => (config, Some((board, known))),
            Some(Order::Deal { config }) => (config, None),
            Some(Order::End) | None => return Ok(()),
        };
        let refuse = |reason: String| DriverError::Ranks { reason };
        let request = Config::parse("order", &config).map_err(|error| refuse(error.to_string()))?.request();
        let Some((board, known)) = search else {
            dealt::take_part(exchange, &request, stop);
            continue;
        };
        let entry = entry_of(&board)?;
        let (board, known, held) = (&entry.board, known.as_ref(), &Held::default());
        let task = Task { board, request: &request, known, held, observer: &Silent, stop, keep: None };
        // The leader reports what becomes of the board. An error here is one there too.
        let _ = solve_or_end(&task, exchange);
    }
}

/// Searches a board on this rank. A panic ends all ranks: the others would wait for this one.
fn solve_or_end(task: &Task<'_>, exchange: &Exchange) -> Result<Report, DriverError> {
    or_end(exchange, || solve_task(task, Some(exchange)))
}
