//! Buffers in which a thread computes semantics.

use crate::orbits::{LoopCounts, Orbits};
use crate::semantics::{Semantics, SemanticsShape};

/// A pool of buffers of one shape.
pub(crate) struct Workspace {
    pub(crate) shape: SemanticsShape,
    spare: Vec<Semantics>,
    orbits: Orbits,
}

impl Workspace {
    pub(crate) fn new(shape: SemanticsShape) -> Self {
        Self { shape, spare: Vec::new(), orbits: Orbits::default() }
    }

    /// The loop counts to try around `body`. Sets the marks of `endless` to those of endless repetition.
    pub(crate) fn loop_counts(&mut self, body: &Semantics, endless: &mut Semantics) -> LoopCounts {
        self.orbits.recompute(body.end_states());
        endless.set_endless_marks(body, &self.orbits);
        LoopCounts::of(&self.orbits)
    }

    /// Takes a buffer with arbitrary contents out of the pool.
    pub(crate) fn take(&mut self) -> Semantics {
        self.spare.pop().unwrap_or_else(|| Semantics::identity(self.shape))
    }

    /// Returns a buffer to the pool.
    pub(crate) fn recycle(&mut self, semantics: Semantics) {
        self.spare.push(semantics);
    }

    /// Returns the buffer of a computed semantics to the pool.
    pub(crate) fn recycle_computed(&mut self, semantics: SemanticsRef<'_>) {
        if let SemanticsRef::Computed(semantics) = semantics {
            self.recycle(semantics);
        }
    }
}

/// The semantics of a fragment.
pub(crate) enum SemanticsRef<'a> {
    Cached(&'a Semantics),
    /// In a buffer from a workspace, to be returned with [`Workspace::recycle_computed`].
    Computed(Semantics),
}

impl std::ops::Deref for SemanticsRef<'_> {
    type Target = Semantics;

    fn deref(&self) -> &Semantics {
        match self {
            Self::Cached(semantics) => semantics,
            Self::Computed(semantics) => semantics,
        }
    }
}
