//! Parses the names of engines.

use gridhunt_puzzle::UnknownName;
use gridhunt_search::engine::EngineKind;

/// Returns the engine named `text`.
///
/// # Errors
/// When no engine has that name. The error lists all names.
pub fn parse_engine(text: &str) -> Result<EngineKind, UnknownName> {
    let error = || UnknownName::new("engine", text, EngineKind::ALL.map(EngineKind::name));
    EngineKind::from_name(text).ok_or_else(error)
}
