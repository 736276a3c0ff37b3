//! The checkpoints of engines: their schedule, and their contents besides the store.

mod checkpointer;
mod snapshot;
mod times;

pub use checkpointer::{CheckpointConfig, Checkpointer, sequel_files};
pub use snapshot::{EnginePosition, IdaPosition, OpenBranch, OpenNode, Snapshot, decode_part, encode_part};
pub use times::{SessionClock, Times};
