use super::super::super::sample::{puzzle, random_board, walk};
use super::reach::{PairReach, TripleReach};
use super::*;
use crate::domain::Domain;

/// With time enough.
fn from_start<const W: usize>(puzzle: &FloodIt<W>, takes_triples: bool, bytes: u64) -> Walkers<W> {
    Walkers::from_start(puzzle, takes_triples, bytes, &Making::alone(&|| false)).expect("there is time")
}

/// Letters that lead a walker from anywhere in `set` to each region of the target, by breadth-first search over triples.
fn by_definition<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, target: Target) -> usize {
    let steps = |from: u16, colour: usize| {
        let mut to = vec![from];
        let touching = &puzzle.touching[usize::from(from)];
        bits::for_each(&bits::and(touching, &puzzle.of_colour[colour]), |next| to.push(next as u16));
        to
    };
    let mut inside = Vec::new();
    bits::for_each(set, |region| inside.push(region as u16));
    let product = |of: [&[u16]; 3], two: bool| {
        let mut all = Vec::new();
        for &a in of[0] {
            for &b in of[1] {
                // Two walkers are three of whom the last two go together.
                all.extend(of[2].iter().filter(|&&c| !two || b == c).map(|&c| [a, b, c]));
            }
        }
        all
    };
    let two = !is_triple(target);
    // The one who is alone comes first.
    let goal = if target[0] == target[1] { [target[2], target[0], target[1]] } else { target };
    let mut level = product([&inside, &inside, &inside], two);
    let mut reached: std::collections::HashSet<_> = level.iter().copied().collect();
    let mut letters = 0;
    while !reached.contains(&goal) {
        letters += 1;
        let mut next = Vec::new();
        for at in level {
            for colour in 0..puzzle.of_colour.len() {
                let to = at.map(|from| steps(from, colour));
                next.extend(product([&to[0], &to[1], &to[2]], two).into_iter().filter(|to| reached.insert(*to)));
            }
        }
        level = next;
    }
    letters
}

/// Nobody leaves.
fn alone() -> Making<'static> {
    Making::alone(&|| false)
}

/// Targets of all kinds, some of them chosen twice over.
fn walkers_of<const W: usize>(puzzle: &FloodIt<W>) -> Vec<Walkers<W>> {
    let mut made = Vec::new();
    for triples in [false, true] {
        let from_start = from_start(puzzle, triples, u64::MAX);
        let mut memo = Memo::default();
        for held in [None, Some(&from_start)] {
            let sample: Vec<_> = (0..4).flat_map(|seed| walk(puzzle, seed)).map(|state| (state, 3)).collect();
            let limits = (20, u64::MAX);
            made.extend(Walkers::sharpened(held, (puzzle, triples), &sample, limits, &alone(), &mut memo));
        }
        made.push(from_start);
    }
    // What began with pairs goes on with triples.
    let sample: Vec<_> = (4..8).flat_map(|seed| walk(puzzle, seed)).map(|state| (state, 5)).collect();
    let limits = (20, u64::MAX);
    made.extend(Walkers::sharpened(made.first(), (puzzle, true), &sample, limits, &alone(), &mut Memo::default()));
    made
}

#[test]
fn distances_are_those_of_the_definition() {
    let mut kinds = [0, 0];
    for index in 0..4 {
        let puzzle = puzzle::<1>(&random_board(5, 5, 3 + index as usize % 4, index));
        for walkers in walkers_of(&puzzle) {
            let mut memo = Memo::default();
            for state in walk(&puzzle, index).into_iter().step_by(2) {
                let place = recall(&walkers, &puzzle, &state, &mut memo);
                let (entry, values) = memo.entry(place);
                for (table, &value) in walkers.tables.iter().zip(values) {
                    let exact = by_definition(&puzzle, &state.set, table.target);
                    assert_eq!(usize::from(value), exact, "{:?} from {:?}", table.target, state.set);
                    assert!(walkers.cell(&puzzle, table.target).is_some_and(|cell| entry.cells[cell] >= value));
                    kinds[usize::from(is_triple(table.target))] += 1;
                }
            }
        }
    }
    assert!(kinds[0] > 300 && kinds[1] > 30, "{kinds:?}");
}

#[test]
fn floods_are_as_far_as_the_definition_says() {
    let puzzle = puzzle::<1>(&random_board(5, 4, 4, 3));
    let (mut pairs, mut triples) = (PairReach::default(), TripleReach::default());
    for state in walk(&puzzle, 5) {
        pairs.measure(&puzzle, &state);
        assert!(triples.measure(&puzzle, &state, u64::MAX));
        let mut outside = Vec::new();
        bits::for_each(&bits::minus(&puzzle.all, &state.set), |region| outside.push(region));
        for (&u, &v) in outside.iter().flat_map(|u| outside.iter().map(move |v| (u, v))) {
            let exact = by_definition(&puzzle, &state.set, table::pair(u, v));
            let levels = (0..pairs.depth()).filter(|&k| !bits::contains(pairs.row(k, u), v)).count();
            assert_eq!(levels, exact, "{u}, {v} from {:?}", state.set);
            for &w in outside.iter().filter(|&&w| w != u && w != v && u != v && (u + v + w) % 7 == 0) {
                let exact = by_definition(&puzzle, &state.set, table::triple(u, v, w));
                let levels = (0..triples.depth()).filter(|&k| !bits::contains(triples.row(k, u, v), w)).count();
                assert_eq!(levels, exact, "{u}, {v}, {w} from {:?}", state.set);
            }
        }
    }
}

/// Whatever is remembered, and from wherever a state is reached: its bound is the one that is computed from nothing.
#[test]
fn a_child_has_the_bound_that_it_has_alone() {
    let mut fallen = 0;
    for index in 0..4 {
        let puzzle = puzzle::<4>(&random_board(12, 12, 4 + index as usize % 5, index));
        for walkers in walkers_of(&puzzle) {
            let mut memo = Memo::default();
            let mut children = Vec::new();
            for state in (0..3).flat_map(|seed| walk(&puzzle, seed)) {
                children.clear();
                puzzle.successors(&state, 0, &mut children);
                let before = walkers.evaluate(&puzzle, &state, Cost::MAX, &mut Memo::default());
                for child in &children {
                    let alone = walkers.evaluate(&puzzle, &child.state, Cost::MAX, &mut Memo::default());
                    assert!((before.saturating_sub(1)..=before).contains(&alone));
                    fallen += u32::from(alone < before);
                    for (floor, enough) in
                        [(0, Cost::MAX), (alone, Cost::MAX), (0, before), (before, before + 1), (0, 1)]
                    {
                        let both = (&state, &child.state);
                        let value = walkers.evaluate_child(&puzzle, both, (floor, enough), &mut memo, || before);
                        let right = alone.max(floor);
                        assert!(value == right || value >= enough && value < right, "{value}, {right} alone");
                    }
                    // What was remembered is what is computed.
                    let (place, known) = memo.find(&child.state.set);
                    if known {
                        let mut fresh = Memo::default();
                        let at = recall(&walkers, &puzzle, &child.state, &mut fresh);
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

/// Witnesses never say more than all targets do, and never less than what was asked for, where they speak.
#[test]
fn what_is_enough_is_no_more_than_the_bound() {
    let (mut asked, mut spared) = (0, 0);
    for index in 0..6 {
        let puzzle = puzzle::<4>(&random_board(12, 12, 4 + index as usize % 5, index));
        for walkers in walkers_of(&puzzle) {
            let mut memo = Memo::default();
            for state in (0..4).flat_map(|seed| walk(&puzzle, seed)) {
                let alone = walkers.evaluate(&puzzle, &state, Cost::MAX, &mut Memo::default());
                for enough in [alone + 1, alone, alone.saturating_sub(1), alone / 2] {
                    let value = walkers.evaluate(&puzzle, &state, enough, &mut memo);
                    let right = if alone < enough { alone..=alone } else { enough..=alone };
                    assert!(right.contains(&value), "{value} of {alone}, where {enough} is enough");
                    asked += u32::from(enough <= alone);
                    // All targets say what they say.
                    spared += u32::from(value < alone);
                }
            }
        }
    }
    assert!(spared > 100, "{spared} of {asked}");
}

#[test]
fn tables_keep_to_their_budget_and_targets_are_used_once() {
    let puzzle = puzzle::<4>(&random_board(12, 12, 6, 1));
    let whole = from_start(&puzzle, true, u64::MAX);
    let bytes = Walkers::<4>::bytes;
    let half = from_start(&puzzle, true, bytes(&whole) / 2);
    assert!(bytes(&half) <= bytes(&whole) / 2 && !half.tables.is_empty());
    let sample: Vec<_> = (0..4)
        .flat_map(|seed| walk(&puzzle, seed))
        .map(|state| (state, half.evaluate(&puzzle, &state, Cost::MAX, &mut Memo::default()) + 1))
        .collect();
    let sharpened = |bytes, leaves: &(dyn Fn() -> bool + Sync)| {
        Walkers::sharpened(
            Some(&half),
            (&puzzle, true),
            &sample,
            (20, bytes),
            &Making::alone(leaves),
            &mut Memo::default(),
        )
    };
    assert!(sharpened(bytes(&half), &|| false).is_none());
    assert!(sharpened(u64::MAX, &|| false).is_some());
    // Whenever there is no time left, it ends at once.
    for last in [0, 1, 30, 33, 40] {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let leaves = || asked.fetch_add(1, Relaxed) >= last;
        assert!(sharpened(u64::MAX, &leaves).is_none());
        assert_eq!(asked.into_inner(), last + 1);
    }
    // Where there is no room to find triples, or to make their tables, there are pairs.
    let root = puzzle.root();
    let enough = (0..).map(|number| number << 16).find(|&bytes| TripleReach::default().measure(&puzzle, &root, bytes));
    assert!(enough.is_some_and(|bytes| (1 << 20..100 << 20).contains(&bytes)), "{enough:?}");
    let pairs_alone = from_start(&puzzle, true, (1 << 20) - 1);
    assert!(!pairs_alone.tables.is_empty() && !pairs_alone.targets().any(is_triple));
    let far = whole.targets().find(|&target| is_triple(target)).unwrap();
    let draft = |bytes| Maker::default().draft(&puzzle, far, bytes);
    let own = draft(u64::MAX).unwrap().bytes();
    assert!([0, own / 10, own - 1].into_iter().all(|bytes| draft(bytes).is_none()));
    for walkers in walkers_of(&puzzle) {
        let mut targets: Vec<_> = walkers.tables.iter().map(|table| table.target).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), walkers.tables.len());
    }
}

/// Several threads make what one makes, tell of each part once, and leave as soon as they are asked to.
#[test]
fn threads_do_not_matter() {
    let puzzle = puzzle::<4>(&random_board(14, 14, 6, 7));
    let begun = from_start(&puzzle, false, u64::MAX);
    let sample: Vec<_> = (0..4)
        .flat_map(|seed| walk(&puzzle, seed))
        .map(|state| (state, begun.evaluate(&puzzle, &state, Cost::MAX, &mut Memo::default()) + 1))
        .collect();
    let sharpened = |threads, leaves: &(dyn Fn() -> bool + Sync)| {
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |done, total| told.lock().unwrap().push((total, done));
        let making = Making { threads, leaves, progress: &progress };
        let limits = (40, u64::MAX);
        let new = Walkers::sharpened(Some(&begun), (&puzzle, true), &sample, limits, &making, &mut Memo::default());
        let mut told = told.into_inner().unwrap();
        told.sort_unstable();
        (new, told)
    };
    let (alone, told_alone) = sharpened(1, &|| false);
    let alone: Vec<_> = alone.unwrap().targets().collect();
    assert!(alone.iter().filter(|&&target| is_triple(target)).count() > 5, "{alone:?}");
    assert!(told_alone.len() > sample.len() && told_alone.iter().all(|&(total, done)| (1..=total).contains(&done)));
    for threads in [2, 3, 8] {
        let (new, told) = sharpened(threads, &|| false);
        let new = new.unwrap();
        assert_eq!((new.targets().collect::<Vec<_>>(), told), (alone.clone(), told_alone.clone()), "{threads} threads");
        for last in [sample.len() + 1, sample.len() * 3 / 2, told_alone.len() + sample.len()] {
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let leaves = || asked.fetch_add(1, Relaxed) >= last;
            let (new, told) = sharpened(threads, &leaves);
            assert!(new.is_none() && told.len() < told_alone.len());
            // Each thread asks once in vain, at most.
            assert!(asked.into_inner() <= last + threads + 1);
        }
    }
}

/// Triples that are far from the start say more than pairs somewhere, though each counts for three colours alone.
#[test]
fn triples_say_more_than_pairs() {
    let (mut more, mut states) = (0, 0);
    for index in 0..10 {
        let puzzle = puzzle::<4>(&random_board(14, 14, 6, 20 + index));
        let [pairs, both] = [false, true].map(|triples| from_start(&puzzle, triples, u64::MAX));
        for state in walk(&puzzle, index) {
            let [pairs, both] = [&pairs, &both].map(|w| w.evaluate(&puzzle, &state, Cost::MAX, &mut Memo::default()));
            assert!(both >= pairs);
            more += u32::from(both > pairs);
            states += 1;
        }
    }
    assert!(more > 5, "at {more} of {states} states");
}
