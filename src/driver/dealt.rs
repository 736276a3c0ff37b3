//! Boards dealt out to ranks: each board is searched by one thread of one rank, and the leader reports all results.
//!
//! Every rank has as many *slots* as it has threads. The leader runs a batch of boards side by side with as many
//! searches as all ranks have slots. A search that gets a slot of another rank sends the board there and waits; one
//! thread of the leader, the *postman*, brings events and outcomes back. So order of results, limits, strictness and
//! records in a run directory are those of a batch on one process.
//!
//! A rank sends what its search found, not a report: the leader replays each solution. A board that a rank refuses is
//! searched on the leader, which finds the error again.
//!
//! Messages are parcels of the exchange, and may overtake each other. At the end each rank says how many it has sent to
//! each other rank, and takes in as many as were sent to it. So no parcel is left over for a later search.

use super::sent::{entry_of, or_end, written};
use super::solve::{check, search, solve_by, solve_task};
use super::task::Task;
use super::{DriverError, Held, Report, Request, memory};
use crate::board::Board;
use crate::domain::{Cost, MoveIndex};
use crate::engine::{Outcome, Solution};
use crate::runtime::{Event, Exchange, Observer, StopReason, StopToken, empty_message};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What the leader sends to another rank.
#[derive(Debug, Serialize, Deserialize)]
enum Errand {
    /// Search this board, in the format `json`, from a known solution if there is one.
    Search { place: u64, board: Vec<u8>, known: Option<Solution> },
    /// Stop all searches.
    Stop,
    /// No further board comes.
    End,
}

/// What another rank sends to the leader.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    /// An event of the search of a board.
    Event { place: u64, event: Told },
    /// The end of the search of a board; without an outcome, the rank has refused the board.
    End { place: u64, outcome: Option<Box<Outcome>>, peak_memory_bytes: u64 },
    /// A signal has asked the rank to stop.
    Stop,
}

/// An event that reports and run directories need.
#[derive(Debug, Serialize, Deserialize)]
enum Told {
    LowerBound(Cost),
    Incumbent { cost: Cost, moves: Vec<MoveIndex> },
    Note(String),
}

impl Told {
    fn new(event: &Event<'_>) -> Option<Self> {
        match event {
            Event::LowerBound(cost) => Some(Self::LowerBound(*cost)),
            Event::Incumbent { cost, moves } => Some(Self::Incumbent { cost: *cost, moves: moves.to_vec() }),
            Event::Note(text) => Some(Self::Note((*text).to_owned())),
            _ => None,
        }
    }

    fn tell(&self, observer: &dyn Observer) {
        observer.observe(&match self {
            Self::LowerBound(cost) => Event::LowerBound(*cost),
            Self::Incumbent { cost, moves } => Event::Incumbent { cost: *cost, moves },
            Self::Note(text) => Event::Note(text),
        });
    }
}

/// Sends messages and counts them.
#[derive(Debug)]
struct Post<'x> {
    exchange: &'x Exchange,
    /// The number of messages to each rank.
    sent: Vec<AtomicU64>,
    taken: AtomicU64,
}

impl<'x> Post<'x> {
    fn new(exchange: &'x Exchange) -> Self {
        let sent = (0..exchange.ranks()).map(|_| AtomicU64::new(0)).collect();
        Self { exchange, sent, taken: AtomicU64::new(0) }
    }

    fn send(&self, to: usize, message: &impl Serialize) {
        let mut bytes = empty_message();
        // Writing to memory fails only if a value cannot be written at all, which holds for none of these.
        let _ = bincode::serde::encode_into_std_write(message, &mut bytes, bincode::config::standard());
        self.sent[to].fetch_add(1, Relaxed);
        self.exchange.ship(to, bytes);
    }

    /// Waits for a message; none if `is_over` is true before one comes.
    fn take<T: for<'de> Deserialize<'de>>(&self, is_over: &dyn Fn() -> bool) -> Option<T> {
        let parcel = self.exchange.wait_for_parcel(is_over)?;
        self.taken.fetch_add(1, Relaxed);
        let message = bincode::serde::decode_from_slice(parcel.bytes(), bincode::config::standard());
        if message.is_err() {
            self.exchange.abort("found a parcel of an unknown kind: the ranks run different programs");
        }
        message.ok().map(|(message, _)| message)
    }

    /// Takes in what is still under way, on all ranks. To be called by all ranks when none sends any more.
    fn settle(&self) {
        let sent: Vec<u64> = self.sent.iter().map(|sent| sent.load(Relaxed)).collect();
        let all = self.exchange.agree_on(&sent);
        let to_this: u64 = all.iter().filter_map(|sent| sent.get(self.exchange.rank())).sum();
        while self.taken.load(Relaxed) < to_this {
            // What comes now is about boards that are done.
            drop(self.exchange.wait_for_parcel(&|| false));
            self.taken.fetch_add(1, Relaxed);
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
    /// So many slots for each rank, in turn.
    fn new(of: &[u64]) -> Self {
        let most = of.iter().copied().max().unwrap_or(0);
        let turn = |slot: u64| (0..of.len()).filter(move |&rank| slot < of[rank]);
        Self { free: Mutex::new((0..most).flat_map(turn).collect()), given_back: Condvar::new() }
    }

    fn free(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot, of the leader if `here`. There are as many slots as callers, so one is free unless `here`.
    fn take(&self, here: bool) -> Slot<'_> {
        let mut free = self.free();
        loop {
            let place = free.iter().position(|&rank| !here || rank == 0);
            if let Some(rank) = place.and_then(|place| free.remove(place)) {
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
struct Desk {
    waiting: BTreeMap<u64, Sender<Answer>>,
    next: u64,
    /// Whether no answer comes any more.
    is_closed: bool,
}

/// Deals boards out to all ranks.
#[derive(Debug)]
pub(super) struct Dealer<'x> {
    post: Post<'x>,
    slots: Slots,
    desk: Mutex<Desk>,
    /// The number of slots of the other ranks.
    pub(super) elsewhere: usize,
}

/// Runs a batch on the leader, whose searches are dealt out to all ranks. The leader has `threads` slots. The other
/// ranks call [`take_part`] meanwhile.
pub(super) fn deal<T>(
    exchange: &Exchange,
    threads: usize,
    stop: &StopToken,
    batch: impl FnOnce(&Dealer<'_>) -> T,
) -> T {
    let slots = exchange.agree_on(&(threads as u64));
    let elsewhere = slots.iter().skip(1).sum::<u64>() as usize;
    let dealer = Dealer { post: Post::new(exchange), slots: Slots::new(&slots), desk: Mutex::default(), elsewhere };
    let is_over = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        let postman = scope.spawn(|| dealer.carry(stop, &is_over));
        let over = Over(&is_over);
        let result = batch(&dealer);
        drop(over);
        postman.join().unwrap_or_else(|panic| resume_unwind(panic));
        result
    });
    dealer.tell_all(&Errand::End);
    dealer.post.settle();
    result
}

/// Sets a flag when it is dropped, after a panic too.
struct Over<'f>(&'f AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Lets searches fail that wait for answers after the postman has ended.
struct Closing<'d>(&'d Mutex<Desk>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut desk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        desk.is_closed = true;
        desk.waiting.clear();
    }
}

impl Dealer<'_> {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_all(&self, errand: &Errand) {
        (1..self.post.exchange.ranks()).for_each(|rank| self.post.send(rank, errand));
    }

    /// The work of the postman: carries answers to the searches that wait for them, and a request to stop to all ranks.
    fn carry(&self, stop: &StopToken, is_over: &AtomicBool) {
        let _closing = Closing(&self.desk);
        let mut has_told = false;
        while !is_over.load(Relaxed) {
            let is_stopped = || stop.reason().is_some();
            if is_stopped() && !has_told {
                has_told = true;
                self.tell_all(&Errand::Stop);
            }
            match self.post.take(&|| is_over.load(Relaxed) || is_stopped() && !has_told) {
                Some(Answer::Stop) => stop.stop(StopReason::Interrupted),
                Some(answer @ (Answer::Event { place, .. } | Answer::End { place, .. })) => {
                    let mut desk = self.desk();
                    let is_end = matches!(answer, Answer::End { .. });
                    // An event that its board's end has overtaken has no reader any more.
                    let _ = desk.waiting.get(&place).map(|search| search.send(answer));
                    if is_end {
                        desk.waiting.remove(&place);
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
    pub(super) fn solve(&self, task: &Task<'_>) -> Result<Report, DriverError> {
        or_end(self.post.exchange, || self.solve_where_free(task))
    }

    fn solve_where_free(&self, task: &Task<'_>) -> Result<Report, DriverError> {
        // A checkpoint lies on the leader's disk.
        let slot = self.slots.take(task.keep.is_some_and(|keep| keep.resume));
        if slot.rank == 0 {
            return solve_task(task, None);
        }
        let mut peak = 0;
        let mut report = solve_by(task, |observer| {
            let (outcome, bytes) = self.search_on(slot.rank, task, observer)?;
            peak = bytes;
            outcome.map_or_else(|| search(task, observer, None), Ok)
        })?;
        if peak > 0 {
            report.peak_memory_bytes = peak;
        }
        Ok(report)
    }

    /// Has a board searched on another rank. Returns its outcome, if the rank did not refuse it, and the peak memory of
    /// the rank.
    fn search_on(
        &self,
        rank: usize,
        task: &Task<'_>,
        observer: &dyn Observer,
    ) -> Result<(Option<Outcome>, u64), DriverError> {
        let ended = || DriverError::Ranks { reason: "the exchange has ended".to_owned() };
        let board = written(task.board)?;
        let (send, answers) = channel();
        let place = {
            let mut desk = self.desk();
            if desk.is_closed {
                return Err(ended());
            }
            desk.next += 1;
            let place = desk.next;
            desk.waiting.insert(place, send);
            place
        };
        self.post.send(rank, &Errand::Search { place, board, known: task.known.cloned() });
        loop {
            match answers.recv().map_err(|_| ended())? {
                Answer::Event { event, .. } => event.tell(observer),
                Answer::End { outcome, peak_memory_bytes, .. } => {
                    return Ok((outcome.map(|outcome| *outcome), peak_memory_bytes));
                }
                Answer::Stop => {}
            }
        }
    }
}

/// The work of a rank that does not lead: searches the boards that the leader deals to it, until no further one comes.
/// `stop` stops all searches, on all ranks.
pub(super) fn take_part(exchange: &Exchange, request: &Request, stop: &StopToken) {
    let threads = request.threads.max(1);
    exchange.agree_on(&(threads as u64));
    let (post, share) = (&Post::new(exchange), &request.share(threads));
    std::thread::scope(|scope| {
        let mut has_told = false;
        loop {
            let is_stopped = || stop.reason().is_some();
            match post.take(&|| is_stopped() && !has_told) {
                Some(Errand::Search { place, board, known }) => {
                    scope.spawn(move || {
                        or_end(exchange, || search_dealt(post, share, stop, place, &board, known.as_ref()))
                    });
                }
                Some(Errand::Stop) => {
                    has_told = true;
                    stop.stop(StopReason::Interrupted);
                }
                Some(Errand::End) => break,
                None => {
                    has_told = true;
                    post.send(0, &Answer::Stop);
                }
            }
        }
    });
    post.settle();
}

/// Searches a board, and sends the leader what was found.
fn search_dealt(
    post: &Post<'_>,
    request: &Request,
    stop: &StopToken,
    place: u64,
    board: &[u8],
    known: Option<&Solution>,
) {
    let observer = &Teller { post, place };
    let search = |board: &Board| {
        let task = Task { board, request, known, held: &Held::default(), observer, stop, keep: None };
        check(&task).and_then(|()| search(&task, observer, None))
    };
    let outcome = entry_of(board).and_then(|entry| search(&entry.board)).ok().map(Box::new);
    let peak_memory_bytes = memory::peak_resident().unwrap_or(0);
    post.send(0, &Answer::End { place, outcome, peak_memory_bytes });
}

/// Sends the events of a search to the leader.
struct Teller<'p> {
    post: &'p Post<'p>,
    place: u64,
}

impl Observer for Teller<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Some(event) = Told::new(event) {
            self.post.send(0, &Answer::Event { place: self.place, event });
        }
    }
}
