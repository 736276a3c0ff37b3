//! Positions that were solved for the page.

use crate::hunt::solve_board;
use crate::puzzles::{Request, clickomania};
use crate::report::page::SolvedView;
use dashmap::DashMap;
use gridhunt_boards::Board;
use gridhunt_search::engine::EngineKind;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The most positions that are kept.
const MOST: usize = 10_000;

/// The longest time for one position.
const TIME: Duration = Duration::from_secs(10);

/// The most memory for one position.
const MEMORY: u64 = 512 << 20;

/// What a position and its solution depend on, whole: never a hash alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    puzzle: &'static str,
    /// Objective and rules.
    rules: String,
    size: (usize, usize),
    start: (usize, usize),
    cells: Vec<u8>,
}

/// Positions that were solved. Many clients read them at the same time.
#[derive(Debug)]
pub(super) struct Positions {
    solved: DashMap<Position, Arc<SolvedView>>,
    /// One position is solved at a time: hunts need the processors.
    room: Semaphore,
}

impl Default for Positions {
    fn default() -> Self {
        Self { solved: DashMap::new(), room: Semaphore::new(1) }
    }
}

/// Why a position is not solved.
#[derive(Debug)]
pub(super) enum NotSolved {
    /// Another position is being solved.
    Busy,
    /// The position cannot be solved.
    Refused(String),
}

/// A position that may be solved now.
pub(super) struct Turn<'p> {
    positions: &'p Positions,
    _permit: SemaphorePermit<'p>,
}

impl Positions {
    /// The solution of a position, if it is known. Rules and objective are those of `request`.
    pub(super) fn find(&self, board: &Board, request: &Request) -> Option<SolvedView> {
        let known = self.solved.get(&Position::of(board, request)).map(|solved| Arc::clone(&solved))?;
        Some(SolvedView { cached: true, ..(*known).clone() })
    }

    /// Refuses at once while another position is being solved.
    ///
    /// # Errors
    /// When another position is being solved.
    pub(super) fn turn(&self) -> Result<Turn<'_>, NotSolved> {
        let permit = self.room.try_acquire().map_err(|_| NotSolved::Busy)?;
        Ok(Turn { positions: self, _permit: permit })
    }
}

impl Turn<'_> {
    /// Solves a position on one thread, within limits of time and memory, and keeps the solution.
    ///
    /// # Errors
    /// When the board is no position of the puzzle.
    pub(super) fn solve(self, board: &Board, request: &Request) -> Result<SolvedView, NotSolved> {
        let position = Position::of(board, request);
        let limits = Limits { time: Some(TIME), memory: Some(MEMORY), ..Limits::default() };
        let request = Request { engine: EngineKind::Auto, threads: 1, limits, ..request.clone() };
        let report = solve_board(board, &request, &Silent, &StopToken::new(), None);
        let report = report.map_err(|error| NotSolved::Refused(error.to_string()))?;
        let solved = SolvedView::of(&report);
        let kept = &self.positions.solved;
        // A position that was not proven may be proven by another attempt.
        if report.status.is_proven() {
            if kept.len() >= MOST {
                kept.clear();
            }
            kept.insert(position, Arc::new(solved.clone()));
        }
        Ok(solved)
    }
}

impl Position {
    fn of(board: &Board, request: &Request) -> Self {
        let clickomania::Options { objective, rules, scoring, .. } = &request.clickomania;
        let start = board.start();
        Self {
            puzzle: request.domain.name(),
            rules: format!("{objective} {rules:?} {scoring}"),
            size: (board.rows(), board.cols()),
            start: (start.row, start.col),
            cells: board.cells().to_vec(),
        }
    }
}
