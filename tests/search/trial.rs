//! Trials of lower bounds: they tell right bounds from wrong ones, and their reference costs are right.

use crate::common::{Exhaustive, random_board, rng, with_puzzle, without_limits};
use gridhunt::hunt::Request;
use gridhunt::hunt::{StudyRequest, solve_board, study_board};
use gridhunt::puzzles::BoundName;
use gridhunt_boards::Board;
use gridhunt_floodit::{BoundKind, Flood, FloodBound, FloodIt, Regions, Visitor, bits};
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, Successor};
use gridhunt_search::engine::{Context, KnownCosts, Solution, Status, Trial, solve_all, try_bound};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
use rand::Rng;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// The fault of a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// One more than elimination, where that is more than 2.
    TooMuch,
    /// 0 where an even number of regions is flooded.
    Falls,
    /// The same, without a claim of consistency. This is allowed.
    FallsAsItSays,
    /// One less at every other call.
    Differs,
    /// Dismisses the last child, whatever it costs.
    Dismisses,
}

/// The bound `elimination` with a fault, and the number of calls.
struct Faulty<'a, const W: usize>(FloodBound<'a, W>, Fault, AtomicU32);

impl<const W: usize> LowerBound<FloodIt<W>> for Faulty<'_, W> {
    type Scratch = <FloodBound<'static, W> as LowerBound<FloodIt<W>>>::Scratch;

    fn name(&self) -> String {
        format!("{:?}", self.1)
    }

    fn evaluate(&self, state: &Flood<W>, _: Cost, scratch: &mut Self::Scratch) -> Bound {
        let Bound(value) = self.0.evaluate(state, Cost::MAX, scratch);
        let even = bits::count(&state.flooded).is_multiple_of(2);
        Bound(match self.1 {
            Fault::TooMuch if value > 2 => value + 1,
            Fault::Falls | Fault::FallsAsItSays if even => 0,
            Fault::Differs => value.saturating_sub(self.2.fetch_add(1, Relaxed) % 2),
            _ => value,
        })
    }

    fn dismiss(&self, _: &Flood<W>, _: Cost, children: &mut Vec<Successor<Flood<W>>>, _: &mut Self::Scratch) {
        if self.1 == Fault::Dismisses {
            children.truncate(children.len() - 1);
        }
    }

    fn is_consistent(&self) -> bool {
        self.1 != Fault::FallsAsItSays
    }
}

/// Tries one bound on one board.
struct Try<'a> {
    fault: Fault,
    /// Whether all states are solved first.
    all: bool,
    solution: &'a Solution,
    limits: Limits,
    /// Whether somebody asks for an end before the trial begins.
    asked: bool,
}

impl<'a> Try<'a> {
    fn of(fault: Fault, all: bool, solution: &'a Solution) -> Self {
        Self { fault, all, solution, limits: Limits::default(), asked: false }
    }
}

impl Visitor for Try<'_> {
    type Output = Trial;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Trial {
        let stop = StopToken::new();
        let faulty = || {
            Problem::new(puzzle, Faulty(FloodBound::new(puzzle, BoundKind::Elimination), self.fault, AtomicU32::new(0)))
        };
        let states = self.all.then(|| solve_all(&faulty(), usize::MAX, &without_limits(1, &stop)).expect("no limit"));
        let truth = KnownCosts { solution: self.solution, states: states.as_deref() };
        if self.asked {
            stop.stop(StopReason::Interrupted);
        }
        let context = Context { limits: self.limits, ..without_limits(1, &stop) };
        try_bound(|| Box::new(faulty()), &truth, &context).expect("no disk")
    }
}

#[test]
fn a_trial_ends_with_its_time_and_when_asked() {
    let board = random_board(&mut rng(52), 6, 6, 4);
    let solution = solution(&board);
    let to_try = || Try::of(Fault::Nothing, true, &solution);
    let no_time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let timed = with_puzzle(&board, Try { limits: no_time, ..to_try() });
    let asked = with_puzzle(&board, Try { asked: true, ..to_try() });
    assert!(solution.moves.len() > 2);
    assert_eq!((timed.path.len(), asked.path.len()), (1, 1), "the root alone");
    assert!(timed.check.states > 1, "known costs are compared, however little time there is");
    assert_eq!(asked.check.states, 0, "nothing is compared any more");
}

fn solution(board: &Board) -> Solution {
    let request = Request { threads: 1, ..Request::default() };
    let report = solve_board(board, &request, &Silent, &StopToken::new()).expect("a solution that replays");
    assert_eq!(report.status, Status::Optimal);
    report.solution.expect("a solution")
}

#[test]
fn what_a_bound_must_not_do_is_found() {
    let mut rng = rng(51);
    let mut found = [0_u64; 5];
    for _ in 0..20 {
        let board = random_board(&mut rng, 6, 6, 4);
        let solution = solution(&board);
        for all in [false, true] {
            let check = |fault| {
                let trial = with_puzzle(&board, Try::of(fault, all, &solution));
                assert_eq!(trial.name, format!("{fault:?}"));
                trial
            };
            for fault in [Fault::Nothing, Fault::FallsAsItSays] {
                let trial = check(fault);
                assert!(trial.is_sound(), "{fault:?}: {:?} on {board:?}", trial.check);
                // A weaker bound costs work; the proof is the same.
                assert_eq!((trial.outcome.status(), trial.outcome.lower_bound), (Status::Optimal, solution.cost));
            }
            let wrong = [Fault::TooMuch, Fault::Falls, Fault::Differs, Fault::Dismisses].map(check);
            let counted = [0, 1, 2, 3].map(|at: usize| {
                let check = wrong[at].check;
                [check.above, check.falls, check.differs, check.dismissed][at]
            });
            for (trial, count) in wrong.iter().zip(counted) {
                assert_eq!(trial.is_sound(), count == 0, "{}: {:?}", trial.name, trial.check);
            }
            assert_eq!(wrong[0].check.excess, u32::from(counted[0] > 0));
            for (sum, count) in found.iter_mut().zip(counted) {
                *sum += count;
            }
            found[4] += u64::from(all && counted[0] > 0);
        }
    }
    assert!(found.iter().all(|&count| count > 15), "{found:?}");
}

/// Counts the states of a board, and compares the exact cost of each with an exhaustive solver that works on cells.
struct AllStates<'a>(&'a Board);

impl Visitor for AllStates<'_> {
    type Output = usize;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> usize {
        let regions = Regions::of(self.0);
        let space = Problem::new(puzzle, FloodBound::new(puzzle, BoundKind::default()));
        let stop = StopToken::new();
        let free = without_limits(1, &stop);
        let all = solve_all(&space, usize::MAX, &free).expect("no limit");
        let flood_of = |key: &[u8]| {
            let mut state = puzzle.root();
            puzzle.unpack(key, &mut state);
            let cells = (0..self.0.cells().len()).filter(|&cell| bits::contains(&state.flooded, regions.of_cell[cell]));
            cells.fold(0_u64, |flood, cell| flood | 1 << cell)
        };
        let floods: Vec<u64> = all.iter().map(|known| flood_of(&known.key)).collect();
        let exact = Exhaustive::with(self.0, &floods);
        assert_eq!(all[0].cost_to_go, Some(exact.optimum()), "{:?}", self.0);
        for (known, flood) in all.iter().zip(&floods) {
            assert_eq!(known.cost_to_go, Some(exact.distance[flood]), "{flood:b} of {:?}", self.0);
            let best = known
                .children
                .iter()
                .map(|&(child, cost)| all[child].cost_to_go.map_or(u32::MAX, |left| left + cost))
                .min();
            assert_eq!(known.cost_to_go, Some(best.unwrap_or(0)));
        }
        assert!(solve_all(&space, all.len(), &free).is_some());
        assert!(solve_all(&space, all.len() - 1, &free).is_none());
        let within = |limits| solve_all(&space, usize::MAX, &Context { limits, ..free });
        let keys: usize = all.iter().map(|state| 2 * state.key.len()).sum();
        assert!(within(Limits { memory: Some(4 * keys as u64), ..Limits::default() }).is_none());
        assert!(within(Limits { memory: Some(1 << 30), ..Limits::default() }).is_some());
        assert!(within(Limits { time: Some(Duration::ZERO), ..Limits::default() }).is_none());
        stop.stop(StopReason::Interrupted);
        assert!(solve_all(&space, usize::MAX, &free).is_none());
        all.len()
    }
}

#[test]
fn every_state_is_solved_as_the_cells_say() {
    let mut rng = rng(52);
    let mut states = 0;
    for _ in 0..160 {
        let (rows, cols) = (rng.random_range(1..=6), rng.random_range(2..=6));
        let colours = rng.random_range(2..=6);
        let board = random_board(&mut rng, rows, cols, colours);
        states += with_puzzle(&board, AllStates(&board));
    }
    assert!(states > 2_000, "{states}");
}

/// A solution that is too long is no exact reference, but the search finds a shorter one.
#[test]
fn a_better_solution_than_the_known_one_is_found() {
    let mut rng = rng(53);
    for _ in 0..10 {
        let board = random_board(&mut rng, 7, 7, 5);
        let best = solution(&board);
        let mut long = best.clone();
        // The same path with a useless move at its end.
        long.cost += 1;
        long.moves.push(best.moves[0]);
        let trial = with_puzzle(&board, Try::of(Fault::Nothing, false, &long));
        let found = trial.outcome.incumbent.expect("a solution");
        assert_eq!((found.cost, trial.outcome.lower_bound), (best.cost, best.cost));
    }
}

/// Whole trials on boards of several sizes: their figures agree with each other.
#[test]
fn studies_hang_together() {
    let mut rng = rng(54);
    let bounds: Vec<BoundName> = ["layers", "elimination"].iter().map(|name| name.parse().expect("a name")).collect();
    let request = StudyRequest {
        bounds: bounds.clone(),
        request: Request { threads: 1, ..Request::default() },
        max_exhaustive_states: 2_000,
    };
    for side in [4, 5, 10] {
        let board = random_board(&mut rng, side, side, 5);
        let study = study_board(&board, &request, &Silent, &StopToken::new()).expect("a study");
        let optimum = study.reference.cost.expect("a solution");
        assert_eq!(study.exact_states.is_some(), side < 10, "{:?} states", study.exact_states);
        let names: Vec<_> = study.trials.iter().map(|trial| trial.name.as_str()).collect();
        assert_eq!(names, ["layers", "elimination"]);
        for trial in &study.trials {
            assert!(trial.is_sound() && trial.outcome.status() == Status::Optimal, "{trial:?}");
            let (first, last) = (trial.path[0], trial.path[trial.path.len() - 1]);
            assert_eq!((first.g, first.cost_to_go, first.h), (0, optimum, trial.root_value));
            assert_eq!((last.g, last.cost_to_go, last.h), (optimum, 0, 0));
            assert_eq!(trial.path.len(), optimum as usize + 1);
            assert!(trial.mean_gap() <= f64::from(first.gap()).max(3.0) && trial.cpu_seconds >= 0.0);
            assert_eq!(trial.check.states as usize, study.exact_states.unwrap_or(trial.path.len()));
        }
        let [layers, elimination] = &study.trials[..] else { panic!("two trials") };
        assert!(layers.outcome.statistics.expanded >= elimination.outcome.statistics.expanded);
        assert!(layers.bytes == 0 && elimination.preparation_seconds > 0.0);
        let long = layers.outcome.statistics.evaluated > 2_000;
        assert!(!long || layers.evaluation_seconds.is_some_and(|seconds| seconds > 0.0 && seconds < 0.01));
    }
}

#[test]
fn a_study_that_is_stopped_says_what_it_has() {
    let board = random_board(&mut rng(55), 8, 8, 5);
    let stop = StopToken::new();
    stop.stop(StopReason::Interrupted);
    let request = StudyRequest {
        bounds: vec![BoundKind::default().name().parse().expect("a bound")],
        request: Request::default(),
        max_exhaustive_states: 1_000,
    };
    let study = study_board(&board, &request, &Silent, &stop).expect("a study");
    assert_eq!((study.reference.stopped, study.exact_states), (Some(StopReason::Interrupted), None));
    assert!(study.trials.is_empty());
}
