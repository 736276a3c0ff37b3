//! What best-first search and IDA* share, which both search layer by layer of f: workers that steal work from one
//! another, and the record of the layers, from which the proven lower bound follows.

mod ledger;
mod team;

pub(super) use ledger::Ledger;
pub(super) use team::{NextWork, REPORT, Team};
