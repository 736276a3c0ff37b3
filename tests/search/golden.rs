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
    (8, 8, 4, 1, 8, [15, 25, 25]),
    (10, 10, 3, 2, 9, [9, 14, 14]),
    (10, 10, 6, 3, 14, [73, 226, 217]),
    (12, 12, 12, 4, 28, [11_769, 52_504, 40_728]),
    (14, 14, 6, 5, 20, [188, 620, 544]),
    (14, 14, 8, 6, 23, [4_127, 16_454, 13_481]),
    (5, 40, 5, 7, 28, [159, 322, 263]),
    (16, 16, 4, 8, 17, [273, 743, 600]),
    (18, 18, 6, 9, 25, [53_274, 220_313, 154_498]),
    (19, 19, 6, 10, 24, [1_729, 6_558, 5_286]),
];

/// Expanded and generated states of `auto`, `branch-and-bound`, `ida`, `beam` and `lookahead`.
const OTHERS: [[[u64; 2]; 5]; 6] = [
    [[17, 31], [8, 14], [10, 18], [88, 136], [38, 76]],
    [[16, 25], [16, 23], [9, 14], [89, 139], [41, 82]],
    [[102, 296], [29, 62], [31, 77], [192, 517], [123, 338]],
    [[12_110, 54_962], [29_234, 133_494], [32_810, 132_841], [466, 1_950], [487, 1_834]],
    [[228, 741], [200, 619], [181, 565], [323, 1_021], [236, 760]],
    [[5_023, 21_083], [26_695, 112_052], [18_032, 70_621], [370, 1_486], [375, 1_377]],
];

/// With pairs from the start (`elimination+pairs`): the number of the board, then expanded, generated and stored states.
const PAIRS: [(usize, [u64; 3]); 7] = [
    (0, [13, 21, 21]),
    (2, [39, 112, 109]),
    (3, [11_591, 51_808, 40_302]),
    (4, [70, 237, 234]),
    (5, [957, 3_971, 3_581]),
    (8, [14_924, 63_405, 47_683]),
    (9, [274, 1_171, 1_123]),
];

/// The optimum and the counts of `auto` on a board of 22x22, which is hard enough for targets to be chosen while it is
/// searched.
const REFINED: [(&str, u32, [u64; 3]); 2] =
    [("adaptive", 32, [34_138, 155_945, 102_304]), ("elimination+pairs", 32, [33_352, 152_337, 99_781])];

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
    let counts = BOARDS.map(|golden| {
        let (rows, cols, colours, seed, ..) = golden;
        let outcome = run(&board(golden), StateEngine::BestFirst, "elimination", 1);
        (rows, cols, colours, seed, outcome.lower_bound, of_states(&outcome))
    });
    assert_eq!(counts, BOARDS);
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
    let counts = PAIRS.map(|(number, _)| {
        let outcome = run(&board(BOARDS[number]), StateEngine::BestFirst, "elimination+pairs", 1);
        assert_eq!(outcome.lower_bound, BOARDS[number].4, "board {number}");
        (number, of_states(&outcome))
    });
    assert_eq!(counts, PAIRS);
}

#[test]
fn node_counts_with_a_refined_bound() {
    let spec = GenerateSpec { rows: 22, cols: 22, colours: 6, seed: 1, start: Start::TopLeft };
    let board = generate(&spec, 0).expect("a sound size");
    let counts = REFINED.map(|(bound, optimum, _)| {
        let request = Request { bound: Some(bound.parse().expect("a bound")), threads: 1, ..Request::default() };
        let report = solve_board(&board, &request, &Silent, &StopToken::new(), None).expect("a report");
        assert_eq!(report.outcome.statistics.bound, "elimination+pairs");
        assert_eq!(report.outcome.lower_bound, optimum, "{bound}");
        (bound, report.outcome.lower_bound, of_states(&report.outcome))
    });
    assert_eq!(counts, REFINED);
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
