//! Results as text for people.

use super::number_format::{bytes, count, seconds, signed};
use gridhunt_hunt::BoardRecord;
use gridhunt_puzzle::{EngineKind, Objective, ObjectiveSense};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{StateEngine, Status};
use gridhunt_search::runtime::StopReason;
use std::fmt::Write;

const MOVES_IN_GROUP: usize = 5;

/// The maximum length of a line of moves, in bytes.
const MAX_LINE_WIDTH: usize = 90;

/// The result of one board in several lines, with a final newline.
#[must_use]
pub fn result_text(record: &BoardRecord) -> String {
    let mut out = format!("{}: {} x {}", record.board, record.rows, record.cols);
    if !record.domain.info().has_programs {
        let _ = write!(out, ", {}", plural(record.colours as u64, "colour"));
    }
    out.push('\n');
    let _ = writeln!(out, "{}", verdict_text(record));
    if let Some(advice) = record.objective.advice.filter(|_| record.status == Status::Unknown) {
        let _ = writeln!(out, "  {advice}");
    }
    for line in wrap_words(group_moves(&record.moves), MAX_LINE_WIDTH) {
        let _ = writeln!(out, "  {line}");
    }
    // An average that would be shown as 0.0 is left out.
    let average = record.bytes_per_state.filter(|bytes| *bytes >= 0.05);
    let average = average.map_or_else(String::new, |bytes| format!(" ({bytes:.1} bytes each)"));
    let learning = StateEngine::LEARNING.into();
    let may_learn =
        record.engine == learning || record.engine == EngineKind::AUTO && record.domain.info().supports(learning);
    let stored = plural(record.stored, if may_learn { "no-good" } else { "state" });
    let (expanded, generated) = (count(record.expanded), count(record.generated));
    let _ = writeln!(out, "expanded {expanded}, generated {generated}, stored {stored}{average}");
    let ranks = if record.ranks > 1 { format!("{} of ", plural(record.ranks as u64, "rank")) } else { String::new() };
    let (wall, cpu) = (seconds(record.seconds), seconds(record.cpu_seconds));
    let (threads, memory) = (plural(record.threads as u64, "thread"), bytes(record.peak_memory_bytes));
    let _ = write!(out, "{wall}, {cpu} CPU on {ranks}{threads}, peak memory {memory}; ");
    let _ = writeln!(out, "engine {}, lower bound {}", record.engine.name(), record.bound);
    out
}

/// The optimal solutions, one on each line; empty unless the caller asked for them.
#[must_use]
pub fn optimal_solutions_text(record: &BoardRecord) -> String {
    let Some(total) = &record.optimal_solutions else {
        let reason_text = |reason: StopReason| {
            format!("the optimal solutions are not counted ({})\n", reason.name().replace('-', " "))
        };
        return record.count_stopped.map_or_else(String::new, reason_text);
    };
    let len = record.listed_solutions.len();
    let first = if *total == len.to_string() { String::new() } else { format!(", the first {}", count(len as u64)) };
    let mut out = format!("optimal solutions: {total}{first}\n");
    for moves in &record.listed_solutions {
        let _ = writeln!(out, "  {}", group_moves(moves).join(" "));
    }
    out
}

/// The result of one board in one line, without a newline.
#[must_use]
pub fn result_line(record: &BoardRecord) -> String {
    let mut out = format!("{}: {}", record.board, verdict_text(record));
    if !record.moves.is_empty() {
        let _ = write!(out, ": {}", group_moves(&record.moves).join(" "));
    }
    out
}

/// Status and cost, with the proven range if the optimum is not proven.
pub(super) fn verdict_text(record: &BoardRecord) -> String {
    let (objective, lower_bound) = (record.objective, record.lower_bound.unwrap_or(Cost::MAX));
    let range = |cost| optimum_range(objective, lower_bound, cost);
    let mut out = match (record.status, record.cost) {
        (_, Some(_)) if objective.is_goal_only() => {
            return format!("{}, {}", objective.solved_word, with_unit(objective, record.moves.len() as u64));
        }
        (Status::Optimal, Some(cost)) => return format!("optimal, {}", cost_text(objective, cost)),
        (Status::Unsolvable, _) => return "unsolvable, proven".to_owned(),
        (_, Some(cost)) => format!("feasible, {}, proven: {}", cost_text(objective, cost), range(Some(cost))),
        (_, None) if objective.is_goal_only() => format!("unknown, no {} found", objective.name),
        (_, None) => format!("unknown, no solution found, proven: {}", range(None)),
    };
    if let Some(reason) = record.stopped {
        let _ = write!(out, " ({})", reason.describe());
    }
    out
}

/// The objective value of a cost, with its unit or name.
fn cost_text(objective: Objective, cost: Cost) -> String {
    match objective.sense {
        ObjectiveSense::Reach | ObjectiveSense::Minimise => with_unit(objective, cost.into()),
        ObjectiveSense::Maximise { .. } => format!("{} {}", objective.name, signed(objective.value(cost))),
    }
}

/// `1 move`, `2,000 moves`.
fn with_unit(Objective { unit: [one, many], .. }: Objective, number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// The proven range of the optimum.
pub(super) fn optimum_range(objective: Objective, lower_bound: Cost, incumbent: Option<Cost>) -> String {
    let value = |cost| signed(objective.value(cost));
    match (objective.sense, incumbent) {
        (ObjectiveSense::Maximise { .. }, Some(cost)) => {
            format!("{} <= optimum <= {}", value(cost), value(lower_bound))
        }
        (ObjectiveSense::Maximise { .. }, None) => format!("optimum <= {}", value(lower_bound)),
        (ObjectiveSense::Reach | ObjectiveSense::Minimise, Some(cost)) => format!("{lower_bound} <= optimum <= {cost}"),
        (ObjectiveSense::Reach | ObjectiveSense::Minimise, None) => format!("{lower_bound} <= optimum"),
    }
}

/// The proven range of a record, or its status if the board has no solution.
pub(super) fn record_range(record: &BoardRecord) -> String {
    match (record.lower_bound, record.cost) {
        (Some(bound), Some(cost)) if cost <= bound => {
            format!("optimum {} (proven)", signed(record.objective.value(cost)))
        }
        (Some(bound), cost) => optimum_range(record.objective, bound, cost),
        (None, _) => record.status.name().to_owned(),
    }
}

/// A remark for a board whose published optimum contradicts the result.
#[must_use]
pub fn published_remark(record: &BoardRecord) -> Option<String> {
    // Other objectives than moves and tokens cannot be compared with a published optimum.
    let is_comparable = record.objective.is_published;
    let published = record.published.filter(|_| is_comparable)?;
    let found = match (record.status, record.cost) {
        (Status::Optimal, Some(cost)) if cost != published => format!("{cost} is proven optimal here"),
        (Status::Unsolvable, _) => "no solution exists".to_owned(),
        (_, Some(cost)) if cost < published => format!("a solution of cost {cost} was found"),
        (_, _) if record.lower_bound > Some(published) => {
            format!("no solution is cheaper than {}", record.lower_bound.unwrap_or_default())
        }
        _ => return None,
    };
    Some(format!("{}: the file gives the optimum {published}, but {found}", record.board))
}

/// `1 move`, `2,000 moves`.
#[must_use]
pub fn plural(n: u64, what: &str) -> String {
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

/// Groups the moves by five, so that they are easy to count. Moves of several characters are not grouped.
fn group_moves(moves: &[String]) -> Vec<String> {
    let is_single = moves.iter().all(|m| m.chars().count() == 1);
    if is_single { moves.chunks(MOVES_IN_GROUP).map(<[String]>::concat).collect() } else { moves.to_vec() }
}

/// Lines of at most `width` bytes, or of a single word.
#[must_use]
pub fn wrap_words(words: impl IntoIterator<Item: AsRef<str>>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = word.as_ref();
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use gridhunt_hunt::Facts;
    use gridhunt_puzzle::PuzzleId;
    use gridhunt_search::runtime::{Layer, StopReason};

    /// The objective of this name, of a puzzle in the registry.
    pub(crate) fn objective(name: &str) -> Objective {
        Objective::find(name, None).unwrap()
    }

    /// Scores up to this ceiling.
    pub(crate) fn scores(ceiling: i64) -> Objective {
        Objective::find("score", Some(ceiling)).unwrap()
    }

    pub(crate) fn optimal() -> BoardRecord {
        BoardRecord {
            number: 1,
            board: "a.txt".to_owned(),
            rows: 14,
            cols: 15,
            colours: 6,
            domain: PuzzleId::default(),
            objective: Objective::MOVES,
            status: Status::Optimal,
            stopped: None,
            cost: Some(7),
            score: None,
            published: None,
            lower_bound: Some(7),
            upper_score: None,
            facts: Facts::default(),
            moves: [1, 2, 1, 2, 1, 2, 1].map(|colour| colour.to_string()).to_vec(),
            expanded: 1234,
            generated: 5678,
            evaluated: 5678,
            stored: 1000,
            layers: vec![
                Layer { f: 6, expanded: 1000, generated: 5000 },
                Layer { f: 7, expanded: 234, generated: 678 },
            ],
            bytes_per_state: Some(44.12),
            threads: 2,
            ranks: 1,
            seconds: 0.5,
            cpu_seconds: 0.9,
            peak_memory_bytes: 2 << 20,
            engine: EngineKind::AUTO,
            bound: "elimination".to_owned(),
            identity: "0123".to_owned(),
            optimal_solutions: None,
            listed_solutions: Vec::new(),
            count_stopped: None,
            solution: None,
            failure: None,
        }
    }

    pub(crate) fn feasible() -> BoardRecord {
        let stopped = Some(StopReason::TimeLimit);
        BoardRecord { status: Status::Feasible, stopped, lower_bound: Some(5), ..optimal() }
    }

    pub(crate) fn unknown() -> BoardRecord {
        BoardRecord { status: Status::Unknown, cost: None, moves: Vec::new(), ..feasible() }
    }

    pub(crate) fn unsolvable() -> BoardRecord {
        let status = Status::Unsolvable;
        BoardRecord { status, stopped: None, lower_bound: None, stored: 0, bytes_per_state: None, ..unknown() }
    }

    /// The same record for the objective `score` with the upper limit 2,000.
    pub(crate) fn scored(record: BoardRecord) -> BoardRecord {
        let objective = scores(2000);
        let score = |cost: Option<Cost>| cost.map(|cost| objective.value(cost));
        BoardRecord { objective, score: score(record.cost), upper_score: score(record.lower_bound), ..record }
    }

    #[test]
    fn one_board_says_everything() {
        let expected = "a.txt: 14 x 15, 6 colours\noptimal, 7 moves\n  12121 21\n\
                        expanded 1,234, generated 5,678, stored 1,000 no-goods (44.1 bytes each)\n\
                        0.50 s, 0.90 s CPU on 2 threads, peak memory 2.0 MiB; engine auto, lower bound elimination\n";
        assert_eq!(result_text(&optimal()), expected);
    }

    #[test]
    fn several_ranks_are_named() {
        assert!(result_text(&BoardRecord { ranks: 3, ..optimal() }).contains(" CPU on 3 ranks of 2 threads, "));
    }

    #[test]
    fn one_of_a_thing_has_a_noun_in_the_singular_and_no_bytes_are_no_average() {
        for (bytes, each) in [(0.0, ""), (44.0, " (44.0 bytes each)")] {
            let bytes_per_state = Some(bytes);
            let text = result_text(&BoardRecord { colours: 1, threads: 1, stored: 1, bytes_per_state, ..optimal() });
            assert!(text.starts_with("a.txt: 14 x 15, 1 colour\n"), "{text}");
            assert!(text.contains(&format!(", stored 1 no-good{each}\n")), "{text}");
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
        for (record, expected) in cases {
            assert_eq!(result_line(&record), expected);
        }
    }

    #[test]
    fn each_objective_has_its_words() {
        let score = scores(2000);
        let cases = [
            (objective("clicks"), optimal(), "optimal, 7 clicks"),
            (objective("clicks"), feasible(), "feasible, 7 clicks, proven: 5 <= optimum <= 7 (time limit)"),
            (objective("left"), optimal(), "optimal, 7 cells left"),
            (objective("clear"), optimal(), "cleared, 7 clicks"),
            (objective("clear"), unknown(), "unknown, no clear found (time limit)"),
            (objective("clear"), unsolvable(), "unsolvable, proven"),
            (score, optimal(), "optimal, score 1,993"),
            (score, feasible(), "feasible, score 1,993, proven: 1,993 <= optimum <= 1,995 (time limit)"),
            (score, unknown(), "unknown, no solution found, proven: optimum <= 1,995 (time limit)"),
        ];
        for (objective, record, expected) in cases {
            assert_eq!(verdict_text(&BoardRecord { objective, ..record }), expected);
        }
    }

    #[test]
    fn a_result_has_a_range() {
        let cases = [
            (optimal(), "optimum 7 (proven)"),
            (feasible(), "5 <= optimum <= 7"),
            (scored(feasible()), "1,993 <= optimum <= 1,995"),
            (unknown(), "5 <= optimum"),
            (unsolvable(), "unsolvable"),
        ];
        for (record, expected) in cases {
            assert_eq!(record_range(&record), expected);
        }
    }

    #[test]
    fn who_finds_no_clear_is_told_how_to_see_how_near_a_path_comes() {
        let text = |objective, record| result_text(&BoardRecord { objective, ..record });
        for objective in [objective("clear"), objective("clicks")] {
            assert!(text(objective, unknown()).contains("\n  --objective left shows how few cells"));
            assert!(!text(objective, unsolvable()).contains("--objective"));
            assert!(!text(objective, optimal()).contains("--objective"));
        }
        assert!(!text(Objective::MOVES, unknown()).contains("--objective"));
    }

    #[test]
    fn long_symbols_stand_apart_and_long_solutions_wrap() {
        let moves: Vec<String> = (5..60).map(|i: u32| i.to_string()).collect();
        let lines = wrap_words(group_moves(&moves), MAX_LINE_WIDTH);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("5 6 7 ") && lines.iter().all(|l| l.len() <= MAX_LINE_WIDTH));
        assert_eq!(lines.join(" "), moves.join(" "));
    }

    #[test]
    fn another_optimum_in_the_file_is_remarked() {
        let with =
            |record: BoardRecord, published| published_remark(&BoardRecord { published: Some(published), ..record });
        assert_eq!(with(optimal(), 7), None);
        let text = with(optimal(), 8).unwrap();
        assert_eq!(text, "a.txt: the file gives the optimum 8, but 7 is proven optimal here");
        assert_eq!(with(feasible(), 6), None);
        assert!(with(feasible(), 8).unwrap().ends_with("a solution of cost 7 was found"));
        assert!(with(unknown(), 4).unwrap().ends_with("no solution is cheaper than 5"));
        assert!(with(unsolvable(), 4).unwrap().ends_with("no solution exists"));
        assert_eq!(published_remark(&optimal()), None);
        // A published number of moves cannot be compared with a number of cells left.
        assert_eq!(with(BoardRecord { objective: objective("left"), ..optimal() }, 8), None);
    }
}
