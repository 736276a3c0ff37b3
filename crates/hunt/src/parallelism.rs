//! The use of threads in a run: boards side by side, or one search on all threads.

/// The use of the threads of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// Boards side by side, each on one thread.
    Boards,
    /// One board after another, each on all threads.
    Search,
}

gridhunt_boards::names!(Parallelism: Boards "boards", Search "search");
