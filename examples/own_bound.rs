//! A lower bound of one's own, from outside the crate: written, held against the truth, compared, and combined.
//!
//!     cargo run --release -p gridhunt-examples --bin own_bound
//!
//! The bound counts for each colour how often it has to be played. A walker who starts in the flood and wants to reach
//! a region steps into a region of colour `c` some number of times, however it goes; each of these steps needs a move
//! of `c` of its own. The largest of these least numbers over all regions is how often `c` is played in any solution,
//! and the sum over the colours is a lower bound of the moves.
//!
//! **Admissible**: a solution of fewer moves would play some colour too seldom for some region. **Consistent**: a move
//! of colour `c` takes one from the count of `c` at most, and nothing from any other, because the regions that it
//! floods were reached without a step into another colour before.

use gridhunt::hunt::Request;
use gridhunt::hunt::{Study, solve_board};
use gridhunt::views::study_table;
use gridhunt_boards::{Board, GenerateSpec, Start, generate};
use gridhunt_floodit::{BoundKind, Flood, FloodBound, FloodIt, Regions, bits};
use gridhunt_search::domain::{Bound, Cost, LowerBound};
use gridhunt_search::engine::{Context, KnownCosts, Solution, Trial, solve_all, try_bound};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;

/// How often each colour has to be played, summed up.
struct Tally<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
}

impl<const W: usize> Tally<'_, W> {
    /// The least number of steps into regions of `colour` with which every region can be reached.
    fn steps(&self, state: &Flood<W>, colour: usize) -> Cost {
        let own = self.puzzle.of_colour(colour);
        let mut reached = state.flooded;
        let mut steps = 0;
        loop {
            // Regions of other colours cost this colour nothing.
            loop {
                let others = bits::difference(&bits::difference(self.puzzle.all_regions(), &reached), own);
                let more = self.puzzle.neighbours(&reached, &others);
                if bits::is_empty(&more) {
                    break;
                }
                reached = bits::union(&reached, &more);
            }
            let unseen = bits::difference(self.puzzle.all_regions(), &reached);
            if bits::is_empty(&unseen) {
                return steps;
            }
            reached = bits::union(&reached, &self.puzzle.neighbours(&reached, &bits::intersection(&unseen, own)));
            steps += 1;
        }
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for Tally<'_, W> {
    type Scratch = ();

    fn name(&self) -> String {
        "tally".to_owned()
    }

    fn evaluate(&self, state: &Flood<W>, enough: Cost, (): &mut ()) -> Bound {
        let mut total = 0;
        for colour in 0..self.puzzle.colours() {
            if total >= enough {
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

    fn evaluate(&self, state: &Flood<W>, enough: Cost, (one, other): &mut Self::Scratch) -> Bound {
        let first = self.0.evaluate(state, enough, one);
        if first.0 >= enough { first } else { first.max(self.1.evaluate(state, enough, other)) }
    }

    fn is_consistent(&self) -> bool {
        self.0.is_consistent() && self.1.is_consistent()
    }
}

/// States of four words have a bit for each region of boards of up to 256 cells, which is enough here.
/// `floodit::with_puzzle` finds the width for any board.
type Puzzle = FloodIt<4>;

/// Tries the bounds on a puzzle: how many states it has, if these are few, and what came out.
fn try_bounds(
    puzzle: &Puzzle,
    solution: &Solution,
    stop: &StopToken,
) -> Result<(Option<usize>, Vec<Trial>), Box<dyn Error>> {
    let context =
        Context { threads: 1, limits: Limits::default(), observer: &Silent, stop, checkpoints: None, exchange: None };
    // Where a board has few states, a bound is looked at in all of them; else on the way of the solution.
    let states = solve_all(&Problem::new(puzzle, Tally { puzzle }), 100_000, &context);
    let truth = KnownCosts { solution, states: states.as_deref() };
    let elimination = || FloodBound::new(puzzle, BoundKind::Elimination);
    let trials = vec![
        try_bound(|| Box::new(Problem::new(puzzle, Tally { puzzle })), &truth, &context)?,
        try_bound(|| Box::new(Problem::new(puzzle, elimination())), &truth, &context)?,
        try_bound(|| Box::new(Problem::new(puzzle, Greater(elimination(), Tally { puzzle }))), &truth, &context)?,
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
