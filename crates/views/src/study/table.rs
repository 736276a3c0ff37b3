//! The table of a comparison of bounds, for people.

use super::{by_bound, has_proven_optimum, has_proven_reference};
use crate::number_format::{bytes, count};
use crate::text::plural;
use gridhunt_hunt::Study;
use gridhunt_search::engine::Trial;
use std::fmt::Write;

const HEAD: [&str; 9] = ["bound", "proven", "root", "gap", "path gap", "one evaluation", "tables", "expanded", "CPU"];

/// The table with one row for each bound, a legend of the columns, and a verdict on the soundness of each bound. The
/// text ends with a newline.
///
/// The means of tables, expansions and CPU seconds are over the boards that every bound has proven. So the rows are
/// comparable.
#[must_use]
pub fn study_table(studies: &[Study]) -> String {
    table_text(studies, aligned_table, "", |common| {
        format!(
            "root, gap   value of the bound at the start; its distance from the optimum\n\
             path gap    mean gap at the states along an optimal solution\n\
             expanded    geometric mean; tables and CPU: mean, over {common} that every bound has proven,\n            \
             each search starting from the solution\n"
        )
    })
}

/// The same table in Markdown, with the same legend and verdicts. The text ends with a newline.
#[must_use]
pub fn study_markdown(studies: &[Study]) -> String {
    table_text(studies, markdown_table, "* ", |common| {
        format!(
            "* `root`, `gap`: value of the bound at the start, and its distance from the optimum.\n\
             * `path gap`: mean gap at the states along an optimal solution.\n\
             * `expanded`: geometric mean. `tables` and `CPU`: mean. All over {common} that every bound has proven.\n\n"
        )
    })
}

/// The table, its legend and the verdicts. `legend` gets the number of boards that every bound has proven; each verdict
/// begins with `bullet`.
fn table_text(
    studies: &[Study],
    table: impl Fn(&[[String; 9]]) -> String,
    bullet: &str,
    legend: impl Fn(&str) -> String,
) -> String {
    let bounds = by_bound(studies);
    let is_common = |study: &&Study| study.trials.len() == bounds.len() && study.trials.iter().all(has_proven_optimum);
    let common: Vec<&Study> = studies.iter().filter(is_common).collect();
    let mut rows = vec![HEAD.map(str::to_owned)];
    for (name, trials) in &bounds {
        let common_trials: Vec<&Trial> =
            common.iter().flat_map(|study| &study.trials).filter(|trial| trial.name == *name).collect();
        rows.push(row(name, trials, &common_trials));
    }
    let proven = count(studies.iter().filter(|study| has_proven_reference(study)).count() as u64);
    let [common, boards] = [common.len(), studies.len()].map(|boards| plural(boards as u64, "board"));
    let mut text = format!("{}\n{}The optimum is proven for {proven} of {boards}.\n\n", table(&rows), legend(&common));
    for (name, trials) in &bounds {
        let _ = writeln!(text, "{bullet}{}", soundness_text(name, trials));
    }
    text
}

fn markdown_table(rows: &[[String; 9]]) -> String {
    let line = |row: &[String; 9]| format!("| {} |\n", row.join(" | "));
    let rule = format!("| --- |{}\n", " ---: |".repeat(HEAD.len() - 1));
    line(&rows[0]) + &rule + &rows[1..].iter().map(line).collect::<String>()
}

fn row(name: &str, trials: &[(&Study, &Trial)], common_trials: &[&Trial]) -> [String; 9] {
    let proven = trials.iter().filter(|(_, trial)| has_proven_optimum(trial)).count();
    let known = || trials.iter().filter(|(study, _)| has_proven_reference(study));
    let gaps =
        known().map(|(study, trial)| f64::from(study.reference.cost.unwrap_or(0).saturating_sub(trial.root_value)));
    let evaluations = trials.iter().filter_map(|(_, trial)| trial.evaluation_seconds);
    let expanded = mean(common_trials.iter().map(|trial| (trial.outcome.statistics.expanded.max(1) as f64).ln()));
    [
        name.to_owned(),
        format!("{proven} of {}", trials.len()),
        or_dash(mean(trials.iter().map(|(_, trial)| f64::from(trial.root_value))), |root| format!("{root:.2}")),
        or_dash(mean(gaps), |gap| format!("{gap:.2}")),
        or_dash(mean(known().map(|(_, trial)| trial.mean_gap())), |gap| format!("{gap:.2}")),
        or_dash(mean(evaluations), |seconds| format!("{:.2} us", seconds * 1e6)),
        or_dash(mean(common_trials.iter().map(|trial| trial.bytes as f64)), |mean| bytes(mean as u64)),
        or_dash(expanded, |log| count(log.exp().round() as u64)),
        or_dash(mean(common_trials.iter().map(|trial| trial.cpu_seconds)), |seconds| format!("{seconds:.3} s")),
    ]
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn or_dash(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Names are aligned to the left, numbers to the right.
fn aligned_table(rows: &[[String; 9]]) -> String {
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  "));
    }
    text
}

/// The verdict on the soundness of a bound, with the numbers of the boards.
fn soundness_text(name: &str, trials: &[(&Study, &Trial)]) -> String {
    let checked_states: u64 = trials.iter().map(|(_, trial)| trial.check.states).sum();
    let exhausted = trials.iter().filter(|(study, _)| study.exact_states.is_some()).count();
    let every_state =
        if exhausted > 0 { format!(", every state of {}", plural(exhausted as u64, "board")) } else { String::new() };
    let numbers = |sound: bool| {
        let chosen = trials.iter().filter(|(_, trial)| trial.is_sound() == sound);
        chosen.map(|(study, _)| study.reference.number).collect::<Vec<_>>()
    };
    let (sound, unsound) = (numbers(true), numbers(false));
    let checked = format!("({} checked{every_state})", plural(checked_states, "state"));
    if unsound.is_empty() {
        return format!("{name}: admissible on {} {checked}", board_list(&sound));
    }
    let faults = trials.iter().fold([0; 5], |sum, (_, trial)| {
        let check = trial.check;
        let max_excess = sum[1].max(u64::from(check.excess));
        [sum[0] + check.above, max_excess, sum[2] + check.falls, sum[3] + check.differs, sum[4] + check.dismissed]
    });
    let [above, excess, falls, differs, dismissed] = faults;
    format!(
        "{name}: WRONG on {}: above the true cost at {} (by {excess} at most), inconsistent along {}, differs with the \
         parent known along {}, dismisses {} of the solution; admissible on {} {checked}",
        board_list(&unsound),
        plural(above, "state"),
        plural(falls, "move"),
        plural(differs, "move"),
        plural(dismissed, "move"),
        board_list(&sound),
    )
}

/// `board 4`, `boards 1-3, 7`, `no board`.
fn board_list(numbers: &[usize]) -> String {
    let range = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    };
    let ranges: Vec<_> = numbers.chunk_by(|one, next| one + 1 == *next).map(range).collect();
    match numbers.len() {
        0 => "no board".to_owned(),
        1 => format!("board {}", ranges.join(", ")),
        _ => format!("boards {}", ranges.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{study_csv_header, study_to_csv};
    use crate::text::tests::optimal;
    use gridhunt_search::engine::{BoundCheck, Outcome, PathPoint, Solution, Status};

    /// A trial on a board with the optimum 7. `root` is the bound's value at the root. `above` is the number of states
    /// at which the bound exceeds the true cost.
    fn trial(name: &str, root: u32, expanded: u64, above: u64) -> Trial {
        let mut outcome = Outcome { lower_bound: 7, ..Outcome::unknown() };
        outcome.incumbent = Some(Solution { cost: 7, moves: vec![0; 7] });
        outcome.statistics.expanded = expanded;
        Trial {
            name: name.to_owned(),
            claims_consistency: true,
            root_value: root,
            path: vec![PathPoint { g: 0, cost_to_go: 7, h: root }, PathPoint { g: 6, cost_to_go: 1, h: 1 }],
            check: BoundCheck { states: 40, moves: 39, above, excess: above as u32, ..BoundCheck::default() },
            preparation_seconds: 0.25,
            evaluation_seconds: Some(1.5e-6),
            bytes: 2048,
            outcome,
            cpu_seconds: 0.5,
            seconds: 0.5,
        }
    }

    fn study(number: usize, trials: Vec<Trial>) -> Study {
        let mut reference = optimal();
        reference.number = number;
        Study { reference, exact_states: (number == 2).then_some(40), trials }
    }

    #[test]
    fn a_table_compares_what_can_be_compared() {
        let mut unfinished = trial("weak", 3, 900_000, 0);
        unfinished.outcome.lower_bound = 5;
        let studies = [
            study(1, vec![trial("weak", 3, 10_000, 0), trial("strong", 6, 10, 0)]),
            study(2, vec![trial("weak", 4, 100, 0), trial("strong", 6, 1_000, 0)]),
            study(3, vec![unfinished, trial("strong", 6, 20, 0)]),
        ];
        assert_eq!(studies[0].reference.status, Status::Optimal);
        let expected = "\
bound   proven  root   gap  path gap  one evaluation   tables  expanded      CPU
weak    2 of 3  3.33  3.67      1.83         1.50 us  2.0 KiB     1,000  0.500 s
strong  3 of 3  6.00  1.00      0.50         1.50 us  2.0 KiB       100  0.500 s
";
        let text = study_table(&studies);
        assert!(text.starts_with(expected), "{text}");
        assert!(
            text.contains("proven for 3 of 3 boards.") && text.contains("over 2 boards that every bound"),
            "{text}"
        );
        let truth = "weak: admissible on boards 1-3 (120 states checked, every state of 1 board)\n";
        assert!(text.contains(truth), "{text}");
    }

    #[test]
    fn markdown_has_the_same_cells() {
        let studies = [study(2, vec![trial("weak", 4, 100, 0), trial("strong", 6, 1_000, 0)])];
        let text = study_markdown(&studies);
        let table: Vec<_> = text.lines().take_while(|line| line.starts_with('|')).collect();
        let expected = [
            "| bound | proven | root | gap | path gap | one evaluation | tables | expanded | CPU |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| weak | 1 of 1 | 4.00 | 3.00 | 1.50 | 1.50 us | 2.0 KiB | 100 | 0.500 s |",
            "| strong | 1 of 1 | 6.00 | 1.00 | 0.50 | 1.50 us | 2.0 KiB | 1,000 | 0.500 s |",
        ];
        assert_eq!(table, expected);
        assert!(text.contains("\n* weak: admissible on board 2 (") && text.ends_with(")\n"), "{text}");
    }

    #[test]
    fn a_wrong_bound_is_called_wrong() {
        let mut dead_end = trial("odd", 6, 10, 0);
        // The search of this trial has wrongly excluded the known solution.
        dead_end.outcome.lower_bound = 9;
        dead_end.outcome.incumbent = Some(Solution { cost: 7, moves: vec![0; 7] });
        let studies =
            [study(1, vec![trial("odd", 9, 1, 2)]), study(2, vec![dead_end]), study(4, vec![trial("odd", 6, 10, 0)])];
        let expected = "odd: WRONG on boards 1-2: above the true cost at 2 states (by 2 at most), inconsistent along 0 moves, \
                        differs with the parent known along 0 moves, dismisses 0 moves of the solution; admissible on board 4 (120 states checked, every state of 1 board)\n";
        let text = study_table(&studies);
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn numbers_are_put_together() {
        for (numbers, text) in
            [(&[][..], "no board"), (&[4], "board 4"), (&[1, 2, 3, 7], "boards 1-3, 7"), (&[1, 3, 4], "boards 1, 3-4")]
        {
            assert_eq!(board_list(numbers), text);
        }
    }

    #[test]
    fn no_trial_is_no_line() {
        assert_eq!(
            study_csv_header(&study(1, Vec::new())).unwrap() + &study_to_csv(&study(1, Vec::new())).unwrap(),
            ""
        );
    }
}
