//! Results as text for people.

use super::number_format::{bytes, count, seconds, signed};
use crate::hunt::Report;
use crate::puzzles::ObjectiveValue;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::Status;
use std::fmt::Write;

/// The number of moves in a group. Groups make moves easy to count.
const GROUP: usize = 5;

/// The maximum width of a line of moves, in characters.
const WIDTH: usize = 90;

/// The result of one board in several lines, with a final newline.
#[must_use]
pub fn result_text(report: &Report) -> String {
    let statistics = &report.outcome.statistics;
    let mut out = format!("{}: {} x {}", report.board, report.rows, report.cols);
    if report.objective != ObjectiveValue::Tokens {
        let _ = write!(out, ", {}", plural(report.colours as u64, "colour"));
    }
    out.push('\n');
    let _ = writeln!(out, "{}", verdict(report));
    let clears = matches!(report.objective, ObjectiveValue::Clear | ObjectiveValue::Clicks);
    if clears && report.status() == Status::Unknown {
        let _ = writeln!(out, "{NO_CLEAR}");
    }
    for line in wrap(&group_moves(&report.moves)) {
        let _ = writeln!(out, "  {line}");
    }
    // An average that the shown digits round to zero says nothing.
    let each = report.bytes_per_state().filter(|bytes| *bytes >= 0.05);
    let each = each.map_or_else(String::new, |bytes| format!(" ({bytes:.1} bytes each)"));
    let _ = writeln!(
        out,
        "expanded {}, generated {}, stored {}{each}",
        count(statistics.expanded),
        count(statistics.generated),
        plural(statistics.stored, "state"),
    );
    let _ = writeln!(
        out,
        "{}, {} CPU on {}{}, {} at most; engine {}, lower bound {}",
        seconds(report.seconds),
        seconds(statistics.cpu_seconds),
        if report.ranks > 1 { format!("{} of ", plural(report.ranks as u64, "rank")) } else { String::new() },
        plural(report.threads as u64, "thread"),
        bytes(report.peak_memory_bytes),
        report.engine.name(),
        report.bound,
    );
    out
}

/// What to try where no path to a board without cells was found: other objectives have a solution on every board.
const NO_CLEAR: &str = "  --objective left shows how few cells are left on the best path found";

/// The result of one board in one line, without a newline.
#[must_use]
pub fn result_line(report: &Report) -> String {
    let mut out = format!("{}: {}", report.board, verdict(report));
    if !report.moves.is_empty() {
        let _ = write!(out, ": {}", group_moves(&report.moves).join(" "));
    }
    out
}

/// Status and cost, with the proven range if the optimum is not proven.
pub(super) fn verdict(report: &Report) -> String {
    let (objective, lower_bound) = (report.objective, report.outcome.lower_bound);
    let mut out = match (report.status(), report.cost()) {
        (_, Some(_)) if objective == ObjectiveValue::Clear => {
            return format!("cleared, {}", plural(report.moves.len() as u64, "click"));
        }
        (Status::Optimal, Some(cost)) => return format!("optimal, {}", amount(objective, cost)),
        (Status::Unsolvable, _) => return "unsolvable, proven".to_owned(),
        (_, Some(cost)) => {
            format!("feasible, {}, proven: {}", amount(objective, cost), range(objective, lower_bound, Some(cost)))
        }
        (_, None) if objective == ObjectiveValue::Clear => "unknown, no clear found".to_owned(),
        (_, None) => format!("unknown, no solution found, proven: {}", range(objective, lower_bound, None)),
    };
    if let Some(reason) = report.outcome.stopped {
        let _ = write!(out, " ({})", reason.describe());
    }
    out
}

/// The objective value of a cost, with its unit.
fn amount(objective: ObjectiveValue, cost: Cost) -> String {
    match objective {
        ObjectiveValue::Moves => plural(cost.into(), "move"),
        ObjectiveValue::Clear | ObjectiveValue::Clicks => plural(cost.into(), "click"),
        ObjectiveValue::Left => format!("{} left", plural(cost.into(), "cell")),
        ObjectiveValue::Score { .. } => format!("score {}", signed(objective.value(cost))),
        ObjectiveValue::Tokens => plural(cost.into(), "token"),
    }
}

/// The proven range of the optimum. `held` is the cost of the best solution, if there is one.
pub(super) fn range(objective: ObjectiveValue, lower_bound: Cost, held: Option<Cost>) -> String {
    let value = |cost| signed(objective.value(cost));
    match (objective, held) {
        (ObjectiveValue::Score { .. }, Some(cost)) => format!("{} <= optimum <= {}", value(cost), value(lower_bound)),
        (ObjectiveValue::Score { .. }, None) => format!("optimum <= {}", value(lower_bound)),
        (_, Some(cost)) => format!("{lower_bound} <= optimum <= {cost}"),
        (_, None) => format!("{lower_bound} <= optimum"),
    }
}

/// A remark for a board whose published optimum contradicts the result.
#[must_use]
pub fn published_remark(report: &Report) -> Option<String> {
    // A published optimum counts moves or tokens. The values of other objectives cannot be compared with such a number.
    let counts = report.objective.compares_with_published();
    let published = report.published.filter(|_| counts)?;
    let found = match (report.status(), report.cost()) {
        (Status::Optimal, Some(cost)) if cost != published => format!("{cost} is proven optimal here"),
        (Status::Unsolvable, _) => "no solution exists".to_owned(),
        (_, Some(cost)) if cost < published => format!("a solution of cost {cost} was found"),
        _ if report.outcome.lower_bound > published => {
            format!("no solution is cheaper than {}", report.outcome.lower_bound)
        }
        _ => return None,
    };
    Some(format!("{}: the file names the optimum {published}, but {found}", report.board))
}

/// A number with its noun: `1 move`, `2,000 moves`.
pub(super) fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// The end of a text that is too long for `width` columns: `~of/a/name`.
pub(super) fn shortened(text: &str, width: usize) -> String {
    let letters = text.chars().count();
    if letters <= width {
        text.to_owned()
    } else {
        format!("~{}", text.chars().skip(letters + 1 - width.max(1)).collect::<String>())
    }
}

/// Groups of moves. Moves are joined if every symbol is one character; otherwise each move is its own group.
fn group_moves(moves: &[String]) -> Vec<String> {
    let single = moves.iter().all(|m| m.chars().count() == 1);
    if single { moves.chunks(GROUP).map(<[String]>::concat).collect() } else { moves.to_vec() }
}

fn wrap(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// The lower bound, or `None` if it proves that no solution exists.
pub(super) fn finite(lower_bound: Cost) -> Option<Cost> {
    (lower_bound != Cost::MAX).then_some(lower_bound)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::puzzles::PuzzleId;
    use gridhunt_search::engine::{EngineKind, Outcome, Solution, Statistics};
    use gridhunt_search::runtime::{Layer, StopReason};

    pub(in crate::report) fn optimal() -> Report {
        let statistics = Statistics {
            expanded: 1234,
            generated: 5678,
            evaluated: 5678,
            stored: 1000,
            reopened: 0,
            layers: vec![
                Layer { f: 6, expanded: 1000, generated: 5000 },
                Layer { f: 7, expanded: 234, generated: 678 },
            ],
            peak_bytes: 44_120,
            cpu_seconds: 0.9,
            bound: String::new(),
        };
        let moves = vec![0, 1, 0, 1, 0, 1, 0];
        Report {
            number: 1,
            board: "a.txt".to_owned(),
            rows: 14,
            cols: 15,
            colours: 6,
            published: None,
            domain: PuzzleId::default(),
            engine: EngineKind::Auto,
            bound: "elimination".to_owned(),
            threads: 2,
            ranks: 1,
            moves: moves.iter().map(|m| (m + 1).to_string()).collect(),
            objective: ObjectiveValue::Moves,
            rules: None,
            scoring: None,
            outcome: Outcome {
                incumbent: Some(Solution { cost: 7, moves }),
                lower_bound: 7,
                stopped: None,
                failure: None,
                statistics,
            },
            seconds: 0.5,
            peak_memory_bytes: 2 << 20,
            identity: String::new(),
        }
    }

    pub(in crate::report) fn feasible() -> Report {
        let mut report = optimal();
        report.outcome.lower_bound = 5;
        report.outcome.stopped = Some(StopReason::TimeLimit);
        report
    }

    pub(in crate::report) fn unknown() -> Report {
        let mut report = feasible();
        report.outcome.incumbent = None;
        report.moves.clear();
        report
    }

    pub(in crate::report) fn unsolvable() -> Report {
        let mut report = unknown();
        report.outcome = Outcome {
            incumbent: None,
            lower_bound: Cost::MAX,
            stopped: None,
            failure: None,
            statistics: Statistics { stored: 0, ..report.outcome.statistics },
        };
        report
    }

    #[test]
    fn one_board_says_everything() {
        let expected = "a.txt: 14 x 15, 6 colours\noptimal, 7 moves\n  12121 21\n\
                        expanded 1,234, generated 5,678, stored 1,000 states (44.1 bytes each)\n\
                        0.50 s, 0.90 s CPU on 2 threads, 2.0 MiB at most; engine auto, lower bound elimination\n";
        assert_eq!(result_text(&optimal()), expected);
    }

    #[test]
    fn several_ranks_are_named() {
        assert!(result_text(&Report { ranks: 3, ..optimal() }).contains(" CPU on 3 ranks of 2 threads, "));
    }

    #[test]
    fn one_of_a_thing_has_a_noun_in_the_singular_and_no_bytes_are_no_average() {
        let mut report = optimal();
        (report.colours, report.threads) = (1, 1);
        report.outcome.statistics.stored = 1;
        for (bytes, each) in [(0, ""), (44, " (44.0 bytes each)")] {
            report.outcome.statistics.peak_bytes = bytes;
            let text = result_text(&report);
            assert!(text.starts_with("a.txt: 14 x 15, 1 colour\n"), "{text}");
            assert!(text.contains(&format!(", stored 1 state{each}\n")), "{text}");
            assert!(text.contains(" on 1 thread, "), "{text}");
        }
    }

    #[test]
    fn what_is_not_proven_says_its_range() {
        let cases = [
            (optimal(), "a.txt: optimal, 7 moves: 12121 21"),
            (feasible(), "a.txt: feasible, 7 moves, proven: 5 <= optimum <= 7 (time limit): 12121 21"),
            (unknown(), "a.txt: unknown, no solution found, proven: 5 <= optimum (time limit)"),
            (unsolvable(), "a.txt: unsolvable, proven"),
        ];
        for (report, expected) in cases {
            assert_eq!(result_line(&report), expected);
        }
    }

    #[test]
    fn each_objective_has_its_words() {
        let score = ObjectiveValue::Score { ceiling: 2000 };
        let cases = [
            (ObjectiveValue::Clicks, optimal(), "optimal, 7 clicks"),
            (ObjectiveValue::Clicks, feasible(), "feasible, 7 clicks, proven: 5 <= optimum <= 7 (time limit)"),
            (ObjectiveValue::Left, optimal(), "optimal, 7 cells left"),
            (ObjectiveValue::Clear, optimal(), "cleared, 7 clicks"),
            (ObjectiveValue::Clear, unknown(), "unknown, no clear found (time limit)"),
            (ObjectiveValue::Clear, unsolvable(), "unsolvable, proven"),
            (score, optimal(), "optimal, score 1,993"),
            (score, feasible(), "feasible, score 1,993, proven: 1,993 <= optimum <= 1,995 (time limit)"),
            (score, unknown(), "unknown, no solution found, proven: optimum <= 1,995 (time limit)"),
        ];
        for (objective, report, expected) in cases {
            assert_eq!(verdict(&Report { objective, ..report }), expected);
        }
    }

    #[test]
    fn who_finds_no_clear_is_told_how_to_see_how_near_a_path_comes() {
        let text = |objective, report| result_text(&Report { objective, ..report });
        for objective in [ObjectiveValue::Clear, ObjectiveValue::Clicks] {
            assert!(text(objective, unknown()).contains("\n  --objective left shows how few cells"));
            assert!(!text(objective, unsolvable()).contains("--objective"));
            assert!(!text(objective, optimal()).contains("--objective"));
        }
        assert!(!text(ObjectiveValue::Moves, unknown()).contains("--objective"));
    }

    #[test]
    fn long_symbols_stand_apart_and_long_solutions_wrap() {
        let moves: Vec<String> = (5..60).map(|i: u32| i.to_string()).collect();
        let lines = wrap(&group_moves(&moves));
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("5 6 7 ") && lines.iter().all(|l| l.len() <= WIDTH));
        assert_eq!(lines.join(" "), moves.join(" "));
    }

    #[test]
    fn another_optimum_in_the_file_is_remarked() {
        let with = |report: Report, published| published_remark(&Report { published: Some(published), ..report });
        assert_eq!(with(optimal(), 7), None);
        let text = with(optimal(), 8).unwrap();
        assert_eq!(text, "a.txt: the file names the optimum 8, but 7 is proven optimal here");
        assert_eq!(with(feasible(), 6), None);
        assert!(with(feasible(), 8).unwrap().ends_with("a solution of cost 7 was found"));
        assert!(with(unknown(), 4).unwrap().ends_with("no solution is cheaper than 5"));
        assert!(with(unsolvable(), 4).unwrap().ends_with("no solution exists"));
        assert_eq!(published_remark(&optimal()), None);
        // A published number of moves cannot be compared with a number of cells left.
        assert_eq!(with(Report { objective: ObjectiveValue::Left, ..optimal() }, 8), None);
    }
}
