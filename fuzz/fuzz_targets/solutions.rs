//! Arbitrary bytes as a solution file. What is accepted must name colours of the board, and can be replayed.
#![no_main]

use gridhunt_boards::{Board, Cell, SolutionReader, usual_symbols};
use gridhunt_floodit::replay::{replay, verify_solution};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let cells = (0..20u8).map(|i| i * 7 % 12).collect();
    let board = Board::new("board", 4, 5, cells, usual_symbols(12), Cell { row: 2, col: 2 }).expect("a board");
    let Ok(reader) = SolutionReader::new("input", bytes) else { return };
    let mut reader = reader.with_solution_count(1 + bytes.len() % 3);
    // Every call takes a solution or ends the file.
    for _ in 0..=bytes.len() + 1 {
        match reader.next_solution(&board, |_| 0) {
            Ok(None) => return,
            Ok(Some(solution)) => {
                assert!(solution.moves.iter().all(|&m| usize::from(m) < board.colours()));
                let moves = solution.moves.len();
                if let Ok(certificate) = verify_solution(&board, &solution.moves, solution.cost) {
                    assert_eq!(certificate.flooded_after.last(), Some(&20));
                } else if let Ok(replay) = replay(&board, &solution.moves) {
                    assert_eq!(replay.flooded_after.len(), moves);
                }
            }
            Err(error) => {
                let line = error.position().expect("bytes in memory can be read").line;
                assert!(error.to_string().starts_with(&format!("input:{line}")) && line > 0, "{error}");
            }
        }
    }
    panic!("the reader never ends");
});
