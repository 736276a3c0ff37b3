//! Flood-It: the time to expand, evaluate, pack and unpack one state, by size of the board.
//!
//! States come from a deterministic random walk, so they lie at all depths of a search.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use gridhunt_benches::square;
use gridhunt_floodit::{BoundKind, BoundScratch, Flood, FloodBound, FloodIt, Visitor, with_puzzle};
use gridhunt_search::domain::{Cost, Domain, LowerBound};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::hint::black_box;

const STATES: usize = 256;

/// Samples states of random solutions, without goals. Takes every second state, so that no sampled state is a child of
/// the one before.
fn sample<const W: usize>(puzzle: &FloodIt<W>) -> Vec<Flood<W>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut states, mut children) = (Vec::new(), Vec::new());
    let (mut state, mut steps) = (puzzle.root(), 0);
    while states.len() < STATES {
        if puzzle.terminal_cost(&state).is_some() {
            state = puzzle.root();
        } else if steps % 2 == 0 {
            states.push(state);
        }
        steps += 1;
        puzzle.successors(&state, 0, &mut children);
        let chosen = random.next_u32() as usize % children.len();
        state = children[chosen].state;
        children.clear();
    }
    states
}

/// The benchmarks of one board.
struct BoardBench<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    board: String,
    /// Whether every part of the work is timed, or only the expansion.
    times_all: bool,
}

impl BoardBench<'_, '_> {
    fn time_each<T>(&mut self, part: &str, items: &[T], mut work: impl FnMut(&T)) {
        self.group.bench_function(format!("{part}/{}", self.board), |b| {
            b.iter(|| items.iter().for_each(|item| work(black_box(item))));
        });
    }
}

impl Visitor for BoardBench<'_, '_> {
    type Output = ();

    fn visit<const W: usize>(mut self, puzzle: &FloodIt<W>) {
        self.board = format!("{}, {W} words", self.board);
        let states = sample(puzzle);
        let mut children = Vec::new();
        self.time_each("successors", &states, |state| {
            children.clear();
            puzzle.successors(state, 0, &mut children);
            black_box(&children);
        });
        if !self.times_all {
            return;
        }
        for kind in BoundKind::ALL {
            let bound = FloodBound::new(puzzle, kind);
            let mut scratch = BoundScratch::default();
            self.time_each(kind.name(), &states, |state| {
                black_box(bound.evaluate(state, Cost::MAX, &mut scratch));
            });
        }
        let mut key = vec![0; puzzle.key_len()];
        self.time_each("pack", &states, |state| {
            puzzle.pack(state, &mut key);
            black_box(&key);
        });
        let keys: Vec<Vec<u8>> = states
            .iter()
            .map(|state| {
                puzzle.pack(state, &mut key);
                key.clone()
            })
            .collect();
        let mut unpacked = puzzle.root();
        self.time_each("unpack", &keys, |key| {
            puzzle.unpack(key, &mut unpacked);
            black_box(&unpacked);
        });
    }
}

fn floodit(c: &mut Criterion) {
    let mut group = c.benchmark_group("floodit");
    group.throughput(Throughput::Elements(STATES as u64));
    for side in [8, 14, 18, 21, 24, 27, 32, 50, 100] {
        let board = square(side, 1, 0);
        let times_all = [14, 21, 24].contains(&side);
        let bench = BoardBench { group: &mut group, board: format!("{side}x{side}"), times_all };
        with_puzzle(&board, bench).expect("no empty cells");
    }
    group.finish();
}

criterion_group!(benches, floodit);
criterion_main!(benches);
