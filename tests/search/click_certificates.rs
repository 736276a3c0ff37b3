//! Certificates of Clickomania: what the maker makes, both checkers accept, and nothing that is false.

use crate::certificates::{agrees, checked, mutate};
use crate::common::{is_long, random_board, rng, without_limits};
use crate::plain_clicks::Plain;
use gridhunt::hunt::Request;
use gridhunt::hunt::certify_board;
use gridhunt::puzzles::{CertificateClaim, CertificateForm, OptionValues, PuzzleError, PuzzleId};
use gridhunt_boards::{Board, Cell, Corner, EMPTY, usual_symbols};
use gridhunt_check::{Proven, check};
use gridhunt_clickomania::Options;
use gridhunt_clickomania::{Columns, Goal, Rules};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{ProofError, RefutedSets};
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

const MODULE: &str = "check_clickomania";

fn request(rules: Rules, objective: Goal, threads: usize) -> Request {
    let domain: PuzzleId = "clickomania".parse().expect("a puzzle");
    let options = OptionValues::from(&Options { rules, goal: objective, ..Options::default() });
    Request { domain, threads, options, ..Request::default() }
}

/// The certificate of what a search proves.
fn made(board: &Board, rules: Rules, objective: Goal) -> Vec<u8> {
    let request = request(rules, objective, 1);
    let stop = StopToken::new();
    let made = certify_board(board, &request, None, CertificateForm::Records, &Silent, &stop);
    made.expect("a certificate").1.bytes
}

/// The certificate of a lower bound.
fn certify(board: &Board, rules: Rules, objective: Goal, bound: Cost) -> Result<Vec<u8>, PuzzleError> {
    let (request, stop, claim) =
        (request(rules, objective, 1), StopToken::new(), CertificateClaim { bound, moves: None });
    let task = request.task(board)?;
    let (form, refuted) = (CertificateForm::Records, RefutedSets::default());
    let certificates = task.as_certifiable().expect("it has certificates");
    let made = certificates.certify(&claim, form, refuted, &without_limits(1, &stop));
    made.map(|certificate| certificate.bytes)
}

/// The board seen from the corner towards which cells fall, as if it was the bottom left one; the same the other way.
fn turned(board: &Board, corner: Corner) -> Board {
    let (rows, cols) = (board.rows(), board.cols());
    let turn = |at: usize, of: usize, far: bool| if far { of - 1 - at } else { at };
    let cell = |index: usize| {
        board.cells()[turn(index / cols, rows, corner.is_top()) * cols + turn(index % cols, cols, corner.is_right())]
    };
    let cells = (0..rows * cols).map(cell).collect();
    Board::new(board.name(), rows, cols, cells, board.symbols().to_vec(), Cell::default()).expect("a board")
}

/// What a board bears out: the fewest clicks that clear it, or the fewest cells left.
fn best(board: &Board, rules: Rules, objective: Goal) -> Option<usize> {
    Plain::new(rules, objective).best(&turned(board, rules.corner)).map(|best| best as usize)
}

fn random_rules(rng: &mut ChaCha8Rng) -> Rules {
    Rules {
        min_group: rng.random_range(2..=3),
        columns: Columns::ALL[rng.random_range(0..2)],
        corner: Corner::ALL[rng.random_range(0..4)],
    }
}

fn small_board(rng: &mut ChaCha8Rng) -> Board {
    let (rows, cols, colours) = (rng.random_range(2..=4), rng.random_range(2..=4), rng.random_range(2..=4));
    random_board(rng, rows, cols, colours)
}

#[test]
fn what_a_search_proves_is_certified_and_nothing_above_it() {
    let (mut rng, mut files, mut cleared, mut stuck) = (rng(181), Vec::new(), 0, 0);
    for number in 0..if is_long() { 600 } else { 80 } {
        let (board, mut rules) = (small_board(&mut rng), random_rules(&mut rng));
        if number % 8 == 0 && board.cells().len() <= 9 {
            rules.min_group = 1;
        }
        for objective in [Goal::Clear, Goal::Clicks, Goal::Left] {
            let truth = best(&board, rules, objective);
            let bytes = made(&board, rules, objective);
            let proven = checked(&bytes).unwrap_or_else(|reason| panic!("{reason}: {board:?}, {rules:?}, {objective}"));
            // A board that cannot be cleared leaves a cell at least.
            let expected = truth.map_or((1, false), |best| (best, true));
            assert_eq!((proven.bound, proven.is_optimum), expected, "{board:?}, {rules:?}, {objective}");
            let what = if objective == Goal::Clicks && truth.is_some() { "clicks" } else { "cells left" };
            assert!(proven.text.contains(&format!("the fewest {what}")), "{}", proven.text);
            let cells = proven.cells.iter().map(|&cell| cell as u8);
            assert!(cells.eq(board.cells().iter().map(|cell| cell + 1)));
            files.push(bytes);
            let above = truth.map_or(Cost::MAX, |best| best as Cost + 1);
            if truth.is_some() {
                let refused = certify(&board, rules, objective, above);
                assert!(matches!(refused, Err(PuzzleError::NotCertified { reason: ProofError::Solved(_), .. })));
                files.extend((objective != Goal::Clear).then(|| {
                    certify(&board, rules, objective, truth.expect("a value") as Cost).expect("a certificate")
                }));
            }
            (cleared, stuck) = (cleared + usize::from(truth == Some(0)), stuck + usize::from(truth.is_none()));
        }
    }
    assert!(cleared > 20 && stuck > 20, "{cleared} cleared, {stuck} stuck: too few to tell");
    files.iter().for_each(|bytes| _ = checked(bytes).expect("a proof"));
    agrees(MODULE, &files);
}

/// What boards bear out, each computed once.
#[derive(Default)]
struct Truth(HashMap<(String, bool), Option<usize>>);

impl Truth {
    fn bears_out(&mut self, proven: &Proven) -> bool {
        let (rules, claim) = proven.text.lines().last().and_then(|line| line.split_once(": ")).expect("a claim");
        let (rows, cols) = (proven.board[0], proven.board[1]);
        let is_of_clicks = claim.contains("clicks");
        let least = rules.split([' ', ',']).nth(2).and_then(|word| word.parse().ok()).expect("a number");
        let corner = Corner::ALL.into_iter().find(|corner| rules.ends_with(&corner.name().replace('-', " ")));
        let columns = if rules.contains("stay") { Columns::Stay } else { Columns::Close };
        let rules = Rules { min_group: least, columns, corner: corner.expect("a corner") };
        let mut names = proven.cells.clone();
        names.sort_unstable();
        names.dedup();
        names.retain(|&name| name != 0);
        let name = |&cell: &usize| if cell == 0 { EMPTY } else { names.partition_point(|&name| name < cell) as u8 };
        let best =
            *self.0.entry((proven.text[..proven.text.len() - claim.len()].into(), is_of_clicks)).or_insert_with(|| {
                let (cells, symbols) = (proven.cells.iter().map(name).collect(), usual_symbols(names.len().max(1)));
                let board = Board::new("proven", rows, cols, cells, symbols, Cell::default()).expect("a board");
                best(&board, rules, if is_of_clicks { Goal::Clicks } else { Goal::Left })
            });
        match best {
            None => !proven.is_optimum,
            Some(best) => proven.bound <= best && (!proven.is_optimum || proven.bound == best),
        }
    }
}

#[test]
fn no_mutation_makes_a_false_claim() {
    let (mut rng, mut truth) = (rng(183), Truth::default());
    let mut certificates = Vec::new();
    for _ in 0..12 {
        let (board, rules) = (small_board(&mut rng), random_rules(&mut rng));
        certificates.extend(Goal::ALL[..3].iter().map(|&objective| made(&board, rules, objective)));
    }
    let rounds = if is_long() { 50_000 } else { 10_000 };
    let accepted = mutate(&certificates, &mut rng, rounds, (MODULE, 5), |proven| truth.bears_out(proven));
    assert!((100..4_000).contains(&accepted), "{accepted} accepted: too few, or too many, to tell");
}

/// 1 2 1 over 1 2 1: the fewest clicks are 2, 2 in the middle first; then 1 alone. The codes are of the groups 1, 2, 1.
const HEAD: &str = "GHCERT 1 clickomania\n2 3 2 2\n0 2 0 0\n1 2 1\n1 2 1\n";

#[test]
fn forgeries_are_refused() {
    let board = Board::new("three", 2, 3, vec![0, 1, 0, 0, 1, 0], usual_symbols(2), Cell::default()).expect("a board");
    let whole = made(&board, Rules::default(), Goal::Clicks);
    let text = format!("{HEAD}1 2 1 0\n1\n");
    // Root: all three children have two colours, or one, after a click.
    assert_eq!(whole, [text.as_bytes(), &[0]].concat(), "{}", whole.escape_ascii());
    let mut files = Vec::new();
    let mut expect = |is_proven: bool, text: &str, codes: &[u8]| {
        let file = [text.as_bytes(), codes].concat();
        assert_eq!(checked(&file).is_ok(), is_proven, "{:?}: {}", checked(&file), file.escape_ascii());
        files.push(file);
    };
    expect(true, &text, &[0]);
    expect(true, &format!("{HEAD}0 0\n1\n"), &[0]);
    let left = HEAD.replace("\n0 2 0 0\n", "\n1 2 0 0\n").replace("2 3 2 2", "2 3 2 0");
    expect(true, &format!("{left}1 2 1 0\n1\n"), &[]);
    // A long solution, and a bound that refutes nothing.
    let three = HEAD.replace("2 3 2 2", "2 3 2 3");
    expect(false, &format!("{three}1 3 0 0 0\n1\n"), &[0]);
    // Children that are records which they do not equal: the record itself, another one, one that comes later.
    for code in [0, 1, 2, 3, 4] {
        expect(false, &format!("{three}1 3 0 0 0\n1\n"), &[7, code, code, code]);
        expect(false, &format!("{three}1 3 0 0 0\n2\n"), &[7, 0, code, code, 0, 0, 0, 0]);
    }
    // A record that is cleared.
    expect(false, &format!("{three}0 0\n5\n"), &[7, 0, 0, 0, 3, 0, 0, 3, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
    // Cells left: a record with fewer cells, and dead colours that are none.
    let some = left.replace("2 3 2 0", "2 3 2 1");
    expect(false, &format!("{some}0 0\n1\n"), &[0]);
    expect(false, &format!("{some}1 0\n1\n"), &[0]);
    let wrong: [(&str, &[&str]); 6] = [
        ("1 2 1 0\n", &["1 2 0 0\n", "1 2 1 1\n", "1 2 3 0\n", "1 1 1\n", "0 2 1 0\n", "2 2 1 0\n"]),
        ("2 3 2 2\n", &["2 3 1 2\n", "2 3 2 7\n"]),
        ("\n0 2 0 0\n", &["\n2 2 0 0\n", "\n0 0 0 0\n", "\n0 8 0 0\n", "\n0 2 2 0\n", "\n0 2 0 4\n"]),
        ("1 2 1\n1 2 1\n", &["1 2 1\n1 0 1\n", "1 0 1\n1 0 1\n", "1 2 1\n1 3 1\n"]),
        ("\n1\n", &["\n0\n", "\n2\n"]),
        ("clickomania\n", &["clickomania \n"]),
    ];
    for (from, all) in wrong {
        assert!(text.contains(from), "{from}");
        all.iter().for_each(|to| expect(false, &text.replacen(from, to, 1), &[0]));
    }
    for codes in [&[][..], &[0, 0], &[1], &[128], &[128, 128, 128, 128, 128, 128, 0]] {
        expect(false, &text, codes);
    }
    expect(true, &text, &[128, 0]);
    agrees(MODULE, &files);
}

#[test]
fn limits_hold_in_making_and_in_checking() {
    let board = random_board(&mut rng(184), 6, 6, 3);
    let request = request(Rules::default(), Goal::Clicks, 1);
    let (stop, claim) = (StopToken::new(), CertificateClaim { bound: 12, moves: None });
    let mut context = without_limits(1, &stop);
    context.limits = Limits { expansions: Some(300), ..Limits::default() };
    let task = request.task(&board).expect("a board");
    let (form, refuted) = (CertificateForm::Records, RefutedSets::default());
    let stopped = task.as_certifiable().expect("it has certificates").certify(&claim, form, refuted, &context);
    assert!(matches!(stopped, Err(PuzzleError::NotCertified { reason: ProofError::Stopped(_), .. })), "{stopped:?}");
    let many = [format!("{HEAD}0 0\n90000000\n").into_bytes(), vec![1; 100_000_000]].concat();
    assert!(check(&many, 64 << 20).unwrap_err().contains("bytes of memory"));
}
