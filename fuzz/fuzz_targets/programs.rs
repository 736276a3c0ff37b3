//! Arbitrary bytes as a file of programs. What is accepted is written, read and coded back, and runs over a board for a
//! while.
#![no_main]

use gridhunt_boards::{BoardReader, Program, ReadOptions, SolutionReader};
use gridhunt_bunny::replay::ProgramPlay;
use libfuzzer_sys::fuzz_target;

/// Instructions that a program may carry out: loops in loops take longer than anybody waits.
const STEPS: u64 = 10_000;

fn check(program: &Program) {
    assert_eq!(program.to_string().parse().as_ref(), Ok(program), "written and read");
    assert_eq!(Program::from_codes(&program.codes()).as_ref(), Some(program), "as codes and back");
    let options = ReadOptions { format: "bunny".parse().ok(), ..ReadOptions::default() };
    let mut boards = BoardReader::new("board", &b"S# \n##O\n ##\n"[..], options).expect("a board");
    let board = boards.next().expect("a board").expect("a board").board;
    let mut play = ProgramPlay::new(&board, program).expect("squares of the bunny");
    while play.steps() < STEPS && play.step().is_some() {}
    let unmarked = (0..board.cells().len()).filter(|&index| play.is_unmarked(index)).count();
    assert_eq!(unmarked, play.unmarked_count());
    assert!(play.steps() <= STEPS);
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = SolutionReader::new("input", bytes) else { return };
    let mut reader = reader.with_solution_count(1 + bytes.len() % 3);
    // Every call takes a solution or ends the file.
    for _ in 0..=bytes.len() + 1 {
        match reader.next_program(|_| 0) {
            Ok(None) => return,
            Ok(Some(written)) => check(&written.moves),
            Err(error) => {
                let line = error.position().expect("bytes in memory can be read").line;
                assert!(error.to_string().starts_with(&format!("input:{line}")) && line > 0, "{error}");
            }
        }
    }
    panic!("the reader never ends");
});
