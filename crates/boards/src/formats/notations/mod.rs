//! The ways in which boards are written.

pub(crate) mod game_id;
pub(crate) mod headed;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod picture;
pub(crate) mod rows;
pub(crate) mod saved_game;
