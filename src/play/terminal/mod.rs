//! A game on the screen of a terminal, with verdicts after each move.
//!
//! * `table`: the game that is played, what is known of its positions, and what keys do;
//! * `screen`: the screen, drawn into a buffer of any size.

mod screen;
mod table;
#[cfg(test)]
mod tests;

pub use screen::{cell_at, draw};
pub use table::{KeyOutcome, TerminalGame};
