//! The seam between engines and puzzles: packed states above, typed states below.
//!
//! An engine sees a puzzle on a board with a lower bound as a [`StateSpace`]. Each worker of the engine owns one [`Expander`] of
//! that space. Both traits are object-safe, so engines are compiled once, whatever states a puzzle has.
//!
//! An expansion takes a packed key, makes the typed state of the key, and generates the children into a *frame*. The engine
//! gets what it needs of each child by value ([`Child`]); the typed children stay in the frame until the engine closes the
//! frame. So the engine may ask for the packed key, the promise or the lower bound of a child later, by its [`Slot`], and pays
//! for none of them where it does not ask. The lower bound of a child is computed with the state of its parent at hand.
//!
//! Frames form a stack: [`Expander::truncate`] closes the newest ones. A depth-first search keeps a frame for each depth, a
//! best-first search closes all frames after each batch.

mod meter;
mod playout;
mod problem;
mod typed;

pub use meter::{Meter, Timer};
pub use playout::Playout;
pub use problem::Problem;

use crate::domain::{Cost, Making, MoveIndex, MoveMask};
use std::sync::Arc;

/// Where an [`Expander`] keeps a typed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the frame, from the bottom of the stack of frames.
    pub frame: u32,
    /// The number of the state in the frame.
    pub at: u32,
}

/// What an engine learns of a generated child at once. The child with number `i` has the slot `(frame, i)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The move that leads to the child.
    pub mv: MoveIndex,
    /// What the move costs.
    pub cost: Cost,
    /// The moves that the parent proves superfluous at the child (sleep set).
    pub asleep: MoveMask,
    /// What it costs to stop at the child, where stopping is allowed.
    pub terminal: Option<Cost>,
}

/// How the least f of a solution through a state compares with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// f is this value, at most the limit.
    Within(Cost),
    /// f is this value or more; the value is above the limit.
    Beyond(Cost),
    /// No solution leads through the state.
    DeadEnd,
}

impl Reach {
    /// The value, if no solution through the state costs less than `upper` then `None`.
    fn below(self, upper: Cost) -> Option<Cost> {
        match self {
            Self::Within(f) if f < upper => Some(f),
            _ => None,
        }
    }
}

/// Work that an expander has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
}

/// A puzzle on one board with a lower bound, as engines see it.
pub trait StateSpace: Sync {
    /// Length of a packed key in bytes; the same for every state.
    fn key_len(&self) -> usize;

    /// Number of move classes in a [`MoveMask`]; 0 without partial-order reduction.
    fn mask_bits(&self) -> u32;

    /// What it costs to stop at the root, where stopping is allowed.
    fn root_terminal(&self) -> Option<Cost>;

    /// The lower bound of the root.
    fn lower_bound(&self) -> Cost;

    /// A new expander for one worker.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// A new playout, at the root.
    fn playout(&self) -> Box<dyn Playout + '_>;

    /// Whether [`Promise::Other`] differs from [`Promise::Usual`].
    fn has_other_promise(&self) -> bool;

    /// The name of the lower bound as `--bound` knows it.
    fn bound_name(&self) -> String;

    /// Bytes that the lower bound holds for the whole search.
    fn bound_bytes(&self) -> u64;

    /// Whether the lower bound claims that it falls by no more than a move costs.
    fn is_consistent(&self) -> bool;

    /// Expansions that a search had better do before it refines the lower bound; `None` for one that is not refined.
    fn patience(&self) -> Option<u64>;

    /// What [`RefinableSpace::restore`] needs to make this refined bound again; empty for one that was not refined.
    fn recipe(&self) -> Vec<u8>;

    /// From now on `meter` measures the lower bound's evaluations.
    fn measure(&mut self, meter: Arc<Meter>);
}

/// A [`StateSpace`] whose lower bound may be refined for the board at hand. `'p` is the lifetime of the puzzle.
pub trait RefinableSpace<'p>: StateSpace {
    /// The same space with a stronger bound, made for states such as those of `sample` (packed keys), which a search with this
    /// bound had to expand. A function of this bound and the sample alone. `None` when there is no time for it or nothing
    /// to gain.
    fn refine(&self, sample: &[Box<[u8]>], making: &Making<'_>) -> Option<Box<dyn RefinableSpace<'p> + 'p>>;

    /// The same space with the refined bound of a recipe. `None` when this bound cannot follow the recipe, or when there is no
    /// time for it.
    fn restore(&self, recipe: &[u8], making: &Making<'_>) -> Option<Box<dyn RefinableSpace<'p> + 'p>>;
}

/// By which estimate states of equal f are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Promise {
    /// [`Domain::promise`](crate::domain::Domain::promise).
    #[default]
    Usual,
    /// [`Domain::other_promise`](crate::domain::Domain::other_promise).
    Other,
}

/// Expands and evaluates states for one worker.
///
/// # Contract
/// * A slot is valid until [`Expander::truncate`] or [`Expander::keep`] closes its frame. Another slot panics.
/// * The order of the children of a state is fixed: it depends on the state and on `skip` alone.
pub trait Expander: Send {
    /// Opens a frame whose only state is the root, or the state of `key`. The frame knows no parent. Returns its number.
    fn place(&mut self, key: Option<&[u8]>) -> u32;

    /// Opens a frame with the children of the state of `key` that are not in `skip`, and appends them to `out`. Returns the number
    /// of the frame. With `enough`, children may be left out through which everything costs `enough` or more from the state on.
    fn expand_key(&mut self, key: &[u8], skip: MoveMask, enough: Option<Cost>, out: &mut Vec<Child>) -> u32;

    /// [`Expander::expand_key`] for the state in a slot, without `enough`.
    fn expand(&mut self, slot: Slot, skip: MoveMask, out: &mut Vec<Child>) -> u32;

    /// Closes all frames but the `frames` oldest ones.
    fn truncate(&mut self, frames: u32);

    /// Closes all frames but those of `kept` (in rising order), which are numbered from 0 in that order afterwards.
    fn keep(&mut self, kept: &[u32]);

    /// Writes the packed key of a state; `key` is [`StateSpace::key_len`] bytes long.
    fn pack(&self, slot: Slot, key: &mut [u8]);

    /// How promising a state looks among states of the same f; more is better.
    fn promise(&self, slot: Slot, promise: Promise) -> u32;

    /// Compares the least f of a solution through a state, which was reached at cost `g`, with `limit`.
    fn reach(&mut self, slot: Slot, g: Cost, limit: Cost) -> Reach;

    /// [`Expander::reach`] for the state of `key`, whose parent nobody knows.
    fn reach_key(&mut self, key: &[u8], g: Cost, limit: Cost) -> Reach;

    /// The least f of a solution through a state, or `None` when that is proven to be `upper` or more.
    fn evaluate(&mut self, slot: Slot, g: Cost, upper: Cost) -> Option<Cost> {
        self.reach(slot, g, upper.saturating_sub(1)).below(upper)
    }

    /// [`Expander::evaluate`] for the state of `key`.
    fn evaluate_key(&mut self, key: &[u8], g: Cost, upper: Cost) -> Option<Cost> {
        self.reach_key(key, g, upper.saturating_sub(1)).below(upper)
    }

    /// What this expander has done so far.
    fn counts(&self) -> Counts;
}
