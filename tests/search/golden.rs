//! Node counts of one thread on ten boards. A changed count is a changed search: the commit has to say that it is
//! meant. The counts depend on no hash, so they are the same on every machine.

use crate::clicks;
use crate::common::Setting;
use crate::engines::run;
use crate::programs;
use gridhunt::board::{Board, BunnyBoardKind, GenerateSpec, Objective, Rules, Start, generate, generate_bunny_board};
use gridhunt::driver::{Request, solve_board};
use gridhunt::engine::{Outcome, ProgramEngine, StateEngine};
use gridhunt::runtime::{Limits, Silent, StopToken};

/// Rows, columns, colours, seed, optimum, then expanded, generated and stored states.
type Golden = (usize, usize, u8, u64, u32, [u64; 3]);

const BOARDS: [Golden; 10] = [
    (8, 8, 4, 1, 8, [17, 32, 32]),
    (10, 10, 3, 2, 9, [9, 14, 14]),
    (10, 10, 6, 3, 14, [156, 532, 478]),
    (12, 12, 12, 4, 28, [45_593, 253_380, 209_167]),
    (14, 14, 6, 5, 20, [212, 820, 735]),
    (14, 14, 8, 6, 23, [13_229, 62_833, 55_978]),
    (5, 40, 5, 7, 28, [149, 403, 376]),
    (16, 16, 4, 8, 17, [273, 713, 613]),
    (18, 18, 6, 9, 25, [238_544, 1_039_779, 845_213]),
    (19, 19, 6, 10, 24, [2_873, 11_728, 10_700]),
];

/// Expanded and generated states of `auto`, `branch-and-bound`, `ida`, `beam` and `lookahead`.
const OTHERS: [[[u64; 2]; 5]; 6] = [
    [[17, 34], [8, 15], [10, 20], [93, 157], [45, 105]],
    [[16, 26], [16, 25], [9, 14], [92, 151], [41, 83]],
    [[184, 616], [45, 125], [49, 155], [225, 677], [170, 517]],
    [[46_912, 264_893], [104_631, 593_926], [109_504, 580_308], [479, 2_602], [832, 3_791]],
    [[253, 962], [258, 940], [240, 893], [332, 1_211], [282, 1_000]],
    [[12_944, 61_347], [77_023, 370_008], [51_684, 243_182], [415, 1_859], [511, 2_094]],
];

/// With pairs from the start (`elimination+pairs`): the number of the board, then expanded, generated and stored states.
const PAIRS: [(usize, [u64; 3]); 7] = [
    (0, [13, 24, 24]),
    (2, [57, 198, 192]),
    (3, [44_618, 249_304, 206_000]),
    (4, [96, 403, 394]),
    (5, [1_468, 8_148, 7_747]),
    (8, [46_388, 207_384, 177_652]),
    (9, [295, 1_340, 1_327]),
];

/// The same counts of `auto` on the ninth board, which is hard enough for targets to be chosen while it is searched.
const REFINED: [(&str, [u64; 3]); 2] =
    [("adaptive", [27_442, 125_261, 29_281]), ("elimination+pairs", [23_320, 106_535, 24_495])];

/// Clickomania: rows, columns, colours, seed, objective, lower bound (`Cost::MAX` without a solution), then expanded
/// and generated states.
type GoldenGame = (usize, usize, u8, u64, Objective, u32, [u64; 2]);

const GAMES: [GoldenGame; 6] = [
    (6, 6, 5, 1, Objective::Clear, u32::MAX, [42, 81]),
    (6, 6, 3, 2, Objective::Clicks, 8, [154, 590]),
    (8, 8, 4, 3, Objective::Clicks, 13, [63_825, 393_587]),
    (5, 9, 4, 4, Objective::Clicks, u32::MAX, [17_153, 37_357]),
    (6, 5, 5, 5, Objective::Left, 6, [524, 944]),
    (5, 5, 3, 6, Objective::Score, 40, [14, 32]),
];

/// Hopping Bunny: rows, columns, filled squares in per cent, seed, optimum, then expanded, generated and stored
/// fragments of `synthesis` and of `auto`.
type GoldenMeadow = (usize, usize, u32, u64, u32, [[u64; 3]; 2]);

const MEADOWS: [GoldenMeadow; 5] = [
    (6, 6, 75, 1, 6, [[2_253, 553, 404]; 2]),
    (8, 8, 75, 2, 9, [[243_824, 848, 634]; 2]),
    (8, 8, 60, 3, 8, [[31_552, 732, 564]; 2]),
    (9, 9, 75, 4, 10, [[1_621_044, 6_158, 4_810], [1_681_008, 892, 675]]),
    // A marking nest.
    (10, 10, 75, 18, 10, [[2_223_515, 7_843, 6_198], [2_465_374, 1_056, 819]]),
];

#[test]
fn node_counts_of_programs() {
    let counts = MEADOWS.map(|(rows, cols, filled, seed, _, _)| {
        let spec = GenerateSpec { rows, cols, colours: 2, seed, start: Start::TopLeft };
        let board = generate_bunny_board(&spec, BunnyBoardKind::Random, filled, 0).expect("a board");
        let outcomes = [ProgramEngine::Synthesis, ProgramEngine::Auto]
            .map(|engine| programs::run_by(engine, &board, 1, Limits::default()));
        let counts = outcomes.each_ref().map(|outcome| {
            let statistics = &outcome.statistics;
            [statistics.expanded, statistics.generated, statistics.stored]
        });
        (rows, cols, filled, seed, outcomes[0].lower_bound, counts)
    });
    assert_eq!(counts, MEADOWS);
}

#[test]
fn node_counts_of_clickomania() {
    let counts = GAMES.map(|(rows, cols, colours, seed, objective, _, _)| {
        let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
        let board = generate(&spec, 0).expect("a sound size");
        let outcome = clicks::run(&board, Rules::default(), objective, Setting::new(StateEngine::BestFirst, 1));
        let statistics = outcome.statistics;
        (rows, cols, colours, seed, objective, outcome.lower_bound, [statistics.expanded, statistics.generated])
    });
    assert_eq!(counts, GAMES);
}

#[test]
fn node_counts() {
    for (rows, cols, colours, seed, optimum, counts) in BOARDS {
        let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
        let board = generate(&spec, 0).expect("a sound size");
        let outcome = run(&board, StateEngine::BestFirst, "elimination", 1);
        let statistics = outcome.statistics;
        let found = (outcome.lower_bound, [statistics.expanded, statistics.generated, statistics.stored]);
        assert_eq!(found, (optimum, counts), "{rows}x{cols}, {colours} colours, seed {seed}");
    }
}

fn of_states(outcome: &Outcome) -> [u64; 3] {
    let statistics = &outcome.statistics;
    [statistics.expanded, statistics.generated, statistics.stored]
}

fn board((rows, cols, colours, seed, _, _): Golden) -> Board {
    let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
    generate(&spec, 0).expect("a sound size")
}

#[test]
fn node_counts_with_pairs() {
    for (number, counts) in PAIRS {
        let outcome = run(&board(BOARDS[number]), StateEngine::BestFirst, "elimination+pairs", 1);
        assert_eq!((outcome.lower_bound, of_states(&outcome)), (BOARDS[number].4, counts), "board {number}");
    }
}

#[test]
fn node_counts_with_a_refined_bound() {
    for (bound, counts) in REFINED {
        let request = Request { bound: Some(bound.parse().expect("a bound")), threads: 1, ..Request::default() };
        let report = solve_board(&board(BOARDS[8]), &request, &Silent, &StopToken::new(), None).expect("a report");
        assert_eq!((report.outcome.lower_bound, of_states(&report.outcome)), (BOARDS[8].4, counts), "{bound}");
        assert_eq!(report.outcome.statistics.bound, "elimination+pairs");
    }
}

/// On the first six boards.
#[test]
fn node_counts_of_other_engines() {
    let counts = BOARDS[..6].iter().map(|&(rows, cols, colours, seed, optimum, _)| {
        let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
        let board = generate(&spec, 0).expect("a sound size");
        [StateEngine::Auto, StateEngine::BranchAndBound, StateEngine::Ida, StateEngine::Beam, StateEngine::Lookahead]
            .map(|engine| {
                let outcome = run(&board, engine, "elimination", 1);
                assert!(!engine.exact() || outcome.lower_bound == optimum);
                [outcome.statistics.expanded, outcome.statistics.generated]
            })
    });
    assert_eq!(counts.collect::<Vec<_>>(), OTHERS);
}
