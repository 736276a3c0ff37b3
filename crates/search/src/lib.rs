#![doc = include_str!("../README.md")]
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![cfg_attr(loom, expect(dead_code, unused_imports, reason = "their callers are not compiled for loom"))]

// An example that tests search. It names this crate.
#[cfg(all(test, not(loom)))]
extern crate self as gridhunt_search;
#[cfg(all(test, not(loom)))]
#[allow(dead_code, reason = "the example has a main")]
#[path = "../examples/pancakes.rs"]
mod pancakes;

pub mod checkpoint;
pub mod domain;
#[cfg(not(loom))]
pub mod engine;
#[cfg(not(loom))]
pub mod expand;
pub mod platform;
pub mod runtime;
pub mod store;
pub mod sync;
