//! A puzzle from outside the crate whose states are sets, checked against a table of all subsets.

#[path = "../../crates/search/examples/set_cover.rs"]
mod example;

use crate::common::Setting;
use example::{Cover, Shares};
use gridhunt_search::domain::{Cost, LowerBound};
use gridhunt_search::engine::{StateEngine, Status};

/// The least price that covers the rest of each state.
fn prices(cover: &Cover) -> Vec<Cost> {
    let all = (1_usize << cover.elements) - 1;
    let mut prices = vec![Cost::MAX; all + 1];
    prices[all] = 0;
    // A purchase only adds elements, and a state with more of them has the greater number or is not larger.
    for state in (0..all).rev() {
        for &(set, price) in &cover.sets {
            let after = state | set as usize;
            if after > state {
                prices[state] = prices[state].min(prices[after].saturating_add(price));
            }
        }
    }
    prices
}

#[test]
fn every_engine_finds_the_cheapest_cover() {
    for seed in 0..12 {
        let cover = Cover::random(10, 8 + seed as usize, seed);
        let optimum = prices(&cover)[0];
        let mut counts = Vec::new();
        for engine in StateEngine::ALL {
            for threads in [1, 2, 8] {
                let outcome = Setting::new(engine, threads).search(&cover, Shares::new(&cover));
                let context = format!("{} with {threads} threads, seed {seed}", engine.name());
                let found = outcome.incumbent.as_ref().expect("a cover");
                assert_eq!(cover.price(&found.moves), Some(found.cost), "{context}");
                assert!(outcome.lower_bound <= optimum && optimum <= found.cost, "{context}");
                assert!(outcome.status() == Status::Optimal || !engine.exact(), "{context}");
                if engine == StateEngine::Antichain {
                    let below = outcome.statistics.layers.into_iter().filter(|layer| layer.f < optimum);
                    counts.push(below.collect::<Vec<_>>());
                }
            }
        }
        assert!(counts.iter().all(|layers| *layers == counts[0]), "seed {seed}: {counts:?}");
    }
}

/// The contract of [`gridhunt_search::domain::Domain::supersets_dominate`] and of an antitone bound, over all pairs of
/// states.
#[test]
fn more_covered_elements_are_never_worse() {
    let cover = Cover::random(8, 9, 3);
    let (prices, bound) = (prices(&cover), Shares::new(&cover));
    let h = |state: usize| bound.evaluate(&(state as u64), Cost::MAX, &mut ()).0;
    for small in 0..1 << cover.elements {
        assert!(h(small) <= prices[small]);
        for large in (0..1_usize << cover.elements).filter(|large| small & !large == 0) {
            assert!(prices[large] <= prices[small] && h(large) <= h(small), "{small:b} in {large:b}");
        }
    }
}

#[test]
fn the_example_runs() {
    example::main().expect("both engines agree");
}
