//! Splits a line into the texts of its cells.

use super::line_source::Line;
use crate::formats::cells::colour_names::VARIATION_SELECTOR;
use crate::formats::cells::palette::is_cell;
use crate::formats::cells::symbol::{number, number_with_point, whole_number};

/// What separates the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Nothing: each character is a cell.
    None,
    /// Spaces or tabs.
    Blank,
    /// This character, with or without spaces around it.
    Mark(char),
}

/// The characters that separate cells, the most specific one first: a text with semicolons may have commas inside.
const MARKS: [char; 4] = [';', ',', '&', '|'];

const BLANKS: [char; 2] = [' ', '\t'];

impl Separator {
    /// Finds the separator of a line.
    pub fn of(line: &Line) -> Self {
        let (_, text) = content(line);
        // Tabs separate numbers with decimal commas, as spreadsheets of many countries write them.
        let is_number = |word: &str| word.is_empty() || number_with_point(word).or_else(|| number(word)).is_some();
        if text.contains('\t') && text.contains(',') && text.split(BLANKS).all(is_number) {
            return Self::Blank;
        }
        match MARKS.into_iter().find(|&mark| text.contains(mark)) {
            Some(mark) => Self::Mark(mark),
            None if text.contains(BLANKS) => Self::Blank,
            None => Self::None,
        }
    }

    /// What messages call cells with this separator.
    pub fn describe(self) -> String {
        match self {
            Self::None => "cells without separators".to_owned(),
            Self::Blank => "cells with spaces between them".to_owned(),
            Self::Mark(mark) => format!("cells with {mark:?} between them"),
        }
    }
}

/// The cells of a line, each with its column in the file. The text of a cell has no quotes and no spaces around it. A
/// mark after the last cell gives an empty text at the end, except the `|` that frames a table.
pub(crate) fn cells(line: &Line, separator: Separator) -> Vec<(usize, &str)> {
    let (column, text) = content(line);
    match separator {
        Separator::None => characters(column, text),
        Separator::Blank => words(column, text),
        Separator::Mark(mark) => fields(column, text, mark),
    }
}

/// The column and the text of a line, without anything around its cells: blanks, brackets as in `[1, 2, 3],`, vertical
/// lines, quotes, and the end of a row in LaTeX.
pub(crate) fn content(line: &Line) -> (usize, &str) {
    let text = line.trimmed();
    let column = line.first_column();
    // The end of a row in LaTeX, perhaps followed by a command.
    let is_command = |rest: &str| rest.is_empty() || rest.starts_with('\\');
    let text = match text.split_once("\\\\") {
        Some((row, rest)) if is_command(rest.trim()) => row.trim_end_matches(BLANKS),
        _ => text,
    };
    // A mark after the last cell, when blanks separate the cells.
    let text = match text.strip_suffix([';', ',']) {
        Some(row) if row.contains(BLANKS) && !row.contains(MARKS) && !row.ends_with([']', '}', ')']) => row,
        _ => text,
    };
    let inside = |(open, close): (char, char)| text.trim_end_matches(',').strip_prefix(open)?.strip_suffix(close);
    // Vertical lines or quotes around a whole row, not around its cells.
    let framed = || {
        let row = |mark: char| inside((mark, mark)).filter(|row| !row.contains(mark));
        ['|', '"', '\''].into_iter().find_map(row)
    };
    match [('[', ']'), ('(', ')'), ('{', '}')].into_iter().find_map(inside).or_else(framed) {
        Some(text) => (column + 1, text),
        None => (column, text),
    }
}

/// The words between spaces and tabs. `column` is the column of the text.
fn words(mut column: usize, text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for word in text.split(BLANKS) {
        if !word.is_empty() {
            found.push((column, unquoted(word)));
        }
        column += word.chars().count() + 1;
    }
    found
}

/// Splits a text into characters. Each is a cell; a variation selector belongs to the character before it.
fn characters(column: usize, text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().enumerate().peekable();
    while let Some((at, (begin, c))) = chars.next() {
        let mut end = begin + c.len_utf8();
        if chars.next_if(|(_, (_, next))| *next == VARIATION_SELECTOR).is_some() {
            end += VARIATION_SELECTOR.len_utf8();
        }
        found.push((column + at, &text[begin..end]));
    }
    found
}

/// The fields between marks. A table that is drawn with `|` has a mark before the first cell and one after the last
/// cell. Where `|` separates groups of cells, these are the cells of the groups.
fn fields(mut column: usize, text: &str, mark: char) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = text
        .split(mark)
        .map(|field| {
            let at = column + field.chars().take_while(|c| BLANKS.contains(c)).count();
            column += field.chars().count() + 1;
            (at, unquoted(field.trim_matches(BLANKS)))
        })
        .collect();
    if mark == '|' && found.len() > 2 && found[0].1.is_empty() && found[found.len() - 1].1.is_empty() {
        found.pop();
        found.remove(0);
    }
    // Vertical lines may separate groups of cells: `1 2 | 3 4`.
    let group = |&(at, text): &(usize, _)| {
        let cells = words(at, text);
        (cells.len() > 1 && cells.iter().all(|(_, word)| is_cell(word))).then_some(cells)
    };
    match mark == '|' {
        true => found.iter().map(group).collect::<Option<Vec<_>>>().map_or(found, |groups| groups.concat()),
        false => found,
    }
}

/// Removes the quotes around a field.
fn unquoted(field: &str) -> &str {
    let inside = |quote: char| field.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).map_or(field, str::trim)
}

/// A whole number of a line.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub column: usize,
    pub value: usize,
}

/// The numbers of a line that consists of at most `most` whole numbers; `None` for any other line. A size `5x3` is two
/// numbers.
pub(crate) fn whole_numbers(line: &Line, most: usize) -> Option<Vec<Number>> {
    const TIMES: [char; 3] = ['x', 'X', '×'];
    let may_be_in_size = |c: char| c.is_ascii_digit() || TIMES.contains(&c) || BLANKS.contains(&c);
    if line.text.contains(TIMES) && line.text.chars().all(may_be_in_size) && !line.trimmed().starts_with(TIMES) {
        let spaced = Line { text: line.text.replace(TIMES, " "), ..line.clone() };
        return whole_numbers(&spaced, most).filter(|numbers| numbers.len() > 1);
    }
    let text = line.trimmed();
    let separator = if text.contains(BLANKS) { Separator::Blank } else { Separator::of(line) };
    let separator = if separator == Separator::None { Separator::Blank } else { separator };
    let read = |(column, token): (usize, &str)| {
        let value = whole_number(token.trim_end_matches(MARKS))?;
        Some(Number { column, value })
    };
    let tokens = cells(line, separator);
    if tokens.len() > most { None } else { tokens.into_iter().map(read).collect() }
}
