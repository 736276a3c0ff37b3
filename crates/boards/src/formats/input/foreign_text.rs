//! Recognises texts that hold a board in a form that is not read, and says what to do.

use super::line_source::Line;
use super::row::{Separator, cells};
use crate::Start;
use crate::formats::mismatch::{LocatedMismatch, Mismatch, show_text};

/// The mismatch of a text with an array of MiniZinc.
pub(crate) fn minizinc(text: &str) -> Option<Mismatch> {
    let expected = "the numbers alone, one row per line (or on one line, with --format lines --size ROWSxCOLS)";
    let has_array = text.contains("array2d(") || text.contains("[|");
    has_array.then(|| Mismatch::new("an array of MiniZinc (array2d)", expected))
}

/// Whether rows of three may be the row, the column and the colour of each cell: two numbers count through a grid.
pub(crate) fn are_coordinates(cells: &[u8]) -> bool {
    let is_grid = |outer: usize, inner: usize| {
        let places: Vec<_> = cells.chunks(3).map(|row| (row[outer], row[inner])).collect();
        let [first, .., last] = places[..] else { return false };
        let grid = (first.0..=last.0).flat_map(|row| (first.1..=last.1).map(move |col| (row, col)));
        first.0 < last.0 && first.1 < last.1 && grid.eq(places)
    };
    is_grid(0, 1) || is_grid(1, 0)
}

/// The mismatch of a table with one cell per line. Two of its columns hold the row and the column of the cell, or one
/// its number: these numbers are no colours. Or its columns hold red, green and blue. A first line with numbers names
/// no columns.
pub(crate) fn coordinate_table(first: &Line, second: &Line) -> Option<Mismatch> {
    const KNOWN: &str = "row col,row column,line col,line column,r c,i j,x y,zeile spalte,ligne colonne,fila columna,\
        r g b,red green blue,cell color,cell colour,index color,index colour";
    let fields = |line| cells(line, Separator::of(line));
    let names: Vec<&str> = fields(first).iter().map(|(_, name)| *name).collect();
    // A name may have several parts: `pos_x`, `row id`, `rowIdx`, `posX`.
    let parts = names.iter().flat_map(|name| name.split(['_', '-', '.', ' ']).chain(name.split(char::is_uppercase)));
    let has = |wanted: &str| parts.clone().any(|part| part.to_lowercase().trim_start_matches("pos") == wanted);
    let known = KNOWN.split(',').find(|known| known.split(' ').all(has))?;
    let found = format!("a table with the columns {}: one cell per line", known.replace(' ', " and "));
    let is_table = names.len() > 2 - usize::from(known.ends_with('r'))
        && (names.len() == 3 && Separator::of(first) != Separator::None || names.iter().any(|name| name.len() > 1))
        && names.iter().all(|name| name.parse::<f64>().is_err())
        && fields(second).iter().filter(|field| field.1.parse::<u32>().is_ok()).count() > 1;
    is_table.then(|| Mismatch::new(found, "one row per line (pivot in pandas); or --format csv"))
}

/// Says what the lines are, if they have a known form. Called when no reading explains them.
pub(crate) fn recognise(lines: &[Line]) -> Option<LocatedMismatch> {
    let first = lines.first()?;
    let words: Vec<(usize, &str)> = first.tokens().collect();
    let located = |line: &Line, found: &str, expected: &str| Some(Mismatch::new(found, expected).at(line.at(0)));
    let is_number = |word: &str| word.parse::<usize>().is_ok();
    let has_size = words.windows(2).any(|pair| is_number(pair[0].1) && pair[1].1 == "x");
    if first.text.contains(": ") && first.text.contains(", ") && has_size {
        return located(first, "a drawing of render or solve, which is not read", "the file with the board itself");
    }
    if let Some(line) = lines.iter().find(|line| line.text.contains('(') && line.trimmed().ends_with(").")) {
        return located(line, "a fact of a logic program: no rows of cells", "one row of cells per line");
    }
    if let Some(located) = lines.iter().find_map(|line| Some(minizinc(&line.text)?.at(line.at(0)))) {
        return Some(located);
    }
    // Consecutive numbers above or below a rule, with nothing in the corner.
    let is_axis = |line: &&Line| {
        let row = line.trimmed().strip_prefix('|').unwrap_or_default();
        let numbers: Option<Vec<usize>> = row.split_whitespace().map(|number| number.parse().ok()).collect();
        numbers.is_some_and(|all| all.len() > 1 && all.windows(2).all(|pair| pair[1] == pair[0] + 1))
    };
    if let Some(line) = lines.iter().find(is_axis).filter(|_| lines.iter().any(|line| line.after_rule)) {
        return located(line, "an axis: the numbers of the columns beside a rule", "the rows of cells alone");
    }
    // A header that has the size of the board, and something unknown.
    let second = lines.get(1)?;
    let size = [lines.len() - 1, cells(second, Separator::of(second)).len()];
    let numbers: Vec<usize> = words.iter().take(2).filter_map(|(_, word)| word.parse().ok()).collect();
    let is_known = |word: &str| is_number(word) || word.parse::<Start>().is_ok();
    let &(column, odd) = words.iter().skip(2).find(|(_, word)| !is_known(word)).or(words.get(5))?;
    let expected = "a header of numbers: rows, columns, colours, start row and column; or the rows without a header";
    (numbers == size || numbers == [size[1], size[0]])
        .then(|| Mismatch::new(format!("{} in a header", show_text(odd)), expected).at(first.at(column)))
}
