//! Certificates: what the maker makes, both checkers accept, and nothing that is false.

use crate::common::{Exhaustive, board, is_long, random_board, rng, without_limits};
use gridhunt::hunt::Request;
use gridhunt::hunt::certify_board;
use gridhunt::puzzles::{CertificateClaim, CertificateForm, PuzzleError};
use gridhunt_boards::{Board, BoardReader, Cell, Format, ReadOptions};
use gridhunt_check::{Proven, check};
use gridhunt_floodit::Regions;
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{ProofError, RefutedSets};
use gridhunt_search::runtime::{Silent, StopToken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The memory that checking may take here.
const MEMORY: u64 = 256 << 20;

fn certify(board: &Board, bound: Cost, moves: Option<&[MoveIndex]>, threads: usize) -> Result<Vec<u8>, PuzzleError> {
    let (stop, claim) = (StopToken::new(), CertificateClaim { bound, moves });
    let task = Request::default().task(board)?;
    let (certificates, form) = (task.as_certifiable().expect("Flood-It has some"), CertificateForm::Records);
    let made = certificates.certify(&claim, form, RefutedSets::default(), &without_limits(threads, &stop));
    made.map(|certificate| certificate.bytes)
}

/// The certificate of the optimum, as the program makes it.
fn certificate_of_optimum(board: &Board) -> Vec<u8> {
    let request = Request { threads: 1, ..Request::default() };
    certify_board(board, &request, None, CertificateForm::Records, &Silent, &StopToken::new())
        .expect("a certificate")
        .1
        .bytes
}

pub fn checked(bytes: &[u8]) -> Result<Proven, String> {
    check(bytes, MEMORY)
}

/// The optima of boards, each computed once from all floods.
#[derive(Default)]
struct Truth(HashMap<(Vec<usize>, Vec<usize>), u32>);

impl Truth {
    /// Whether a checker may accept this: the board of the certificate bears it out.
    fn bears_out(&mut self, proven: &Proven) -> bool {
        let Proven { board: sizes, cells, bound, is_optimum, .. } = proven;
        let (rows, cols, start) = (sizes[0], sizes[1], sizes[3]);
        let optimum = *self.0.entry((sizes.clone(), cells.clone())).or_insert_with(|| {
            // Colours by rank: a certificate may leave some out.
            let mut names = cells.clone();
            names.sort_unstable();
            names.dedup();
            let cells = cells.iter().map(|cell| names.partition_point(|name| name < cell) as u8).collect();
            let start = Cell { row: start / cols, col: start % cols };
            Exhaustive::solve(&board(rows, cols, names.len() as u8, cells, start)).optimum()
        });
        *bound <= optimum as usize && (!is_optimum || *bound == optimum as usize)
    }
}

/// A board of 3x3 to 5x5 with 2 to 6 colours and any start.
fn small_board(rng: &mut ChaCha8Rng) -> Board {
    let (rows, cols, colours) = (rng.random_range(3..=5), rng.random_range(3..=5), rng.random_range(2..=6));
    random_board(rng, rows, cols, colours)
}

fn refused_as_solved(result: Result<Vec<u8>, PuzzleError>, optimum: Cost) -> bool {
    matches!(result, Err(PuzzleError::NotCertified { reason: ProofError::Solved(cost), .. }) if cost >= optimum)
}

#[test]
fn optima_and_lower_bounds_are_certified_and_nothing_above_them() {
    let mut rng = rng(161);
    let mut bent = vec![board(3, 4, 1, vec![0; 12], Cell { row: 1, col: 2 })];
    bent.extend((0..if is_long() { 600 } else { 60 }).map(|_| small_board(&mut rng)));
    for board in &bent {
        let optimum = Exhaustive::solve(board).optimum();
        let proven = checked(&certificate_of_optimum(board)).unwrap_or_else(|reason| panic!("{reason}: {board:?}"));
        assert_eq!((proven.bound, proven.is_optimum), (optimum as usize, true), "{board:?}");
        assert_eq!(proven.board, [board.rows(), board.cols(), board.colours(), board.index(board.start())]);
        assert!(proven.cells.iter().zip(board.cells()).all(|(&one, &other)| one == usize::from(other)));
        for bound in 1..=optimum {
            let proven = checked(&certify(board, bound, None, 1).expect("a certificate")).expect("a proof");
            assert_eq!((proven.bound, proven.is_optimum), (bound as usize, false), "{board:?}");
        }
        assert!(refused_as_solved(certify(board, optimum + 1, None, 1), optimum), "{board:?}");
    }
}

/// On one thread a search learns the same each time; a certificate without a search is made on one.
#[test]
fn the_same_is_made_each_time() {
    let board = random_board(&mut rng(162), 14, 14, 8);
    let one = certificate_of_optimum(&board);
    let proven = checked(&one).expect("a proof");
    assert!(proven.records > 100, "{} records: too few to tell", proven.records);
    assert!(certificate_of_optimum(&board) == one);
    let bound = proven.bound as Cost;
    assert_eq!(certify(&board, bound, None, 3).ok(), certify(&board, bound, None, 1).ok());
}

/// Changes a certificate somewhere: bytes of it, or a number in its head.
pub fn mutated(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let at = rng.random_range(0..bytes.len());
    let other = rng.random_range(0..bytes.len());
    match rng.random_range(0..8) {
        0 => bytes[at] = rng.random(),
        1 => bytes[at] ^= 1 << rng.random_range(0..8),
        2 => bytes.insert(at, rng.random()),
        3 => _ = bytes.remove(at),
        4 => bytes.swap(at, other),
        5 => bytes.truncate(at),
        6 => {
            let copied = bytes[at.min(other)..at.max(other).min(at.min(other) + 9)].to_vec();
            _ = bytes.splice(at..at, copied);
        }
        _ => {
            // A number of the head by another one, mostly near it.
            let digits: Vec<_> = (18..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).take(60).collect();
            if !digits.is_empty() {
                bytes[digits[rng.random_range(0..digits.len())]] = b'0' + rng.random_range(0..10);
            }
        }
    }
    bytes
}

#[test]
fn no_mutation_makes_a_false_claim() {
    let (mut rng, mut truth) = (rng(163), Truth::default());
    // Of most small boards the bound refutes each move at the start.
    let boards = std::iter::repeat_with(|| random_board(&mut rng, 5, 5, 6));
    let of_boards = boards.map(|board| (certificate_of_optimum(&board), board));
    let has_sets = |(bytes, board): &(Vec<u8>, _)| parts(bytes, board).1.iter().any(|&code| code > 0);
    let mut certificates = Vec::new();
    for (bytes, board) in of_boards.filter(has_sets).take(20) {
        let bound = Exhaustive::solve(&board).optimum();
        certificates.push(bytes);
        certificates.push(certify(&board, bound, None, 1).expect("a certificate"));
        certificates.push(certify(&board, bound - 1, None, 1).expect("a certificate"));
    }
    let rounds = if is_long() { 10_000 } else { 1_000 };
    let every = ("check_certificate", rounds / 500);
    let accepted = mutate(&certificates, &mut rng, rounds, every, |proven| truth.bears_out(proven));
    assert!((rounds / 200..rounds / 5).contains(&accepted), "{accepted} accepted: too few, or too many, to tell");
}

/// Mutates certificates so many times. What is accepted has to be borne out; every so many of the files, and the
/// certificates themselves, go to the checker in Python too. Returns how many are accepted.
pub fn mutate(
    certificates: &[Vec<u8>],
    rng: &mut ChaCha8Rng,
    rounds: usize,
    (module, every): (&str, usize),
    mut bears_out: impl FnMut(&Proven) -> bool,
) -> usize {
    let (mut accepted, mut files) = (0, certificates.to_vec());
    for round in 0..rounds {
        let mut bytes = mutated(&certificates[round % certificates.len()], rng);
        if round % 3 == 0 {
            bytes = mutated(&bytes, rng);
        }
        if let Ok(proven) = checked(&bytes) {
            assert!(bears_out(&proven), "{proven:?}\n{}", bytes.escape_ascii());
            accepted += 1;
        }
        if round % every == 0 {
            files.push(bytes);
        }
    }
    agrees(module, &files);
    accepted
}

/// Runs the checker in Python over the files, in one process, and compares.
fn both_agree(files: &[Vec<u8>]) {
    agrees("check_certificate", files);
}

/// Likewise, with the checker in this module.
pub fn agrees(module: &str, files: &[Vec<u8>]) {
    const DRIVER: &str = "import sys, importlib
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
check = importlib.import_module(sys.argv[3]).check
for line in open(sys.argv[2]):
    try:
        print(check(bytes.fromhex(line)).splitlines()[-1])
    except ValueError:
        print('refused')
";
    let folder = tempfile::tempdir().expect("a folder");
    let (list, scripts) = (folder.path().join("files"), concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts"));
    let lines = files.iter().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n");
    std::fs::write(&list, lines.collect::<String>()).expect("a writable folder");
    let output = Command::new("python3").args(["-c", DRIVER, scripts]).arg(&list).arg(module).output();
    // Other systems may have none.
    let Some(output) = output.ok().or_else(|| cfg!(target_os = "linux").then(|| panic!("python3 is missing"))) else {
        return;
    };
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    assert_eq!(said.lines().count(), files.len());
    for (bytes, said) in files.iter().zip(said.lines()) {
        let ours = checked(bytes).map(|proven| proven.text.lines().last().unwrap_or_default().to_owned());
        assert_eq!(ours.as_deref().unwrap_or("refused"), said, "{ours:?}: {}", bytes.escape_ascii());
    }
}

/// A certificate in two: the text, which has three lines beside those of the board, and the codes.
fn parts(bytes: &[u8], board: &Board) -> (String, Vec<u8>) {
    let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').take(board.rows() + 3).collect();
    let text = String::from_utf8(lines.concat()).expect("text");
    (text.clone(), bytes[text.len()..].to_vec())
}

#[test]
fn heads_have_one_form() {
    // The optimum is 3: the bound refutes both moves from the start for the 2 moves that are left.
    let text = "GHCERT 3 flood-it\n2 2 3 3 0\n0 1\n2 0\n3 1 0 2\n\0\0";
    assert_eq!(text.as_bytes(), certificate_of_optimum(&board(2, 2, 3, vec![0, 1, 2, 0], Cell { row: 0, col: 0 })));
    let mut files = Vec::new();
    let mut expect = |is_proven: bool, file: Vec<u8>| {
        assert_eq!(checked(&file).is_ok(), is_proven, "{:?}: {}", checked(&file), file.escape_ascii());
        files.push(file);
    };
    expect(true, text.into());
    expect(true, text.replace("\n3 1 0 2\n", "\n0\n").into());
    // One space or newline stands behind each number.
    expect(true, (text[..18].to_owned() + &text[18..].replace('\n', " ")).into());
    let wrong: [(&str, &[&str]); 11] = [
        ("2 2 3 3 0", &["+2 2 3 3 0", "-2 2 3 3 0", "02 2 3 3 0", " 2 2 3 3 0", "2  2 3 3 0", "2\t2 3 3 0"]),
        ("2 2 3 3 0", &["2 2 3 3 0 ", "2 2 3 3 0\r", "2_ 2 3 3 0", "\u{0662} 2 3 3 0", "\u{ff12} 2 3 3 0"]),
        ("2 2 3 3 0", &["0 2 3 3 0", "256 1 3 3 0", "2 2 256 3 0", "2 2 2 3 0", "2 2 3 5 0"]),
        ("2 2 3 3 0\n0 1\n2 0\n3 1 0 2", &["2 2 3 0 0\n0 1\n2 0\n0", "2 2 3 4 0\n0 1\n2 0\n0"]),
        ("2 2 3 3 0", &["2 2 3 4 0", "2 2 3 3 4", "18446744073709551618 2 3 3 0"]),
        ("2 2 3 3 0", &["99999999999999999999999999 2 3 3 0"]),
        ("0 1\n", &["0 1 \n", "0 3\n", "1 0\n"]),
        ("3 1 0 2\n", &["2 1 0\n", "1 1\n", "4 1 0 2 2\n", "3 1 0 1\n", "3 1 0 3\n", "3 1 0\n", "3 1 0 2"]),
        ("3 1 0 2\n", &["3 1 0 2\n\n", "3 1 0 2\n\0", "18446744073709551615 1 0 2\n"]),
        ("GHCERT 3", &["GHCERT 2", "GHCERT 4"]),
        ("flood-it\n", &["flood-it \n", "flood-it\r\n"]),
    ];
    for (from, all) in wrong {
        assert!(text.contains(from), "{from}");
        all.iter().for_each(|to| expect(false, text.replacen(from, to, 1).into()));
    }
    for end in 0..text.len() {
        expect(false, text[..end].into());
    }
    both_agree(&files);
}

#[test]
fn codes_have_one_form() {
    let (mut rng, mut files, mut changed) = (rng(167), Vec::new(), 0);
    while changed < 40 {
        let board = small_board(&mut rng);
        let whole = certificate_of_optimum(&board);
        let (text, codes) = parts(&whole, &board);
        let with = |codes: &[u8]| [text.as_bytes(), codes].concat();
        let mut expect = |is_proven: bool, file: Vec<u8>| {
            assert_eq!(checked(&file).is_ok(), is_proven, "{:?}: {}", checked(&file), file.escape_ascii());
            files.push(file);
        };
        expect(true, whole.clone());
        for more in [&[0][..], &[128], &[1], b"\n"] {
            expect(false, with(&[&codes, more].concat()));
        }
        let Some(&last) = codes.last().filter(|&&last| last < 128) else { continue };
        // A number of the codes may be longer than it has to be, up to 6 bytes.
        let longer = |zeros: usize| [&codes[..codes.len() - 1], &[last | 128], &vec![128; zeros], &[0]].concat();
        expect(true, with(&longer(0)));
        expect(true, with(&longer(4)));
        expect(false, with(&longer(5)));
        (0..codes.len()).for_each(|end| expect(false, with(&codes[..end])));
        // There is no record so far before the next.
        expect(false, with(&[&[2][..], &codes[1..]].concat()));
        expect(false, with(&[&[255, 255, 255, 255, 255, 127][..], &codes[1..]].concat()));
        changed += 1;
    }
    both_agree(&files);
}

/// Many records are refused before they take more memory than the caller allows; a file of little memory is not.
#[test]
fn memory_is_bounded_by_what_the_caller_allows() {
    let bytes = certificate_of_optimum(&random_board(&mut rng(168), 10, 10, 9));
    let of_a_set = 10 * 10 + 64;
    let least = (1..).find(|sets| check(&bytes, sets * of_a_set).is_ok()).expect("enough memory");
    assert!((10..1_000).contains(&least), "{least} sets");
    for sets in [0, 1, least - 1] {
        let refused = check(&bytes, sets * of_a_set + of_a_set - 1).expect_err("too little memory");
        assert_eq!(refused, format!("memory has no room for {sets} sets"));
    }
    // The largest board by itself takes little.
    let cells = "0 1 ".repeat(255 * 255 / 2) + "0 ";
    let large = format!("GHCERT 3 flood-it\n255 255 2 508 0\n{cells}0\n\0");
    assert!(check(large.as_bytes(), 1 << 20).is_ok());
}

/// The floods of a board as the document defines them, as sets of regions in a word.
struct Floods {
    neighbours: Vec<u64>,
    of_colour: Vec<u64>,
    all: u64,
    start: u64,
}

impl Floods {
    fn of(board: &Board) -> Self {
        let regions = Regions::of(board);
        let set = |of: &[usize]| of.iter().fold(0, |set, region| set | 1_u64 << region);
        let of_colour = (0..board.colours()).map(|colour| {
            (0..regions.count())
                .filter(|&r| usize::from(regions.colour[r]) == colour)
                .fold(0, |set, r| set | 1_u64 << r)
        });
        Self {
            neighbours: regions.neighbours.iter().map(|of| set(of)).collect(),
            of_colour: of_colour.collect(),
            all: u64::MAX >> (64 - regions.count()),
            start: 1 << regions.start,
        }
    }

    /// The flood with what is beside it.
    fn seen(&self, flood: u64) -> u64 {
        let is_in = |region: &usize| flood >> region & 1 == 1;
        (0..self.neighbours.len()).filter(is_in).fold(flood, |seen, region| seen | self.neighbours[region])
    }

    fn elimination(&self, mut flood: u64) -> usize {
        let mut turns = 0;
        loop {
            let seen = self.seen(flood);
            let left: Vec<_> = self.of_colour.iter().filter(|of| *of & !flood != 0).collect();
            if seen == self.all {
                return turns + left.len();
            }
            let done: Vec<_> = left.into_iter().filter(|of| *of & !seen == 0).collect();
            flood = if done.is_empty() { seen } else { done.iter().fold(flood, |flood, of| flood | *of) };
            turns += done.len().max(1);
        }
    }
}

/// A test that a checker may lack.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The bound is greater by one at each flood that is not everything.
    Bound,
    /// The bound is believed.
    Believed,
    /// The last of several moves is not looked at.
    Move,
    /// The whole board may be a record.
    Whole,
    /// The start has one move fewer left.
    Turn,
    /// A flood that a code brings to a record does not join it.
    Union,
    /// The records below the start are not looked at.
    Descent,
}

const FAULTS: [Fault; 7] =
    [Fault::Bound, Fault::Believed, Fault::Move, Fault::Whole, Fault::Turn, Fault::Union, Fault::Descent];

/// The codes with which a checker with this fault, or without one, accepts that no solution has fewer than `bound`
/// moves. A plain maker, which knows no no-goods: each flood is a record unless one contains it.
fn codes_of(floods: &Floods, bound: usize, fault: Option<Fault>) -> Option<Vec<u8>> {
    let (mut level, mut codes) = (vec![floods.start], Vec::new());
    for left in (0..bound - usize::from(fault == Some(Fault::Turn))).rev() {
        let mut below: Vec<u64> = Vec::new();
        for &set in &level {
            if set == floods.all && fault != Some(Fault::Whole) {
                return None;
            }
            let near = floods.seen(set) & !set;
            let mut moves: Vec<_> = floods.of_colour.iter().filter(|of| *of & near != 0).collect();
            if fault == Some(Fault::Move) && moves.len() > 1 {
                moves.pop();
            }
            for child in moves.into_iter().map(|of| set | near & of) {
                let bound = floods.elimination(child) + usize::from(fault == Some(Fault::Bound) && child != floods.all);
                if fault == Some(Fault::Believed) || bound >= left {
                    codes.push(0);
                    continue;
                }
                let held = below.iter().rposition(|&held| child & !held == 0 || fault == Some(Fault::Union));
                let mut code = held.map_or(1, |held| below.len() - held + 1);
                below.extend(held.is_none().then_some(child));
                while code > 127 {
                    codes.push(code as u8 | 128);
                    code >>= 7;
                }
                codes.push(code as u8);
            }
        }
        level = if fault == Some(Fault::Descent) { Vec::new() } else { below };
    }
    Some(codes)
}

/// A file with these codes.
fn file(board: &Board, bound: usize, codes: &[u8]) -> Vec<u8> {
    let (rows, cols, colours, start) = (board.rows(), board.cols(), board.colours(), board.index(board.start()));
    let cells: String = board.cells().iter().map(|cell| format!("{cell} ")).collect();
    let text = format!("GHCERT 3 flood-it\n{rows} {cols} {colours} {bound} {start}\n{cells}0\n");
    [text.as_bytes(), codes].concat()
}

/// A checker without one of its tests accepts a false claim, with the codes that are made for it; the checkers refuse.
#[test]
fn forgeries_are_refused() {
    let (mut rng, mut forged, mut files) = (rng(165), [0; FAULTS.len()], Vec::new());
    for round in 0..if is_long() { 2_000 } else { 250 } {
        // Containment decides where levels have many records.
        let (rows, cols, colours) = match round % 3 {
            0 => (7, 7, 6),
            1 => (3, 15, 5),
            _ => (rng.random_range(4..=7), rng.random_range(4..=7), rng.random_range(3..=6)),
        };
        let board = random_board(&mut rng, rows, cols, colours);
        let (floods, proven) = (Floods::of(&board), checked(&certificate_of_optimum(&board)).expect("a proof"));
        let optimum = proven.bound;
        let codes = codes_of(&floods, optimum, None).expect("a true claim");
        files.push(file(&board, optimum, &codes));
        assert!(checked(&files[files.len() - 1]).is_ok());
        assert_eq!(codes_of(&floods, optimum + 1, None), None);
        for (fault, count) in FAULTS.into_iter().zip(&mut forged) {
            for claim in [optimum + 1, optimum + 2].into_iter().filter(|&claim| claim < board.cells().len()) {
                let Some(codes) = codes_of(&floods, claim, Some(fault)) else { continue };
                *count += 1;
                let forgery = file(&board, claim, &codes);
                assert!(checked(&forgery).is_err(), "{fault:?}: {}", forgery.escape_ascii());
                files.push(forgery);
            }
        }
    }
    assert!(forged.iter().all(|&count| count > 1), "{forged:?}: too few to tell");
    both_agree(&files);
}

/// Whatever the codes are, no claim above the optimum is accepted.
#[test]
fn no_codes_prove_a_false_claim() {
    let (mut rng, mut files) = (rng(169), Vec::new());
    for round in 0..if is_long() { 10_000 } else { 200 } {
        let board = small_board(&mut rng);
        let optimum = Exhaustive::solve(&board).optimum() as usize;
        if optimum == board.cells().len() {
            continue;
        }
        let most = rng.random_range(0..6);
        let codes: Vec<u8> = (0..200).map(|_| rng.random_range(0..=most)).collect();
        // Where the codes of all levels end, if they do, is not known before.
        for end in 0..codes.len() {
            let forgery = file(&board, optimum + 1, &codes[..end]);
            assert!(checked(&forgery).is_err(), "{}", forgery.escape_ascii());
            if end == round % codes.len() {
                files.push(forgery);
            }
        }
    }
    both_agree(&files);
}

/// A certificate is of one board and one start cell: with another start it is refused, or true there too.
#[test]
fn another_start_or_another_width_makes_no_false_claim() {
    let (mut rng, mut truth, mut refused) = (rng(166), Truth::default(), 0);
    for _ in 0..40 {
        let of = small_board(&mut rng);
        let bytes = certificate_of_optimum(&of);
        let (head, rest) = bytes[18..].split_at(bytes[18..].iter().position(|byte| *byte == b'\n').expect("a line"));
        let head = str::from_utf8(head).expect("text").rsplit_once(' ').expect("numbers").0;
        let (rows, cols) = (of.rows(), of.cols());
        let turned = head.replacen(&format!("{rows} {cols}"), &format!("{cols} {rows}"), 1);
        let heads = (0..rows * cols).map(|start| format!("{head} {start}"));
        for head in heads.chain([format!("{turned} {}", of.index(of.start()))]) {
            match checked(&[b"GHCERT 3 flood-it\n", head.as_bytes(), rest].concat()) {
                Ok(proven) => assert!(truth.bears_out(&proven), "{proven:?}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 200, "{refused} refused: too few to tell");
}

/// What a certificate beside a board proves of this board.
fn proven_of(board: &Path, certificate: &Path) -> (Board, Proven, Vec<u8>) {
    let bytes = std::fs::read(certificate).expect("a file");
    let proven = checked(&bytes).unwrap_or_else(|reason| panic!("{}: {reason}", certificate.display()));
    let options = ReadOptions { format: Some(Format::Text), ..ReadOptions::default() };
    let mut boards = BoardReader::open(board.to_str().expect("a plain name"), options).expect("a board file");
    let board = boards.next().expect("a board").expect("a sound board").board;
    let name = board.name();
    assert!(proven.is_optimum, "{name}");
    assert!(proven.cells.iter().zip(board.cells()).all(|(&one, &other)| one == usize::from(other)), "{name}");
    assert_eq!(proven.board, [board.rows(), board.cols(), board.colours(), board.index(board.start())], "{name}");
    (board, proven, bytes)
}

/// The certificates in `datasets/` prove the optima in the table, and the smallest are what is made today.
#[test]
fn shipped_certificates_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets");
    let optima = include_str!("../../datasets/floodit/optima.csv");
    let (mut held, mut total) = (0, 0);
    for file in std::fs::read_dir(folder.join("certificates")).expect("the folder") {
        let file = file.expect("a file").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        let (board, proven, bytes) = proven_of(&folder.join("floodit").join(name), &file);
        assert!(optima.contains(&format!("\n{name},{},", proven.bound)), "{name}");
        if board.cells().len() <= 160 || is_long() {
            assert!(certificate_of_optimum(&board) == bytes, "{name}");
            held += 1;
        }
        total += bytes.len();
    }
    assert!(held >= 4 && total < 35_000, "{held} made again, {total} bytes");
}

/// The hard boards are not solved again: their certificates prove all that is said of them.
#[test]
fn hard_boards_have_certificates() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/hard");
    let optima = include_str!("../../datasets/hard/optima.csv");
    for line in optima.lines().skip(1) {
        let (name, optimum) = line.split_once(',').expect("a board and its optimum");
        if name.starts_with("64x64") && !is_long() {
            continue; // this board takes most of the time
        }
        let (_, proven, _) = proven_of(&folder.join(name), &folder.join(format!("{name}.cert")));
        assert_eq!(proven.bound.to_string(), optimum, "{name}");
    }
    assert!(optima.lines().count() > 2);
}

/// Somebody who doubts the solver reads a checker instead: it has to stay short.
#[test]
fn the_checkers_are_short() {
    let rust = [include_str!("../../check/src/lib.rs"), include_str!("../../check/src/main.rs")];
    // Some of these lines are for Clickomania too.
    assert!(rust.iter().map(|text| text.lines().count()).sum::<usize>() <= 150);
    assert!(include_str!("../../check/src/clickomania.rs").lines().count() <= 135);
    assert!(include_str!("../../scripts/check_clickomania.py").lines().count() <= 110);
    assert!(include_str!("../../scripts/check_certificate.py").lines().count() <= 120);
    assert!(!include_str!("../../check/Cargo.toml").contains("dependencies"));
}
