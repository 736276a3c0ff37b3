//! Simulated annealing of solutions: a solution is changed here and there, and played again.
//!
//! A change takes one move of the path and shifts it to another place, removes it, replaces it, or inserts another move
//! before it. The moves behind the change are made again if they are still possible ([`LocalSearchPath`]), and random
//! moves complete the path. A change for the better is kept; a change for the worse is kept with a probability that
//! falls. Each round begins with a random path, at the highest temperature, and with random numbers of its own. Each
//! round tries twice as many changes as the one before, up to [`LONGEST`] times as many as the first.
//!
//! **When to use it.** When the costs of solutions differ widely, as with scores, and a proof is out of reach.
//!
//! **Guarantees.** The cost of the solution does not depend on the number of threads, unless a limit ends the search.
//! It proves nothing beyond the lower bound of the root.
//!
//! Reference: Kirkpatrick, Gelatt and Vecchi (1983).

use super::context::Context;
use super::dispatch::{EngineInfo, StateEngine};
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::parameters::Parameters;
use crate::domain::{Cost, LocalSearchPath, MoveLabel};
use crate::expand::StateSpace;
use crate::runtime::{Crew, Event, Monitor, run_crew};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

const SUMMARY: &str = "solutions changed at random, for high scores and for programs; never a proof by itself";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "anneal", summary: SUMMARY, proves: false, has_checkpoints: false, uses_ranks: false },
    run: |space, parameters, known, context| Ok(run(space, parameters, known, context)),
};

/// The longest rounds try this many times as many changes as the first round.
const LONGEST: usize = 256;

/// The temperature at the end of a round, as a share of the first one.
const COLD: f64 = 1.0 / 16.0;

/// The number of changes after which the temperature is computed anew and the limits are checked.
const BATCH: usize = 64;

/// The most moves that are played between two checks of the limits: a single path of a large board may be longer.
const MAX_UNREPORTED: u64 = 256;

/// Half of the changes that shift a move, chosen at random, shift it by at most this many places.
const MAX_SHIFT: usize = 6;

/// Anneals on all threads. `known` is a solution found before; only cheaper ones are reported.
fn run(space: &dyn StateSpace, parameters: &Parameters, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let (lower_bound, next) = (space.lower_bound(), AtomicUsize::new(0));
    monitor.tell(&Event::LowerBound(lower_bound));
    let workers = context.threads.max(1);
    let crew = monitor.watch(|| {
        run_crew(&Crew::new(workers), vec![(); workers], |_, ()| {
            loop {
                let round = next.fetch_add(1, Relaxed);
                if round >= parameters.anneal_rounds || monitor.leaving() {
                    break;
                }
                let mut rng = ChaCha8Rng::seed_from_u64(parameters.anneal_seed as u64);
                rng.set_stream(round as u64);
                let (incumbent, monitor) = (&incumbent, &monitor);
                let mut annealer = Annealer {
                    path: space.local_search_path(),
                    rng,
                    lower_bound,
                    incumbent,
                    monitor,
                    bytes: 0,
                    changes: 0,
                    played: 0,
                    workers,
                    allowance: monitor.allowance(MAX_UNREPORTED, workers),
                };
                let longer = 1 << round.min(LONGEST.ilog2() as usize);
                annealer.round(parameters.anneal_changes.saturating_mul(longer));
                monitor.gauges.hold_less(annealer.bytes);
            }
        })
    });
    let statistics = Statistics {
        expanded: monitor.gauges.expanded.load(Relaxed),
        generated: monitor.gauges.generated.load(Relaxed),
        peak_bytes: monitor.gauges.peak_bytes.load(Relaxed),
        cpu_seconds: crew.cpu_seconds,
        ..Statistics::default()
    };
    let incumbent = incumbent.into_solution();
    Outcome { incumbent, lower_bound, stopped: monitor.stopped(), statistics, ..Outcome::unknown() }
}

/// Anneals one path.
struct Annealer<'a> {
    path: Box<dyn LocalSearchPath + 'a>,
    rng: ChaCha8Rng,
    lower_bound: Cost,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// Bytes of the path that the gauges contain already.
    bytes: u64,
    /// Changes and moves played that the gauges do not contain yet.
    changes: u64,
    played: u64,
    workers: usize,
    /// Moves played after which the gauges are updated.
    allowance: u64,
}

impl Annealer<'_> {
    /// Anneals a random path with this number of changes.
    fn round(&mut self, changes: usize) {
        self.path.begin_candidate(0);
        self.complete();
        let mut energy = self.path.energy();
        let hot = self.path.first_temperature(energy.saturating_sub(self.lower_bound).max(1));
        self.path.accept();
        let mut temperature = hot;
        for change in 0..changes {
            if change % BATCH == 0 {
                temperature = hot * COLD.powf(change as f64 / changes as f64);
                self.report();
            }
            if self.monitor.leaving() || self.path.current_len() == 0 {
                break;
            }
            if !self.change() {
                continue;
            }
            self.changes += 1;
            let next = self.path.energy();
            let rise = f64::from(next) - f64::from(energy);
            if rise <= 0.0 || self.fraction() < (-rise / temperature).exp() {
                self.path.accept();
                energy = next;
            }
        }
        self.report();
    }

    /// Updates the gauges and checks the limits.
    fn report(&mut self) {
        let (gauges, bytes) = (&self.monitor.gauges, self.path.bytes());
        gauges.hold_more(bytes - self.bytes);
        self.bytes = bytes;
        gauges.generated.fetch_add(std::mem::take(&mut self.changes), Relaxed);
        gauges.expanded.fetch_add(std::mem::take(&mut self.played), Relaxed);
        self.monitor.check_limits();
        self.allowance = self.monitor.allowance(MAX_UNREPORTED, self.workers);
    }

    /// Plays the path with one change: in 4 of 8 cases it shifts a move, in 1 it removes one, in 1 it replaces one, in
    /// 2 it inserts one. Returns false, and plays nothing, if a move would stay where it is.
    fn change(&mut self) -> bool {
        let (len, kind) = (self.path.current_len(), self.below(8));
        let at = self.below(len);
        match kind {
            0..4 => {
                let to = if self.below(2) == 0 {
                    let (later, by) = (self.below(2) == 0, 1 + self.below(MAX_SHIFT));
                    if later { (at + by).min(len - 1) } else { at.saturating_sub(by) }
                } else {
                    self.below(len)
                };
                if to == at {
                    return false;
                }
                let moved = self.path.current_label(at);
                self.path.begin_candidate(at.min(to));
                if to < at {
                    self.play(moved);
                    self.play_kept(to..at);
                    self.play_kept(at + 1..len);
                } else {
                    self.play_kept(at + 1..to + 1);
                    self.play(moved);
                    self.play_kept(to + 1..len);
                }
            }
            4 => {
                self.path.begin_candidate(at);
                self.play_kept(at + 1..len);
            }
            _ => {
                self.path.begin_candidate(at);
                let random = self.rng.next_u32();
                let Some(label) = self.path.random_label(random) else { return false };
                self.play(label);
                self.play_kept(if kind == 5 { at + 1 } else { at }..len);
            }
        }
        self.complete();
        true
    }

    fn play(&mut self, label: MoveLabel) {
        if self.monitor.leaving() {
            return;
        }
        self.played += u64::from(self.path.try_move(label));
        if self.played >= self.allowance {
            self.report();
        }
    }

    /// Plays these moves of the kept path.
    fn play_kept(&mut self, moves: std::ops::Range<usize>) {
        for at in moves {
            let label = self.path.current_label(at);
            self.play(label);
        }
    }

    /// Completes the new path by random moves, and offers it to the incumbent.
    fn complete(&mut self) {
        while !self.monitor.leaving() {
            let random = self.rng.next_u32();
            let Some(label) = self.path.random_label(random) else { break };
            self.play(label);
        }
        if let Some(cost) = self.path.cost() {
            self.incumbent.offer(cost, || self.path.moves());
            if self.incumbent.cost() <= self.lower_bound {
                self.monitor.finish();
            }
        }
    }

    /// A random number below `choices`, which is small, so the bias is negligible.
    fn below(&mut self, choices: usize) -> usize {
        ((u64::from(self.rng.next_u32()) * choices as u64) >> 32) as usize
    }

    /// A random number from 0 up to, but not including, 1.
    fn fraction(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / (1_u64 << 32) as f64
    }
}
