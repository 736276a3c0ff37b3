//! The registry of puzzles: every puzzle is complete.

use gridhunt::hunt::{BoardRecord, Config, HuntError, Request, solve_board};
use gridhunt::puzzles::{BoundName, Drawing, EngineKind, OptionValues, PuzzleError, PuzzleId};
use gridhunt_boards::{Board, BoardReader, Cell, ReadOptions, Style, usual_symbols};
use gridhunt_clickomania::{Columns, Goal, Options, Rules};
use gridhunt_search::engine::{PARAMETERS, Parameters, Status};
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::collections::HashSet;
use std::path::Path;

/// A small shipped board of a puzzle.
fn small_board(puzzle: PuzzleId) -> Board {
    let file = match puzzle.name() {
        "flood-it" => "floodit/10x10-3c-01.txt",
        "clickomania" => "clickomania/9x7-3c-10.lines",
        "bunny" => "bunny/spiral-7x7-01.txt",
        "free-flood" => "freeflood/6x6-4c-20.lines",
        name => panic!("no small board of {name}: add one here"),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(file);
    let options = ReadOptions {
        default_format: puzzle.info().format,
        size: file.contains("9x7").then_some((9, 7)),
        ..ReadOptions::default()
    };
    let mut boards = BoardReader::open(path, options).expect("a file");
    boards.next().expect("a board").expect("a board of the puzzle").board
}

/// Every variant of the rules and objectives that options can ask for, as far as bounds depend on them.
fn requests(domain: PuzzleId) -> Vec<Request> {
    let limits = Limits { expansions: Some(300), ..Limits::default() };
    let request = Request { domain, threads: 1, limits, ..Request::default() };
    let of = |goal| {
        let request = request.clone();
        Columns::ALL.map(|columns| {
            let rules = Rules { columns, ..Rules::default() };
            let options = OptionValues::from(&Options { goal, rules, ..Options::default() });
            Request { options, ..request.clone() }
        })
    };
    Goal::ALL.into_iter().flat_map(of).collect()
}

fn solve(board: &Board, request: &Request) -> Result<BoardRecord, HuntError> {
    solve_board(board, request, &Silent, &StopToken::new())
}

#[test]
fn each_puzzle_is_found_by_its_names() {
    assert_eq!(PuzzleId::all().next(), Some(PuzzleId::default()));
    let mut names = HashSet::new();
    for puzzle in PuzzleId::all() {
        for name in puzzle.info().names {
            assert!(names.insert(*name), "{name} is the name of two puzzles");
            assert_eq!(name.parse(), Ok(puzzle));
        }
    }
    let error = "chess".parse::<PuzzleId>().unwrap_err();
    assert_eq!(error.to_string(), "found domain \"chess\", expected one of: flood-it, clickomania, bunny, free-flood");
}

#[test]
fn each_engine_of_a_puzzle_searches_a_shipped_board() {
    for puzzle in PuzzleId::all() {
        let board = small_board(puzzle);
        for engine in EngineKind::all() {
            let parameters = Parameters { anneal_rounds: 1, anneal_changes: 1_000, ..Parameters::default() };
            let request = Request { engine, parameters, ..requests(puzzle).remove(0) };
            match solve(&board, &request) {
                Ok(report) => {
                    assert!(puzzle.info().supports(engine), "{puzzle} with {engine:?}");
                    assert_eq!((report.domain, report.engine), (puzzle, engine));
                    let value = report.objective;
                    assert_eq!(value, request.task(&board).unwrap().info().objective);
                    // A solution was replayed, and has moves as text.
                    assert!(report.cost.is_none_or(|_| !report.moves.is_empty()), "{puzzle} with {engine:?}");
                }
                Err(HuntError::Puzzle(PuzzleError::UnsupportedEngine { .. })) => {
                    assert!(!puzzle.info().supports(engine), "{puzzle} with {engine:?}")
                }
                Err(error) => panic!("{puzzle} with {engine:?}: {error}"),
            }
        }
        assert!((puzzle.info().engines)().iter().any(|engine| engine.proves), "{puzzle}");
    }
}

#[test]
fn each_bound_of_a_puzzle_guides_a_search() {
    let line = Board::new("line", 1, 6, vec![0, 1, 1, 0, 1, 1], usual_symbols(2), Cell::default()).unwrap();
    for puzzle in PuzzleId::all() {
        for info in puzzle.info().bounds {
            let name: BoundName = info.name.parse().expect("a bound");
            assert!(name.belongs_to(puzzle) && !info.summary.is_empty(), "{name}");
            let mut searches = 0;
            for board in [&small_board(puzzle), &line] {
                for request in requests(puzzle) {
                    match solve(board, &Request { bound: Some(name.clone()), ..request }) {
                        Ok(report) => {
                            searches += 1;
                            assert!(report.status != Status::Unsolvable || report.cost.is_none());
                        }
                        Err(HuntError::Puzzle(PuzzleError::InapplicableBound { bound, .. })) => assert_eq!(bound, name),
                        Err(error) => panic!("{puzzle} with {name}: {error}"),
                    }
                }
            }
            assert!(searches > 0, "{puzzle} never searches with {name}");
        }
    }
}

#[test]
fn each_puzzle_draws_its_board_and_refuses_boards_of_others() {
    for puzzle in PuzzleId::all() {
        let board = small_board(puzzle);
        let drawing = Drawing::new(&board, &puzzle.board_frame(&board).expect("a frame"), Style::Plain);
        assert!(drawing.heading.starts_with(board.name()), "{}", drawing.heading);
        assert_eq!(drawing.rows.lines().count(), board.rows());
        let looks_like: Vec<_> = PuzzleId::all().filter(|other| other.distinctive_cells(&board).is_some()).collect();
        assert!(looks_like.is_empty() || looks_like == [puzzle], "{puzzle}: {looks_like:?}");
        for other in PuzzleId::all().filter(|other| *other != puzzle && looks_like == [puzzle]) {
            let error = other.checked_task(&board, &OptionValues::default()).map(drop).unwrap_err();
            assert!(error.to_string().ends_with(&format!("expected --domain {puzzle}")), "{error}");
        }
    }
}

/// The texts stand in the manifests of checkpoints: a resume compares them.
#[test]
fn the_identity_of_a_run_stays_as_it_was() {
    let identity = |text: &str| {
        let request = Config::parse("x.toml", text).expect("a configuration").request();
        (request.rules_suffix(), request.bound_identity())
    };
    let flood = |bound: &str| (String::new(), bound.to_owned());
    assert_eq!(identity(""), flood("elimination"));
    assert_eq!(identity("bound = 'layers'"), flood("layers"));
    let rules = " (clear, groups of 2, columns close, corner bottom-left)";
    assert_eq!(identity("domain = 'clickomania'"), (rules.to_owned(), "that is best".to_owned()));
    let rules = " (left, groups of 3, columns stay, corner top-right)";
    let text = "domain = 'clickomania'\nobjective = 'left'\nmin-group = 3\ncolumns = 'stay'\ncorner = 'top-right'\nbound = 'colours'\n";
    assert_eq!(identity(text), (rules.to_owned(), "colours".to_owned()));
    assert_eq!(identity("domain = 'bunny'"), flood("that is its size"));
}

#[test]
fn each_parameter_has_its_own_place() {
    let mut parameters = Parameters::default();
    for (value, parameter) in (1_001..).zip(PARAMETERS) {
        assert!(parameter.engine.parse::<EngineKind>().is_ok(), "{parameter:?}");
        *(parameter.field)(&mut parameters) = value;
    }
    let text: String = (1_001..).zip(PARAMETERS).map(|(value, p)| format!("{} = {value}\n", p.name)).collect();
    let config = Config::parse("x.toml", &format!("[parameters]\n{text}")).expect("a configuration");
    assert_eq!(config.request().parameters, parameters);
}
