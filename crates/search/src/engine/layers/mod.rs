//! The parts that best-first search and IDA* share. Both search one layer of f after another: their workers steal work
//! from one another, and the proven lower bound follows from the record of the layers.

mod ledger;
mod team;

pub(super) use ledger::Ledger;
pub(super) use team::{NextWork, REPORT_INTERVAL, Team};
