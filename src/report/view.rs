//! The state of the progress display: receives messages, returns lines of text. This module uses no clock and no
//! terminal.

use super::line::{details, line};
use super::number_format::count;
use super::record::{BoardProgress, ProgressRow, SessionFacts};
use super::text::plural;
use crate::domain::Cost;
use crate::driver::ObjectiveValue;
use crate::runtime::{Event, Progress, Stage};

/// An event that a worker sends to the thread that draws.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// The search of a board begins, on all threads: the name, and the meaning of its costs.
    Begin(String, ObjectiveValue),
    Engine(String),
    /// A layer, and its open nodes.
    Layer(Cost, u64),
    LowerBound(Cost),
    Incumbent(Cost),
    /// The progress of a stage: parts done, and parts in total.
    Stage(Stage, u64, u64),
    Progress(Box<Progress>),
    /// A board is finished: whether its optimum is proven.
    Finish(bool),
}

impl Message {
    /// The message of an event; `None` for events that are not drawn.
    pub(super) fn from_event(event: &Event<'_>) -> Option<Self> {
        Some(match event {
            Event::EngineStarted { engine } => Self::Engine((*engine).to_owned()),
            Event::LayerStarted { f, open } => Self::Layer(*f, *open),
            Event::Stage { stage, done, total } => Self::Stage(*stage, *done, *total),
            Event::LayerDone(_) | Event::Note(_) | Event::Beam { .. } => return None,
            Event::LowerBound(cost) => Self::LowerBound(*cost),
            Event::Incumbent { cost, .. } => Self::Incumbent(*cost),
            Event::Progress(progress) => Self::Progress(progress.clone()),
        })
    }

    /// The event of a message, as far as it is drawn; `None` for the beginning and the end of a board.
    fn event(&self) -> Option<Event<'_>> {
        Some(match self {
            Self::Begin(..) | Self::Finish(_) => return None,
            Self::Engine(engine) => Event::EngineStarted { engine },
            &Self::Layer(f, open) => Event::LayerStarted { f, open },
            &Self::LowerBound(cost) => Event::LowerBound(cost),
            &Self::Incumbent(cost) => Event::Incumbent { cost, moves: &[] },
            &Self::Stage(stage, done, total) => Event::Stage { stage, done, total },
            Self::Progress(progress) => Event::Progress(progress.clone()),
        })
    }
}

/// Whether a message deserves a new plain line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Minor,
    /// The proven range became smaller.
    Range,
}

/// The search under way and the boards done.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The number of boards of the batch, if it is known.
    total: Option<usize>,
    facts: SessionFacts,
    done: usize,
    proven: usize,
    /// The board that is searched on all threads, and when its search began.
    board: Option<(BoardProgress, f64)>,
    /// Seconds since the display began.
    now: f64,
}

impl View {
    /// A view of a batch before its first board. `total` is the number of boards, if it is known.
    pub(super) fn new(total: Option<usize>, facts: SessionFacts) -> Self {
        Self { total, facts, ..Self::default() }
    }

    /// The number of boards of the batch, if it is known.
    pub(super) fn total(&self) -> Option<usize> {
        self.total
    }

    /// The number of boards finished.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// Sets the clock, in seconds since the display began.
    pub(super) fn at(&mut self, now: f64) {
        self.now = now;
    }

    pub(super) fn take(&mut self, message: Message) -> News {
        match message {
            Message::Begin(name, objective) => self.board = Some((BoardProgress::new(name, objective), self.now)),
            Message::Finish(optimal) => {
                self.board = None;
                self.done += 1;
                self.proven += usize::from(optimal);
            }
            message => {
                if let (Some((board, _)), Some(event)) = (&mut self.board, message.event())
                    && board.take(&event)
                {
                    return News::Range;
                }
            }
        }
        News::Minor
    }

    /// Whether a board is searched on all threads.
    pub(super) fn is_searching(&self) -> bool {
        self.board.is_some()
    }

    /// The text about the boards of the batch; empty if the batch has just one board.
    pub(super) fn boards(&self) -> String {
        let done = count(self.done as u64);
        let proven = count(self.proven as u64);
        match self.total {
            Some(1) => String::new(),
            Some(total) => format!("{done} of {} done, {proven} proven optimal", plural(total as u64, "board")),
            None => format!("{} done, {proven} proven optimal", plural(self.done as u64, "board")),
        }
    }

    /// The line about the board that is searched on all threads, in at most `width` columns; empty if there is none.
    pub(super) fn search_within(&self, width: usize) -> String {
        self.row().map_or_else(String::new, |(row, elapsed)| line(&row, elapsed, width))
    }

    /// A second line about that board, in at most `width` columns.
    pub(super) fn details_within(&self, width: usize) -> String {
        self.row().map_or_else(String::new, |(row, _)| details(&row, width))
    }

    /// Everything that is known about that board, in one line.
    pub(super) fn search(&self) -> String {
        let lines = [self.search_within(usize::MAX), self.details_within(usize::MAX).trim_start().to_owned()];
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The progress of the board, and the seconds since its search began.
    fn row(&self) -> Option<(ProgressRow, f64)> {
        let (board, begun) = self.board.as_ref()?;
        let SessionFacts { memory_limit, disk_limit, .. } = self.facts;
        let row = ProgressRow { memory_limit, disk_limit, ..ProgressRow::default() };
        Some((board.fill(row), self.now - begun))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(seconds: f64, expanded: u64) -> Message {
        Message::Progress(Box::new(Progress {
            seconds,
            expanded,
            stored: 2 * expanded,
            bytes: 3 << 20,
            lower_bound: 12,
            incumbent: Some(15),
            ..Progress::default()
        }))
    }

    fn searching() -> View {
        let mut view = View::new(Some(1), SessionFacts::default());
        view.take(Message::Begin("a.txt".to_owned(), ObjectiveValue::Moves));
        view
    }

    #[test]
    fn costs_are_told_as_what_they_stand_for() {
        let lines = |objective| {
            let mut view = View::new(Some(1), SessionFacts::default());
            view.take(Message::Begin("a.txt".to_owned(), objective));
            let before = view.search();
            view.take(Message::LowerBound(5));
            view.take(Message::Incumbent(900));
            [before, view.search()]
        };
        let score = ObjectiveValue::Score { ceiling: 5000 };
        assert_eq!(lines(score), ["a.txt 0:00, optimum <= 5,000", "a.txt 0:00, 4,100 <= optimum <= 4,995"]);
        assert_eq!(lines(ObjectiveValue::Clear), ["a.txt 0:00, no clear so far", "a.txt 0:00, cleared"]);
        assert_eq!(lines(ObjectiveValue::Left), ["a.txt 0:00, 0 <= optimum", "a.txt 0:00, 5 <= optimum <= 900"]);
        let mut view = View::new(Some(1), SessionFacts::default());
        view.take(Message::Begin("a.txt".to_owned(), ObjectiveValue::Clear));
        view.take(Message::LowerBound(Cost::MAX));
        assert_eq!(view.search(), "a.txt 0:00, proven unsolvable");
    }

    #[test]
    fn the_line_tells_all_that_is_known() {
        let mut view = searching();
        assert_eq!(view.search(), "a.txt 0:00, 0 <= optimum");
        view.take(Message::Engine("best-first".to_owned()));
        view.take(Message::Layer(12, 5));
        assert_eq!(view.take(progress(0.5, 50_000)), News::Range);
        view.at(61.2);
        let expected = "a.txt 1:01, 12 <= optimum <= 15, layer 12, 100 k/s, 3.0 MiB, best-first, 100 k states";
        assert_eq!(view.search(), expected);
        assert_eq!(view.boards(), "");
    }

    #[test]
    fn each_board_has_its_own_time() {
        let mut view = searching();
        view.at(30.0);
        assert!(view.search().starts_with("a.txt 0:30"));
        view.take(Message::Finish(true));
        view.take(Message::Begin("b.txt".to_owned(), ObjectiveValue::Moves));
        view.at(37.0);
        assert!(view.search().starts_with("b.txt 0:07"));
    }

    #[test]
    fn the_line_tells_of_a_bound_that_is_made_until_the_search_goes_on() {
        let mut view = searching();
        for done in [1, 12] {
            assert_eq!(view.take(Message::Stage(Stage::Refinement, done, 48)), News::Minor);
        }
        assert_eq!(view.search(), "a.txt 0:00, 0 <= optimum, refining the lower bound: 12 of 48");
        view.take(Message::Layer(3, 10));
        let expected = "a.txt 0:00, 0 <= optimum, layer 3 (0 %), 10 open";
        assert_eq!(view.search(), expected);
    }

    #[test]
    fn the_line_tells_how_much_is_done_until_it_is_over() {
        let mut view = searching();
        view.take(Message::Stage(Stage::Programs(12), 1_234, 98_765));
        view.take(Message::Progress(Box::default()));
        assert_eq!(view.search(), "a.txt 0:00, 0 <= optimum, programs of 12 tokens: 1.2 %");
        view.take(Message::Stage(Stage::Programs(12), 98_765, 98_765));
        assert_eq!(view.search(), "a.txt 0:00, 0 <= optimum");
    }

    #[test]
    fn the_rate_is_that_of_the_last_second() {
        let mut view = searching();
        for (seconds, expanded) in [(1.0, 1_000), (1.5, 2_000), (2.0, 501_000)] {
            view.take(progress(seconds, expanded));
        }
        assert!(view.search().contains(", 500 k/s, "), "{}", view.search());
        view.take(progress(2.5, 10));
        assert!(!view.search().contains("/s"), "another engine counts from zero: {}", view.search());
    }

    #[test]
    fn the_proven_range_never_widens() {
        let mut view = searching();
        assert_eq!(view.take(Message::LowerBound(12)), News::Range);
        assert_eq!(view.take(Message::LowerBound(11)), News::Minor);
        assert_eq!(view.take(Message::Incumbent(15)), News::Range);
        assert_eq!(view.take(Message::Incumbent(16)), News::Minor);
        assert_eq!(view.search(), "a.txt 0:00, 12 <= optimum <= 15");
    }

    #[test]
    fn boards_are_counted() {
        let mut view = View::new(Some(1000), SessionFacts::default());
        view.total = None;
        view.take(Message::Finish(true));
        assert_eq!(view.boards(), "1 board done, 1 proven optimal");
        view.total = Some(1000);
        view.take(Message::Finish(false));
        assert_eq!(view.boards(), "2 of 1,000 boards done, 1 proven optimal");
        view.total = None;
        assert_eq!(view.boards(), "2 boards done, 1 proven optimal");
    }

    #[test]
    fn events_without_a_board_of_their_own_draw_nothing() {
        let mut view = View::default();
        assert_eq!(view.take(Message::LowerBound(3)), News::Minor);
        assert_eq!(view.search(), "");
    }
}
