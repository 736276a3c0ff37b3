//! The explorer of states says what a search has really done: against brute force, over all states of small boards.

use crate::common::{Exhaustive, board, random_board, rng};
use crate::ranks::search_on;
use gridhunt::hunt::{ChildRecord, Config, ExploreError, ExploredChild, ExploredState, Explorer, Reason, RunDir};
use gridhunt::puzzles::{ObjectiveValue, PuzzleError, Request, clickomania};
use gridhunt_boards::verify::{ClickPlay, replay_scored_clicks};
use gridhunt_boards::{Board, BoardReader, Cell, Entry, Format, Mark, ReadOptions};
use gridhunt_search::checkpoint::{CheckpointFiles, StoredRecord, inspect, look_up};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, Outcome, Snapshot, Solution, StateEngine, search_from};
use gridhunt_search::expand::{ChildView, StateSpace, StateView, awake_moves};
use gridhunt_search::runtime::{Exchange, Limits, Silent, StopReason, StopToken, Weather};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A run directory with one board.
struct Run {
    _folder: TempDir,
    path: PathBuf,
    dir: RunDir,
    board: Board,
    request: Request,
}

impl Run {
    fn new(board: Board, config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, config) = (folder.path().join("run"), Config::parse("test", config).expect("a configuration"));
        let entry = Entry { board: board.clone(), published: None };
        let dir = RunDir::create(&path, &config, std::iter::once(Ok(entry))).expect("a run directory");
        let request = Request { threads: 1, ..config.request() };
        Self { _folder: folder, path, dir, board, request }
    }

    fn explorer(&self) -> Explorer {
        Explorer::open(&self.path, 1).expect("an explorer")
    }

    /// Calls `work` with the space of the board.
    fn with_space<T>(&self, work: impl Fn(&dyn StateSpace) -> T) -> T {
        let mut result = None;
        let visited =
            self.request.domain.with_states().unwrap().with_spaces(&self.board, &self.request, &mut |spaces| {
                result = Some(work(&*spaces.space(self.request.bound.as_ref())?));
                Ok(())
            });
        visited.expect("spaces");
        result.expect("a result")
    }

    /// Goes on with the search for some expansions, on some ranks. The search takes a checkpoint at its end.
    fn search(&self, expansions: u64, ranks: usize, known: Option<&Solution>) -> Outcome {
        let engine = self.request.engine.of_states().expect("an engine of states");
        let keep = self.dir.checkpoint_config_of(1, &self.board, &self.request, &self.request);
        let search = |exchange: Option<&Exchange>| {
            let (stop, limits) = (StopToken::new(), Limits { expansions: Some(expansions), ..Limits::default() });
            let context =
                Context { threads: 1, limits, observer: &Silent, stop: &stop, checkpoints: Some(&keep), exchange };
            self.with_space(|space| {
                search_from(engine, space, &self.request.parameters, known.cloned(), &context).expect("a search")
            })
        };
        if ranks == 1 {
            return search(None);
        }
        let weather = Weather { seed: 7, delay: 2 };
        search_on((ranks, 1), weather, StateEngine::BestFirst, |setting| search(setting.exchange)).remove(0)
    }

    fn files(&self) -> CheckpointFiles {
        CheckpointFiles::unlimited(self.path.join("boards/1"), "")
    }

    /// The states that moves of the rules lead to, the nearest first, each with a shortest path.
    fn views(&self) -> Views {
        self.with_space(|space| {
            let (mut places, mut states, mut next) = (HashMap::new(), Vec::new(), VecDeque::from([Vec::new()]));
            while let Some(path) = next.pop_front() {
                let view = StateView::along(space, &path).expect("a path");
                if places.contains_key(&view.key) {
                    continue;
                }
                places.insert(view.key.clone(), states.len());
                next.extend((0..view.children.len()).map(|child| [&path[..], &[child]].concat()));
                states.push((path, view));
            }
            Views { states, places }
        })
    }
}

struct Views {
    states: Vec<(Vec<usize>, StateView)>,
    places: HashMap<Box<[u8]>, usize>,
}

impl Views {
    fn place(&self, key: &[u8]) -> usize {
        self.places[key]
    }

    /// The cost of a cheapest solution from each state on; `None` where there is none.
    fn distances(&self) -> Vec<Option<Cost>> {
        let mut distances = vec![None; self.states.len()];
        // No path visits a state twice, so this ends.
        loop {
            let before = distances.clone();
            for (place, (_, view)) in self.states.iter().enumerate() {
                let through = view
                    .children
                    .iter()
                    .filter_map(|child| distances[self.place(&child.key)].map(|left: Cost| left + child.g - view.g));
                distances[place] = through.chain(view.terminal).min();
            }
            if distances == before {
                return distances;
            }
        }
    }

    /// The costs of all paths to each state.
    fn costs_of_paths(&self) -> Vec<BTreeSet<Cost>> {
        let mut costs = vec![BTreeSet::new(); self.states.len()];
        costs[0].insert(0);
        loop {
            let before = costs.clone();
            for (place, (_, view)) in self.states.iter().enumerate() {
                for child in &view.children {
                    let through: Vec<Cost> = before[place].iter().map(|g| g + child.g - view.g).collect();
                    costs[self.place(&child.key)].extend(through);
                }
            }
            if costs == before {
                return costs;
            }
        }
    }

    /// An optimal solution, if there is one.
    fn solution(&self) -> Option<Solution> {
        let distances = self.distances();
        let (mut at, mut moves, cost) = (0, Vec::new(), distances[0]?);
        loop {
            let (_, view) = &self.states[at];
            if view.terminal == distances[at] {
                return Some(Solution { cost, moves });
            }
            let leads = |child: &&ChildView| {
                distances[self.place(&child.key)].map(|left| left + child.g - view.g) == distances[at]
            };
            let child = view.children.iter().find(leads)?;
            moves.push(child.mv);
            at = self.place(&child.key);
        }
    }
}

/// How often each reason was given, and how many states were found in which condition.
#[derive(Debug, Default)]
struct Seen {
    reasons: HashMap<String, usize>,
    expanded: usize,
    partly: usize,
    open: usize,
    not_stored: usize,
}

impl Seen {
    fn count(&self, reason: Reason) -> usize {
        self.reasons.get(&format!("{reason:?}")).copied().unwrap_or(0)
    }
}

/// Asks the explorer for all states, and compares what it says with brute force and with the checkpoint.
fn check(run: &Run, seen: &mut Seen) -> Vec<ExploredState> {
    let (views, explorer) = (run.views(), run.explorer());
    let (distances, costs) = (views.distances(), views.costs_of_paths());
    let states: Vec<_> = views.states.iter().map(|(path, _)| explorer.state(path).expect("a state")).collect();
    let inspected = inspect(&run.files()).expect("a checkpoint");
    let snapshot = Snapshot::decode(&inspected.payload).expect("a snapshot");
    let upper = snapshot.incumbent.map_or(Cost::MAX, |incumbent| incumbent.cost);
    // Every record of the checkpoint is found by its key, and nothing else.
    let keys: Vec<&[u8]> = views.states.iter().map(|(_, view)| &*view.key).collect();
    let records = look_up(&run.files(), &keys, &|_| true).expect("records").records.expect("records");
    let all: u64 = records.iter().flatten().map(|record| 1 + u64::from(record.superseded)).sum();
    assert_eq!(all, inspected.records, "{} states", states.len());
    let closed = records.iter().flatten().filter(|record| record.is_closed).count() as u64;
    assert_eq!(closed, snapshot.work.expanded - snapshot.work.reopened);
    for (place, state) in states.iter().enumerate() {
        let (view, record, distance) = (&views.states[place].1, records[place], distances[place]);
        assert_eq!(
            (state.checkpoint, state.incumbent),
            (Some(inspected.sequence), Some(upper).filter(|&u| u < Cost::MAX))
        );
        assert_eq!((state.g, state.path.len(), state.children.len()), (view.g, view.path.len(), view.children.len()));
        // A lower bound, and a goal where nothing cheaper can follow.
        assert!(state.h.is_none_or(|h| distance.is_none_or(|left| h <= left)), "{state:?}");
        assert!(state.h.is_some() || distance.is_none(), "{state:?}");
        assert!(!state.goal || view.terminal == distance, "{state:?}");
        assert_eq!(state.f, state.h.map(|h| h + state.g));
        assert_eq!(state.record, Some(kind_of(run, view, record)));
        if let Some(StoredRecord { g, h, .. }) = record {
            assert_eq!(state.stored_g.unwrap_or(state.g), g);
            assert!(costs[place].contains(&g), "{g} is the cost of a path to {state:?}");
            assert!(Some(h) <= state.h, "{state:?}");
        }
        match state.record.expect("a checkpoint") {
            ChildRecord::Expanded => seen.expanded += 1,
            ChildRecord::PartlyExpanded => seen.partly += 1,
            ChildRecord::Open => seen.open += 1,
            ChildRecord::NotStored => seen.not_stored += 1,
        }
        for (child, in_view) in state.children.iter().zip(&view.children) {
            let at = views.place(&in_view.key);
            let (other, record) = (&states[at], records[at]);
            assert_eq!((child.record, child.h, child.goal), (other.record, other.h, other.goal));
            assert_eq!(child.stored_g.unwrap_or(child.g), record.map_or(child.g, |record| record.g));
            check_reason(state, child.why, (child.index, distances[at], upper), |index| {
                distances[views.place(&view.children[index].key)].map(|left| left + view.children[index].g)
            });
            *seen.reasons.entry(child.why.map_or("none".to_owned(), |why| format!("{why:?}"))).or_default() += 1;
        }
    }
    states
}

/// What a record says about a state, by the moves that the search makes there.
fn kind_of(run: &Run, view: &StateView, record: Option<StoredRecord>) -> ChildRecord {
    let Some(record) = record else { return ChildRecord::NotStored };
    let moves = |asleep| {
        let awake = |space: &dyn StateSpace| awake_moves(&mut *space.expander(), &view.key, asleep, None).len();
        run.with_space(awake)
    };
    match record.is_closed {
        false => ChildRecord::Open,
        true if moves(record.asleep) < moves(0) => ChildRecord::PartlyExpanded,
        true => ChildRecord::Expanded,
    }
}

/// Checks the reason why a child is not stored. `cost` says what the best solution through a child costs.
fn check_reason(
    state: &ExploredState,
    why: Option<Reason>,
    (index, distance, upper): (usize, Option<Cost>, Cost),
    cost: impl Fn(usize) -> Option<Cost>,
) {
    let child = &state.children[index];
    let is_stored = child.record != Some(ChildRecord::NotStored);
    let is_closed = matches!(state.record, Some(ChildRecord::Expanded | ChildRecord::PartlyExpanded));
    match why {
        // A child of a stored state is stored, or the reason is known.
        None => assert!(is_stored || state.record == Some(ChildRecord::NotStored), "{index} of {state:?}"),
        _ if is_stored => panic!("a reason for what is stored: {index} of {state:?}"),
        Some(Reason::DeadEnd) => assert_eq!(distance, None, "{index} of {state:?}"),
        Some(Reason::NotBetter) => assert!(distance.is_none_or(|left| child.g + left >= upper), "{index} of {state:?}"),
        Some(Reason::Refuted) => {
            assert!(is_closed && distance.is_none_or(|left| child.g + left >= upper), "{index} of {state:?}");
        }
        Some(Reason::NeverMade) => {
            let all = (0..state.children.len()).filter_map(&cost).min();
            let made = state.children.iter().filter(|child| child.why != Some(Reason::NeverMade));
            assert_eq!(made.filter_map(|child| cost(child.index)).min(), all, "{index} of {state:?}");
        }
        Some(Reason::Asleep) => assert_eq!(state.record, Some(ChildRecord::PartlyExpanded), "{index} of {state:?}"),
        Some(Reason::ParentOpen) => assert_eq!(state.record, Some(ChildRecord::Open), "{index} of {state:?}"),
    }
}

/// The flood of a state, as a set of cells.
fn flood_of(state: &ExploredState) -> u64 {
    let marks = state.frame.marks.iter().enumerate();
    marks.filter(|(_, mark)| **mark != Mark::None).map(|(cell, _)| 1 << cell).sum()
}

/// Compares positions, children and distances with the rules played cell by cell.
fn check_floods(run: &Run, states: &[ExploredState]) {
    let exhaustive = Exhaustive::solve(&run.board);
    assert!(exhaustive.distance.len() > states.len(), "floods that differ in idle regions are one state");
    for (state, (_, view)) in states.iter().zip(run.views().states) {
        let (flood, mut expected) = (flood_of(state), exhaustive.root);
        for step in &state.path {
            let colour = run.board.symbols().iter().position(|symbol| *symbol == step.mv).expect("a colour");
            expected = crate::common::spread(&run.board, expected, colour as u8);
        }
        assert_eq!(flood, expected);
        // A colour that is no child floods idle regions alone: it leads no further.
        for (colour, symbol) in (0..).zip(run.board.symbols()) {
            let child = crate::common::spread(&run.board, flood, colour);
            let is_child = state.children.iter().any(|child| child.mv == *symbol);
            assert!(is_child || exhaustive.distance[&child] == exhaustive.distance[&flood], "{colour} of {state:?}");
            assert!(!is_child || child != flood, "{colour} of {state:?}");
        }
        assert_eq!(state.g as usize, state.path.len());
        assert!(state.h.expect("no dead end") <= exhaustive.distance[&flood]);
        assert_eq!((state.goal, state.stop.is_some()), (exhaustive.distance[&flood] == 0, view.terminal.is_some()));
        // The position is a board, and its optimum is what is left.
        assert_eq!(Exhaustive::solve(&state.board).optimum(), exhaustive.distance[&flood]);
    }
}

const FLOOD: &str = "engine = 'best-first'\nbound = 'layers'\n";

/// Boards of some hundred floods. The searches of these tests do not solve them, even if they know an optimal solution.
fn floods() -> impl Iterator<Item = Board> {
    [(5, 2), (6, 1), (6, 3), (6, 4), (6, 5)].into_iter().map(|(rows, seed)| random_board(&mut rng(seed), rows, 7, 5))
}

#[test]
fn what_is_said_of_floods_is_what_was_searched() {
    let mut seen = Seen::default();
    for (number, board) in floods().enumerate() {
        let run = Run::new(board, FLOOD);
        let solution = run.views().solution().expect("a solution");
        // Without an incumbent, with one, and on two ranks; each stops and goes on.
        for (known, ranks, expansions) in [(None, 1, [10, 12]), (Some(&solution), 1, [4, 4]), (None, 2, [8, 10])] {
            let run = Run::new(run.board.clone(), FLOOD);
            for expansions in expansions {
                let outcome = run.search(expansions, ranks, known);
                if outcome.stopped.is_none() {
                    break;
                }
                assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "board {number}: {:?}", outcome.failure);
                let states = check(&run, &mut seen);
                check_floods(&run, &states);
            }
        }
    }
    let Seen { expanded, partly, open, not_stored, .. } = seen;
    assert!(expanded > 50 && partly == 0 && open > 50 && not_stored > 100, "{seen:?}: too few to tell");
    for reason in [Reason::NotBetter, Reason::NeverMade, Reason::ParentOpen] {
        assert!(seen.count(reason) > 10, "{seen:?}: too few to tell");
    }
}

/// Compares positions, children and costs with the rules played cell by cell.
fn check_clicks(run: &Run, states: &[ExploredState]) {
    let clickomania::Options { rules, ref scoring, .. } = run.request.clickomania;
    let objective = run.request.domain.objective_value(&run.board, &run.request);
    for (state, (path, _)) in states.iter().zip(run.views().states) {
        assert_eq!(path.len(), state.path.len());
        let mut play = ClickPlay::new(&run.board, rules).expect("a position");
        let clicks: Vec<Cell> = state.path.iter().map(|step| cell(&step.mv)).collect();
        for (number, &cell) in (1..).zip(&clicks) {
            play.click(number, cell).expect("a click");
        }
        assert!(play.cells() == state.frame.cells && state.board.contents().eq(play.cells().iter().copied()));
        let mut groups = BTreeSet::new();
        for at in 0..play.cells().len() {
            let group = play.group_of(1, run.board.cell(at)).unwrap_or_default();
            groups.extend(group.into_iter().min());
        }
        let named = |mv: &str| play.group_of(1, cell(mv)).expect("a group").into_iter().min();
        let children: BTreeSet<_> = state.children.iter().filter_map(|child| named(&child.mv)).collect();
        assert_eq!((children.len(), children), (state.children.len(), groups));
        // What stopping costs is the value of the clicks.
        let replay = replay_scored_clicks(&run.board, rules, scoring, &clicks).expect("clicks");
        let value = match objective {
            ObjectiveValue::Score { .. } => Some(replay.score),
            ObjectiveValue::Left => Some(replay.left as i64),
            ObjectiveValue::Clicks => (replay.left == 0).then_some(clicks.len() as i64),
            _ => (replay.left == 0).then_some(0),
        };
        assert_eq!(state.stop.map(|cost| objective.value(cost)), value, "{state:?}");
    }
}

fn cell(text: &str) -> Cell {
    let (row, col) = text.split_once(',').expect("row and column");
    let index = |text: &str| text.parse::<usize>().expect("a number") - 1;
    Cell { row: index(row), col: index(col) }
}

#[test]
fn what_is_said_of_clicks_is_what_was_searched() {
    let (mut rng, mut seen) = (rng(62), Seen::default());
    for objective in ["clear", "clicks", "left", "score"] {
        for _ in 0..4 {
            let config = format!("domain = 'clickomania'\nengine = 'best-first'\nobjective = '{objective}'\n");
            let run = Run::new(random_board(&mut rng, 3, 5, 3), &config);
            let solution = run.views().solution();
            for known in [None, solution.as_ref()] {
                let run = Run::new(run.board.clone(), &config);
                for expansions in [2, 5, 12, 30] {
                    if run.search(expansions, 1, known).stopped.is_none() {
                        break;
                    }
                    let states = check(&run, &mut seen);
                    check_clicks(&run, &states);
                }
            }
        }
    }
    assert!(seen.expanded + seen.partly > 20 && seen.open > 20, "{seen:?}: too few to tell");
    // Floods have no sleep sets: what is said of moves that sleep is tried here alone.
    assert!(seen.count(Reason::Asleep) > 0 && seen.partly > 20, "{seen:?}: too few to tell");
}

/// A path that is longer than the cheapest one leads to the same record.
#[test]
fn a_record_says_what_the_cheapest_path_costs() {
    let run = Run::new(floods().next().expect("a board"), FLOOD);
    assert_eq!(run.search(12, 1, None).stopped, Some(StopReason::ExpansionLimit));
    let (views, explorer, mut longer) = (run.views(), run.explorer(), 0);
    for (path, view) in &views.states {
        for (index, child) in view.children.iter().enumerate() {
            let at = views.place(&child.key);
            let short = explorer.state(&views.states[at].0).expect("a state");
            if child.g == short.g || short.record == Some(ChildRecord::NotStored) {
                continue;
            }
            let long = explorer.state(&[&path[..], &[index]].concat()).expect("a state");
            assert_eq!((long.g, long.h, long.record), (child.g, short.h, short.record));
            assert_eq!(long.stored_g.unwrap_or(long.g), short.stored_g.unwrap_or(short.g));
            longer += 1;
        }
    }
    assert!(longer > 10, "{longer} longer paths: too few to tell");
}

#[test]
fn without_records_nothing_is_said_of_them() {
    let unknown = |state: &ExploredState| {
        let is_silent = |child: &ExploredChild| (child.record, child.why, child.stored_g);
        let is_none = state.children.iter().map(is_silent).all(|said| said == (None, None, None));
        is_none && (state.checkpoint, state.record, state.stored_g) == (None, None, None) && !state.children.is_empty()
    };
    // No checkpoint yet; then one of IDA*, which stores no states.
    let large = random_board(&mut rng(63), 14, 14, 6);
    let run = Run::new(large, "engine = 'ida'\nbound = 'layers'\n");
    let explorer = run.explorer();
    assert!(unknown(&explorer.state(&[]).expect("a state")));
    let outcome = run.search(1_000, 1, None);
    assert_eq!((outcome.stopped, inspect(&run.files()).is_ok()), (Some(StopReason::ExpansionLimit), true));
    assert!(unknown(&explorer.state(&[0]).expect("a state")));
    // The same explorer finds a checkpoint that comes later, and sees when it is gone.
    let run = Run::new(floods().next().expect("a board"), FLOOD);
    let explorer = run.explorer();
    assert!(unknown(&explorer.state(&[]).expect("a state")));
    for (sequence, expansions) in [(1, 5), (2, 9)] {
        run.search(expansions, 1, None);
        let state = explorer.state(&[]).expect("a state");
        assert_eq!((state.checkpoint, state.record), (Some(sequence), Some(ChildRecord::Expanded)));
    }
    run.dir.forget(&run.dir.checkpoint_config_of(1, &run.board, &run.request, &run.request)).expect("no checkpoint");
    assert!(unknown(&explorer.state(&[]).expect("a state")));
}

/// The newest generation is damaged: the records are those of the one before.
#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let run = Run::new(floods().next().expect("a board"), FLOOD);
    for expansions in [5, 9] {
        let outcome = run.search(expansions, 1, None);
        assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{:?}", outcome.failure);
    }
    let (mut seen, explorer) = (Seen::default(), run.explorer());
    assert_eq!(explorer.state(&[]).expect("a state").checkpoint, Some(2));
    let manifest = run.path.join("boards/1/manifest-a");
    let mut bytes = std::fs::read(&manifest).expect("a manifest");
    *bytes.last_mut().expect("bytes") ^= 1;
    std::fs::write(&manifest, bytes).expect("a file");
    assert_eq!(explorer.state(&[]).expect("a state").checkpoint, Some(1));
    check(&run, &mut seen);
}

#[test]
fn wrong_questions_are_refused() {
    let run = Run::new(floods().next().expect("a board"), FLOOD);
    let explorer = run.explorer();
    let no_child = explorer.state(&[0, 99]).expect_err("no such child");
    assert!(
        no_child.to_string().starts_with("move 2 of the path: found child 99, expected a number below"),
        "{no_child}"
    );
    let long = explorer.state(&[0; 10_001]).expect_err("too long");
    assert_eq!(long.to_string(), "found a path of 10001 moves, expected at most 10000");
    assert!(no_child.is_wrong_question() && long.is_wrong_question());
    let no_board = Explorer::open(&run.path, 2).expect_err("no such board");
    assert!(matches!(no_board, ExploreError::Run(_)) && no_board.is_wrong_question(), "{no_board}");
    assert!(matches!(Explorer::open(&run.path.join("boards"), 1), Err(ExploreError::Run(_))));
    // Reading has a limit of time.
    run.search(5, 1, None);
    let explorer = Explorer::open_within(&run.path, 1, Duration::ZERO).expect("an explorer");
    let late = explorer.state(&[]).expect_err("no time");
    assert!(matches!(late, ExploreError::Late { .. }) && !late.is_wrong_question(), "{late}");
    assert!(late.to_string().starts_with("reading the checkpoint took longer than 0s"), "{late}");
}

/// Programs have no states.
#[test]
fn a_program_is_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/bunny/spiral-7x7-01.txt");
    let options = ReadOptions { default_format: Some(Format::Bunny), ..ReadOptions::default() };
    let mut boards = BoardReader::open(path, options).expect("a file");
    let run = Run::new(boards.next().expect("a board").expect("a board").board, "domain = 'bunny'\n");
    let error = Explorer::open(&run.path, 1).expect_err("no states");
    let is_refused = matches!(error, ExploreError::Puzzle(PuzzleError::NoStates { .. })) && error.is_wrong_question();
    assert!(is_refused, "{error}");
    assert_eq!(
        error.to_string(),
        "found the domain bunny, whose solutions are programs, expected one with states: flood-it, clickomania"
    );
}

/// The JSON has the fields that pages read.
#[test]
fn a_state_is_written_as_pages_read_it() {
    let row = board(1, 4, 3, vec![0, 1, 0, 2], Cell::default());
    let run = Run::new(row, FLOOD);
    let state = run.explorer().state(&[0]).expect("a state");
    assert_eq!(
        serde_json::to_value(&state).expect("JSON"),
        serde_json::json!({
            "path": [{ "move": "2", "g": 1 }],
            "g": 1, "h": 2, "f": 3, "goal": false,
            "children": [{ "index": 0, "move": "1", "g": 2, "h": 1, "f": 3, "goal": false }],
        })
    );
    let run = Run::new(floods().next().expect("a board"), FLOOD);
    let solution = run.views().solution().expect("a solution");
    run.search(5, 1, Some(&solution));
    let explorer = run.explorer();
    let start = explorer.state(&[]).expect("a state");
    assert_eq!(start.frame.caption.split(',').next(), Some("0 moves"));
    let text = serde_json::to_value(&start).expect("JSON");
    let cost = serde_json::Value::from(solution.cost);
    assert_eq!((&text["checkpoint"], &text["record"], &text["incumbent"]), (&1.into(), &"expanded".into(), &cost));
    let states = run.views().states.into_iter().map(|(path, _)| explorer.state(&path).expect("a state"));
    let json = |state: ExploredState| serde_json::to_value(&state.children).expect("JSON");
    let children = states.map(json).flat_map(|children| children.as_array().expect("a list").clone());
    let refused = children.filter(|child| child["why"] == "no better than the best solution");
    let refused: Vec<_> = refused.map(|child| child["record"].clone()).collect();
    assert!(!refused.is_empty() && refused.iter().all(|record| record == "not stored"));
}
