//! Simulated annealing of programs: incumbents for machines whose proof is out of reach.
//!
//! A program is a prefix and an endless loop. Its energy depends on the number of its tokens and of unmarked goals. A
//! random change that lowers the energy is accepted; any other change is accepted with a probability that falls. Each
//! round begins at the highest temperature, with its own random numbers. So the result does not depend on the number of
//! threads, unless a limit ends the search.
//!
//! Annealing proves nothing.
//!
//! Reference: Kirkpatrick, Gelatt and Vecchi (1983).

use crate::codes::{Codes, MAX_COUNT, cost, solution};
use crate::machine::Machine;
use crate::simulate::{Simulator, with_least_counts};
use crate::tour::path_to_all_goals;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Incumbent, Outcome, Parameters, Solution, Statistics, Workers};
use gridhunt_search::runtime::{Event, Monitor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;

/// The largest number of rounds in a parallel loop, which keeps only the best program.
const ROUNDS_PER_BATCH: usize = 1 << 10;

/// The energy, in tokens, of leaving all goals unmarked. It falls with the square root of the share of unmarked goals,
/// so the last goals count most.
const ALL_GOALS_PENALTY: f64 = 24.0;

/// The additional energy, in tokens, of leaving any goal unmarked.
const ANY_GOAL_PENALTY: f64 = 2.0;

/// The temperatures at the beginning and at the end of a round, in tokens.
const FIRST_TEMPERATURE: f64 = 1.5;
const LAST_TEMPERATURE: f64 = 0.15;

/// The largest number of tokens of a program.
const MAX_TOKENS: u32 = 40;

/// The largest number of steps of a program, for each state of the machine.
const STEPS_PER_STATE: u64 = 16;

/// The annealing engine. Its incumbent is the annealed program, or a known one if that is shorter.
pub(crate) fn run(
    machine: &dyn Machine,
    known: Option<Solution>,
    parameters: &Parameters,
    workers: &Workers<'_>,
) -> Outcome {
    let monitor = workers.monitor;
    let incumbent = Incumbent::new(known, monitor);
    let annealed = anneal(machine, workers, parameters, &incumbent).map(solution);
    let best = incumbent.into_solution();
    // The annealed program wins ties.
    let is_best = |annealed: &Solution| best.as_ref().is_none_or(|best| annealed.cost <= best.cost);
    let incumbent = annealed.filter(is_best).or(best);
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

/// Anneals on all threads, and offers programs that mark every goal to the incumbent. Returns the lexically smallest of
/// the shortest programs; `None` if none was found or the search is to stop.
fn anneal(
    machine: &dyn Machine,
    workers: &Workers<'_>,
    parameters: &Parameters,
    incumbent: &Incumbent<'_>,
) -> Option<Vec<u16>> {
    let (rounds, seed) = (parameters.anneal_rounds, parameters.anneal_seed as u64);
    let max_steps = STEPS_PER_STATE * machine.states() as u64;
    let codes = Codes::of(machine);
    let annealer = || Annealer {
        codes,
        simulator: Simulator::new(machine),
        rng: ChaCha8Rng::seed_from_u64(seed),
        goals: machine.goals().max(1),
        max_steps,
        best: None,
        incumbent,
        monitor: workers.monitor,
    };
    let mut best: Option<Vec<u16>> = None;
    for begin in (0..rounds).step_by(ROUNDS_PER_BATCH) {
        let rounds: Vec<usize> = (begin..rounds.min(begin.saturating_add(ROUNDS_PER_BATCH))).collect();
        let found = workers.map(&rounds, 1, annealer, |annealer, &round| {
            annealer.rng = ChaCha8Rng::seed_from_u64(seed);
            annealer.rng.set_stream(round as u64);
            annealer.round(machine, parameters.anneal_changes);
            annealer.best.take()
        });
        let found = found.ok()?.into_iter().flatten();
        best = best.into_iter().chain(found).min_by(|a, b| cost(a).cmp(&cost(b)).then_with(|| codes.order(a, b)));
    }
    Some(with_least_counts(machine, best?, max_steps))
}

/// Anneals on one thread.
struct Annealer<'a> {
    codes: Codes,
    simulator: Simulator,
    rng: ChaCha8Rng,
    goals: usize,
    max_steps: u64,
    /// The best complete program of this round.
    best: Option<Vec<u16>>,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
}

impl Annealer<'_> {
    fn round(&mut self, machine: &dyn Machine, changes: usize) {
        // One instruction in an endless loop.
        let mut current = vec![self.codes.endless, 1, 0];
        let mut energy = self.evaluate(&current);
        for change in 0..changes {
            if change % 256 == 0 {
                self.monitor.check_limits();
            }
            if self.monitor.should_leave_layer() {
                return;
            }
            self.monitor.count_expansion();
            let temperature =
                FIRST_TEMPERATURE * (LAST_TEMPERATURE / FIRST_TEMPERATURE).powf(change as f64 / changes as f64);
            let Some(codes) = self.random_neighbour(&current, machine.instructions()) else { continue };
            let next = self.evaluate(&codes);
            if next <= energy || self.random_unit() < ((energy - next) / temperature).exp() {
                (current, energy) = (codes, next);
            }
        }
        if self.best.is_none()
            && let Some(codes) = self.complete(machine, current)
        {
            self.evaluate(&codes);
        }
    }

    /// Completes a program: replaces its endless loop by a loop of the least count that marks as many goals, and adds a
    /// path to the unmarked goals.
    fn complete(&mut self, machine: &dyn Machine, mut codes: Vec<u16>) -> Option<Vec<u16>> {
        let unmarked = self.simulator.unmarked_goals(&codes, self.max_steps);
        let is_endless = |&at: &usize| codes[at] == self.codes.endless;
        if let Some(begin) = (0..codes.len()).find(is_endless) {
            // After as many repetitions as there are states, nothing new is marked.
            let mut counts = (2..=MAX_COUNT).take(machine.states());
            counts.find(|count| {
                codes[begin] = self.codes.of_loop(*count);
                self.simulator.unmarked_goals(&codes, self.max_steps) == unmarked
            })?;
        }
        let (state, mut marked) = self.simulator.end_of_run();
        codes.extend(path_to_all_goals(machine, state, &mut marked)?);
        Some(codes)
    }

    /// Offers the program if it marks every goal, and returns its energy.
    fn evaluate(&mut self, codes: &[u16]) -> f64 {
        let (unmarked, tokens) = (self.simulator.unmarked_goals(codes, self.max_steps), cost(codes));
        if unmarked == 0 {
            self.incumbent.offer(tokens, || codes.to_vec());
            let is_better = |best: &Vec<u16>| (tokens, self.codes.order(codes, best)) < (cost(best), Ordering::Equal);
            if self.best.as_ref().is_none_or(is_better) {
                self.best = Some(codes.to_vec());
            }
            return f64::from(tokens);
        }
        f64::from(tokens) + ANY_GOAL_PENALTY + ALL_GOALS_PENALTY * (unmarked as f64 / self.goals as f64).sqrt()
    }

    /// A random neighbour of a program; `None` if the change gives no valid program.
    fn random_neighbour(&mut self, codes: &[u16], instructions: u8) -> Option<Vec<u16>> {
        let mut codes = codes.to_vec();
        let at = self.random_below(codes.len());
        let instruction = 1 + self.random_below(instructions.into()) as u16;
        match self.random_below(7) {
            0 => codes.insert(at, instruction),
            1 if self.codes.is_instruction(codes[at]) => codes[at] = instruction,
            2 if self.codes.is_instruction(codes[at]) => drop(codes.remove(at)),
            // Inserts a loop around the next codes.
            3 => {
                let end = at + 1 + self.random_below(4).min(codes.len() - at - 1);
                codes.insert(end, 0);
                codes.insert(at, self.codes.of_loop(self.random_count()));
            }
            // Removes a loop but not its body.
            4 if codes[at] > self.codes.endless => {
                codes.remove(self.codes.end_of(&codes, at)?);
                codes.remove(at);
            }
            5 if codes[at] > self.codes.endless => {
                codes[at] = match self.random_below(4) {
                    0 => codes[at].saturating_add(1),
                    1 => codes[at] - 1,
                    _ => self.codes.of_loop(self.random_count()),
                }
            }
            // Moves a piece.
            6 => {
                let end = at + 1 + self.random_below(3).min(codes.len() - at - 1);
                let piece: Vec<u16> = codes.drain(at..end).collect();
                let to = self.random_below(codes.len() + 1);
                codes.splice(to..to, piece);
            }
            _ => return None,
        }
        (self.is_program(&codes) && cost(&codes) <= MAX_TOKENS).then_some(codes)
    }

    /// A loop count; small counts are more likely.
    fn random_count(&mut self) -> u16 {
        let choices = if self.random_below(4) == 0 { 30 } else { 8 };
        2 + self.random_below(choices) as u16
    }

    fn random_below(&mut self, choices: usize) -> usize {
        // The bias is negligible for so few choices.
        ((u64::from(self.rng.next_u32()) * choices as u64) >> 32) as usize
    }

    fn random_unit(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / f64::from(u32::MAX)
    }

    /// Whether every loop has a body and an end, no loop has count 1, and an endless loop ends the program.
    fn is_program(&self, codes: &[u16]) -> bool {
        let is_last = |at| self.codes.end_of(codes, at) == Some(codes.len() - 1);
        let is_valid = |(at, &code): (usize, &u16)| match code.checked_sub(self.codes.endless) {
            Some(0) => is_last(at),
            count => count != Some(1),
        };
        self.codes.have_complete_loops(codes) && codes.iter().enumerate().all(is_valid)
    }
}
