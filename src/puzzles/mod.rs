//! The puzzles: states, moves and lower bounds.

pub mod bunny;
pub mod clickomania;
pub mod floodit;
