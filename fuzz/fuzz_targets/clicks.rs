//! Arbitrary bytes as a file of clicks. What is accepted is replayed, under rules that the first byte chooses.
#![no_main]

use gridhunt_boards::{Board, Cell, Corner, SolutionReader, usual_symbols};
use gridhunt_clickomania::{Columns, Goal, Rules, Scoring};
use gridhunt_clickomania::replay::{replay_clicks, verify_clicks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let choice = usize::from(bytes.first().copied().unwrap_or(0));
    let columns = Columns::ALL[choice % 2];
    let corner = Corner::ALL[choice / 2 % 4];
    let objective = Goal::ALL[choice / 8 % 4];
    let rules = Rules { min_group: 1 + choice as u32 / 32 % 3, columns, corner };
    let cells = (0..20u8).map(|i| i / 3 % 3).collect();
    let board = Board::new("board", 4, 5, cells, usual_symbols(3), Cell::default()).expect("a board");
    let Ok(reader) = SolutionReader::new("input", bytes) else { return };
    let mut reader = reader.with_solution_count(1 + bytes.len() % 3);
    // Every call takes a solution or ends the file.
    for _ in 0..=bytes.len() + 1 {
        match reader.next_clicks((board.rows(), board.cols()), |_| 0) {
            Ok(None) => return,
            Ok(Some(written)) => {
                let (scoring, claimed) = (Scoring::default(), written.cost.map(i64::from));
                let replay = replay_clicks(&board, rules, &scoring, &written.moves);
                if let Ok(replay) = &replay {
                    assert_eq!(replay.sizes.iter().sum::<usize>() + replay.left, 20);
                }
                let verdict = verify_clicks(&board, (rules, objective, &scoring), &written.moves, claimed);
                assert!(verdict.is_err() || replay.is_ok());
            }
            Err(error) => {
                let line = error.position().expect("bytes in memory can be read").line;
                assert!(error.to_string().starts_with(&format!("input:{line}")) && line > 0, "{error}");
            }
        }
    }
    panic!("the reader never ends");
});
