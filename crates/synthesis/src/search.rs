//! The search of one machine, size by size, with incumbents, limits and checkpoints.

use crate::bank::{Bank, BankLimits};
use crate::codes::{self, Codes, solution};
use crate::machine::Machine;
use crate::saved::{SavedSearch, SearchPosition};
use crate::semantics::{SemanticsShape, goal_bits};
use crate::simulate::{MAX_STEPS, Simulator, with_least_counts};
use crate::test_size::{self, SizeProgress, SizeTest};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{
    CheckpointConfig, Checkpointer, EnginePosition, Outcome, Snapshot, Solution, Statistics, Work, Workers,
};
use gridhunt_search::runtime::{Event, Layer, Limits, Stopped};
use std::sync::atomic::Ordering::Relaxed;

/// The limit of cached semantics, unless half of the memory limit is less.
const MAX_CACHED_BYTES: u64 = 1 << 29;

/// The limit of sampled semantics. It is a constant, because the order of the goals, and so the counts of a search,
/// must not depend on the memory limit.
const MAX_SAMPLED_BYTES: u64 = 1 << 27;

/// The highest level of fragments that is sampled to find the rarely marked goals.
const SAMPLED_LEVELS: usize = 3;

/// The name of the engine.
pub(crate) const NAME: &str = "synthesis";

/// Tuning constants of the tests of sizes; tests of this crate vary them.
#[derive(Clone, Copy)]
pub(crate) struct Tuning {
    /// Up to this size the bank has every body.
    pub(crate) all_stored_size: usize,
    /// The largest number of tokens that a body may have beyond the highest level.
    pub(crate) max_extra_tokens: usize,
    /// The number of blocks of a batch.
    pub(crate) batch_size: usize,
}

impl Tuning {
    pub(crate) const DEFAULT: Self = Self {
        all_stored_size: test_size::ALL_STORED_SIZE,
        max_extra_tokens: test_size::MAX_EXTRA_TOKENS,
        batch_size: test_size::BATCH_SIZE,
    };
}

/// The limits of a search minus the memory of its threads. At most half of the memory limit is subtracted.
pub(crate) fn without_thread_memory(limits: Limits, machine: &dyn Machine, threads: usize) -> Limits {
    let thread_bytes = threads as u64 * test_size::bytes_per_thread(SemanticsShape::of(machine));
    let memory = limits.memory.map(|memory| memory - thread_bytes.min(memory / 2));
    Limits { memory, ..limits }
}

/// The number of threads that half of the memory limit suffices for, at least 1 and at most `threads`.
pub(crate) fn affordable_threads(limits: Limits, machine: &dyn Machine, threads: usize) -> usize {
    let bytes_per_thread = test_size::bytes_per_thread(SemanticsShape::of(machine)).max(1);
    let affordable = limits.memory.map_or(u64::MAX, |memory| memory / 2 / bytes_per_thread);
    usize::try_from(affordable).unwrap_or(usize::MAX).clamp(1, threads)
}

/// The estimated minimum memory of a search, in bytes: the semantics of the empty program and of the instructions, and
/// the buffers of each thread.
pub(crate) fn min_bytes(machine: &dyn Machine, threads: usize) -> u64 {
    /// Semantics in shared memory and in the buffers of a thread.
    const SHARED: u64 = 4;
    const PER_THREAD: u64 = 8;
    (SHARED + PER_THREAD * threads as u64) * SemanticsShape::of(machine).bytes()
}

/// The limits of the bank: cached semantics may use half of the memory, at most [`MAX_CACHED_BYTES`] bytes.
fn bank_limits(limits: Limits) -> BankLimits {
    BankLimits::with_cache(limits.memory.map_or(MAX_CACHED_BYTES, |memory| MAX_CACHED_BYTES.min(memory / 2)))
}

/// The bit number of each goal in sets of goals. The goals that short fragments mark least often come first, because
/// they cause most rejections.
fn goal_bits_by_rarity(machine: &dyn Machine, workers: &Workers<'_>) -> Vec<u16> {
    let mut bits: Vec<u16> = goal_bits().take(machine.goals()).collect();
    let mut sample = Bank::new(machine, bits.clone(), BankLimits::with_cache(MAX_SAMPLED_BYTES));
    while sample.fragments().depth() < SAMPLED_LEVELS && sample.grow(workers, |_| ()).is_ok() {}
    let counts = sample.fragments().mark_counts();
    let mut goals: Vec<usize> = (0..machine.goals()).collect();
    goals.sort_by_key(|&goal| counts[usize::from(bits[goal])]);
    for (bit, goal) in goal_bits().zip(goals) {
        bits[goal] = bit;
    }
    bits
}

/// Whether a program marks every goal.
fn marks_every_goal(machine: &dyn Machine, codes: &[u16]) -> bool {
    Codes::of(machine).have_complete_loops(codes) && Simulator::new(machine).unmarked_goals(codes, MAX_STEPS) == 0
}

/// A search for the shortest program.
pub(crate) struct SynthesisSearch<'a> {
    machine: &'a dyn Machine,
    bank: Bank<'a>,
    workers: Workers<'a>,
    checkpointer: Checkpointer<'a>,
    state: SearchState,
    tuning: Tuning,
}

/// Takes a checkpoint if one is due.
fn checkpoint_if_due(
    checkpointer: &Checkpointer<'_>,
    workers: &Workers<'_>,
    snapshot: impl FnOnce() -> Result<Snapshot, String>,
) {
    checkpointer.check(None);
    if workers.monitor.should_leave_layer() {
        checkpointer.take_at_barrier(None, snapshot);
    }
}

/// The state of a search, besides the bank.
struct SearchState {
    position: SearchPosition,
    /// The proven lower bound.
    lower_bound: Cost,
    layers: Vec<Layer>,
    incumbent: Option<Solution>,
}

impl SearchState {
    fn snapshot(&self, bank: &Bank<'_>, progress: &SizeProgress) -> Result<Snapshot, String> {
        let (saved, rows) = bank.save();
        let position = SearchPosition { progress: progress.clone(), ..self.position.clone() };
        let (expanded, generated) = (position.tried_bodies + progress.findings.tried_bodies, bank.candidate_count);
        Ok(Snapshot {
            lower_bound: self.lower_bound,
            layers: self.layers.clone(),
            incumbent: self.incumbent.clone(),
            work: Work { expanded, generated, ..Work::default() },
            position: EnginePosition::Synthesis(SavedSearch { position, bank: saved, rows }.encode()?),
            ..Snapshot::default()
        })
    }
}

impl<'a> SynthesisSearch<'a> {
    /// A new search, or one that resumes from the newest checkpoint of `config`.
    ///
    /// # Errors
    /// When the search is to resume from a checkpoint that cannot be used.
    pub(crate) fn new(
        machine: &'a dyn Machine,
        incumbent: Option<Solution>,
        workers: Workers<'a>,
        limits: Limits,
        config: Option<&'a CheckpointConfig>,
        tuning: Tuning,
    ) -> Result<Self, CheckpointError> {
        let bank = Bank::new(machine, goal_bits_by_rarity(machine, &workers), bank_limits(limits));
        let checkpointer = Checkpointer::new(config, workers.monitor);
        let position = SearchPosition { is_complete: true, ..SearchPosition::default() };
        let state = SearchState { position, lower_bound: 0, layers: Vec::new(), incumbent };
        let mut search = Self { machine, bank, workers, checkpointer, state, tuning };
        if let Some(config) = config.filter(|config| config.resume) {
            search.resume(config)?;
        }
        Ok(search)
    }

    /// Resumes from the newest checkpoint.
    fn resume(&mut self, config: &CheckpointConfig) -> Result<(), CheckpointError> {
        let (snapshot, _) = self.checkpointer.resume_payload(config, NAME)?;
        let Snapshot { lower_bound, layers, incumbent, position, .. } = snapshot;
        let EnginePosition::Synthesis(saved) = position else { return Err(config.unusable("no programs")) };
        let saved = SavedSearch::decode(&saved).map_err(|found| config.unusable(&found))?;
        if !self.bank.accepts(&saved.bank, &saved.rows) {
            return Err(config.unusable("levels of fragments that do not fit together"));
        }
        let interrupted = |Stopped| CheckpointError::Interrupted { path: config.files.storage.run.clone() };
        self.bank.restore(saved.bank, &saved.rows, &self.workers).map_err(interrupted)?;
        if !saved.position.progress.is_sound(self.bank.fragments()) {
            return Err(config.unusable("prefixes of another board"));
        }
        let saved_incumbent = incumbent.filter(|saved| marks_every_goal(self.machine, &saved.moves));
        let incumbent = saved_incumbent.map(|saved| solution(saved.moves)).or_else(|| self.state.incumbent.take());
        self.state = SearchState { position: saved.position, lower_bound, layers, incumbent };
        Ok(())
    }

    /// Runs until a shortest program is proven or the search is to stop.
    pub(crate) fn run(mut self) -> Outcome {
        let monitor = self.workers.monitor;
        while monitor.stop_reason().is_none() {
            let size = self.state.position.size;
            monitor.gauges.layer.store(size, Relaxed);
            let is_proven = |incumbent: &Solution| incumbent.cost <= self.state.lower_bound;
            if self.state.incumbent.as_ref().is_some_and(is_proven) {
                return self.conclude();
            }
            monitor.send(&Event::LayerStarted { f: size, open: self.bank.fragments().len() as u64 });
            let Ok(program) = self.test_current_size() else { break };
            if let Some(program) = program {
                self.set_incumbent(&program);
                return self.conclude();
            }
            self.end_size();
        }
        if monitor.stop_reason().is_some() {
            if let Some(program) = self.found_early() {
                self.set_incumbent(&program);
            }
            self.checkpointer.take_at_barrier(None, || self.state.snapshot(&self.bank, &self.state.position.progress));
        }
        self.conclude()
    }

    /// Makes a program the incumbent, after [`with_least_counts`] has lowered its loop counts.
    fn set_incumbent(&mut self, program: &[u16]) {
        let incumbent = solution(with_least_counts(self.machine, program.to_vec(), MAX_STEPS));
        self.workers.monitor.send(&Event::Incumbent { cost: incumbent.cost, moves: &incumbent.moves });
        self.state.incumbent = Some(incumbent);
    }

    /// Ends the size under test, for which no program was found.
    fn end_size(&mut self) {
        let (position, candidates) = (&mut self.state.position, self.bank.candidate_count);
        let tried_bodies = std::mem::take(&mut position.progress).findings.tried_bodies;
        let layer = Layer { f: position.size, expanded: tried_bodies, generated: candidates - position.candidates };
        position.tried_bodies += tried_bodies;
        position.candidates = candidates;
        position.size += 1;
        self.state.layers.push(layer);
        self.workers.monitor.send(&Event::LayerDone(layer));
        if position.is_complete {
            self.state.lower_bound = position.size;
            self.workers.monitor.send(&Event::LowerBound(layer.f + 1));
        }
    }

    /// The program that the test of the previous size has found, if it has this size and marks every goal.
    fn found_early(&self) -> Option<Vec<u16>> {
        let SearchPosition { size, found_early, .. } = &self.state.position;
        let is_sound = |codes: &&Vec<u16>| codes::cost(codes) == *size && marks_every_goal(self.machine, codes);
        found_early.as_ref().filter(is_sound).cloned()
    }

    /// The first program of the size under test, if there is one.
    fn test_current_size(&mut self) -> Result<Option<Vec<u16>>, Stopped> {
        let size = self.state.position.size as usize;
        if let Some(program) = self.found_early() {
            return Ok(Some(program));
        }
        match size {
            0 => return Ok((self.machine.goals() == 0).then(Vec::new)),
            1 => {
                let mut simulator = Simulator::new(self.machine);
                let mut instructions = (1..=u16::from(self.machine.instructions())).map(|code| vec![code]);
                return Ok(instructions.find(|codes| simulator.unmarked_goals(codes, 1) == 0));
            }
            _ => {}
        }
        let Self { bank, workers, checkpointer, state, tuning, .. } = self;
        let depth = test_size::depth(size, tuning.all_stored_size, tuning.max_extra_tokens);
        while bank.fragments().depth() < depth {
            bank.grow(workers, |bank| {
                checkpoint_if_due(checkpointer, workers, || state.snapshot(bank, &state.position.progress))
            })?;
        }
        let mut progress = std::mem::take(&mut state.position.progress);
        let test = SizeTest { tokens: size, depth, batch_size: tuning.batch_size };
        let findings = test.run(bank.fragments(), workers, &mut progress, |progress| {
            checkpoint_if_due(checkpointer, workers, || state.snapshot(bank, progress));
        });
        let position = &mut state.position;
        position.progress = progress;
        let mut findings = findings?;
        if position.is_complete
            && findings.program.is_none()
            && (findings.has_untried_counts || bank.has_untried_counts)
        {
            position.is_complete = false;
            let note = format!("no proof from {size} tokens on: some loop counts are not tried");
            workers.monitor.send(&Event::Note(&note));
        }
        position.found_early = findings.one_token_longer.take();
        position.progress.findings.tried_bodies = findings.tried_bodies;
        Ok(findings.program)
    }

    fn conclude(self) -> Outcome {
        let monitor = self.workers.monitor;
        let failure = self.checkpointer.finish(None);
        let SearchState { position, lower_bound, layers, incumbent } = self.state;
        let statistics = Statistics {
            expanded: position.tried_bodies + position.progress.findings.tried_bodies,
            generated: self.bank.candidate_count,
            stored: self.bank.fragments().len() as u64,
            layers,
            peak_bytes: monitor.gauges.peak_bytes.load(Relaxed),
            cpu_seconds: self.workers.cpu_seconds(),
            bound: "sizes".to_owned(),
            ..Statistics::default()
        };
        let cost = incumbent.as_ref().map_or(Cost::MAX, |incumbent| incumbent.cost);
        let stopped = monitor.stop_reason().filter(|_| lower_bound < cost);
        Outcome { incumbent, lower_bound, stopped, failure, statistics, ..Outcome::unknown() }
    }
}
