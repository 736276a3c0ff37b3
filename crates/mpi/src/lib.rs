//! Ranks as processes under MPI.
//!
//! Between the beginning and the end of MPI, all calls but those of an abort are made under one lock, so MPI has to
//! support calls from different threads, one at a time (`MPI_THREAD_SERIALIZED`). None of these calls waits for another
//! rank: otherwise a rank that is frozen in the middle of a message would block all others for ever. The safe requests
//! of the crate `mpi` cannot own the bytes of a message, so the C functions of MPI are called.
//!
//! A parcel is sent in synchronous mode: its request is complete when the other rank has begun to receive it. So the
//! number of requests that are not complete is the number of parcels under way.
#![deny(rustdoc::broken_intra_doc_links)]
#![deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![deny(clippy::print_stderr, clippy::print_stdout)]

use gridhunt_search::runtime::{
    Channel, Exchange, INTERNAL_ERROR_CODE, Transport, launcher_variable, panic_if_requested,
};
use mpi::environment::Universe;
use mpi::ffi;
use mpi::point_to_point::Source;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::{AsRaw, AsRawMut, Equivalence};
use mpi::{Count, Tag, Threading};
use rustix::fs::FileType;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most requests that [`next_complete`] tests at a time.
const MAX_TESTS: usize = 16;

/// The most messages of a channel that are being received at a time. Further messages must wait.
const MAX_RECEIVING: usize = 64;

/// At the end, a rank waits at most this long for messages under way. MPI has to end within twice this time.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The time without a call of MPI between the last barrier and the end of MPI.
const FINALIZE_DELAY: Duration = Duration::from_millis(50);

/// Before a process ends all others, it waits at most this long until the launcher has read its standard error.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);

/// Why MPI cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// The launcher has started several processes, and MPI does not connect them.
    #[error(
        "found an MPI world of one process, but {variable}={expected}: this program was built for {library}, and the \
         launcher of another MPI started it; start it with the launcher (mpirun, mpiexec, srun --mpi=...) of {library}"
    )]
    WrongLibrary {
        /// The MPI that the program was built with.
        library: String,
        /// The variable that the launcher has set.
        variable: &'static str,
        /// Its value.
        expected: String,
    },
    /// MPI does not let several threads call it.
    #[error("found an MPI library that only one thread may call, expected one that supports MPI_THREAD_SERIALIZED")]
    SingleThreaded,
    /// MPI was begun before in this process.
    #[error("found MPI in use in this process, expected to begin it")]
    AlreadyInitialized,
}

/// Ends all ranks at once if MPI is in use. For use after a panic: other threads and ranks cannot delay it for long.
pub fn abort_world() {
    abort_world_with(INTERNAL_ERROR_CODE.into());
}

// SAFETY: the signature is that of unistd.h.
unsafe extern "C" {
    /// Ends the process at once: no handler runs that may wait for another thread or for MPI.
    fn _exit(code: i32) -> !;
}

fn abort_world_with(code: i32) {
    let mut is_begun = 0;
    // SAFETY: MPI allows this call at any time.
    unsafe { ffi::MPI_Initialized(&raw mut is_begun) };
    if is_begun != 0 {
        wait_for_stderr();
        // MPI may wait for a rank that is frozen, or for a lock that another thread holds. So a new thread ends the
        // process after a while. If it cannot be started, MPI alone has to end the process.
        let _ = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(2 * SHUTDOWN_TIMEOUT);
            // SAFETY: the process may end at any time.
            unsafe { _exit(code) }
        });
        // SAFETY: MPI has begun. MPI is in an undefined state if another thread calls it just now, and the process ends
        // in either case.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, code) };
    }
}

/// Waits until the launcher has read the standard error of this process: MPICH drops unread output when a rank ends all
/// others. Returns at once if standard error is no pipe.
fn wait_for_stderr() {
    let begun = Instant::now();
    let is_pipe = rustix::fs::fstat(std::io::stderr())
        .is_ok_and(|file| matches!(FileType::from_raw_mode(file.st_mode), FileType::Fifo | FileType::Socket));
    while is_pipe
        && rustix::io::ioctl_fionread(std::io::stderr()).is_ok_and(|unread| unread > 0)
        && begun.elapsed() < STDERR_TIMEOUT
    {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The name and version of the MPI that the program was built with, in one line.
fn library() -> String {
    let text = mpi::environment::library_version().unwrap_or_default();
    let first = text.split([',', '\n', '\0']).next().unwrap_or_default();
    let name = first.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "an MPI without a name".to_owned() } else { name }
}

/// This process as a rank of an MPI program. [`MpiWorld::end`] ends MPI.
pub struct MpiWorld {
    // Dropped first: its messages must have left before MPI ends.
    exchange: Exchange,
    _universe: Universe,
}

impl std::fmt::Debug for MpiWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiWorld").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}

impl MpiWorld {
    /// Begins MPI if a launcher has started several processes; otherwise returns `None`. When [`Transport::abort`] ends
    /// all ranks, it first calls `report` with the reason.
    ///
    /// # Errors
    /// When the launcher belongs to another MPI than the library, or the library cannot be used.
    pub fn begin(report: fn(&str)) -> Result<Option<Self>, MpiError> {
        let Some((variable, expected)) = launcher_variable() else { return Ok(None) };
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or(MpiError::AlreadyInitialized)?;
        let world = universe.world();
        if world.size() == 1 {
            return Err(MpiError::WrongLibrary { library: library(), variable, expected });
        }
        if threading < Threading::Serialized {
            return Err(MpiError::SingleThreaded);
        }
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        let under_way = (0..ranks).map(|_| AtomicUsize::new(0)).collect();
        let state = Mutex::new(MpiState { world, sending: VecDeque::new(), receiving: Default::default() });
        let transport = MpiRank { rank, ranks, under_way, total_under_way: AtomicUsize::new(0), state, report };
        Ok(Some(Self { exchange: Exchange::new(transport), _universe: universe }))
    }

    /// Ends MPI, when all ranks have done their work. If the library does not come to an end, all ranks end with the
    /// exit code `code`, or with that of the library if MPI refuses to be aborted.
    pub fn end(self, code: u8) {
        let (end_sender, end_receiver) = channel::<()>();
        let _ = std::thread::Builder::new().spawn(move || {
            if end_receiver.recv_timeout(2 * SHUTDOWN_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
                abort_world_with(i32::from(code));
            }
        });
        drop(self);
        drop(end_sender);
    }

    /// The name of this rank's host.
    #[must_use]
    pub fn host() -> String {
        mpi::environment::processor_name().unwrap_or_default()
    }

    /// The exchange with the other ranks.
    #[must_use]
    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }
}

/// The transport of a process.
struct MpiRank {
    rank: usize,
    ranks: usize,
    /// The number of parcels under way to each rank.
    under_way: Vec<AtomicUsize>,
    /// Their sum.
    total_under_way: AtomicUsize,
    state: Mutex<MpiState>,
    report: fn(&str),
}

impl std::fmt::Debug for MpiRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiRank").field("rank", &self.rank).field("ranks", &self.ranks).finish_non_exhaustive()
    }
}

/// The data of MPI calls, which the lock of [`MpiRank`] protects.
struct MpiState {
    world: SimpleCommunicator,
    sending: VecDeque<Transfer>,
    /// The messages of each channel that are being received.
    receiving: [VecDeque<Transfer>; 2],
}

// SAFETY: MPI was begun with `MPI_THREAD_SERIALIZED`, so handles of MPI may be used by any thread, one at a time. The
// mutex around the state ensures this.
unsafe impl Send for MpiState {}

/// A message that is being sent or received.
struct Transfer {
    /// The other rank.
    peer: usize,
    channel: Channel,
    request: ffi::MPI_Request,
    /// MPI reads or fills these bytes until the request is complete. Their heap buffer does not move.
    message: Vec<u8>,
}

impl Transfer {
    /// Whether MPI has finished with the message. Must not be called again after it has returned true.
    fn is_complete(&mut self) -> bool {
        let mut is_complete = 0;
        // SAFETY: the request was made by MPI, and has not been complete so far.
        unsafe { ffi::MPI_Test(&raw mut self.request, &raw mut is_complete, ffi::RSMPI_STATUS_IGNORE) };
        is_complete != 0
    }
}

/// Tests some of the transfers, and returns the first one that is complete.
fn next_complete(transfers: &mut VecDeque<Transfer>) -> Option<Transfer> {
    for _ in 0..MAX_TESTS.min(transfers.len()) {
        let mut transfer = transfers.pop_front()?;
        if transfer.is_complete() {
            return Some(transfer);
        }
        transfers.push_back(transfer);
    }
    None
}

impl MpiState {
    fn send(&mut self, to: usize, channel: Channel, message: Vec<u8>) {
        let (count, comm) = (message.len() as Count, self.world.as_raw());
        // SAFETY: the extern constants are set when MPI begins, and do not change.
        let (mut request, datatype) = unsafe { (ffi::RSMPI_REQUEST_NULL, ffi::RSMPI_UINT8_T) };
        let send = match channel {
            Channel::Control => ffi::MPI_Isend,
            Channel::Parcels => ffi::MPI_Issend,
        };
        // SAFETY: the message lives in `sending`, unmoved on the heap, until the request is complete. The rank exists.
        // An error ends the program: the communicator keeps the error handler `MPI_ERRORS_ARE_FATAL`.
        unsafe { send(message.as_ptr().cast(), count, datatype, to as i32, channel as Tag, comm, &raw mut request) };
        self.sending.push_back(Transfer { peer: to, channel, request, message });
    }

    /// The next message of a channel that has arrived whole. Also begins to receive messages that have begun to arrive.
    fn receive(&mut self, channel: Channel) -> Option<Vec<u8>> {
        let at = channel as usize;
        if let Some(transfer) = next_complete(&mut self.receiving[at]) {
            return Some(transfer.message);
        }
        while self.receiving[at].len() < MAX_RECEIVING {
            let mut transfer = self.begin_to_receive(channel)?;
            if transfer.is_complete() {
                return Some(transfer.message);
            }
            self.receiving[at].push_back(transfer);
        }
        None
    }

    /// Begins to receive the next message of a channel, if one has begun to arrive.
    fn begin_to_receive(&self, channel: Channel) -> Option<Transfer> {
        let (mut matched, status) = self.world.any_process().immediate_matched_probe_with_tag(channel as Tag)?;
        let count = status.count(u8::equivalent_datatype());
        let mut message = vec![0; count as usize];
        // SAFETY: the extern constants are set when MPI begins, and do not change.
        let (mut request, datatype) = unsafe { (ffi::RSMPI_REQUEST_NULL, ffi::RSMPI_UINT8_T) };
        let (bytes, handle) = (message.as_mut_ptr().cast(), matched.as_raw_mut());
        // SAFETY: the message has `count` bytes, which live in the transfer, unmoved on the heap, until the request is
        // complete. MPI takes the handle, which is that of the matched message.
        unsafe { ffi::MPI_Imrecv(bytes, count, datatype, handle, &raw mut request) };
        Some(Transfer { peer: status.source_rank() as usize, channel, request, message })
    }

    /// Whether no message is being sent or received.
    fn is_idle(&self) -> bool {
        self.sending.is_empty() && self.receiving.iter().all(VecDeque::is_empty)
    }

    /// Waits until all ranks have come to the end, or [`SHUTDOWN_TIMEOUT`] after `begun`. Then makes no call for a
    /// while, so that all ranks end MPI together.
    ///
    /// Otherwise MPICH before 4.2 may never end over UCX and TCP. There a rank that ends MPI begins with a question to
    /// all others, whether its messages have arrived. It waits for the answers, and answers nobody afterwards. A rank
    /// that still made calls would answer early, and nobody would answer its own question later. A rank that makes no
    /// calls answers only when it ends MPI itself, after its own question.
    fn wait_to_finalize_together(&self, begun: Instant) {
        // SAFETY: the constant is set when MPI begins.
        let (mut request, mut is_complete) = (unsafe { ffi::RSMPI_REQUEST_NULL }, 0);
        // SAFETY: every rank calls this once, as its last collective operation.
        unsafe { ffi::MPI_Ibarrier(self.world.as_raw(), &raw mut request) };
        while is_complete == 0 && begun.elapsed() < SHUTDOWN_TIMEOUT {
            // SAFETY: the request was made by MPI and is not complete yet.
            unsafe { ffi::MPI_Test(&raw mut request, &raw mut is_complete, ffi::RSMPI_STATUS_IGNORE) };
            std::thread::yield_now();
        }
        std::thread::sleep(FINALIZE_DELAY);
    }
}

impl MpiRank {
    fn state(&self) -> MutexGuard<'_, MpiState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops messages that have been sent.
    fn clear_sent(&self, state: &mut MpiState) {
        while let Some(Transfer { peer, channel, .. }) = next_complete(&mut state.sending) {
            if channel == Channel::Parcels {
                self.under_way[peer].fetch_sub(1, Relaxed);
                self.total_under_way.fetch_sub(1, Relaxed);
            }
        }
    }
}

impl Transport for MpiRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&self, to: usize, channel: Channel, message: Vec<u8>) {
        if channel == Channel::Parcels {
            self.under_way[to].fetch_add(1, Relaxed);
            self.total_under_way.fetch_add(1, Relaxed);
        }
        if Count::try_from(message.len()).is_err() {
            let found = message.len();
            self.abort(
                INTERNAL_ERROR_CODE,
                &format!("rank {}: found a message of {found} bytes, expected less than 2 GiB", self.rank),
            );
        }
        self.state().send(to, channel, message);
    }

    fn parcels_under_way(&self, to: usize) -> usize {
        self.under_way[to].load(Relaxed)
    }

    fn sent_parcels_under_way(&self) -> usize {
        self.total_under_way.load(Relaxed)
    }

    fn receive(&self, channel: Channel) -> Option<Vec<u8>> {
        let mut state = self.state();
        panic_if_requested(self.rank, "mpi");
        // One of the two channels is enough: each poll receives from both.
        if channel == Channel::Control {
            self.clear_sent(&mut state);
        }
        state.receive(channel)
    }

    fn abort(&self, code: u8, reason: &str) {
        (self.report)(reason);
        abort_world_with(code.into());
    }

    fn abort_reason(&self) -> Option<String> {
        // An abort ends all processes.
        None
    }
}

impl Drop for MpiRank {
    fn drop(&mut self) {
        let begun = Instant::now();
        let mut state = self.state();
        while !state.is_idle() && begun.elapsed() < SHUTDOWN_TIMEOUT {
            self.clear_sent(&mut state);
            for channel in [Channel::Control, Channel::Parcels] {
                while next_complete(&mut state.receiving[channel as usize]).is_some() {}
            }
            std::thread::yield_now();
        }
        state.wait_to_finalize_together(begun);
        // MPI may still use the bytes of messages whose peer is gone, so their memory is never freed.
        std::mem::forget((std::mem::take(&mut state.sending), std::mem::take(&mut state.receiving)));
    }
}
