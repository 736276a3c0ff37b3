//! Checkpoints: the state of a search on disk.
//!
//! ```text
//! store --(full segments, closed ids, changed marks)--> writer --> shard-*.log, journal*.log
//! one worker, when all wait at the barrier --(cut)----> writer --(part)--> writer of the leader
//!                                                                            +--> manifest-a, manifest-b
//! ```
//!
//! With one rank, its writer is the writer of the leader. On several ranks each has a writer and files of its own
//! (`agreement`).
//!
//! **Division between `store` and `checkpoint`.** The store keeps records: their log in memory, the files to which full
//! segments go, and the evictor that frees their memory. These files serve the running search, because cold records are
//! read from them. A checkpoint says which bytes of these files are valid, which marks the records have, and what else
//! the engine needs. So the bytes of `shard-*.log` belong to the store, and manifest, journal and recovery belong here.
//! Three interfaces connect the two:
//!
//! * The store reports its changes to a `store::ChangeSink`. The sink is the queue of the writer thread, so one queue
//!   orders changes and cuts.
//! * The writer decides when records are written, because the order on disk (logs, journal, manifest) makes a
//!   checkpoint durable. A `store::SegmentWriter` writes them and tells the evictor.
//! * Recovery reads manifest and journal, and lets `store::Segments` read the records back.
//!
//! An engine without records writes generations of the manifest with a payload, and with a body if a payload would be
//! too long (`body`). Such a run has neither shards nor a journal, and needs no store. This module knows no engine:
//! payload and body are bytes to it.
//!
//! **Why a checkpoint is consistent.** Workers wait for the disk only if too many bytes are still to be written. A
//! *cut* is taken while all workers wait at the barrier: numbers of records and a payload. The bytes that a cut covers
//! never change (records are append-only, marks are journalled), so they are written while the workers continue. The
//! log is authoritative: index and open nodes are derived from it.

mod agreement;
mod body;
mod checkpoints;
mod cleanup;
mod commands;
pub mod decoders;
mod error;
mod files;
mod generation;
mod inspect;
mod journal;
mod manifest;
mod rank_part;
mod recover;
#[cfg(all(test, not(loom)))]
pub(crate) mod tests;
mod writer;

pub use body::BodyReader;
pub use checkpoints::Checkpoints;
pub(crate) use cleanup::discard_together;
pub use cleanup::{discard, discard_spill, exists};
pub use error::CheckpointError;
pub use files::CheckpointFiles;
pub use inspect::{Inspection, inspect, read_manifest};
pub use recover::{OnRead, RecoveredPayload, RecoveredStore, recover, recover_payload};
