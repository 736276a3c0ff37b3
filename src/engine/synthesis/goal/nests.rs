//! Nests: loops in loops, with one instruction alone beside each.
//!
//! A *nest* is a *core*, which is any body, in a loop; beside that, before or behind it, stands one instruction or what it comes to when it is
//! repeated (a *power*); and perhaps that is in a loop again, with powers of the same or of another instruction beside it, and so on. Most
//! shortest programs of large boards are nests, so that is where to look first; nothing is proven by it. In most of these nothing but turns is
//! beside loops (*turning* nests); those where something else is are *marking*, and more.
//!
//! What makes it fast is that a core which leaves two of the first goals or more, however often it and an instruction come in whatever order, does so in
//! every nest around it with powers of that instruction alone. On random boards nine of ten do.

use super::bodies::Use;
use super::counts::Beside;
use super::hand::{Hand, Part};
use super::together::{Choice, each_of};
use super::{Found, Id, Prefix, Test, blocks, generators};
use crate::domain::Machine;
use crate::engine::synthesis::levels::Levels;
use crate::engine::synthesis::share::Workers;
use crate::runtime::{Event, Stage};
use std::ops::RangeInclusive;

/// The most tokens of what is around a core, its innermost loop among them: two for each loop at least.
const MOST_AROUND: usize = 8;

/// The most tokens of a power.
const LONGEST_POWER: usize = 3;

/// The most nests around a core that are tried or refuted together: hardly any core has more, but where loops in loops have hundreds of counts each
/// one may have millions.
const MOST_OF_CORE: u64 = 1 << 15;

/// Blocks of cores that are tried to their end, whatever is found.
const BATCH: usize = 1 << 4;

/// What is looked for.
pub(in super::super) struct Sought {
    /// Tokens of the program; none of fewer than four is a nest.
    pub(in super::super) tokens: usize,
    /// The highest level that cores are made of.
    pub(in super::super) depth: usize,
    /// Tokens of the cores, which may be more than the highest level has.
    pub(in super::super) cores: RangeInclusive<usize>,
    /// Whether marking nests are looked for, and not turning ones.
    pub(in super::super) is_marking: bool,
}

/// What may stand beside a loop: powers of an instruction, each with its tokens.
struct Powers {
    generator: Id,
    /// Whether the instruction marks anything anywhere.
    marks: bool,
    all: Vec<(Id, usize)>,
}

/// What nests are made of.
pub(super) struct Nests {
    beside: Vec<Powers>,
    is_marking: bool,
    /// Tokens of a core at least.
    fewest: usize,
}

/// Each is a core.
struct Nested;

impl Use for Nested {
    fn bodies<M: Machine, const N: usize>(hand: &mut Hand<'_, '_, M>, choices: &[&Choice<'_>; N], tokens: usize) {
        if hand.test.nests.as_ref().is_some_and(|nests| nests.fewest <= tokens) {
            each_of(choices.map(|choice| choice.parts.as_slice()), |parts| hand.try_core(parts, tokens));
        }
    }
}

impl<'a, 'm, M: Machine> Test<'a, 'm, M> {
    /// Tries all nests that are sought, or some until one does what is wanted: always the same one. `None` when the search is to stop.
    pub(in super::super) fn seek(
        levels: &'a Levels<'m, M>,
        Sought { tokens, depth, cores, is_marking }: Sought,
        workers: &'a Workers<'a>,
    ) -> Option<Found> {
        let (fewest, longest) = cores.into_inner();
        let fewest = fewest.max((tokens - 1).saturating_sub(MOST_AROUND));
        let mut test = Test::new(levels, workers.monitor, tokens, depth, None);
        test.prefixes.push(vec![Prefix::nothing(levels)]);
        test.generators = generators(levels, LONGEST_POWER.min(depth) + 1);
        test.nests = Some(Nests { beside: powers(&test, is_marking), is_marking, fewest });
        // What a core is put together of may be small.
        let smallest = if longest > depth { 1 } else { fewest };
        let (mut all, mut done) = (Found::default(), 0);
        let blocks: Vec<_> = blocks(levels, smallest..=depth, Choice::MOST).collect();
        for batch in blocks.chunks(BATCH) {
            let (found, tried) = test.try_all(batch, workers, |hand, ids| {
                let size = levels.tokens(ids.start);
                hand.with_all(ids.clone(), |hand, all| {
                    if size >= fewest {
                        hand.without_loops(all).for_each(|part| hand.try_core(&[part], size));
                    }
                    hand.with_bodies::<Nested>(all, size, longest);
                });
            });
            if tried < batch.len() {
                return None;
            }
            all.absorb(found);
            done += tried;
            let [done, total] = [done, blocks.len()].map(|blocks| blocks as u64);
            workers.monitor.tell(&Event::Stage { stage: Stage::Nests(tokens), done, total });
            if test.best().is_some() {
                break;
            }
        }
        all.program = test.best().clone();
        Some(all)
    }
}

/// Of each instruction that marks nothing, or of all, but of those that are powers of another one, its powers.
fn powers<M: Machine>(test: &Test<'_, '_, M>, is_marking: bool) -> Vec<Powers> {
    let levels = test.levels;
    let of = |generator: Id| {
        let ids = (1..=LONGEST_POWER).flat_map(|size| levels.level(size).map(move |id| (id, size)));
        let all = ids.filter(|&(id, _)| test.generator(id) == Some(generator)).collect();
        Powers { generator, marks: levels.marks_of(generator) > 0, all }
    };
    test.own_generators().map(of).filter(|powers| is_marking || !powers.marks).collect()
}

impl<M: Machine> Hand<'_, '_, M> {
    /// Tries nests around a core of so many tokens: all of them where they are not too many.
    fn try_core<const K: usize>(&mut self, core: &[Part<'_>; K], tokens: usize) {
        self.to_try = MOST_OF_CORE;
        self.try_nests(core, tokens, false);
    }

    /// Tries nests around a core of so many tokens, as long as there are some to try. `has_marking` says whether something that marks stands
    /// beside a loop in it.
    fn try_nests<const K: usize>(&mut self, core: &[Part<'_>; K], tokens: usize, has_marking: bool) {
        /// What a power and a loop with a power beside it take at least.
        const FEWEST_OF_TWO: usize = 3;
        let test = self.test;
        let Some(nests) = &test.nests else { return };
        // Of what stands beside the loop, and around it.
        let Some(left) = test.longest().checked_sub(tokens + 1).filter(|&left| left > 0) else { return };
        if self.breaks_off() {
            return;
        }
        let open = self.open(core);
        for Powers { generator, marks, all } in &nests.beside {
            let has_marking = has_marking || *marks;
            let is_sought = has_marking == nests.is_marking;
            if left < FEWEST_OF_TWO && !is_sought {
                continue;
            }
            self.to_try = self.to_try.saturating_sub(1);
            if self.to_try == 0 || !self.may_mark_with(&test.prefixes[0], *generator, core) {
                continue;
            }
            for &(power, _) in all.iter().filter(|(_, of_power)| is_sought && *of_power == left) {
                self.with(power, |hand, part| {
                    for beside in [Beside::Before([part]), Beside::Behind([part])] {
                        hand.try_open(0, open, &beside);
                    }
                });
            }
            // There is room for another loop, and for something beside that.
            if left < FEWEST_OF_TWO {
                continue;
            }
            self.each_count(core, |hand, repeated| {
                for &(power, of_power) in all.iter().filter(|(_, of_power)| *of_power + 2 <= left) {
                    if hand.to_try == 0 {
                        return;
                    }
                    hand.with(power, |hand, part| {
                        for sides in [[part, repeated], [repeated, part]] {
                            hand.try_nests(&sides, tokens + 1 + of_power, has_marking);
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
    use crate::engine::synthesis::simulate::Simulator;
    use crate::engine::synthesis::tests::{Table, levels_of};
    use crate::engine::synthesis::{LOOP, PATIENCE};
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use std::cell::Cell;

    /// All counts that tell anything on machines of so few states.
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

    /// Whether a nest of `left` tokens more around this core does what is wanted; a marking one, if that is asked for and none of its loops is,
    /// or a turning one.
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
                        0 => simulator.left(&[&[LOOP], &body[..], &[0]].concat(), PATIENCE) == 0,
                        left => nests(simulator, body, left, powers, asks && !marks),
                    }
                })
            })
        })
    }

    /// The shortest nests of cores of up to three tokens, of stored ones and of others, turning and marking ones, on any number of threads: as long
    /// as the shortest of all, tried one by one.
    #[test]
    fn the_shortest_nests_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(71);
        let (stop, mut found) = (StopToken::new(), [[0; 8]; 2]);
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let mut kinds = [false, true].into_iter().cycle();
        while found.iter().any(|found| found[5] < 2 || found[6] < 1 || found[7] < 2) {
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
                let workers = Workers { threads, monitor: &monitor, cpu_seconds: Cell::default() };
                let levels = levels_of(&machine, depth, u64::MAX, &workers);
                let seek = |tokens| {
                    let sought = Sought { tokens, depth, cores: 1..=3.min(tokens - 3), is_marking };
                    Test::seek(&levels, sought, &workers).expect("not stopped").program
                };
                let sought = (4..=6).find_map(|tokens| seek(tokens).map(|program| (tokens, program)));
                assert_eq!(sought.as_ref().map(|(tokens, _)| *tokens), shortest, "{machine:?}");
                assert!(sought.is_none_or(|(_, program)| simulator.left(&program, PATIENCE) == 0), "{machine:?}");
            }
            found[usize::from(is_marking)][shortest.unwrap_or(7)] += 1;
        }
    }

    /// Where a loop has hundreds of counts, and one around it too, a core has its share of nests, and no more.
    #[test]
    fn a_core_has_its_share() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
        let machine = Table::wheels(&[5, 7, 9, 11]);
        let levels = levels_of(&machine, 1, u64::MAX, &workers);
        let sought = Sought { tokens: 6, depth: 1, cores: 1..=1, is_marking: false };
        let found = Test::seek(&levels, sought, &workers).expect("not stopped");
        let (cores, share) = (levels.level(1).len() as u64, MOST_OF_CORE);
        assert!(found.program.is_none() && (share / 2..=cores * share).contains(&found.tried), "{}", found.tried);
    }
}
