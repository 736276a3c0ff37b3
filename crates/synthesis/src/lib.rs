#![doc = include_str!("../README.md")]
//!
//! The modules; each imports only from those above it:
//!
//! | module | content |
//! | --- | --- |
//! | `machine`, `codes`, `visits` | the contract of a machine; codes of programs; states that were visited |
//! | `simulate`, `tour`, `anneal` | programs step by step; incumbents |
//! | `orbits`, `semantics`, `workspace` | the effect of a fragment from every state, and buffers for it |
//! | `bank`, `test_size` | the fragments, level by level; the test of one size |
//! | `saved`, `search`, `dispatch` | the form in a checkpoint; the search; the engines, and which of them runs |
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod anneal;
mod bank;
mod codes;
mod dispatch;
mod machine;
mod orbits;
mod saved;
mod search;
mod semantics;
mod simulate;
mod test_size;
mod tour;
mod visits;
mod workspace;

pub use dispatch::{ProgramEngine, search_program};
pub use machine::Machine;
