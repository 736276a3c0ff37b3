//! The observers of the searches of a batch.

use super::identity::identity;
use super::{BoardRecord, Request, RunError};
use gridhunt_boards::{Board, plural};
use gridhunt_puzzle::Objective;
use gridhunt_search::runtime::{Observer, Silent};

/// The observer of a batch. It observes the searches of boards one after another. Each board that is searched side by
/// side with others has its own observer.
pub trait BatchObserver: Observer {
    /// Called when the search of a board begins on all threads.
    fn begin_board(&self, board: &BoardSearchInfo<'_>) {
        let _ = board;
    }

    /// Called when the search of a board begins on one thread, side by side with others. Returns its observer.
    fn begin_parallel_board<'a>(&'a self, board: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        let _ = board;
        Box::new(Silent)
    }

    /// Called when a board is finished. Boards that are searched side by side finish in any order, on any thread.
    ///
    /// # Errors
    /// When the observer keeps records, and cannot write this one.
    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        let _ = record;
        Ok(())
    }
}

impl BatchObserver for Silent {}

/// Observers that are called in their order. They are dropped in this order too.
pub type BatchObservers<'a> = Vec<Box<dyn BatchObserver + 'a>>;

impl BatchObserver for BatchObservers<'_> {
    fn begin_board(&self, board: &BoardSearchInfo<'_>) {
        self.iter().for_each(|observer| observer.begin_board(board));
    }

    fn begin_parallel_board<'a>(&'a self, board: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        Box::new(self.iter().map(|observer| observer.begin_parallel_board(board)).collect::<Vec<_>>())
    }

    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.iter().try_for_each(|observer| observer.finish_board(record))
    }
}

/// The description of a board whose search begins.
#[derive(Clone, Debug)]
pub struct BoardSearchInfo<'a> {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name, followed by the bound if bounds are compared.
    pub name: &'a str,
    /// The meaning of the costs in the events that follow.
    pub objective: Objective,
    /// The board in words: `14 x 14, 6 colours`.
    pub shape: String,
    /// The identity, as in [`BoardRecord::identity`].
    pub identity: String,
}

impl<'a> BoardSearchInfo<'a> {
    /// Describes a board whose search begins.
    #[must_use]
    pub fn new(number: usize, board: &'a Board, request: &Request) -> Self {
        // A board that is not a position is refused later, by its search.
        let objective = request.task(board).map_or_else(|_| request.objective(), |task| task.info().objective);
        let size = format!("{} x {}", board.rows(), board.cols());
        // If solutions are programs, the symbols of the board are not colours.
        let shape = match request.domain.info().has_programs {
            true => size,
            false => format!("{size}, {}", plural(board.colours(), "colour")),
        };
        Self { number, name: board.name(), objective, shape, identity: identity(board, request) }
    }
}
