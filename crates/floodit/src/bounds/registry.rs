//! The registry of lower bounds. A new bound is a file beside this one and a line in the list below.
//!
//! The file holds `SUMMARY`, one line for people, and `evaluate`, which returns the value at a state. It may stop as
//! soon as the value is known to be at least `enough`. All bounds get the same `Distances`, which are kept from one
//! evaluation to the next.

use super::distance::Distances;
use super::{elimination, layers};
use crate::{Flood, FloodIt};
use gridhunt_search::domain::Cost;

macro_rules! registry {
    ($($(#[$doc:meta])* $kind:ident = $name:literal in $file:ident;)*) => {
        /// One lower bound.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum BoundKind {
            $($(#[$doc])* $kind,)*
        }

        impl BoundKind {
            /// Every bound, from the weakest to the strongest.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// The bound with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.name() == name)
            }

            /// Its name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// One line for people.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$kind => $file::SUMMARY,)*
                }
            }

            /// The value at a state. If it is at least `enough`, the result may be any number from `enough` up to the
            /// value. Not inlined: otherwise every bound would be compiled again wherever bounds are evaluated.
            #[inline(never)]
            pub(super) fn evaluate<const W: usize>(
                self,
                puzzle: &FloodIt<W>,
                state: &Flood<W>,
                enough: Cost,
                distances: &mut Distances<W>,
            ) -> Cost {
                match self {
                    $(Self::$kind => $file::evaluate(puzzle, state, enough, distances),)*
                }
            }
        }
    };
}

registry! {
    /// Distance of the farthest region, or colours left.
    Layers = "layers" in layers;
    /// Elimination layers.
    #[default]
    Elimination = "elimination" in elimination;
}
