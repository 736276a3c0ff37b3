//! Engines by their names.

use super::UnknownName;
use super::names::join;
use crate::engine::EngineKind;

/// The engine of that name.
///
/// # Errors
/// When no engine has the name; the error lists the names.
pub fn parse_engine(text: &str) -> Result<EngineKind, UnknownName> {
    EngineKind::from_name(text).ok_or_else(|| UnknownName {
        what: "engine",
        found: text.to_owned(),
        expected: join(EngineKind::ALL.map(EngineKind::name)),
    })
}
