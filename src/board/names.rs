//! Names of the variants of an enum, for the command line and for files.

/// The text of an option that has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?}, expected {expected}")]
pub struct OptionError {
    /// The text that was given.
    pub found: String,
    /// The texts that are allowed.
    pub expected: String,
}

/// Gives an enum without fields `ALL`, `name`, `Display` and `FromStr`, from a list of its variants and their names.
macro_rules! names {
    ($type:ty: $($variant:ident $name:literal),*) => {
        impl $type {
            /// Every variant.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::board::OptionError;

            fn from_str(text: &str) -> Result<Self, $crate::board::OptionError> {
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| $crate::board::OptionError {
                    found: text.to_owned(),
                    expected: format!("one of: {}", Self::ALL.map(Self::name).join(", ")),
                })
            }
        }
    };
}
pub(crate) use names;
