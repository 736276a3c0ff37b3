//! Explorers of states that somebody uses.

use super::answer::StateView;
use super::positions::{NotSolved, Positions};
use super::served_run::ServedRun;
use crate::hunt::{ExploreError, Explorer};
use crate::report::film::Film;
use crate::report::page::{FilmView, SolvedView};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most explorers at a time: each holds a thread.
const MOST: usize = 3;

/// How long an explorer is kept that nobody uses.
const IDLE_LIMIT: Duration = Duration::from_secs(120);

/// How long one answer may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The server has too much to do.
fn busy(why: &str) -> NotExplored {
    NotExplored::Failed(format!("{why}; ask again later"))
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NotExplored {
    /// There is no such state.
    Wrong(String),
    /// The state cannot be shown now.
    Failed(String),
}

impl From<ExploreError> for NotExplored {
    fn from(error: ExploreError) -> Self {
        let is_wrong = error.is_wrong_question();
        if is_wrong { Self::Wrong(error.to_string()) } else { Self::Failed(error.to_string()) }
    }
}

/// The run and the number of a board.
type BoardOfRun = (String, usize);

/// The explorer of a board, once it is open.
type Slot = Arc<Mutex<Option<Arc<Explorer>>>>;

/// Slots by run and board, with the time at which they were used last.
type Slots = BTreeMap<BoardOfRun, (Instant, Slot)>;

/// Explorers by run and board.
#[derive(Debug, Default)]
pub(super) struct Explorers(Mutex<Slots>);

/// Whether nobody uses a slot now.
fn is_idle((_, slot): &(Instant, Slot)) -> bool {
    Arc::strong_count(slot) == 1
}

impl Explorers {
    /// The place for the explorer of a board.
    ///
    /// # Errors
    /// When all other places are in use.
    fn slot(&self, place: &BoardOfRun) -> Result<Slot, NotExplored> {
        let mut slots = self.0.lock();
        let mut ended = None;
        if !slots.contains_key(place) && slots.len() >= MOST {
            let idle = slots.iter().filter(|(_, slot)| is_idle(slot));
            let oldest = idle.min_by_key(|(_, (used, _))| *used).map(|(place, _)| place.clone());
            let oldest = oldest.ok_or_else(|| busy(&format!("the states of {MOST} other boards are being read")))?;
            ended = slots.remove(&oldest);
        }
        let (used, slot) = slots.entry(place.clone()).or_insert_with(|| (Instant::now(), Slot::default()));
        *used = Instant::now();
        let slot = Arc::clone(slot);
        drop(slots);
        // The end of an explorer waits for its thread, and others need the lock.
        drop(ended);
        Ok(slot)
    }

    /// Asks the explorer of a board. The first question opens it, which takes as long as the bound needs; further
    /// questions about the board are refused meanwhile.
    fn ask<T>(
        &self,
        run: &ServedRun,
        number: usize,
        question: impl FnOnce(&Explorer) -> Result<T, NotExplored>,
    ) -> Result<T, NotExplored> {
        let wrong = || NotExplored::Wrong("a file of rows has no states".to_owned());
        let (folder, place) = (run.folder().ok_or_else(wrong)?, (run.id.clone(), number));
        let slot = self.slot(&place)?;
        let explorer = {
            let Some(mut open) = slot.try_lock() else {
                return Err(busy("the lower bound of the board is being prepared"));
            };
            match &*open {
                Some(explorer) if explorer.is_current() => Arc::clone(explorer),
                _ => Arc::clone(open.insert(Arc::new(Explorer::open_within(folder, number, LIMIT)?))),
            }
        };
        let answer = question(&explorer);
        if let Some((used, _)) = self.0.lock().get_mut(&place) {
            *used = Instant::now();
        }
        answer
    }

    /// Ends explorers that nobody uses.
    pub(super) fn tidy(&self) {
        let ended: Vec<_> =
            self.0.lock().extract_if(.., |_, slot| is_idle(slot) && slot.0.elapsed() > IDLE_LIMIT).collect();
        drop(ended);
    }

    /// A state of a board, by the indexes of the moves that lead there.
    pub(super) fn state(&self, run: &ServedRun, number: usize, moves: &[usize]) -> Result<StateView, NotExplored> {
        let state = self.ask(run, number, |explorer| Ok(explorer.state(moves)?))?;
        let frame = FilmView::of(&Film::new(&state.board, vec![state.frame.clone()]));
        Ok(StateView { frame, state })
    }

    /// Solves a state of a board, unless its solution is known.
    pub(super) fn solve(
        &self,
        positions: &Positions,
        run: &ServedRun,
        number: usize,
        moves: &[usize],
    ) -> Result<Result<SolvedView, NotSolved>, NotExplored> {
        let state = self.ask(run, number, |explorer| Ok(explorer.state(moves)?))?;
        let request = run.state().map_err(NotExplored::Failed)?.config.request();
        Ok(match positions.find(&state.board, &request) {
            Some(solved) => Ok(solved),
            None => positions.turn().and_then(|turn| turn.solve(&state.board, &request)),
        })
    }
}
