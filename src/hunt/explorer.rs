//! Answers questions about the states of a run: a path from the start leads to a state, and the checkpoint of the run
//! says what became of the state and of its children.
//!
//! A lower bound lives only while the search spaces of a board are at hand
//! ([`StatePuzzle::with_spaces`](crate::puzzles::StatePuzzle)). So one thread holds the spaces and answers questions
//! over a channel. A run is only read: the explorer works beside a hunt, on a
//! file system without permission to write, and on runs of other users.

use super::explanation::{Costs, Explanation};
use super::explored::{ExploreError, ExploredState, PathStep};
use super::run::checkpoints_of;
use super::{Identities, RunState};
use crate::puzzles::{Position, Request, SpaceFactory};
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use gridhunt_boards::Board;
use gridhunt_search::checkpoint::{CheckpointError, CheckpointFiles, FoundRecords, StoredRecord, glance, look_up};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Snapshot, Solution};
use gridhunt_search::expand::{StateSpace, StateView};
use gridhunt_search::runtime::{Deadline, StopReason, StopToken};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The most moves of a path.
const MOST_MOVES: usize = 10_000;

/// The answers that are kept: pages go back and forth.
const MOST_ANSWERS: usize = 64;

/// An explorer of the states of one board of a run. Several threads may ask at the same time. The thread of the
/// explorer ends when the explorer is dropped.
#[derive(Debug)]
pub struct Explorer {
    identities: Identities,
    number: usize,
    /// `None` while the explorer is dropped.
    questions: Option<Sender<Question>>,
    stop: Arc<StopToken>,
    thread: Option<JoinHandle<()>>,
}

/// A path, and where the answer goes.
type Question = (Vec<usize>, Sender<Result<ExploredState, ExploreError>>);

impl Explorer {
    /// Opens a board of a run directory. Records are read for two minutes at most for each answer.
    ///
    /// # Errors
    /// When the directory cannot be read, or has no such board; when programs solve the board; when the lower bound
    /// does not apply to the board.
    pub fn open(run: &Path, number: usize) -> Result<Self, ExploreError> {
        Self::open_within(run, number, Duration::from_secs(120))
    }

    /// [`Explorer::open`] with another limit of time.
    ///
    /// # Errors
    /// As [`Explorer::open`].
    pub fn open_within(run: &Path, number: usize, limit: Duration) -> Result<Self, ExploreError> {
        let (explored, identities) = ExploredBoard::read(run, number)?;
        let (questions, received) = unbounded();
        let (ready, is_ready) = bounded(1);
        let stop = Arc::new(StopToken::new());
        let of_thread = Arc::clone(&stop);
        let name = "explorer".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            explored.serve(&received, &ready, limit, &of_thread);
        });
        let thread = thread.map_err(|error| super::HuntError::Threads { threads: 1, reason: error.to_string() })?;
        let explorer = Self { identities, number, questions: Some(questions), stop, thread: Some(thread) };
        // The thread drops its end without a word only if it panicked.
        is_ready.recv().unwrap_or(Err(ExploreError::Ended { number })).map(|()| explorer)
    }

    /// Whether the run was not edited since.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.identities.are_current()
    }

    /// The state at the end of a path. Each step of the path is the place of a child among the children of the state
    /// before, from 0. Without steps, the state is the start.
    ///
    /// # Errors
    /// When a step names a child that does not exist; when the checkpoint cannot be read, or reading it takes too long.
    pub fn state(&self, path: &[usize]) -> Result<ExploredState, ExploreError> {
        let ended = || ExploreError::Ended { number: self.number };
        let (sender, answer) = bounded(1);
        let questions = self.questions.as_ref().ok_or_else(ended)?;
        questions.send((path.to_vec(), sender)).map_err(|_| ended())?;
        answer.recv().map_err(|_| ended())?
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        self.stop.stop(StopReason::Interrupted);
        self.questions = None;
        // A panic of the thread was answered with an error.
        self.thread.take().map(JoinHandle::join);
    }
}

/// The board of a run that is explored.
struct ExploredBoard {
    run: PathBuf,
    number: usize,
    board: Board,
    request: Request,
    /// The cost of the best solution that results and events name; [`Cost::MAX`] without one.
    upper: Cost,
}

impl ExploredBoard {
    fn read(run: &Path, number: usize) -> Result<(Self, Identities), ExploreError> {
        let state = RunState::read(run)?;
        let (request, board) = (state.config.request(), state.board(number)?.board);
        let domain = request.domain;
        domain.with_states()?;
        domain.check_board(&board, &request)?;
        let upper = best_cost(&state, number, &board, &request);
        Ok((Self { run: run.to_owned(), number, board, request, upper }, state.identities))
    }

    /// Makes the lower bound, says so, and answers questions until no more can come.
    fn serve(
        &self,
        questions: &Receiver<Question>,
        ready: &Sender<Result<(), ExploreError>>,
        limit: Duration,
        stop: &StopToken,
    ) {
        let mut serve = |spaces: &dyn SpaceFactory<'_>| {
            let space = spaces.space(self.request.bound.as_ref())?;
            let mut guide = Guide { space: &*space, answers: VecDeque::new(), stamp: None, limit, stop };
            let _ = ready.send(Ok(()));
            for (path, answer) in questions {
                // Whoever asked may be gone.
                let _ = answer.send(self.answer(&mut guide, &path));
            }
            Ok(())
        };
        let states = self.request.domain.with_states();
        let served = states.and_then(|states| states.with_spaces(&self.board, &self.request, &mut serve));
        if let Err(error) = served {
            let _ = ready.send(Err(error.into()));
        }
    }

    /// The answer of before, if the checkpoints are the same; otherwise a new one.
    fn answer(&self, guide: &mut Guide<'_>, path: &[usize]) -> Result<ExploredState, ExploreError> {
        if path.len() > MOST_MOVES {
            return Err(ExploreError::TooLong { found: path.len(), most: MOST_MOVES });
        }
        let stamp = self.stamp();
        if stamp != guide.stamp {
            guide.answers.clear();
        }
        if let Some((_, state)) = guide.answers.iter().find(|(held, _)| held == path) {
            return Ok(state.clone());
        }
        let state = self.new_answer(guide, path)?;
        // A checkpoint that came meanwhile may be in the answer, or not.
        if stamp.is_some() && self.stamp() == stamp {
            guide.stamp = stamp;
            guide.answers.truncate(MOST_ANSWERS - 1);
            guide.answers.push_front((path.to_vec(), state.clone()));
        }
        Ok(state)
    }

    /// Which checkpoints there are; `None` if none can be read.
    fn stamp(&self) -> Option<Vec<[u64; 4]>> {
        let files = checkpoints_of(&self.run, self.number, &self.board, &self.request);
        let stamp = |files: &CheckpointFiles| {
            glance(files).map(|found| [found.sequence, found.time, found.records, found.bytes]).ok()
        };
        files.iter().map(stamp).collect()
    }

    fn new_answer(&self, guide: &Guide<'_>, path: &[usize]) -> Result<ExploredState, ExploreError> {
        let view = StateView::along(guide.space, path)?;
        let found = self.look_up(&view, guide)?;
        let mut upper = self.upper;
        if let Some(snapshot) = found.as_ref().and_then(|found| Snapshot::decode(&found.payload).ok()) {
            upper = snapshot.incumbent.map_or(upper, |incumbent| upper.min(incumbent.cost));
        }
        self.explain(guide.space, &view, found, upper)
    }

    /// The records of a state and of its children, in the newest checkpoint that has records.
    fn look_up(&self, view: &StateView, guide: &Guide<'_>) -> Result<Option<CheckpointRecords>, ExploreError> {
        let keys: Vec<&[u8]> =
            std::iter::once(&*view.key).chain(view.children.iter().map(|child| &*child.key)).collect();
        let limit = guide.limit;
        let deadline = Deadline::after(Some(limit));
        for files in checkpoints_of(&self.run, self.number, &self.board, &self.request) {
            let goes_on = |_: u64| !deadline.passed() && guide.stop.reason().is_none();
            match look_up(&files, &keys, &goes_on) {
                Ok(FoundRecords { sequence, payload, records: Some(records), .. }) => {
                    return Ok(Some(CheckpointRecords { sequence, payload, records }));
                }
                // IDA* stores no states.
                Ok(_) => {}
                // The search has ended since.
                Err(CheckpointError::NoCheckpoint { reasons, .. }) if reasons.is_empty() => {}
                Err(CheckpointError::Interrupted { .. }) if guide.stop.reason().is_none() => {
                    return Err(ExploreError::Late { limit });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    fn explain(
        &self,
        space: &dyn StateSpace,
        view: &StateView,
        found: Option<CheckpointRecords>,
        upper: Cost,
    ) -> Result<ExploredState, ExploreError> {
        let (board, request) = (&self.board, &self.request);
        let (moves, costs): (Vec<MoveIndex>, Vec<Cost>) = view.path.iter().copied().unzip();
        let Position { board, frame, moves } = request.domain.with_states()?.position_after(board, request, &moves)?;
        let path = moves.into_iter().zip(costs).map(|(mv, g)| PathStep { mv, g }).collect();
        let moves: Vec<MoveIndex> = view.children.iter().map(|child| child.mv).collect();
        let names = request.domain.with_states()?.move_names(&board, request, &moves)?;
        let mut explanation = Explanation::new(space, view, found.as_ref().map(|found| &found.records[..]), upper);
        let (record, Costs { g, h, f, goal, stop, stored_g }) = explanation.state();
        let children = names.into_iter().enumerate().filter_map(|(index, mv)| explanation.child(index, mv)).collect();
        let checkpoint = found.as_ref().map(|found| found.sequence);
        let incumbent = (upper < Cost::MAX).then_some(upper);
        Ok(ExploredState { checkpoint, path, frame, board, g, h, f, goal, stop, record, stored_g, incumbent, children })
    }
}

/// The records of a checkpoint.
struct CheckpointRecords {
    sequence: u64,
    payload: Vec<u8>,
    records: Vec<Option<StoredRecord>>,
}

/// The cost of the best solution in results and events about this board; [`Cost::MAX`] without one.
fn best_cost(state: &RunState, number: usize, board: &Board, request: &Request) -> Cost {
    let (result, begun) = (state.finished.get(&number), state.history.begun.get(&number));
    let found = begun.and_then(|begun| {
        let solution = Solution { cost: begun.incumbent?, moves: begun.moves.clone() };
        request.domain.replay(board, request, &solution).is_ok().then_some(solution.cost)
    });
    result.and_then(|result| result.cost).into_iter().chain(found).min().unwrap_or(Cost::MAX)
}

/// What an explorer holds between two questions.
struct Guide<'a> {
    /// The space with the lower bound of the run.
    space: &'a dyn StateSpace,
    /// The last answers, the newest first, and the checkpoints that they are from.
    answers: VecDeque<(Vec<usize>, ExploredState)>,
    stamp: Option<Vec<[u64; 4]>>,
    /// The longest time to read records for one answer.
    limit: Duration,
    stop: &'a StopToken,
}
