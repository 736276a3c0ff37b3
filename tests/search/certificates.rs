//! Certificates: what the maker makes, both checkers accept, and nothing that is false.

use crate::common::{Exhaustive, Setting, board, is_long, random_board, rng, without_limits};
use gridhunt::hunt::certify_board;
use gridhunt::puzzles::floodit::{BoundKind, BoundSpec, Flood, FloodBound, FloodIt, Regions};
use gridhunt::puzzles::{CertificateForm, Claim, PuzzleError, PuzzleId, Request};
use gridhunt_boards::{Board, BoardReader, Cell, Format, ReadOptions};
use gridhunt_check::{Proven, check};
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveIndex, MoveMask, Successor};
use gridhunt_search::engine::{Children, Closure, Covered, NotClosed, StateEngine, close};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Silent, StopToken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The memory that checking may take here.
const MEMORY: u64 = 64 << 20;

fn certify(board: &Board, bound: Cost, moves: Option<&[MoveIndex]>, threads: usize) -> Result<Vec<u8>, PuzzleError> {
    let (stop, claim, puzzle) = (StopToken::new(), Claim { bound, moves }, PuzzleId::default());
    let puzzle = puzzle.certified().expect("Flood-It has certificates");
    let (request, form) = (Request::default(), CertificateForm::Records);
    puzzle.certify(board, &request, &claim, form, &without_limits(threads, &stop)).map(|certificate| certificate.bytes)
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
    matches!(result, Err(PuzzleError::NotCertified { reason: NotClosed::Solved(cost), .. }) if cost >= optimum)
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

#[test]
fn any_number_of_threads_makes_the_same_file() {
    let board = random_board(&mut rng(162), 14, 14, 8);
    let one = certificate_of_optimum(&board);
    let proven = checked(&one).expect("a proof");
    assert!(proven.records > 100, "{} records: too few to tell", proven.records);
    for threads in [1, 2, 3] {
        let request = Request { threads, ..Request::default() };
        let form = CertificateForm::Records;
        let (_, made) = certify_board(&board, &request, None, form, &Silent, &StopToken::new()).expect("a certificate");
        assert_eq!(made.records, proven.records);
        assert!(made.bytes == one, "{threads} threads");
        let bound = proven.bound as Cost;
        assert_eq!(certify(&board, bound, None, threads).ok(), certify(&board, bound, None, 1).ok());
    }
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
    let boards: Vec<_> = (0..20).map(|_| small_board(&mut rng)).collect();
    let mut certificates: Vec<_> = boards.iter().map(certificate_of_optimum).collect();
    for board in &boards[..10] {
        let bound = Exhaustive::solve(board).optimum();
        certificates.push(certify(board, bound, None, 1).expect("a certificate"));
        certificates.push(certify(board, bound - 1, None, 1).expect("a certificate"));
    }
    let accepted = mutate(&certificates, &mut rng, 10_000, ("check_certificate", 20), |proven| truth.bears_out(proven));
    assert!((50..2_000).contains(&accepted), "{accepted} accepted: too few, or too many, to tell");
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
    let (list, scripts) = (folder.path().join("files"), concat!(env!("CARGO_MANIFEST_DIR"), "/scripts"));
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

#[test]
fn heads_and_codes_have_one_form() {
    // The optimum is 3. The first move is to finish colour 1; then the bound refutes 2 and fewer.
    let (text, codes_of_file) = ("GHCERT 1 flood-it\n2 2 3 3 0\n0 1\n2 0\n3 1 0 2\n1\n", &b"\0"[..]);
    let whole = [text.as_bytes(), codes_of_file].concat();
    assert_eq!(whole, certificate_of_optimum(&board(2, 2, 3, vec![0, 1, 2, 0], Cell { row: 0, col: 0 })));
    let with = |text: &str, codes: &[u8]| [text.as_bytes(), codes].concat();
    let mut files = Vec::new();
    let mut expect = |is_proven: bool, file: Vec<u8>| {
        assert_eq!(checked(&file).is_ok(), is_proven, "{:?}: {}", checked(&file), file.escape_ascii());
        files.push(file);
    };
    expect(true, whole.clone());
    expect(true, with(&text.replace("\n3 1 0 2\n", "\n0\n"), codes_of_file));
    // One space or newline stands behind each number.
    expect(true, with(&(text[..18].to_owned() + &text[18..].replace('\n', " ")), codes_of_file));
    let wrong = [
        ("2 2 3 3 0", "+2 2 3 3 0"),
        ("2 2 3 3 0", "-2 2 3 3 0"),
        ("2 2 3 3 0", "02 2 3 3 0"),
        ("2 2 3 3 0", " 2 2 3 3 0"),
        ("2 2 3 3 0", "2  2 3 3 0"),
        ("2 2 3 3 0", "2\t2 3 3 0"),
        ("2 2 3 3 0", "2 2 3 3 0 "),
        ("2 2 3 3 0", "2 2 3 3 0\r"),
        ("2 2 3 3 0", "2_ 2 3 3 0"),
        ("2 2 3 3 0", "\u{0662} 2 3 3 0"),
        ("2 2 3 3 0", "\u{ff12} 2 3 3 0"),
        ("2 2 3 3 0", "0 2 3 3 0"),
        ("2 2 3 3 0", "256 1 3 3 0"),
        ("2 2 3 3 0", "2 2 256 3 0"),
        ("2 2 3 3 0", "2 2 2 3 0"),
        ("2 2 3 3 0", "2 2 3 5 0"),
        ("2 2 3 3 0", "2 2 3 4 0"),
        ("2 2 3 3 0", "2 2 3 3 4"),
        ("2 2 3 3 0", "18446744073709551618 2 3 3 0"),
        ("2 2 3 3 0", "99999999999999999999999999 2 3 3 0"),
        ("0 1\n", "0 1 \n"),
        ("0 1\n", "0 3\n"),
        ("0 1\n", "1 0\n"),
        ("3 1 0 2\n", "2 1 0\n"),
        ("3 1 0 2\n", "1 1\n"),
        ("3 1 0 2\n", "4 1 0 2 2\n"),
        ("3 1 0 2\n", "3 1 0 1\n"),
        ("3 1 0 2\n", "3 1 0 3\n"),
        ("3 1 0 2\n", "3 1 0\n"),
        ("\n1\n", "\n2\n"),
        ("\n1\n", "\n0\n"),
        ("\n1\n", "\n2147483648\n"),
        ("\n1\n", "\n18446744073709551615\n"),
        ("\n1\n", "\n1"),
        ("GHCERT 1", "GHCERT 2"),
        ("flood-it\n", "flood-it \n"),
        ("flood-it\n", "flood-it\r\n"),
    ];
    for (from, to) in wrong {
        assert!(text.contains(from), "{from}");
        expect(false, with(&text.replacen(from, to, 1), codes_of_file));
    }
    // A number of the codes may be longer than it has to be, up to 6 bytes.
    let longer = |zeros: usize, last: u8| with(text, &[&vec![128; zeros + 1][..], &[last]].concat());
    expect(true, longer(0, 0));
    expect(true, longer(4, 0));
    expect(false, longer(5, 0));
    // Bits without a choice mean nothing.
    expect(true, longer(4, 127));
    expect(false, longer(5, 127));
    for more in [&[0][..], &[128], &[1], b"\n"] {
        expect(false, with(text, &[codes_of_file, more].concat()));
    }
    for end in 0..whole.len() {
        expect(false, whole[..end].to_vec());
    }
    expect(false, Vec::new());
    both_agree(&files);
}

/// A large board, and a claim of many records, are refused before they take memory.
#[test]
fn memory_is_bounded_by_what_the_caller_allows() {
    let cells = "0 1 ".repeat(255 * 255 / 2) + "0 ";
    let large = format!("GHCERT 1 flood-it\n255 255 2 1 0\n{cells}0\n1\n");
    assert!(checked(large.as_bytes()).unwrap_err().contains("bytes of memory"));
    let records = b"GHCERT 1 flood-it\n1 2 2 1 0\n0 1\n0\n90000000\n".to_vec();
    let refused = [records, vec![1; 100_000_000]].concat();
    assert!(checked(&refused).unwrap_err().contains("bytes of memory"));
}

/// A file with these children of its records.
fn file(board: &Board, bound: usize, records: usize, children: &[Vec<Covered>]) -> Vec<u8> {
    let (rows, cols, colours, start) = (board.rows(), board.cols(), board.colours(), board.index(board.start()));
    let mut text = format!("GHCERT 1 flood-it\n{rows} {cols} {colours} {bound} {start}\n");
    board.cells().iter().for_each(|cell| text += &format!("{cell} "));
    let (mut bytes, mut next) = (format!("{text}0\n{records}\n").into_bytes(), 1);
    let mut number = |mut code: u32| {
        while code >= 128 {
            bytes.push(code as u8 | 128);
            code >>= 7;
        }
        bytes.push(code as u8);
    };
    for group in children.iter().flat_map(|children| children.chunks(7)) {
        number(group.iter().rev().fold(0, |bits, covered| bits << 1 | u32::from(*covered != Covered::Refuted)));
        for covered in group {
            match *covered {
                Covered::Refuted => {}
                Covered::Next => {
                    next += 1;
                    number(0);
                }
                Covered::By(record) if record >= next => number(1 + 2 * (record - next)),
                Covered::By(record) => number(2 * (next - record)),
            }
        }
    }
    bytes
}

/// What a search with a fault would write.
fn file_of(board: &Board, bound: usize, closure: &Closure) -> Vec<u8> {
    let mut rest = closure.children.iter().copied();
    let children: Vec<Vec<_>> = closure.counts.iter().map(|&count| rest.by_ref().take(count).collect()).collect();
    file(board, bound, closure.records, &children)
}

/// A fault that is planted in the search.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The bound is greater by one at each state that is not the last.
    Bound,
    /// The last of several moves is never tried.
    Pruning,
    /// A finished flood is not the end.
    NoEnd,
}

/// Flood-It with a fault.
struct Faulty<'a>(&'a FloodIt<2>, Fault);

impl Domain for Faulty<'_> {
    type State = Flood<2>;

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn supersets_dominate(&self) -> bool {
        true
    }

    fn root(&self) -> Flood<2> {
        self.0.root()
    }

    fn pack(&self, state: &Flood<2>, key: &mut [u8]) {
        self.0.pack(state, key);
    }

    fn unpack(&self, key: &[u8], state: &mut Flood<2>) {
        self.0.unpack(key, state);
    }

    fn successors(&self, state: &Flood<2>, _: MoveMask, out: &mut Vec<Successor<Flood<2>>>) {
        let before = out.len();
        self.0.successors(state, 0, out);
        if self.1 == Fault::Pruning && out.len() > before + 1 {
            out.pop();
        }
    }

    fn terminal(&self, state: &Flood<2>) -> Option<Cost> {
        self.0.terminal(state).filter(|_| self.1 != Fault::NoEnd)
    }
}

struct FaultyBound<'a>(FloodBound<'a, 2>, &'a FloodIt<2>, Fault);

impl LowerBound<Faulty<'_>> for FaultyBound<'_> {
    type Scratch = <FloodBound<'static, 2> as LowerBound<FloodIt<2>>>::Scratch;

    fn name(&self) -> String {
        "faulty".to_owned()
    }

    fn evaluate(&self, state: &Flood<2>, _: Cost, scratch: &mut Self::Scratch) -> Bound {
        let Bound(value) = self.0.evaluate(state, Cost::MAX, scratch);
        Bound(value + Cost::from(self.2 == Fault::Bound && state.set != *self.1.all()))
    }

    fn is_antitone(&self) -> bool {
        true
    }

    fn consistent(&self) -> bool {
        false
    }
}

/// Hands a problem with a fault to `then`.
fn with_fault<R>(board: &Board, fault: Fault, then: impl FnOnce(&Faulty<'_>, FaultyBound<'_>) -> R) -> R {
    let puzzle = FloodIt::fitting(&Regions::of(board), board.colours()).expect("a small board");
    let bound = FloodBound::new(&puzzle, &BoundSpec::new(&[BoundKind::Elimination]));
    then(&Faulty(&puzzle, fault), FaultyBound(bound, &puzzle, fault))
}

fn closed(board: &Board, fault: Fault, f: Cost) -> Result<Closure, NotClosed> {
    let stop = StopToken::new();
    with_fault(board, fault, |domain, bound| {
        close(&Problem::new(domain, bound), f, Children::Pruned, &without_limits(1, &stop))
    })
}

/// A search with a wrong bound, or a wrong pruning rule, is found out: nobody can make a certificate of its optimum,
/// and what it would write itself is refused.
#[test]
fn a_fault_in_the_search_is_caught() {
    let mut rng = rng(164);
    for fault in [Fault::Bound, Fault::Pruning] {
        let (mut wrong, mut forged) = (0, 0);
        for _ in 0..60 {
            let board = small_board(&mut rng);
            let optimum = Exhaustive::solve(&board).optimum();
            let setting = Setting::new(StateEngine::Antichain, 1);
            let outcome = with_fault(&board, fault, |domain, bound| setting.search(domain, bound));
            let moves = outcome.incumbent.map(|solution| solution.moves);
            if outcome.lower_bound > optimum {
                wrong += 1;
                let refused = certify(&board, outcome.lower_bound, moves.as_deref(), 1);
                assert!(refused_as_solved(refused, optimum), "{fault:?}: {board:?}");
            }
            // What a maker with the same fault writes for a claim that is false by one, or as wrong as the search.
            for claim in [optimum + 1, outcome.lower_bound.max(optimum + 1)] {
                if let Ok(closure) = closed(&board, fault, claim - 1) {
                    forged += 1;
                    let refused = checked(&file_of(&board, claim as usize, &closure));
                    assert!(refused.is_err(), "{fault:?}: {board:?}");
                }
            }
        }
        assert!(wrong > 5 && forged > 5, "{fault:?}: {wrong} wrong optima, {forged} forged: too few to tell");
    }
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
            (0..regions.len()).filter(|&r| usize::from(regions.colour[r]) == colour).fold(0, |set, r| set | 1_u64 << r)
        });
        Self {
            neighbours: regions.neighbours.iter().map(|of| set(of)).collect(),
            of_colour: of_colour.collect(),
            all: u64::MAX >> (64 - regions.len()),
            start: 1 << regions.start,
        }
    }

    fn beside(&self, flood: u64) -> u64 {
        let near = |region: &usize| flood >> region & 1 == 1;
        (0..self.neighbours.len()).filter(near).fold(0, |set, region| set | self.neighbours[region]) & !flood
    }

    fn settle(&self, flood: u64) -> u64 {
        let seen = flood | self.beside(flood);
        let is_closed = |region: &usize| (seen & !flood) >> region & 1 == 1 && self.neighbours[*region] & !seen == 0;
        let closed = (0..self.neighbours.len()).filter(is_closed).fold(0, |set, region| set | 1 << region);
        let unfinished = self.of_colour.iter().filter(|of| *of & !flood & !closed != 0);
        flood | closed & unfinished.fold(0, |set, of| set | of)
    }

    /// The settled children by the choices of a flood.
    fn children(&self, flood: u64) -> Vec<u64> {
        let beside = self.beside(flood);
        let unseen = self.all & !flood & !beside;
        let mut choices: Vec<_> = self.of_colour.iter().filter(|of| *of & beside != 0).collect();
        if let Some(&finished) = choices.iter().find(|of| **of & unseen == 0) {
            choices = vec![finished];
        }
        choices.iter().map(|of| self.settle(flood | beside & *of)).collect()
    }
}

/// What a checker without one of its tests would accept.
#[test]
fn forgeries_are_refused() {
    let (mut rng, mut forged) = (rng(165), [0; 4]);
    let refused = |file: &[u8], why: &str| {
        let reason = checked(file).expect_err("a forgery");
        assert!(reason.contains(why), "{reason}");
    };
    for _ in 0..60 {
        let board = small_board(&mut rng);
        let (floods, optimum) = (Floods::of(&board), Exhaustive::solve(&board).optimum() as usize);
        let root = floods.settle(floods.start);
        let choices = floods.children(root).len();
        if optimum == 0 {
            continue;
        }
        // The bound is believed.
        forged[0] += 1;
        refused(&file(&board, optimum + 1, 1, &[vec![Covered::Refuted; choices]]), "does not refute");
        // Each child is held by its own parent: no test of subsets.
        forged[1] += 1;
        refused(&file(&board, optimum + 1, 1, &[vec![Covered::By(0); choices]]), "does not hold");
        // Each child is held by the finished flood at the end of a long way: no test of g.
        let mut way = vec![root];
        while way[way.len() - 1] != floods.all {
            way.extend(floods.children(way[way.len() - 1]).into_iter().min_by_key(|child| child.count_ones()));
        }
        if way.len() - 1 > optimum {
            forged[2] += 1;
            let last = way.len() - 1;
            let children: Vec<_> = way
                .windows(2)
                .map(|step| {
                    let mut children: Vec<_> =
                        floods.children(step[0]).iter().map(|_| Covered::By(last as u32)).collect();
                    let taken = floods.children(step[0]).iter().position(|child| *child == step[1]).expect("the way");
                    children[taken] = Covered::Next;
                    children
                })
                .collect();
            refused(&file(&board, last, way.len(), &children), "does not hold");
        }
        // A finished flood is a record like others: the optimum is one too high.
        if let Ok(closure) = closed(&board, Fault::NoEnd, optimum as Cost) {
            forged[3] += 1;
            refused(&file_of(&board, optimum + 1, &closure), "floods everything");
        }
    }
    assert!(forged.iter().all(|&count| count > 5), "{forged:?}: too few to tell");
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
            match checked(&[b"GHCERT 1 flood-it\n", head.as_bytes(), rest].concat()) {
                Ok(proven) => assert!(truth.bears_out(&proven), "{proven:?}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 200, "{refused} refused: too few to tell");
}

/// The certificates in `datasets/` prove the optima in the table, and the smallest are what is made today.
#[test]
fn shipped_certificates_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let optima = include_str!("../../datasets/floodit/optima.csv");
    let (mut held, mut total) = (0, 0);
    for file in std::fs::read_dir(folder.join("certificates")).expect("the folder") {
        let file = file.expect("a file").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        let bytes = std::fs::read(&file).expect("a file");
        let proven = checked(&bytes).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        assert!(proven.is_optimum && optima.contains(&format!("\n{name},{},", proven.bound)), "{name}");
        let path = folder.join("floodit").join(name);
        let options = ReadOptions { format: Some(Format::Text), ..ReadOptions::default() };
        let mut boards = BoardReader::open(path.to_str().expect("a plain name"), options).expect("a board file");
        let board = boards.next().expect("a board").expect("a sound board").board;
        assert!(proven.cells.iter().zip(board.cells()).all(|(&one, &other)| one == usize::from(other)), "{name}");
        assert_eq!(proven.board, [board.rows(), board.cols(), board.colours(), board.index(board.start())], "{name}");
        if board.cells().len() <= 160 || is_long() {
            assert!(certificate_of_optimum(&board) == bytes, "{name}");
            held += 1;
        }
        total += bytes.len();
    }
    assert!(held >= 4 && total < 200_000, "{held} made again, {total} bytes");
}

/// Somebody who doubts the solver reads a checker instead: it has to stay short.
#[test]
fn the_checkers_are_short() {
    let rust = [include_str!("../../check/src/lib.rs"), include_str!("../../check/src/main.rs")];
    // Some of these lines are for Clickomania too.
    assert!(rust.iter().map(|text| text.lines().count()).sum::<usize>() <= 200);
    assert!(include_str!("../../check/src/clickomania.rs").lines().count() <= 135);
    assert!(include_str!("../../scripts/check_clickomania.py").lines().count() <= 110);
    assert!(include_str!("../../scripts/check_certificate.py").lines().count() <= 150);
    assert!(!include_str!("../../check/Cargo.toml").contains("dependencies"));
}
