//! Several ranks search one board: the same optimum and the same counts as one rank, in any weather.

use crate::clicks;
use crate::common::{Exhaustive, Setting, random_board, rng, with_puzzle};
use crate::engines;
use crate::kept::{Run, assert_same, keep};
use crate::watched::{Change, Watched};
use gridhunt_boards::Board;
use gridhunt_clickomania::{Goal, Rules};
use gridhunt_floodit::replay::replay;
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{Context, Outcome, Parameters, StateEngine, Status, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{
    Exchange, Limits, MessageDelays, PARCEL_WINDOW, Silent, StopReason, StopToken, ThreadTransport,
};
use gridhunt_search::store::MAX_G;
use std::sync::Arc;
use std::time::Duration;

/// Ranks and threads of each.
pub type Shape = (usize, usize);

/// Searches on a crowd of ranks. Returns the outcomes of all ranks.
pub fn search_on(
    (ranks, threads): Shape,
    weather: MessageDelays,
    engine: StateEngine,
    search: impl Fn(Setting<'_>) -> Outcome + Sync,
) -> Vec<Outcome> {
    on_ranks(ranks, weather, |exchange| search(Setting { exchange: Some(exchange), ..Setting::new(engine, threads) }))
}

/// Works on a crowd of ranks. Returns the results of all ranks.
fn on_ranks<T: Send>(ranks: usize, weather: MessageDelays, work: impl Fn(&Exchange) -> T + Sync) -> Vec<T> {
    // Small parcels, so that small boards send many.
    let exchange = |rank| Exchange::new(rank).with_parcels(300);
    let exchanges: Vec<_> = ThreadTransport::connect(ranks, weather).into_iter().map(exchange).collect();
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = exchanges.iter().map(|exchange| scope.spawn(move || work(exchange))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// The layers below the optimum, with the numbers of states expanded in them.
pub fn layers_below(optimum: u32, outcome: &Outcome) -> Vec<(u32, u64)> {
    let layers = outcome.statistics.layers.iter().filter(|layer| layer.f < optimum);
    layers.map(|layer| (layer.f, layer.expanded)).collect()
}

/// Checks that all shapes of ranks and threads prove what one rank proves, with the same counts.
fn compare(engine: StateEngine, seed: u64, search: impl Fn(Setting<'_>) -> Outcome + Sync) -> Outcome {
    let alone = search(Setting::new(engine, 1));
    let optimum = alone.lower_bound;
    for (shape, delay) in [((2, 1), 0), ((3, 1), 5), ((2, 2), 3), ((5, 2), 1)] {
        let outcomes = search_on(shape, MessageDelays { seed, delay }, engine, &search);
        // Where `auto` ends before its main search, the leader alone has an outcome.
        let with_outcome = if engine == StateEngine::AUTO { 1 } else { outcomes.len() };
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
        let alone = compare(StateEngine::BEST_FIRST, seed, |setting| {
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

/// Numbers from 0 to 30, one by one. Each has a neighbour that costs more than a record can hold.
struct Dear;

impl Domain for Dear {
    type State = u16;

    fn key_len(&self) -> usize {
        2
    }

    fn root(&self) -> u16 {
        0
    }

    fn pack(&self, state: &u16, key: &mut [u8]) {
        key.copy_from_slice(&state.to_le_bytes());
    }

    fn unpack(&self, key: &[u8], state: &mut u16) {
        *state = u16::from_le_bytes([key[0], key[1]]);
    }

    fn successors(&self, &number: &u16, _: MoveMask, out: &mut Vec<Successor<u16>>) {
        let all = [(0, 1, number + 1), (1, MAX_G + 1, number + 1_000)];
        out.extend(
            all.map(|(mv, cost, state)| Successor { mv, cost, sleep_set: 0, state })
                .into_iter()
                .filter(|_| number < 30),
        );
    }

    fn promise(&self, &number: &u16) -> u32 {
        number.into()
    }

    fn terminal_cost(&self, &number: &u16) -> Option<Cost> {
        (number == 30).then_some(0)
    }
}

impl LowerBound<Dear> for Dear {
    type Scratch = ();

    fn name(&self) -> String {
        "nothing".to_owned()
    }

    fn evaluate(&self, _: &u16, _: Cost, (): &mut ()) -> Bound {
        Bound(0)
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

#[test]
fn what_costs_more_than_a_record_holds_is_not_sent() {
    for outcome in
        search_on((3, 1), MessageDelays { seed: 4, delay: 2 }, StateEngine::BEST_FIRST, |it| it.search(&Dear, Dear))
    {
        assert_eq!((outcome.status(), outcome.lower_bound), (Status::Optimal, 30));
    }
}

/// An older checkpoint of IDA* lies in the folder. The leader removes it before the search.
#[test]
fn a_file_that_the_leader_cannot_remove_is_an_error_on_all_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let older = folder.path().join("ida");
    std::fs::create_dir(&older).and_then(|()| std::fs::write(older.join("manifest-a"), "old")).expect("room");
    let mut keep = keep(folder.path(), Duration::from_secs(1_000));
    keep.files.storage.backend = Arc::new(Watched::by(|change| match change {
        Change::Remove(_) => Err(std::io::ErrorKind::PermissionDenied.into()),
        _ => Ok(()),
    }));
    let results = on_ranks(2, MessageDelays::default(), |exchange| {
        let (limits, stop) = (Limits::default(), StopToken::new());
        let (checkpoints, exchange) = (Some(&keep), Some(exchange));
        let context = Context { threads: 1, limits, observer: &Silent, stop: &stop, checkpoints, exchange };
        search(StateEngine::AUTO, &Problem::new(&Dear, Dear), &Parameters::default(), None, &context)
    });
    for result in results {
        let error = result.expect_err("the file stays");
        assert!(error.to_string().contains("manifest-a"), "{error}");
    }
}

#[test]
fn ranks_prove_the_same_clicks_and_expand_the_same_layers() {
    let mut rng = rng(78);
    for seed in 0..4 {
        let board = random_board(&mut rng, 5, 5, 3);
        for objective in [Goal::Clear, Goal::Clicks, Goal::Left, Goal::Score] {
            let alone =
                compare(StateEngine::AUTO, seed, |setting| clicks::run(&board, Rules::default(), objective, setting));
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
    let alone = search(Setting::new(StateEngine::BEST_FIRST, 1));
    let optimum = alone.lower_bound;
    for slow in 0..3 {
        let crowd: Vec<ThreadTransport> = ThreadTransport::connect(3, MessageDelays { seed: slow as u64, delay: 2 });
        let watched = crowd[0].clone();
        let slowed = crowd.into_iter().enumerate().map(|(rank, end)| if rank == slow { end.slow(30) } else { end });
        let exchanges: Vec<_> = slowed.map(|rank| Exchange::new(rank).with_parcels(150)).collect();
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let run = |exchange| {
                let setting = Setting { exchange: Some(exchange), ..Setting::new(StateEngine::BEST_FIRST, 2) };
                scope.spawn(move || search(setting))
            };
            let threads: Vec<_> = exchanges.iter().map(run).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for outcome in &outcomes {
            assert_eq!(outcome.lower_bound, optimum);
            assert_eq!(layers_below(optimum, outcome), layers_below(optimum, &alone), "rank {slow} is slow");
        }
        let [parcels, _] = watched.peak_under_way();
        // Two ranks send to the slow one. A solution that is found sends a few parcels past the windows.
        assert!((1..=2 * PARCEL_WINDOW + 12).contains(&parcels), "{parcels} parcels under way, rank {slow} is slow");
    }
}

/// The clock of one rank has ended before the search begins. It stops then, and so do all.
#[test]
fn a_rank_whose_clock_has_ended_stops_all() {
    // The others would take minutes.
    let board = random_board(&mut rng(88), 24, 24, 7);
    for seed in 0..40 {
        let outcomes = search_on((3, 1), MessageDelays { seed, delay: 1 }, StateEngine::BEST_FIRST, |setting| {
            let is_late = setting.exchange.is_some_and(|exchange| exchange.rank() as u64 == seed % 3);
            let limits = Limits { time: is_late.then_some(Duration::ZERO), ..Limits::default() };
            engines::run_in(&board, "elimination", Setting { limits, ..setting })
        });
        assert_eq!(outcomes[0].stopped, Some(StopReason::TimeLimit), "seed {seed}");
    }
}

/// Where there is no solution, every state is stored on one of the ranks and expanded. Some are stored again with fewer
/// clicks, and count once.
#[test]
fn the_stored_states_of_all_ranks_are_the_states_of_the_board() {
    let mut rng = rng(79);
    let rules = Rules { min_group: 2, ..Rules::default() };
    let mut unsolvable = 0;
    for seed in 0..8 {
        let board = random_board(&mut rng, 6, 6, 5);
        let search = |setting: Setting<'_>| clicks::run(&board, rules, Goal::Clicks, setting);
        let alone = search(Setting::new(StateEngine::BEST_FIRST, 1));
        if alone.status() != Status::Unsolvable {
            continue;
        }
        unsolvable += 1;
        assert_eq!(alone.statistics.stored, alone.statistics.expanded);
        for outcome in search_on((3, 2), MessageDelays { seed, delay: 2 }, StateEngine::BEST_FIRST, search) {
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
    let clicked = random_board(&mut rng(81), 7, 7, 4);
    let click = |setting: Setting<'_>| clicks::run(&clicked, Rules::default(), Goal::Score, setting);
    let [optimum, least] = [
        engines::run(&board, StateEngine::BEST_FIRST, "elimination", 2).lower_bound,
        click(Setting::new(StateEngine::AUTO, 2)).lower_bound,
    ];
    for seed in 0..6 {
        let weather = MessageDelays { seed, delay: (seed % 3) as u32 };
        let interrupted = search_on((3, 1), weather, StateEngine::AUTO, |setting| {
            let interrupted = setting.exchange.is_some_and(|exchange| exchange.rank() == 2);
            click(Setting { interrupted, ..setting })
        });
        all_stop(&interrupted, StopReason::Interrupted, least);
        let limited = search_on((3, 1), weather, StateEngine::BEST_FIRST, |setting| {
            // The other ranks have no limit.
            let expansions = setting.exchange.filter(|exchange| exchange.rank() == 1).map(|_| 30);
            let limits = Limits { expansions, ..Limits::default() };
            engines::run_in(&board, "elimination", Setting { limits, ..setting })
        });
        all_stop(&limited, StopReason::ExpansionLimit, optimum);
        for engine in [StateEngine::BEST_FIRST, StateEngine::LEARNING] {
            let interrupted = search_on((3, 1), weather, engine, |setting| {
                let interrupted = setting.exchange.is_some_and(|exchange| exchange.rank() == 2);
                with_puzzle(&board, Run(Setting { interrupted, ..setting }))
            });
            // Ranks that learn are in the midst of an iteration each.
            let count = if engine == StateEngine::LEARNING { 1 } else { interrupted.len() };
            all_stop(&interrupted[..count], StopReason::Interrupted, optimum);
        }
    }
}

/// An engine that cannot be spread searches on the leading rank alone.
#[test]
fn other_engines_search_on_the_leader() {
    let board = random_board(&mut rng(81), 6, 6, 4);
    let optimum = Exhaustive::solve(&board).optimum();
    for engine in [StateEngine::IDA, StateEngine::BEAM] {
        let outcomes = search_on((3, 1), MessageDelays::default(), engine, |setting| {
            engines::run_in(&board, "elimination", setting)
        });
        let costs: Vec<_> = outcomes.iter().map(|outcome| outcome.incumbent.as_ref().map(|held| held.cost)).collect();
        assert_eq!(costs, [Some(optimum), None, None], "{engine:?}");
    }
}

/// Runs one session of a search with checkpoints. Returns the outcome of the leader.
pub fn session(
    shape: Shape,
    engine: StateEngine,
    limits: Limits,
    search: impl Fn(Setting<'_>) -> Outcome + Sync,
) -> Outcome {
    let search = |setting: Setting<'_>| search(Setting { limits, ..setting });
    match shape {
        (1, threads) => search(Setting::new(engine, threads)),
        shape => search_on(shape, MessageDelays { seed: 3, delay: 1 }, engine, search).remove(0),
    }
}

/// A run goes from one machine to a cluster and back, in short sessions: the same optimum, the same layers.
#[test]
fn each_session_may_have_another_number_of_ranks() {
    let board = random_board(&mut rng(51), 16, 16, 6);
    let plain = with_puzzle(&board, Run(Setting::new(StateEngine::BEST_FIRST, 1)));
    let shapes = [(1, 2), (2, 1), (3, 2), (1, 1), (5, 1), (2, 2), (20, 1), (3, 1)];
    for first in 0..shapes.len() {
        let folder = tempfile::tempdir().expect("a folder");
        let spill = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::from_millis(20));
        if first % 2 == 1 {
            keep.files.storage.spill_folders = vec![spill.path().to_owned()];
        }
        let mut sessions = 0;
        for shape in shapes.into_iter().cycle().skip(first) {
            let limits = Limits { expansions: Some(100), ..Limits::default() };
            let outcome = session(shape, StateEngine::BEST_FIRST, limits, |setting| {
                with_puzzle(&board, Run(Setting { checkpoints: Some(&keep), ..setting }))
            });
            sessions += 1;
            if outcome.stopped.is_none() {
                assert_same(&board, &outcome, &plain, &format!("{sessions} sessions, the last on {shape:?}"));
                break;
            }
            assert_eq!((outcome.stopped, outcome.failure), (Some(StopReason::ExpansionLimit), None), "{shape:?}");
            keep.resume = true;
        }
        assert!(sessions > 4, "{sessions} sessions: too few to tell");
    }
}

/// `auto` on floods is interrupted at any time, and goes on with other numbers of ranks.
#[test]
fn auto_goes_on_with_other_numbers_of_ranks() {
    let board = random_board(&mut rng(80), 9, 9, 6);
    let plain = engines::run(&board, StateEngine::AUTO, "elimination", 1);
    for expansions in [1, 5, 40, 300] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::ZERO);
        for (number, shape) in [(2, 1), (1, 1), (3, 2), (2, 2)].into_iter().cycle().enumerate() {
            // Later sessions do more: a session that ends before its first checkpoint leaves nothing.
            let most = if number == 0 { expansions } else { 500 * number as u64 };
            let limits = Limits { expansions: Some(most), ..Limits::default() };
            let outcome = session(shape, StateEngine::AUTO, limits, |setting| {
                engines::run_in(&board, "elimination", Setting { checkpoints: Some(&keep), ..setting })
            });
            let range = (outcome.lower_bound, outcome.incumbent.as_ref().map_or(u32::MAX, |held| held.cost));
            assert!(range.0 <= plain.lower_bound && plain.lower_bound <= range.1, "{shape:?}: {range:?}");
            if outcome.stopped.is_none() {
                assert_eq!(outcome.status(), Status::Optimal);
                break;
            }
            keep.resume = gridhunt_search::checkpoint::exists(&keep.files);
        }
    }
}

/// With memory for some hundred states on each rank, `auto` ends with its proven range on all of them.
#[test]
fn auto_ends_where_memory_ends() {
    let mut rng = rng(18);
    let mut ended = 0;
    for seed in 0..6 {
        let board = random_board(&mut rng, 6, 6, 4);
        let search = |setting: Setting<'_>| clicks::run(&board, Rules::default(), Goal::Left, setting);
        let optimum = search(Setting::new(StateEngine::AUTO, 1)).lower_bound;
        for shape in [(2, 1), (3, 2)] {
            let outcomes = search_on(shape, MessageDelays { seed, delay: 3 }, StateEngine::AUTO, |setting| {
                let limits = Limits { memory: Some(30_000), ..Limits::default() };
                search(Setting { limits, ..setting })
            });
            if outcomes[0].stopped.is_some() {
                all_stop(&outcomes, StopReason::MemoryLimit, optimum);
                ended += 1;
            } else {
                assert_eq!(outcomes[0].lower_bound, optimum, "seed {seed}");
            }
        }
    }
    assert!(ended > 6, "{ended} of 12 searches ran out of memory");
}

/// What a rank says late, of a search that is over, neither stops the next search nor prunes it.
#[test]
fn one_board_after_another_on_the_same_ranks() {
    let mut rng = rng(86);
    let boards: Vec<Board> = (0..6).map(|_| random_board(&mut rng, 8, 8, 6)).collect();
    let optima: Vec<_> =
        boards.iter().map(|board| engines::run(board, StateEngine::BEST_FIRST, "elimination", 1).lower_bound).collect();
    for seed in 0..3 {
        on_ranks(3, MessageDelays { seed, delay: 9 }, |exchange| {
            for (number, (board, &optimum)) in boards.iter().zip(&optima).enumerate() {
                for engine in [StateEngine::BEST_FIRST, StateEngine::LEARNING] {
                    // Every other search is stopped, by rank 1.
                    let interrupted = number % 2 == 1 && exchange.rank() == 1;
                    let setting = Setting { exchange: Some(exchange), interrupted, ..Setting::new(engine, 1) };
                    let outcome = engines::run_in(board, "elimination", setting);
                    let expected = (number % 2 == 1).then_some(StopReason::Interrupted);
                    // Ranks that learn may have the proof before they hear of the stop.
                    let has_proof = engine == StateEngine::LEARNING && outcome.stopped.is_none();
                    let context = format!("{engine:?}, board {number}, seed {seed}");
                    assert!(outcome.stopped == expected || has_proof, "{context}: {:?}", outcome.stopped);
                    assert!(outcome.stopped.is_some() || outcome.lower_bound == optimum, "{context}");
                }
            }
        });
    }
}
