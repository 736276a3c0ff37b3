//! A crew of worker threads that search one layer after another: work stealing, end of a layer, barrier.
//!
//! **End of a layer.** `active` counts the workers that hold work or are about to steal some. A worker leaves the count
//! only when its stacks, its queue and its unsent children are all empty. It joins the count again *before* it tries to
//! steal. Only active workers create work. So when `active` is 0, no work exists and none can appear: the layer is
//! over. A single read of `active` is enough to decide this.
//!
//! **Other crews.** With several ranks, each has a crew, and crews send work to each other ([`OtherCrews`]). Then the
//! layer is over when no crew has work and no work is under way between them. [`Crew::read_if_idle`] reads counts at a
//! moment at which this crew has no work.
//!
//! **Many threads.** Only a few workers without work are *thieves*, which look for work ([`MAX_THIEVES`]). The others
//! are parked, and cost no processor time. A thief that finds work wakes a parked worker to take its place, so work
//! still reaches all workers in a logarithmic number of steps. A worker that stops waiting wakes all parked workers,
//! because they stop waiting for the same reason.
//!
//! **Barrier.** Between two layers all workers wait for each other. The last to arrive decides what follows.

use crate::platform::thread_cpu_seconds;
use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard, Ordering};
use crossbeam::deque::{Steal, Stealer};

/// The most workers that look for work at a time.
const MAX_THIEVES: usize = if cfg!(loom) { 1 } else { 8 };

/// The state that the workers of a crew share.
#[derive(Debug)]
pub struct Crew {
    workers: usize,
    /// The number of active workers (the lower half), and how often a worker has become active (the upper half). Both
    /// change in one operation.
    active: AtomicU64,
    /// The number of thieves.
    thieves: Mutex<usize>,
    /// Wakes parked workers.
    thief_left: Condvar,
    /// Changed only under the lock of `barrier`, so that no waiting worker misses the change.
    is_abandoned: AtomicBool,
    barrier: Mutex<BarrierState>,
    barrier_released: Condvar,
}

#[derive(Debug, Default)]
struct BarrierState {
    /// The number of waiting workers.
    arrived: usize,
    /// How often the barrier has released the workers.
    generation: u64,
}

/// What is added to `Crew::active` when a worker becomes active.
const ACTIVATION: u64 = (1 << 32) + 1;

/// The part of `Crew::active` that counts active workers.
const ACTIVE_MASK: u64 = (1 << 32) - 1;

/// The other crews of a search, which may send work to this one.
pub trait OtherCrews: Sync {
    /// Whether no crew has work and no work is under way between them. The answer holds only while no worker of this
    /// crew is active.
    fn is_over(&self) -> bool;

    /// Exchanges messages with the other crews. Thieves call this repeatedly.
    fn poll(&self, crew: &Crew);
}

/// A worker of the crew has panicked, so the other workers must not wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerPanicked;

impl Crew {
    /// A crew of `workers` workers, all active.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            active: AtomicU64::new(workers as u64),
            thieves: Mutex::new(0),
            thief_left: Condvar::new(),
            is_abandoned: AtomicBool::new(false),
            barrier: Mutex::new(BarrierState::default()),
            barrier_released: Condvar::new(),
        }
    }

    /// Steals work, or waits until there is work to steal. Called by an active worker without work.
    ///
    /// `may_steal` says cheaply whether stealing may succeed. `give_up` says whether to stop waiting. `steal` also
    /// takes work that other crews have sent. Returns `None` when the layer is over, `give_up` returned true or the
    /// crew was abandoned. After `None` the worker is inactive.
    pub fn steal_or_wait<T>(
        &self,
        mut steal: impl FnMut() -> Option<T>,
        may_steal: impl Fn() -> bool,
        give_up: impl Fn() -> bool,
        other_crews: Option<&dyn OtherCrews>,
    ) -> Option<T> {
        let is_waiting_over =
            || !self.is_active() && other_crews.is_none_or(OtherCrews::is_over) || give_up() || self.is_abandoned();
        self.active.fetch_sub(1, Ordering::SeqCst);
        self.become_thief(&is_waiting_over);
        let mut backoff = Backoff::default();
        let work = loop {
            if is_waiting_over() {
                break None;
            }
            if may_steal() {
                self.active.fetch_add(ACTIVATION, Ordering::SeqCst);
                if let Some(work) = steal() {
                    break Some(work);
                }
                self.active.fetch_sub(1, Ordering::SeqCst);
            }
            if let Some(others) = other_crews {
                others.poll(self);
            }
            backoff.pause();
        };
        *self.lock_thieves() -= 1;
        if work.is_some() {
            self.thief_left.notify_one();
        } else {
            self.thief_left.notify_all();
        }
        work
    }

    /// Parks the worker until there is room for a thief or waiting is over. Counts the worker as a thief in either
    /// case.
    fn become_thief(&self, is_waiting_over: &impl Fn() -> bool) {
        let mut thieves = self.lock_thieves();
        // A worker whose wait is over wakes all workers that are parked here.
        while *thieves >= MAX_THIEVES && !is_waiting_over() {
            thieves = self.thief_left.wait(thieves).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *thieves += 1;
    }

    fn lock_thieves(&self) -> MutexGuard<'_, usize> {
        self.thieves.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether at least one worker waits for work.
    #[must_use]
    #[inline]
    pub fn has_idle_worker(&self) -> bool {
        self.active.load(Ordering::Relaxed) & ACTIVE_MASK < self.workers as u64
    }

    /// Whether a worker is active.
    fn is_active(&self) -> bool {
        self.active.load(Ordering::SeqCst) & ACTIVE_MASK > 0
    }

    /// Calls `read` and returns its value, if no worker was active from the beginning of the call to its end.
    pub fn read_if_idle<T>(&self, read: impl FnOnce() -> T) -> Option<T> {
        let before = self.active.load(Ordering::SeqCst);
        if before & ACTIVE_MASK > 0 {
            return None;
        }
        let value = read();
        // A worker that became active meanwhile has changed the upper half.
        (self.active.load(Ordering::SeqCst) == before).then_some(value)
    }

    /// [`Crew::steal_or_wait`] from the queues of all workers but `thief`, the oldest work of a queue first.
    pub fn steal_from<T>(&self, queues: &[Stealer<T>], thief: usize, give_up: impl Fn() -> bool) -> Option<T> {
        let steal = || Self::try_steal(queues, thief);
        self.steal_or_wait(steal, || Self::has_stealable_work(queues, thief), give_up, None)
    }

    /// Steals the oldest work of a queue of another worker than `thief`, if there is any.
    pub fn try_steal<T>(queues: &[Stealer<T>], thief: usize) -> Option<T> {
        let steal = |victim: &Stealer<T>| loop {
            match victim.steal() {
                Steal::Success(work) => return Some(work),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        };
        other_queues(queues, thief).find_map(steal)
    }

    /// Whether a queue of another worker than `thief` has work.
    #[must_use]
    pub fn has_stealable_work<T>(queues: &[Stealer<T>], thief: usize) -> bool {
        other_queues(queues, thief).any(|victim| !victim.is_empty())
    }

    /// Waits until every worker has called this. The last worker to arrive runs `decide` while the others wait. All
    /// workers are active afterwards.
    ///
    /// # Errors
    /// [`WorkerPanicked`] when a worker has panicked.
    pub fn barrier(&self, decide: impl FnOnce()) -> Result<(), WorkerPanicked> {
        let mut barrier = self.lock_barrier();
        barrier.arrived += 1;
        if barrier.arrived == self.workers && !self.is_abandoned() {
            decide();
            // No other thread changes the count now: all workers wait here.
            let activations = self.active.load(Ordering::SeqCst) & !ACTIVE_MASK;
            self.active.store(activations.wrapping_add(1 << 32) | self.workers as u64, Ordering::SeqCst);
            barrier.arrived = 0;
            barrier.generation += 1;
            self.barrier_released.notify_all();
            return Ok(());
        }
        let generation = barrier.generation;
        while barrier.generation == generation && !self.is_abandoned() {
            barrier = self.barrier_released.wait(barrier).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        if barrier.generation == generation { Err(WorkerPanicked) } else { Ok(()) }
    }

    /// Releases all workers that wait now or later, because a worker has panicked and will never arrive.
    pub fn abandon(&self) {
        let barrier = self.lock_barrier();
        self.is_abandoned.store(true, Ordering::SeqCst);
        drop(barrier);
        self.barrier_released.notify_all();
        // A worker that parks after this lock was taken sees the change.
        drop(self.lock_thieves());
        self.thief_left.notify_all();
    }

    /// Whether a worker has panicked.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::SeqCst)
    }

    fn lock_barrier(&self) -> MutexGuard<'_, BarrierState> {
        self.barrier.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The queues of all workers but `thief`, from the next one on.
fn other_queues<T>(queues: &[Stealer<T>], thief: usize) -> impl Iterator<Item = &Stealer<T>> {
    (1..queues.len()).map(move |k| &queues[(thief + k) % queues.len()])
}

/// Waits in growing steps: spins, then yields, then sleeps. Counts its pauses.
#[derive(Debug, Default)]
struct Backoff(u32);

impl Backoff {
    fn pause(&mut self) {
        const SPINS: u32 = 6;
        const YIELDS: u32 = 32;
        match self.0 {
            _ if cfg!(loom) => crate::sync::yield_now(),
            ..SPINS => (0..1 << self.0).for_each(|_| std::hint::spin_loop()),
            SPINS..YIELDS => crate::sync::yield_now(),
            _ => std::thread::sleep(std::time::Duration::from_micros(50)),
        }
        self.0 = self.0.saturating_add(1);
    }
}

/// Calls [`Crew::abandon`] if it is dropped by a panic.
struct AbandonOnPanic<'a>(&'a Crew);

impl Drop for AbandonOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

/// The results of a crew.
#[derive(Debug)]
pub struct CrewResult<T> {
    /// The result of each worker, in the order of the workers.
    pub results: Vec<T>,
    /// The CPU seconds of all workers but the first, which runs on the calling thread.
    pub cpu_seconds: f64,
}

/// Runs `work(number, input)` for each input: the first on the calling thread, every other on a new thread.
///
/// # Panics
/// When a worker panics or a thread cannot be started. `crew` is abandoned, so that the other workers end too.
pub fn run_crew<R: Send, T: Send>(crew: &Crew, inputs: Vec<R>, work: impl Fn(usize, R) -> T + Sync) -> CrewResult<T> {
    let mut results: Vec<Option<T>> = inputs.iter().map(|_| None).collect();
    let mut tasks: Vec<Task<'_>> = Vec::with_capacity(inputs.len());
    for (number, (input, result)) in inputs.into_iter().zip(&mut results).enumerate() {
        let work = &work;
        tasks.push(Box::new(move || *result = Some(work(number, input))));
    }
    let cpu_seconds = run_tasks(crew, tasks);
    // No result is missing: a worker without a result has panicked, and `run_tasks` has panicked with it.
    CrewResult { results: results.into_iter().flatten().collect(), cpu_seconds }
}

/// The work of one worker, boxed so that the code that starts threads is compiled once.
type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs the first task on the calling thread and every other on a new thread. Returns the CPU seconds of the new
/// threads.
fn run_tasks(crew: &Crew, tasks: Vec<Task<'_>>) -> f64 {
    let workers = tasks.len();
    let run_guarded = |task: Task<'_>| {
        let _guard = AbandonOnPanic(crew);
        task();
    };
    let mut tasks = tasks.into_iter().enumerate();
    std::thread::scope(|scope| {
        let _guard = AbandonOnPanic(crew);
        let first = tasks.next();
        let spawn = |(number, task)| {
            let thread = std::thread::Builder::new().name(format!("worker-{number}"));
            let run_timed = move || {
                run_guarded(task);
                thread_cpu_seconds()
            };
            thread.spawn_scoped(scope, run_timed).unwrap_or_else(|e| {
                let message = format!("thread {} of {workers} cannot be started: {e}", number + 1);
                std::panic::resume_unwind(Box::new(message))
            })
        };
        let handles: Vec<_> = tasks.map(spawn).collect();
        first.into_iter().for_each(|(_, task)| run_guarded(task));
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crossbeam::deque::Worker;

    /// More workers than may look for work: parked workers get work too, and all come to the barrier.
    #[test]
    fn parked_workers_get_work_and_end_with_the_layer() {
        let workers = 4 * MAX_THIEVES;
        let crew = Crew::new(workers);
        let queues: Vec<_> = (0..workers).map(|_| Worker::new_fifo()).collect();
        let stealers: Vec<_> = queues.iter().map(Worker::stealer).collect();
        let busy = std::sync::Barrier::new(workers);
        let outcome = run_crew(&crew, queues, |number, queue| {
            if number == 0 {
                // Nobody else has work before all others are thieves or parked.
                while crew.active.load(Ordering::SeqCst) & ACTIVE_MASK > 1 {
                    std::thread::yield_now();
                }
                (0..workers).for_each(|item| queue.push(item));
            }
            let mut taken = 0;
            while queue.pop().or_else(|| crew.steal_from(&stealers, number, || false)).is_some() {
                taken += 1;
                // Each item keeps its worker busy until every worker has one.
                busy.wait();
            }
            assert_eq!(crew.barrier(|| assert_eq!(*crew.lock_thieves(), 0)), Ok(()));
            taken
        });
        assert_eq!(outcome.results, vec![1; workers]);
    }

    /// A panic releases the other workers whether they are idle, at the barrier or still at work.
    #[test]
    fn a_panic_frees_the_others() {
        for round in 0..50 {
            let crew = Crew::new(3);
            let busy = std::sync::Barrier::new(2);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                run_crew(&crew, vec![(); 3], |number, ()| {
                    if number == 1 {
                        busy.wait();
                        assert_eq!(number, 0, "meant to fail");
                    }
                    if number == 2 {
                        busy.wait();
                        while round % 2 == 0 && !crew.is_abandoned() {
                            std::thread::yield_now();
                        }
                    }
                    let idle = crew.steal_or_wait(|| None::<()>, || false, || false, None);
                    assert_eq!((idle, crew.barrier(|| ())), (None, Err(WorkerPanicked)));
                })
            }));
            assert!(result.is_err());
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::sync::AtomicUsize;
    use loom::sync::Arc;

    /// Two workers and one item that creates two others: at the barrier all three are done, once each.
    #[test]
    fn loom_no_layer_ends_with_work_left() {
        crate::sync::check_model(|| {
            let crew = Arc::new(Crew::new(2));
            let queue = Arc::new(Mutex::new(vec![2_usize]));
            let open = Arc::new(AtomicUsize::new(1));
            let done = Arc::new(AtomicUsize::new(0));
            let worker =
                |crew: Arc<Crew>, queue: Arc<Mutex<Vec<usize>>>, open: Arc<AtomicUsize>, done: Arc<AtomicUsize>| {
                    move || {
                        let pop = || {
                            let taken = queue.lock().expect("no panic").pop();
                            taken.inspect(|_| {
                                open.fetch_sub(1, Ordering::SeqCst);
                            })
                        };
                        let mut work = pop();
                        let has_open = || open.load(Ordering::SeqCst) > 0;
                        let steal = || crew.steal_or_wait(pop, has_open, || false, None);
                        while let Some(children) = work.take().or_else(pop).or_else(steal) {
                            for _ in 0..children {
                                queue.lock().expect("no panic").push(0);
                                open.fetch_add(1, Ordering::SeqCst);
                            }
                            done.fetch_add(1, Ordering::SeqCst);
                        }
                        let passed = crew.barrier(|| assert_eq!(done.load(Ordering::SeqCst), 3));
                        assert_eq!(passed, Ok(()));
                    }
                };
            let start = || worker(crew.clone(), queue.clone(), open.clone(), done.clone());
            let other = loom::thread::spawn(start());
            start()();
            other.join().expect("no panic");
        });
    }
}
