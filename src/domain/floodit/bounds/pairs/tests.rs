use super::super::super::sample::{puzzle, random_board, walk};
use super::*;
use crate::domain::Domain;

/// Letters that lead two walkers from anywhere in `set` to `u` and `v`, by breadth-first search over pairs.
fn by_definition<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, (u, v): Target) -> usize {
    let regions = puzzle.regions();
    let steps = |from: usize, colour: usize| {
        let mut to = vec![from];
        bits::for_each(&bits::and(&puzzle.touching[from], &puzzle.of_colour[colour]), |next| to.push(next));
        to
    };
    let mut level: Vec<(usize, usize)> = Vec::new();
    let mut reached = vec![false; regions * regions];
    bits::for_each(set, |a| bits::for_each(set, |b| level.push((a, b))));
    level.iter().for_each(|&(a, b)| reached[a * regions + b] = true);
    let mut letters = 0;
    while !reached[usize::from(u) * regions + usize::from(v)] {
        letters += 1;
        let mut next = Vec::new();
        for &(a, b) in &level {
            for colour in 0..puzzle.of_colour.len() {
                for a in steps(a, colour) {
                    for b in steps(b, colour) {
                        if !std::mem::replace(&mut reached[a * regions + b], true) {
                            next.push((a, b));
                        }
                    }
                }
            }
        }
        level = next;
    }
    letters
}

/// Targets of both kinds, some of them chosen twice over.
fn pairs_of<const W: usize>(puzzle: &FloodIt<W>) -> Vec<Pairs<W>> {
    let from_start = Pairs::from_start(puzzle, u64::MAX);
    let mut made = vec![from_start];
    let mut memo = Memo::default();
    for held in [None, Some(0)] {
        let held = held.map(|at: usize| &made[at]);
        let sample: Vec<_> = (0..4).flat_map(|seed| walk(puzzle, seed)).map(|state| (state, 3)).collect();
        made.extend(Pairs::sharpened(held, puzzle, &sample, (20, u64::MAX, &|| false), &mut memo));
    }
    made
}

#[test]
fn distances_are_those_of_the_definition() {
    for index in 0..6 {
        let puzzle = puzzle::<1>(&random_board(6, 6, 3 + index as usize % 4, index));
        let mut reach = Reach::default();
        for state in walk(&puzzle, index) {
            reach.measure(&puzzle, &state);
            for pairs in pairs_of(&puzzle) {
                let mut memo = Memo::default();
                let place = recall(&pairs, &puzzle, &state, &mut memo);
                let (entry, values) = memo.entry(place);
                for (table, &value) in pairs.tables.iter().zip(values) {
                    let (u, v) = table.target;
                    let exact = by_definition(&puzzle, &state.set, table.target);
                    assert_eq!(usize::from(value), exact, "{:?} from {:?}", table.target, state.set);
                    let outside = !bits::contains(&state.set, u.into()) && !bits::contains(&state.set, v.into());
                    if outside {
                        assert_eq!(reach.distance(u.into(), v.into()), exact);
                    }
                    let cell = cell(&puzzle, &pairs.slots, table.target);
                    assert!(entry.cells[cell] >= value);
                }
            }
        }
    }
}

/// Whatever is remembered, and from wherever a state is reached: its bound is the one that is computed from nothing.
#[test]
fn a_child_has_the_bound_that_it_has_alone() {
    let mut fallen = 0;
    for index in 0..8 {
        let puzzle = puzzle::<4>(&random_board(12, 12, 4 + index as usize % 5, index));
        for pairs in pairs_of(&puzzle) {
            let mut memo = Memo::default();
            let mut children = Vec::new();
            for state in (0..6).flat_map(|seed| walk(&puzzle, seed)) {
                children.clear();
                puzzle.successors(&state, 0, &mut children);
                let before = pairs.evaluate(&puzzle, &state, &mut Memo::default());
                for child in &children {
                    let alone = pairs.evaluate(&puzzle, &child.state, &mut Memo::default());
                    assert!((before.saturating_sub(1)..=before).contains(&alone));
                    fallen += u32::from(alone < before);
                    for (floor, enough) in
                        [(0, Cost::MAX), (alone, Cost::MAX), (0, before), (before, before + 1), (0, 1)]
                    {
                        let both = (&state, &child.state);
                        let value = pairs.evaluate_child(&puzzle, both, (floor, enough), &mut memo, || before);
                        let right = alone.max(floor);
                        assert!(value == right || value >= enough && value < right, "{value}, {right} alone");
                    }
                    // What was remembered is what is computed.
                    let (place, known) = memo.find(&child.state.set);
                    if known {
                        let mut fresh = Memo::default();
                        let at = recall(&pairs, &puzzle, &child.state, &mut fresh);
                        assert_eq!(memo.entry(place).1, fresh.entry(at).1);
                        assert_eq!(memo.entry(place).0.cells, fresh.entry(at).0.cells);
                        assert_eq!(memo.entry(place).0.turns, fresh.entry(at).0.turns);
                    }
                }
            }
        }
    }
    assert!(fallen > 100);
}

#[test]
fn tables_keep_to_their_budget_and_targets_are_used_once() {
    let puzzle = puzzle::<4>(&random_board(12, 12, 6, 1));
    let whole = Pairs::from_start(&puzzle, u64::MAX);
    let bytes = |pairs: &Pairs<4>| pairs.bytes(&puzzle);
    let half = Pairs::from_start(&puzzle, bytes(&whole) / 2);
    assert!(bytes(&half) <= bytes(&whole) / 2 && !half.tables.is_empty());
    let sample: Vec<_> = walk(&puzzle, 1).into_iter().map(|state| (state, 9)).collect();
    let sharpened = |bytes, leaves: &dyn Fn() -> bool| {
        Pairs::sharpened(Some(&half), &puzzle, &sample, (20, bytes, leaves), &mut Memo::default())
    };
    assert!(sharpened(bytes(&half), &|| false).is_none());
    assert!(sharpened(u64::MAX, &|| false).is_some());
    // Whenever there is no time left, it ends at once.
    for last in [0, 1, 30, 33, 40] {
        let asked = std::cell::Cell::new(0);
        let leaves = || {
            asked.set(asked.get() + 1);
            asked.get() > last
        };
        assert!(sharpened(u64::MAX, &leaves).is_none());
        assert_eq!(asked.get(), last + 1);
    }
    for pairs in pairs_of(&puzzle) {
        let mut targets: Vec<_> = pairs.tables.iter().map(|table| table.target).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), pairs.tables.len());
    }
}
