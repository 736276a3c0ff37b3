//! Always an answer: boards without moves, many colours, scores of any rule, first solutions, known solutions.

use crate::common::{Exhaustive, clickomania_engines, random_board, rng};
use crate::plain_clicks::{Plain, standard};
use gridhunt::hunt::Request;
use gridhunt::hunt::{Batch, BoardRecord, BoardResult, FailedBoard, HuntError, Parallelism, solve_board};
use gridhunt::puzzles::{EngineKind, OptionValues, Solutions, StartPosition};
use gridhunt_boards::{Board, Cell, EMPTY, Entry, SolutionReader, usual_symbols};
use gridhunt_clickomania::Options;
use gridhunt_clickomania::{Columns, Goal, Rules, Scoring};
use gridhunt_search::engine::{Parameters, Solution, StateEngine, Status};
use gridhunt_search::runtime::{Event, Limits, Observer, Silent, StopToken};
use rand::Rng;
use std::io::BufRead;
use std::sync::Mutex;

fn solve(board: &Board, request: &Request) -> Result<BoardRecord, HuntError> {
    solve_board(board, request, &Silent, &StopToken::new())
}

fn request(domain: &str, engine: impl Into<EngineKind>, objective: Goal) -> Request {
    let parameters = Parameters { beam_width: 20, anneal_rounds: 2, anneal_changes: 200, ..Parameters::default() };
    let (domain, engine) = (domain.parse().unwrap(), engine.into());
    // The options of Clickomania mean nothing to other puzzles.
    let options = OptionValues::from(&Options { goal: objective, ..Options::default() });
    Request { domain, engine, options, parameters, threads: 1, ..Request::default() }
}

fn clickomania(engine: impl Into<EngineKind>, objective: Goal) -> Request {
    request("clickomania", engine, objective)
}

fn named(colours: usize) -> Vec<String> {
    (1..=colours).map(|colour| format!("c{colour}")).collect()
}

fn board(rows: usize, cols: usize, colours: usize, cells: Vec<u8>) -> Board {
    Board::new("b", rows, cols, cells, named(colours), Cell::default()).expect("a board")
}

/// One colour, one cell, no cell: optimal, without a move.
#[test]
fn boards_that_need_no_move_are_optimal_at_once() {
    let flooded =
        [board(1, 1, 1, vec![0]), board(3, 2, 1, vec![0; 6]), board(2, 2, 4, vec![3; 4]), board(1, 1, 255, vec![254])];
    let bounds = ["layers", "elimination"];
    for engine in StateEngine::ALL {
        for board in &flooded {
            for bound in bounds {
                let bound = Some(bound.parse().unwrap());
                let request = Request { bound, ..request("flood-it", engine, Goal::Clear) };
                let report = solve(board, &request).expect("a report");
                assert_eq!((report.status, report.cost), (Status::Optimal, Some(0)), "{engine:?}: {board:?}");
                assert!(report.moves.is_empty() && report.stopped.is_none());
            }
        }
    }
    for engine in clickomania_engines() {
        for objective in Goal::ALL {
            for (rows, cols) in [(1, 1), (3, 4), (1, 5), (6, 1)] {
                let empty = board(rows, cols, 2, vec![EMPTY; rows * cols]);
                let report = solve(&empty, &clickomania(engine, objective)).expect("a report");
                let context = format!("{engine:?}, {objective}, {rows} x {cols}");
                assert_eq!((report.status, report.moves.len()), (Status::Optimal, 0), "{context}");
                let value = report.cost.map(|cost| report.objective.value(cost));
                assert_eq!(value, Some(if objective == Goal::Score { 1000 } else { 0 }), "{context}");
            }
        }
    }
}

/// New numbers for the colours of a board, spread over all numbers up to `most`.
fn renumbered(board: &Board, most: usize, rng: &mut impl Rng) -> Board {
    let mut numbers: Vec<u8> = (0..most as u8).collect();
    for at in 0..board.colours() {
        let other = rng.random_range(at..most);
        numbers.swap(at, other);
    }
    let cells = board.cells().iter().map(|cell| numbers[usize::from(*cell)]).collect();
    Board::new("many", board.rows(), board.cols(), cells, named(most), board.start()).unwrap()
}

#[test]
fn floods_of_up_to_255_colours_agree_with_exhaustive_search() {
    let mut rng = rng(71);
    for (round, colours) in [36, 63, 64, 65, 128, 255].into_iter().cycle().take(24).enumerate() {
        let few = random_board(&mut rng, 4, 5, 3 + (round % 5) as u8);
        let optimum = Exhaustive::solve(&few).optimum();
        let many = renumbered(&few, colours, &mut rng);
        for engine in StateEngine::ALL {
            for bound in ["layers", "elimination"] {
                let request = Request {
                    bound: Some(bound.parse().unwrap()),
                    threads: 1 + round % 2,
                    ..request("flood-it", engine, Goal::Clear)
                };
                let report = solve(&many, &request).expect("a report");
                let cost = report.cost.expect("a solution");
                let context = format!("{engine:?}, {bound}, {colours} colours, round {round}");
                assert!(report.lower_bound <= Some(optimum) && cost >= optimum, "{context}");
                if engine.info.proves {
                    assert_eq!((cost, report.status), (optimum, Status::Optimal), "{context}");
                }
            }
        }
    }
}

/// More than 64 colours on one board: a row of distinct cells, from its end and from its middle.
#[test]
fn a_row_of_distinct_colours_takes_a_move_for_each_cell() {
    for (cells, start, expected) in [(100, 0, 99), (255, 0, 254), (81, 40, 80)] {
        let row = (0..cells).map(|cell| cell as u8).collect();
        let row = Board::new("row", 1, cells, row, named(cells), Cell { row: 0, col: start }).unwrap();
        for engine in [StateEngine::AUTO, StateEngine::BEAM, StateEngine::ANNEAL] {
            let report = solve(&row, &request("flood-it", engine, Goal::Clear)).expect("a report");
            let context = format!("{engine:?}, {cells} cells");
            if engine == StateEngine::ANNEAL {
                assert!(report.cost.is_none_or(|cost| cost >= expected), "{context}");
            } else {
                assert_eq!(report.cost, Some(expected), "{context}");
            }
        }
    }
}

#[test]
fn clicks_on_up_to_255_colours_agree_with_plain_recursion() {
    let mut rng = rng(72);
    for (round, colours) in [36, 64, 65, 128, 255].into_iter().cycle().take(15).enumerate() {
        let few = random_board(&mut rng, 4, 4, 2 + (round % 3) as u8);
        let many = renumbered(&few, colours, &mut rng);
        let rules = Rules {
            min_group: 1 + round as u32 % 3,
            columns: [Columns::Close, Columns::Stay][round % 2],
            ..Rules::default()
        };
        for objective in Goal::ALL {
            let best = Plain::new(rules, objective).best(&few);
            for engine in clickomania_engines() {
                let mut request = clickomania(engine, objective);
                request.options = OptionValues::from(&Options { rules, ..Options::of(&request.options) });
                let report = solve(&many, &request).expect("a report");
                let value = report.cost.map(|cost| report.objective.value(cost));
                let context = format!("{engine:?}, {objective}, {rules:?}, {colours} colours");
                if engine.info.proves {
                    assert_eq!(value, best, "{context}");
                    assert!(matches!(report.status, Status::Optimal | Status::Unsolvable), "{context}");
                } else if report.status == Status::Optimal {
                    assert_eq!(value, best, "{context}");
                }
            }
        }
    }
}

/// A board of 64 x 64 with 255 colours is accepted, and has an answer.
#[test]
fn the_largest_board_with_all_colours_has_an_answer() {
    let cells = (0..64 * 64_u32).map(|cell| (cell / 2 * 37 % 255) as u8).collect();
    let board = board(64, 64, 255, cells);
    for objective in [Goal::Left, Goal::Score] {
        let limits = Limits { expansions: Some(1), ..Limits::default() };
        let report = solve(&board, &Request { limits, ..clickomania(StateEngine::AUTO, objective) }).unwrap();
        assert!(report.cost.is_some(), "{objective}");
    }
}

/// Every rule has an admissible ceiling: engines agree with plain recursion.
#[test]
fn scores_of_any_rule_agree_with_plain_recursion() {
    type Value = fn(i64) -> i64;
    let rules: [(&str, Value, &str, Value, u32); 7] = [
        ("(n-2)^2", standard, "0", |_| 0, 1000),
        ("(n-1)^2", |n| (n - 1) * (n - 1), "(n-1)^2", |n| (n - 1) * (n - 1), 0),
        ("n(n-1)", |n| n * (n - 1), "0", |_| 0, 7),
        ("3n-5", |n| 3 * n - 5, "2n", |n| 2 * n, 10),
        ("100-n^2", |n| 100 - n * n, "n^2", |n| n * n, 3),
        ("5", |_| 5, "0", |_| 0, 0),
        (
            "4,9,1,-3,2,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
            |n| [4, 9, 1, -3, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20][n as usize - 1],
            "11",
            |_| 11,
            1,
        ),
    ];
    let mut rng = rng(73);
    for round in 0..18 {
        let board = random_board(&mut rng, 4, 4, 2 + (round % 3) as u8);
        let game = Rules {
            min_group: 1 + round as u32 % 3,
            columns: [Columns::Close, Columns::Stay][round % 2],
            ..Rules::default()
        };
        for (points, value, penalty, lost, clear_bonus) in rules {
            let scoring =
                Scoring { points: points.parse().unwrap(), clear_bonus, left_penalty: penalty.parse().unwrap() };
            let lost_of = move |cells: i64| if cells == 0 { 0 } else { lost(cells) };
            let mut plain = Plain {
                points: &value,
                penalty: &lost_of,
                clear_bonus: clear_bonus.into(),
                ..Plain::new(game, Goal::Score)
            };
            let best = plain.best(&board).expect("stopping is allowed");
            for engine in clickomania_engines() {
                let mut request = clickomania(engine, Goal::Score);
                let options = Options { rules: game, scoring: scoring.clone(), ..Options::of(&request.options) };
                request.options = OptionValues::from(&options);
                let report = solve(&board, &request).expect("a report");
                let score = report.objective.value(report.cost.expect("a solution"));
                let upper = report.objective.value(report.lower_bound.expect("a lower bound"));
                let context = format!("{engine:?}, {points}, {penalty}, {game:?}, round {round}");
                assert!(score <= best && best <= upper, "{context}: {score} <= {best} <= {upper}");
                if engine.info.proves {
                    assert_eq!((score, report.status), (best, Status::Optimal), "{context}");
                }
            }
        }
    }
}

/// Where the only click loses a point, annealing stops before it, although it plays every path to its end.
#[test]
fn annealing_stops_where_it_pays() {
    let board = board(1, 5, 3, vec![0, 0, 0, 1, 2]);
    let mut request = clickomania(StateEngine::ANNEAL, Goal::Score);
    let mut options = Options::of(&request.options);
    options.scoring.points = "2-n".parse().unwrap();
    request.options = OptionValues::from(&options);
    let report = solve(&board, &request).expect("a report");
    assert_eq!((report.objective.value(report.cost.expect("a solution")), report.moves.len()), (0, 0));
}

/// The costs of the incumbents, in the order in which they are told.
#[derive(Default)]
struct Incumbents(Mutex<Vec<u32>>);

impl Observer for Incumbents {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Incumbent { cost, .. } = event {
            self.0.lock().unwrap().push(*cost);
        }
    }
}

/// `auto` tells a first solution before anything else is searched, and then only better ones.
#[test]
fn a_first_solution_stands_before_the_search() {
    let mut rng = rng(75);
    let cases = [
        (random_board(&mut rng, 30, 30, 9), request("flood-it", StateEngine::AUTO, Goal::Clear)),
        (random_board(&mut rng, 30, 30, 4), {
            let mut singles = clickomania(StateEngine::AUTO, Goal::Clear);
            let mut options = Options::of(&singles.options);
            options.rules.min_group = 1;
            singles.options = OptionValues::from(&options);
            singles
        }),
        (random_board(&mut rng, 12, 12, 4), clickomania(StateEngine::AUTO, Goal::Clicks)),
        (random_board(&mut rng, 20, 20, 5), clickomania(StateEngine::AUTO, Goal::Left)),
        (random_board(&mut rng, 40, 40, 5), clickomania(StateEngine::AUTO, Goal::Score)),
    ];
    for (board, request) in cases {
        let told = Incumbents::default();
        // The search itself may expand one state.
        let limits = Limits { expansions: Some(1), ..Limits::default() };
        let report = solve_board(&board, &Request { limits, ..request.clone() }, &told, &StopToken::new()).unwrap();
        let told = told.0.into_inner().unwrap();
        let context = format!("{} {}: {told:?}", request.domain, request.rules_suffix());
        assert!(told.is_sorted_by(|one, next| one > next), "{context}");
        if Options::of(&request.options).goal != Goal::Clicks {
            assert!(!told.is_empty(), "{context}");
        }
        assert_eq!(report.cost, told.last().copied(), "{context}");
    }
}

/// Where a limit ends an engine that proves nothing, its answer is no worse than a path that is played to its end.
#[test]
fn what_is_cut_short_is_played_to_its_end() {
    let mut rng = rng(77);
    let limits = Limits { expansions: Some(1), ..Limits::default() };
    let cases = [
        (random_board(&mut rng, 30, 30, 9), request("flood-it", StateEngine::AUTO, Goal::Clear)),
        (random_board(&mut rng, 40, 40, 5), clickomania(StateEngine::AUTO, Goal::Score)),
    ];
    for (board, auto) in cases {
        let played = solve(&board, &Request { limits, ..auto.clone() }).unwrap().cost.expect("a path");
        let told = Incumbents::default();
        let request = Request { limits, engine: StateEngine::BEAM.into(), ..auto.clone() };
        let report = solve_board(&board, &request, &told, &StopToken::new()).unwrap();
        assert!(report.stopped.is_some());
        let cost = report.cost.expect("a solution");
        assert!(cost <= played, "{}: {cost}, {played} played", request.domain);
        assert_eq!(told.0.into_inner().unwrap().last(), Some(&cost));
    }
}

fn solutions(text: &str) -> Solutions {
    SolutionReader::new("s", Box::new(std::io::Cursor::new(text.to_owned())) as Box<dyn BufRead + Send>).unwrap()
}

/// Searches a board from a known solution.
fn solve_from(board: &Board, request: &Request, known: Option<Solution>) -> Result<BoardRecord, HuntError> {
    let (stop, parallel) = (&StopToken::new(), Parallelism::Search);
    let (run, certificates, ranks, is_strict, reports_not_begun) = (None, None, None, false, false);
    let batch =
        Batch { request, parallel, observer: &Silent, stop, run, is_strict, reports_not_begun, certificates, ranks };
    let start = StartPosition { entry: Entry { board: board.clone(), published_optimum: None }, solution: known };
    let mut result = None;
    let deliver = |delivered| {
        result = Some(delivered);
        Ok::<(), HuntError>(())
    };
    batch.run([Ok::<_, HuntError>(start)], deliver).expect("a delivered result");
    match result {
        Some(BoardResult::Record { record, .. }) => Ok(*record),
        Some(BoardResult::Failed(FailedBoard { error, .. })) => Err(error),
        _ => panic!("found no result"),
    }
}

fn start(board: &Board, request: &Request, after: usize, text: &str) -> Result<StartPosition, String> {
    let task = request.task(board).map_err(|error| error.to_string())?;
    let written = task.read_solution(&mut solutions(text)).map_err(|error| error.to_string())?;
    written.expect("a solution").start_after(after).map_err(|error| error.to_string())
}

/// Every engine returns the known solution or a better one, from the board and from a position within the solution.
#[test]
fn a_known_solution_is_where_the_search_starts() {
    let mut rng = rng(76);
    for round in 0..8 {
        let cells: Vec<u8> = (0..20).map(|_| rng.random_range(0..3)).collect();
        let board = Board::new("b", 4, 5, cells, usual_symbols(3), Cell::default()).unwrap();
        for base in [
            request("flood-it", StateEngine::AUTO, Goal::Clear),
            clickomania(StateEngine::AUTO, Goal::Left),
            clickomania(StateEngine::AUTO, Goal::Score),
            clickomania(StateEngine::AUTO, Goal::Clicks),
        ] {
            let first = solve(&board, &base).unwrap();
            let Some(best) = first.cost else { continue };
            let text = first.moves.join(" ") + "\n";
            for engine in clickomania_engines() {
                let request = Request { engine: engine.into(), ..base.clone() };
                let StartPosition { entry, solution: known } = start(&board, &request, 0, &text).unwrap();
                let known = known.expect("a whole solution");
                assert_eq!((known.cost, entry.board), (best, board.clone()), "{engine:?}, round {round}");
                let report = solve_from(&board, &request, Some(known)).unwrap();
                assert_eq!(report.cost, Some(best), "{engine:?}, round {round}");
                assert!(!engine.info.proves || report.status == Status::Optimal, "{engine:?}, round {round}");
            }
            if first.moves.len() > 1 {
                let StartPosition { entry, solution: known } = start(&board, &base, 1, &text).unwrap();
                let rest = solve_from(&entry.board, &base, known).unwrap();
                assert_eq!(rest.status, Status::Optimal);
                let unit = ["moves", "clicks"].contains(&first.objective.name);
                assert_eq!(
                    rest.cost,
                    Some(best - u32::from(unit)).filter(|_| unit || rest.objective.name == "left").or(rest.cost)
                );
                assert!(entry.board.name().starts_with("b after move 1"), "{}", entry.board.name());
            }
        }
    }
}

#[test]
fn what_is_no_start_is_refused() {
    let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
    let flood = request("flood-it", StateEngine::AUTO, Goal::Clear);
    for (text, after, expected) in [
        ("2 1\n", 0, "row: after 2 moves: found 1 cell left (1 of colour 3), expected none; --after N starts"),
        ("2 1 3 1\n", 0, "row: move 4"),
        ("2 1\n", 3, "row: found a solution of 2 moves, expected at least 3 for --after"),
    ] {
        let error = start(&row, &flood, after, text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(start(&row, &flood, 2, "2 1\n").unwrap().solution.is_none(), "a position alone");
    let wrong = Solution { cost: 2, moves: vec![1, 0, 2] };
    let error = solve_from(&row, &flood, Some(wrong)).unwrap_err();
    assert!(!error.is_internal() && error.to_string().contains("found 3 moves, expected 2"), "{error}");
    let text = "#O\nOO\n";
    let options = gridhunt_boards::ReadOptions { format: Some(gridhunt_boards::Format::Bunny), ..Default::default() };
    let Some(Ok(entry)) =
        gridhunt_boards::BoardReader::new("b", text.as_bytes(), options).ok().and_then(|mut reader| reader.next())
    else {
        return;
    };
    let bunny = request("bunny", EngineKind::AUTO, Goal::Clear);
    assert!(start(&entry.board, &bunny, 1, "F\n").unwrap_err().contains("--after"));
}
