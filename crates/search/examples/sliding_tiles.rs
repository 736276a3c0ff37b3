//! A custom puzzle outside the crate: the 15-puzzle with the Manhattan distance.
//!
//!     cargo run --release -p gridhunt-search --example sliding_tiles
//!
//! [`Sliding`] implements [`Domain`], [`Manhattan`] implements [`LowerBound`]. That suffices for every engine, any
//! number of threads, limits, spill to disk and checkpoints.

use gridhunt_search::checkpoint::CheckpointFiles;
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{
    CheckpointConfig, Context, Outcome, Parameters, SessionClock, StateEngine, Status, Times, search,
};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;
use std::time::Duration;

/// Tiles in a frame with one gap. A move slides the gap: 0 up, 1 left, 2 right, 3 down.
pub struct Sliding {
    /// Places in a column.
    pub rows: usize,
    /// Places in a row.
    pub cols: usize,
    /// Where the tiles are at first.
    pub start: Tiles,
    /// Whether engines prefer states nearer to the goal. Otherwise the order of the moves alone counts.
    pub prefers_near: bool,
    /// For each place and move, the next place of the gap; `None` at the edge of the frame.
    gap_targets: [[Option<u8>; 4]; 16],
    /// The Manhattan distance between each two places.
    distances: [[u8; 16]; 16],
}

/// The tile in each place, row by row; 0 is the gap, and fills the array behind the last place.
pub type Tiles = [u8; 16];

/// The tiles with derived data that moves update incrementally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Four bits for each place, the first one lowest.
    tiles: u64,
    gap: u8,
    /// The Manhattan distance to the goal.
    distance: u8,
}

impl Sliding {
    /// The puzzle that begins with these tiles.
    pub fn new(rows: usize, cols: usize, start: Tiles) -> Self {
        let (mut gap_targets, mut distances) = ([[None; 4]; 16], [[0; 16]; 16]);
        for place in 0..rows * cols {
            let (row, col) = (place / cols, place % cols);
            let inside = [row > 0, col > 0, col + 1 < cols, row + 1 < rows];
            let to = [place.wrapping_sub(cols), place.wrapping_sub(1), place + 1, place + cols];
            gap_targets[place] = std::array::from_fn(|mv| inside[mv].then_some(to[mv] as u8));
            distances[place] =
                std::array::from_fn(|other| (row.abs_diff(other / cols) + col.abs_diff(other % cols)) as u8);
        }
        Self { rows, cols, start, prefers_near: true, gap_targets, distances }
    }

    /// The tiles after `moves` moves from the goal, drawn by a linear congruential generator; no move undoes the one
    /// before.
    pub fn scrambled(rows: usize, cols: usize, seed: u64, moves: usize) -> Self {
        let mut puzzle = Self::new(rows, cols, [0; 16]);
        puzzle.start = puzzle.goal();
        let (mut random, mut last) = (seed, 4);
        for _ in 0..moves {
            let allowed: Vec<_> =
                (0..4).filter(|&mv| mv + last != 3 && puzzle.slide(&puzzle.start, mv).is_some()).collect();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            last = allowed[(random >> 33) as usize % allowed.len()];
            puzzle.start = puzzle.slide(&puzzle.start, last).unwrap_or(puzzle.start);
        }
        puzzle
    }

    fn places(&self) -> usize {
        self.rows * self.cols
    }

    /// Each tile in the place with its number, the gap in the first place, as in Korf (1985).
    fn goal(&self) -> Tiles {
        std::array::from_fn(|place| if place < self.places() { place as u8 } else { 0 })
    }

    /// The tiles after a move; `None` where the frame ends.
    pub fn slide(&self, tiles: &Tiles, mv: u16) -> Option<Tiles> {
        let gap = tiles[..self.places()].iter().position(|&tile| tile == 0)?;
        let to = self.gap_targets[gap][usize::from(mv)]?;
        let mut after = *tiles;
        after.swap(gap, to.into());
        Some(after)
    }

    /// The position with these tiles.
    fn position(&self, tiles: u64) -> Position {
        let mut position = Position { tiles, gap: 0, distance: 0 };
        for place in 0..self.places() {
            match tiles >> (4 * place) & 15 {
                0 => position.gap = place as u8,
                tile => position.distance += self.distances[place][tile as usize],
            }
        }
        position
    }

    /// Whether these moves lead from the start to the goal.
    pub fn is_solved_by(&self, moves: &[u16]) -> bool {
        let end = moves.iter().try_fold(self.start, |tiles, &mv| self.slide(&tiles, mv));
        end == Some(self.goal())
    }
}

impl Domain for Sliding {
    type State = Position;

    /// Two tiles per byte.
    fn key_len(&self) -> usize {
        self.places().div_ceil(2)
    }

    /// A move class for each move.
    fn mask_bits(&self) -> u32 {
        4
    }

    fn root(&self) -> Position {
        self.position(self.start.iter().rev().fold(0, |tiles, &tile| tiles << 4 | u64::from(tile)))
    }

    fn pack(&self, position: &Position, key: &mut [u8]) {
        key.copy_from_slice(&position.tiles.to_le_bytes()[..key.len()]);
    }

    fn unpack(&self, key: &[u8], position: &mut Position) {
        let mut bytes = [0; 8];
        bytes[..key.len()].copy_from_slice(key);
        *position = self.position(u64::from_le_bytes(bytes));
    }

    /// The sleep set of a child holds the move back to its parent, which would only repeat the parent at a higher cost.
    fn successors(&self, position: &Position, skip: MoveMask, out: &mut Vec<Successor<Position>>) {
        let &Position { tiles, gap, distance } = position;
        let (gap_targets, distances_to_gap) = (&self.gap_targets[usize::from(gap)], &self.distances[usize::from(gap)]);
        out.reserve(4);
        for mv in (0..4).filter(|mv| skip >> mv & 1 == 0) {
            let Some(to) = gap_targets[usize::from(mv)] else { continue };
            let tile = tiles >> (4 * to) & 15;
            let old_distance = self.distances[usize::from(to)][tile as usize];
            let state = Position {
                tiles: tiles ^ tile << (4 * to) ^ tile << (4 * gap),
                gap: to,
                distance: distance + distances_to_gap[tile as usize] - old_distance,
            };
            out.push(Successor { mv, cost: 1, sleep_set: 8 >> mv, state });
        }
    }

    fn promise(&self, position: &Position) -> u32 {
        if self.prefers_near { u8::MAX.abs_diff(position.distance).into() } else { 0 }
    }

    fn terminal_cost(&self, position: &Position) -> Option<Cost> {
        (position.distance == 0).then_some(0)
    }
}

/// The distance of all tiles from their places. **Admissible** and **consistent**: a move brings one tile one place
/// nearer at most, and costs 1.
pub struct Manhattan;

impl LowerBound<Sliding> for Manhattan {
    type Scratch = ();

    fn name(&self) -> String {
        "manhattan".to_owned()
    }

    fn evaluate(&self, position: &Position, _cutoff: Cost, (): &mut ()) -> Bound {
        Bound(position.distance.into())
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// Searches, and replays the solution.
fn solve(
    puzzle: &Sliding,
    engine: StateEngine,
    limits: Limits,
    checkpoints: Option<&CheckpointConfig>,
) -> Result<Outcome, Box<dyn Error>> {
    let (parameters, stop) =
        (Parameters { anneal_rounds: 2, anneal_changes: 1_000, ..Parameters::default() }, StopToken::new());
    let context = Context { threads: 2, limits, observer: &Silent, stop: &stop, checkpoints, exchange: None };
    let outcome = search(engine, &Problem::new(puzzle, Manhattan), &parameters, None, &context)?;
    let is_right = outcome.incumbent.iter().all(|found| puzzle.is_solved_by(&found.moves));
    if is_right { Ok(outcome) } else { Err("the solution misses the goal".into()) }
}

fn report(name: &str, outcome: &Outcome) {
    let cost = outcome.incumbent.as_ref().map_or("none".to_owned(), |found| found.cost.to_string());
    let (bound, expanded) = (outcome.lower_bound, outcome.statistics.expanded);
    println!(
        "{name:<18} {:<10} {bound:>3} <= optimum <= {cost:<5} {expanded:>9} expanded",
        format!("{:?}", outcome.status())
    );
}

/// Searches with every engine, then with limits and checkpoints.
pub fn main() -> Result<(), Box<dyn Error>> {
    println!("8-puzzle, every engine");
    let puzzle = Sliding::scrambled(3, 3, 8, 200);
    let limits = Limits { expansions: Some(400_000), ..Limits::default() };
    for engine in StateEngine::ALL {
        report(engine.info.name, &solve(&puzzle, engine, limits, None)?);
    }
    println!("15-puzzle with checkpoints: stopped by a limit, and resumed");
    let puzzle = Sliding::scrambled(4, 4, 7, 120);
    let folder = std::env::temp_dir().join(format!("sliding-tiles-{}", std::process::id()));
    let files = CheckpointFiles::unlimited(folder.clone(), "15-puzzle");
    let (every, clock) = (Duration::from_secs(60), SessionClock::after(Times::default(), 1));
    let mut checkpoints = CheckpointConfig { files, every, resume: false, clock };
    let first = solve(
        &puzzle,
        StateEngine::BEST_FIRST,
        Limits { expansions: Some(2_000), ..Limits::default() },
        Some(&checkpoints),
    )?;
    report("first session", &first);
    checkpoints.resume = true;
    let second = solve(&puzzle, StateEngine::BEST_FIRST, Limits::default(), Some(&checkpoints))?;
    report("resumed", &second);
    std::fs::remove_dir_all(&folder)?;
    if second.status() == Status::Optimal { Ok(()) } else { Err("not proven".into()) }
}
