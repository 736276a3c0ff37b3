//! Boards dealt out to ranks: the results of one process, in the same order, in any weather.

use crate::common::{random_board, rng};
use gridhunt::hunt::{
    Audience, Batch, BatchError, Beginning, BoardResult, Config, HuntError, Parallel, Ranks, RunDir, dismiss, follow,
};
use gridhunt::report::RunLog;
use gridhunt_boards::{Board, BoardReader, Entry, ReadOptions};
use gridhunt_search::runtime::{Crowd, Event, Exchange, Observer, Silent, StopReason, StopToken, Weather};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

type Boards<'a> = &'a [Board];

fn entries(boards: Boards<'_>) -> impl Iterator<Item = Result<Entry, HuntError>> {
    boards.iter().map(|board| Ok(Entry { board: board.clone(), published: Some(7) }))
}

/// The board's number, and what its report says, without times and memory.
fn told(result: BoardResult) -> String {
    match result {
        BoardResult::Report { report, unrecorded: None } => {
            let (outcome, statistics) = (&report.outcome, &report.outcome.statistics);
            format!(
                "{} {}: {:?} {:?} {} {:?} {:?} expanded {} threads {} ranks {} published {:?}",
                report.number,
                report.board,
                report.status(),
                outcome.stopped,
                outcome.lower_bound,
                report.moves,
                statistics.layers,
                statistics.expanded,
                report.threads,
                report.ranks,
                report.published,
            )
        }
        BoardResult::Report { unrecorded, .. } => format!("unrecorded: {unrecorded:?}"),
        BoardResult::Failed(failed) => format!("{}: {}", failed.number, failed.error),
        BoardResult::NotBegun { number, .. } => format!("{number}: not begun"),
    }
}

/// The settings of a batch on ranks.
struct Setting<'a> {
    config: &'a str,
    /// The configuration that the other ranks get.
    theirs: &'a str,
    weather: Weather,
    /// The rank that a signal has asked to stop.
    stopped: Option<usize>,
    audience: &'a dyn Audience,
    run: Option<&'a RunDir>,
}

impl<'a> Setting<'a> {
    fn new(config: &'a str) -> Self {
        Self { config, theirs: config, weather: Weather::default(), stopped: None, audience: &Silent, run: None }
    }

    /// Runs a batch on the leader of an exchange, or on one process.
    fn run_on(&self, exchange: Option<&Exchange>, parallel: Parallel, boards: Boards<'_>) -> Vec<String> {
        let config = Config::parse("test", self.config).expect("a configuration");
        let (request, mut results) = (config.request(), Vec::new());
        let stop = &self.token(0);
        let batch = Batch {
            request: &request,
            parallel,
            audience: self.audience,
            stop,
            run: self.run,
            strict: false,
            names_rest: true,
            ranks: exchange.map(|exchange| Ranks { exchange, config: self.theirs }),
        };
        let ended: Result<(), BatchError<()>> = batch.run(entries(boards), |result| {
            results.push(told(result));
            Ok(())
        });
        ended.expect("no error");
        results
    }

    fn token(&self, rank: usize) -> StopToken {
        let stop = StopToken::new();
        if self.stopped == Some(rank) {
            stop.stop(StopReason::Interrupted);
        }
        stop
    }

    /// Deals boards out to a crowd of ranks; then all ranks search the first board together.
    fn deal(&self, ranks: usize, boards: Boards<'_>) -> (Vec<String>, Vec<String>) {
        let exchanges: Vec<_> = Crowd::gather(ranks, self.weather).into_iter().map(Exchange::new).collect();
        std::thread::scope(|scope| {
            for exchange in &exchanges[1..] {
                scope.spawn(|| follow(exchange, &self.token(exchange.rank())).expect("orders that can be carried out"));
            }
            let dealt = self.run_on(Some(&exchanges[0]), Parallel::Boards, boards);
            let without_run = Setting { run: None, audience: &Silent, theirs: self.config, ..*self };
            let together = without_run.run_on(Some(&exchanges[0]), Parallel::Search, &boards[..1]);
            dismiss(&exchanges[0]);
            (dealt, together)
        })
    }
}

fn floods(count: usize) -> Vec<Board> {
    let mut rng = rng(91);
    (0..count).map(|_| random_board(&mut rng, 6, 6, 4)).collect()
}

fn bunnies() -> Vec<Board> {
    let text = "S##\n.##\n###\n\nS#.\n###\n\nS####\n";
    let options = ReadOptions { format: Some("bunny".parse().expect("a format")), ..ReadOptions::default() };
    BoardReader::new("bunny", text.as_bytes(), options)
        .expect("boards")
        .map(|entry| entry.expect("a board").board)
        .collect()
}

#[test]
fn boards_of_every_kind_are_dealt_out_and_reported_in_order() {
    let (floods, bunnies) = (floods(9), bunnies());
    let cases: [(&str, Boards<'_>); 5] = [
        ("engine = 'best-first'", &floods),
        ("", &floods),
        ("domain = 'clickomania'\nobjective = 'left'\nengine = 'anneal'\nexpansions = 300", &floods[..5]),
        ("engine = 'beam'", &floods[..5]),
        ("domain = 'bunny'", &bunnies),
    ];
    for (seed, (config, boards)) in (0..).zip(cases) {
        let config = &format!("threads = 2\n{config}");
        let setting = Setting { weather: Weather { seed, delay: 3 * (seed % 2) as u32 }, ..Setting::new(config) };
        let alone = setting.run_on(None, Parallel::Boards, boards);
        assert_eq!(alone.len(), boards.len());
        for ranks in [2, 3] {
            let (dealt, together) = setting.deal(ranks, boards);
            assert_eq!(dealt, alone, "{config}, {ranks} ranks");
            assert_eq!(together.len(), 1, "no parcel is left over for a later search");
        }
    }
}

/// What the audience of a batch hears of each board.
#[derive(Default)]
struct Heard(Mutex<BTreeSet<(usize, &'static str)>>);

struct HeardOf<'a> {
    all: &'a Heard,
    number: usize,
}

impl Observer for HeardOf<'_> {
    fn observe(&self, event: &Event<'_>) {
        let what = match event {
            Event::LowerBound(_) => "lower bound",
            Event::Incumbent { .. } => "incumbent",
            _ => return,
        };
        self.all.0.lock().unwrap().insert((self.number, what));
    }
}

impl Observer for Heard {
    fn observe(&self, _: &Event<'_>) {}
}

impl Audience for Heard {
    fn begin_beside<'a>(&'a self, board: &'a Beginning<'_>) -> Box<dyn Observer + 'a> {
        Box::new(HeardOf { all: self, number: board.number })
    }
}

#[test]
fn events_and_limits_reach_the_other_ranks_and_come_back() {
    let (boards, heard) = (floods(6), Heard::default());
    let setting = Setting { audience: &heard, ..Setting::new("threads = 1\nengine = 'best-first'") };
    setting.deal(3, &boards);
    let expected = (1..=6).flat_map(|number| [(number, "incumbent"), (number, "lower bound")]).collect();
    assert_eq!(*heard.0.lock().unwrap(), expected);
    let limited = Setting::new("threads = 1\nengine = 'best-first'\nexpansions = 1").deal(3, &boards).0;
    assert!(limited.iter().all(|told| told.contains("Some(ExpansionLimit)")), "{limited:#?}");
}

#[test]
fn a_rank_that_is_asked_to_stop_stops_all() {
    let mut rng = rng(92);
    // No search of these ends by itself within a test.
    let boards: Vec<_> = (0..9).map(|_| random_board(&mut rng, 30, 30, 8)).collect();
    for (stopped, delay) in [(0, 0), (1, 0), (2, 4)] {
        let weather = Weather { seed: 1, delay };
        let config = "threads = 1\nengine = 'best-first'\nbound = 'elimination'";
        let setting = Setting { weather, stopped: Some(stopped), ..Setting::new(config) };
        let (dealt, _) = setting.deal(3, &boards);
        assert_eq!(dealt.len(), 9);
        let is_stopped = |told: &String| told.contains("Some(Interrupted)") || told.contains("not begun");
        assert!(dealt.iter().all(is_stopped), "{dealt:#?}");
    }
}

#[test]
fn a_board_that_a_rank_refuses_is_searched_on_the_leader() {
    let boards = floods(4);
    let setting = Setting::new("threads = 1\nengine = 'best-first'");
    let alone = setting.run_on(None, Parallel::Boards, &boards);
    // The other ranks are told to search programs on these boards.
    let (dealt, _) = Setting { theirs: "threads = 1\ndomain = 'bunny'", ..setting }.deal(3, &boards);
    assert_eq!(dealt, alone);
}

/// Panics at an event of the third board.
struct Bomb;

impl Observer for Bomb {
    fn observe(&self, _: &Event<'_>) {
        std::panic::resume_unwind(Box::new("boom".to_owned()));
    }
}

impl Audience for Bomb {
    fn begin_beside<'a>(&'a self, board: &'a Beginning<'_>) -> Box<dyn Observer + 'a> {
        if board.number == 3 { Box::new(Self) } else { Box::new(Silent) }
    }
}

#[test]
fn a_panic_ends_all_ranks() {
    let boards = floods(9);
    let setting = Setting { audience: &Bomb, ..Setting::new("threads = 1\nengine = 'best-first'") };
    let exchanges: Vec<_> = Crowd::gather(3, Weather::default()).into_iter().map(Exchange::new).collect();
    let work = |exchange: &Exchange| match exchange.leads() {
        true => drop(setting.run_on(Some(exchange), Parallel::Boards, &boards)),
        false => drop(follow(exchange, &StopToken::new())),
    };
    let has_panicked = &|exchange| catch_unwind(AssertUnwindSafe(|| work(exchange))).is_err();
    let ended: Vec<_> = std::thread::scope(|scope| {
        let ranks: Vec<_> = exchanges.iter().map(|exchange| scope.spawn(move || has_panicked(exchange))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    assert_eq!(ended, [true; 3]);
}

#[test]
fn a_run_directory_holds_what_all_ranks_find() {
    let (boards, folder) = (floods(7), tempfile::tempdir().unwrap());
    let path = folder.path().join("run");
    let text = |expansions: &str| format!("threads = 1\nengine = 'best-first'\nexpansions = {expansions}\n");
    let config = Config::parse("test", &text("3")).unwrap();
    let good = boards.iter().map(|board| Ok(Entry { board: board.clone(), published: Some(7) }));
    let session = |run: RunDir, text: &str| {
        let (silent, setting) = (Silent, Setting::new(text));
        let log = RunLog::new(&run, &silent).unwrap();
        let (dealt, _) = Setting { audience: &log, run: Some(&run), ..setting }.deal(3, &boards);
        drop(log);
        dealt
    };
    let limited = session(RunDir::create(&path, &config, good).unwrap(), &text("3"));
    assert!(limited.iter().all(|told| told.contains("Some(ExpansionLimit)")), "{limited:#?}");
    let (run, _) = RunDir::open(&path).unwrap();
    assert!((1..=7).all(|number| run.result(number).is_some()));
    // Boards that the leader has searched have a checkpoint, and go on there; the others begin anew.
    assert!(run.begun_without_checkpoint().unwrap().len() < 7);
    let dealt = session(run, &text("1000000"));
    assert!(dealt.iter().all(|told| told.contains("Optimal None")), "{dealt:#?}");
    let (run, _) = RunDir::open(&path).unwrap();
    assert!(run.numbers().all(|number| run.is_done(number)));
    assert!(run.begun_without_checkpoint().unwrap().is_empty());
}
