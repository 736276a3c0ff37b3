//! Boards dealt out to ranks: each board is searched by one thread of one rank, and the leader reports all results.
//!
//! Every rank has as many *slots* as it has threads. The leader runs a batch of boards side by side with as many
//! searches as all ranks have slots. A search that gets a slot of another rank sends the board there and waits. One
//! thread of the leader receives events and outcomes for all searches that wait. So order of results, limits, strictness
//! and records in a run directory are those of a batch on one process. Two things differ: a panic ends all ranks, and
//! only boards that the leader searches itself have checkpoints.
//!
//! A rank sends what its search found, not a report: the leader replays each solution. If a rank sends no outcome, the
//! leader searches the board itself, and so finds the error again.
//!
//! Messages are parcels of the exchange, and may overtake each other. At the end each rank says how many it has sent to
//! each other rank, and takes in as many as were sent to it. So no parcel is left over for a later search. Messages do
//! not wait for room: they are few, and much shorter than a search.

use super::sent::{entry_of, or_end, written};
use super::solve::{check, search, solve_by, solve_task};
use super::task::Task;
use super::{Held, HuntError, Report, memory};
use crate::puzzles::Request;
use gridhunt_boards::Board;
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Outcome, Solution};
use gridhunt_search::runtime::{Event, Exchange, Observer, StopReason, StopToken, message_of};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What the leader sends to another rank.
#[derive(Debug, Serialize, Deserialize)]
enum ToRank {
    /// Search this board, in the format `json`, from a known solution if there is one.
    Search { search_id: u64, board: Vec<u8>, known: Option<Solution> },
    /// Stop all searches.
    Stop,
    /// No further board comes.
    End,
}

/// What another rank sends to the leader.
#[derive(Debug, Serialize, Deserialize)]
enum ToLeader {
    /// An event of the search of a board.
    Event { search_id: u64, event: SentEvent },
    /// The end of the search of a board; without an outcome, the rank could not search it.
    End { search_id: u64, outcome: Option<Box<Outcome>>, peak_memory_bytes: Option<u64> },
    /// A signal has asked the rank to stop.
    Stop,
}

/// An event that reports and run directories need.
#[derive(Debug, Serialize, Deserialize)]
enum SentEvent {
    LowerBound(Cost),
    Incumbent { cost: Cost, moves: Vec<MoveIndex> },
    Note(String),
}

impl SentEvent {
    fn of(event: &Event<'_>) -> Option<Self> {
        match event {
            Event::LowerBound(cost) => Some(Self::LowerBound(*cost)),
            Event::Incumbent { cost, moves } => Some(Self::Incumbent { cost: *cost, moves: moves.to_vec() }),
            Event::Note(text) => Some(Self::Note((*text).to_owned())),
            _ => None,
        }
    }

    fn forward(&self, observer: &dyn Observer) {
        observer.observe(&match self {
            Self::LowerBound(cost) => Event::LowerBound(*cost),
            Self::Incumbent { cost, moves } => Event::Incumbent { cost: *cost, moves },
            Self::Note(text) => Event::Note(text),
        });
    }
}

/// Sends messages and counts them.
#[derive(Debug)]
struct Messages<'x> {
    exchange: &'x Exchange,
    /// The number of messages to each rank.
    sent: Vec<AtomicU64>,
    received: AtomicU64,
}

impl<'x> Messages<'x> {
    fn new(exchange: &'x Exchange) -> Self {
        let sent = (0..exchange.ranks()).map(|_| AtomicU64::new(0)).collect();
        Self { exchange, sent, received: AtomicU64::new(0) }
    }

    fn send(&self, to: usize, message: &impl Serialize) {
        self.sent[to].fetch_add(1, Relaxed);
        self.exchange.ship(to, message_of(message));
    }

    /// Waits for a message; none if `is_over` is true before one comes.
    fn take<T: for<'de> Deserialize<'de>>(&self, is_over: &dyn Fn() -> bool) -> Option<T> {
        let parcel = self.exchange.wait_for_parcel(is_over)?;
        self.received.fetch_add(1, Relaxed);
        let message = parcel.read();
        if message.is_none() {
            self.exchange.abort("found a parcel of an unknown kind: the ranks run different programs");
        }
        message
    }

    /// Takes in what is still under way, on all ranks. To be called by all ranks when none sends any more.
    fn drain(&self) {
        let sent: Vec<u64> = self.sent.iter().map(|sent| sent.load(Relaxed)).collect();
        let all = self.exchange.agree_on(&sent);
        let to_this: u64 = all.iter().filter_map(|sent| sent.get(self.exchange.rank())).sum();
        while self.received.load(Relaxed) < to_this {
            // Late events and stops no longer matter.
            drop(self.exchange.wait_for_parcel(&|| false));
            self.received.fetch_add(1, Relaxed);
        }
    }
}

/// The slots of all ranks that no search uses.
#[derive(Debug)]
struct Slots {
    free: Mutex<VecDeque<usize>>,
    given_back: Condvar,
}

impl Slots {
    /// `per_rank[r]` slots of each rank r, the ranks in turn.
    fn new(per_rank: &[u64]) -> Self {
        let most = per_rank.iter().copied().max().unwrap_or(0);
        let turn = |slot: u64| (0..per_rank.len()).filter(move |&rank| slot < per_rank[rank]);
        Self { free: Mutex::new((0..most).flat_map(turn).collect()), given_back: Condvar::new() }
    }

    fn free(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a free slot. There are as many slots as callers, so one is free; with `leader_only`, waits for a slot of the
    /// leader.
    fn take(&self, leader_only: bool) -> Slot<'_> {
        let mut free = self.free();
        loop {
            let index = free.iter().position(|&rank| !leader_only || rank == 0);
            if let Some(rank) = index.and_then(|index| free.remove(index)) {
                return Slot { rank, slots: self };
            }
            free = self.given_back.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A slot in use. Dropping it gives it back.
struct Slot<'s> {
    rank: usize,
    slots: &'s Slots,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.slots.free().push_back(self.rank);
        self.slots.given_back.notify_all();
    }
}

/// The searches that wait for answers of other ranks, by their places.
#[derive(Debug, Default)]
struct Pending {
    waiting: BTreeMap<u64, Sender<ToLeader>>,
    last_id: u64,
    /// Whether no answer comes any more.
    is_closed: bool,
}

/// Deals boards out to all ranks.
#[derive(Debug)]
pub(super) struct Dealer<'x> {
    messages: Messages<'x>,
    slots: Slots,
    pending: Mutex<Pending>,
    /// The number of slots of the other ranks.
    pub(super) elsewhere: usize,
}

/// Runs a batch on the leader, whose searches are dealt out to all ranks. The leader has `threads` slots. The other
/// ranks call [`serve_boards`] meanwhile.
pub(super) fn deal<T>(
    exchange: &Exchange,
    threads: usize,
    stop: &StopToken,
    batch: impl FnOnce(&Dealer<'_>) -> T,
) -> T {
    let slots = exchange.agree_on(&(threads as u64));
    let elsewhere = slots.iter().skip(1).sum::<u64>() as usize;
    let dealer =
        Dealer { messages: Messages::new(exchange), slots: Slots::new(&slots), pending: Mutex::default(), elsewhere };
    let is_over = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        let receiver = scope.spawn(|| dealer.receive_answers(stop, &is_over));
        let over = SetOnDrop(&is_over);
        let result = batch(&dealer);
        drop(over);
        receiver.join().unwrap_or_else(|panic| resume_unwind(panic));
        result
    });
    dealer.tell_all(&ToRank::End);
    dealer.messages.drain();
    result
}

/// Sets a flag when it is dropped, after a panic too.
struct SetOnDrop<'f>(&'f AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// After a panic of the receiver, makes all searches fail that wait for an answer.
struct CloseOnDrop<'d>(&'d Mutex<Pending>);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.is_closed = true;
        pending.waiting.clear();
    }
}

impl Dealer<'_> {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_all(&self, errand: &ToRank) {
        (1..self.messages.exchange.ranks()).for_each(|rank| self.messages.send(rank, errand));
    }

    /// The work of the receiver: hands answers to the searches that wait for them, and tells all ranks to stop.
    fn receive_answers(&self, stop: &StopToken, is_over: &AtomicBool) {
        let _closing = CloseOnDrop(&self.pending);
        let mut stop_sent = false;
        while !is_over.load(Relaxed) {
            let is_stopped = || stop.reason().is_some();
            if is_stopped() && !stop_sent {
                stop_sent = true;
                self.tell_all(&ToRank::Stop);
            }
            match self.messages.take(&|| is_over.load(Relaxed) || is_stopped() && !stop_sent) {
                Some(ToLeader::Stop) => stop.stop(StopReason::Interrupted),
                Some(answer @ (ToLeader::Event { search_id, .. } | ToLeader::End { search_id, .. })) => {
                    let mut pending = self.pending();
                    let is_end = matches!(answer, ToLeader::End { .. });
                    // An event that its board's end has overreceived has no reader any more.
                    let _ = pending.waiting.get(&search_id).map(|search| search.send(answer));
                    if is_end {
                        pending.waiting.remove(&search_id);
                    }
                }
                None => {}
            }
        }
    }

    /// Searches a board on a rank that is free. A panic ends all ranks.
    ///
    /// # Errors
    /// As [`solve_from`](super::solve_from).
    pub(super) fn solve(&self, task: &Task<'_>) -> Result<Report, HuntError> {
        or_end(self.messages.exchange, || self.solve_where_free(task))
    }

    fn solve_where_free(&self, task: &Task<'_>) -> Result<Report, HuntError> {
        // A checkpoint lies on the leader's disk.
        let slot = self.slots.take(task.keep.is_some_and(|keep| keep.resume));
        if slot.rank == 0 {
            return solve_task(task, None);
        }
        let mut peak = None;
        let mut report = solve_by(task, |observer| match self.search_on(slot.rank, task, observer)? {
            Some((outcome, bytes)) => {
                peak = bytes;
                Ok(outcome)
            }
            None => search(task, observer, None),
        })?;
        if let Some(bytes) = peak {
            report.peak_memory_bytes = bytes;
        }
        Ok(report)
    }

    /// Searches a board on another rank, and waits for the end. Returns the outcome, and the peak memory of the rank if
    /// it is known. `None` if the rank has no outcome.
    fn search_on(
        &self,
        rank: usize,
        task: &Task<'_>,
        observer: &dyn Observer,
    ) -> Result<Option<(Outcome, Option<u64>)>, HuntError> {
        let ended = || HuntError::Ranks { reason: "the exchange has ended".to_owned() };
        let board = written(task.board)?;
        let (send, answers) = channel();
        let search_id = {
            let mut pending = self.pending();
            if pending.is_closed {
                return Err(ended());
            }
            pending.last_id += 1;
            let search_id = pending.last_id;
            pending.waiting.insert(search_id, send);
            search_id
        };
        self.messages.send(rank, &ToRank::Search { search_id, board, known: task.known.cloned() });
        loop {
            match answers.recv().map_err(|_| ended())? {
                ToLeader::Event { event, .. } => event.forward(observer),
                ToLeader::End { outcome, peak_memory_bytes, .. } => {
                    return Ok(outcome.map(|outcome| (*outcome, peak_memory_bytes)));
                }
                ToLeader::Stop => {}
            }
        }
    }
}

/// The work of a rank that does not lead: searches the boards that the leader deals to it, until no further one comes.
/// `stop` stops all searches, on all ranks.
pub(super) fn serve_boards(exchange: &Exchange, request: &Request, stop: &StopToken) {
    let threads = request.threads.max(1);
    exchange.agree_on(&(threads as u64));
    let (messages, share) = (&Messages::new(exchange), &request.share(threads));
    std::thread::scope(|scope| {
        let mut stop_sent = false;
        loop {
            let is_stopped = || stop.reason().is_some();
            match messages.take(&|| is_stopped() && !stop_sent) {
                Some(ToRank::Search { search_id, board, known }) => {
                    scope.spawn(move || {
                        or_end(exchange, || search_dealt(messages, share, stop, search_id, &board, known.as_ref()))
                    });
                }
                Some(ToRank::Stop) => {
                    stop_sent = true;
                    stop.stop(StopReason::Interrupted);
                }
                Some(ToRank::End) => break,
                None => {
                    stop_sent = true;
                    messages.send(0, &ToLeader::Stop);
                }
            }
        }
    });
    messages.drain();
}

/// Searches a board, and sends the leader what was found.
fn search_dealt(
    messages: &Messages<'_>,
    request: &Request,
    stop: &StopToken,
    search_id: u64,
    board: &[u8],
    known: Option<&Solution>,
) {
    let observer = &EventSender { messages, search_id };
    let search = |board: &Board| {
        let task = Task { board, request, known, held: &Held::default(), observer, stop, keep: None };
        check(&task).and_then(|()| search(&task, observer, None))
    };
    let outcome = entry_of(board).and_then(|entry| search(&entry.board)).ok().map(Box::new);
    let peak_memory_bytes = memory::peak_resident();
    messages.send(0, &ToLeader::End { search_id, outcome, peak_memory_bytes });
}

/// Sends the events of a search to the leader.
struct EventSender<'p> {
    messages: &'p Messages<'p>,
    search_id: u64,
}

impl Observer for EventSender<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Some(event) = SentEvent::of(event) {
            self.messages.send(0, &ToLeader::Event { search_id: self.search_id, event });
        }
    }
}
