//! Several ranks search one board: the same optimum and the same counts as one rank, in any weather.

use crate::common::{Exhaustive, Setting, random_board, rng};
use crate::engines;
use gridhunt::engine::{Outcome, StateEngine};
use gridhunt::runtime::{Crowd, Exchange, Weather};
use gridhunt::verify::replay;

/// Ranks and threads of each.
type Shape = (usize, usize);

/// Searches on a crowd of ranks. Returns the outcomes of all ranks.
fn search_on(
    (ranks, threads): Shape,
    weather: Weather,
    engine: StateEngine,
    search: impl Fn(Setting<'_>) -> Outcome + Sync,
) -> Vec<Outcome> {
    // Small parcels, so that small boards send many.
    let exchange = |rank| Exchange::new(rank).with_parcels(300);
    let exchanges: Vec<_> = Crowd::gather(ranks, weather).into_iter().map(exchange).collect();
    let search = &search;
    std::thread::scope(|scope| {
        let run = |exchange| {
            let setting = Setting { exchange: Some(exchange), ..Setting::new(engine, threads) };
            scope.spawn(move || search(setting))
        };
        let threads: Vec<_> = exchanges.iter().map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// The layers below the optimum, with the numbers of states expanded in them.
fn layers_below(optimum: u32, outcome: &Outcome) -> Vec<(u32, u64)> {
    let layers = outcome.statistics.layers.iter().filter(|layer| layer.f < optimum);
    layers.map(|layer| (layer.f, layer.expanded)).collect()
}

/// Checks that all shapes of ranks and threads prove what one rank proves, with the same counts.
fn compare(engine: StateEngine, seed: u64, search: impl Fn(Setting<'_>) -> Outcome + Sync) -> Outcome {
    let alone = search(Setting::new(engine, 1));
    let optimum = alone.lower_bound;
    for (shape, delay) in [((2, 1), 0), ((3, 1), 5), ((2, 2), 3), ((5, 2), 1)] {
        let outcomes = search_on(shape, Weather { seed, delay }, engine, &search);
        for outcome in &outcomes {
            let what = format!("{engine:?} on {shape:?} ranks and threads, seed {seed}");
            let cost = |outcome: &Outcome| outcome.incumbent.as_ref().map(|solution| solution.cost);
            assert_eq!((cost(outcome), outcome.lower_bound), (cost(&alone), optimum), "{what}");
            assert_eq!(layers_below(optimum, outcome), layers_below(optimum, &alone), "{what}");
            assert_eq!(outcome.incumbent, outcomes[0].incumbent, "{what}");
            assert_eq!(outcome.statistics.stored, outcomes[0].statistics.stored, "{what}");
            assert_eq!(outcome.stopped, None, "{what}");
        }
    }
    alone
}

#[test]
fn ranks_prove_the_same_floods_and_expand_the_same_layers() {
    let mut rng = rng(77);
    for seed in 0..8 {
        let board = random_board(&mut rng, 6, 6, 3 + (seed % 3) as u8);
        let optimum = Exhaustive::solve(&board).optimum();
        for engine in [StateEngine::BestFirst, StateEngine::Auto] {
            let alone = compare(engine, seed, |setting| {
                let outcome = engines::run_in(&board, "elimination", setting);
                let solution = outcome.incumbent.as_ref().expect("a solution");
                assert!(replay(&board, &solution.moves).is_ok());
                assert_eq!(solution.moves.len() as u32, optimum);
                outcome
            });
            assert_eq!(alone.lower_bound, optimum);
        }
    }
}
