//! Best-first search from end to end; throughput is children generated a second, duplicates included.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gridhunt_benches::square;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor, with_puzzle};
use gridhunt_search::engine::{Context, Outcome, Parameters, StateEngine, Status, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};

/// Proves the optimum with bound `elimination`.
struct Solve {
    threads: usize,
}

impl Visitor for Solve {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let bound = FloodBound::new(puzzle, BoundKind::default());
        let problem = Problem::new(puzzle, bound);
        let stop = StopToken::new();
        let context = Context::new(self.threads, Limits::default(), &Silent, &stop);
        search(StateEngine::BEST_FIRST, &problem, &Parameters::default(), None, &context).expect("no checkpoints")
    }
}

fn engine(c: &mut Criterion) {
    let mut group = c.benchmark_group("best-first");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (side, seed) in BOARDS {
        let board = square(side, seed, 0);
        for threads in [1, 2] {
            let solve = || with_puzzle(&board, Solve { threads }).expect("no empty cells");
            let first = solve();
            assert_eq!(first.status(), Status::Optimal);
            // With several threads the layer of the optimum ends a little earlier or later from run to run.
            group.throughput(Throughput::Elements(first.statistics.generated));
            group.bench_function(BenchmarkId::new(board.name(), format!("{threads} threads")), |b| {
                b.iter(|| solve().lower_bound);
            });
        }
    }
    group.finish();
}

/// Sides and seeds of boards that take between some hundredths of a second and one second.
const BOARDS: [(usize, u64); 3] = [(18, 1), (21, 1), (21, 2)];

criterion_group!(benches, engine);
criterion_main!(benches);
