//! Program synthesis against all programs that there are, on small boards, and against what is known of large ones.

use crate::common::{Setting, is_long, rng};
use gridhunt_boards::{
    Board, BoardReader, Cell, EMPTY, Format, GenerateSpec, MARKED, Program, ReadOptions, Start, UNMARKED,
};
use gridhunt_bunny::BunnyMachine;
use gridhunt_bunny::replay::{ProgramPlay, verify_program};
use gridhunt_bunny::{BoardKind, generate_board};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::engine::{CheckpointConfig, Context, Outcome, Parameters, StateEngine, Status};
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
use gridhunt_synthesis::{Machine, ProgramEngine, search_program};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// Codes of a program: the end of a loop, and a loop without end; loops that count have more.
const END: u16 = 0;
const ENDLESS: u16 = 4;

fn meadow(rows: usize, cols: usize, cells: Vec<u8>, start: Cell) -> Board {
    let symbols = ["#", "O"].map(String::from).to_vec();
    Board::new("test", rows, cols, cells, symbols, start).expect("a sound board")
}

/// A board on which so many squares grew from the start, one beside another; a few of them are marked.
fn grown(rng: &mut ChaCha8Rng, squares: usize) -> Board {
    const SIDE: usize = 5;
    assert!(squares <= SIDE * SIDE, "there is no room for {squares} squares");
    let start = Cell { row: rng.random_range(0..SIDE), col: rng.random_range(0..SIDE) };
    let mut board = meadow(SIDE, SIDE, vec![MARKED; SIDE * SIDE], start);
    let mut cells = vec![EMPTY; SIDE * SIDE];
    cells[board.index(start)] = MARKED;
    let mut grown = vec![board.index(start)];
    while grown.len() < squares {
        let from = grown[rng.random_range(0..grown.len())];
        let around: Vec<usize> = board.neighbours(from).filter(|&to| cells[to] == EMPTY).collect();
        if let Some(&to) = around.get(rng.random_range(0..4)) {
            cells[to] = if rng.random_range(0..8) == 0 { MARKED } else { UNMARKED };
            grown.push(to);
        }
    }
    board = meadow(SIDE, SIDE, cells, start);
    board
}

fn run(board: &Board, threads: usize, limits: Limits) -> Outcome {
    run_by(ProgramEngine::SYNTHESIS, board, threads, limits)
}

pub fn run_by(engine: ProgramEngine, board: &Board, threads: usize, limits: Limits) -> Outcome {
    search_within(engine, board, &Parameters::default(), threads, limits)
}

fn kept(
    engine: ProgramEngine,
    board: &Board,
    threads: usize,
    limits: Limits,
    keep: &CheckpointConfig,
) -> Result<Outcome, CheckpointError> {
    let stop = StopToken::new();
    let context = Context { threads, limits, observer: &Silent, stop: &stop, checkpoints: Some(keep), exchange: None };
    search_program(engine, &BunnyMachine::new(board), &Parameters::default(), None, &context)
}

/// All programs of so many tokens, in lexical order, with loops that are not counted yet.
fn skeletons(tokens: usize, known: &mut HashMap<usize, Vec<Vec<u16>>>) -> Vec<Vec<u16>> {
    if tokens == 0 {
        return vec![Vec::new()];
    }
    if let Some(all) = known.get(&tokens) {
        return all.clone();
    }
    let mut all = Vec::new();
    for first in 1..ENDLESS {
        for rest in skeletons(tokens - 1, known) {
            all.push([&[first][..], &rest].concat());
        }
    }
    for of_body in 1..tokens {
        for body in skeletons(of_body, known) {
            for rest in skeletons(tokens - 1 - of_body, known) {
                all.push([&[ENDLESS][..], &body, &[END], &rest].concat());
            }
        }
    }
    all.sort();
    known.insert(tokens, all.clone());
    all
}

/// Whether a skeleton with some counts is a solution. The last thing of a program may be endless; all others count up
/// to `most`.
fn solves(board: &Board, codes: &mut Vec<u16>, from: usize, most: u16) -> bool {
    let last = codes.len() - 1;
    match (from..codes.len()).find(|&at| codes[at] == ENDLESS) {
        None => {
            let program = Program::from_codes(codes).expect("a whole program");
            verify_program(board, &program, None).is_ok()
        }
        // Without a count, when it ends the program.
        Some(at) if end_of(codes, at) == last && solves(board, codes, at + 1, most) => true,
        Some(at) => {
            let found = (2..=most).any(|count| {
                codes[at] = ENDLESS + count;
                solves(board, codes, at + 1, most)
            });
            codes[at] = ENDLESS;
            found
        }
    }
}

fn end_of(codes: &[u16], begin: usize) -> usize {
    let mut open = 0;
    (begin..codes.len())
        .find(|&at| {
            open += i32::from(codes[at] >= ENDLESS) - i32::from(codes[at] == END);
            open == 0
        })
        .expect("an end")
}

/// The program of an outcome, which the plain rules accept with the cost that the outcome has.
fn verified(board: &Board, outcome: &Outcome) -> Program {
    let solution = outcome.incumbent.as_ref().expect("a program");
    let program = Program::from_codes(&solution.moves).expect("a whole program");
    let cost = verify_program(board, &program, Some(solution.cost)).expect("a solution").cost;
    assert_eq!(cost, solution.cost, "{board:?} {program}");
    program
}

/// On 30 boards, 300 in the long run, the synthesis finds a program that is as short as the shortest of all
/// programs, and none where every program of up to four tokens fails. (All programs of five tokens take an hour.)
#[test]
fn no_shorter_program_exists() {
    let (boards, most) = (if is_long() { 300 } else { 30 }, 4);
    let mut rng = rng(151);
    let mut known = HashMap::new();
    let (mut solved, mut beyond) = (vec![0; most + 1], 0);
    for _ in 0..boards {
        let squares = rng.random_range(4..=10);
        let board = grown(&mut rng, squares);
        let counts = 2 * squares.max(4) as u16;
        let first = first_program(&board, most, counts, &mut known);
        let outcome = run(&board, 1, Limits::default());
        assert_eq!(outcome.status(), Status::Optimal, "{board:?}");
        match first {
            Some(first) => {
                let tokens = first.iter().filter(|&&code| code != END).count();
                assert_eq!(
                    (outcome.lower_bound as usize, verified(&board, &outcome).cost() as usize),
                    (tokens, tokens)
                );
                solved[outcome.lower_bound as usize] += 1;
            }
            None => {
                assert!(outcome.lower_bound > most as u32, "{board:?}: {outcome:?}");
                beyond += 1;
            }
        }
    }
    assert!(
        solved[3..].iter().all(|&many| many > boards / 20) && beyond > boards / 4,
        "{solved:?}, {beyond} beyond: one-sided"
    );
}

/// The twelve boards, whose optima come to 64 tokens.
fn twelve() -> Vec<Board> {
    let options = ReadOptions { format: Some(Format::Bunny), ..ReadOptions::default() };
    let text = include_str!("../../datasets/bunny/twelve.txt");
    let reader = BoardReader::new("twelve.txt", text.as_bytes(), options).expect("boards");
    reader.map(|entry| entry.expect("a sound board").board).collect()
}

/// With little memory less semantics is cached, and the result is the same. Limits leave a proven range.
#[test]
fn limits_leave_a_proven_range() {
    let board = twelve().remove(11);
    let whole = run(&board, 1, Limits::default());
    let most = whole.statistics.peak_bytes * 3 / 4;
    // Half of so little is for what threads work in.
    let tight = run(&board, 1, Limits { memory: Some(2 * most), ..Limits::default() });
    assert_eq!((&tight.incumbent, &tight.statistics.layers), (&whole.incumbent, &whole.statistics.layers));
    assert!(tight.statistics.peak_bytes < most);
    for (limits, reason) in [
        (Limits { memory: Some(10_000), ..Limits::default() }, StopReason::MemoryLimit),
        (Limits { expansions: Some(500), ..Limits::default() }, StopReason::ExpansionLimit),
        (Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() }, StopReason::TimeLimit),
    ] {
        let outcome = run(&board, 2, limits);
        assert_eq!((outcome.stopped, outcome.status()), (Some(reason), Status::Feasible));
        assert!(outcome.lower_bound <= 8);
        let program = Program::from_codes(&outcome.incumbent.expect("a tour").moves).expect("a program");
        assert!(verify_program(&board, &program, None).is_ok());
    }
}

/// Annealing finds the same on any number of threads, and what the synthesis has proven on easy boards.
#[test]
fn annealing_finds_programs() {
    let annealed = |board: &Board, threads, rounds| {
        let parameters = Parameters { anneal_rounds: rounds, ..Parameters::default() };
        search_with(ProgramEngine::ANNEAL, board, &parameters, threads)
    };
    let total: u32 = twelve().iter().map(|board| annealed(board, 2, 4).incumbent.expect("a program").cost).sum();
    assert!((64..=90).contains(&total), "{total} tokens");
    let board = &twelve()[6];
    let one = annealed(board, 1, 3);
    assert_eq!(one.incumbent, annealed(board, 3, 3).incumbent);
    assert_eq!((one.lower_bound, one.status(), one.stopped), (2, Status::Feasible, None));
    // `auto` proves the same.
    let auto = search_with(ProgramEngine::AUTO, &middling(), &Parameters::default(), 2);
    let synthesis = run(&middling(), 2, Limits::default());
    assert_eq!((auto.lower_bound, auto.status()), (synthesis.lower_bound, Status::Optimal));
}

/// Rounds without end take no memory, and a limit ends them.
#[test]
fn annealing_without_end_keeps_to_its_limits() {
    let parameters = Parameters { anneal_rounds: 1 << 60, ..Parameters::default() };
    let limits = Limits { expansions: Some(30_000), ..Limits::default() };
    let outcome = search_within(ProgramEngine::ANNEAL, &twelve()[6], &parameters, 2, limits);
    assert_eq!((outcome.stopped, outcome.status()), (Some(StopReason::ExpansionLimit), Status::Feasible));
    assert!(outcome.statistics.expanded < 40_000);
}

/// If memory does not suffice for the semantics of one fragment and for the buffers of a thread, synthesis is not
/// begun: its caller is told, and gets a program all the same.
#[test]
fn a_board_too_large_for_the_memory_gets_a_program() {
    let spec = GenerateSpec { rows: 60, cols: 60, colours: 2, seed: 2, start: Start::TopLeft };
    let board = generate_board(&spec, BoardKind::Random, 90, 0).expect("a board");
    let limits = Limits { memory: Some(40 << 20), expansions: Some(300), ..Limits::default() };
    for engine in [ProgramEngine::SYNTHESIS, ProgramEngine::AUTO] {
        let outcome = search_within(engine, &board, &Parameters::default(), 1, limits);
        assert_eq!(outcome.status(), Status::Feasible, "{engine:?}");
        let reasons = [StopReason::MemoryLimit, StopReason::ExpansionLimit].map(Some);
        assert!(reasons.contains(&outcome.stopped), "{engine:?}: {:?}", outcome.stopped);
        assert_eq!(outcome.statistics.stored, 0, "{engine:?} stores no fragment");
    }
}

/// Where annealing ends with a program that leaves something, that is gone to one by one: better than to go to
/// everything so.
#[test]
fn what_a_program_leaves_is_gone_to() {
    let mut total = [0, 0];
    for index in 0..4 {
        let spec = GenerateSpec { rows: 12, cols: 12, colours: 2, seed: 154, start: Start::TopLeft };
        let board = generate_board(&spec, BoardKind::Random, 75, index).expect("a board");
        for (total, anneal_rounds) in total.iter_mut().zip([0, 2]) {
            let parameters = Parameters { anneal_rounds, anneal_changes: 2000, ..Parameters::default() };
            let outcome = search_with(ProgramEngine::ANNEAL, &board, &parameters, 2);
            let solution = outcome.incumbent.expect("a program");
            let program = Program::from_codes(&solution.moves).expect("a program");
            assert!(verify_program(&board, &program, None).is_ok(), "{board:?} {program}");
            *total += solution.cost;
        }
    }
    assert!(total[1] < total[0] / 2, "{total:?}");
}

fn search_with(engine: ProgramEngine, board: &Board, parameters: &Parameters, threads: usize) -> Outcome {
    search_within(engine, board, parameters, threads, Limits::default())
}

fn search_within(
    engine: ProgramEngine,
    board: &Board,
    parameters: &Parameters,
    threads: usize,
    limits: Limits,
) -> Outcome {
    let stop = StopToken::new();
    let context = Context::new(threads, limits, &Silent, &stop);
    search_program(engine, &BunnyMachine::new(board), parameters, None, &context).expect("no checkpoint")
}

/// The machine of a board does what the plain rules do, whatever the program.
#[test]
fn machines_follow_the_rules() {
    let mut rng = rng(153);
    for _ in 0..200 {
        let squares = rng.random_range(2..=14);
        let board = grown(&mut rng, squares);
        let machine = BunnyMachine::new(&board);
        let codes: Vec<u16> = (0..60).map(|_| rng.random_range(1..ENDLESS)).collect();
        let program = Program::from_codes(&codes).expect("a program");
        let mut play = ProgramPlay::new(&board, &program).expect("a board of the bunny");
        let (mut state, mut marked) = (machine.start(), vec![false; machine.goals()]);
        assert_eq!((play.unmarked_count(), machine.unreachable()), (machine.goals(), None));
        while let Some(instruction) = play.step() {
            let (next, goal) = machine.step(state, instruction);
            goal.into_iter().for_each(|goal| marked[usize::from(goal)] = true);
            state = next;
            assert_eq!(play.unmarked_count(), marked.iter().filter(|marked| !**marked).count(), "{board:?} {program}");
        }
    }
}

/// The first program of up to `most` tokens, in lexical order of its skeleton, that solves a board. Loops count up to
/// `counts`.
fn first_program(
    board: &Board,
    most: usize,
    counts: u16,
    known: &mut HashMap<usize, Vec<Vec<u16>>>,
) -> Option<Vec<u16>> {
    (0..=most).find_map(|tokens| {
        skeletons(tokens, known).into_iter().find(|codes| match codes[..] {
            [] => verify_program(board, &Program::default(), None).is_ok(),
            _ => solves(board, &mut codes.clone(), 0, counts),
        })
    })
}

fn keep(folder: &Path, every: Duration, resume: bool) -> CheckpointConfig {
    CheckpointConfig { resume, ..crate::kept::keep(folder, every) }
}

/// A board that takes a while: levels and tests of several batches.
fn middling() -> Board {
    let spec = GenerateSpec { rows: 8, cols: 8, colours: 2, seed: 2, start: Start::TopLeft };
    generate_board(&spec, BoardKind::Random, 75, 0).expect("a board")
}

/// Stops a search after `step` expansions and resumes it until it ends. It ends as a search in one session does.
/// Returns the number of sessions.
fn in_sessions(engine: ProgramEngine, board: &Board, threads: usize, step: u64, least: u32) -> u32 {
    let plain = run_by(engine, board, 1, Limits::default());
    assert!(plain.lower_bound >= least, "{plain:?}: too easy");
    let folder = tempfile::tempdir().expect("a folder");
    for session in 0.. {
        let limits = Limits { expansions: Some(step), ..Limits::default() };
        let keep = keep(folder.path(), Duration::from_secs(100_000), session > 0);
        let outcome = kept(engine, board, threads, limits, &keep).expect("a checkpoint");
        if outcome.stopped.is_none() {
            assert_eq!((outcome.lower_bound, outcome.status()), (plain.lower_bound, Status::Optimal));
            assert_eq!(outcome.statistics.layers, plain.statistics.layers);
            assert_eq!(outcome.incumbent, plain.incumbent, "{engine:?}");
            return session + 1;
        }
        assert!(outcome.lower_bound <= plain.lower_bound);
    }
    unreachable!("each session continues")
}

#[test]
fn stopped_and_resumed_again_and_again_a_synthesis_ends_the_same() {
    let board = middling();
    for engine in [ProgramEngine::SYNTHESIS, ProgramEngine::AUTO] {
        let steps = [(1, 15_000), (2, 25_000), (3, 10_000)];
        let sessions: u32 = steps.map(|(threads, step)| in_sessions(engine, &board, threads, step, 9)).iter().sum();
        assert!(sessions > 10, "{engine:?}, {sessions} sessions: too easy");
    }
}

#[test]
fn checkpoints_without_end_change_nothing_and_each_of_them_leads_on() {
    let board = middling();
    let plain = run(&board, 1, Limits::default());
    let folder = tempfile::tempdir().expect("a folder");
    let outcome =
        kept(ProgramEngine::SYNTHESIS, &board, 2, Limits::default(), &keep(folder.path(), Duration::ZERO, false))
            .expect("a search");
    assert_eq!((&outcome.incumbent, &outcome.statistics.layers), (&plain.incumbent, &plain.statistics.layers));
    // The last one was taken somewhere in the test that found it.
    let again =
        kept(ProgramEngine::SYNTHESIS, &board, 2, Limits::default(), &keep(folder.path(), Duration::ZERO, true))
            .expect("a checkpoint");
    assert_eq!((&again.incumbent, &again.statistics.layers), (&plain.incumbent, &plain.statistics.layers));
}

#[test]
fn checkpoints_of_other_engines_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let flood = crate::common::random_board(&mut rng(154), 18, 18, 6);
    let stopped = Limits { expansions: Some(1), ..Limits::default() };
    let kept_so = keep(folder.path(), Duration::ZERO, false);
    let setting = Setting { checkpoints: Some(&kept_so), limits: stopped, ..Setting::new(StateEngine::IDA, 1) };
    crate::common::with_puzzle(&flood, crate::kept::Run(setting));
    let error =
        kept(ProgramEngine::SYNTHESIS, &middling(), 1, Limits::default(), &keep(folder.path(), Duration::ZERO, true))
            .unwrap_err();
    assert!(error.to_string().contains("engine ida") && error.to_string().contains("engine synthesis"), "{error}");
}
