//! gridhunt hunts for provably optimal solutions on huge puzzle boards.
//!
//! The house, from the ground up; a module imports only from floors below its own:
//!
//! | floor | module | what lives there |
//! |---|---|---|
//! | 10 | `cli` (in the binary) | typed arguments become a request; exit codes |
//! | 9 | `serve` (feature `serve`) | runs in a browser |
//! | 8 | [`report`] | progress, JSON, tables: consumes events and outcomes |
//! | 7 | [`play`] | what people who play ask: positions, verdicts, hints, links |
//! | 6 | [`driver`] | puzzle objects and their registry, the table of options, run directories, batches |
//! | 5 | [`verify`] | replays solutions with the plain rules; never sees an engine |
//! | 4 | [`engine`] | the search algorithms over packed states; they know no puzzle |
//! | 3 | [`expand`] | the seam between engines and puzzles: packed keys above, typed states below |
//! | 3 | [`runtime`] | worker threads, work stealing, limits, events |
//! | 2 | [`domain`] | the contract of a puzzle, and the puzzles |
//! | 2 | [`checkpoint`] | manifest, journal and recovery of a store, or of a payload alone |
//! | 1 | [`board`], [`store`] | puzzles without search; bytes without puzzles |
//! | 0 | [`platform`] | what the library runs on: an operating system, or a web page |
//! | 0 | [`sync`] | the one switch between real and model-checked atomics |
//!
//! A build for loom has the model-checked floors alone. Building searches on top of them would take far longer than the
//! models.
#![deny(rustdoc::broken_intra_doc_links)]

pub mod driver;
pub mod play;
pub mod puzzles;
#[cfg(not(target_family = "wasm"))]
pub mod report;
#[cfg(feature = "serve")]
pub mod serve;
