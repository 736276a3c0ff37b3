//! Flood-It: flood the board with one colour in the fewest moves.

use crate::puzzles::error::Result;
use crate::puzzles::floodit::{BoundKind, FloodBound, FloodIt, Visitor, certificate, check_full, with_puzzle};
use crate::puzzles::gameplay::{Choice, Gameplay};
use crate::puzzles::names::plural;
use crate::puzzles::playback::Playback;
use crate::puzzles::puzzle::{
    BoundCertificate, BoundInfo, CertificateForm, CertifiedPuzzle, Claim, Instance, Puzzle, Solutions, SpaceFactory,
    StatePuzzle, Visit,
};
use crate::puzzles::start::position;
use crate::puzzles::state_search::search_states;
use crate::puzzles::verdict::{Fact, Verdict, Verified};
use crate::puzzles::{BoundName, ObjectiveValue, PuzzleError, Request, Start};
use gridhunt_boards::verify::{Certificate, FloodPlay, ReplayError, replay, verify_solution};
use gridhunt_boards::{Board, BoardError, Frame, Mark, WrittenSolution};
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::{Context, EngineKind, Outcome, RefutedSets, Solution};
use gridhunt_search::expand::{Problem, StateSpace};

/// The next solution. Where its text has two meanings, the one that solves the board, at best without wasted moves.
fn next_written(board: &Board, solutions: &mut Solutions) -> Result<Option<WrittenSolution>, BoardError> {
    let merit = |certificate: Certificate| 1 + u8::from(certificate.wasted.is_empty());
    solutions.next_with(board, |moves| verify_solution(board, moves, None).map_or(0, merit))
}

/// The puzzle object.
pub(in crate::puzzles) struct FloodItPuzzle;

impl Puzzle for FloodItPuzzle {
    fn names(&self) -> &'static [&'static str] {
        &["flood-it", "floodit", "flood_it"]
    }

    fn check_board(&self, board: &Board, _: &Request) -> Result<()> {
        check_full(board).map_err(PuzzleError::position)
    }

    fn supports(&self, engine: EngineKind) -> bool {
        engine.of_states().is_some()
    }

    fn objective_value(&self, _: &Board, _: &Request) -> ObjectiveValue {
        ObjectiveValue::Moves
    }

    fn search(&self, instance: Instance<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        search_states(self, instance, true, known, context)
    }

    fn replay(&self, board: &Board, _: &Request, solution: &Solution) -> Result<Vec<String>, String> {
        verify_solution(board, &solution.moves, Some(solution.cost)).map_err(|error| error.to_string())?;
        Ok(solution.moves.iter().map(|&mv| board.symbols()[usize::from(mv)].clone()).collect())
    }

    fn verify_next(&self, instance: Instance<'_>, solutions: &mut Solutions) -> Result<Option<Verdict>, BoardError> {
        let Instance { board, request } = instance;
        let Some(written) = next_written(board, solutions)? else { return Ok(None) };
        let replayed = verify_solution(board, &written.moves, written.cost);
        let describe = |Certificate { cost, wasted, .. }| Verified {
            value: cost.into(),
            facts: vec![Fact::Count(cost.into(), "move", "moves")],
            wasted,
        };
        let objective = self.objective_value(board, request);
        Ok(Some(Verdict::new(written.board, objective, replayed, describe, ReplayError::failed_move)))
    }

    fn read_start(&self, instance: Instance<'_>, after: usize, solutions: &mut Solutions) -> Result<Option<Start>> {
        let board = instance.board;
        let Some(WrittenSolution { moves, .. }) = next_written(board, solutions)? else { return Ok(None) };
        let cells = |played: &[u16]| Ok(played_on(board, played)?.cells().to_vec());
        let known = |position: &Board, rest: &[u16]| match verify_solution(position, rest, None) {
            Ok(Certificate { cost, .. }) => Ok(Ok(Solution { cost, moves: rest.to_vec() })),
            Err(error @ ReplayError::Incomplete { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(PuzzleError::solution(position, error)),
        };
        Start::after(board, (after, "moves"), &moves, cells, known).map(Some)
    }

    fn still(&self, board: &Board) -> Result<Frame> {
        check_full(board).map_err(PuzzleError::position)?;
        let (rows, cols, colours) = (board.rows(), board.cols(), plural(board.colours(), "colour"));
        let caption = format!("{rows} x {cols}, {colours}, start {}", board.start());
        let mut marks = vec![Mark::None; rows * cols];
        marks[board.index(board.start())] = Mark::Point;
        Ok(Frame { caption, cells: board.contents().collect(), marks })
    }

    fn play_next<'b>(&self, instance: Instance<'b>, solutions: &mut Solutions) -> Result<Option<Playback<'b>>> {
        let board = instance.board;
        let Some(written) = next_written(board, solutions)? else { return Ok(None) };
        replay(board, &written.moves).map_err(|error| PuzzleError::solution(board, error))?;
        let (mut play, moves, mut done) = (played_on(board, &[])?, written.moves, 0);
        Ok(Some(Playback::new(moves.len(), move |step| {
            for (number, &colour) in (1..).zip(&moves).take(step).skip(done) {
                play.play(number, colour).map_err(|error| PuzzleError::solution(board, error))?;
            }
            done = step;
            let symbol = |mv: &u16| format!(", colour {}", board.symbols()[usize::from(*mv)]);
            let last = moves[..step].last().map_or_else(String::new, symbol);
            Ok(frame(board, &play, &format!("move {step} of {}{last}", moves.len())))
        })))
    }

    fn states(&self) -> Option<&dyn StatePuzzle> {
        Some(self)
    }

    fn certified(&self) -> Option<&dyn CertifiedPuzzle> {
        Some(self)
    }
}

impl CertifiedPuzzle for FloodItPuzzle {
    fn certify(
        &self,
        board: &Board,
        _: &Request,
        claim: &Claim<'_>,
        form: CertificateForm,
        refuted: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate> {
        match form {
            CertificateForm::Records => certificate::certify(board, claim, refuted, context),
            #[cfg(not(target_family = "wasm"))]
            CertificateForm::VeriPb => super::veripb::prove(board, claim, context),
        }
    }

    fn check_form(&self, board: &Board, _: &Request, form: CertificateForm) -> Result<()> {
        match form {
            CertificateForm::Records => certificate::check_size(board),
            #[cfg(not(target_family = "wasm"))]
            CertificateForm::VeriPb => super::veripb::check_size(board),
        }
    }

    fn certified_rules(&self, board: &Board, _: &Request) -> Vec<usize> {
        vec![board.index(board.start())]
    }

    fn moves_named(&self, board: &Board, _: &Request, names: &[String]) -> Vec<MoveIndex> {
        let colour = |name| board.symbols().iter().position(|symbol| symbol == name);
        names.iter().map_while(|name| MoveIndex::try_from(colour(name)?).ok()).collect()
    }
}

impl StatePuzzle for FloodItPuzzle {
    fn bounds(&self) -> Vec<BoundInfo> {
        let info = |kind: BoundKind| BoundInfo {
            name: kind.name(),
            summary: kind.summary(),
            default: kind == BoundKind::default(),
        };
        BoundKind::ALL.map(info).to_vec()
    }

    fn bound_identity(&self, request: &Request) -> String {
        kind_of(request.bound.as_ref()).name().to_owned()
    }

    fn with_spaces(&self, board: &Board, _: &Request, visit: Visit<'_>) -> Result<()> {
        with_puzzle(board, Contracted { visit }).map_err(PuzzleError::position)?
    }

    fn move_names(&self, board: &Board, _: &Request, moves: &[MoveIndex]) -> Option<Vec<String>> {
        moves.iter().map(|&colour| board.symbols().get(usize::from(colour)).cloned()).collect()
    }

    fn gameplay<'b>(&self, board: &'b Board, _: &'b Request) -> Result<Box<dyn Gameplay + 'b>> {
        Ok(Box::new(FloodGame { board, play: played_on(board, &[])?, moves: 0 }))
    }
}

/// A game that somebody plays.
#[derive(Clone)]
struct FloodGame<'b> {
    board: &'b Board,
    play: FloodPlay<'b>,
    moves: usize,
}

impl Gameplay for FloodGame<'_> {
    /// All colours of the board but the flood's own.
    fn choices(&self) -> Vec<Choice> {
        if self.is_solved() {
            return Vec::new();
        }
        let cells = self.play.cells();
        let own = cells[self.board.index(self.board.start())];
        let choice = |(colour, name): (u8, &String)| {
            let cells = (0..cells.len()).filter(|&index| cells[index] == colour).collect();
            Choice { name: name.clone(), cells }
        };
        (0..).zip(self.board.symbols()).filter(|(colour, _)| *colour != own).map(choice).collect()
    }

    /// A flood that has not the whole board has a neighbour of another colour.
    fn is_over(&self) -> bool {
        self.is_solved()
    }

    fn takes(&self, choice: &Choice) -> Vec<usize> {
        let mut after = self.clone();
        // A move that the rules refuse takes nothing.
        let _ = after.play(&choice.name);
        let (before, after) = (self.play.flooded(), after.play.flooded());
        (0..after.len()).filter(|&index| after[index] && !before[index]).collect()
    }

    fn play(&mut self, name: &str) -> Result<()> {
        let number = self.moves + 1;
        let choices = self.choices();
        if !choices.iter().any(|choice| choice.name == name) {
            let names: Vec<_> = choices.into_iter().map(|choice| choice.name).collect();
            let expected = if names.is_empty() {
                "no move, because the board is solved".to_owned()
            } else {
                format!("a colour of the board that the flood does not have: {}", names.join(" "))
            };
            return Err(PuzzleError::solution(self.board, format!("move {number}: found {name}, expected {expected}")));
        }
        let colour = self.board.symbols().iter().position(|symbol| symbol == name).unwrap_or_default();
        self.play.play(number, colour as u16).map_err(|error| PuzzleError::solution(self.board, error))?;
        self.moves = number;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Gameplay + '_> {
        Box::new(self.clone())
    }

    fn moves(&self) -> usize {
        self.moves
    }

    fn value(&self) -> i64 {
        self.moves as i64
    }

    fn value_of_end(&self) -> Option<i64> {
        self.is_solved().then(|| self.value())
    }

    fn is_solved(&self) -> bool {
        self.play.flooded().iter().all(|is| *is)
    }

    fn frame(&self) -> Frame {
        frame(self.board, &self.play, &plural(self.moves, "move"))
    }

    fn position(&self) -> Result<Board> {
        position(self.board, self.moves, self.play.cells().to_vec())
    }
}

/// The game after these moves.
fn played_on<'b>(board: &'b Board, moves: &[MoveIndex]) -> Result<FloodPlay<'b>> {
    let fail = |error: ReplayError| PuzzleError::solution(board, error);
    let mut play = FloodPlay::new(board).map_err(fail)?;
    (1..).zip(moves).try_for_each(|(number, &colour)| play.play(number, colour)).map_err(fail)?;
    Ok(play)
}

/// The game as it is, with marks on the flood. The caption begins with `head`.
fn frame(board: &Board, play: &FloodPlay<'_>, head: &str) -> Frame {
    let flooded = play.flooded();
    let cells = flooded.iter().filter(|f| **f).count();
    let caption = format!("{head}, {cells} of {}", plural(flooded.len(), "cell"));
    let mut marks: Vec<Mark> = flooded.into_iter().map(|is| if is { Mark::Area } else { Mark::None }).collect();
    marks[board.index(board.start())] = Mark::Point;
    Frame { caption, cells: play.cells().iter().copied().map(Some).collect(), marks }
}

/// The bound named `name`; `None` selects the default. `Request::check` has refused the names of other puzzles.
fn kind_of(name: Option<&BoundName>) -> BoundKind {
    name.and_then(|name| BoundKind::named(name.as_str())).unwrap_or_default()
}

/// Passes the search spaces of the typed puzzle to `visit`.
struct Contracted<'a> {
    visit: Visit<'a>,
}

impl Visitor for Contracted<'_> {
    type Output = Result<()>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        (self.visit)(&FloodSpaces { puzzle })
    }
}

/// The search spaces of one board with states of `W` words.
struct FloodSpaces<'p, const W: usize> {
    puzzle: &'p FloodIt<W>,
}

impl<'p, const W: usize> SpaceFactory<'p> for FloodSpaces<'p, W> {
    fn space(&self, bound: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>> {
        Ok(Box::new(Problem::new(self.puzzle, FloodBound::new(self.puzzle, kind_of(bound)))))
    }

    fn plain(&self) -> Box<dyn StateSpace + 'p> {
        let bound = FloodBound::new(self.puzzle, BoundKind::Layers);
        Box::new(Problem::new(self.puzzle, bound))
    }

    fn applicable(&self) -> Vec<&'static str> {
        BoundKind::ALL.map(BoundKind::name).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, usual_symbols};
    use gridhunt_search::domain::Cost;

    fn claim(moves: &[u16], cost: Cost) -> Result<Vec<String>, String> {
        // One row, 1 2 1 3: the optimum is 3.
        let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        FloodItPuzzle.replay(&row, &Request::default(), &Solution { cost, moves: moves.to_vec() })
    }

    #[test]
    fn a_wrong_solution_fails_its_replay() {
        assert_eq!(claim(&[1, 0, 2], 3).unwrap(), ["2", "1", "3"]);
        let cases = [
            (claim(&[1, 0], 2), "found 1 cell left"),
            (claim(&[1, 0, 2, 1], 4), "move 4"),
            (claim(&[1, 0, 9], 3), "found colour number 9"),
            (claim(&[1, 0, 2], 2), "found 3 moves, expected 2"),
        ];
        for (result, expected) in cases {
            let text = result.unwrap_err();
            assert!(text.contains(expected), "{text}");
        }
    }
}
