//! Names of the variants of an enum, for the command line and for files, and the nearest name for a typing error.

use strsim::osa_distance;

/// The error for a text that is no value of an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?},{} expected {expected}", did_you_mean(nearest.as_deref()))]
pub struct OptionError {
    /// The text that was found.
    pub found: String,
    /// The allowed text that is most similar to it, if one is similar enough.
    pub nearest: Option<String>,
    /// The texts that are allowed.
    pub expected: String,
}

impl OptionError {
    /// The error for a text that has none of the forms that `expected` describes.
    pub fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), nearest: None, expected: expected.into() }
    }

    /// The error for a text that is none of `names`.
    #[must_use]
    pub fn unknown(found: &str, names: &[&str]) -> Self {
        let nearest = closest_name(found, names.iter().copied()).map(str::to_owned);
        Self { found: found.to_owned(), nearest, expected: format!("one of: {}", names.join(", ")) }
    }
}

/// The question that an error asks between what it found and what it expects: ` did you mean NAME?`, or nothing.
#[must_use]
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" did you mean {name}?"))
}

/// The name that a typing error most likely stands for, if one is near enough. Case, hyphens and other signs do not
/// count. A beginning of three letters or more counts as one typing error.
pub fn closest_name<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let found = letters(found);
    let near = names.into_iter().filter_map(|name| {
        let name_letters = letters(name);
        let is_beginning = found.chars().count() >= 3 && name_letters.starts_with(&found);
        let distance = osa_distance(&found, &name_letters);
        let distance = if is_beginning { distance.min(1) } else { distance };
        let max_distance = (name_letters.chars().count().max(found.chars().count()) / 3).max(1);
        (!found.is_empty() && distance <= max_distance).then_some((distance, name))
    });
    near.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum without fields, from a list of its variants and their
/// names.
#[macro_export]
macro_rules! names {
    ($type:ty: $($variant:ident $name:literal),*) => {
        impl $type {
            /// Every variant.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::OptionError;

            fn from_str(text: &str) -> Result<Self, $crate::OptionError> {
                let error = || $crate::OptionError::unknown(text, &Self::ALL.map(Self::name));
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(error)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_answered_with_the_nearest_name() {
        let names = ["auto", "best-first", "ida", "beam", "learning"];
        let cases = [
            ("bestfirst", Some("best-first")),
            ("Best_First", Some("best-first")),
            ("best", Some("best-first")),
            ("lerning", Some("learning")),
            ("baem", Some("beam")),
            ("atuo", Some("auto")),
            ("idda", Some("ida")),
            ("fast", None),
            ("br", None),
            ("", None),
            ("-", None),
        ];
        for (found, expected) in cases {
            assert_eq!(closest_name(found, names), expected, "{found:?}");
        }
        let error = OptionError::unknown("baem", &names[..4]).to_string();
        assert_eq!(error, "found \"baem\", did you mean beam? expected one of: auto, best-first, ida, beam");
        let error = OptionError::unknown("fast", &names[..2]).to_string();
        assert_eq!(error, "found \"fast\", expected one of: auto, best-first");
    }
}
