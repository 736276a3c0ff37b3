//! Nested rollout policy adaptation: playouts that learn from the best playout.
//!
//! A search of level 0 is one playout. It draws moves at random, with weights from a policy, until no move is left. A
//! search of a higher level runs several searches of the next lower level. After each of them it makes the moves of the
//! best playout so far likelier, in a policy of its own.
//!
//! **When to use it.** For high scores in Clickomania.
//!
//! **Guarantees.** Each thread runs a search of its own with its own random numbers; threads share the incumbent alone.
//! One thread gives the same result for the same seed. With several threads, each thread plays the same playouts for
//! the same seed, unless a limit ends the search. The search proves nothing beyond the lower bound of the root.
//!
//! Reference: Rosin (2011). Deferring one colour in playouts of SameGame ([`Choice::deferred`]) is known from Schadd et
//! al. (2008).

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::parameters::Parameters;
use crate::domain::{Choice, Cost, MoveIndex};
use crate::expand::{Playout, StateSpace};
use crate::runtime::{Crew, Event, Monitor, run_crew, table_bytes};
use foldhash::fast::FixedState;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

/// The learning rate: the step of the logarithm of a weight.
const ALPHA: f64 = 1.0;

/// The deepest nesting. The time grows exponentially with it.
const DEEPEST: usize = 8;

/// Runs a search of the level in `parameters` on each thread. `known` is a solution found before; only cheaper ones are
/// reported.
pub(super) fn run(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let lower_bound = space.lower_bound();
    monitor.tell(&Event::LowerBound(lower_bound));
    let workers = context.threads.max(1);
    let crew = monitor.watch(|| {
        run_crew(&Crew::new(workers), vec![(); workers], |number, ()| {
            let mut rng = ChaCha8Rng::seed_from_u64(parameters.nested_seed as u64);
            rng.set_stream(number as u64);
            let iterations = parameters.nested_iterations.max(1);
            let (playout, max_played) = (space.playout(), space.max_played_moves());
            let (incumbent, monitor) = (&incumbent, &monitor);
            let mut player = NestedPlayer { playout, max_played, iterations, lower_bound, incumbent, monitor, rng };
            player.search(parameters.nested_level.min(DEEPEST), &Policy::default());
        })
    });
    debug_assert_eq!(monitor.gauges.bytes.load(Relaxed), 0, "every search releases the bytes of its policy");
    let statistics = Statistics {
        expanded: monitor.gauges.expanded.load(Relaxed),
        // The moves that playouts could choose from.
        generated: monitor.gauges.generated.load(Relaxed),
        peak_bytes: monitor.gauges.peak_bytes.load(Relaxed),
        cpu_seconds: crew.cpu_seconds,
        ..Statistics::default()
    };
    let incumbent = incumbent.into_solution();
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// The rank of a playout; less is better: its loss ([`Cost::MAX`] without a solution), then the heuristic of its end.
type Rank = (Cost, Reverse<u32>);

/// A finished playout.
#[derive(Clone, Debug, Default)]
struct Sequence {
    rank: Option<Rank>,
    moves: Vec<MoveIndex>,
    steps: Vec<Step>,
    /// The codes of all choices, step by step.
    codes: Vec<u64>,
}

/// One choice of a playout.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The code of the chosen move.
    chosen: u64,
    /// The end of the codes of this step in [`Sequence::codes`].
    end: usize,
}

/// Weights of moves by their code. A weight that was not learned is 1.
#[derive(Clone, Debug, Default)]
struct Policy(HashMap<u64, f64, FixedState>);

impl Policy {
    /// Bytes of the table, which never shrinks.
    fn bytes(&self) -> u64 {
        table_bytes(&self.0)
    }

    fn weight(&self, code: u64) -> f64 {
        self.0.get(&code).copied().unwrap_or(1.0)
    }

    /// Makes the moves of a playout likelier and its other choices less likely: one step along the gradient of the
    /// logarithm of the playout's probability.
    fn learn(&mut self, sequence: &Sequence) {
        let mut gains = Vec::with_capacity(sequence.codes.len() + sequence.steps.len());
        let mut begin = 0;
        for step in &sequence.steps {
            let first = gains.len();
            let mut sum = 0.0;
            for &code in &sequence.codes[begin..step.end] {
                let weight = self.weight(code);
                sum += weight;
                gains.push((code, weight));
            }
            begin = step.end;
            for (_, gain) in &mut gains[first..] {
                *gain *= -ALPHA / sum;
            }
            gains.push((step.chosen, ALPHA));
        }
        for (code, gain) in gains {
            let weight = self.0.entry(code).or_insert(1.0);
            // Weights stay positive and finite.
            *weight = (*weight * gain.exp()).clamp(1e-100, 1e100);
        }
    }
}

/// One thread's search.
struct NestedPlayer<'a> {
    playout: Box<dyn Playout + 'a>,
    /// The number of moves after which a playout ends.
    max_played: usize,
    iterations: usize,
    lower_bound: Cost,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    rng: ChaCha8Rng,
}

impl NestedPlayer<'_> {
    /// Runs a search of the given level that begins with `policy`. Returns its best playout.
    fn search(&mut self, level: usize, policy: &Policy) -> Sequence {
        if level == 0 {
            return self.play(policy);
        }
        let (mut policy, mut best) = (policy.clone(), Sequence::default());
        let (gauges, mut told) = (&self.monitor.gauges, 0);
        for _ in 0..self.iterations {
            let bytes = policy.bytes();
            gauges.hold_more(bytes - told);
            told = bytes;
            let sequence = self.search(level - 1, &policy);
            // Of two equal playouts the later one is kept, because the learned policy led to it.
            if best.rank.is_none() || sequence.rank <= best.rank {
                best = sequence;
            }
            if self.monitor.leaving() {
                break;
            }
            policy.learn(&best);
        }
        gauges.hold_less(told);
        best
    }

    /// Runs a playout. Its loss is the least loss of all states at which the playout could have stopped.
    fn play(&mut self, policy: &Policy) -> Sequence {
        let playout = &mut *self.playout;
        playout.restart();
        let (mut g, mut best) = (0, (Cost::MAX, 0));
        let (mut sequence, mut weights) = (Sequence::default(), Vec::new());
        loop {
            if let Some(stop) = playout.terminal().filter(|stop| g + stop < best.0) {
                best = (g + stop, sequence.moves.len());
            }
            // A playout of a large board takes long. If it ends early, its best end so far counts.
            if sequence.moves.len() == self.max_played || self.monitor.leaving() {
                break;
            }
            let choices = playout.choices();
            let Some(at) = choose(&mut self.rng, policy, choices, &mut weights) else { break };
            let offered = choices.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0);
            sequence.codes.extend(offered.map(|(choice, _)| choice.code));
            sequence.steps.push(Step { chosen: choices[at].code, end: sequence.codes.len() });
            let (mv, cost) = playout.play(at);
            sequence.moves.push(mv);
            g += cost;
        }
        self.incumbent.offer(best.0, || sequence.moves[..best.1].to_vec());
        sequence.rank = Some((best.0, Reverse(playout.promise())));
        self.monitor.gauges.generated.fetch_add(sequence.codes.len() as u64, Relaxed);
        self.monitor.gauges.expanded.fetch_add(sequence.steps.len() as u64 + 1, Relaxed);
        self.monitor.check_limits();
        if self.incumbent.cost() <= self.lower_bound {
            self.monitor.finish();
        }
        sequence
    }
}

/// Draws one of the choices by their weights. `None` if there is no choice. Deferred moves get the weight 0, unless all
/// are deferred.
fn choose(rng: &mut ChaCha8Rng, policy: &Policy, choices: &[Choice], weights: &mut Vec<f64>) -> Option<usize> {
    let all_deferred = choices.iter().all(|choice| choice.deferred);
    let weight = |choice: &Choice| {
        let has_no_weight = choice.deferred && !all_deferred;
        if has_no_weight { 0.0 } else { policy.weight(choice.code) }
    };
    weights.clear();
    weights.extend(choices.iter().map(weight));
    // An `f64` holds 53 bits.
    let share = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut left = share * weights.iter().sum::<f64>();
    let drawn = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave a rest after the last choice.
    drawn.or_else(|| weights.iter().rposition(|weight| *weight > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of some choices is drawn, by their weights and whether they are deferred.
    fn draws(choices: &[(f64, bool)]) -> Option<Vec<u32>> {
        let codes = (1..).zip(choices);
        let policy = Policy(codes.clone().map(|(code, (weight, _))| (code, *weight)).collect());
        let choices: Vec<Choice> = codes.map(|(code, &(_, deferred))| Choice { place: 0, code, deferred }).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut drawn = vec![0; choices.len()];
        for _ in 0..4_000 {
            drawn[choose(&mut rng, &policy, &choices, &mut Vec::new())?] += 1;
        }
        Some(drawn)
    }

    #[test]
    fn deferred_moves_are_chosen_only_if_all_are_deferred() {
        let mixed = draws(&[(3.0, false), (1e9, true), (1.0, false), (1e9, true)]).unwrap();
        assert_eq!((mixed[0] + mixed[2], mixed[1], mixed[3]), (4_000, 0, 0));
        assert!((2_900..3_100).contains(&mixed[0]), "{mixed:?}");
        let deferred = draws(&[(1.0, true), (1.0, true)]).unwrap();
        assert!((1_900..2_100).contains(&deferred[0]), "{deferred:?}");
        assert_eq!(draws(&[]), None);
    }
}
