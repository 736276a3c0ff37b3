//! Flood-It: what one state costs to expand, to evaluate, to pack and to unpack, by size of the board.
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

/// States of random solutions, without the goals; every second one is left out, so that no state is its predecessor's
/// child.
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
struct Bench<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    board: String,
    /// Every part of the work, not only the expansion.
    all: bool,
}

impl Bench<'_, '_> {
    fn each<T>(&mut self, what: &str, items: &[T], mut work: impl FnMut(&T)) {
        self.group.bench_function(format!("{what}/{}", self.board), |b| {
            b.iter(|| items.iter().for_each(|item| work(black_box(item))));
        });
    }
}

impl Visitor for Bench<'_, '_> {
    type Output = ();

    fn visit<const W: usize>(mut self, puzzle: &FloodIt<W>) {
        self.board = format!("{}, {W} words", self.board);
        let states = sample(puzzle);
        let mut children = Vec::new();
        self.each("successors", &states, |state| {
            children.clear();
            puzzle.successors(state, 0, &mut children);
            black_box(&children);
        });
        if !self.all {
            return;
        }
        for kind in BoundKind::ALL {
            let bound = FloodBound::new(puzzle, kind);
            let mut scratch = BoundScratch::default();
            self.each(kind.name(), &states, |state| {
                black_box(bound.evaluate(state, Cost::MAX, &mut scratch));
            });
        }
        let mut key = vec![0; puzzle.key_len()];
        self.each("pack", &states, |state| {
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
        self.each("unpack", &keys, |key| {
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
        let all = [14, 21, 24].contains(&side);
        with_puzzle(&board, Bench { group: &mut group, board: format!("{side}x{side}"), all }).expect("no empty cells");
    }
    group.finish();
}

criterion_group!(benches, floodit);
criterion_main!(benches);
