//! A puzzle from outside the crate whose states are sets, checked against a table of all subsets.

#[path = "../../crates/search/examples/set_cover.rs"]
mod example;

use crate::common::Setting;
use example::{Cover, Shares};
use gridhunt_search::domain::{Cost, LowerBound, MoveIndex, SetMoves};
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
        for engine in StateEngine::ALL {
            for threads in [1, 2, 8] {
                let outcome = Setting::new(engine, threads).search(&cover, Shares::new(&cover));
                let context = format!("{} with {threads} threads, seed {seed}", engine.info.name);
                let found = outcome.incumbent.as_ref().expect("a cover");
                assert_eq!(cover.price(&found.moves), Some(found.cost), "{context}");
                assert!(outcome.lower_bound <= optimum && optimum <= found.cost, "{context}");
                assert!(outcome.status() == Status::Optimal || !engine.info.proves, "{context}");
            }
        }
    }
}

/// The contracts of [`SetMoves`] and of an explanation, over all states and all that contain them.
#[test]
fn what_the_search_that_learns_relies_on() {
    for seed in 0..4 {
        let cover = Cover::random(8, 9, seed);
        let (prices, bound) = (prices(&cover), Shares::new(&cover));
        let all = (1_u64 << cover.elements) - 1;
        let h = |state: u64| bound.evaluate(&state, Cost::MAX, &mut ()).0;
        for small in 0..all {
            let (mut moves, mut pins, mut out) = (Vec::new(), [0], [u64::MAX]);
            assert!(cover.choices(&small, &mut moves, &mut pins) && pins[0] & small == 0);
            for large in (small..all).filter(|large| small & !large == 0 && pins[0] & !large != 0) {
                let price = |&mv: &MoveIndex| cover.cost(mv) + prices[cover.child(&large, mv) as usize];
                assert_eq!(moves.iter().map(price).min(), Some(prices[large as usize]), "{small:b} in {large:b}");
            }
            for mv in 0..cover.sets.len() as MoveIndex {
                let lies_within = |set: u64| cover.child(&set, mv) & !small == 0;
                cover.regress(&[small], mv, &mut out);
                let expected = (0..=small).filter(|&set| lies_within(set)).fold(0, |sum, set| sum | set);
                assert_eq!(out[0], expected);
            }
            for need in 1..=h(small) + 1 {
                let explains = bound.explain(&small, need, &[small >> 1], &mut out, &mut ());
                assert_eq!(explains, h(small) >= need);
                let within = (0..=all).filter(|set| explains && set & !out[0] == 0);
                assert!(!explains || out[0] & small == small && out[0] != all);
                assert!(within.map(h).all(|of_set| of_set >= need), "{need} at {small:b}");
            }
        }
    }
}

#[test]
fn the_example_runs() {
    example::main().expect("all engines agree");
}
