//! Several ranks search one board: the same optimum and the same counts as one rank, in any weather.

use crate::clicks;
use crate::common::{Exhaustive, Setting, random_board, rng};
use crate::engines;
use gridhunt::board::{Objective, Rules};
use gridhunt::engine::{Outcome, StateEngine, Status};
use gridhunt::runtime::{Crowd, CrowdRank, Exchange, Limits, StopReason, WINDOW, Weather};
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
        // Where `auto` ends before its main search, the leader alone has an outcome.
        let with_outcome = if engine == StateEngine::Auto { 1 } else { outcomes.len() };
        for outcome in &outcomes[..with_outcome] {
            let what = format!("{engine:?} on {shape:?} ranks and threads, seed {seed}");
            let cost = |outcome: &Outcome| outcome.incumbent.as_ref().map(|solution| solution.cost);
            assert_eq!((cost(outcome), outcome.lower_bound), (cost(&alone), optimum), "{what}");
            assert_eq!(layers_below(optimum, outcome), layers_below(optimum, &alone), "{what}");
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
                if let Some(solution) = &outcome.incumbent {
                    assert!(replay(&board, &solution.moves).is_ok());
                    assert_eq!(solution.moves.len() as u32, optimum);
                }
                outcome
            });
            assert_eq!(alone.lower_bound, optimum);
        }
    }
}

#[test]
fn ranks_prove_the_same_clicks_and_expand_the_same_layers() {
    let mut rng = rng(78);
    for seed in 0..4 {
        let board = random_board(&mut rng, 5, 5, 3);
        for objective in [Objective::Clear, Objective::Clicks, Objective::Left, Objective::Score] {
            let alone =
                compare(StateEngine::Auto, seed, |setting| clicks::run(&board, Rules::default(), objective, setting));
            let truth = clicks::truth(&board, Rules::default(), objective).expect("few states");
            assert_eq!(alone.incumbent.map(|solution| solution.cost), truth, "{objective:?}, seed {seed}");
        }
    }
}

/// One rank receives a parcel in one of many tries. The others hold no more than their windows.
#[test]
fn a_slow_rank_holds_no_more_than_the_windows_and_changes_nothing() {
    let board = random_board(&mut rng(82), 11, 11, 6);
    let search = |setting: Setting<'_>| engines::run_in(&board, "layers", setting);
    let alone = search(Setting::new(StateEngine::BestFirst, 1));
    let optimum = alone.lower_bound;
    for slow in 0..3 {
        let crowd: Vec<CrowdRank> = Crowd::gather(3, Weather { seed: slow as u64, delay: 2 });
        let watched = crowd[0].clone();
        let slowed = crowd.into_iter().enumerate().map(|(rank, end)| if rank == slow { end.slow(30) } else { end });
        let exchanges: Vec<_> = slowed.map(|rank| Exchange::new(rank).with_parcels(150)).collect();
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let run = |exchange| {
                let setting = Setting { exchange: Some(exchange), ..Setting::new(StateEngine::BestFirst, 2) };
                scope.spawn(move || search(setting))
            };
            let threads: Vec<_> = exchanges.iter().map(run).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for outcome in &outcomes {
            assert_eq!(outcome.lower_bound, optimum);
            assert_eq!(layers_below(optimum, outcome), layers_below(optimum, &alone), "rank {slow} is slow");
        }
        let [parcels, _] = watched.most_under_way();
        // Two ranks send to the slow one. A solution that is found sends a few parcels past the windows.
        assert!((1..=2 * WINDOW + 12).contains(&parcels), "{parcels} parcels under way, rank {slow} is slow");
    }
}

/// With the pair bound, what a sender remembers of a state goes with it, and changes nothing.
#[test]
fn remembered_distances_travel_and_change_nothing() {
    let mut rng = rng(83);
    for seed in 0..3 {
        let board = random_board(&mut rng, 12, 12, 6);
        let alone = compare(StateEngine::BestFirst, seed, |setting| engines::run_in(&board, "pairs", setting));
        assert!(alone.statistics.expanded > 50, "{} states are too few to tell", alone.statistics.expanded);
    }
}

/// `auto` refines the bound on all ranks, from the same samples.
#[test]
fn a_bound_is_refined_on_all_ranks() {
    let board = random_board(&mut rng(84), 14, 14, 6);
    let alone = compare(StateEngine::Auto, 1, |setting| engines::run_in(&board, "pairs", setting));
    assert!(alone.statistics.expanded > 400, "{} states: the bound is not refined", alone.statistics.expanded);
}

/// Where there is no solution, every state is stored, on one of the ranks.
#[test]
fn the_records_of_all_ranks_are_the_states_of_the_board() {
    let mut rng = rng(79);
    let rules = Rules { min_group: 2, ..Rules::default() };
    let mut unsolvable = 0;
    for seed in 0..8 {
        let board = random_board(&mut rng, 4, 5, 4);
        let search = |setting: Setting<'_>| clicks::run(&board, rules, Objective::Clicks, setting);
        let alone = search(Setting::new(StateEngine::BestFirst, 1));
        if alone.status() != Status::Unsolvable {
            continue;
        }
        unsolvable += 1;
        for outcome in search_on((3, 2), Weather { seed, delay: 2 }, StateEngine::BestFirst, search) {
            assert_eq!(outcome.status(), Status::Unsolvable);
            assert_eq!(outcome.statistics.stored, alone.statistics.stored);
            assert_eq!(outcome.statistics.expanded, alone.statistics.expanded);
        }
    }
    assert!(unsolvable > 2, "too few to tell");
}

/// Checks that all ranks end alike, for this reason and with a range that holds.
fn all_stop(outcomes: &[Outcome], reason: StopReason, optimum: u32) {
    for outcome in outcomes {
        assert_eq!(outcome.stopped, Some(reason));
        assert!(outcome.lower_bound <= optimum);
        assert_eq!(outcome.lower_bound, outcomes[0].lower_bound);
        assert_eq!(outcome.statistics.layers, outcomes[0].statistics.layers);
    }
}

#[test]
fn a_limit_on_one_rank_stops_all_alike() {
    let board = random_board(&mut rng(80), 8, 8, 6);
    let optimum = engines::run(&board, StateEngine::Auto, "elimination", 2).lower_bound;
    for seed in 0..6 {
        let weather = Weather { seed, delay: (seed % 3) as u32 };
        let limited = search_on((3, 1), weather, StateEngine::BestFirst, |setting| {
            // The other ranks have no limit.
            let expansions = setting.exchange.filter(|exchange| exchange.rank() == 1).map(|_| 30);
            let limits = Limits { expansions, ..Limits::default() };
            engines::run_in(&board, "elimination", Setting { limits, ..setting })
        });
        all_stop(&limited, StopReason::ExpansionLimit, optimum);
        for engine in [StateEngine::BestFirst, StateEngine::Auto] {
            let interrupted = search_on((3, 1), weather, engine, |setting| {
                let interrupted = setting.exchange.is_some_and(|exchange| exchange.rank() == 2);
                engines::run_in(&board, "elimination", Setting { interrupted, ..setting })
            });
            all_stop(&interrupted, StopReason::Interrupted, optimum);
        }
    }
}

/// An engine that cannot be spread searches on the leading rank alone.
#[test]
fn other_engines_search_on_the_leader() {
    let board = random_board(&mut rng(81), 6, 6, 4);
    let optimum = Exhaustive::solve(&board).optimum();
    for engine in [StateEngine::Ida, StateEngine::Greedy] {
        let outcomes =
            search_on((3, 1), Weather::default(), engine, |setting| engines::run_in(&board, "elimination", setting));
        let costs: Vec<_> = outcomes.iter().map(|outcome| outcome.incumbent.as_ref().map(|held| held.cost)).collect();
        assert_eq!(costs, [Some(optimum), None, None], "{engine:?}");
    }
}
