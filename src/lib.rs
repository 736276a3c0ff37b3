//! gridhunt hunts for provably optimal solutions on huge puzzle boards.
//!
//! | module | what lives there |
//! |---|---|
//! | [`puzzles`] | the contract of a puzzle, and the registry |
//! | [`hunt`] | requests, batches, run directories, records |
//! | [`views`] | records and events as text, JSON, tables, pictures, pages, screens |
//! | [`play`] | answers for players: positions, verdicts, hints, links |
//! | `serve` (feature `serve`) | runs and games in a browser |
//!
//! Each puzzle has its own crate, which implements the contract. [`gridhunt_search`] searches and knows no puzzle;
//! [`gridhunt_boards`] reads and draws boards and knows no search.
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod play;
mod registry;
#[cfg(feature = "serve")]
pub mod serve;
mod shipped;

pub use gridhunt_hunt as hunt;
pub use gridhunt_puzzle as puzzles;
#[cfg(not(target_family = "wasm"))]
pub use gridhunt_views as views;
