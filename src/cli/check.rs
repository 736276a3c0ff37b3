//! `check`: checks a certificate by a program that shares no code with the solver.

use super::certificate_args::Check;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use gridhunt::hunt::Config;
use gridhunt_boards::Board;
use gridhunt_check::{Proven, check};
use serde_json::json;
use std::fs;
use std::io::{self, Read};

/// The memory that checking may take.
const MEMORY: u64 = 4 << 30;

pub fn run(args: &Check) -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    let read = match args.file.as_os_str() == "-" {
        true => io::stdin().read_to_end(&mut bytes).map(|_| ()),
        false => fs::read(&args.file).map(|read| bytes = read),
    };
    let name = args.file.display();
    read.map_err(|error| Failure::bad_input(format!("{name}: {error}")))?;
    let checked = check(&bytes, MEMORY);
    let board = args.board.as_ref().map(|_| the_board(args)).transpose()?;
    let refused = match (&checked, &board) {
        (Err(reason), _) => Some(reason.clone()),
        (Ok(proven), Some(board)) if !is_of(proven, board) => {
            Some(format!("it is of another board than {}", board.name()))
        }
        _ => None,
    };
    let mut output = Output::stdout();
    let text = match (&checked, &refused) {
        _ if args.json => json_of(&checked, refused.as_deref()) + "\n",
        (_, Some(reason)) => format!("{name}: refused: {reason}\n"),
        (Ok(proven), None) if board.is_some() => {
            format!("{name}: {}\n", proven.text.lines().last().unwrap_or_default())
        }
        (Ok(proven), None) => format!("{}\n", proven.text),
        (Err(_), None) => String::new(),
    };
    output.write(&text)?;
    Ok(if refused.is_some() { Exit::Invalid } else { Exit::Done })
}

/// The board that the user names.
fn the_board(args: &Check) -> Result<Board, Failure> {
    let mut config = Config::default();
    args.puzzle.lay_over(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open(args.board.as_slice(), options, None)?;
    let mut boards = input.all()?;
    input.notes.iter().for_each(|note| tell(note));
    match (boards.pop(), boards.is_empty()) {
        (Some(entry), true) => Ok(entry.board),
        _ => Err(Failure::bad_input("found several boards, expected the one that the certificate is of")),
    }
}

/// Whether a certificate is of a board, whatever the names of the colours are.
fn is_of(proven: &Proven, board: &Board) -> bool {
    let [rows, cols, _, start] = proven.board;
    let mut names = [[None; 256], [None; 256]];
    let mut match_up = |one: usize, other: usize| {
        let [to, from] = &mut names;
        *to[one].get_or_insert(other) == other && *from[other].get_or_insert(one) == one
    };
    (rows, cols, start) == (board.rows(), board.cols(), board.index(board.start()))
        && proven.cells.iter().zip(board.cells()).all(|(&one, &other)| match_up(one, usize::from(other)))
}

fn json_of(checked: &Result<Proven, String>, refused: Option<&str>) -> String {
    let proven = checked.as_ref().ok().filter(|_| refused.is_none());
    json!({
        "proven": proven.is_some(),
        "reason": refused,
        "bound": proven.map(|proven| proven.bound),
        "optimal": proven.map(|proven| proven.is_optimum),
        "records": proven.map(|proven| proven.records),
    })
    .to_string()
}
