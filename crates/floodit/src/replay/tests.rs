use super::*;
use gridhunt_boards::{EMPTY, usual_symbols};
use proptest::prelude::*;

fn board(rows: &[&str], start: (usize, usize)) -> Board {
    let cells: Vec<u8> = rows.iter().flat_map(|row| row.bytes().map(|b| b - b'1')).collect();
    let colours = usize::from(*cells.iter().max().unwrap()) + 1;
    let start = Cell { row: start.0, col: start.1 };
    Board::new("b", rows.len(), rows[0].len(), cells, usual_symbols(colours.max(2)), start).unwrap()
}

#[test]
fn unknown_colours_are_named_with_their_move() {
    let b = board(&["123"], (0, 0));
    assert_eq!(replay(&b, &[1, 3]), Err(ReplayError::UnknownColour { number: 2, colour: 3, colours: 3 }));
    let message = replay(&b, &[u16::MAX]).unwrap_err().to_string();
    assert_eq!(message, "move 1: found colour number 65535, expected a number below 3");
}

#[test]
fn moves_after_the_end_are_errors() {
    let b = board(&["12"], (0, 0));
    let error = replay(&b, &[1, 0]).unwrap_err();
    assert_eq!(error, ReplayError::AlreadySolved { number: 2, symbol: "1".into() });
    assert_eq!(error.to_string(), "move 2 (colour 1): found a move after the board is solved, expected the end");
}

#[test]
fn what_is_left_is_counted_by_colour() {
    let b = board(&["1233", "4411"], (0, 0));
    let error = verify_solution(&b, &[1], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "after 1 move: found 6 cells left (2 of colour 1, 2 of colour 3, 2 of colour 4), expected none"
    );
    let error = verify_solution(&b, &[], None).unwrap_err();
    assert!(error.to_string().starts_with("after 0 moves: found 7 cells left"), "{error}");
}

#[test]
fn claimed_costs_are_compared() {
    let b = board(&["123"], (0, 0));
    assert_eq!(verify_solution(&b, &[1, 2], Some(3)), Err(ReplayError::WrongCost { claimed: 3, moves: 2 }));
    let certificate = verify_solution(&b, &[1, 2], None).unwrap();
    assert_eq!((certificate.cost, certificate.flooded_after), (2, vec![2, 3]));
}

/// The rules once more, with a set that only grows: a cell joins when it has the colour of the move on the board as it
/// was given and touches the set.
fn flooded_by_growth(board: &Board, moves: &[u16]) -> Vec<usize> {
    let mut inside = vec![false; board.cells().len()];
    let start = board.index(board.start());
    inside[start] = true;
    let first = [u16::from(board.cells()[start])];
    let mut sizes = Vec::new();
    for &colour in first.iter().chain(moves) {
        loop {
            let joins = |i: &usize| {
                !inside[*i] && u16::from(board.cells()[*i]) == colour && board.neighbours(*i).any(|n| inside[n])
            };
            match (0..inside.len()).find(joins) {
                Some(i) => inside[i] = true,
                None => break,
            }
        }
        sizes.push(inside.iter().filter(|&&x| x).count());
    }
    sizes
}

fn boards() -> impl Strategy<Value = (Board, Vec<u16>)> {
    (1usize..6, 1usize..6, 2usize..6).prop_flat_map(|(rows, cols, colours)| {
        let cells = prop::collection::vec(0..u8::try_from(colours).unwrap(), rows * cols);
        let moves = prop::collection::vec(0..u16::try_from(colours).unwrap(), 0..12);
        (cells, moves, 0..rows, 0..cols).prop_map(move |(cells, moves, row, col)| {
            (Board::new("b", rows, cols, cells, usual_symbols(colours), Cell { row, col }).unwrap(), moves)
        })
    })
}

proptest! {
    #[test]
    fn replay_agrees_with_a_growing_set((board, moves) in boards()) {
        let sizes = flooded_by_growth(&board, &moves);
        let all = board.cells().len();
        match replay(&board, &moves) {
            Ok(replay) => {
                prop_assert_eq!(replay.flooded_at_start, sizes[0]);
                prop_assert_eq!(&replay.flooded_after[..], &sizes[1..]);
                prop_assert_eq!(replay.is_solved, sizes.last() == Some(&all));
                prop_assert_eq!(replay.leftover.cells(), all - sizes.last().unwrap());
                let wasted: Vec<_> = (1..sizes.len()).filter(|&i| sizes[i] == sizes[i - 1]).collect();
                prop_assert_eq!(replay.wasted, wasted);
            }
            Err(ReplayError::AlreadySolved { number, .. }) => {
                prop_assert_eq!(sizes.iter().position(|&n| n == all), Some(number - 1));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

#[test]
fn an_empty_cell_is_refused() {
    let cells = vec![EMPTY, 0, 0, 0];
    let half = Board::new("b", 2, 2, cells, usual_symbols(2), Cell::default()).unwrap();
    let error = verify_solution(&half, &[1], None).unwrap_err();
    assert_eq!(error.to_string(), "found an empty cell at 1,1, expected a colour in every cell");
    assert_eq!(error.failed_move(), None);
}

#[test]
fn a_move_floods_the_cells_that_it_reaches() {
    let board = Board::new("b", 1, 5, vec![0, 1, 1, 0, 1], usual_symbols(2), Cell::default()).unwrap();
    let mut play = FloodPlay::new(&board).unwrap();
    play.play(1, 1).unwrap();
    assert_eq!(play.flooded(), [true, true, true, false, false]);
    play.play(2, 0).unwrap();
    assert_eq!(play.cells(), [0, 0, 0, 0, 1]);
    assert!(play.play(3, 2).is_err());
}
