//! Flood-It as a puzzle, and its boards as tasks.

use crate::game::{FloodGame, frame, play_moves};
use crate::replay::{ReplayError, ValidReplay, replay, verify_solution};
use crate::{BoundKind, FloodBound, FloodIt, Visitor, certificate, check_full, with_puzzle};
use gridhunt_boards::{Board, Frame, Mark, UncheckedSolution, plural};
use gridhunt_puzzle::{
    BoundCertificate, BoundInfo, BoundName, CandidateSolution, CertifiableTask, CertificateClaim, CertificateForm,
    CertifiedBoard, Gameplay, Objective, OptionValues, Playback, Puzzle, PuzzleError, PuzzleId, PuzzleInfo,
    ReadSolution, Remark, Result, SearchMethod, Solutions, SpaceFactory, SpaceVisitor, StartPosition, StateTask, Task,
    TaskInfo, ValidSolution, Verdict, level, search_states,
};
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::{Context, Outcome, RefutedSets, Solution, StateEngine};
use gridhunt_search::expand::{Problem, StateSpace};

/// The puzzle.
pub struct FloodItPuzzle;

gridhunt_puzzle::register!(1, FloodItPuzzle);

const fn bound(kind: BoundKind, is_default: bool) -> BoundInfo {
    BoundInfo { name: kind.name(), summary: kind.summary(), is_default }
}

static INFO: PuzzleInfo = PuzzleInfo {
    names: &["flood-it", "floodit", "flood_it"],
    title: "Flood-It",
    objectives: &[Objective::MOVES],
    engines: || StateEngine::ALL.map(|engine| engine.info).to_vec(),
    bounds: &[bound(BoundKind::Layers, false), bound(BoundKind::Elimination, true)],
    has_certificates: true,
    levels: &[level("easy", 10, 4), level("medium", 14, 6), level("hard", 20, 6), level("expert", 24, 6)],
    ..PuzzleInfo::NONE
};

impl Puzzle for FloodItPuzzle {
    fn info(&self) -> &'static PuzzleInfo {
        &INFO
    }

    fn board_frame(&self, board: &Board) -> Result<Frame> {
        check_full(board).map_err(PuzzleError::invalid_position)?;
        let (rows, cols, colours) = (board.rows(), board.cols(), plural(board.colours(), "colour"));
        let caption = format!("{rows} x {cols}, {colours}, start {}", board.start());
        let mut marks = vec![Mark::None; rows * cols];
        marks[board.index(board.start())] = Mark::Point;
        Ok(Frame { caption, cells: board.contents().collect(), marks })
    }

    fn task<'b>(&self, board: &'b Board, _: &OptionValues) -> Result<Box<dyn Task + 'b>> {
        check_full(board).map_err(PuzzleError::invalid_position)?;
        let puzzle = PuzzleId::new(&FloodItPuzzle);
        let info = TaskInfo { puzzle, board, objective: Objective::MOVES, facts: Vec::new() };
        Ok(Box::new(FloodTask { info, board }))
    }
}

/// A board without empty cells.
struct FloodTask<'b> {
    info: TaskInfo<'b>,
    board: &'b Board,
}

impl Task for FloodTask<'_> {
    fn info(&self) -> &TaskInfo<'_> {
        &self.info
    }

    fn search(&self, method: &SearchMethod<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        search_states(self, method, true, known, context)
    }

    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String> {
        verify_solution(self.board, &solution.moves, Some(solution.cost)).map_err(|error| error.to_string())?;
        Ok(solution.moves.iter().map(|&mv| self.board.symbols()[usize::from(mv)].clone()).collect())
    }

    /// If the text of a solution has two meanings, reads the one that solves the board, and if both do, the one without
    /// wasted moves.
    fn read_solution<'t>(&'t self, solutions: &mut Solutions) -> ReadSolution<'t> {
        let board = self.board;
        let merit = |solution: ValidReplay| 1 + u8::from(solution.wasted.is_empty());
        let written = solutions.next_solution(board, |moves| verify_solution(board, moves, None).map_or(0, merit))?;
        Ok(written.map(|written| Box::new(WrittenMoves { board, written }) as _))
    }

    fn as_state_task(&self) -> Option<&dyn StateTask> {
        Some(self)
    }

    fn as_certifiable(&self) -> Option<&dyn CertifiableTask> {
        Some(self)
    }

    fn game(&self) -> Option<Box<dyn Gameplay + '_>> {
        FloodGame::new(self.board).ok().map(|game| Box::new(game) as _)
    }
}

/// Moves that somebody wrote.
struct WrittenMoves<'b> {
    board: &'b Board,
    written: UncheckedSolution<Vec<u16>>,
}

impl<'t> CandidateSolution<'t> for WrittenMoves<'t> {
    fn verdict(&self) -> Verdict {
        let replayed = verify_solution(self.board, &self.written.moves, self.written.cost);
        let describe = |ValidReplay { cost, wasted, .. }| ValidSolution {
            value: cost.into(),
            remarks: vec![Remark::Count(cost.into(), "move", "moves")],
            wasted_moves: wasted,
        };
        Verdict::new(self.written.board.clone(), replayed, describe, ReplayError::failed_move)
    }

    fn start_after(&self, after: usize) -> Result<StartPosition> {
        let board = self.board;
        let cells = |played: &[u16]| Ok(play_moves(board, played)?.cells().to_vec());
        let replay = |position: &Board, remaining: &[u16]| match verify_solution(position, remaining, None) {
            Ok(ValidReplay { cost, .. }) => Ok(Ok(Solution { cost, moves: remaining.to_vec() })),
            Err(error @ ReplayError::Incomplete { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(PuzzleError::invalid_solution(position, error)),
        };
        StartPosition::after_moves(board, (after, "moves"), &self.written.moves, cells, replay)
    }

    fn playback(self: Box<Self>) -> Result<Playback<'t>> {
        let (board, moves) = (self.board, self.written.moves);
        replay(board, &moves).map_err(|error| PuzzleError::invalid_solution(board, error))?;
        let (mut play, mut played) = (play_moves(board, &[])?, 0);
        Ok(Playback::new(moves.len(), move |step| {
            for (number, &colour) in (1..).zip(&moves).take(step).skip(played) {
                play.play(number, colour).map_err(|error| PuzzleError::invalid_solution(board, error))?;
            }
            played = step;
            let symbol = |mv: &u16| format!(", colour {}", board.symbols()[usize::from(*mv)]);
            let last = moves[..step].last().map_or_else(String::new, symbol);
            Ok(frame(board, &play, &format!("move {step} of {}{last}", moves.len())))
        }))
    }
}

impl CertifiableTask for FloodTask<'_> {
    fn certify(
        &self,
        claim: &CertificateClaim<'_>,
        form: CertificateForm,
        refuted: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate> {
        match form {
            CertificateForm::Records => certificate::certify(self.board, claim, refuted, context),
            #[cfg(not(target_family = "wasm"))]
            CertificateForm::VeriPb => crate::veripb::prove(self.board, claim, context),
        }
    }

    fn check_form(&self, form: CertificateForm) -> Result<()> {
        match form {
            CertificateForm::Records => certificate::check_size(self.board),
            #[cfg(not(target_family = "wasm"))]
            CertificateForm::VeriPb => crate::veripb::check_size(self.board),
        }
    }

    fn certified_board(&self) -> CertifiedBoard {
        CertifiedBoard { rules: vec![self.board.index(self.board.start())], empty_cell: None }
    }
}

impl StateTask for FloodTask<'_> {
    fn with_spaces(&self, visit: SpaceVisitor<'_>) -> Result<()> {
        with_puzzle(self.board, WithSpaces(visit)).map_err(PuzzleError::invalid_position)?
    }

    fn move_names(&self, moves: &[MoveIndex]) -> Option<Vec<String>> {
        moves.iter().map(|&colour| self.board.symbols().get(usize::from(colour)).cloned()).collect()
    }

    fn moves_named(&self, names: &[String]) -> Vec<MoveIndex> {
        let colour = |name| self.board.symbols().iter().position(|symbol| symbol == name);
        names.iter().map_while(|name| MoveIndex::try_from(colour(name)?).ok()).collect()
    }
}

/// The bound named `name`; `None` selects the default. `Request::check` has refused the names of other puzzles.
fn bound_kind(name: Option<&BoundName>) -> BoundKind {
    name.and_then(|name| BoundKind::from_name(name.as_str())).unwrap_or_default()
}

/// Passes the search spaces of the board to `visit`.
struct WithSpaces<'a>(SpaceVisitor<'a>);

impl Visitor for WithSpaces<'_> {
    type Output = Result<()>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        (self.0)(&FloodSpaces(puzzle))
    }
}

/// The search spaces of one board with states of `W` words.
struct FloodSpaces<'p, const W: usize>(&'p FloodIt<W>);

impl<'p, const W: usize> SpaceFactory<'p> for FloodSpaces<'p, W> {
    fn space(&self, bound: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>> {
        Ok(Box::new(Problem::new(self.0, FloodBound::new(self.0, bound_kind(bound)))))
    }

    fn fast_space(&self) -> Box<dyn StateSpace + 'p> {
        Box::new(Problem::new(self.0, FloodBound::new(self.0, BoundKind::Layers)))
    }

    fn applicable_bounds(&self) -> Vec<&'static str> {
        BoundKind::ALL.map(BoundKind::name).to_vec()
    }
}
