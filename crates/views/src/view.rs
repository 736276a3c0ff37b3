//! The state of the progress display: takes events, returns lines of text. This module uses no clock and no terminal.

use super::line::{details, line};
use super::number_format::count;
use super::record::{BoardProgress, ProgressRow, SessionFacts};
use super::text::plural;
use gridhunt_hunt::BoardSearchInfo;
use gridhunt_search::runtime::Event;

/// The search under way and the boards done.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The number of boards of the batch, if it is known.
    pub(super) total: Option<usize>,
    facts: SessionFacts,
    /// The number of boards finished.
    pub(super) done: usize,
    proven: usize,
    /// The board that is searched on all threads, and when its search began.
    board: Option<(BoardProgress, f64)>,
    /// What [`BoardSearchInfo::shape`] says of that board.
    pub(super) shape: String,
    /// The number of boards whose search was begun on all threads.
    pub(super) begun: usize,
    /// Seconds since the display began.
    pub(super) now: f64,
}

impl View {
    /// A view of a batch before its first board. `total` is the number of boards, if it is known.
    pub(super) fn new(total: Option<usize>, facts: SessionFacts) -> Self {
        Self { total, facts, ..Self::default() }
    }

    /// The search of a board begins, on all threads.
    pub(super) fn begin(&mut self, board: &BoardSearchInfo<'_>) {
        self.board = Some((BoardProgress::new(board), self.now));
        self.shape.clone_from(&board.shape);
        self.begun += 1;
    }

    /// A board is finished.
    pub(super) fn finish(&mut self, is_optimal: bool) {
        self.board = None;
        self.done += 1;
        self.proven += usize::from(is_optimal);
    }

    /// Takes an event of the board that is searched on all threads. Returns whether the proven range became smaller.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        self.board.as_mut().is_some_and(|(board, _)| board.take(event))
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

    /// The line about the board that is searched on all threads, and a second one, in at most `width` columns; empty
    /// if there is none.
    pub(super) fn lines_within(&self, width: usize) -> [String; 2] {
        let Some((row, elapsed)) = self.row() else { return Default::default() };
        let first = line(&row, elapsed, width);
        let second = details(&row, &first, width);
        [first, second]
    }

    /// The progress of the board, and the seconds since its search began.
    pub(super) fn row(&self) -> Option<(ProgressRow, f64)> {
        let (board, begun) = self.board.as_ref()?;
        let SessionFacts { memory_limit, disk_limit, .. } = self.facts;
        let row = ProgressRow { memory_limit, disk_limit, ..ProgressRow::default() };
        Some((board.fill(row), self.now - begun))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{objective, scores};
    use gridhunt_puzzle::Objective;
    use gridhunt_search::domain::Cost;
    use gridhunt_search::runtime::{Progress, Stage};

    fn board(name: &str, objective: Objective) -> BoardSearchInfo<'_> {
        BoardSearchInfo { number: 1, name, objective, shape: String::new(), identity: String::new() }
    }

    /// Both lines.
    fn search(view: &View) -> String {
        let lines = view.lines_within(usize::MAX);
        lines.iter().map(|line| line.trim_start()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
    }

    fn progress(seconds: f64, expanded: u64) -> Event<'static> {
        Event::Progress(Box::new(Progress {
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
        view.begin(&board("a.txt", Objective::MOVES));
        view
    }

    #[test]
    fn costs_are_told_as_what_they_stand_for() {
        let lines = |objective| {
            let mut view = View::new(Some(1), SessionFacts::default());
            view.begin(&board("a.txt", objective));
            let before = search(&view);
            view.take(&Event::LowerBound(5));
            view.take(&Event::Incumbent { cost: 900, moves: &[] });
            [before, search(&view)]
        };
        let score = scores(5000);
        assert_eq!(lines(score), ["a.txt 0:00, optimum <= 5,000", "a.txt 0:00, 4,100 <= optimum <= 4,995"]);
        assert_eq!(lines(objective("clear")), ["a.txt 0:00, no clear so far", "a.txt 0:00, cleared"]);
        assert_eq!(lines(objective("left")), ["a.txt 0:00, 0 <= optimum", "a.txt 0:00, 5 <= optimum <= 900"]);
        let mut view = View::new(Some(1), SessionFacts::default());
        view.begin(&board("a.txt", objective("clear")));
        view.take(&Event::LowerBound(Cost::MAX));
        assert_eq!(search(&view), "a.txt 0:00, proven unsolvable");
    }

    #[test]
    fn the_line_tells_all_that_is_known() {
        let mut view = searching();
        assert_eq!(search(&view), "a.txt 0:00, 0 <= optimum");
        view.take(&Event::EngineStarted { engine: "best-first" });
        view.take(&Event::LayerStarted { f: 12, open: 5 });
        assert!(view.take(&progress(0.5, 50_000)));
        view.now = 61.2;
        let expected = "a.txt 1:01, 12 <= optimum <= 15, layer 12, 100 k/s, 3.0 MiB, best-first, 100 k states";
        assert_eq!(search(&view), expected);
        assert_eq!(view.boards(), "");
    }

    #[test]
    fn each_board_has_its_own_time() {
        let mut view = searching();
        view.now = 30.0;
        assert!(search(&view).starts_with("a.txt 0:30"));
        view.finish(true);
        view.begin(&board("b.txt", Objective::MOVES));
        view.now = 37.0;
        assert!(search(&view).starts_with("b.txt 0:07"));
    }

    #[test]
    fn the_line_tells_how_much_is_done_until_it_is_over() {
        let mut view = searching();
        view.take(&Event::Stage { stage: Stage::Programs(12), done: 1_234, total: 98_765 });
        view.take(&Event::Progress(Box::default()));
        assert_eq!(search(&view), "a.txt 0:00, 0 <= optimum, programs of 12 tokens: 1.2 %");
        view.take(&Event::Stage { stage: Stage::Programs(12), done: 98_765, total: 98_765 });
        assert_eq!(search(&view), "a.txt 0:00, 0 <= optimum");
    }

    #[test]
    fn the_rate_is_that_of_the_last_second() {
        let mut view = searching();
        for (seconds, expanded) in [(1.0, 1_000), (1.5, 2_000), (2.0, 501_000)] {
            view.take(&progress(seconds, expanded));
        }
        assert!(search(&view).contains(", 500 k/s, "), "{}", search(&view));
        view.take(&progress(2.5, 10));
        assert!(!search(&view).contains("/s"), "another engine counts from zero: {}", search(&view));
    }

    #[test]
    fn boards_are_counted() {
        let mut view = View::new(Some(1000), SessionFacts::default());
        view.total = None;
        view.finish(true);
        assert_eq!(view.boards(), "1 board done, 1 proven optimal");
        view.total = Some(1000);
        view.finish(false);
        assert_eq!(view.boards(), "2 of 1,000 boards done, 1 proven optimal");
        view.total = None;
        assert_eq!(view.boards(), "2 boards done, 1 proven optimal");
    }

    #[test]
    fn events_without_a_board_of_their_own_draw_nothing() {
        let mut view = View::default();
        assert!(!view.take(&Event::LowerBound(3)));
        assert_eq!(search(&view), "");
    }
}
