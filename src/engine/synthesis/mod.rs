//! Program synthesis: the shortest program that marks every goal of a machine, proven.
//!
//! Sizes are tested one after the other ([`goal`]), with all behaviours that fragments of programs have, level by level ([`levels`]). What a
//! fragment does never depends on what is marked, so two fragments that lead from the same states to the same states and mark the same
//! goals on the way stand for each other in every program.
//!
//! A *layer* here is a size: when it is over, no program of so many tokens or fewer exists. It counts the bodies that were tried, and the
//! fragments that were.
//!
//! **Checkpoints** have no records. A checkpoint holds the recipes of all fragments and where the search was. A resume computes
//! the semantics of the fragments again, on any number of threads and with any memory.

mod anneal;
mod behaviour;
mod goal;
mod levels;
mod orbits;
mod prefix;
mod share;
mod simulate;
#[cfg(test)]
mod tests;

use super::checkpointer::{CheckpointConfig, Checkpointer, unusable};
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::snapshot::{Snapshot, Work};
use super::{Context, EngineKind, Parameters};
use crate::board::Program;
use crate::checkpoint::CheckpointError;
use crate::domain::{Cost, Machine};
use crate::runtime::{Event, Layer, Limits, Monitor, thread_cpu_seconds};
use anneal::{Schedule, anneal};
use behaviour::Shape;
use goal::{ALL_STORED, BATCH, BEYOND, Sought, Task, Test, Testing, keep_smaller};
use levels::{Levels, Room, SavedLevels};
use serde::{Deserialize, Serialize};
use share::Workers;
use simulate::{PATIENCE, Simulator, with_least_counts};
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;

/// The code of an endless loop in [`crate::board::Program`]; less than that have the end of a loop and instructions, more the loops that count.
const LOOP: u16 = crate::board::INSTRUCTIONS.len() as u16 + 1;

/// Bytes of behaviours that are held at most, where memory is not limited to less than twice as much.
const MOST_HELD: u64 = 1 << 29;

/// The level up to which fragments show which goals are seldom marked.
const SAMPLE: usize = 3;

/// Lexical order of programs: closing braces before instructions before loops, and counts at the very end.
fn order(one: &[u16], other: &[u16]) -> Ordering {
    fn skeleton(codes: &[u16]) -> impl Iterator<Item = u16> {
        codes.iter().map(|&code| code.min(LOOP))
    }
    skeleton(one).cmp(skeleton(other)).then_with(|| one.cmp(other))
}

/// What program synthesis has made, and where it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Synthesis {
    /// Tokens of the programs that are tested.
    size: Cost,
    /// Whether everything smaller was tried.
    is_complete: bool,
    is_annealed: bool,
    /// The size before whose test nests were sought last.
    sought: Cost,
    /// The smallest program of this size that the test before has handed on.
    handed_on: Option<Vec<u16>>,
    /// Bodies tried for smaller sizes and in nests, and fragments when the last of these was done.
    tried: u64,
    made: u64,
    /// How far the test is.
    testing: Testing,
    levels: SavedLevels,
    /// Of the fragments.
    #[serde(skip)]
    pub(super) recipes: Vec<u8>,
}

/// The annealing in `auto`.
const BRIEF: Schedule = Schedule { rounds: 4, changes: 10_000, seed: 1 };

/// From which sizes on it pays to do things in another way.
#[derive(Clone, Copy)]
struct Plan {
    /// Up to here every body is stored.
    all_stored: usize,
    /// Tokens that others may have beyond the highest level.
    beyond: usize,
    /// When so many bodies or more were tried for a size, `auto` looks for nests before the next one.
    seek_behind: u64,
    /// When so many were, it looks for longer nests too, and anneals, if it knows nothing nearly as short.
    anneal_behind: u64,
    /// Blocks of fragments that are tried between two looks at what else there is to do, and at what was found.
    batch: usize,
}

/// What is easier takes less time than to look for incumbents does.
const PLAN: Plan =
    Plan { all_stored: ALL_STORED, beyond: BEYOND, seek_behind: 1_000_000, anneal_behind: 100_000_000, batch: BATCH };

/// Where a size took very long, nests of up to so many tokens more are looked for too, if nothing so short is known.
const FAR_AHEAD: Cost = 6;

/// Where the highest level has no more fragments, cores of two tokens more than it has are few enough to be tried.
const FEW: usize = 20_000;

/// Searches for the shortest program, whose codes are the moves of the solution. There is one. [`EngineKind::Auto`]
/// finds a shortest program, and looks for incumbents among nests, or by annealing, where that takes long; [`EngineKind::Synthesis`] finds the smallest of the
/// shortest in lexical order; [`EngineKind::Anneal`] finds incumbents alone. An engine that does not search programs says nothing.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub fn search_program<M: Machine>(
    engine: EngineKind,
    machine: &M,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, CheckpointError> {
    search_with(engine, machine, parameters, context, PLAN)
}

/// The same, by a plan.
fn search_with<M: Machine>(
    engine: EngineKind,
    machine: &M,
    parameters: &Parameters,
    context: &Context<'_>,
    plan: Plan,
) -> Result<Outcome, CheckpointError> {
    if !engine.searches_programs() {
        return Ok(Outcome::unknown());
    }
    let limits = limits_of_levels(machine, context);
    let monitor = Monitor::new(limits, context.observer, context.stop);
    context.observer.observe(&Event::EngineStarted { engine: engine.name() });
    let begun = thread_cpu_seconds();
    let mut outcome = monitor.watch(|| -> Result<Outcome, CheckpointError> {
        let workers = Workers { threads: context.threads.max(1), monitor: &monitor, cpu_seconds: Cell::default() };
        let incumbent = tour(machine);
        if let Some(Solution { cost, moves }) = &incumbent {
            monitor.tell(&Event::Incumbent { cost: *cost, moves });
        }
        if engine == EngineKind::Anneal {
            let Parameters { anneal_rounds, anneal_changes, anneal_seed, .. } = *parameters;
            let schedule = Schedule { rounds: anneal_rounds, changes: anneal_changes, seed: anneal_seed };
            return Ok(annealed(machine, incumbent, schedule, &workers));
        }
        let keep = context.keep.map(CheckpointConfig::without_records);
        let checkpointer = Checkpointer::new(keep.as_ref(), &monitor);
        let levels = Levels::new(machine, goal_places(machine, &workers), room(limits));
        let state = State { incumbent, ..State::default() };
        let is_enough = engine == EngineKind::Auto;
        let mut search = Search { machine, levels, workers, checkpointer, state, is_enough, plan };
        if let Some(keep) = keep.as_ref().filter(|keep| keep.resume) {
            search.go_on_behind(keep)?;
        }
        Ok(search.run())
    })?;
    // The calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - begun;
    Ok(outcome)
}

/// The limits of a search, without the memory in which threads work; that is half of it at most.
fn limits_of_levels(machine: &impl Machine, context: &Context<'_>) -> Limits {
    let of_threads = context.threads.max(1) as u64 * goal::bytes_of_thread(Shape::of(machine));
    let memory = context.limits.memory.map(|memory| memory - of_threads.min(memory / 2));
    Limits { memory, ..context.limits }
}

/// What levels may take: of the memory half for behaviours.
fn room(Limits { memory, .. }: Limits) -> Room {
    Room::for_behaviours(memory.map_or(MOST_HELD, |memory| MOST_HELD.min(memory / 2)))
}

/// A program that is annealed, or the one held where that is shorter.
fn anneal_from<M: Machine>(
    machine: &M,
    held: Option<Solution>,
    schedule: Schedule,
    workers: &Workers<'_>,
) -> Option<Solution> {
    let incumbent = Incumbent::new(held, workers.monitor);
    let annealed = anneal(machine, workers, schedule, &incumbent).map(solution);
    let best = incumbent.into_solution();
    // Of those that are equally short, always the same.
    let is_best = |annealed: &Solution| best.as_ref().is_none_or(|best| annealed.cost <= best.cost);
    annealed.filter(is_best).or(best)
}

/// What annealing alone tells.
fn annealed<M: Machine>(machine: &M, held: Option<Solution>, schedule: Schedule, workers: &Workers<'_>) -> Outcome {
    let incumbent = anneal_from(machine, held, schedule, workers);
    let monitor = workers.monitor;
    let statistics = Statistics {
        expanded: monitor.gauges.expanded.load(Relaxed),
        cpu_seconds: workers.cpu_seconds.get(),
        bound: "goals".to_owned(),
        ..Statistics::default()
    };
    // A goal takes a token, and a program of one token marks no more than one.
    let lower_bound = machine.goals().min(2) as Cost;
    monitor.tell(&Event::LowerBound(lower_bound));
    Outcome { incumbent, lower_bound, stopped: monitor.stopped(), failure: None, statistics }
}

/// The bit of each goal in sets: first come those that short fragments seldom mark, because what fails mostly fails at them.
fn goal_places(machine: &impl Machine, workers: &Workers<'_>) -> Vec<u16> {
    let mut places: Vec<u16> = behaviour::places().take(machine.goals()).collect();
    let mut levels = Levels::new(machine, places.clone(), Room::for_behaviours(u64::MAX));
    while levels.depth() < SAMPLE && levels.grow(workers, |_| ()).is_some() {}
    let chances = levels.chances();
    let mut goals: Vec<usize> = (0..machine.goals()).collect();
    goals.sort_by_key(|&goal| chances[usize::from(places[goal])]);
    for (place, goal) in behaviour::places().zip(goals) {
        places[goal] = place;
    }
    places
}

struct Search<'a, M> {
    machine: &'a M,
    levels: Levels<'a, M>,
    workers: Workers<'a>,
    checkpointer: Checkpointer<'a>,
    state: State,
    /// Whether any shortest program is enough.
    is_enough: bool,
    plan: Plan,
}

/// Where the search is, besides the levels.
#[derive(Default)]
struct State {
    size: Cost,
    /// Proven.
    lower_bound: Cost,
    /// Whether something smaller was not tried.
    is_incomplete: bool,
    /// Whether the incumbent has been annealed.
    is_annealed: bool,
    /// The size before whose test nests were sought last.
    sought: Cost,
    layers: Vec<Layer>,
    handed_on: Option<Vec<u16>>,
    /// A program that does what is wanted.
    incumbent: Option<Solution>,
    /// Bodies tried for smaller sizes and in nests, and fragments until then.
    tried: u64,
    made: u64,
    testing: Testing,
}

impl State {
    fn snapshot<M: Machine>(&self, levels: &Levels<'_, M>, testing: &Testing) -> Snapshot {
        let (saved, recipes) = levels.save();
        let synthesis = Synthesis {
            size: self.size,
            is_complete: !self.is_incomplete,
            is_annealed: self.is_annealed,
            sought: self.sought,
            handed_on: self.handed_on.clone(),
            tried: self.tried,
            made: self.made,
            testing: testing.clone(),
            levels: saved,
            recipes,
        };
        Snapshot {
            lower_bound: self.lower_bound,
            layers: self.layers.clone(),
            incumbent: self.incumbent.clone(),
            work: Work { expanded: self.tried + testing.found.tried, generated: levels.tried, ..Work::default() },
            synthesis: Some(synthesis),
            ..Snapshot::default()
        }
    }
}

impl<M: Machine> Search<'_, M> {
    /// Goes on where the newest checkpoint was taken.
    fn go_on_behind(&mut self, keep: &CheckpointConfig) -> Result<(), CheckpointError> {
        let snapshot = self.checkpointer.resume_payload(keep, EngineKind::Synthesis)?;
        let Snapshot { lower_bound, layers, incumbent, synthesis, .. } = snapshot;
        let Synthesis { size, is_complete, is_annealed, sought, handed_on, tried, made, testing, levels, recipes } =
            synthesis.unwrap_or_default();
        let Some(restored) = self.levels.restore(levels, &recipes, &self.workers) else {
            return Err(CheckpointError::Interrupted { path: keep.files.storage.run.clone() });
        };
        restored.map_err(|found| unusable(keep, &found))?;
        let mut simulator = Simulator::new(self.machine);
        let is_done = |Solution { moves, .. }: &Solution| {
            Program::from_codes(moves).is_some() && simulator.left(moves, PATIENCE) == 0
        };
        let incumbent =
            incumbent.filter(is_done).map(|held| solution(held.moves)).or_else(|| self.state.incumbent.take());
        let is_incomplete = !is_complete;
        let before = State { is_annealed, sought, tried, made, ..State::default() };
        self.state = State { size, lower_bound, is_incomplete, layers, handed_on, incumbent, testing, ..before };
        Ok(())
    }

    fn run(mut self) -> Outcome {
        let monitor = self.workers.monitor;
        while monitor.stopped().is_none() {
            let size = self.state.size;
            monitor.gauges.layer.store(size, Relaxed);
            // Once, also when a limit ends it: another session is to go on.
            let tried = self.state.layers.last().map_or(0, |layer| layer.expanded);
            let seeks = self.is_enough && self.state.handed_on.is_none();
            if seeks && tried >= self.plan.seek_behind && self.state.sought < size && self.seek(tried).is_none() {
                break;
            }
            if seeks
                && tried >= self.plan.anneal_behind
                && self.state.incumbent.as_ref().is_none_or(|held| held.cost > size + FAR_AHEAD)
                && !std::mem::replace(&mut self.state.is_annealed, true)
            {
                let held = self.state.incumbent.take();
                self.state.incumbent = anneal_from(self.machine, held, BRIEF, &self.workers);
            }
            let is_proven = |solution: &Solution| solution.cost <= self.state.lower_bound;
            if self.is_enough && self.state.incumbent.as_ref().is_some_and(is_proven) {
                return self.conclude();
            }
            monitor.tell(&Event::LayerStarted { f: size, open: self.levels.len() as u64 });
            let Some(program) = self.test() else { break };
            if let Some(program) = program {
                self.hold(&program);
                return self.conclude();
            }
            self.end_size();
        }
        if monitor.stopped().is_some() {
            // A program of the size under test is as short as any, though it may not be the first in lexical order.
            let Testing { found, .. } = &self.state.testing;
            let is_sound = |program: &Vec<u16>| {
                cost(program) == self.state.size && Simulator::new(self.machine).left(program, PATIENCE) == 0
            };
            if let Some(program) =
                found.program.iter().chain(&self.state.handed_on).find(|&held| is_sound(held)).cloned()
            {
                self.hold(&program);
            }
            self.checkpointer.take_at_barrier(None, || Some(self.state.snapshot(&self.levels, &self.state.testing)));
        }
        self.conclude()
    }

    /// Looks for nests of the size that is to be tested, and of some tokens more, with the levels of the size before. `None` when the search is to stop.
    fn seek(&mut self, tried: u64) -> Option<()> {
        let size = self.state.size;
        let depth = goal::depth(size as usize - 1, self.plan.all_stored, self.plan.beyond);
        let ahead = if tried >= self.plan.anneal_behind { FAR_AHEAD } else { 0 };
        let mut nested = 0;
        // What finds most, and soonest, comes first.
        let mut sought = Vec::new();
        for is_marking in [false, true] {
            sought.push((size, 1..=depth + 1, is_marking));
            if self.levels.level(depth).len() <= FEW {
                sought.push((size, depth + 2..=depth + 2, is_marking));
            }
        }
        sought.extend((1..=ahead).map(|more| (size + more, 1..=depth, false)));
        for (tokens, cores, is_marking) in sought {
            if self.state.incumbent.as_ref().is_some_and(|held| held.cost <= tokens) {
                continue;
            }
            let sought = Sought { tokens: tokens as usize, depth, cores, is_marking };
            let found = Test::seek(&self.levels, sought, &self.workers)?;
            nested += found.tried;
            if let Some(program) = found.program {
                self.hold(&program);
            }
            let Self { levels, workers, checkpointer, state, .. } = &*self;
            look_in(checkpointer, workers, || state.snapshot(levels, &state.testing));
        }
        (self.state.tried, self.state.sought) = (self.state.tried + nested, size);
        Some(())
    }

    /// Takes a program of the size under test for the incumbent.
    fn hold(&mut self, program: &[u16]) {
        let held = solution(with_least_counts(self.machine, program.to_vec(), PATIENCE));
        self.workers.monitor.tell(&Event::Incumbent { cost: held.cost, moves: &held.moves });
        self.state.incumbent = Some(held);
    }

    /// Nothing was found.
    fn end_size(&mut self) {
        let state = &mut self.state;
        let tried = std::mem::take(&mut state.testing).found.tried;
        let layer = Layer { f: state.size, expanded: tried, generated: self.levels.tried - state.made };
        state.tried += tried;
        state.made = self.levels.tried;
        state.size += 1;
        state.layers.push(layer);
        let is_raised = !state.is_incomplete;
        if is_raised {
            state.lower_bound = state.size;
        }
        self.workers.monitor.tell(&Event::LayerDone(layer));
        if is_raised {
            self.workers.monitor.tell(&Event::LowerBound(layer.f + 1));
        }
    }

    /// Whether there is a program of the size, and the smallest one, or any. `None` when the search is to stop.
    fn test(&mut self) -> Option<Option<Vec<u16>>> {
        let size = self.state.size as usize;
        if let Some(program) = self.state.handed_on.as_ref().filter(|_| self.is_enough) {
            return Some(Some(program.clone()));
        }
        match size {
            0 => return Some((self.machine.goals() == 0).then(Vec::new)),
            1 => {
                let mut simulator = Simulator::new(self.machine);
                let mut instructions = (1..=u16::from(self.machine.instructions())).map(|code| vec![code]);
                return Some(instructions.find(|codes| simulator.left(codes, 1) == 0));
            }
            _ => {}
        }
        let Self { levels, workers, checkpointer, state, plan, .. } = self;
        let look_in = |levels: &Levels<'_, M>, state: &State, testing: &Testing| {
            look_in(checkpointer, workers, || state.snapshot(levels, testing));
        };
        let depth = goal::depth(size, plan.all_stored, plan.beyond);
        while levels.depth() < depth {
            levels.grow(workers, |levels| look_in(levels, state, &state.testing))?;
        }
        let mut testing = std::mem::take(&mut state.testing);
        let task = Task { tokens: size, depth, batch: plan.batch, is_any_enough: self.is_enough };
        let found = Test::run(levels, task, workers, &mut testing, |testing| look_in(levels, state, testing));
        state.testing = testing;
        let mut found = found?;
        keep_smaller(&mut found.program, state.handed_on.clone());
        if !state.is_incomplete && found.program.is_none() && (found.left_out || levels.left_out) {
            state.is_incomplete = true;
            let note = format!("nothing is proven from {size} tokens on: loops have more counts than are tried");
            workers.monitor.tell(&Event::Note(&note));
        }
        state.handed_on = found.next.take();
        state.testing.found.tried = found.tried;
        Some(found.program)
    }

    fn conclude(self) -> Outcome {
        let monitor = self.workers.monitor;
        let failure = self.checkpointer.finish(None);
        let State { lower_bound, layers, tried, testing, incumbent, .. } = self.state;
        let statistics = Statistics {
            expanded: tried + testing.found.tried,
            generated: self.levels.tried,
            stored: self.levels.len() as u64,
            layers,
            peak_bytes: monitor.gauges.peak_bytes.load(Relaxed),
            cpu_seconds: self.workers.cpu_seconds.get(),
            bound: "sizes".to_owned(),
            ..Statistics::default()
        };
        let cost = incumbent.as_ref().map_or(Cost::MAX, |solution| solution.cost);
        // What was found before everything smaller was tried is not proven.
        let stopped = monitor.stopped().filter(|_| lower_bound < cost);
        Outcome { incumbent, lower_bound, stopped, failure, statistics }
    }
}

/// Takes a checkpoint where one is due.
fn look_in(checkpointer: &Checkpointer<'_>, workers: &Workers<'_>, snapshot: impl FnOnce() -> Snapshot) {
    checkpointer.check(None);
    if workers.monitor.leaving() {
        checkpointer.take_at_barrier(None, || Some(snapshot()));
    }
}

/// How many tokens a program has.
fn cost(codes: &[u16]) -> Cost {
    codes.iter().filter(|code| **code != 0).count() as Cost
}

fn solution(codes: Vec<u16>) -> Solution {
    Solution { cost: cost(&codes), moves: codes }
}

/// A program that goes from one goal to the next that is nearest, if that leads to all of them.
fn tour(machine: &impl Machine) -> Option<Solution> {
    way_to_all(machine, machine.start(), &mut vec![false; machine.goals()]).map(solution)
}

/// Instructions that go from a state to one goal after the other, to the nearest first, until all are `marked`. `None` where there is no
/// way back to one of them.
fn way_to_all(machine: &impl Machine, mut state: u16, marked: &mut [bool]) -> Option<Vec<u16>> {
    let mut codes = Vec::new();
    while let Some(way) = way_to_goal(machine, state, marked) {
        for instruction in way {
            let (next, goal) = machine.step(state, instruction);
            state = next;
            if let Some(goal) = goal {
                marked[usize::from(goal)] = true;
            }
            codes.push(u16::from(instruction) + 1);
        }
    }
    marked.iter().all(|marked| *marked).then_some(codes)
}

/// The shortest way from a state to a goal that is not marked.
fn way_to_goal(machine: &impl Machine, from: u16, marked: &[bool]) -> Option<Vec<u8>> {
    let mut reached = vec![None; machine.states()];
    let mut open = VecDeque::from([from]);
    while let Some(state) = open.pop_front() {
        for instruction in 0..machine.instructions() {
            let (next, goal) = machine.step(state, instruction);
            if goal.is_some_and(|goal| !marked[usize::from(goal)]) {
                let mut way = vec![instruction];
                let mut at = state;
                while at != from {
                    let Some((before, instruction)) = reached[usize::from(at)] else { break };
                    way.push(instruction);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if reached[usize::from(next)].is_none() {
                reached[usize::from(next)] = Some((state, instruction));
                open.push_back(next);
            }
        }
    }
    None
}
