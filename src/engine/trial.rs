//! A lower bound on trial: what it says of states whose truth is known, what it costs, and how much search it leaves.

use super::exact::ExactState;
use super::kernel::Problem;
use super::meter::Meter;
use super::prove::prove;
use super::{Context, Outcome, Solution};
use crate::domain::{Cost, Domain, LowerBound};
use crate::runtime::process_cpu_seconds;
use crate::store::ArchiveError;
use std::time::Instant;

/// What a bound is held against.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a, S> {
    /// A solution of the board. On its way no state has more to pay than the rest of it.
    pub solution: &'a Solution,
    /// The states of the board with what is left to pay, if they are known.
    pub states: Option<&'a [ExactState<S>]>,
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

/// Tries the bound that `make` makes: a best-first search that proves the solution of `truth`, or finds a better one, within
/// the limits of `context`; then a look at every state of which the truth is known.
///
/// # Errors
/// None in practice: nothing is kept on disk.
pub fn try_bound<D: Domain, B: LowerBound<D>>(
    domain: &D,
    make: impl FnOnce() -> B,
    truth: &Truth<'_, D::State>,
    context: &Context<'_>,
) -> Result<Trial, ArchiveError> {
    let (began, cpu) = (Instant::now(), process_cpu_seconds());
    let (bound, meter) = (make(), Meter::default());
    let prepared = began.elapsed().as_secs_f64();
    let problem = Problem { meter: Some(&meter), ..Problem::new(domain, &bound) };
    let (outcome, sharper) =
        prove(problem, truth.solution.clone(), &Context { keep: None, ..context.remaining(began, 0) })?;
    let (seconds, cpu_seconds) = (began.elapsed().as_secs_f64(), process_cpu_seconds() - cpu);
    let preparation = prepared + meter.seconds_of_sharpening();
    let final_bound = sharper.as_ref().unwrap_or(&bound);
    let mut check = Check::default();
    let path = walk(domain, final_bound, truth.solution, &mut check);
    if let Some(states) = truth.states {
        // Those on the way are among them.
        check = Check { dismissed: check.dismissed, ..look_at_all(final_bound, states) };
    }
    Ok(Trial {
        name: bound.name(),
        consistent: final_bound.consistent(),
        root: final_bound.evaluate(&domain.root(), Cost::MAX, &mut B::Scratch::default()).0,
        path,
        check,
        preparation,
        evaluation: meter.seconds_of_evaluation(),
        bytes: final_bound.bytes(),
        outcome,
        cpu_seconds,
        seconds,
    })
}

/// The values on the way of a solution.
fn walk<D: Domain, B: LowerBound<D>>(domain: &D, bound: &B, solution: &Solution, check: &mut Check) -> Vec<Step> {
    let (mut state, mut paid, mut path) = (domain.root(), 0, Vec::new());
    let (mut scratch, mut children) = (B::Scratch::default(), Vec::new());
    let mut moves = solution.moves.iter();
    loop {
        let value = bound.evaluate(&state, Cost::MAX, &mut scratch).0;
        let left = solution.cost.saturating_sub(paid);
        check.compare(value, left);
        path.push(Step { paid, left, value });
        let Some(&mv) = moves.next() else { return path };
        domain.successors(&state, 0, &mut children);
        // A solution that somebody else found may take a way that pruning leaves out; its beginning serves as well.
        let Some(child) = children.drain(..).find(|child| child.mv == mv) else { return path };
        check.moves += 1;
        check.differs += u64::from(known_and_unknown(bound, &state, &child.state, &mut scratch));
        domain.successors(&state, 0, &mut children);
        bound.dismiss(&state, left.saturating_add(1), &mut children, &mut scratch);
        check.dismissed += u64::from(children.drain(..).all(|kept| kept.mv != mv));
        let next = bound.evaluate(&child.state, Cost::MAX, &mut scratch).0;
        check.falls += u64::from(value > next.saturating_add(child.cost));
        (state, paid) = (child.state, paid + child.cost);
    }
}

/// Compares the values at all states with the truth, and along all moves with each other.
fn look_at_all<D: Domain, B: LowerBound<D>>(bound: &B, all: &[ExactState<D::State>]) -> Check {
    let mut check = Check::default();
    let mut scratch = B::Scratch::default();
    let values: Vec<_> = all.iter().map(|exact| bound.evaluate(&exact.state, Cost::MAX, &mut scratch).0).collect();
    for (exact, &value) in all.iter().zip(&values) {
        // Of a dead end nothing is too much.
        check.compare(value, exact.left.unwrap_or(Cost::MAX));
        for &(child, cost) in &exact.moves {
            check.moves += 1;
            check.falls += u64::from(value > values[child].saturating_add(cost));
            check.differs += u64::from(known_and_unknown(bound, &exact.state, &all[child].state, &mut scratch));
        }
    }
    check
}

/// Whether the value of a child depends on whether its parent is known.
fn known_and_unknown<D: Domain, B: LowerBound<D>>(
    bound: &B,
    parent: &D::State,
    child: &D::State,
    scratch: &mut B::Scratch,
) -> bool {
    let known = bound.evaluate_child(parent, child, Cost::MAX, scratch);
    known != bound.evaluate(child, Cost::MAX, scratch)
}
