//! Nests: loops in loops, with one instruction or a power of it beside each loop.
//!
//! A *nest* is a loop around a *core*, with something beside the loop, before or behind it. The core is any body.
//! Beside the loop stands one instruction or a repetition of this instruction (a *power*). The whole may be in a loop
//! again, with powers of the same or of another instruction beside that loop, and so on. Most shortest programs of
//! large boards are nests, so they are tried first. Nests prove nothing. In most nests only turns are beside loops
//! (*turning* nests); nests with something else are *marking*, and there are more of them.
//!
//! Some cores leave two of the first goals or more, however often the core and an instruction come in any order. Such a
//! core does so in every nest around it with powers of that instruction alone. So nine of ten cores on random boards
//! are refuted at once.

use super::batched::Alternatives;
use super::bodies::{BodySearch, BodyVisitor};
use super::body_part::{BodyPart, each_combination};
use super::context::{SizeContext, chunks_of_levels};
use super::findings::Findings;
use super::open_counts::Siblings;
use super::prefix::Prefix;
use crate::engine::parallel::Workers;
use crate::engine::synthesis::bank::{Fragments, Id};
use crate::runtime::{Event, Stage};
use std::ops::RangeInclusive;

/// The most tokens around a core, the innermost loop among them.
const MOST_AROUND: usize = 8;

/// The most tokens of a power.
const LONGEST_POWER: usize = 3;

/// The least number of tokens of a power and a loop with a power beside it.
const FEWEST_OF_TWO: usize = 3;

/// The most nests around one core that are tried or refuted together. Few cores have more, but cores in loops with
/// hundreds of counts may have millions.
pub(crate) const MOST_OF_CORE: u64 = 1 << 15;

/// Blocks of cores between two checks of the findings.
const BATCH: usize = 1 << 4;

/// The nests that are looked for.
pub(crate) struct NestGoal {
    /// The most nests around one core that are tried or refuted together: [`MOST_OF_CORE`] in a search.
    pub(crate) most_of_core: u64,
    /// Tokens of the program. No program of fewer than four is a nest.
    pub(crate) tokens: usize,
    /// The highest level that cores are composed of.
    pub(crate) depth: usize,
    /// Tokens of the cores, which may be more than the highest level has.
    pub(crate) cores: RangeInclusive<usize>,
    /// Whether to look for marking nests instead of turning nests.
    pub(crate) is_marking: bool,
}

/// Powers of one instruction, which may stand beside a loop.
struct Powers {
    generator: Id,
    /// Whether the instruction marks a goal from any state.
    marks: bool,
    /// The powers with their tokens.
    all: Vec<(Id, usize)>,
}

/// Powers of each instruction that is no power of another one; if `is_marking` is not set, only of instructions that
/// mark nothing.
fn powers(context: &SizeContext<'_, '_>, is_marking: bool) -> Vec<Powers> {
    let fragments = context.fragments;
    let of = |generator: Id| {
        let ids = (1..=LONGEST_POWER).flat_map(|size| fragments.level(size).map(move |id| (id, size)));
        let all = ids.filter(|&(id, _)| context.generator(id) == Some(generator)).collect();
        Powers { generator, marks: fragments.marks_of(generator) > 0, all }
    };
    context.primitive_instructions().map(of).filter(|powers| is_marking || !powers.marks).collect()
}

/// Each body is a core.
#[derive(Clone, Copy)]
struct Nests<'p> {
    most_of_core: u64,
    beside: &'p [Powers],
    is_marking: bool,
    /// The least number of tokens of a core.
    fewest: usize,
}

impl BodyVisitor for Nests<'_> {
    fn visit<const N: usize>(
        &mut self,
        search: &mut BodySearch<'_, '_>,
        alternatives: &[&Alternatives<'_>; N],
        tokens: usize,
    ) {
        if self.fewest <= tokens {
            each_combination(alternatives.map(|alternatives| alternatives.parts.as_slice()), |core| {
                self.try_core(search, core, tokens);
            });
        }
    }
}

/// Tries all nests that are looked for, until one marks every goal: always the same one. Returns `None` when the search
/// is to stop.
pub(crate) fn find_nest(
    fragments: &Fragments<'_>,
    NestGoal { most_of_core, tokens, depth, cores, is_marking }: NestGoal,
    workers: &Workers<'_>,
) -> Option<Findings> {
    let (fewest, longest) = cores.into_inner();
    let fewest = fewest.max((tokens - 1).saturating_sub(MOST_AROUND));
    let context = SizeContext::new(fragments, workers.monitor, tokens, depth);
    let mut context = context.with_relations(LONGEST_POWER.min(depth) + 1);
    context.prefixes.push(vec![Prefix::empty(fragments)]);
    let beside = powers(&context, is_marking);
    let nests = Nests { most_of_core, beside: &beside, is_marking, fewest };
    // A core above the highest level is composed of fragments that may be small.
    let smallest = if longest > depth { 1 } else { fewest };
    let (mut all, mut done) = (Findings::default(), 0);
    let blocks: Vec<_> = chunks_of_levels(fragments, smallest..=depth, Alternatives::MOST).collect();
    for batch in blocks.chunks(BATCH) {
        let (findings, tried) = BodySearch::run_blocks(&context, batch, workers, |search, ids| {
            let size = fragments.tokens(ids.start);
            search.with_all(ids.clone(), |search, alternatives| {
                if size >= fewest {
                    let cores = search.without_loops(alternatives);
                    cores.for_each(|part| nests.try_core(search, &[part], size));
                }
                search.with_bodies(&mut { nests }, alternatives, size, longest);
            });
        });
        all.append(findings);
        if all.program.is_none() && tried < batch.len() {
            return None;
        }
        done += tried;
        let [done, total] = [done, blocks.len()].map(|blocks| blocks as u64);
        workers.monitor.tell(&Event::Stage { stage: Stage::Nests(tokens), done, total });
        if all.program.is_some() {
            break;
        }
    }
    Some(all)
}

impl Nests<'_> {
    /// Tries nests around a core of so many tokens, as many as a core may have.
    fn try_core<const K: usize>(&self, search: &mut BodySearch<'_, '_>, core: &[BodyPart<'_>; K], tokens: usize) {
        search.evaluator.budget = self.most_of_core;
        self.try_around(search, core, tokens, false);
    }

    /// Tries nests around a core of so many tokens, within the budget of the core. `has_marking` says whether an
    /// instruction that marks stands beside a loop of the core.
    fn try_around<const K: usize>(
        &self,
        search: &mut BodySearch<'_, '_>,
        core: &[BodyPart<'_>; K],
        tokens: usize,
        has_marking: bool,
    ) {
        let context = search.context();
        // Tokens beside the loop around the core, and around that loop.
        let Some(left) = context.longest().checked_sub(tokens + 1).filter(|&left| left > 0) else { return };
        if search.evaluator.is_over() {
            return;
        }
        let open = search.open_counts.open(core);
        for Powers { generator, marks, all } in self.beside {
            let has_marking = has_marking || *marks;
            let is_wanted = has_marking == self.is_marking;
            if left < FEWEST_OF_TWO && !is_wanted {
                continue;
            }
            let BodySearch { evaluator, refuter, .. } = search;
            evaluator.budget = evaluator.budget.saturating_sub(1);
            if evaluator.budget == 0 || !refuter.may_mark_with_powers(evaluator, &context.prefixes[0], *generator, core)
            {
                continue;
            }
            for &(power, _) in all.iter().filter(|(_, of_power)| is_wanted && *of_power == left) {
                search.with(power, |search, part| {
                    for siblings in [Siblings::Before([part]), Siblings::Behind([part])] {
                        search.try_open(0, open, &siblings);
                    }
                });
            }
            // There is room for another loop, and for something beside that loop.
            if left < FEWEST_OF_TWO {
                continue;
            }
            search.each_count(core, |search, repeated| {
                for &(power, of_power) in all.iter().filter(|(_, of_power)| *of_power + 2 <= left) {
                    if search.evaluator.budget == 0 {
                        return;
                    }
                    search.with(power, |search, part| {
                        for body in [[part, repeated], [repeated, part]] {
                            self.try_around(search, &body, tokens + 1 + of_power, has_marking);
                        }
                    });
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::synthesis::codes::Codes;
    use crate::engine::synthesis::simulate::{MOST_STEPS, Simulator};
    use crate::engine::synthesis::tests::{Table, bank_of};
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// The code of an endless loop of a machine with three instructions.
    const LOOP: u16 = Codes { endless: 4 }.endless;

    /// All counts that differ on machines of so few states.
    fn counts() -> impl Iterator<Item = u16> {
        2..40
    }

    /// All programs of so many tokens that consist of instructions and of loops around one of them.
    fn cores(tokens: usize) -> Vec<Vec<u16>> {
        if tokens == 0 {
            return vec![Vec::new()];
        }
        let of_instructions =
            (1..4).flat_map(|one| cores(tokens - 1).into_iter().map(move |rest| [&[one], &rest[..]].concat()));
        let mut all: Vec<Vec<u16>> = of_instructions.collect();
        if tokens > 1 {
            for rest in cores(tokens - 2) {
                all.extend(
                    (1..4)
                        .flat_map(|one| counts().map(move |count| vec![LOOP + count, one, 0]))
                        .map(|head| [&head[..], &rest].concat()),
                );
            }
        }
        all
    }

    /// Powers of one and two tokens, and whether they mark: turns to the left, to the right, and twice; steps.
    fn all_powers() -> Vec<(Vec<u16>, usize, bool)> {
        let turns = [vec![2], vec![3], vec![2, 2]].into_iter().map(|turn| (turn.clone(), turn.len(), false));
        let steps = counts().map(|count| (vec![LOOP + count, 1, 0], 2, true));
        turns.chain([(vec![1], 1, true)]).chain(steps).collect()
    }

    /// Whether a nest of `left` tokens more around this core marks every goal. If `asks` is set, something that marks
    /// must stand beside one of its loops.
    fn nests(
        simulator: &mut Simulator,
        core: &[u16],
        left: usize,
        powers: &[(Vec<u16>, usize, bool)],
        asks: bool,
    ) -> bool {
        powers.iter().filter(|(_, of_power, _)| *of_power < left).any(|(power, of_power, marks)| {
            counts().any(|count| {
                let repeated = [&[LOOP + count], core, &[0]].concat();
                [[&power[..], &repeated].concat(), [&repeated[..], power].concat()].iter().any(|body| {
                    match left - 1 - of_power {
                        0 if asks && !marks => false,
                        0 => simulator.left(&[&[LOOP], &body[..], &[0]].concat(), MOST_STEPS) == 0,
                        left => nests(simulator, body, left, powers, asks && !marks),
                    }
                })
            })
        })
    }

    /// The shortest nests of cores of up to three tokens are as long as the shortest of all nests, tried one by one.
    /// This holds for cores in the bank or not, for turning and marking nests, on any number of threads.
    #[test]
    fn the_shortest_nests_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(71);
        let (stop, mut found) = (StopToken::new(), [[0; 8]; 2]);
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut kinds = [false, true].into_iter().cycle();
        while found.iter().any(|found| found[5] < 1 || found[6] < 1 || found[7] < 1) {
            let is_marking = kinds.next().unwrap_or_default();
            let powers: Vec<_> = all_powers().into_iter().filter(|(.., marks)| is_marking || !marks).collect();
            let machine = Table::turning(&mut rng, 6);
            let mut simulator = Simulator::new(&machine);
            let mut is_done = |core: &Vec<u16>, left| nests(&mut simulator, core, left, &powers, is_marking);
            let shortest = (4..=6).find(|tokens| {
                (1..=3.min(tokens - 3))
                    .any(|of_core| cores(of_core).iter().any(|core| is_done(core, tokens - 1 - of_core)))
            });
            for (threads, depth) in [(1, 3), (2, 3), (1, 2)] {
                let workers = Workers::new(threads, &monitor);
                let bank = bank_of(&machine, depth, u64::MAX, &workers);
                let seek = |tokens| {
                    let cores = 1..=3.min(tokens - 3);
                    let goal = NestGoal { most_of_core: MOST_OF_CORE, tokens, depth, cores, is_marking };
                    find_nest(bank.fragments(), goal, &workers).expect("not stopped").program
                };
                let sought = (4..=6).find_map(|tokens| seek(tokens).map(|program| (tokens, program)));
                assert_eq!(sought.as_ref().map(|(tokens, _)| *tokens), shortest, "{machine:?}");
                assert!(sought.is_none_or(|(_, program)| simulator.left(&program, MOST_STEPS) == 0), "{machine:?}");
            }
            found[usize::from(is_marking)][shortest.unwrap_or(7)] += 1;
        }
    }

    /// A core has no more than its budget of nests, also where loops in loops have hundreds of counts.
    #[test]
    fn a_core_keeps_to_its_budget() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(1, &monitor);
        let machine = Table::wheels(&[5, 7, 9, 11]);
        let bank = bank_of(&machine, 1, u64::MAX, &workers);
        let share = 1 << 12;
        let goal = NestGoal { most_of_core: share, tokens: 6, depth: 1, cores: 1..=1, is_marking: false };
        let found = find_nest(bank.fragments(), goal, &workers).expect("not stopped");
        let cores = bank.fragments().level(1).len() as u64;
        assert!(found.program.is_none() && (share / 2..=cores * share).contains(&found.tried), "{}", found.tried);
    }
}
