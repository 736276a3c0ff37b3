//! Clickomania: every engine against the exact cost of every state, for each variant and objective.

use crate::common::{Setting, board, clickomania_engines, is_long, random_board, rng, without_limits};
use crate::engines::Engines;
use gridhunt::hunt::Request;
use gridhunt::hunt::solve_board;
use gridhunt::puzzles::{OptionValues, PuzzleId};
use gridhunt_boards::{
    Board, BoardReader, Cell, Corner, EMPTY, Format, GenerateSpec, ReadOptions, Start, generate, write_board,
};
use gridhunt_clickomania::replay::{ClickError, ClickPlay, replay_clicks, verify_clicks};
use gridhunt_clickomania::{
    Column, Game, GameBound, GameBoundKind, Options, Refusal, Visitor, check_fallen, with_game,
};
use gridhunt_clickomania::{Columns, Goal, Rules, Scoring};
use gridhunt_search::domain::Domain;
use gridhunt_search::engine::{Outcome, Parameters, StateEngine, Status, search, solve_all};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// States of a board that are solved without any bound, at most.
const MOST: usize = 20_000;

/// The least loss, if there is a way; `None` when there are too many states.
struct Truth;

impl Visitor for Truth {
    type Output = Option<Option<u32>>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let problem = Problem::new(game, GameBound::best(game));
        solve_all(&problem, MOST, &without_limits(1, &StopToken::new())).map(|states| states[0].cost_to_go)
    }
}

/// The least loss on a board of few states, `Some(None)` where there is no way.
pub fn truth(board: &Board, rules: Rules, objective: Goal) -> Option<Option<u32>> {
    with_game(board, rules, objective, Truth).expect("not too large")
}

struct Run<'a> {
    board: &'a Board,
    setting: Setting<'a>,
}

impl Visitor for Run<'_> {
    type Output = Outcome;

    /// Replays what is found.
    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Outcome {
        let outcome = self.setting.search(game, GameBound::best(game));
        if let Some(solution) = &outcome.incumbent {
            let clicks = game.clicks(&solution.moves);
            assert_eq!(clicks.len(), solution.moves.len());
            let objective = game.objective();
            let claimed = match objective {
                Goal::Score => game.ceiling().expect("a score") as u32 - solution.cost,
                _ => solution.cost,
            };
            let rules = (game.rules(), objective, &Scoring::default());
            verify_clicks(self.board, rules, &clicks, Some(claimed.into())).expect("a solution");
        }
        outcome
    }
}

/// What is found and proven; solutions are replayed.
pub fn run(board: &Board, rules: Rules, objective: Goal, setting: Setting<'_>) -> Outcome {
    with_game(board, rules, objective, Run { board, setting }).expect("not too large")
}

fn variants() -> impl Iterator<Item = Rules> {
    let corners = Corner::ALL.into_iter().cycle();
    let columns = [Columns::Close, Columns::Stay].into_iter().cycle();
    (1..=3).flat_map(|min_group| [min_group; 2]).zip(columns).zip(corners).map(|((min_group, columns), corner)| Rules {
        min_group,
        columns,
        corner,
    })
}

#[test]
fn every_engine_agrees_with_all_states() {
    let mut rng = rng(41);
    let (mut solved, mut unsolvable) = (0, 0);
    for rules in variants() {
        for objective in Goal::ALL {
            for _ in 0..if is_long() { 8 } else { 4 } {
                let rows = rng.random_range(1..=4);
                // Wide ones too: clicks that are far apart go in one order only.
                let cols = rng.random_range(1..=12 / rows + 1);
                let colours = rng.random_range(2..=4);
                let board = random_board(&mut rng, rows, cols, colours);
                let Some(truth) = truth(&board, rules, objective) else { continue };
                for engine in clickomania_engines() {
                    for threads in [1, 2, 8] {
                        let outcome = run(&board, rules, objective, Setting::new(engine, threads));
                        let context =
                            format!("{} on {threads} threads, {objective}, {rules:?}: {board:?}", engine.info.name);
                        assert!(outcome.lower_bound <= truth.unwrap_or(u32::MAX), "{context}");
                        if engine.info.proves {
                            let cost = outcome.incumbent.as_ref().map(|solution| solution.cost);
                            assert_eq!(cost, truth, "{context}");
                            let expected = if truth.is_some() { Status::Optimal } else { Status::Unsolvable };
                            assert_eq!(outcome.status(), expected, "{context}");
                        }
                    }
                }
                *if truth.is_some() { &mut solved } else { &mut unsolvable } += 1;
            }
        }
    }
    assert!(solved > 40 && unsolvable > 10, "{solved} solved, {unsolvable} unsolvable: one-sided");
}

/// What each bound proves, from the weakest on.
struct OfEachBound;

impl Visitor for OfEachBound {
    type Output = Vec<(GameBoundKind, Outcome)>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let setting = Setting::new(StateEngine::AUTO, 1);
        let known = GameBoundKind::ALL.into_iter().filter_map(|kind| Some((kind, GameBound::new(game, kind)?)));
        known.map(|(kind, bound)| (kind, setting.search(game, bound))).collect()
    }
}

#[test]
fn every_bound_proves_the_same_fewest_clicks() {
    let mut rng = rng(58);
    let mut expanded = [0; 2];
    for rules in variants() {
        for (rows, cols, colours) in [(6, 5, 3), (5, 7, 4), (9, 3, 4)] {
            let board = random_board(&mut rng, rows, cols, colours);
            let outcomes = with_game(&board, rules, Goal::Clicks, OfEachBound).expect("not too large");
            let (_, of_colours) = &outcomes[0];
            for (kind, outcome) in &outcomes {
                let context = format!("{}, {rules:?}, {board:?}", kind.name());
                assert_eq!(
                    (outcome.status(), outcome.lower_bound),
                    (of_colours.status(), of_colours.lower_bound),
                    "{context}"
                );
                let counted = match kind {
                    GameBoundKind::OneClick => 0,
                    GameBoundKind::FirstClick => 1,
                    _ => continue,
                };
                expanded[counted] += outcome.statistics.expanded;
            }
        }
    }
    assert!(expanded[1] < expanded[0], "a look ahead spares states: {expanded:?}");
}

/// Clicks at random; gives them with the least loss from there on, `None` when there are too many states.
struct Begin<'a>(&'a mut ChaCha8Rng);

impl Visitor for Begin<'_> {
    type Output = Option<(Vec<Cell>, Option<u32>)>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let states =
            solve_all(&Problem::new(game, GameBound::best(game)), MOST, &without_limits(1, &StopToken::new()))?;
        let mut state = game.root();
        let (mut at, mut moves, mut children) = (0, Vec::new(), Vec::new());
        for _ in 0..self.0.random_range(1..=4) {
            children.clear();
            game.unpack(&states[at].key, &mut state);
            game.successors(&state, 0, &mut children);
            if children.is_empty() {
                break;
            }
            let child = self.0.random_range(0..children.len());
            moves.push(children[child].mv);
            at = states[at].children[child].0;
        }
        Some((game.clicks(&moves), states[at].cost_to_go))
    }
}

/// The board after some clicks.
fn after(board: &Board, rules: Rules, clicks: &[Cell]) -> Option<Board> {
    let mut play = ClickPlay::new(board, rules).expect("a full board");
    for (number, &cell) in (1..).zip(clicks) {
        play.click(number, cell).expect("a group");
    }
    let cells = play.cells().iter().map(|cell| cell.unwrap_or(EMPTY)).collect();
    Board::new("played", board.rows(), board.cols(), cells, board.symbols().to_vec(), Cell::default()).ok()
}

/// A game that has begun goes through every format and is solved like the state that it was.
#[test]
fn boards_with_empty_cells_are_solved_from_there() {
    let mut rng = rng(47);
    let (mut compared, mut with_empty_columns) = (0, 0);
    for rules in variants() {
        for objective in Goal::ALL.into_iter().cycle().take(16) {
            let (rows, cols) = (rng.random_range(2..=4), rng.random_range(2..=4));
            let board = random_board(&mut rng, rows, cols, 3);
            let begun = with_game(&board, rules, objective, Begin(&mut rng)).expect("a full board");
            let Some((clicks, least)) = begun else { continue };
            let Some(played) = after(&board, rules, &clicks).filter(Board::has_empty) else { continue };
            let check = |board: &Board, read_from: &str| {
                let outcome = run(board, rules, objective, Setting::new(StateEngine::AUTO, 1));
                let cost = outcome.incumbent.as_ref().map(|solution| solution.cost);
                let expected = (least, if least.is_some() { Status::Optimal } else { Status::Unsolvable });
                assert_eq!((cost, outcome.status()), expected, "{objective}, {read_from}, {rules:?}: {played:?}");
            };
            check(&played, "as it is");
            let is_cleared = played.contents().all(|cell| cell.is_none());
            for format in
                Format::ALL.into_iter().filter(|format| *format != Format::Bunny && format.is_writable() && !is_cleared)
            {
                let mut text = Vec::new();
                write_board(&played, format, &mut text).expect("a board that every format holds");
                let options = ReadOptions { format: Some(format), size: Some((rows, cols)), ..ReadOptions::default() };
                let mut reader = BoardReader::new("played", &text[..], options).expect("a format");
                let read = reader.next().expect("a board").expect("a sound board").board;
                check(&read, format.name());
            }
            compared += 1;
            let is_empty = |col: usize| played.contents().skip(col).step_by(cols).all(|cell| cell.is_none());
            with_empty_columns += u32::from((0..cols).any(is_empty));
        }
    }
    assert!(compared > 25 && with_empty_columns > 3, "{compared}, {with_empty_columns} with empty columns: too few");
}

/// The cells of a board when everything has fallen and closed up.
fn at_rest(board: &Board, rules: Rules) -> Vec<Option<u8>> {
    let (rows, cols) = (board.rows(), board.cols());
    let cells: Vec<_> = board.contents().collect();
    let mut columns: Vec<Vec<Option<u8>>> = (0..cols)
        .map(|col| {
            let mut column: Vec<_> = cells.iter().copied().skip(col).step_by(cols).collect();
            column.sort_by_key(|cell| cell.is_some() != rules.corner.is_top());
            column
        })
        .collect();
    if rules.columns == Columns::Close {
        columns.sort_by_key(|column| column.iter().any(Option::is_some) == rules.corner.is_right());
    }
    (0..rows * cols).map(|at| columns[at % cols][at / cols]).collect()
}

/// What would move before the first click is refused by the game and by the replay, each by its own code, at the same
/// cell.
#[test]
fn only_boards_at_rest_are_played() {
    let mut rng = rng(48);
    let (mut fallen, mut hanging, mut apart) = (0, 0, 0);
    for round in 0..20_000 {
        let (rows, cols) = (rng.random_range(1..=3), rng.random_range(1..=4));
        let mut cells: Vec<_> = (0..rows * cols).map(|_| [0, 1, EMPTY][rng.random_range(0..3)]).collect();
        cells[0] = if cells.iter().all(|&cell| cell == EMPTY) { 0 } else { cells[0] };
        let board = board(rows, cols, 2, cells, Cell::default());
        let (corner, columns) = (Corner::ALL[round % 4], Columns::ALL[round / 4 % 2]);
        let rules = Rules { corner, columns, ..Rules::default() };
        let rests = at_rest(&board, rules) == board.contents().collect::<Vec<_>>();
        match (check_fallen(&board, rules), replay_clicks(&board, rules, &Scoring::default(), &[])) {
            (Ok(()), Ok(_)) if rests => fallen += 1,
            (Err(Refusal::Hanging { cell, .. }), Err(ClickError::Hanging(other))) if !rests => {
                assert_eq!(cell, other, "{rules:?}: {board:?}");
                hanging += 1;
            }
            (Err(Refusal::Unclosed { cell, .. }), Err(ClickError::Unclosed(other))) if !rests => {
                assert_eq!(cell, other, "{rules:?}: {board:?}");
                apart += 1;
            }
            other => panic!("{other:?}, {rules:?}: {board:?}"),
        }
        assert_eq!(with_game(&board, rules, Goal::Left, Truth).is_ok(), rests);
    }
    assert!(fallen > 1_000 && hanging > 1_000 && apart > 200, "{fallen} fallen, {hanging} hanging, {apart} apart");
}

/// A beam that clears a board makes the same states on any number of threads, and finds its way there.
#[test]
fn beams_for_clearing_do_not_depend_on_threads() {
    let mut rng = rng(49);
    let mut cleared = 0;
    for _ in 0..6 {
        let board = random_board(&mut rng, 9, 9, 4);
        let of = |threads| {
            let outcome = run(&board, Rules::default(), Goal::Clear, Setting::new(StateEngine::BEAM, threads));
            assert_eq!(outcome.statistics.evaluated, 0, "no lower bound is needed");
            (outcome.incumbent.is_some(), outcome.statistics.expanded, outcome.statistics.generated)
        };
        let alone = of(1);
        assert!((2..5).all(|threads| of(threads) == alone), "{board:?}");
        cleared += u32::from(alone.0);
    }
    assert!((1..=6).contains(&cleared), "{cleared} cleared");
}

/// Beams that find nothing leave half of the work to best-first search where states have few children.
#[test]
fn what_cannot_be_cleared_is_proven_beside_the_beams() {
    let spec = GenerateSpec { rows: 5, cols: 9, colours: 4, seed: 4, start: Start::TopLeft };
    let board = generate(&spec, 0).expect("a sound size");
    for objective in [Goal::Clear, Goal::Clicks] {
        let expanded = |engine| {
            let outcome = run(&board, Rules::default(), objective, Setting::new(engine, 1));
            assert_eq!(outcome.status(), Status::Unsolvable, "{objective:?}");
            outcome.statistics.expanded
        };
        let (alone, beside) = (expanded(StateEngine::BEST_FIRST), expanded(StateEngine::AUTO));
        assert!(alone > 10_000 && beside < 3 * alone, "{alone} alone, {beside} beside beams");
    }
}

/// Memory for some hundred states: `auto` goes on without, also while no beam has found a solution.
#[test]
fn auto_goes_on_where_memory_ends() {
    let mut rng = rng(43);
    let (mut went_on, mut unsolvable) = (0, 0);
    for _ in 0..30 {
        let board = random_board(&mut rng, 5, 5, 4);
        let Some(truth) = truth(&board, Rules::default(), Goal::Clear) else { continue };
        let observer = Engines::default();
        let limits = Limits { memory: Some(30_000), ..Limits::default() };
        let setting = Setting { limits, observer: &observer, ..Setting::new(StateEngine::AUTO, 2) };
        let outcome = run(&board, Rules::default(), Goal::Clear, setting);
        assert_eq!(outcome.stopped, None, "{board:?}");
        assert_eq!(outcome.incumbent.as_ref().map(|solution| solution.cost), truth, "{board:?}");
        went_on += u32::from(observer.0.into_inner().expect("no panic before").contains(&"ida".to_owned()));
        unsolvable += u32::from(outcome.status() == Status::Unsolvable);
    }
    assert!(went_on > 0 && unsolvable > 5, "{went_on} went on, {unsolvable} unsolvable");
}

/// An engine's solution for a high score: the score, the clicks, and the states that were generated.
struct Scored<'a> {
    board: &'a Board,
    engine: StateEngine,
    parameters: Parameters,
    threads: usize,
}

impl Visitor for Scored<'_> {
    type Output = (u32, Vec<u16>, u64);

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let stop = StopToken::new();
        let context = without_limits(self.threads, &stop);
        let problem = Problem::new(game, GameBound::best(game));
        let outcome = search(self.engine, &problem, &self.parameters, None, &context).expect("nothing is kept");
        let solution = outcome.incumbent.expect("any way scores");
        let score = game.ceiling().expect("a score") as u32 - solution.cost;
        let clicks = game.clicks(&solution.moves);
        let rules = (game.rules(), game.objective(), &Scoring::default());
        verify_clicks(self.board, rules, &clicks, Some(score.into())).expect("a solution");
        (score, solution.moves, outcome.statistics.generated)
    }
}

/// The same seed gives the same; changes make paths better, and the score does not depend on the threads.
#[test]
fn annealing_finds_high_scores() {
    let mut rng = rng(44);
    let (mut annealed, mut drawn) = (0, 0);
    for round in 1..=3 {
        let board = random_board(&mut rng, 13, 13, 5);
        let play = |anneal_rounds, anneal_changes, anneal_seed, threads| {
            let parameters = Parameters { anneal_rounds, anneal_changes, anneal_seed, ..Parameters::default() };
            let scored = Scored { board: &board, engine: StateEngine::ANNEAL, parameters, threads };
            with_game(&board, Rules::default(), Goal::Score, scored).expect("not too large")
        };
        let best = play(3, 1_000, round, 1);
        assert_eq!(best, play(3, 1_000, round, 1), "round {round}");
        assert_ne!(best.1, play(3, 1_000, round + 100, 1).1, "round {round}");
        assert_eq!(best.0, play(3, 1_000, round, 2).0, "round {round}");
        annealed += best.0;
        // Random paths that are hardly changed.
        drawn += play(30, 1, round, 1).0;
    }
    assert!(annealed * 10 > drawn * 12, "{annealed} annealed, {drawn} drawn");
}

/// Each change that plays a path counts as generated, also in a round of fewer changes than there are between two looks
/// at the limits.
#[test]
fn every_change_is_counted() {
    let board = random_board(&mut rng(51), 9, 9, 4);
    let generated = |anneal_changes: usize| {
        let parameters = Parameters { anneal_rounds: 1, anneal_changes, ..Parameters::default() };
        let scored = Scored { board: &board, engine: StateEngine::ANNEAL, parameters, threads: 1 };
        with_game(&board, Rules::default(), Goal::Score, scored).expect("not too large").2
    };
    for changes in [20_usize, 100] {
        // Some moves would stay where they are.
        let counted = generated(changes);
        assert!((changes as u64 / 2..=changes as u64).contains(&counted), "{counted} of {changes}");
    }
}

/// Beams that look for a clear serve other objectives: a board without cells has none left, and its clicks are an upper
/// limit of the fewest.
#[test]
fn other_objectives_begin_with_a_clear() {
    let domain: PuzzleId = "clickomania".parse().expect("a puzzle");
    let mut rng = rng(61);
    for _ in 0..if is_long() { 4 } else { 1 } {
        let board = random_board(&mut rng, 10, 10, 5);
        let limits = Limits { expansions: Some(200_000), ..Limits::default() };
        let solve = |goal| {
            let options = OptionValues::from(&Options { goal, ..Options::default() });
            let request = Request { domain, options, limits, threads: 1, ..Request::default() };
            solve_board(&board, &request, &Silent, &StopToken::new()).expect("a sound board")
        };
        let clear = solve(Goal::Clear);
        assert_eq!(clear.status, Status::Optimal, "{board:?}");
        assert_eq!(solve(Goal::Left).cost, Some(0), "{board:?}");
        let clicks = solve(Goal::Clicks).cost.expect("a solution");
        assert!(clicks as usize <= clear.moves.len(), "{board:?}");
    }
}

/// By its staged estimate on the score a narrow beam does better than any random path.
#[test]
fn beams_find_high_scores() {
    let mut rng = rng(46);
    let (mut beams, mut drawn) = (0, 0);
    for _ in 0..3 {
        let board = random_board(&mut rng, 13, 13, 5);
        let solve = |engine, threads| {
            let parameters =
                Parameters { beam_width: 10, anneal_rounds: 18, anneal_changes: 1, ..Parameters::default() };
            let scored = Scored { board: &board, engine, parameters, threads };
            with_game(&board, Rules::default(), Goal::Score, scored).expect("not too large").0
        };
        let beam = solve(StateEngine::BEAM, 1);
        assert_eq!(beam, solve(StateEngine::BEAM, 3), "threads change nothing");
        beams += beam;
        drawn += solve(StateEngine::ANNEAL, 1);
    }
    assert!(beams > drawn, "{beams} by beams, {drawn} by random paths");
}

/// The states of a path count as memory; a limit on that leaves the first path.
#[test]
fn annealed_paths_are_held_in_memory() {
    let board = random_board(&mut rng(45), 10, 10, 5);
    let play = |memory| {
        let limits = Limits { memory, ..Limits::default() };
        run(&board, Rules::default(), Goal::Score, Setting { limits, ..Setting::new(StateEngine::ANNEAL, 2) })
    };
    let (free, limited) = (play(None), play(Some(4_096)));
    assert_eq!((free.stopped, limited.stopped), (None, Some(StopReason::MemoryLimit)));
    assert!(free.statistics.peak_bytes > 4_096 && limited.incumbent.is_some());
    assert!(limited.statistics.expanded < free.statistics.expanded);
}

/// A session on one thread expands as many states as its limit says, whatever batches and layers the engine has.
#[test]
fn one_thread_expands_exactly_what_the_limit_allows() {
    let board = random_board(&mut rng(62), 12, 12, 6);
    for objective in [Goal::Clear, Goal::Clicks, Goal::Left] {
        for engine in clickomania_engines() {
            for limit in [1, 7, 100, 1_000] {
                let limits = Limits { expansions: Some(limit), ..Limits::default() };
                let outcome = run(&board, Rules::default(), objective, Setting { limits, ..Setting::new(engine, 1) });
                let expanded = outcome.statistics.expanded;
                if outcome.stopped == Some(StopReason::ExpansionLimit) {
                    assert_eq!(expanded, limit, "{}, {objective}", engine.info.name);
                } else {
                    assert!(outcome.stopped.is_none() && expanded < limit, "{}, {objective}", engine.info.name);
                }
            }
        }
    }
}
