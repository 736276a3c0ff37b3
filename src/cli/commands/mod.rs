//! The commands, a file each.

pub(super) mod bounds;
pub(super) mod certify;
pub(super) mod check;
pub(super) mod completions;
pub(super) mod export;
pub(super) mod generate;
pub(super) mod hunt;
pub(super) mod list;
#[cfg(feature = "man")]
pub(super) mod man;
pub(super) mod play;
pub(super) mod render;
pub(super) mod report;
pub(super) mod results;
pub(super) mod resume;
pub(super) mod schema;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod solve;
pub(super) mod status;
pub(super) mod stop;
pub(super) mod verify;
pub(super) mod watch;
