#![doc = include_str!("../README.md")]
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(loom, expect(dead_code, unused_imports, reason = "what the floors above use"))]

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
