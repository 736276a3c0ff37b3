//! gridhunt hunts for provably optimal solutions on huge puzzle boards.
//!
//! | floor | module | what lives there |
//! |---|---|---|
//! | 10 | `cli` (in the binary) | typed arguments become a request; exit codes |
//! | 9 | `serve` (feature `serve`) | runs in a browser |
//! | 8 | [`report`] | progress, JSON, tables: consumes events and outcomes |
//! | 7 | [`play`] | what people who play ask: positions, verdicts, hints, links |
//! | 6 | [`hunt`] | the table of options, run directories, batches |
//! | 5 | [`puzzles`] | the puzzles: states, lower bounds, puzzle objects and their registry |
//!
//! A module imports only from floors below its own. Below stand three crates: [`gridhunt_search`] and
//! [`gridhunt_synthesis`] search and know no puzzle, [`gridhunt_boards`] reads boards, replays solutions, and knows no
//! search.
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod hunt;
pub mod play;
pub mod puzzles;
#[cfg(not(target_family = "wasm"))]
pub mod report;
#[cfg(feature = "serve")]
pub mod serve;
