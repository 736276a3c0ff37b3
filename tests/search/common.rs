//! What several test binaries share: random boards, and an exhaustive solver that knows cells and nothing else.

use gridhunt_boards::{Board, Cell, usual_symbols};
use gridhunt_floodit::{BoundKind, Flood, FloodBound, FloodIt, Regions, Visitor};
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{CheckpointConfig, Context, Outcome, Parameters, StateEngine, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Exchange, Limits, Observer, Silent, StopReason, StopToken};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Whether the tests that take minutes run too, and the others in full (`scripts/test --long`).
pub fn is_long() -> bool {
    std::env::var_os("GRIDHUNT_LONG").is_some()
}

/// Hands a board without empty cells to `visitor`, in states of a width that is among the few of these tests: each is
/// compiled with every engine, for each of the domains and bounds that are bent here.
pub fn with_puzzle<V: Visitor>(board: &Board, visitor: V) -> V::Output {
    let (regions, colours) = (Regions::of(board), board.colours());
    macro_rules! narrowest {
        ($($width:literal)*) => {
            $(if let Some(puzzle) = FloodIt::<$width>::try_new(&regions, colours) {
                return visitor.visit(&puzzle);
            })*
        };
    }
    narrowest!(2 7 32);
    panic!("{} regions, more than any test has", regions.count())
}

/// Flood-It as a puzzle that does not say that its states are sets: `auto` searches it as it searches other puzzles.
/// The number is added to the revision.
pub struct WithoutSets<'a, const W: usize>(pub &'a FloodIt<W>, pub u8);

impl<const W: usize> Domain for WithoutSets<'_, W> {
    type State = Flood<W>;

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn mask_bits(&self) -> u32 {
        self.0.mask_bits()
    }

    fn revision(&self) -> u8 {
        self.0.revision() + self.1
    }

    fn root(&self) -> Flood<W> {
        self.0.root()
    }

    fn pack(&self, state: &Flood<W>, key: &mut [u8]) {
        self.0.pack(state, key);
    }

    fn unpack(&self, key: &[u8], state: &mut Flood<W>) {
        self.0.unpack(key, state);
    }

    fn successors(&self, state: &Flood<W>, skip: MoveMask, out: &mut Vec<Successor<Flood<W>>>) {
        self.0.successors(state, skip, out);
    }

    fn promise(&self, state: &Flood<W>) -> u32 {
        self.0.promise(state)
    }

    fn terminal_cost(&self, state: &Flood<W>) -> Option<Cost> {
        self.0.terminal_cost(state)
    }
}

/// A lower bound of Flood-It for the same puzzle.
pub struct Same<B>(pub B);

impl<const W: usize, B: LowerBound<FloodIt<W>>> LowerBound<WithoutSets<'_, W>> for Same<B> {
    type Scratch = B::Scratch;

    fn name(&self) -> String {
        self.0.name()
    }

    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut B::Scratch) -> Bound {
        self.0.evaluate(state, enough, scratch)
    }

    fn is_consistent(&self) -> bool {
        self.0.is_consistent()
    }
}

/// The bound `elimination`, which does something at its `at`-th evaluation; never if that is 0.
pub struct Ambushed<'a, const W: usize> {
    bound: FloodBound<'a, W>,
    left: AtomicU64,
    ambush: &'a (dyn Fn() + Sync),
}

impl<'a, const W: usize> Ambushed<'a, W> {
    pub fn new(puzzle: &'a FloodIt<W>, at: u64, ambush: &'a (dyn Fn() + Sync)) -> Self {
        Self { bound: FloodBound::new(puzzle, BoundKind::Elimination), left: AtomicU64::new(at), ambush }
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for Ambushed<'_, W> {
    type Scratch = <FloodBound<'static, W> as LowerBound<FloodIt<W>>>::Scratch;

    fn name(&self) -> String {
        "ambushed".to_owned()
    }

    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut Self::Scratch) -> Bound {
        if self.left.fetch_sub(1, SeqCst) == 1 {
            (self.ambush)();
        }
        self.bound.evaluate(state, enough, scratch)
    }

    fn is_consistent(&self) -> bool {
        true
    }

    fn explain(
        &self,
        state: &Flood<W>,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut Self::Scratch,
    ) -> bool {
        self.bound.explain(state, need, wanted, out, scratch)
    }
}

/// The engines that search Clickomania.
pub fn clickomania_engines() -> impl Iterator<Item = StateEngine> {
    StateEngine::ALL.into_iter().filter(|engine| *engine != StateEngine::LEARNING)
}

/// A generator of test inputs that is the same everywhere.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A random board with the start at a random cell.
pub fn random_board(rng: &mut ChaCha8Rng, rows: usize, cols: usize, colours: u8) -> Board {
    let cells = (0..rows * cols).map(|_| rng.random_range(0..colours)).collect();
    let start = Cell { row: rng.random_range(0..rows), col: rng.random_range(0..cols) };
    board(rows, cols, colours, cells, start)
}

/// A board with the usual symbols.
pub fn board(rows: usize, cols: usize, colours: u8, cells: Vec<u8>, start: Cell) -> Board {
    Board::new("test", rows, cols, cells, usual_symbols(colours.into()), start).expect("a sound board")
}

/// The exact distance to the goal of every flood that can be reached on a board of at most 64 cells.
pub struct Exhaustive {
    /// Moves left, by set of flooded cells.
    pub distance: HashMap<u64, u32>,
    /// The flood at the start.
    pub root: u64,
}

impl Exhaustive {
    /// Solves the board for all its floods.
    pub fn solve(board: &Board) -> Self {
        Self::with(board, &[])
    }

    /// Solves the board for all its floods, these `more` floods, and all that follow from them.
    pub fn with(board: &Board, more: &[u64]) -> Self {
        let seed = 1 << board.index(board.start());
        let root = spread(board, seed, board.cells()[board.index(board.start())]);
        let mut distance: HashMap<u64, u32> = more.iter().chain([&root]).map(|&flood| (flood, u32::MAX)).collect();
        let mut floods: Vec<u64> = distance.keys().copied().collect();
        let mut next = 0;
        while next < floods.len() {
            for child in children(board, floods[next]) {
                distance.entry(child).or_insert_with(|| {
                    floods.push(child);
                    u32::MAX
                });
            }
            next += 1;
        }
        // A move only adds cells: with the largest floods first, all children of a flood are solved before it.
        floods.sort_by_key(|flood| std::cmp::Reverse(flood.count_ones()));
        for flood in floods {
            let best = children(board, flood).map(|child| distance[&child]).min();
            distance.insert(flood, best.map_or(0, |left| left + 1));
        }
        Self { distance, root }
    }

    /// Moves of an optimal solution.
    pub fn optimum(&self) -> u32 {
        self.distance[&self.root]
    }
}

/// The floods after each move that adds a cell.
pub fn children(board: &Board, flood: u64) -> impl Iterator<Item = u64> {
    (0..board.colours() as u8).map(move |colour| spread(board, flood, colour)).filter(move |&child| child != flood)
}

/// The flood together with every cell of `colour` that is connected to it by cells of `colour`.
pub fn spread(board: &Board, flood: u64, colour: u8) -> u64 {
    let mut flood = flood;
    let mut stack: Vec<usize> = (0..board.cells().len()).filter(|c| flood >> c & 1 == 1).collect();
    while let Some(cell) = stack.pop() {
        for next in board.neighbours(cell) {
            if flood >> next & 1 == 0 && board.cells()[next] == colour {
                flood |= 1 << next;
                stack.push(next);
            }
        }
    }
    flood
}

/// A search as most tests want it: quiet, without limits, with narrow beams.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub engine: StateEngine,
    pub threads: usize,
    pub limits: Limits,
    pub observer: &'a dyn Observer,
    /// Stopped before it begins.
    pub interrupted: bool,
    pub checkpoints: Option<&'a CheckpointConfig>,
    pub exchange: Option<&'a Exchange>,
}

/// The context of a search without limits, that keeps nothing and is watched by nobody.
pub fn without_limits(threads: usize, stop: &StopToken) -> Context<'_> {
    Context::new(threads, Limits::default(), &Silent, stop)
}

impl Setting<'_> {
    pub fn new(engine: StateEngine, threads: usize) -> Self {
        let (limits, checkpoints, exchange) = (Limits::default(), None, None);
        Self { engine, threads, limits, observer: &Silent, interrupted: false, checkpoints, exchange }
    }

    pub fn search<D: Domain, B: LowerBound<D>>(&self, domain: &D, bound: B) -> Outcome {
        let beams = Parameters { beam_width: 20, auto_beam_width: 2, ..Parameters::default() };
        let parameters = Parameters { anneal_rounds: 2, anneal_changes: 100, ..beams };
        let stop = StopToken::new();
        if self.interrupted {
            stop.stop(StopReason::Interrupted);
        }
        let Self { engine, threads, limits, observer, checkpoints, exchange, .. } = *self;
        let context = Context { threads, limits, observer, stop: &stop, checkpoints, exchange };
        search(engine, &Problem::new(domain, bound), &parameters, None, &context)
            .expect("a checkpoint that can be used")
    }
}
