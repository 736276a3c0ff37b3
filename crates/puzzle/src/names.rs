//! Names on the command line, and the error for a name that does not exist.

use gridhunt_boards::{closest_name, did_you_mean};

/// A name that does not exist.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {what} {found:?},{} expected one of: {expected}", did_you_mean(nearest.as_deref()))]
pub struct UnknownName {
    /// What the name should denote: `bound`, `engine`, `domain`.
    pub what: &'static str,
    /// The name.
    pub found: String,
    /// The existing name that is most similar to `found`, if one is similar enough.
    pub nearest: Option<String>,
    /// The names that exist.
    pub expected: String,
}

impl UnknownName {
    /// The error for a name that is none of `names`.
    #[must_use]
    pub fn new<'a>(what: &'static str, found: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let nearest = closest_name(found, names.clone()).map(str::to_owned);
        Self { what, found: found.to_owned(), nearest, expected: join_names(names) }
    }
}

/// Joins names with commas.
#[must_use]
pub fn join_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Implements equality, serde, `Debug` and `Display` for a handle with a method `name`. Handles are equal if their
/// names are equal.
macro_rules! impl_handle_traits {
    ($handle:ty) => {
        impl PartialEq for $handle {
            fn eq(&self, other: &Self) -> bool {
                self.name() == other.name()
            }
        }

        impl Eq for $handle {}

        impl std::fmt::Debug for $handle {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::fmt::Display for $handle {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $handle {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $handle {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use impl_handle_traits;
