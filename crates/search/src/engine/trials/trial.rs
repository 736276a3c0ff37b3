//! Trials of lower bounds: is the bound correct, how long does an evaluation take, and how much search is left?

use super::exhaustive::ExactState;
use crate::checkpoint::CheckpointError;
use crate::domain::Cost;
use crate::engine::context::Context;
use crate::engine::dispatch::{StateEngine, search};
use crate::engine::outcome::{Outcome, Solution};
use crate::engine::parameters::Parameters;
use crate::expand::{Expander, FValue, Meter, Slot, StateSpace};
use crate::platform::{Instant, process_cpu_seconds};
use crate::runtime::StopToken;
use std::sync::Arc;

/// The known costs that a lower bound is compared with.
#[derive(Clone, Copy, Debug)]
pub struct KnownCosts<'a> {
    /// A solution of the board. At each state on its path, the cost of the rest of the solution is an upper bound on
    /// the true cost.
    pub solution: &'a Solution,
    /// All states of the board with their exact costs ([`solve_all`](crate::engine::solve_all)), if they are known.
    pub states: Option<&'a [ExactState]>,
}

/// The value of a bound at one state on the path of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPoint {
    /// The cost of the path to the state (g).
    pub g: Cost,
    /// The cost of the rest of the solution.
    pub cost_to_go: Cost,
    /// The value of the bound (h).
    pub h: Cost,
}

impl PathPoint {
    /// The difference between the true cost and the bound, if the solution is optimal.
    #[must_use]
    pub fn gap(&self) -> Cost {
        self.cost_to_go.saturating_sub(self.h)
    }
}

/// The comparison of a bound with the known costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundCheck {
    /// States at which the bound was evaluated.
    pub states: u64,
    /// Moves along which values were compared.
    pub moves: u64,
    /// States at which the bound exceeds the cost of a solution. A correct bound has none.
    pub above: u64,
    /// The greatest excess at such a state.
    pub excess: Cost,
    /// Moves along which the bound falls by more than the move costs. A consistent bound has none.
    pub falls: u64,
    /// Moves for which the bound differs between the generated child and the state unpacked from its key. A correct
    /// bound has none.
    pub differs: u64,
    /// Moves of the solution that [`LowerBound::dismiss`](crate::domain::LowerBound::dismiss) removes wrongly. A
    /// correct bound has none.
    pub dismissed: u64,
}

impl BoundCheck {
    /// Whether no fault was found.
    #[must_use]
    pub fn is_sound(&self, claims_consistency: bool) -> bool {
        self.above == 0 && self.differs == 0 && self.dismissed == 0 && (self.falls == 0 || !claims_consistency)
    }

    fn compare(&mut self, h: Cost, cost_to_go: Cost) {
        self.states += 1;
        self.above += u64::from(h > cost_to_go);
        self.excess = self.excess.max(h.saturating_sub(cost_to_go));
    }
}

/// The trial of one bound on one board.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The name of the bound.
    pub name: String,
    /// Whether the bound claims to be consistent.
    pub claims_consistency: bool,
    /// The value of the bound at the root.
    pub root_value: Cost,
    /// The values of the bound on the path of the solution.
    pub path: Vec<PathPoint>,
    /// The comparison with the known costs.
    pub check: BoundCheck,
    /// Seconds to build the bound for the board.
    pub preparation_seconds: f64,
    /// Mean seconds of one evaluation in the search; `None` when there were too few to measure.
    pub evaluation_seconds: Option<f64>,
    /// Bytes of the bound's tables.
    pub bytes: u64,
    /// The outcome of the search with this bound. It starts with the solution as incumbent, so all work is proof.
    pub outcome: Outcome,
    /// CPU seconds of the whole process during preparation and search. The process should do nothing else meanwhile.
    pub cpu_seconds: f64,
    /// Wall-clock seconds of preparation and search.
    pub seconds: f64,
}

impl Trial {
    /// The mean gap over all states on the path that are not solved.
    #[must_use]
    pub fn mean_gap(&self) -> f64 {
        let steps = self.path.iter().filter(|step| step.cost_to_go > 0);
        let (count, sum) = steps.fold((0_u32, 0), |(count, sum), step| (count + 1, sum + step.gap()));
        f64::from(sum) / f64::from(count.max(1))
    }

    /// Whether no fault was found: the comparison is sound, and the search did not prove a lower bound above a
    /// solution.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let cost = self.outcome.incumbent.as_ref().map_or(Cost::MAX, |solution| solution.cost);
        self.check.is_sound(self.claims_consistency) && self.outcome.lower_bound <= cost
    }
}

/// Tries the lower bound of the space that `build` builds.
///
/// First a search with this bound proves the solution of `known`, or finds a cheaper one, within the limits of
/// `context`: by `learning` if states are sets, otherwise by best-first search. Then the bound is compared with every
/// known cost. `build` is called once; its time counts as preparation. The evaluation along the path of the solution
/// gets the full time limit again.
///
/// # Errors
/// None in practice: no checkpoint is read.
pub fn try_bound<'p>(
    build: impl FnOnce() -> Box<dyn StateSpace + 'p>,
    known: &KnownCosts<'_>,
    context: &Context<'_>,
) -> Result<Trial, CheckpointError> {
    let (began, cpu_before) = (Instant::now(), process_cpu_seconds());
    let (mut space, meter) = (build(), Arc::new(Meter::default()));
    space.measure(Arc::clone(&meter));
    let preparation_seconds = began.elapsed().as_secs_f64();
    let limits = Context { checkpoints: None, ..context.remaining(began, 0) };
    let outcome = prove(&*space, known.solution.clone(), &limits)?;
    let (seconds, cpu_seconds) = (began.elapsed().as_secs_f64(), process_cpu_seconds() - cpu_before);
    let mut check = BoundCheck::default();
    let path_start = Instant::now();
    let path = evaluate_path(&*space, known.solution, &mut check, &|| context.stop_reason(path_start).is_some());
    if let Some(states) = known.states {
        // The states on the path are among all states.
        check = BoundCheck { dismissed: check.dismissed, ..compare_all(&*space, states, context.stop) };
    }
    Ok(Trial {
        name: space.bound().name,
        claims_consistency: space.bound().is_consistent,
        root_value: space.lower_bound(),
        path,
        check,
        preparation_seconds,
        evaluation_seconds: meter.mean_seconds(),
        bytes: space.bound().bytes,
        outcome,
        cpu_seconds,
        seconds,
    })
}

/// Proves that no solution is cheaper than `solution`, or finds a cheaper one, within the limits of `context`.
///
/// The search starts with the solution as incumbent, and no beam searches run. So all work is proof, and the work with
/// different lower bounds is comparable. The work of `learning` depends on the values and on the explanations of the
/// bound.
fn prove(space: &dyn StateSpace, solution: Solution, context: &Context<'_>) -> Result<Outcome, CheckpointError> {
    let (engine, context) = match space.set_expander() {
        Some(_) => (StateEngine::LEARNING, *context),
        None => (StateEngine::BEST_FIRST, context.with_reserved_memory(space.bound().bytes)),
    };
    search(engine, space, &Parameters::default(), Some(solution), &context)
}

/// The lower bound in an evaluation with g = 0 and without a limit.
fn h_of(f: FValue) -> Cost {
    match f {
        FValue::Within(value) | FValue::Beyond(value) => value,
        FValue::DeadEnd => Cost::MAX,
    }
}

/// Evaluates the bound along the path of a solution until `is_over`.
fn evaluate_path(
    space: &dyn StateSpace,
    solution: &Solution,
    check: &mut BoundCheck,
    is_over: &dyn Fn() -> bool,
) -> Vec<PathPoint> {
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let (mut slot, mut g, mut path) = (expander.place_root(), 0, Vec::new());
    let mut key = vec![0; space.key_len()];
    let mut moves = solution.moves.iter();
    loop {
        expander.pack(slot, &mut key);
        let h = h_of(expander.evaluate_key(&key, 0, Cost::MAX));
        let cost_to_go = solution.cost.saturating_sub(g);
        check.compare(h, cost_to_go);
        path.push(PathPoint { g, cost_to_go, h });
        let Some(&mv) = moves.next().filter(|_| !is_over()) else { return path };
        // From here on only the key is needed. The frames of a path of a thousand states may take a gigabyte.
        expander.truncate(0);
        children.clear();
        let frame = expander.expand_key(&key, 0, None, &mut children);
        // Exact pruning may remove a move of the given solution. Then the path ends here.
        let Some(at) = children.iter().position(|child| child.mv == mv) else { return path };
        slot = Slot { frame, index: at as u32 };
        let cost = children[at].cost;
        check.moves += 1;
        let next = compare_with_key(space, &mut *expander, slot, check);
        check.falls += u64::from(h > next.saturating_add(cost));
        children.clear();
        expander.expand_key(&key, 0, Some(cost_to_go.saturating_add(1)), &mut children);
        check.dismissed += u64::from(children.iter().all(|child| child.mv != mv));
        g += cost;
    }
}

/// Compares the values at all states with the exact costs, and along all moves with each other, until a stop is
/// requested.
fn compare_all(space: &dyn StateSpace, all: &[ExactState], stop: &StopToken) -> BoundCheck {
    let mut check = BoundCheck::default();
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let goes_on = || stop.reason().is_none();
    let of_state = |exact: &ExactState| h_of(expander.evaluate_key(&exact.key, 0, Cost::MAX));
    let values: Vec<_> = all.iter().take_while(|_| goes_on()).map(of_state).collect();
    for (exact, &h) in all.iter().zip(&values).take_while(|_| goes_on()) {
        // At a dead end every value is admissible.
        check.compare(h, exact.cost_to_go.unwrap_or(Cost::MAX));
        children.clear();
        expander.truncate(0);
        let frame = expander.expand_key(&exact.key, 0, None, &mut children);
        for (at, &(child, cost)) in exact.children.iter().enumerate() {
            check.moves += 1;
            check.falls += u64::from(h > values[child].saturating_add(cost));
            let slot = Slot { frame, index: at as u32 };
            compare_with_key(space, &mut *expander, slot, &mut check);
        }
    }
    check
}

/// Compares the value of the bound at the child in `slot` with the value at the state made from its key, and counts a
/// difference. Returns the value at the state made from the key.
fn compare_with_key(space: &dyn StateSpace, expander: &mut dyn Expander, slot: Slot, check: &mut BoundCheck) -> Cost {
    let mut key = vec![0; space.key_len()];
    let child_value = h_of(expander.evaluate(slot, 0, Cost::MAX));
    expander.pack(slot, &mut key);
    let key_value = h_of(expander.evaluate_key(&key, 0, Cost::MAX));
    check.differs += u64::from(child_value != key_value);
    key_value
}
