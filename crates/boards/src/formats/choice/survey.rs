//! Takes a first look at the lines of an input, to find the grammars that are worth a try.

use super::grammar::Grammar;
use crate::formats::cells::colour_names::colour_name;
use crate::formats::cells::symbol::EMPTY_NUMBER;
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::input::row::{Separator, cells, content, whole_numbers};
use crate::formats::notations::game_id::is_game_id;
use crate::formats::notations::headed::{FORMS, HeadedGrammar};
use crate::formats::notations::rows::{Gap, Labels, RowsGrammar};
use crate::{Format, MAX_COLOURS, ReadOptions, Start};
use std::io::BufRead;

/// What the lines of an input look like. This decides which readings are worth a try.
#[derive(Default)]
pub(super) struct LineSurvey {
    /// The number of words of the first line, if it can be a header.
    header_words: Option<usize>,
    /// Whether the first line cannot be a row: one of its numbers is too large for a colour, or a word after two or
    /// more numbers names a start cell.
    begins_with_header: bool,
    has_game_id: bool,
    /// Whether all lines of content are single words.
    are_words: bool,
    /// Whether there are comments between rows, but none before the first row.
    has_inner_comments: bool,
    /// Whether a blank line follows each line.
    is_double_spaced: bool,
    /// Whether the cells of the first line have separators.
    has_separator: bool,
    /// The number of lines of content.
    lines: usize,
    /// Whether the first line has more than four numbers: perhaps a header of at most three numbers, and the cells.
    has_many_numbers: bool,
    /// Whether all lines are words for colours.
    are_colours: bool,
    /// Whether a line is `-1`, an empty cell.
    has_empty_cell_line: bool,
    looks_like_bunny: bool,
    /// Whether the first line has no number, and the only rule between lines is below it.
    pub begins_with_names: bool,
    /// Whether rules of a table separate lines of content, so that no line is a whole board.
    has_rules: bool,
}

impl LineSurvey {
    /// Surveys the lines of an input. `text` is the whole input.
    pub fn of<R: BufRead>(mut source: LineSource<R>, text: &[u8]) -> Self {
        let mut survey = Self { are_words: true, is_double_spaced: true, are_colours: true, ..Self::default() };
        let mut is_first_commented = false;
        while let Ok(Some(line)) = source.next_line() {
            survey.lines += 1;
            if survey.lines == 1 {
                survey.note_first_line(&line);
                is_first_commented = line.after_comment;
            } else {
                survey.has_inner_comments |= line.after_comment && !line.after_blank;
                survey.is_double_spaced &= line.after_blank;
                survey.begins_with_names &= line.after_rule == (survey.lines == 2);
                survey.has_rules |= line.after_rule;
            }
            let (_, cells) = content(&line);
            survey.are_colours = survey.are_colours && cells.chars().count() > 1 && colour_name(cells).is_some();
            survey.has_empty_cell_line |= line.trimmed() == EMPTY_NUMBER;
            survey.are_words &= !line.trimmed().contains([' ', '\t', ',', ';', '|']);
        }
        survey.has_inner_comments &= !is_first_commented;
        survey.is_double_spaced &= survey.lines > 1;
        survey.looks_like_bunny = looks_like_bunny(text);
        survey
    }

    fn note_first_line(&mut self, line: &Line) {
        let words = line.tokens().count();
        let numbers = whole_numbers(line, 5);
        self.has_many_numbers = whole_numbers(line, usize::MAX).is_some_and(|numbers| numbers.len() > 4);
        let last = line.tokens().last().map_or("", |(_, word)| word);
        let has_start = words > 1 && starts_with_numbers(line, words - 1) && last.parse::<Start>().is_ok();
        self.header_words = (numbers.is_some() || has_start).then_some(words);
        let has_large = numbers.is_some_and(|all| words > 1 && all.iter().any(|number| number.value > MAX_COLOURS));
        self.begins_with_header = has_large || (has_start && words > 2);
        self.has_game_id = is_game_id(line);
        let separator = Separator::of(line);
        self.has_separator = separator != Separator::None;
        self.begins_with_names = cells(line, separator).iter().all(|(_, name)| name.parse::<f64>().is_err());
    }

    /// The readings without a header.
    pub fn headerless(&self, options: &ReadOptions) -> Vec<Grammar> {
        let wants = |format: Format| options.format.is_none_or(|wanted| wanted == format);
        let mut grammars = Vec::new();
        if self.has_game_id && wants(Format::GameId) {
            return vec![Grammar::GameIds];
        }
        if (wants(Format::Text) || wants(Format::Csv)) && !self.begins_with_header {
            let gaps = [(Gap::Any, true), (Gap::Blank, self.has_inner_comments), (Gap::Nothing, self.is_double_spaced)];
            let rows = |(gap, _)| Grammar::Rows(RowsGrammar { gap, ..RowsGrammar::default() });
            grammars.extend(gaps.into_iter().filter(|(_, is_worth)| *is_worth).map(rows));
        }
        if wants(Format::Lines) && (!self.has_rules || options.format.is_some()) {
            grammars.push(Grammar::Lines);
        }
        if self.looks_like_bunny && wants(Format::Bunny) {
            grammars.push(Grammar::Bunny);
        }
        grammars
    }

    /// The readings of a table with the names of its columns, of its rows, or of both.
    pub fn labelled(&self, options: &ReadOptions) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| wanted == Format::Csv);
        if !self.has_separator || self.has_game_id || !is_wanted {
            return Vec::new();
        }
        let rows = |labels| Grammar::Rows(RowsGrammar { labels, ..RowsGrammar::default() });
        [Labels::Columns, Labels::ColumnsAndRows, Labels::Rows].map(rows).to_vec()
    }

    /// The readings of a single line that holds a header and the cells.
    pub fn header_and_cells_in_line(&self, options: &ReadOptions) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| wanted == Format::Numbers);
        if !is_wanted || self.lines != 1 || !self.has_many_numbers {
            return Vec::new();
        }
        let headed =
            |form| HeadedGrammar { form, base: 1, has_board_count: false, is_row_per_line: false, is_inline: true };
        let forms = FORMS.iter().filter(|form| !form.is_width_first() && !form.has_start());
        forms.map(headed).map(Grammar::Headed).collect()
    }

    /// The readings with one cell in each line.
    pub fn one_cell_a_line(&self, options: &ReadOptions) -> Vec<Grammar> {
        // Lines such as `123` may be rows of an incomplete board. So lines are tried as cells only if all are words for
        // colours, one of them is -1, or the format is `csv`.
        let is_wanted = options.format == Some(Format::Csv)
            || (options.format.is_none() && (self.has_empty_cell_line || self.are_colours));
        let rows = RowsGrammar { is_cell_per_line: true, ..RowsGrammar::default() };
        if self.are_words && is_wanted { vec![Grammar::Rows(rows)] } else { Vec::new() }
    }

    /// The readings under headers in which each line is a row.
    pub fn headed_rows(&self, options: &ReadOptions) -> Vec<Grammar> {
        self.headed(options, true)
    }

    /// The readings under headers in which lines are broken anywhere.
    pub fn headed_numbers(&self, options: &ReadOptions) -> Vec<Grammar> {
        self.headed(options, false)
    }

    fn headed(&self, options: &ReadOptions, is_row_per_line: bool) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| {
            [Format::Text, Format::Csv, Format::Numbers].contains(&wanted)
                && (is_row_per_line || wanted == Format::Numbers)
        });
        if !is_wanted || (self.header_words.is_none() && options.format != Some(Format::Numbers)) {
            return Vec::new();
        }
        let mut grammars = Vec::new();
        let counts: &[bool] = if self.header_words == Some(1) { &[false, true] } else { &[false] };
        for &has_board_count in counts {
            for form in FORMS.iter().filter(|form| is_row_per_line || !form.is_width_first()) {
                let bases = if form.has_start() { 0..=1 } else { 1..=1 };
                let headed = |base| HeadedGrammar { form, base, has_board_count, is_row_per_line, is_inline: false };
                grammars.extend(bases.rev().map(headed).map(Grammar::Headed));
            }
        }
        grammars
    }
}

/// Whether `count` whole numbers, at most three, begin a line.
fn starts_with_numbers(line: &Line, count: usize) -> bool {
    count <= 3 && line.tokens().take(count).all(|(_, token)| token.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text has only the characters of boards of Hopping Bunny, and among them a start.
fn looks_like_bunny(text: &[u8]) -> bool {
    let is_known = |byte: &u8| b"S#O. \t\r\n".contains(byte);
    text.contains(&b'S') && text.iter().all(is_known)
}
