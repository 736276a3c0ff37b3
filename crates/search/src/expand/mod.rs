//! The interface between engines and puzzles: engines see packed states, puzzles see typed states.
//!
//! An engine sees a puzzle on a board, with a lower bound, as a [`StateSpace`]. Each worker of an engine owns one
//! [`Expander`] of this space. Both traits are object-safe, so each engine is compiled once, whatever states a puzzle
//! has. [`Problem`] implements them for every [`Domain`](crate::domain::Domain) with a
//! [`LowerBound`](crate::domain::LowerBound). To add a puzzle, implement `Domain` and `LowerBound`, and pass a
//! `Problem` to [`search`](crate::engine::search).
//!
//! **An expansion.** [`Expander::expand_key`] takes a packed key, makes the typed state of the key, and generates its
//! children into a *frame*. The engine gets a [`Child`] by value for each of them: move, cost, sleep set, cost of
//! stopping. The typed children stay in the frame. By the [`Slot`] of a child the engine may later ask for its packed
//! key, its ordering heuristic or its lower bound. So the engine pays only for the values that it asks for: best-first
//! search evaluates a child only if the store does not know the child.
//!
//! **Frames form a stack.** Each expansion opens a frame on top; [`Expander::truncate`] closes the newest frames, and
//! [`Expander::retain_frames`] closes all but the listed ones. A depth-first search holds one frame for each depth; if
//! the frames take too much memory, [`Expander::evict`] frees the oldest ones, which are generated again when the
//! search returns to them. A best-first search closes all frames after each batch, except frames of children that wait
//! for a shard.
//!
//! **Cost.** An expansion takes one virtual call, and each call by a slot takes one more. Everything below these calls
//! is dispatched statically. A closed frame keeps its memory for the next one.

mod local_search;
mod meter;
mod playout;
mod problem;
mod sets;
mod typed;
mod typed_sets;

pub use meter::{Counts, Meter};
pub use problem::Problem;
pub use sets::SetExpander;
pub(crate) use sets::{contains, is_subset, key_of_words, words_of_key};

use crate::domain::{Cost, GoalCost, LazyState, LocalSearchPath, MoveIndex, MoveMask, StagedEstimate};
use std::sync::Arc;

/// The address of a typed state in an [`Expander`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The index of the frame, counted from the bottom of the stack of frames.
    pub frame: u32,
    /// The index of the state in the frame.
    pub index: u32,
}

/// The facts about a generated child that need no further evaluation. Child number `i` of frame `f` has the slot `(f,
/// i)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The move that leads to the child.
    pub mv: MoveIndex,
    /// The cost of the move.
    pub cost: Cost,
    /// The moves that the parent proves superfluous at the child (sleep set).
    pub sleep_set: MoveMask,
    /// The cost of stopping at the child, or `None` where stopping is not allowed.
    pub terminal_cost: Option<Cost>,
}

/// A child that [`Expander::expand_within`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildWithin {
    /// The child.
    pub child: Child,
    /// Its index in the frame.
    pub index: u32,
    /// Its f; `None` if f is beyond the limit.
    pub f: Option<Cost>,
}

/// The f of a state (g plus its lower bound), compared with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FValue {
    /// f is this value, at most the limit.
    Within(Cost),
    /// f is at least this value, which is above the limit. The evaluation may have stopped early.
    Beyond(Cost),
    /// No solution leads through the state.
    DeadEnd,
}

impl FValue {
    /// The value of [`FValue::Within`] if it is below `upper`, else `None`.
    pub(crate) fn below(self, upper: Cost) -> Option<Cost> {
        match self {
            Self::Within(f) if f < upper => Some(f),
            _ => None,
        }
    }
}

/// A puzzle on one board with a lower bound, as engines see it. The methods follow [`Domain`](crate::domain::Domain)
/// and [`LowerBound`](crate::domain::LowerBound), whose contracts apply.
pub trait StateSpace: Sync {
    /// Length of a packed key in bytes, the same for every state.
    fn key_len(&self) -> usize;

    /// Number of move classes in a [`MoveMask`]. 0 without sleep sets.
    fn mask_bits(&self) -> u32;

    /// The revision of the pruning rules; see [`Domain::revision`](crate::domain::Domain::revision).
    fn revision(&self) -> u8;

    /// The packed key of the root.
    fn root_key(&self) -> Vec<u8>;

    /// The cost of stopping at the root, or `None` where stopping is not allowed.
    fn root_terminal_cost(&self) -> Option<Cost>;

    /// The lower bound at the root: no solution costs less. [`Cost::MAX`] if it proves that there is no solution.
    fn lower_bound(&self) -> Cost;

    /// A new expander, without open frames, for one worker.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// A new expander of sets for one worker; `None` if the states are not sets.
    fn set_expander(&self) -> Option<Box<dyn SetExpander + '_>>;

    /// Plays one greedy path from the root; `is_over` ends it early. Returns the cheapest stop on the path: its cost
    /// and the moves to it. `None` if stopping is allowed nowhere.
    fn greedy_path(&self, is_over: &dyn Fn() -> bool) -> Option<(Cost, Vec<MoveIndex>)>;

    /// A path for annealing, without moves at first.
    fn local_search_path(&self) -> Box<dyn LocalSearchPath + '_>;

    /// The root as a [lazy state](LazyState); `None` if the puzzle has no lazy states.
    fn lazy_root(&self) -> Option<Box<dyn LazyState<'_> + '_>>;

    /// Which parts of [`Guidance`](crate::domain::Guidance) the puzzle implements.
    fn guidance(&self) -> GuidanceFacts;

    /// The properties of the lower bound.
    fn bound(&self) -> BoundFacts;

    /// Makes `meter` measure the evaluations of the lower bound, in expanders that are created after this call.
    fn measure(&mut self, meter: Arc<Meter>);
}

/// The parts of [`Guidance`](crate::domain::Guidance) that a puzzle implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidanceFacts {
    /// The largest number of moves of a path; see [`Guidance`](crate::domain::Guidance::max_played_moves).
    pub max_played_moves: usize,
    /// Whether the ordering heuristic has variations
    /// ([`Guidance::varied_promise`](crate::domain::Guidance::varied_promise)).
    pub has_varied_promises: bool,
    /// Whether beam search ranks states by a staged estimate
    /// ([`Guidance::staged_estimate`](crate::domain::Guidance::staged_estimate)).
    pub has_staged_estimates: bool,
    /// The cost of a solution that ends at a goal of [lazy states](LazyState); `None` if the puzzle has no lazy states.
    pub lazy_goal_cost: Option<GoalCost>,
}

/// The properties of a [`LowerBound`](crate::domain::LowerBound).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundFacts {
    /// The name, as `--bound` takes it.
    pub name: String,
    /// Bytes that the bound holds during the whole search.
    pub bytes: u64,
    /// Whether the bound claims to be consistent.
    pub is_consistent: bool,
}

/// Expands and evaluates states for one worker.
///
/// # Contract
/// * A slot is valid until [`Expander::truncate`] or [`Expander::retain_frames`] closes its frame. A call with a slot
///   of a closed or evicted frame panics, or uses another state if the frame was opened again.
/// * The children of a state and their order depend on the state and on `skip` alone (and on `cutoff`, see
///   [`Expander::expand_key`]).
/// * `out` is appended to, never cleared. Child number `i` of the new frame is element `i` of the appended ones.
pub trait Expander: Send {
    /// Opens a frame with only the root. Returns the slot of the root.
    fn place_root(&mut self) -> Slot;

    /// Opens a frame with the children of the state of `key`, except those by moves in `skip`, and appends them to
    /// `out`. Returns the number of the frame.
    ///
    /// With `cutoff`, the lower bound may remove children through which every solution costs `cutoff` or more, counted
    /// from the state on ([`LowerBound::dismiss`](crate::domain::LowerBound::dismiss)).
    fn expand_key(&mut self, key: &[u8], skip: MoveMask, cutoff: Option<Cost>, out: &mut Vec<Child>) -> u32;

    /// Opens a frame with the children of the state in `slot`. Otherwise like [`Expander::expand_key`] without
    /// `cutoff`.
    fn expand(&mut self, slot: Slot, skip: MoveMask, out: &mut Vec<Child>) -> u32;

    /// [`Expander::expand`] for a state that was reached at cost `g`, with [`Expander::evaluate`] for each child.
    /// Appends to `out` the children within the limit and those where stopping is allowed. Returns the number of the
    /// frame, and the least f of the children beyond the limit, [`Cost::MAX`] if there is none.
    fn expand_within(
        &mut self,
        slot: Slot,
        skip: MoveMask,
        g: Cost,
        limit: Cost,
        out: &mut Vec<ChildWithin>,
    ) -> (u32, Cost);

    /// Opens a frame with the children of the state of `key` by all moves of the rules
    /// ([`Domain::all_successors`](crate::domain::Domain::all_successors)). Otherwise like [`Expander::expand_key`].
    fn expand_all(&mut self, key: &[u8], out: &mut Vec<Child>) -> u32;

    /// Closes all frames but the `frames` oldest ones. With 0 it closes all frames.
    fn truncate(&mut self, frames: u32);

    /// Frees the memory of the oldest frames while the states of all frames take more than `max_bytes`. The limit is
    /// soft: the newest frame and frames that cannot be generated again stay, and heap memory of states does not count.
    /// When [`Expander::truncate`] makes an evicted frame the newest one, it generates the states of this frame again,
    /// and the slots may be used again.
    fn evict(&mut self, max_bytes: usize);

    /// Closes all frames but those listed in `frames`, which are then numbered from 0 in the same order. `frames` is in
    /// strictly ascending order. Must not be called while a frame is evicted.
    fn retain_frames(&mut self, frames: &[u32]);

    /// Writes the packed key of the state in `slot`. `key` is [`StateSpace::key_len`] bytes long.
    fn pack(&self, slot: Slot, key: &mut [u8]);

    /// The ordering heuristic of the state in `slot`; more is better. It ranks states of equal f. `variation` selects
    /// [`Guidance::varied_promise`](crate::domain::Guidance::varied_promise), if there are variations.
    fn promise(&self, slot: Slot, variation: Option<u32>) -> u32;

    /// The [staged estimate](crate::domain::Guidance::staged_estimate) of the state in `slot`. `None` is variation 0.
    fn staged_estimate(&self, slot: Slot, variation: Option<u32>) -> Option<StagedEstimate>;

    /// Evaluates the lower bound of the state in `slot`, which was reached at cost `g`, and compares f with `limit`.
    /// The evaluation stops as soon as f is known to be above the limit.
    fn evaluate(&mut self, slot: Slot, g: Cost, limit: Cost) -> FValue;

    /// [`Expander::evaluate`] for the state of `key`. It opens no frame.
    fn evaluate_key(&mut self, key: &[u8], g: Cost, limit: Cost) -> FValue;

    /// The work of this expander so far.
    fn counts(&self) -> Counts;
}

impl dyn Expander + '_ {
    /// The f of the state in `slot` if it is below `upper`; `None` otherwise, also at a dead end.
    pub fn f_below(&mut self, slot: Slot, g: Cost, upper: Cost) -> Option<Cost> {
        self.evaluate(slot, g, upper.saturating_sub(1)).below(upper)
    }
}
