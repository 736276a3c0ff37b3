//! Simulated annealing of programs: incumbents for machines that are out of reach otherwise.
//!
//! A program is a prefix and an endless loop. It is changed at random, a little at a time; what is better stays, what is worse with a
//! probability that falls. What counts is how many goals it leaves, and its tokens. Each round begins anew at the highest temperature, with
//! random numbers of its own: what is found does not depend on the number of threads, unless a limit ends it.
//!
//! It proves nothing.
//!
//! Reference: Kirkpatrick, Gelatt and Vecchi (1983).

use super::share::Workers;
use super::simulate::{Simulator, with_least_counts};
use super::{LOOP, cost, order, way_to_all};
use crate::board::MAX_COUNT;
use crate::domain::Machine;
use crate::engine::incumbent::Incumbent;
use crate::runtime::Monitor;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;

/// How long to anneal.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    pub(super) rounds: usize,
    /// Changes tried in each round.
    pub(super) changes: usize,
    pub(super) seed: usize,
}

/// A board that is not marked at all counts as much as so many tokens; by the square root, so that the last goals count most.
const WHOLE: f64 = 24.0;

/// What a program counts that leaves anything.
const UNFINISHED: f64 = 2.0;

/// Temperatures at the beginning and at the end of a round, in tokens.
const HOT: f64 = 1.5;
const COLD: f64 = 0.15;

/// The most tokens of a program, in all its parts.
const LONGEST: u32 = 40;

/// The most instructions that are carried out, for each state.
const PATIENCE: u64 = 16;

/// Anneals on all threads; programs that complete the machine are offered. Gives the shortest one, of equally long ones the smallest in
/// lexical order, or `None` when it was stopped before its end or has found none.
pub(super) fn anneal(
    machine: &impl Machine,
    workers: &Workers<'_>,
    schedule: Schedule,
    incumbent: &Incumbent<'_>,
) -> Option<Vec<u16>> {
    let patience = PATIENCE * machine.states() as u64;
    let rounds: Vec<u64> = (0..schedule.rounds as u64).collect();
    let smith = || Smith {
        simulator: Simulator::new(machine),
        rng: ChaCha8Rng::seed_from_u64(schedule.seed as u64),
        goals: machine.goals().max(1),
        patience,
        best: None,
        incumbent,
        monitor: workers.monitor,
    };
    let found = workers.each(&rounds, 1, smith, |smith, &round| {
        smith.rng = ChaCha8Rng::seed_from_u64(schedule.seed as u64);
        smith.rng.set_stream(round);
        smith.round(machine, schedule.changes);
        smith.best.take()
    })?;
    let best = found.into_iter().flatten().min_by(|a, b| cost(a).cmp(&cost(b)).then_with(|| order(a, b)))?;
    Some(with_least_counts(machine, best, patience))
}

struct Smith<'a> {
    simulator: Simulator,
    rng: ChaCha8Rng,
    goals: usize,
    patience: u64,
    /// The best complete program of this round.
    best: Option<Vec<u16>>,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
}

impl Smith<'_> {
    fn round(&mut self, machine: &impl Machine, changes: usize) {
        // An instruction in an endless loop.
        let mut held = vec![LOOP, 1, 0];
        let mut energy = self.energy(&held);
        for change in 0..changes {
            if change % 256 == 0 {
                self.monitor.gauges.expanded.fetch_add(256, Relaxed);
                self.monitor.check_limits();
                if self.monitor.leaving() {
                    return;
                }
            }
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

    /// A program whose endless loop ends where it marks nothing more, and then the way to what it leaves.
    fn complete(&mut self, machine: &impl Machine, mut codes: Vec<u16>) -> Option<Vec<u16>> {
        let least = self.simulator.left(&codes, self.patience);
        let is_endless = |&at: &usize| codes[at] == LOOP;
        if let Some(begin) = (0..codes.len()).find(is_endless) {
            // As many repetitions as there are states come by everything.
            let mut counts = (2..=MAX_COUNT).take(machine.states());
            counts.find(|count| {
                codes[begin] = LOOP + count;
                self.simulator.left(&codes, self.patience) == least
            })?;
        }
        let (state, mut marked) = self.simulator.end();
        codes.extend(way_to_all(machine, state, &mut marked)?);
        Some(codes)
    }

    /// What a program leaves and costs; a complete one is offered.
    fn energy(&mut self, codes: &[u16]) -> f64 {
        let (left, tokens) = (self.simulator.left(codes, self.patience), cost(codes));
        if left == 0 {
            self.incumbent.offer(tokens, || codes.to_vec());
            let is_better = |best: &Vec<u16>| (tokens, order(codes, best)) < (cost(best), Ordering::Equal);
            if self.best.as_ref().is_none_or(is_better) {
                self.best = Some(codes.to_vec());
            }
            return f64::from(tokens);
        }
        f64::from(tokens) + UNFINISHED + WHOLE * (left as f64 / self.goals as f64).sqrt()
    }

    /// A program that differs a little; `None` when the change makes none.
    fn change(&mut self, codes: &[u16], instructions: u8) -> Option<Vec<u16>> {
        let mut codes = codes.to_vec();
        let at = self.below(codes.len());
        let instruction = 1 + self.below(instructions.into()) as u16;
        match self.below(7) {
            0 => codes.insert(at, instruction),
            1 if (1..LOOP).contains(&codes[at]) => codes[at] = instruction,
            2 if (1..LOOP).contains(&codes[at]) => drop(codes.remove(at)),
            // A loop around what follows.
            3 => {
                let end = at + 1 + self.below(4).min(codes.len() - at - 1);
                codes.insert(end, 0);
                codes.insert(at, LOOP + self.count());
            }
            // A loop is taken away from around its body.
            4 if codes[at] > LOOP => {
                codes.remove(end_of(&codes, at)?);
                codes.remove(at);
            }
            5 if codes[at] > LOOP => {
                codes[at] = match self.below(4) {
                    0 => codes[at].saturating_add(1),
                    1 => codes[at] - 1,
                    _ => LOOP + self.count(),
                }
            }
            // A piece is put somewhere else.
            6 => {
                let end = at + 1 + self.below(3).min(codes.len() - at - 1);
                let piece: Vec<u16> = codes.drain(at..end).collect();
                let to = self.below(codes.len() + 1);
                codes.splice(to..to, piece);
            }
            _ => return None,
        }
        (is_program(&codes) && cost(&codes) <= LONGEST).then_some(codes)
    }

    /// How often a loop is repeated: mostly a few times.
    fn count(&mut self) -> u16 {
        let most = if self.below(4) == 0 { 30 } else { 8 };
        2 + self.below(most) as u16
    }

    fn below(&mut self, choices: usize) -> usize {
        // As good as fair for so few choices.
        ((u64::from(self.rng.next_u32()) * choices as u64) >> 32) as usize
    }

    fn fraction(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / f64::from(u32::MAX)
    }
}

/// Whether every loop has a body and an end and is repeated, and the only endless one is the last thing of the program.
fn is_program(codes: &[u16]) -> bool {
    let mut open = 0;
    let nests = codes.iter().enumerate().all(|(at, &code)| {
        open += i32::from(code >= LOOP) - i32::from(code == 0);
        let is_empty = code == 0 && at > 0 && codes[at - 1] >= LOOP;
        let is_last = code != LOOP || end_of(codes, at) == Some(codes.len() - 1) && open == 1;
        open >= 0 && !is_empty && is_last && code != LOOP + 1
    });
    nests && open == 0
}

/// Where the loop ends that begins there.
fn end_of(codes: &[u16], begin: usize) -> Option<usize> {
    let mut open = 0;
    (begin..codes.len()).find(|&at| {
        open += i32::from(codes[at] >= LOOP) - i32::from(codes[at] == 0);
        open == 0
    })
}
