//! Node counts of one thread on ten boards. A change here is a change of the search: it has to be meant, and said.

use crate::engines::run;
use gridhunt::board::{GenerateSpec, Start, generate};
use gridhunt::engine::EngineKind;

/// Rows, columns, colours, seed, optimum, then expanded, generated and stored states.
type Golden = (usize, usize, u8, u64, u32, [u64; 3]);

const BOARDS: [Golden; 10] = [
    (8, 8, 4, 1, 8, [17, 32, 32]),
    (10, 10, 3, 2, 9, [9, 14, 14]),
    (10, 10, 6, 3, 14, [157, 537, 483]),
    (12, 12, 12, 4, 28, [45_618, 253_455, 209_343]),
    (14, 14, 6, 5, 20, [216, 840, 794]),
    (14, 14, 8, 6, 23, [13_148, 62_444, 55_598]),
    (5, 40, 5, 7, 28, [149, 403, 376]),
    (16, 16, 4, 8, 17, [272, 712, 612]),
    (18, 18, 6, 9, 25, [238_578, 1_039_851, 845_405]),
    (19, 19, 6, 10, 24, [2_945, 12_035, 11_024]),
];

#[test]
fn node_counts() {
    for (rows, cols, colours, seed, optimum, counts) in BOARDS {
        let spec = GenerateSpec { rows, cols, colours: colours.into(), seed, start: Start::TopLeft };
        let board = generate(&spec, 0).expect("a sound size");
        let outcome = run(&board, EngineKind::BestFirst, "elimination", 1);
        let statistics = outcome.statistics;
        let found = (outcome.lower_bound, [statistics.expanded, statistics.generated, statistics.stored]);
        assert_eq!(found, (optimum, counts), "{rows}x{cols}, {colours} colours, seed {seed}");
    }
}
