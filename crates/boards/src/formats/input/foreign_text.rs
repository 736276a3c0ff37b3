//! Texts that hold a board in a form that is not read: what they are, and what to do.

use super::row::{Separator, cells};
use super::source::Line;
use crate::formats::problem::{Problem, show_text};

/// Whether a text has an array of MiniZinc.
pub(crate) fn minizinc(text: &str) -> Option<Problem> {
    let expected = "the numbers alone, one row a line (or on one line, with --format lines --size ROWSxCOLS)";
    let has_array = text.contains("array2d(") || text.contains("[|");
    has_array.then(|| Problem::new("an array of MiniZinc (array2d)", expected))
}

/// The problem of a table whose columns name row and column of each cell: these numbers are no colours.
pub(crate) fn one_cell_a_line(first: &Line, second: &Line) -> Option<Problem> {
    let fields = |line| cells(line, Separator::of(line));
    let names: Vec<String> = fields(first).iter().map(|(_, name)| name.to_lowercase()).collect();
    let are = |pair: &[&str; 2]| pair.iter().all(|name| names.iter().any(|known| known == name));
    let pair = [["row", "col"], ["row", "column"], ["r", "c"], ["i", "j"], ["x", "y"]].into_iter().find(are)?;
    let found = format!("a table with the columns {}: one cell a line", pair.join(" and "));
    let is_table = names.len() > 2
        && names.iter().any(|name| name.len() > 1)
        && fields(second).iter().filter(|field| field.1.parse::<u32>().is_ok()).count() > 1;
    is_table.then(|| Problem::new(found, "one row a line (pivot in pandas); or --format csv"))
}

/// What lines are that no reading explains, and where this is seen.
pub(crate) fn recognise(lines: &[Line]) -> Option<(crate::Position, Problem)> {
    let first = lines.first()?;
    let tokens: Vec<(usize, &str)> = first.tokens().collect();
    let found = |line: &Line, found: &str, expected: &str| Some((line.at(0), Problem::new(found, expected)));
    let is_size = |words: &[(usize, &str)]| words[0].1.parse::<usize>().is_ok() && words[1].1 == "x";
    if first.text.contains(": ") && first.text.contains(", ") && tokens.windows(2).any(is_size) {
        return found(first, "a drawing of render or solve, which is not read", "the file with the board itself");
    }
    if let Some(line) = lines.iter().find(|line| line.text.contains('(') && line.trimmed().ends_with(").")) {
        return found(line, "a fact of a logic program: no rows of cells", "one row of cells a line");
    }
    if let Some(found) = lines.iter().find_map(|line| Some((line.at(0), minizinc(&line.text)?))) {
        return Some(found);
    }
    // Numbers in their order above or below a rule, with nothing in the corner.
    let is_axis = |line: &&Line| {
        let numbers: Option<Vec<usize>> =
            line.trimmed().strip_prefix('|').and_then(|row| row.split_whitespace().map(|n| n.parse().ok()).collect());
        numbers.is_some_and(|all| all.len() > 1 && all.windows(2).all(|pair| pair[1] == pair[0] + 1))
    };
    if let Some(line) = lines.iter().find(is_axis).filter(|_| lines.iter().any(|line| line.after_rule)) {
        return found(line, "an axis: the numbers of the columns beside a rule", "the rows of cells alone");
    }
    // A header that has the size of the board, and something else.
    let size = [lines.len() - 1, cells(lines.get(1)?, Separator::of(lines.get(1)?)).len()];
    let numbers: Vec<usize> = tokens.iter().take(2).filter_map(|(_, word)| word.parse().ok()).collect();
    let is_known = |word: &str| word.parse::<usize>().is_ok() || word.parse::<crate::Start>().is_ok();
    let odd = tokens.iter().skip(2).find(|(_, word)| !is_known(word)).or(tokens.get(5))?;
    let expected = "a header of numbers: rows, columns, colours, start row and column; or the rows without a header";
    (numbers == size || numbers == [size[1], size[0]])
        .then(|| (first.at(odd.0), Problem::new(format!("{} in a header", show_text(odd.1)), expected)))
}
