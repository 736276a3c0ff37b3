//! The process: memory, signals, and the ranks that a launcher has started.

pub(super) mod allocator;
pub(super) mod ranks;
pub(super) mod signals;
pub(super) mod system;
