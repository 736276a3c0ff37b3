//! Parses the names of engines.

use super::UnknownName;
use super::names::join;
use crate::engine::EngineKind;

/// Returns the engine named `text`.
///
/// # Errors
/// When no engine has that name. The error lists all names.
pub fn parse_engine(text: &str) -> Result<EngineKind, UnknownName> {
    EngineKind::from_name(text).ok_or_else(|| UnknownName {
        what: "engine",
        found: text.to_owned(),
        expected: join(EngineKind::ALL.map(EngineKind::name)),
    })
}
