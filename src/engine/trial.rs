//! A lower bound on trial: what it says of states whose truth is known, what it costs, and how much search it leaves.

use super::exact::ExactState;
use super::prove::prove;
use super::{Context, Outcome, Solution};
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::expand::{Expander, Meter, Reach, RefinableSpace, Slot, StateSpace};
use crate::runtime::process_cpu_seconds;
use std::sync::Arc;
use std::time::Instant;

/// What a bound is held against.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// A solution of the board. On its way no state has more to pay than the rest of it.
    pub solution: &'a Solution,
    /// The states of the board with what is left to pay, if they are known.
    pub states: Option<&'a [ExactState]>,
}

/// What a bound says on the way of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was paid before.
    pub paid: Cost,
    /// What the solution pays from here on.
    pub left: Cost,
    /// What the bound says.
    pub value: Cost,
}

impl Step {
    /// What the bound falls short of the truth, on the way of an optimal solution.
    #[must_use]
    pub fn gap(&self) -> Cost {
        self.left.saturating_sub(self.value)
    }
}

/// What was found when a bound was held against the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// States that it was evaluated at.
    pub states: u64,
    /// Moves along which it was compared.
    pub moves: u64,
    /// States at which it says more than a solution pays. There must be none.
    pub above: u64,
    /// By how much at most.
    pub excess: Cost,
    /// Moves along which it falls by more than they cost. A bound that claims consistency has none.
    pub falls: u64,
    /// Moves at which what it says of a child depends on whether it knows the parent. There must be none.
    pub differs: u64,
    /// Moves of the solution that it dismisses as too dear. There must be none.
    pub dismissed: u64,
}

impl Check {
    /// Whether nothing was found that a lower bound must not do.
    #[must_use]
    pub fn is_sound(&self, claims_consistency: bool) -> bool {
        self.above == 0 && self.differs == 0 && self.dismissed == 0 && (self.falls == 0 || !claims_consistency)
    }

    fn compare(&mut self, value: Cost, left: Cost) {
        self.states += 1;
        self.above += u64::from(value > left);
        self.excess = self.excess.max(value.saturating_sub(left));
    }
}

/// A bound that was tried on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What it was called at first.
    pub name: String,
    /// Whether it claims that it falls by no more than a move costs.
    pub consistent: bool,
    /// What it says of the root, in the end.
    pub root: Cost,
    /// What it says on the way of the solution, in the end.
    pub path: Vec<Step>,
    /// How it stands against the truth.
    pub check: Check,
    /// Seconds in which it was made ready for the board, sharpening in the midst of the search included.
    pub preparation: f64,
    /// Seconds of one evaluation in the search; `None` when there were too few to say.
    pub evaluation: Option<f64>,
    /// Bytes of its tables.
    pub bytes: u64,
    /// The search that it guided, with the solution known from the beginning: all of its work is proof.
    pub outcome: Outcome,
    /// CPU seconds of preparation and search. All of the process: it should do nothing else meanwhile.
    pub cpu_seconds: f64,
    /// Wall-clock seconds of both.
    pub seconds: f64,
}

impl Trial {
    /// What the bound says too little of the states on the way, on the average, the end left out.
    #[must_use]
    pub fn mean_gap(&self) -> f64 {
        let steps = self.path.iter().filter(|step| step.left > 0);
        let (count, sum) = steps.fold((0_u32, 0), |(count, sum), step| (count + 1, sum + step.gap()));
        f64::from(sum) / f64::from(count.max(1))
    }

    /// Whether it did nothing that a lower bound must not do, as far as anybody looked: the check is sound, and its search
    /// excluded no solution that exists.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let cost = self.outcome.incumbent.as_ref().map_or(Cost::MAX, |solution| solution.cost);
        self.check.is_sound(self.consistent) && self.outcome.lower_bound <= cost
    }
}

/// Tries the bound of the space that `make` makes: a best-first search that proves the solution of `truth`, or finds a better one,
/// within the limits of `context`; then a look at every state of which the truth is known.
///
/// # Errors
/// None in practice: nothing is kept on disk.
pub fn try_bound<'p>(
    make: impl FnOnce() -> Box<dyn RefinableSpace<'p> + 'p>,
    truth: &Truth<'_>,
    context: &Context<'_>,
) -> Result<Trial, CheckpointError> {
    let (began, cpu) = (Instant::now(), process_cpu_seconds());
    let (mut space, meter) = (make(), Arc::new(Meter::default()));
    space.measure(Arc::clone(&meter));
    let prepared = began.elapsed().as_secs_f64();
    let limits = Context { keep: None, ..context.remaining(began, 0) };
    let (outcome, refined) = prove(&*space, truth.solution.clone(), &limits)?;
    let (seconds, cpu_seconds) = (began.elapsed().as_secs_f64(), process_cpu_seconds() - cpu);
    let preparation = prepared + meter.seconds_of_sharpening();
    let name = space.bound_name();
    let last: &dyn StateSpace = refined.as_deref().unwrap_or(&*space);
    let mut check = Check::default();
    let path = walk(last, truth.solution, &mut check);
    if let Some(states) = truth.states {
        // Those on the way are among them.
        check = Check { dismissed: check.dismissed, ..look_at_all(last, states) };
    }
    Ok(Trial {
        name,
        consistent: last.is_consistent(),
        root: last.lower_bound(),
        path,
        check,
        preparation,
        evaluation: meter.seconds_of_evaluation(),
        bytes: last.bound_bytes(),
        outcome,
        cpu_seconds,
        seconds,
    })
}

/// The lower bound that a comparison with the highest limit has found.
fn value(reach: Reach) -> Cost {
    match reach {
        Reach::Within(value) | Reach::Beyond(value) => value,
        Reach::DeadEnd => Cost::MAX,
    }
}

/// The values on the way of a solution.
fn walk(space: &dyn StateSpace, solution: &Solution, check: &mut Check) -> Vec<Step> {
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let frame = expander.place(None);
    let (mut slot, mut paid, mut path) = (Slot { frame, at: 0 }, 0, Vec::new());
    let mut key = vec![0; space.key_len()];
    let mut moves = solution.moves.iter();
    loop {
        expander.pack(slot, &mut key);
        let h = value(expander.reach_key(&key, 0, Cost::MAX));
        let left = solution.cost.saturating_sub(paid);
        check.compare(h, left);
        path.push(Step { paid, left, value: h });
        let Some(&mv) = moves.next() else { return path };
        children.clear();
        let frame = expander.expand_key(&key, 0, None, &mut children);
        // A solution that somebody else found may take a way that pruning leaves out; its beginning serves as well.
        let Some(at) = children.iter().position(|child| child.mv == mv) else { return path };
        slot = Slot { frame, at: at as u32 };
        let cost = children[at].cost;
        check.moves += 1;
        let next = compare_with_unknown_parent(&mut *expander, slot, &mut vec![0; key.len()], check);
        check.falls += u64::from(h > next.saturating_add(cost));
        children.clear();
        expander.expand_key(&key, 0, Some(left.saturating_add(1)), &mut children);
        check.dismissed += u64::from(children.iter().all(|kept| kept.mv != mv));
        paid += cost;
    }
}

/// Compares the values at all states with the truth, and along all moves with each other.
fn look_at_all(space: &dyn StateSpace, all: &[ExactState]) -> Check {
    let mut check = Check::default();
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let mut key = vec![0; space.key_len()];
    let values: Vec<_> = all.iter().map(|exact| value(expander.reach_key(&exact.key, 0, Cost::MAX))).collect();
    for (exact, &h) in all.iter().zip(&values) {
        // Of a dead end nothing is too much.
        check.compare(h, exact.left.unwrap_or(Cost::MAX));
        children.clear();
        expander.truncate(0);
        let frame = expander.expand_key(&exact.key, 0, None, &mut children);
        for (at, &(child, cost)) in exact.moves.iter().enumerate() {
            check.moves += 1;
            check.falls += u64::from(h > values[child].saturating_add(cost));
            compare_with_unknown_parent(&mut *expander, Slot { frame, at: at as u32 }, &mut key, &mut check);
        }
    }
    check
}

/// Notes whether the value of a child depends on whether its parent is known. Returns the value without.
fn compare_with_unknown_parent(expander: &mut dyn Expander, slot: Slot, key: &mut [u8], check: &mut Check) -> Cost {
    let known = value(expander.reach(slot, 0, Cost::MAX));
    expander.pack(slot, key);
    let unknown = value(expander.reach_key(key, 0, Cost::MAX));
    check.differs += u64::from(known != unknown);
    unknown
}
