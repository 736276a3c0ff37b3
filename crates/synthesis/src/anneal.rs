//! Simulated annealing of programs: incumbents for machines whose proof is out of reach.
//!
//! A program is a prefix and an endless loop. Random changes are tried one after the other. A change for the better is
//! kept; a change for the worse is kept with a probability that falls. The energy of a program follows from the goals
//! that it leaves unmarked and from the number of its tokens. Each round begins at the highest temperature, with random
//! numbers of its own. So the result does not depend on the number of threads, unless a limit ends the search.
//!
//! Annealing proves nothing.
//!
//! Reference: Kirkpatrick, Gelatt and Vecchi (1983).

use crate::codes::{Codes, MAX_COUNT, cost};
use crate::machine::Machine;
use crate::simulate::{Simulator, with_least_counts};
use crate::tour::way_to_all;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Incumbent, Outcome, Parameters, Solution, Statistics, Workers};
use gridhunt_search::runtime::{Event, Monitor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;

/// The most rounds that are begun together. Only their best program is kept.
const TOGETHER: usize = 1 << 10;

/// The energy, in tokens, that is added if all goals are left. It falls with the square root of the share of goals that
/// are left, so the last goals count most.
const WHOLE: f64 = 24.0;

/// The energy that is added if any goal is left, in tokens.
const UNFINISHED: f64 = 2.0;

/// The temperatures at the beginning and at the end of a round, in tokens.
const HOT: f64 = 1.5;
const COLD: f64 = 0.15;

/// The most tokens of a program.
const MOST_TOKENS: u32 = 40;

/// The most steps of a program, for each state of the machine.
const STEPS_PER_STATE: u64 = 16;

/// The annealing engine.
pub(crate) fn run(
    machine: &dyn Machine,
    held: Option<Solution>,
    parameters: &Parameters,
    workers: &Workers<'_>,
) -> Outcome {
    let incumbent = anneal_from(machine, held, parameters, workers);
    let monitor = workers.monitor;
    let statistics = Statistics {
        expanded: monitor.gauges.expanded.load(Relaxed),
        cpu_seconds: workers.cpu_seconds(),
        bound: "goals".to_owned(),
        ..Statistics::default()
    };
    // A goal takes a token, and a program of one token marks at most one goal.
    let lower_bound = machine.goals().min(2) as Cost;
    monitor.send(&Event::LowerBound(lower_bound));
    Outcome { incumbent, lower_bound, stopped: monitor.stop_reason(), statistics, ..Outcome::unknown() }
}

/// Anneals. Returns the annealed program, or the incumbent if that is shorter.
fn anneal_from(
    machine: &dyn Machine,
    held: Option<Solution>,
    parameters: &Parameters,
    workers: &Workers<'_>,
) -> Option<Solution> {
    let incumbent = Incumbent::new(held, workers.monitor);
    let annealed = anneal(machine, workers, parameters, &incumbent);
    let annealed = annealed.map(|codes| Solution { cost: cost(&codes), moves: codes });
    let best = incumbent.into_solution();
    // Of two equally short programs, the annealed one is always taken.
    let is_best = |annealed: &Solution| best.as_ref().is_none_or(|best| annealed.cost <= best.cost);
    annealed.filter(is_best).or(best)
}

/// Anneals on all threads, and offers programs that mark every goal to the incumbent. Returns the lexically smallest of
/// the shortest programs; `None` if none was found or the search is to stop.
fn anneal(
    machine: &dyn Machine,
    workers: &Workers<'_>,
    parameters: &Parameters,
    incumbent: &Incumbent<'_>,
) -> Option<Vec<u16>> {
    let (rounds, seed) = (parameters.anneal_rounds, parameters.anneal_seed as u64);
    let most_steps = STEPS_PER_STATE * machine.states() as u64;
    let codes = Codes::of(machine);
    let annealer = || Annealer {
        codes,
        simulator: Simulator::new(machine),
        rng: ChaCha8Rng::seed_from_u64(seed),
        goals: machine.goals().max(1),
        most_steps,
        best: None,
        incumbent,
        monitor: workers.monitor,
    };
    let mut best: Option<Vec<u16>> = None;
    for begin in (0..rounds).step_by(TOGETHER) {
        let rounds: Vec<usize> = (begin..rounds.min(begin.saturating_add(TOGETHER))).collect();
        let found = workers.map(&rounds, 1, annealer, |annealer, &round| {
            annealer.rng = ChaCha8Rng::seed_from_u64(seed);
            annealer.rng.set_stream(round as u64);
            annealer.round(machine, parameters.anneal_changes);
            annealer.best.take()
        });
        let found = found.ok()?.into_iter().flatten();
        best = best.into_iter().chain(found).min_by(|a, b| cost(a).cmp(&cost(b)).then_with(|| codes.order(a, b)));
    }
    Some(with_least_counts(machine, best?, most_steps))
}

/// Anneals on one thread.
struct Annealer<'a> {
    codes: Codes,
    simulator: Simulator,
    rng: ChaCha8Rng,
    goals: usize,
    most_steps: u64,
    /// The best program of this round that marks every goal.
    best: Option<Vec<u16>>,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
}

impl Annealer<'_> {
    fn round(&mut self, machine: &dyn Machine, changes: usize) {
        // An instruction in an endless loop.
        let mut held = vec![self.codes.endless, 1, 0];
        let mut energy = self.energy(&held);
        for change in 0..changes {
            if change % 256 == 0 {
                self.monitor.check_limits();
            }
            if self.monitor.should_leave_layer() {
                return;
            }
            self.monitor.count_expansion();
            let temperature = HOT * (COLD / HOT).powf(change as f64 / changes as f64);
            let Some(codes) = self.change(&held, machine.instructions()) else { continue };
            let next = self.energy(&codes);
            if next <= energy || self.fraction() < ((energy - next) / temperature).exp() {
                (held, energy) = (codes, next);
            }
        }
        if self.best.is_none()
            && let Some(codes) = self.complete(machine, held)
        {
            self.energy(&codes);
        }
    }

    /// Completes a program: gives its endless loop the least count with which the loop marks as much, and adds the way
    /// to the goals that are left.
    fn complete(&mut self, machine: &dyn Machine, mut codes: Vec<u16>) -> Option<Vec<u16>> {
        let least = self.simulator.left(&codes, self.most_steps);
        let is_endless = |&at: &usize| codes[at] == self.codes.endless;
        if let Some(begin) = (0..codes.len()).find(is_endless) {
            // After as many repetitions as there are states, nothing new is marked.
            let mut counts = (2..=MAX_COUNT).take(machine.states());
            counts.find(|count| {
                codes[begin] = self.codes.of_loop(*count);
                self.simulator.left(&codes, self.most_steps) == least
            })?;
        }
        let (state, mut marked) = self.simulator.end();
        codes.extend(way_to_all(machine, state, &mut marked)?);
        Some(codes)
    }

    /// The energy of a program. Offers a program that marks every goal.
    fn energy(&mut self, codes: &[u16]) -> f64 {
        let (left, tokens) = (self.simulator.left(codes, self.most_steps), cost(codes));
        if left == 0 {
            self.incumbent.offer(tokens, || codes.to_vec());
            let is_better = |best: &Vec<u16>| (tokens, self.codes.order(codes, best)) < (cost(best), Ordering::Equal);
            if self.best.as_ref().is_none_or(is_better) {
                self.best = Some(codes.to_vec());
            }
            return f64::from(tokens);
        }
        f64::from(tokens) + UNFINISHED + WHOLE * (left as f64 / self.goals as f64).sqrt()
    }

    /// Returns a program that differs a little; `None` if the change gives no valid program.
    fn change(&mut self, codes: &[u16], instructions: u8) -> Option<Vec<u16>> {
        let mut codes = codes.to_vec();
        let at = self.below(codes.len());
        let instruction = 1 + self.below(instructions.into()) as u16;
        match self.below(7) {
            0 => codes.insert(at, instruction),
            1 if self.codes.is_instruction(codes[at]) => codes[at] = instruction,
            2 if self.codes.is_instruction(codes[at]) => drop(codes.remove(at)),
            // A loop is put around what follows.
            3 => {
                let end = at + 1 + self.below(4).min(codes.len() - at - 1);
                codes.insert(end, 0);
                codes.insert(at, self.codes.of_loop(self.count()));
            }
            // A loop is removed from around its body.
            4 if codes[at] > self.codes.endless => {
                codes.remove(self.codes.end_of(&codes, at)?);
                codes.remove(at);
            }
            5 if codes[at] > self.codes.endless => {
                codes[at] = match self.below(4) {
                    0 => codes[at].saturating_add(1),
                    1 => codes[at] - 1,
                    _ => self.codes.of_loop(self.count()),
                }
            }
            // A piece is moved.
            6 => {
                let end = at + 1 + self.below(3).min(codes.len() - at - 1);
                let piece: Vec<u16> = codes.drain(at..end).collect();
                let to = self.below(codes.len() + 1);
                codes.splice(to..to, piece);
            }
            _ => return None,
        }
        (self.is_program(&codes) && cost(&codes) <= MOST_TOKENS).then_some(codes)
    }

    /// A count of a loop: small counts are more likely.
    fn count(&mut self) -> u16 {
        let most = if self.below(4) == 0 { 30 } else { 8 };
        2 + self.below(most) as u16
    }

    fn below(&mut self, choices: usize) -> usize {
        // The bias is negligible for so few choices.
        ((u64::from(self.rng.next_u32()) * choices as u64) >> 32) as usize
    }

    fn fraction(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / f64::from(u32::MAX)
    }

    /// Whether every loop has a body and an end, no loop has count 1, and an endless loop is the end of the program.
    fn is_program(&self, codes: &[u16]) -> bool {
        let is_last = |at| self.codes.end_of(codes, at) == Some(codes.len() - 1);
        let may_stand = |(at, &code): (usize, &u16)| match code.checked_sub(self.codes.endless) {
            Some(0) => is_last(at),
            count => count != Some(1),
        };
        self.codes.are_whole(codes) && codes.iter().enumerate().all(may_stand)
    }
}
