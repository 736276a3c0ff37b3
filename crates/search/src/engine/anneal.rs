//! Simulated annealing of solutions.
//!
//! A change shifts, removes or replaces one move of the path, or inserts another move before it. The later moves are
//! repeated where possible ([`LocalSearchPath`]), and random moves complete the path. A change that lowers the energy
//! is accepted; any other change is accepted with a probability that falls. Each round begins with a random path, at
//! the highest temperature, and with its own random numbers. Each round tries twice as many changes as the previous
//! one, up to [`MAX_ROUND_FACTOR`] times as many as the first.
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

const SUMMARY: &str = "simulated annealing, for high scores and for programs; never a proof by itself";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "anneal", summary: SUMMARY, proves: false, has_checkpoints: false, uses_ranks: false },
    run: |space, parameters, known, context| Ok(run(space, parameters, known, context)),
};

/// The longest rounds try this many times as many changes as the first round.
const MAX_ROUND_FACTOR: usize = 256;

/// The ratio of the last to the first temperature of a round.
const COOLING: f64 = 1.0 / 16.0;

/// The number of changes between two updates of the temperature and checks of the limits.
const CHANGES_PER_UPDATE: usize = 64;

/// The largest number of moves between two checks of the limits. A path may be longer.
const MAX_UNREPORTED: u64 = 256;

/// Half of the shifts, chosen at random, move by at most this many places.
const MAX_SHORT_SHIFT: usize = 6;

/// Anneals on all threads. `known` is a solution found before; only cheaper ones are reported.
fn run(space: &dyn StateSpace, parameters: &Parameters, known: Option<Solution>, context: &Context<'_>) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let (lower_bound, next_round) = (space.lower_bound(), AtomicUsize::new(0));
    monitor.send(&Event::LowerBound(lower_bound));
    let workers = context.threads.max(1);
    let crew = monitor.run_with_progress(|| {
        run_crew(&Crew::new(workers), vec![(); workers], |_, ()| {
            loop {
                let round = next_round.fetch_add(1, Relaxed);
                if round >= parameters.anneal_rounds || monitor.should_leave_layer() {
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
                    reported_bytes: 0,
                    unreported_changes: 0,
                    unreported_moves: 0,
                    workers,
                    allowance: monitor.expansion_allowance(MAX_UNREPORTED, workers),
                };
                let factor = 1 << round.min(MAX_ROUND_FACTOR.ilog2() as usize);
                annealer.run_round(parameters.anneal_changes.saturating_mul(factor));
                monitor.gauges.subtract_bytes(annealer.reported_bytes);
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
    Outcome { incumbent, lower_bound, stopped: monitor.stop_reason(), statistics, ..Outcome::unknown() }
}

struct Annealer<'a> {
    path: Box<dyn LocalSearchPath + 'a>,
    rng: ChaCha8Rng,
    lower_bound: Cost,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// Bytes of the path that the gauges contain already.
    reported_bytes: u64,
    /// Changes and moves that the gauges do not contain yet.
    unreported_changes: u64,
    unreported_moves: u64,
    workers: usize,
    /// The number of unreported moves after which the gauges are updated.
    allowance: u64,
}

impl Annealer<'_> {
    fn run_round(&mut self, changes: usize) {
        self.path.begin_candidate(0);
        self.complete();
        let mut energy = self.path.energy();
        let first_temperature = self.path.first_temperature(energy.saturating_sub(self.lower_bound).max(1));
        self.path.accept();
        let mut temperature = first_temperature;
        for change in 0..changes {
            if change % CHANGES_PER_UPDATE == 0 {
                temperature = first_temperature * COOLING.powf(change as f64 / changes as f64);
                self.report();
            }
            if self.monitor.should_leave_layer() || self.path.current_len() == 0 {
                break;
            }
            if !self.make_candidate() {
                continue;
            }
            self.unreported_changes += 1;
            let candidate_energy = self.path.energy();
            let rise = f64::from(candidate_energy) - f64::from(energy);
            if rise <= 0.0 || self.random_unit() < (-rise / temperature).exp() {
                self.path.accept();
                energy = candidate_energy;
            }
        }
        self.report();
    }

    fn report(&mut self) {
        let (gauges, bytes) = (&self.monitor.gauges, self.path.bytes());
        gauges.add_bytes(bytes - self.reported_bytes);
        self.reported_bytes = bytes;
        gauges.generated.fetch_add(std::mem::take(&mut self.unreported_changes), Relaxed);
        gauges.expanded.fetch_add(std::mem::take(&mut self.unreported_moves), Relaxed);
        self.monitor.check_limits();
        self.allowance = self.monitor.expansion_allowance(MAX_UNREPORTED, self.workers);
    }

    /// Makes a candidate by one change of the path: in 4 of 8 cases it shifts a move, in 1 it removes one, in 1 it
    /// replaces one, in 2 it inserts one. Returns false, and makes nothing, if the move would stay in place.
    fn make_candidate(&mut self) -> bool {
        let (len, kind) = (self.path.current_len(), self.random_below(8));
        let at = self.random_below(len);
        match kind {
            0..4 => {
                let to = if self.random_below(2) == 0 {
                    let (is_later, distance) = (self.random_below(2) == 0, 1 + self.random_below(MAX_SHORT_SHIFT));
                    if is_later { (at + distance).min(len - 1) } else { at.saturating_sub(distance) }
                } else {
                    self.random_below(len)
                };
                if to == at {
                    return false;
                }
                let moved = self.path.current_label(at);
                self.path.begin_candidate(at.min(to));
                if to < at {
                    self.try_move(moved);
                    self.repeat_moves(to..at);
                    self.repeat_moves(at + 1..len);
                } else {
                    self.repeat_moves(at + 1..to + 1);
                    self.try_move(moved);
                    self.repeat_moves(to + 1..len);
                }
            }
            4 => {
                self.path.begin_candidate(at);
                self.repeat_moves(at + 1..len);
            }
            _ => {
                self.path.begin_candidate(at);
                let random = self.rng.next_u32();
                let Some(label) = self.path.random_label(random) else { return false };
                self.try_move(label);
                self.repeat_moves(if kind == 5 { at + 1 } else { at }..len);
            }
        }
        self.complete();
        true
    }

    fn try_move(&mut self, label: MoveLabel) {
        if self.monitor.should_leave_layer() {
            return;
        }
        self.unreported_moves += u64::from(self.path.try_move(label));
        if self.unreported_moves >= self.allowance {
            self.report();
        }
    }

    /// Repeats these moves of the current path where possible.
    fn repeat_moves(&mut self, moves: std::ops::Range<usize>) {
        for at in moves {
            let label = self.path.current_label(at);
            self.try_move(label);
        }
    }

    fn complete(&mut self) {
        while !self.monitor.should_leave_layer() {
            let random = self.rng.next_u32();
            let Some(label) = self.path.random_label(random) else { break };
            self.try_move(label);
        }
        if let Some(cost) = self.path.cost() {
            self.incumbent.offer(cost, || self.path.moves());
            if self.incumbent.cost() <= self.lower_bound {
                self.monitor.finish();
            }
        }
    }

    /// A random number below `choices`, which is small, so the bias is negligible.
    fn random_below(&mut self, choices: usize) -> usize {
        ((u64::from(self.rng.next_u32()) * choices as u64) >> 32) as usize
    }

    /// A random number from 0 up to, but not including, 1.
    fn random_unit(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / (1_u64 << 32) as f64
    }
}
