//! Names on the command line, and the error for a name that does not exist.

/// A name that does not exist.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {what} {found:?}, expected one of: {expected}")]
pub struct UnknownName {
    /// The kind of thing that the name should stand for.
    pub what: &'static str,
    /// The name.
    pub found: String,
    /// The names that exist.
    pub expected: String,
}

pub(super) fn join<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
