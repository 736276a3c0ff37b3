//! A game on the screen of a terminal, with verdicts after each move.
//!
//! * `game`: the game, the knowledge of its positions, and the actions of keys;
//! * `screen`: the screen, drawn into a buffer of any size.

mod game;
mod screen;
#[cfg(test)]
mod tests;

pub use game::{KeyOutcome, TerminalGame};
pub use screen::{cell_at, draw};
