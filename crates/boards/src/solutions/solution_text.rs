//! Solutions in text: finds the solutions of a file and the words of each.

use crate::Position;
use crate::file_settings::FileSettings;
use crate::formats::input::line_source::Line;
use crate::formats::mismatch::{LocatedMismatch, Mismatch, quote};
use std::cmp::Ordering;

/// A word with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub at: Position,
}

/// One solution in text, split into words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextSolution {
    /// The lines of the solution, without their separators.
    pub lines: Vec<Vec<Word>>,
    /// The texts of the lines.
    pub texts: Vec<String>,
    /// The objective value that the text claims.
    pub value: Option<u32>,
    /// The name of the board that the text names.
    pub board: Option<String>,
    pub settings: FileSettings,
    /// Whether numbers in front of the lines were left out.
    pub is_numbered: bool,
    /// Whether the words are the colours of a plan, such as `c2`.
    pub is_plan: bool,
    /// Why there are no moves, if this is the result of a board without a solution.
    pub missing_reason: Option<Mismatch>,
    /// Where a solution without words begins.
    pub begin: Position,
}

impl TextSolution {
    /// The words of a text without lines.
    pub fn of_text(text: &str) -> Self {
        let line = Line { text: text.to_owned(), ..Line::default() };
        Self::of(&[line])
    }

    fn of(lines: &[Line]) -> Self {
        let unnumbered = without_line_numbers(lines);
        let is_numbered = unnumbered.is_some();
        let lines = unnumbered.as_deref().unwrap_or(lines);
        let texts = lines.iter().map(|line| line.trimmed().to_owned()).collect();
        // A text may have no words, such as a lone bracket.
        let begin = lines.first().map_or(Position::default(), |line| Position { line: line.number, column: 1 });
        Self { lines: lines.iter().map(split_words).collect(), texts, begin, is_numbered, ..Self::default() }
    }

    /// The words of all lines.
    pub fn all(&self) -> impl Iterator<Item = &Word> {
        self.lines.iter().flatten()
    }

    /// Where the solution begins.
    pub fn begin(&self) -> Position {
        self.all().next().map_or(self.begin, |word| word.at)
    }

    /// The words without a first line that is the number of moves below it (0 if there are none). `count` returns the
    /// number of moves in words, `is_move` whether a word may be a move, and `merit` how well words solve the board.
    ///
    /// # Errors
    /// When each line is one word, the first may be a move as well as the number of moves after it, and the two
    /// readings have the same merit.
    pub fn without_move_count(
        &self,
        count: impl Fn(&[Word]) -> usize,
        is_move: impl Fn(&Word) -> bool,
        merit: impl Fn(&[Word]) -> u8,
    ) -> Result<Vec<Word>, Mismatch> {
        let all: Vec<Word> = self.all().cloned().collect();
        let Some(([first], rest)) = self.lines.split_first().map(|(first, rest)| (&first[..], rest)) else {
            return Ok(all);
        };
        let after_first: Vec<Word> = rest.iter().flatten().cloned().collect();
        if self.is_numbered || first.text.parse() != Ok(count(&after_first)) {
            return Ok(all);
        }
        if rest.is_empty() {
            // The text is a single word: a move of this name, or the number 0.
            return Ok(if is_move(first) && merit(&all) >= merit(&after_first) { all } else { after_first });
        }
        let are_single_characters = rest.iter().all(|line| line.len() == 1 && line[0].text.chars().count() == 1);
        match is_move(first).then(|| merit(&all).cmp(&merit(&after_first))) {
            Some(Ordering::Greater) => Ok(all),
            None | Some(Ordering::Less) => Ok(after_first),
            Some(_) if rest.len() == 1 || !are_single_characters => Ok(after_first),
            Some(_) => {
                let (moves, others) = (all.len(), rest.len());
                let found = format!("{moves} lines that are {moves} moves, or their number and {others} moves");
                Err(Mismatch::new(found, "one meaning: all moves on one line, without their number"))
            }
        }
    }
}

/// Characters between moves. A dash, or the first character of an arrow such as `=>`, is cut off the word before it.
const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '>'];

/// Characters around moves.
const BRACKETS: [char; 8] = ['[', ']', '(', ')', '{', '}', '"', '\''];

/// Removes the number in front of each line, such as `2.`, `2)` or `Move 2:`. `None` unless the numbers rise by 1, from
/// 0 or 1.
fn without_line_numbers(lines: &[Line]) -> Option<Vec<Line>> {
    let (numbers, lines): (Vec<usize>, Vec<Line>) = lines.iter().map(split_number).collect::<Option<_>>()?;
    let first = *numbers.first().filter(|first| **first <= 1)?;
    (first..).zip(numbers).all(|(expected, number)| expected == number).then_some(lines)
}

/// The number in front of a line, and the line with spaces in its place.
fn split_number(line: &Line) -> Option<(usize, Line)> {
    let text = line.trimmed();
    let after_word = text.trim_start_matches(char::is_alphabetic);
    let number = after_word.trim_start_matches([' ', '#']);
    if after_word.len() < text.len() && number.len() == after_word.len() {
        return None;
    }
    let (number, moves) =
        number.split_once([':', '.', ')']).filter(|(_, moves)| moves.starts_with([' ', '\t', '(']))?;
    let column = line.text.trim_end().chars().count() - moves.chars().count();
    Some((number.parse().ok()?, Line { text: " ".repeat(column) + moves, ..line.clone() }))
}

/// Parses the plan of a planner for a board that `export` wrote: actions `(play c2)`, and comments after `;`.
fn parse_plan(lines: &[Line]) -> Option<TextSolution> {
    let actions: Vec<Line> = lines.iter().filter(|line| !line.trimmed().starts_with(';')).cloned().collect();
    let mut plan = TextSolution { is_plan: true, ..TextSolution::of(&actions) };
    for line in &mut plan.lines {
        match &line[..] {
            [action, _] if action.text.eq_ignore_ascii_case("play") => line.remove(0),
            _ => return None,
        };
    }
    (!plan.lines.is_empty()).then_some(plan)
}

/// The words of a line: the texts between separators, brackets and quotes. A line such as `2,,1` has an empty word.
fn split_words(line: &Line) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut text = String::new();
    let (mut at, mut after_mark) = (1, true);
    let add = |text: &mut String, is_arrow: bool, at: usize, found: &mut Vec<Word>| {
        let word = std::mem::take(text);
        let word = word.trim_end_matches(|c| c == '-' || (is_arrow && c == '='));
        if !word.is_empty() {
            found.push(Word { text: word.to_owned(), at: line.at(at) });
        }
        !word.is_empty()
    };
    for (column, c) in (1..).zip(line.text.chars()) {
        if SEPARATORS.contains(&c) || BRACKETS.contains(&c) || c == '→' {
            let has_word = add(&mut text, c == '>', at, &mut found);
            if [',', ';'].contains(&c) {
                if !has_word && after_mark && !found.is_empty() {
                    found.push(Word { text: String::new(), at: line.at(column) });
                }
                after_mark = true;
            } else if has_word {
                after_mark = false;
            }
            continue;
        }
        if text.is_empty() {
            at = column;
        }
        text.push(c);
    }
    add(&mut text, false, at, &mut found);
    found
}

/// The solutions of a text. `expected` is their number, if the caller knows it.
pub(crate) fn solutions_of(lines: Vec<Line>, expected: Option<usize>) -> Vec<TextSolution> {
    if lines.iter().any(is_printed) {
        return parse_printed(&lines);
    }
    if let Some(results) = lines.iter().map(parse_colorfill).collect::<Option<Vec<_>>>() {
        return results;
    }
    if let Some(plan) = parse_plan(&lines) {
        return vec![plan];
    }
    let lines = if expected == Some(1) { lines } else { without_line_numbers(&lines).unwrap_or(lines) };
    let one_each = |lines: &[Line]| lines.iter().map(|line| TextSolution::of(std::slice::from_ref(line))).collect();
    let Some(expected) = expected else { return one_each(&lines) };
    if expected == 1 {
        return vec![TextSolution::of(&lines)];
    }
    let blocks: Vec<&[Line]> = lines.chunk_by(|_, next| !(next.after_blank || next.after_comment)).collect();
    if blocks.len() == expected && blocks.len() != lines.len() {
        return blocks.into_iter().map(TextSolution::of).collect();
    }
    let is_number = |line: &Line| line.trimmed().bytes().all(|byte| byte.is_ascii_digit());
    if lines.len() == 2 * expected && lines.iter().step_by(2).all(is_number) {
        return lines.chunks(2).map(TextSolution::of).collect();
    }
    // Each line is a solution. If there are too few or too many lines, this is reported when solutions are matched with
    // boards.
    one_each(&lines)
}

const STATUSES: [&str; 5] = ["optimal", "feasible", "cleared", "unsolvable", "unknown"];

const STATUSES_WITHOUT_MOVES: [&str; 2] = ["unsolvable", "unknown"];

/// The status with which a text begins.
fn status(text: &str) -> Option<&'static str> {
    STATUSES.into_iter().find(|status| text.strip_prefix(status).is_some_and(|rest| rest.starts_with(',')))
}

/// The name and the verdict of a line `NAME: optimal, 18 moves: ...`.
fn split_result(text: &str) -> Option<(&str, &str)> {
    let split_at_colon = |(at, _): (usize, &str)| (&text[..at], &text[at + 2..]);
    text.match_indices(": ").map(split_at_colon).find(|(_, verdict)| status(verdict).is_some())
}

/// Whether a line is a result as `solve` prints it.
fn is_printed(line: &Line) -> bool {
    status(&line.text).is_some() || split_result(&line.text).is_some()
}

/// Parses the text that `solve` prints: a line for each board, or a block for one board.
fn parse_printed(lines: &[Line]) -> Vec<TextSolution> {
    let mut found = Vec::new();
    let mut name = None;
    for (index, line) in lines.iter().enumerate() {
        if let Some((board, verdict)) = split_result(&line.text) {
            let has_moves = !STATUSES_WITHOUT_MOVES.iter().any(|status| verdict.starts_with(status));
            let (verdict, moves) = verdict.rsplit_once(": ").filter(|_| has_moves).unwrap_or((verdict, ""));
            let column = line.text.chars().count() - moves.chars().count();
            let moves = Line { text: " ".repeat(column) + moves, ..line.clone() };
            found.push(parse_result(line, verdict, Some(board), &[moves]));
        } else if status(&line.text).is_some() {
            let is_move = |line: &&Line| line.text.starts_with("  ");
            let moves: Vec<Line> = lines[index + 1..].iter().take_while(is_move).cloned().collect();
            found.push(parse_result(line, &line.text, name.take(), &moves));
        } else {
            name = line.text.split_once(": ").map(|(name, _)| name);
        }
    }
    found
}

/// Reads one printed result. A board without a solution has no moves.
pub(crate) fn parse_result(line: &Line, verdict: &str, board: Option<&str>, moves: &[Line]) -> TextSolution {
    let (value, settings) = parse_verdict(verdict);
    let words = TextSolution { value, board: board.map(str::to_owned), settings, ..TextSolution::of(moves) };
    let has_none = words.all().next().is_none() && !verdict.contains(", 0 ") && !verdict.contains("score 0");
    let missing_reason = has_none.then(|| Mismatch::new(quote(verdict), "a result with its moves"));
    TextSolution { missing_reason, begin: line.at(1), ..words }
}

/// The objective value of a verdict such as `optimal, 18 moves`, and the puzzle and the objective that its unit names.
fn parse_verdict(verdict: &str) -> (Option<u32>, FileSettings) {
    let amount = verdict.split(", ").nth(1).unwrap_or("");
    let number = |text: &str| text.replace(',', "").parse().ok();
    let settings = |domain: &str, objective: Option<&str>| {
        let mut settings = FileSettings::default();
        settings.add("domain", domain);
        objective.into_iter().for_each(|objective| settings.add("objective", objective));
        settings
    };
    if let Some((_, score)) = verdict.split_once("score ") {
        let digits: String = score.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        return (number(digits.trim_end_matches(',')), settings("clickomania", Some("score")));
    }
    let (count, unit) = amount.split_once(' ').unwrap_or((amount, ""));
    match unit.split(' ').next().unwrap_or("") {
        "move" | "moves" => (number(count), settings("flood-it", None)),
        "token" | "tokens" => (number(count), settings("bunny", None)),
        "cell" | "cells" => (number(count), settings("clickomania", Some("left"))),
        "click" | "clicks" if status(verdict) == Some("cleared") => (None, settings("clickomania", Some("clear"))),
        "click" | "clicks" => (number(count), settings("clickomania", Some("clicks"))),
        _ => (None, FileSettings::default()),
    }
}

/// Reads a line of ColorFill's results: a number, the moves with an underscore after each, the number of moves, and the
/// time.
fn parse_colorfill(line: &Line) -> Option<TextSolution> {
    let mut tokens = line.tokens();
    let (_, number) = tokens.next()?;
    let (column, word) = tokens.next()?;
    let (_, time) = tokens.next()?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) || !time.starts_with("milliSeconds") {
        return None;
    }
    let fits =
        |moves: &usize| word.strip_suffix(&moves.to_string()).is_some_and(|m| m.trim_end_matches('_').len() == *moves);
    let moves = (0..=word.len()).find(fits)?;
    let text = word.get(..moves)?.to_owned();
    let words = if text.is_empty() { Vec::new() } else { vec![Word { text: text.clone(), at: line.at(column) }] };
    let value = Some(u32::try_from(moves).ok()?);
    Some(TextSolution { lines: vec![words], texts: vec![text], value, ..TextSolution::default() })
}

/// The error for a word that is no move.
pub(crate) fn no_move(word: &Word, expected: impl Into<String>) -> LocatedMismatch {
    Mismatch::new(quote(&word.text), expected).at(word.at)
}
