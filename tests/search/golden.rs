//! Node counts of one thread on ten boards. A changed count is a changed search: the commit has to say that it is
//! meant. The counts depend on no hash, so they are the same on every machine.

use crate::clicks;
use crate::common::Setting;
use crate::engines::run;
use crate::programs;
use gridhunt_boards::{Board, GenerateSpec, Start, generate};
use gridhunt_bunny::{BoardKind, generate_board};
use gridhunt_clickomania::{Goal, Rules};
use gridhunt_search::engine::{Outcome, StateEngine};
use gridhunt_search::runtime::Limits;
use gridhunt_synthesis::ProgramEngine;

/// Rows, columns, colours, seed, optimum, then expanded, generated and stored states.
type Golden = (usize, usize, u8, u64, u32, [u64; 3]);

const BOARDS: [Golden; 10] = [
    (8, 8, 4, 1, 8, [17, 34, 31]),
    (10, 10, 3, 2, 9, [9, 14, 14]),
    (10, 10, 6, 3, 14, [107, 450, 371]),
    (12, 12, 12, 4, 28, [23_352, 187_404, 97_827]),
    (14, 14, 6, 5, 20, [170, 744, 619]),
    (14, 14, 8, 6, 23, [8_019, 48_470, 30_430]),
    (5, 40, 5, 7, 28, [142, 409, 275]),
    (16, 16, 4, 8, 17, [237, 670, 562]),
    (18, 18, 6, 9, 25, [71_369, 345_858, 215_082]),
    (19, 19, 6, 10, 24, [2_496, 11_666, 8_250]),
];

/// Expanded and generated states of `auto`, `ida` and `beam`.
const OTHERS: [[[u64; 2]; 3]; 6] = [
    [[17, 37], [10, 20], [97, 168]],
    [[16, 26], [9, 14], [91, 150]],
    [[98, 463], [37, 119], [199, 590]],
    [[2_213, 24_080], [60_702, 485_118], [466, 2_360]],
    [[154, 786], [226, 937], [335, 1_181]],
    [[1_690, 11_979], [36_909, 227_389], [378, 1_759]],
];

/// `learning`: expanded and generated states, and no-goods.
const LEARNING: [[u64; 3]; 10] = [
    [13, 59, 3],
    [9, 42, 0],
    [69, 424, 40],
    [3_552, 42_620, 1_491],
    [113, 760, 52],
    [2_795, 22_381, 1_373],
    [63, 399, 22],
    [78, 343, 54],
    [4_599, 27_678, 2_137],
    [327, 2_078, 188],
];

/// Clickomania: rows, columns, colours, seed, objective, lower bound (`Cost::MAX` without a solution), then expanded
/// and generated states.
type GoldenGame = (usize, usize, u8, u64, Goal, u32, [u64; 2]);

const GAMES: [GoldenGame; 6] = [
    (6, 6, 5, 1, Goal::Clear, u32::MAX, [42, 81]),
    (6, 6, 3, 2, Goal::Clicks, 8, [154, 590]),
    (8, 8, 4, 3, Goal::Clicks, 13, [63_825, 393_587]),
    (5, 9, 4, 4, Goal::Clicks, u32::MAX, [17_153, 37_357]),
    (6, 5, 5, 5, Goal::Left, 6, [524, 944]),
    (5, 5, 3, 6, Goal::Score, 40, [14, 32]),
];

/// Hopping Bunny: rows, columns, filled squares in per cent, seed, optimum, then expanded, generated and stored
/// fragments of `synthesis` and of `auto`.
type GoldenMeadow = (usize, usize, u32, u64, u32, [[u64; 3]; 2]);

const MEADOWS: [GoldenMeadow; 5] = [
    (6, 6, 75, 1, 6, [[2_253, 553, 404]; 2]),
    (8, 8, 75, 2, 9, [[254_263, 848, 634]; 2]),
    (8, 8, 60, 3, 8, [[31_972, 732, 564]; 2]),
    (9, 9, 75, 4, 10, [[1_644_771, 6_158, 4_810]; 2]),
    (10, 10, 75, 18, 10, [[2_257_059, 7_843, 6_198]; 2]),
];

#[test]
fn node_counts_of_programs() {
    let counts = MEADOWS.map(|(rows, cols, filled, seed, _, _)| {
        let spec = GenerateSpec { rows, cols, colours: 2, seed, start: Start::TopLeft };
        let board = generate_board(&spec, BoardKind::Random, filled, 0).expect("a board");
        let outcomes = [ProgramEngine::SYNTHESIS, ProgramEngine::AUTO]
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
        let outcome = clicks::run(&board, Rules::default(), objective, Setting::new(StateEngine::BEST_FIRST, 1));
        let statistics = outcome.statistics;
        (rows, cols, colours, seed, objective, outcome.lower_bound, [statistics.expanded, statistics.generated])
    });
    assert_eq!(counts, GAMES);
}

#[test]
fn node_counts() {
    let counts = BOARDS.map(|golden| {
        let (rows, cols, colours, seed, ..) = golden;
        let outcome = run(&board(golden), StateEngine::BEST_FIRST, "elimination", 1);
        (rows, cols, colours, seed, outcome.lower_bound, of_states(&outcome))
    });
    assert_eq!(counts, BOARDS);
}

#[test]
fn node_counts_of_learning() {
    let counts = BOARDS.map(|golden| {
        let outcome = run(&board(golden), StateEngine::LEARNING, "elimination", 1);
        assert_eq!(outcome.lower_bound, golden.4);
        of_states(&outcome)
    });
    assert_eq!(counts, LEARNING);
}

fn of_states(outcome: &Outcome) -> [u64; 3] {
    let statistics = &outcome.statistics;
    [statistics.expanded, statistics.generated, statistics.stored]
}

fn board((rows, cols, colours, seed, _, _): Golden) -> Board {
    let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
    generate(&spec, 0).expect("a sound size")
}

/// On the first six boards.
#[test]
fn node_counts_of_other_engines() {
    let counts = BOARDS[..6].iter().map(|&golden| {
        let (board, optimum) = (board(golden), golden.4);
        [StateEngine::AUTO, StateEngine::IDA, StateEngine::BEAM].map(|engine| {
            let outcome = run(&board, engine, "elimination", 1);
            assert!(!engine.info.proves || outcome.lower_bound == optimum);
            [outcome.statistics.expanded, outcome.statistics.generated]
        })
    });
    assert_eq!(counts.collect::<Vec<_>>(), OTHERS);
}
