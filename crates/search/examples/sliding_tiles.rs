//! A puzzle of one's own, from outside the crate: the sliding tiles of the 15-puzzle with their Manhattan distance.
//!
//!     cargo run --release -p gridhunt-search --example sliding_tiles
//!
//! [`Sliding`] implements the contract of a puzzle ([`Domain`]), [`Manhattan`] that of a lower bound ([`LowerBound`]).
//! Nothing else is needed for every engine, any number of threads, limits, spill to disk and checkpoints.

use gridhunt_search::checkpoint::CheckpointFiles;
use gridhunt_search::domain::{Bound, Cost, Domain, Guidance, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{CheckpointConfig, Context, Outcome, Parameters, StateEngine, Status, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;
use std::time::Duration;

/// Tiles in a frame with one gap. A move slides the gap: 0 up, 1 down, 2 left, 3 right.
pub struct Sliding {
    /// Places in a column.
    pub rows: usize,
    /// Places in a row.
    pub cols: usize,
    /// Where the tiles are at first.
    pub start: Tiles,
}

/// The tile in each place, row by row; 0 is the gap, and so is all that lies behind the last place.
pub type Tiles = [u8; 16];

impl Sliding {
    /// The tiles after `moves` moves from the goal, drawn by a linear congruential generator; no move undoes the one
    /// before.
    pub fn scrambled(rows: usize, cols: usize, seed: u64, moves: usize) -> Self {
        let mut puzzle = Self { rows, cols, start: [0; 16] };
        puzzle.start = puzzle.goal();
        let (mut random, mut last) = (seed, 4);
        for _ in 0..moves {
            let allowed: Vec<_> =
                (0..4).filter(|&mv| mv ^ 1 != last && puzzle.slide(&puzzle.start, mv).is_some()).collect();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            last = allowed[(random >> 33) as usize % allowed.len()];
            puzzle.start = puzzle.slide(&puzzle.start, last).unwrap_or(puzzle.start);
        }
        puzzle
    }

    fn places(&self) -> usize {
        self.rows * self.cols
    }

    /// 1, 2, 3 and so on, the gap in the last place.
    fn goal(&self) -> Tiles {
        let mut tiles = [0; 16];
        (1..self.places()).for_each(|tile| tiles[tile - 1] = tile as u8);
        tiles
    }

    /// The tiles after a move; `None` where the frame ends.
    pub fn slide(&self, tiles: &Tiles, mv: u16) -> Option<Tiles> {
        let gap = tiles[..self.places()].iter().position(|&tile| tile == 0)?;
        let (row, col) = (gap / self.cols, gap % self.cols);
        let to = match mv {
            0 if row > 0 => gap - self.cols,
            1 if row + 1 < self.rows => gap + self.cols,
            2 if col > 0 => gap - 1,
            3 if col + 1 < self.cols => gap + 1,
            _ => return None,
        };
        let mut after = *tiles;
        after.swap(gap, to);
        Some(after)
    }

    /// The sum over all tiles of how far each is from its place.
    fn distance(&self, tiles: &Tiles) -> Cost {
        let far = |(place, &tile): (usize, &u8)| {
            let goal = usize::from(tile).wrapping_sub(1);
            let rows = (place / self.cols).abs_diff(goal / self.cols);
            if tile == 0 { 0 } else { rows + (place % self.cols).abs_diff(goal % self.cols) }
        };
        tiles[..self.places()].iter().enumerate().map(far).sum::<usize>() as Cost
    }

    /// Whether moves lead from the start to the goal.
    pub fn is_solved_by(&self, moves: &[u16]) -> bool {
        let end = moves.iter().try_fold(self.start, |tiles, &mv| self.slide(&tiles, mv));
        end == Some(self.goal())
    }
}

impl Domain for Sliding {
    type State = Tiles;

    /// Two tiles a byte.
    fn key_len(&self) -> usize {
        self.places().div_ceil(2)
    }

    /// A move class for each move.
    fn mask_bits(&self) -> u32 {
        4
    }

    fn root(&self) -> Tiles {
        self.start
    }

    fn pack(&self, tiles: &Tiles, key: &mut [u8]) {
        key.iter_mut().zip(tiles.as_chunks::<2>().0).for_each(|(byte, [low, high])| *byte = low | high << 4);
    }

    fn unpack(&self, key: &[u8], tiles: &mut Tiles) {
        *tiles = [0; 16];
        tiles.as_chunks_mut::<2>().0.iter_mut().zip(key).for_each(|(pair, byte)| *pair = [byte & 15, byte >> 4]);
    }

    /// The move that undoes the last one is asleep: it leads back, at a higher cost.
    fn successors(&self, tiles: &Tiles, skip: MoveMask, out: &mut Vec<Successor<Tiles>>) {
        for mv in (0..4).filter(|mv| skip >> mv & 1 == 0) {
            let child = self.slide(tiles, mv);
            out.extend(child.map(|state| Successor { mv, cost: 1, asleep: 1 << (mv ^ 1), state }));
        }
    }

    fn guidance(&self) -> Option<&dyn Guidance<Tiles>> {
        Some(self)
    }

    fn promise(&self, tiles: &Tiles) -> u32 {
        1_000 - self.distance(tiles)
    }

    fn terminal(&self, tiles: &Tiles) -> Option<Cost> {
        (*tiles == self.goal()).then_some(0)
    }
}

impl Guidance<Tiles> for Sliding {
    /// No position of the 15-puzzle needs more than 80 moves (Brüngger and others, 1999).
    fn max_played_moves(&self) -> usize {
        80
    }
}

/// **Admissible** and **consistent**: a move brings one tile one place nearer at most, and costs 1.
pub struct Manhattan<'a>(pub &'a Sliding);

impl LowerBound<Sliding> for Manhattan<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        "manhattan".to_owned()
    }

    fn evaluate(&self, tiles: &Tiles, _enough: Cost, (): &mut ()) -> Bound {
        Bound(self.0.distance(tiles))
    }

    fn consistent(&self) -> bool {
        true
    }
}

/// Searches, and plays what comes out.
fn solve(
    puzzle: &Sliding,
    engine: StateEngine,
    limits: Limits,
    keep: Option<&CheckpointConfig>,
) -> Result<Outcome, Box<dyn Error>> {
    let (parameters, stop) =
        (Parameters { anneal_rounds: 2, anneal_changes: 1_000, ..Parameters::default() }, StopToken::new());
    let context = Context { threads: 2, limits, observer: &Silent, stop: &stop, checkpoints: keep, exchange: None };
    let outcome = search(engine, &Problem::new(puzzle, Manhattan(puzzle)), &parameters, &context)?;
    let found = outcome.incumbent.iter().all(|found| puzzle.is_solved_by(&found.moves));
    if found { Ok(outcome) } else { Err("a solution that is none".into()) }
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
        report(engine.name(), &solve(&puzzle, engine, limits, None)?);
    }
    println!("15-puzzle, kept on disk: stopped by a limit, and resumed");
    let puzzle = Sliding::scrambled(4, 4, 5, 120);
    let folder = std::env::temp_dir().join(format!("sliding-tiles-{}", std::process::id()));
    let files = CheckpointFiles::unlimited(folder.clone(), "15-puzzle");
    let mut keep = CheckpointConfig { files, every: Duration::from_secs(60), resume: false };
    let first =
        solve(&puzzle, StateEngine::BestFirst, Limits { expansions: Some(2_000), ..Limits::default() }, Some(&keep))?;
    report("first session", &first);
    keep.resume = true;
    let second = solve(&puzzle, StateEngine::BestFirst, Limits::default(), Some(&keep))?;
    report("resumed", &second);
    std::fs::remove_dir_all(&folder)?;
    if second.status() == Status::Optimal { Ok(()) } else { Err("not proven".into()) }
}
