//! What a puzzle must tell the engines, and the puzzles that do.
//!
//! An engine knows a puzzle through two traits only: [`Domain`] (states, moves, packing) and
//! [`LowerBound`] (what is still to be paid at least). Both are dispatched statically in the hot loop. Program synthesis knows one
//! that is a [`Machine`].

#[cfg(not(loom))]
pub mod bunny;
#[cfg(not(loom))]
pub mod clickomania;
#[cfg(not(loom))]
pub mod floodit;
mod machine;
#[cfg(not(loom))]
mod wide;

pub use machine::Machine;

use std::hash::BuildHasher;

/// Cost of moves, in whole numbers; every objective is "minimise loss".
pub type Cost = u32;

/// A move as it is stored: a small index whose meaning the domain documents. At most 4,095.
pub type MoveIndex = u16;

/// The most moves of a way that a playing engine makes, where the puzzle itself sets no end.
pub const LONGEST_WAY: usize = crate::store::MAX_G as usize;

/// A set of moves of one state, bit `i` for the domain's `i`-th move class.
///
/// Used for partial-order reduction: a move that is *asleep* at a state need not be expanded there, because
/// an equally good solution goes through a sibling of one of the state's parents. At most 63 classes.
pub type MoveMask = u64;

/// One generated child.
#[derive(Clone, Debug)]
pub struct Successor<S> {
    /// The move that leads here.
    pub mv: MoveIndex,
    /// What the move costs.
    pub cost: Cost,
    /// The moves that this parent proves superfluous at the child.
    pub asleep: MoveMask,
    /// The child.
    pub state: S,
}

/// One of the moves that a playout chooses among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where the domain finds the move again, as it likes.
    pub place: u32,
    /// What is learned of a move holds for all moves of its code, at whatever state they can be made.
    pub code: u64,
    /// Whether it is made only where there is none that is not kept back.
    pub kept_back: bool,
}

/// A proven lower bound on what remains to be paid from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(pub Cost);

impl Bound {
    /// No solution exists below the state.
    pub const DEAD_END: Bound = Bound(Cost::MAX);

    /// Whether the state is proven to be a dead end.
    #[must_use]
    pub fn is_dead_end(self) -> bool {
        self == Self::DEAD_END
    }
}

/// The rules of one puzzle on one board, as a search space.
///
/// # Contract
/// * `pack` is canonical: two states are equal if and only if their packed keys are equal bytes, and
///   `unpack` after `pack` is the identity.
/// * A way may come to the same state twice only where every move costs something. Then playing engines (`beam`, `lookahead`,
///   `nested`) end a way after [`LONGEST_WAY`] moves.
/// * Engines that store states look for solutions that cost at most [`crate::store::MAX_G`]: where there is a solution, there is one of these.
/// * `successors` is a function of the state and of `skip` alone; the order of its children is fixed. Depth-first and breadth-first
///   search take the first of equally promising ones first.
/// * Leaving out the moves that are asleep at *every* parent by which a state is reached with its least g never
///   loses the optimum. What a parent reports in [`Successor::asleep`] may depend on the parent and the move only.
pub trait Domain: Send + Sync {
    /// The unpacked working form.
    type State: Clone + Send + Sync;

    /// Length of a packed key in bytes; the same for every state of this board.
    fn key_len(&self) -> usize;

    /// Number of move classes in a [`MoveMask`]; 0 for a domain without partial-order reduction.
    fn mask_bits(&self) -> u32;

    /// The state in which the search starts.
    fn root(&self) -> Self::State;

    /// Writes the canonical key; `key` is `key_len` bytes long.
    fn pack(&self, state: &Self::State, key: &mut [u8]);

    /// Reads a key that `pack` wrote into `state`, whatever `state` held before.
    fn unpack(&self, key: &[u8], state: &mut Self::State);

    /// Appends the children of `state` to `out`, leaving out the moves of `skip`.
    fn successors(&self, state: &Self::State, skip: MoveMask, out: &mut Vec<Successor<Self::State>>);

    /// How promising a state looks among states of the same f; more is better. Orders work, decides nothing.
    fn promise(&self, state: &Self::State) -> u32;

    /// Another promise, by which beams come to other solutions; `None` at every state where there is none worth trying.
    fn other_promise(&self, state: &Self::State) -> Option<u32> {
        let _ = state;
        None
    }

    /// What it costs to stop here, where stopping is allowed.
    fn terminal(&self, state: &Self::State) -> Option<Cost>;

    /// Appends the moves that a playout chooses among, with those that are kept back: some moves of the state where it has any.
    fn choices(&self, state: &Self::State, out: &mut Vec<Choice>) {
        let mut children = Vec::new();
        self.successors(state, 0, &mut children);
        let mut key = vec![0; self.key_len()];
        out.extend(children.iter().map(|child| {
            self.pack(&child.state, &mut key);
            let code = foldhash::fast::FixedState::default().hash_one(&key);
            Choice { place: child.mv.into(), code, kept_back: false }
        }));
    }

    /// Makes the move at a place in `choices`, which are those of `state`; which move it is, and what it costs. Then `state` is the child, and
    /// `choices` are what there is to choose from there, in an order that depends on the moves made alone.
    ///
    /// This one takes [`Choice::place`] for the move: where `choices` has places of another kind, this has to be there, too.
    fn play(&self, state: &mut Self::State, choices: &mut Vec<Choice>, at: usize) -> (MoveIndex, Cost) {
        let (place, mut children) = (choices[at].place, Vec::new());
        choices.clear();
        self.successors(state, 0, &mut children);
        let child = children.into_iter().find(|child| u32::from(child.mv) == place);
        child.map_or((0, 0), |child| {
            *state = child.state;
            self.choices(state, choices);
            (child.mv, child.cost)
        })
    }
}

/// How a lower bound is made while a search waits for it.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// Threads that may work on it.
    pub threads: usize,
    /// Whether there is no time for it any more. Is asked often, on any thread.
    pub leaves: &'a (dyn Fn() -> bool + Sync),
    /// Is told how many parts of how many are made, on any thread.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl std::fmt::Debug for Making<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Making").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl<'a> Making<'a> {
    /// On this thread, for which there is time until `leaves` says that there is none.
    #[must_use]
    pub fn alone(leaves: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { threads: 1, leaves, progress: &|_, _| {} }
    }
}

/// An admissible estimate: never above the cheapest way from the state to a terminal one.
pub trait LowerBound<D: Domain>: Send + Sync {
    /// Working memory of one worker, reused between evaluations.
    type Scratch: Default + Send;

    /// The name under which `--bound` knows it.
    fn name(&self) -> String;

    /// The bound at `state`. It may stop as soon as it has proven `enough`; the result is then at least `enough`. But a state that is a dead
    /// end when [`Cost::MAX`] is wanted is one whatever is enough: iterative deepening would come back to it for ever.
    fn evaluate(&self, state: &D::State, enough: Cost, scratch: &mut Self::Scratch) -> Bound;

    /// [`LowerBound::evaluate`] at a child of `parent`, for bounds that save work when they know where it comes from. The
    /// value is that of `evaluate`: a function of the child alone.
    #[inline]
    fn evaluate_child(&self, parent: &D::State, child: &D::State, enough: Cost, scratch: &mut Self::Scratch) -> Bound {
        let _ = parent;
        self.evaluate(child, enough, scratch)
    }

    /// Drops some of the `children` of `parent`: such that whatever leads through them costs `enough` or more from `parent` on. For bounds that
    /// know that sooner, all of them together, than child by child. It pays where the bound at `parent` leaves nothing to spare.
    #[inline]
    fn dismiss(
        &self,
        parent: &D::State,
        enough: Cost,
        children: &mut Vec<Successor<D::State>>,
        scratch: &mut Self::Scratch,
    ) {
        let _ = (parent, enough, children, scratch);
    }

    /// States that a search had better expand before it sharpens this bound; `None` for one that is not sharpened.
    fn patience(&self) -> Option<u64> {
        None
    }

    /// A stronger bound, made for states such as those of `sample`, which a search with this one had to expand. A
    /// function of this bound and the sample alone, or nothing when there is no time for it any more. It is
    /// nowhere less than this one.
    fn sharpen(&self, sample: &[D::State], making: &Making<'_>) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (sample, making);
        None
    }

    /// What [`LowerBound::restore`] needs to make this bound again; nothing for one that was not sharpened.
    fn recipe(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The sharpened bound of a recipe, where this is the bound that it was sharpened from, for the same domain. Nothing when the
    /// recipe is none, or when there is no time for it.
    fn restore(&self, recipe: &[u8], making: &Making<'_>) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (recipe, making);
        None
    }

    /// Bytes that it holds for the whole search.
    fn bytes(&self) -> u64 {
        0
    }

    /// Whether `h(s) <= cost + h(t)` is claimed for every move from `s` to `t`. Claims are property-tested.
    fn consistent(&self) -> bool;
}
