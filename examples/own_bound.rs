//! A user-defined lower bound, outside the crate: implemented, checked against exact costs, compared, and combined.
//!
//!     cargo run --release -p gridhunt-examples --bin own_bound
//!
//! The bound counts for each colour how often it has to be played. Every path from the flood to a region makes a least
//! number of steps into regions of colour `c`, and each of these steps needs its own move of `c`. So every solution
//! plays `c` at least as often as the largest of these numbers over all regions. The bound is the sum over the colours.
//!
//! **Admissible**: a solution with fewer moves would play some colour too seldom for some region. **Consistent**: a
//! move of colour `c` lowers the count of `c` by at most one, and no other count: the regions that it floods were
//! reachable before without a step into another colour.

use gridhunt::hunt::{Request, Study, solve_board};
use gridhunt::views::study_table;
use gridhunt_boards::{Board, GenerateSpec, Start, generate};
use gridhunt_floodit::{BoundKind, Flood, FloodBound, FloodIt, Regions, bits};
use gridhunt_search::domain::{Bound, Cost, LowerBound};
use gridhunt_search::engine::{Context, KnownCosts, Solution, Trial, solve_all, try_bound};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;

/// The sum, over the colours, of how often each has to be played.
struct Tally<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
}

impl<const W: usize> Tally<'_, W> {
    /// The least number of steps into regions of `colour` with which every region can be reached.
    fn steps(&self, state: &Flood<W>, colour: usize) -> Cost {
        let colour_regions = self.puzzle.of_colour(colour);
        let mut reached = state.flooded;
        let mut steps = 0;
        loop {
            // Regions of other colours cost this colour nothing.
            loop {
                let others = bits::difference(&bits::difference(self.puzzle.all_regions(), &reached), colour_regions);
                let neighbours = self.puzzle.neighbours(&reached, &others);
                if bits::is_empty(&neighbours) {
                    break;
                }
                reached = bits::union(&reached, &neighbours);
            }
            let unreached = bits::difference(self.puzzle.all_regions(), &reached);
            if bits::is_empty(&unreached) {
                return steps;
            }
            let coloured = bits::intersection(&unreached, colour_regions);
            reached = bits::union(&reached, &self.puzzle.neighbours(&reached, &coloured));
            steps += 1;
        }
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for Tally<'_, W> {
    type Scratch = ();

    fn name(&self) -> String {
        "tally".to_owned()
    }

    fn evaluate(&self, state: &Flood<W>, cutoff: Cost, (): &mut ()) -> Bound {
        let mut total = 0;
        for colour in 0..self.puzzle.colours() {
            if total >= cutoff {
                break;
            }
            total += self.steps(state, colour);
        }
        Bound(total)
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// The greater of two bounds.
struct Greater<A, B>(A, B);

impl<const W: usize, A, B> LowerBound<FloodIt<W>> for Greater<A, B>
where
    A: LowerBound<FloodIt<W>>,
    B: LowerBound<FloodIt<W>>,
{
    type Scratch = (A::Scratch, B::Scratch);

    fn name(&self) -> String {
        format!("{}+{}", self.0.name(), self.1.name())
    }

    fn evaluate(&self, state: &Flood<W>, cutoff: Cost, (scratch_0, scratch_1): &mut Self::Scratch) -> Bound {
        let first = self.0.evaluate(state, cutoff, scratch_0);
        if first.0 >= cutoff { first } else { first.max(self.1.evaluate(state, cutoff, scratch_1)) }
    }

    fn is_consistent(&self) -> bool {
        self.0.is_consistent() && self.1.is_consistent()
    }
}

/// A state of four words has a bit for each of up to 256 regions, which is enough for boards of up to 256 cells.
/// `floodit::with_puzzle` finds the width for any board.
type Puzzle = FloodIt<4>;

/// Tries the bounds on a puzzle. Returns its number of states, if they are few, and the trials.
fn try_bounds(
    puzzle: &Puzzle,
    solution: &Solution,
    stop: &StopToken,
) -> Result<(Option<usize>, Vec<Trial>), Box<dyn Error>> {
    let context =
        Context { threads: 1, limits: Limits::default(), observer: &Silent, stop, checkpoints: None, exchange: None };
    // On a board with few states, a bound is checked at every state; otherwise only along the solution.
    let states = solve_all(&Problem::new(puzzle, Tally { puzzle }), 100_000, &context);
    let known_costs = KnownCosts { solution, states: states.as_deref() };
    let elimination = || FloodBound::new(puzzle, BoundKind::Elimination);
    let trials = vec![
        try_bound(|| Box::new(Problem::new(puzzle, Tally { puzzle })), &known_costs, &context)?,
        try_bound(|| Box::new(Problem::new(puzzle, elimination())), &known_costs, &context)?,
        try_bound(|| Box::new(Problem::new(puzzle, Greater(elimination(), Tally { puzzle }))), &known_costs, &context)?,
    ];
    Ok((states.map(|states| states.len()), trials))
}

/// Solves a board, and tries the bounds on it.
fn study(number: usize, board: &Board) -> Result<Study, Box<dyn Error>> {
    let stop = StopToken::new();
    let mut reference = solve_board(board, &Request::default(), &Silent, &stop)?;
    reference.number = number;
    let solution = reference.solution.clone().ok_or("no solution")?;
    let puzzle = Puzzle::try_new(&Regions::of(board), board.colours()).ok_or("too large a board")?;
    let (exact_states, trials) = try_bounds(&puzzle, &solution, &stop)?;
    Ok(Study { reference, exact_states, trials })
}

/// Tries the bounds on boards of several sizes; fails if one of them is wrong.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut studies = Vec::new();
    for (rows, cols, colours) in [(5, 5, 4), (7, 7, 3), (10, 10, 4), (12, 12, 6)] {
        for index in 0..4 {
            let spec = GenerateSpec { rows, cols, colours, seed: 7, start: Start::TopLeft };
            studies.push(study(studies.len() + 1, &generate(&spec, index)?)?);
        }
    }
    print!("{}", study_table(&studies));
    match studies.iter().flat_map(|study| &study.trials).all(Trial::is_sound) {
        true => Ok(()),
        false => Err("a bound is wrong".into()),
    }
}
