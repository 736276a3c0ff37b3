//! What a line of an input is: blank, content, a comment, or a rule of a drawn table.

use crate::formats::cells::palette::is_cell;

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Nothing, or only empty fields.
    Blank,
    /// Anything else: the text without a comment at its end, and with `|` for vertical lines.
    Content(String),
    /// A comment, the fence of a block of code, a line of dashes between boards, or a hint `sep=;`.
    Comment,
    /// A line between the rows of a table: `+---+---+`, `|---|---|`, `├─┼─┤`, `\hline`.
    Rule,
}

/// How comments begin.
const COMMENTS: [&str; 3] = ["#", "//", "%"];

const BLANKS: [char; 2] = [' ', '\t'];

impl LineKind {
    /// Finds the kind of a line. A text that begins with `empty`, the symbol of an empty cell, is no comment. Dashes
    /// are no rule if `empty` contains a dash.
    pub fn of(mut text: String, empty: Option<&str>) -> Self {
        let trimmed = text.trim_matches(BLANKS);
        // Spreadsheets write rows of empty fields.
        if trimmed.trim_matches([',', ';', ' ', '\t']).is_empty() && (trimmed.is_empty() || empty != Some("")) {
            return Self::Blank;
        }
        let is_hint = trimmed.starts_with("sep=") && trimmed.len() == 5;
        if is_comment(trimmed, empty) || is_fence(trimmed) || is_hint {
            return Self::Comment;
        }
        if let Some(drawn) = Self::of_drawn(trimmed, empty) {
            return drawn;
        }
        text.truncate(without_trailing_comment(&text, empty).len());
        if !text.is_ascii() && text.contains(is_upright) {
            text = text.replace(is_upright, "|");
        }
        Self::Content(text)
    }

    /// The kind of a line that is drawn of dashes and bars, or of a command of LaTeX; `None` for any other line.
    fn of_drawn(text: &str, empty: Option<&str>) -> Option<Self> {
        if text.starts_with('\\') && text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Some(Self::Rule);
        }
        let is_box = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
        let is_drawn = |c: char| "+-=|:".contains(c) || BLANKS.contains(&c) || is_box(c);
        if !text.chars().all(is_drawn) {
            return None;
        }
        let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
        let is_dash_empty = empty.is_some_and(|empty| empty.contains(['-', '=']));
        if text.chars().any(|c| is_box(c) && !is_upright(c)) || has(&["+-", "-+", "+=", "=+", ":-", "-:"]) {
            return Some(Self::Rule);
        }
        match has(&["---", "==="]) && !is_dash_empty {
            // A table without vertical lines has gaps in its rules.
            true if has(&["|", " ", "\t"]) => Some(Self::Rule),
            true => Some(Self::Comment),
            false => None,
        }
    }
}

/// Whether a line begins or ends a block of code or a text of several lines, as in `board = """`.
fn is_fence(text: &str) -> bool {
    let name = ["\"\"\"", "'''"].into_iter().find_map(|quotes| text.trim_end_matches(';').strip_suffix(quotes));
    text.starts_with("```") || name.is_some_and(|name| name.is_empty() || name.trim_end().ends_with('='))
}

/// Whether a text begins with a comment. The code of a colour, a vector of Lisp and an empty cell are no comments.
fn is_comment(text: &str, empty: Option<&str>) -> bool {
    let is_code = || {
        let code: String = text.chars().skip(1).take(7).collect();
        let (digits, after) = code.split_at(code.char_indices().nth(6).map_or(code.len(), |(at, _)| at));
        digits.len() == 6
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !after.starts_with(char::is_alphanumeric)
    };
    let is_vector = || text.starts_with("#(#(") || (text.starts_with("#(") && !text.contains(char::is_alphabetic));
    let begins = |mark: &&str| text.starts_with(mark) && !empty.is_some_and(|empty| empty.starts_with(&mark[..1]));
    COMMENTS.iter().find(|mark| begins(mark)).is_some_and(|mark| *mark != "#" || !(is_code() || is_vector()))
}

/// Cuts off a comment at the end of a line of content. The comment has to be outside quotes and to have a word that is
/// no cell, so `1 # #` keeps its cells.
fn without_trailing_comment<'a>(text: &'a str, empty: Option<&str>) -> &'a str {
    if !text.contains(['#', '/', '%']) {
        return text;
    }
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic) && !is_cell(word);
    let has_word = |comment: &str| comment.split(|c: char| !c.is_alphanumeric()).any(is_word);
    let (mut quote, mut is_after_blank, mut has_content) = (None, false, false);
    for (at, c) in text.char_indices() {
        if is_after_blank && has_content && quote.is_none() && is_comment(&text[at..], empty) && has_word(&text[at..]) {
            return text[..at].trim_end_matches(BLANKS);
        }
        match quote {
            _ if text[..at].ends_with('\\') => {}
            Some(open) if open == c => quote = None,
            // An apostrophe, and the quote before a list of Lisp, have no partner: they open no text.
            None if ['"', '\''].contains(&c) && text[at + 1..].contains(c) => quote = Some(c),
            _ => {}
        }
        is_after_blank = BLANKS.contains(&c);
        has_content |= !is_after_blank;
    }
    text
}

fn is_upright(c: char) -> bool {
    "│┃║╎╏┆┇┊┋".contains(c)
}
