//! The state of the progress display: receives messages, returns one line of text. This module uses no clock and no
//! terminal.

use super::number_format::{bytes, count, seconds, share, short};
use super::text::{plural, range};
use crate::domain::Cost;
use crate::driver::ObjectiveValue;
use crate::runtime::{Event, Progress, Stage};

/// An event that a worker sends to the thread that draws.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// The search of a board begins, on all threads: the name, and the meaning of its costs.
    Begin(String, ObjectiveValue),
    Engine(String),
    Layer(Cost),
    LowerBound(Cost),
    Incumbent(Cost),
    /// The progress of a stage: parts done, and parts in total.
    Stage(Stage, u64, u64),
    Progress(Progress),
    /// A board is finished: whether its optimum is proven.
    Finish(bool),
}

impl Message {
    /// The message of an event; `None` for events that are not drawn.
    pub(super) fn from_event(event: &Event<'_>) -> Option<Self> {
        Some(match event {
            Event::EngineStarted { engine } => Self::Engine((*engine).to_owned()),
            Event::LayerStarted { f, .. } => Self::Layer(*f),
            Event::Stage { stage, done, total } => Self::Stage(*stage, *done, *total),
            Event::LayerDone(_) | Event::Note(_) => return None,
            Event::LowerBound(cost) => Self::LowerBound(*cost),
            Event::Incumbent { cost, .. } => Self::Incumbent(*cost),
            Event::Progress(progress) => Self::Progress(*progress),
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
    done: usize,
    proven: usize,
    /// The board that is searched on all threads.
    board: Option<Board>,
}

#[derive(Clone, Debug)]
struct Board {
    name: String,
    objective: ObjectiveValue,
    engine: String,
    layer: Option<Cost>,
    lower_bound: Cost,
    incumbent: Option<Cost>,
    /// The stage under way, if its total is known: parts done, and parts in total.
    stage: Option<(Stage, u64, u64)>,
    progress: Progress,
    /// States expanded per second, over about the last second.
    rate: Option<f64>,
    /// The start of the interval for the next rate: seconds, and states expanded.
    rate_from: (f64, u64),
}

/// The shortest interval for the measurement of a rate, in seconds.
const RATE_STRETCH: f64 = 1.0;

impl View {
    /// A view of a batch before its first board. `total` is the number of boards, if it is known.
    pub(super) fn new(total: Option<usize>) -> Self {
        Self { total, ..Self::default() }
    }

    /// The number of boards of the batch, if it is known.
    pub(super) fn total(&self) -> Option<usize> {
        self.total
    }

    /// The number of boards finished.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    pub(super) fn take(&mut self, message: Message) -> News {
        match message {
            Message::Begin(name, objective) => self.board = Some(Board::new(name, objective)),
            Message::Finish(optimal) => {
                self.board = None;
                self.done += 1;
                self.proven += usize::from(optimal);
            }
            message => return self.board.as_mut().map_or(News::Minor, |board| board.take(message)),
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

    /// [`View::search`] in at most `width` columns: fields drop out from the right, but the time stays.
    pub(super) fn search_within(&self, width: usize) -> String {
        self.board.as_ref().map_or_else(String::new, |board| board.line_within(width))
    }

    /// The text about the board that is searched on all threads; empty if there is none.
    pub(super) fn search(&self) -> String {
        self.board.as_ref().map_or_else(String::new, Board::line)
    }
}

impl Board {
    fn new(name: String, objective: ObjectiveValue) -> Self {
        Self {
            name,
            objective,
            engine: String::new(),
            layer: None,
            lower_bound: 0,
            incumbent: None,
            stage: None,
            progress: Progress::default(),
            rate: None,
            rate_from: (0.0, 0),
        }
    }

    fn take(&mut self, message: Message) -> News {
        let range = (self.lower_bound, self.incumbent);
        match message {
            Message::Engine(name) => (self.engine, self.stage) = (name, None),
            Message::Layer(f) => (self.layer, self.stage) = (Some(f), None),
            Message::LowerBound(cost) => self.lower(cost),
            Message::Incumbent(cost) => self.held(cost),
            Message::Stage(stage, done, total) => self.stage = Some((stage, done, total)).filter(|_| done < total),
            Message::Progress(progress) => {
                self.lower(progress.lower_bound);
                if let Some(cost) = progress.incumbent {
                    self.held(cost);
                }
                self.measure(&progress);
                self.progress = progress;
            }
            Message::Begin(..) | Message::Finish(_) => {}
        }
        if (self.lower_bound, self.incumbent) == range { News::Minor } else { News::Range }
    }

    fn lower(&mut self, cost: Cost) {
        // Messages of several workers may arrive out of order, so keep the greatest lower bound.
        self.lower_bound = self.lower_bound.max(cost);
    }

    fn held(&mut self, cost: Cost) {
        self.incumbent = Some(self.incumbent.map_or(cost, |held| held.min(cost)));
    }

    fn measure(&mut self, now: &Progress) {
        let (from, expanded) = self.rate_from;
        if now.expanded < expanded || now.seconds < from {
            // Another engine has started and counts from zero.
            (self.rate, self.rate_from) = (None, (now.seconds, now.expanded));
        } else if now.seconds - from >= RATE_STRETCH {
            self.rate = Some((now.expanded - expanded) as f64 / (now.seconds - from));
            self.rate_from = (now.seconds, now.expanded);
        } else if self.rate.is_none() && now.seconds > 0.0 {
            self.rate = Some(now.expanded as f64 / now.seconds);
        }
    }

    /// Everything that is known, in one line.
    fn line(&self) -> String {
        let (mut parts, elapsed) = self.fields();
        parts.extend(elapsed);
        parts.join(", ")
    }

    /// The line in at most `width` columns, as far as that can be: fields drop out from the right, but the time stays,
    /// and so does the name of the board.
    fn line_within(&self, width: usize) -> String {
        let (mut parts, elapsed) = self.fields();
        loop {
            let line = parts.iter().chain(&elapsed).cloned().collect::<Vec<_>>().join(", ");
            if line.chars().count() <= width || parts.len() <= 1 {
                return line;
            }
            parts.pop();
        }
    }

    /// The fields, the most important one first, and the time of the search.
    fn fields(&self) -> (Vec<String>, Option<String>) {
        let mut parts =
            vec![if self.engine.is_empty() { self.name.clone() } else { format!("{}: {}", self.name, self.engine) }];
        parts.push(match (self.objective, self.incumbent) {
            (_, None) if self.lower_bound == Cost::MAX => "proven unsolvable".to_owned(),
            (ObjectiveValue::Clear, None) => "no clear so far".to_owned(),
            (ObjectiveValue::Clear, Some(_)) => "cleared".to_owned(),
            (objective, held) => format!("proven {}", range(objective, self.lower_bound, held)),
        });
        parts.extend(self.layer.map(|f| format!("layer {f}")));
        parts.extend(self.stage.map(|(stage, done, total)| share(stage, done, total)));
        let progress = &self.progress;
        if progress.seconds > 0.0 {
            parts.extend(self.rate.map(|r| format!("{} expanded/s", short(r.round() as u64))));
            parts.push(format!("{} states", short(progress.stored)));
            parts.push(bytes(progress.bytes));
        }
        (parts, (progress.seconds > 0.0).then(|| seconds(progress.seconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(seconds: f64, expanded: u64) -> Message {
        Message::Progress(Progress {
            seconds,
            expanded,
            stored: 2 * expanded,
            bytes: 3 << 20,
            lower_bound: 12,
            incumbent: Some(15),
            ..Progress::default()
        })
    }

    fn searching() -> View {
        let mut view = View::new(Some(1));
        view.take(Message::Begin("a.txt".to_owned(), ObjectiveValue::Moves));
        view
    }

    #[test]
    fn costs_are_told_as_what_they_stand_for() {
        let lines = |objective| {
            let mut view = View::new(Some(1));
            view.take(Message::Begin("a.txt".to_owned(), objective));
            let before = view.search();
            view.take(Message::LowerBound(5));
            view.take(Message::Incumbent(900));
            [before, view.search()]
        };
        let score = ObjectiveValue::Score { ceiling: 5000 };
        assert_eq!(lines(score), ["a.txt, proven optimum <= 5,000", "a.txt, proven 4,100 <= optimum <= 4,995"]);
        assert_eq!(lines(ObjectiveValue::Clear), ["a.txt, no clear so far", "a.txt, cleared"]);
        assert_eq!(lines(ObjectiveValue::Left), ["a.txt, proven 0 <= optimum", "a.txt, proven 5 <= optimum <= 900"]);
        let mut view = View::new(Some(1));
        view.take(Message::Begin("a.txt".to_owned(), ObjectiveValue::Clear));
        view.take(Message::LowerBound(Cost::MAX));
        assert_eq!(view.search(), "a.txt, proven unsolvable");
    }

    #[test]
    fn the_line_tells_all_that_is_known() {
        let mut view = searching();
        assert_eq!(view.search(), "a.txt, proven 0 <= optimum");
        view.take(Message::Engine("best-first".to_owned()));
        view.take(Message::Layer(12));
        assert_eq!(view.take(progress(0.5, 50_000)), News::Range);
        let expected = "a.txt: best-first, proven 12 <= optimum <= 15, layer 12, 100 k expanded/s, \
                        100 k states, 3.0 MiB, 0.50 s";
        assert_eq!(view.search(), expected);
        assert_eq!(view.boards(), "");
    }

    #[test]
    fn a_narrow_line_drops_fields_from_the_right_and_never_the_time() {
        let mut view = searching();
        view.take(Message::Engine("best-first".to_owned()));
        view.take(Message::Layer(12));
        view.take(progress(0.5, 50_000));
        let range = "a.txt: best-first, proven 12 <= optimum <= 15";
        let cases = [
            (200, view.search()),
            (104, format!("{range}, layer 12, 100 k expanded/s, 100 k states, 3.0 MiB, 0.50 s")),
            (103, format!("{range}, layer 12, 100 k expanded/s, 100 k states, 0.50 s")),
            (81, format!("{range}, layer 12, 100 k expanded/s, 0.50 s")),
            (80, format!("{range}, layer 12, 0.50 s")),
            (60, format!("{range}, 0.50 s")),
            (40, "a.txt: best-first, 0.50 s".to_owned()),
            (5, "a.txt: best-first, 0.50 s".to_owned()),
        ];
        for (width, expected) in cases {
            assert_eq!(view.search_within(width), expected, "{width}");
        }
    }

    #[test]
    fn the_line_tells_of_a_bound_that_is_made_until_the_search_goes_on() {
        let mut view = searching();
        for done in [1, 12] {
            assert_eq!(view.take(Message::Stage(Stage::Refinement, done, 48)), News::Minor);
        }
        assert_eq!(view.search(), "a.txt, proven 0 <= optimum, refining the lower bound: 12 of 48");
        view.take(Message::Layer(3));
        assert_eq!(view.search(), "a.txt, proven 0 <= optimum, layer 3");
    }

    #[test]
    fn the_line_tells_how_much_is_done_until_it_is_over() {
        let mut view = searching();
        view.take(Message::Layer(12));
        view.take(Message::Stage(Stage::Programs(12), 1_234, 98_765));
        view.take(Message::Progress(Progress::default()));
        assert_eq!(view.search(), "a.txt, proven 0 <= optimum, layer 12, programs of 12 tokens: 1.2 %");
        view.take(Message::Stage(Stage::Programs(12), 98_765, 98_765));
        assert_eq!(view.search(), "a.txt, proven 0 <= optimum, layer 12");
    }

    #[test]
    fn the_rate_is_that_of_the_last_second() {
        let mut view = searching();
        for (seconds, expanded) in [(1.0, 1_000), (1.5, 2_000), (2.0, 501_000)] {
            view.take(progress(seconds, expanded));
        }
        assert!(view.search().contains(", 500 k expanded/s, "), "{}", view.search());
        view.take(progress(2.5, 10));
        assert!(!view.search().contains("expanded/s"), "another engine counts from zero: {}", view.search());
    }

    #[test]
    fn the_proven_range_never_widens() {
        let mut view = searching();
        assert_eq!(view.take(Message::LowerBound(12)), News::Range);
        assert_eq!(view.take(Message::LowerBound(11)), News::Minor);
        assert_eq!(view.take(Message::Incumbent(15)), News::Range);
        assert_eq!(view.take(Message::Incumbent(16)), News::Minor);
        assert_eq!(view.search(), "a.txt, proven 12 <= optimum <= 15");
    }

    #[test]
    fn boards_are_counted() {
        let mut view = View::new(Some(1000));
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
