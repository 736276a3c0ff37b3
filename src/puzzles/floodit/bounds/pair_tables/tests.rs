use super::super::super::sample::{puzzle, random_board, walk};
use super::reach::PairReach;
use super::*;
use gridhunt_boards::{Board, Cell, usual_symbols};
use gridhunt_search::domain::Domain;
use std::sync::atomic::Ordering::Relaxed;

/// With time enough.
fn from_start<const W: usize>(puzzle: &FloodIt<W>, bytes: u64) -> PairTables<W> {
    PairTables::from_start(puzzle, bytes, &BuildContext::alone(&|| false)).expect("there is time")
}

/// Letters by which two walkers from anywhere in `set` touch the two regions of the target, by breadth-first search
/// over pairs. `None` stands for a walker at home.
fn by_definition<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, target: Target) -> usize {
    let steps = |from: Option<usize>, to: u16, colour: usize| {
        let Some(at) = from else { return vec![None] };
        let mut next = vec![Some(at)];
        let beside = &puzzle.neighbours[at];
        bits::for_each(&bits::and(beside, &puzzle.of_colour[colour]), |region| next.push(Some(region)));
        let to = usize::from(to);
        if puzzle.colour(to) == colour && (at == to || bits::contains(beside, to)) {
            next.push(None);
        }
        next
    };
    let starts = |to: u16| {
        let mut starts = Vec::new();
        bits::for_each(set, |region| starts.push(Some(region)));
        if bits::is_subset(&puzzle.of_colour[puzzle.colour(usize::from(to))], set) {
            starts.push(None);
        }
        starts
    };
    let product = |one: Vec<Option<usize>>, other: Vec<Option<usize>>| -> Vec<[Option<usize>; 2]> {
        one.iter().flat_map(|&a| other.iter().map(move |&b| [a, b])).collect()
    };
    let [u, v] = target;
    let mut level = product(starts(u), starts(v));
    let mut reached: std::collections::HashSet<_> = level.iter().copied().collect();
    let mut letters = 0;
    while !reached.contains(&[None, None]) {
        letters += 1;
        let mut next = Vec::new();
        for [a, b] in level {
            for colour in 0..puzzle.of_colour.len() {
                let both = product(steps(a, u, colour), steps(b, v, colour));
                next.extend(both.into_iter().filter(|to| reached.insert(*to)));
            }
        }
        level = next;
    }
    letters
}

/// Time without end.
fn alone() -> BuildContext<'static> {
    BuildContext::alone(&|| false)
}

/// Tables for a sample of states with these values.
fn refined<const W: usize>(puzzle: &FloodIt<W>, sample: &[(Flood<W>, Cost)], most: usize) -> Option<PairTables<W>> {
    PairTables::refined(puzzle, sample, (most, u64::MAX), &alone())
}

/// Targets of all kinds.
fn all_kinds<const W: usize>(puzzle: &FloodIt<W>) -> Vec<PairTables<W>> {
    let sample = |seeds: std::ops::Range<u64>, goal: Cost| -> Vec<_> {
        seeds.flat_map(|seed| walk(puzzle, seed)).map(|state| (state, goal)).collect()
    };
    let mut made = vec![from_start(puzzle, u64::MAX)];
    made.extend(refined(puzzle, &sample(0..4, 3), 20));
    made.extend(refined(puzzle, &sample(4..8, 5), 40));
    made
}

/// The bound at a state and its memo, from nothing.
fn whole<const W: usize>(held: &PairTables<W>, puzzle: &FloodIt<W>, state: &Flood<W>) -> (Cost, Vec<u8>) {
    let mut memo = Vec::new();
    let value = held.write_memo(puzzle, state, &mut Distances::default(), &mut memo);
    assert_eq!(memo.len(), held.memo_len());
    (value, memo)
}

/// The bound at a state, from nothing.
fn bound<const W: usize>(held: &PairTables<W>, puzzle: &FloodIt<W>, state: &Flood<W>) -> Cost {
    whole(held, puzzle, state).0
}

/// Each state of a sample, with a value that these tables do not prove.
fn beyond<const W: usize>(held: &PairTables<W>, puzzle: &FloodIt<W>) -> Vec<(Flood<W>, Cost)> {
    let states = (0..4).flat_map(|seed| walk(puzzle, seed));
    states.map(|state| (state, bound(held, puzzle, &state) + 1)).collect()
}

#[test]
fn distances_are_those_of_the_definition() {
    let mut compared = 0;
    for index in 0..4 {
        let puzzle = puzzle::<1>(&random_board(5, 5, 3 + index as usize % 4, index));
        for held in all_kinds(&puzzle) {
            for state in walk(&puzzle, index).into_iter().step_by(2) {
                let (_, memo) = whole(&held, &puzzle, &state);
                let (cells, values) = memo[1..].split_at(held.cells());
                let unfinished = held.unfinished(&puzzle, &state.set);
                for (table, &value) in held.tables.iter().zip(values) {
                    // Of finished colours alone nothing is asked.
                    let cell = held.cell(&puzzle, table.target).unwrap();
                    if LAYOUT.pair_of(cell).iter().all(|slot| unfinished >> slot & 1 == 0) {
                        continue;
                    }
                    let exact = by_definition(&puzzle, &state.set, table.target);
                    let (value, most) = (usize::from(value), usize::from(cells[cell]));
                    let is_right = if value == most { exact == most } else { exact <= value && value < most };
                    assert!(is_right, "{:?} from {:?}: {value}, {exact} of {most}", table.target, state.set);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn floods_are_as_far_as_the_definition_says() {
    let puzzle = puzzle::<1>(&random_board(5, 4, 4, 3));
    let mut pairs = PairReach::default();
    for state in walk(&puzzle, 5) {
        pairs.measure(&puzzle, &state, &mut Effort::within(u64::MAX, &alone())).expect("time and room");
        let mut outside = Vec::new();
        bits::for_each(&bits::minus(&puzzle.all, &state.set), |region| outside.push(region));
        for (&u, &v) in outside.iter().flat_map(|u| outside.iter().map(move |v| (u, v))) {
            let exact = by_definition(&puzzle, &state.set, target::target(u, v));
            let levels = (0..pairs.depth()).filter(|&k| !bits::contains(pairs.row(k, u), v)).count();
            assert_eq!(levels, exact, "{u}, {v} from {:?}", state.set);
        }
    }
}

/// What decides about the bounds of children: the bound, the greatest distance of each cell, and which targets attain
/// it.
fn attained<const W: usize>(held: &PairTables<W>, memo: &[u8]) -> (u8, Vec<u8>, Vec<bool>) {
    let (cells, values) = memo[1..].split_at(held.cells());
    let of_cell = |cell: usize| values[held.begin[cell]..held.begin[cell + 1]].iter().map(move |&v| v == cells[cell]);
    (memo[0], cells.to_vec(), (0..cells.len()).flat_map(of_cell).collect())
}

/// Follows a walk, memo by memo. At each child of each state on the walk the bound is the one that is computed from
/// nothing, and it falls by one at most. A bound that is refuted is at least what is enough, never more than the bound,
/// and leaves no memo. Returns how often the bound fell, and how often it was refuted below itself.
fn follow_walk<const W: usize>(held: &PairTables<W>, puzzle: &FloodIt<W>, states: &[Flood<W>]) -> (u32, u32) {
    let (mut children, mut fallen, mut early) = (Vec::new(), 0, 0);
    let mut memo = whole(held, puzzle, &states[0]).1;
    for pair in states.windows(2) {
        let (state, next) = (&pair[0], &pair[1]);
        children.clear();
        puzzle.successors(state, 0, &mut children);
        let before = Cost::from(memo[0]);
        let mut of_next = None;
        for child in children.iter().map(|child| &child.state) {
            let (alone, of_child) = whole(held, puzzle, child);
            assert!((before.saturating_sub(1)..=before).contains(&alone), "{alone} after {before}");
            fallen += u32::from(alone < before);
            let follow = |enough: Cost| {
                let mut followed = vec![7];
                let value = held.follow_memo(puzzle, (&state.set, &memo), &child.set, enough, &mut followed);
                (value, followed)
            };
            for enough in
                [0, alone / 2, alone.saturating_sub(1), alone, before, before + 1, 254, 255, 256, 400, Cost::MAX]
            {
                let (value, followed) = follow(enough);
                if alone < enough {
                    assert_eq!((value, followed[0]), (alone, 7));
                    assert_eq!(attained(held, &followed[1..]), attained(held, &of_child));
                } else {
                    assert!((enough..=alone).contains(&value), "{value} of {alone}, where {enough} is enough");
                    assert_eq!(followed, [7]);
                    early += u32::from(value < alone);
                }
            }
            if child.set == next.set {
                of_next = Some(follow(Cost::MAX).1.split_off(1));
            }
        }
        memo = of_next.expect("a walk goes from child to child");
    }
    assert_eq!(memo[0], 0, "at the goal");
    (fallen, early)
}

#[test]
fn a_child_has_the_bound_that_it_has_alone() {
    let (mut fallen, mut early) = (0, 0);
    for index in 0..4 {
        let puzzle = puzzle::<4>(&random_board(12, 12, 4 + index as usize % 5, index));
        for held in all_kinds(&puzzle) {
            for seed in 0..3 {
                let counts = follow_walk(&held, &puzzle, &walk(&puzzle, seed));
                fallen += counts.0;
                early += counts.1;
            }
        }
    }
    assert!(fallen > 100 && early > 100, "{fallen}, {early}");
}

/// A checkpoint names the targets, from which the same tables are made again.
#[test]
fn the_same_targets_have_the_same_memos() {
    for index in 0..4 {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, index));
        for held in all_kinds(&puzzle) {
            let targets: Vec<_> = held.targets().collect();
            let other = PairTables::of_targets(&puzzle, &targets, &alone()).expect("the same targets");
            assert_eq!(other.targets().collect::<Vec<_>>(), targets);
            for state in walk(&puzzle, index) {
                assert_eq!(whole(&other, &puzzle, &state), whole(&held, &puzzle, &state));
            }
        }
    }
}

#[test]
fn tables_keep_to_their_budget_and_targets_are_used_once() {
    let puzzle = puzzle::<4>(&random_board(12, 12, 6, 1));
    let whole = from_start(&puzzle, u64::MAX);
    let bytes = PairTables::<4>::bytes;
    let half = from_start(&puzzle, bytes(&whole) / 2);
    assert!(bytes(&half) <= bytes(&whole) / 2 && !half.tables.is_empty());
    let sample = beyond(&half, &puzzle);
    let refined = |bytes, cancelled: &(dyn Fn() -> bool + Sync)| {
        PairTables::refined(&puzzle, &sample, (20, bytes), &BuildContext::alone(cancelled))
    };
    assert!(refined(0, &|| false).is_none());
    assert!(refined(u64::MAX, &|| false).is_some_and(|refined| refined.tables.len() == 20));
    // Whenever there is no time left, it ends at once.
    for last in [0, 1, 30, 33, 40] {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Relaxed) >= last;
        assert!(refined(u64::MAX, &cancelled).is_none());
        assert_eq!(asked.into_inner(), last + 1);
    }
    // A table is not made where it has no room.
    let first = whole.targets().next().unwrap();
    let build = alone();
    let draft = |bytes: u64| {
        Maker::default().draft(&puzzle, (first, whole.homes(&puzzle, first)), &mut Effort::within(bytes, &build))
    };
    let own = draft(u64::MAX).unwrap().bytes();
    assert!([0, own / 10, own].into_iter().all(|bytes| matches!(draft(bytes), Err(Cut::Room(_)))));
    for held in all_kinds(&puzzle) {
        let mut targets: Vec<_> = held.tables.iter().map(|table| table.target).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), held.tables.len());
    }
}

/// Making the bound tells of each part once, in order, and ends as soon as it is asked to.
#[test]
fn progress_is_told_and_there_may_be_no_time() {
    let puzzle = puzzle::<4>(&random_board(14, 14, 6, 7));
    let sample = beyond(&from_start(&puzzle, u64::MAX), &puzzle);
    let refined = |cancelled: &(dyn Fn() -> bool + Sync)| {
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |done, total| told.lock().unwrap().push((done, total));
        let build = BuildContext { progress: &progress, ..BuildContext::alone(cancelled) };
        let new = PairTables::refined(&puzzle, &sample, (40, u64::MAX), &build);
        (new, told.into_inner().unwrap())
    };
    let (new, told) = refined(&|| false);
    let tables = new.unwrap().tables.len();
    assert!(tables > 5, "{tables} tables");
    let parts = |total| (1..=total).map(move |done| (done, total));
    assert_eq!(told, parts(sample.len()).chain(parts(tables)).collect::<Vec<_>>());
    for last in [1, sample.len() / 2, told.len()] {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Relaxed) >= last;
        let (new, told_before) = refined(&cancelled);
        assert!(new.is_none() && told_before.len() < told.len());
        assert_eq!(asked.into_inner(), last + 1);
    }
}

/// A row of regions whose colours take turns. With two colours each move floods one region on each side, so the optimum
/// is the number of moves to the farther end.
fn row<const W: usize>(colours: usize, regions: usize, start: usize) -> FloodIt<W> {
    let cells = (0..regions).map(|cell| (cell % colours) as u8).collect();
    let start = Cell { row: 0, col: start };
    puzzle(&Board::new("row", 1, regions, cells, usual_symbols(colours), start).unwrap())
}

/// Distances that do not fit a byte count as the greatest byte: never more than the optimum, consistent, the same from
/// parent to child, and never without an end.
#[test]
fn distances_that_fit_no_byte_are_the_greatest_byte() {
    let mut greatest = 0;
    for (regions, start) in [(255, 0), (256, 0), (257, 0), (258, 0), (300, 20), (309, 0)] {
        let puzzle = row::<5>(2, regions, start);
        let targets: Vec<_> = (regions - 6..regions).map(|cell| [cell as u16; 2]).collect();
        let each = PairTables::of_targets(&puzzle, &targets, &alone()).expect("targets of this puzzle");
        for (has_ends, held) in [(false, from_start(&puzzle, u64::MAX)), (true, each)] {
            let states = walk(&puzzle, 1);
            for state in &states {
                let in_flood = |cell: &usize| bits::contains(&state.set, *cell);
                let ends = [(0..regions).find(in_flood).unwrap(), (0..regions).rfind(in_flood).unwrap()];
                let optimum = ends[0].max(regions - 1 - ends[1]) as Cost;
                let value = bound(&held, &puzzle, state);
                assert!(value <= optimum, "{value} of {optimum}");
                assert!(!has_ends || value + 1 >= optimum.min(255), "{value} of {optimum}: as good as a byte can be");
                greatest = value.max(greatest);
            }
            follow_walk(&held, &puzzle, &states);
        }
    }
    assert_eq!(greatest, 255);
}

/// Where the states of a sample are worth more than a byte can tell, no table could spare them.
#[test]
fn no_table_is_made_for_what_fits_no_byte() {
    let puzzle = row::<8>(5, 500, 0);
    let sample: Vec<_> = walk(&puzzle, 3).into_iter().map(|state| (state, 256)).take(9).collect();
    assert!(refined(&puzzle, &sample, 20).is_none());
    // Pairs that are farther than a byte can tell are not measured to their ends.
    let mut reach = PairReach::default();
    reach.measure(&puzzle, &puzzle.root(), &mut Effort::within(u64::MAX, &alone())).expect("time and room");
    assert_eq!(reach.depth(), 255);
    // Those whose value fits are served as well as a byte can.
    let sample: Vec<_> = sample.into_iter().map(|(state, _)| (state, 255)).collect();
    let refined = refined(&puzzle, &sample, 20).expect("targets for these states");
    assert_eq!(bound(&refined, &puzzle, &puzzle.root()), 255);
}

/// What a piece of work takes is refused before it is taken, and the user is told once.
#[test]
fn what_does_not_fit_is_not_begun() {
    let puzzle = puzzle::<4>(&random_board(12, 12, 6, 1));
    let sample: Vec<_> = (0..4).flat_map(|seed| walk(&puzzle, seed)).map(|state| (state, 12)).collect();
    let told = std::sync::Mutex::new(Vec::new());
    let lack = |wanted: &str| told.lock().unwrap().push(wanted.to_owned());
    let made = |room: u64, bytes: u64| {
        let progress = |_, _| {};
        let build = BuildContext { room, lack: &lack, progress: &progress, ..alone() };
        let start = PairTables::from_start(&puzzle, bytes, &build);
        let after_start = std::mem::take(&mut *told.lock().unwrap());
        let refined = PairTables::refined(&puzzle, &sample, (20, bytes), &build);
        let after = std::mem::take(&mut *told.lock().unwrap());
        ([start, refined].map(|made| made.map(|made| made.tables.len())), [after_start, after])
    };
    let (whole, silent) = made(u64::MAX, u64::MAX);
    assert!(whole.iter().all(|tables| tables.is_some_and(|tables| tables > 5)), "{whole:?}");
    assert!(silent.iter().all(Vec::is_empty), "{silent:?}");
    // Room and limit mean the same.
    for bytes in [0, 1_000, 20_000] {
        for (none, told) in [made(bytes, u64::MAX), made(u64::MAX, bytes)] {
            assert_eq!(none, [None, None], "{bytes} bytes");
            assert!(told.iter().all(|told| told.len() == 1 && told[0].contains("MiB for tables")), "{told:?}");
        }
    }
    let mut fewer = 0;
    for bytes in (30_000..400_000).step_by(10_000) {
        let (some, told) = made(bytes, u64::MAX);
        for ((some, whole), told) in some.into_iter().zip(whole).zip(told) {
            // The user is told if and only if something is missing, apart from states of the sample without worth.
            assert!(some <= whole && (some == whole || !told.is_empty()), "{some:?} of {whole:?}: {told:?}");
            fewer += u32::from(some.is_some_and(|some| some > 0) && some < whole);
        }
    }
    assert!(fewer > 3, "{fewer}");
    // A checkpoint names tables: all of them, or none.
    let whole = from_start(&puzzle, u64::MAX);
    let targets: Vec<_> = whole.targets().collect();
    let restored =
        |room: u64| PairTables::of_targets(&puzzle, &targets, &BuildContext { room, lack: &lack, ..alone() });
    assert!(restored(whole.bytes()).is_none() && told.lock().unwrap().len() == 1);
    assert!(restored(10 * whole.bytes()).is_some());
}

/// Between two questions about the time lies little work, on large boards too; and any question may be the last.
#[test]
fn long_work_asks_often() {
    let puzzle = puzzle::<16>(&random_board(34, 34, 10, 3));
    let count = |last: usize| {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Relaxed) >= last;
        let made = PairTables::from_start(&puzzle, u64::MAX, &BuildContext::alone(&cancelled));
        (made.is_some(), asked.into_inner())
    };
    // Before its first table, a start has only measured: distances of all pairs, at least two reads for each.
    let (_, targets) = (0, from_start(&puzzle, u64::MAX).tables.len());
    let (is_made, asked) = count(usize::MAX);
    let words = 2 * puzzle.regions() * puzzle.regions() * 16;
    assert!(is_made && asked > targets + (words >> 20), "{asked} for {targets} targets and {words} words");
    for last in [0, 1, 7, asked / 3, asked / 2, asked - 1] {
        assert_eq!(count(last), (false, last + 1));
    }
}
