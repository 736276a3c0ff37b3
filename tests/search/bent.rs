//! Lower bounds that are not what they should be: inconsistent ones are served, inadmissible ones are found out.

use crate::common::{Exhaustive, Setting, board, is_long, random_board, rng, with_puzzle};
use crate::kept;
use crate::ranks::layers_below;
use gridhunt_boards::{Board, Cell};
use gridhunt_floodit::replay::replay;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor};
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound};
use gridhunt_search::engine::{Outcome, StateEngine, Status};
use gridhunt_search::runtime::Limits;
use rand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// `elimination`, changed at each state by `bend(value, hash of the state)`.
struct Bent<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    straight: FloodBound<'a, W>,
    bend: fn(Cost, u64) -> Cost,
    /// What `bend` takes off everywhere, if the bound is to explain itself.
    explained: Option<Cost>,
}

impl<const W: usize> LowerBound<FloodIt<W>> for Bent<'_, W> {
    type Scratch = <FloodBound<'static, W> as LowerBound<FloodIt<W>>>::Scratch;

    fn name(&self) -> String {
        "bent".to_owned()
    }

    fn evaluate(&self, state: &<FloodIt<W> as Domain>::State, _: Cost, scratch: &mut Self::Scratch) -> Bound {
        let mut key = vec![0; self.puzzle.key_len()];
        self.puzzle.pack(state, &mut key);
        let hash =
            key.iter().fold(0xCBF2_9CE4_8422_2325, |h: u64, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
        Bound((self.bend)(self.straight.evaluate(state, Cost::MAX, scratch).0, hash >> 32))
    }

    fn explain(
        &self,
        state: &<FloodIt<W> as Domain>::State,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut Self::Scratch,
    ) -> bool {
        self.explained.is_some_and(|minus| self.straight.explain(state, need + minus, wanted, out, scratch))
    }

    fn is_consistent(&self) -> bool {
        false
    }
}

struct Run<'a> {
    setting: Setting<'a>,
    bend: fn(Cost, u64) -> Cost,
    explained: Option<Cost>,
}

impl Visitor for Run<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let straight = FloodBound::new(puzzle, BoundKind::default());
        self.setting.search(puzzle, Bent { puzzle, straight, bend: self.bend, explained: self.explained })
    }
}

fn run(board: &Board, engine: StateEngine, threads: usize, bend: fn(Cost, u64) -> Cost) -> Outcome {
    with_puzzle(board, Run { setting: Setting::new(engine, threads), bend, explained: None })
}

/// Evaluations until a worker dies, and those after it.
static UNTIL_DEATH: AtomicU64 = AtomicU64::new(0);
static AFTER_DEATH: AtomicU64 = AtomicU64::new(0);

/// What a worker says when it dies.
const DEATH: &str = "meant to fail";

/// Panics once, at the evaluation that [`UNTIL_DEATH`] counts down to; without a backtrace, during which others would
/// go on for as long as it takes.
fn die_once(h: Cost, _: u64) -> Cost {
    match UNTIL_DEATH.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) {
        Ok(1) => resume_unwind(Box::new(DEATH)),
        Ok(_) => {}
        Err(_) => _ = AFTER_DEATH.fetch_add(1, SeqCst),
    }
    h
}

/// A worker that dies takes the whole search with it at once: nobody goes on for hours with work whose result is lost.
#[test]
fn a_panic_ends_every_search() {
    // Far too large to be searched to its end: whoever goes on does so until the limit, which takes some six
    // evaluations an expansion.
    let large = random_board(&mut rng(32), 40, 40, 8);
    let limits = Limits { expansions: Some(300_000), ..Limits::default() };
    // Annealing asks no bound.
    for engine in StateEngine::ALL.into_iter().filter(|&engine| engine != StateEngine::ANNEAL) {
        for threads in [1, 2, 8] {
            UNTIL_DEATH.store(1_000, SeqCst);
            AFTER_DEATH.store(0, SeqCst);
            let setting = Setting { limits, ..Setting::new(engine, threads) };
            let ended = catch_unwind(AssertUnwindSafe(|| {
                with_puzzle(&large, Run { setting, bend: die_once, explained: None })
            }));
            let reason = ended.err().and_then(|reason| reason.downcast_ref::<&str>().copied());
            assert_eq!(reason, Some(DEATH), "{} with {threads} threads", engine.info.name);
            let after = AFTER_DEATH.load(SeqCst);
            // A worker looks up after each expansion or each batch; the one that dies may have to wait for a processor
            // meanwhile.
            assert!(after <= 100_000, "{} with {threads} threads: {after}", engine.info.name);
        }
    }
}

/// A bound that is weakened here and there opens closed states again; the optimum is found and proven all the same.
#[test]
fn an_inconsistent_bound_reopens_and_stays_right() {
    let weaken = |h: Cost, hash: u64| h - h.min(hash as Cost % 7);
    let mut rng = rng(31);
    let mut reopened = 0;
    for round in 0..if is_long() { 120 } else { 24 } {
        let (rows, cols) = (rng.random_range(5..=6), rng.random_range(5..=7));
        let colours = rng.random_range(4..=7);
        let board = random_board(&mut rng, rows, cols, colours);
        let optimum = Exhaustive::solve(&board).optimum();
        for engine in StateEngine::ALL.into_iter().filter(|engine| engine.info.proves) {
            for threads in [1, 2, 8] {
                let outcome = run(&board, engine, threads, weaken);
                let context = format!("{}, {threads} threads, round {round}: {board:?}", engine.info.name);
                assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal), "{context}");
                reopened += u64::from(engine == StateEngine::BEST_FIRST) * outcome.statistics.reopened;
            }
        }
    }
    assert!(reopened > 100, "{reopened} states reopened: the bound is not bent enough to tell");
}

/// The weaker the bound, the more has to be learned: with less than `elimination` says, here and there or everywhere,
/// and with its explanations or without, no optimum is lost.
#[test]
fn what_is_learned_with_a_weak_bound_loses_no_optimum() {
    const MINUS: [fn(Cost, u64) -> Cost; 5] = [
        |h, _| h,
        |h, _| h.saturating_sub(1),
        |h, _| h.saturating_sub(2),
        |h, _| h.saturating_sub(3),
        |h, hash| h.saturating_sub(hash as Cost % 4),
    ];
    let mut rng = rng(34);
    let (mut stored, mut iterations) = (0, 0);
    let rounds = if is_long() { 20_000 } else { 800 };
    for round in 0..rounds {
        let (rows, cols) = (rng.random_range(3..=6), rng.random_range(3..=6));
        let colours = rng.random_range(2..=6);
        let board = random_board(&mut rng, rows, cols, colours);
        let optimum = Exhaustive::solve(&board).optimum();
        let minus = rng.random_range(0..MINUS.len());
        let explained = (minus < 4 && rng.random_range(0..3) > 0).then_some(minus as Cost);
        let run = Run { setting: Setting::new(StateEngine::LEARNING, 1), bend: MINUS[minus], explained };
        let outcome = with_puzzle(&board, run);
        let context = format!("round {round}, {minus} {explained:?}: {board:?}");
        assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal), "{context}");
        let found = outcome.incumbent.expect("a solution");
        assert_eq!((found.cost, found.moves.len()), (optimum, optimum as usize), "{context}");
        assert!(replay(&board, &found.moves).expect("legal moves").is_solved, "{context}");
        stored += outcome.statistics.stored;
        iterations += outcome.statistics.layers.len();
    }
    assert!(
        stored > 5 * rounds && iterations > rounds as usize,
        "{stored} no-goods, {iterations} iterations: too easy to tell"
    );
}

/// Depth-first or best-first, the states below the optimum are the same, and each is counted once.
#[test]
fn both_exact_engines_visit_the_same_states() {
    let mut rng = rng(33);
    let mut compared = 0;
    for round in 0..12 {
        let board = random_board(&mut rng, 11, 11, 6);
        let best_first = with_puzzle(&board, kept::Run(Setting::new(StateEngine::BEST_FIRST, 1)));
        let optimum = best_first.lower_bound;
        let below = |outcome: &Outcome| layers_below(optimum, outcome);
        compared += below(&best_first).iter().map(|&(_, expanded)| expanded).sum::<u64>();
        for threads in [1, 2, 8] {
            let ida = with_puzzle(&board, kept::Run(Setting::new(StateEngine::IDA, threads)));
            assert_eq!((ida.lower_bound, ida.status()), (optimum, Status::Optimal), "round {round}");
            assert_eq!(below(&ida), below(&best_first), "round {round}, {threads} threads: {board:?}");
        }
    }
    assert!(compared > 1_000, "{compared} states: too easy to tell");
}

/// A solution that costs less than a lower bound refutes the bound: the outcome says both, and nobody calls it proven
/// by lowering the bound to what was found.
#[test]
fn a_refuted_bound_shows() {
    let row = board(1, 4, 3, vec![0, 1, 0, 2], Cell::default());
    for engine in StateEngine::ALL {
        let outcome = run(&row, engine, 2, |h, _| if h == 0 { 0 } else { h + 3 });
        let cost = outcome.incumbent.map(|solution| solution.cost);
        assert_eq!((cost, outcome.lower_bound), (Some(3), 6), "{}", engine.info.name);
    }
}
