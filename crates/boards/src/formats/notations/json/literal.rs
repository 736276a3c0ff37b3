//! Lists and objects in the notations of programming languages: `{{1,2},{3,4}};`, `[1 2; 3 4]`, `np.array([[1, 2]])`,
//! `{board: ['ab', 'ba']}`, `#(#(1 2) #(3 4))`, and what numpy prints.
//!
//! Any brackets enclose a list. Commas, blanks and semicolons separate items; a semicolon ends a row. The name of a
//! function before a bracket is skipped.

use super::value::Value;

const OPEN: [char; 3] = ['[', '{', '('];
const CLOSE: [char; 3] = [']', '}', ')'];

/// How deep lists may be nested.
const MAX_DEPTH: usize = 32;

/// The byte at which the value of a line begins: a bracket, perhaps after `NAME =` and the names of functions. `None`
/// if no value begins in the line.
pub(crate) fn value_start(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let open = line.len() - line[indent..].trim_start_matches(['\'', '#']).len();
    if line[open..].starts_with(OPEN) {
        return Some(open);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.!:<>".contains(c);
    let is_declaration = |c: char| is_name(c) || " \t[],;*&-".contains(c);
    if !line[indent..].starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c)) {
        return None;
    }
    let assigned = line.find('=').filter(|&at| line[..at].chars().all(is_declaration));
    let mut at = assigned.map_or(indent, |at| at + 1);
    loop {
        let bracket = at + line[at..].find(OPEN)?;
        let names = &line[at..bracket];
        let is_behind_name = names.ends_with(is_name);
        if !names.chars().all(|c| is_name(c) || c == ' ') || (assigned.is_none() && !is_behind_name) {
            return None;
        }
        // The brackets of a type, as in `new int[][] {`.
        match line[bracket..].strip_prefix("[]") {
            Some(_) => at = bracket + 2,
            // The argument of a function is a board only if it has lists inside.
            None if is_behind_name && !(line[bracket + 1..].contains(OPEN) || line.ends_with(OPEN)) => return None,
            None => return Some(bracket),
        }
    }
}

/// Parses a text that is one value, perhaps followed by a semicolon.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut parser = Parser { rest: text };
    parser.skip_blanks();
    let value = parser.bracketed(0)?;
    let is_end = parser.rest.chars().all(|c| c.is_whitespace() || [';', ','].contains(&c));
    is_end.then(|| unwrap_single_table(value))
}

/// Returns the only item of a list if this item is a list of lists, as in `array([[1, 2], [3, 4]])`; otherwise the
/// value itself.
fn unwrap_single_table(value: Value) -> Value {
    let is_table = |item: &Value| item.list().is_some_and(|rows| rows.iter().all(|row| row.list().is_some()));
    match value {
        Value::List(mut items) if items.len() == 1 && is_table(&items[0]) => items.remove(0),
        value => value,
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Parses a list or an object. `depth` is the number of brackets around it.
    fn bracketed(&mut self, depth: usize) -> Option<Value> {
        let close = OPEN.iter().position(|open| self.rest.starts_with(*open)).map(|kind| CLOSE[kind])?;
        self.next();
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut list = List::default();
        loop {
            let gap = self.rest.len() - self.rest.trim_start().len();
            let has_line_end = self.rest[..gap].contains('\n');
            self.skip_blanks();
            self.rest = self.rest.strip_prefix('#').filter(|rest| rest.starts_with('(')).unwrap_or(self.rest);
            let c = self.rest.chars().next()?;
            // Lines are rows if nothing else says what rows are.
            if has_line_end && depth == 0 && !list.after_comma && !OPEN.contains(&c) && !CLOSE.contains(&c) {
                list.end_row();
            }
            match c {
                _ if c == close => {
                    self.next();
                    return Some(list.finish());
                }
                ',' if list.row.is_empty() || list.after_comma => return None,
                ',' => {
                    self.next();
                    list.after_comma = true;
                }
                ';' => {
                    self.next();
                    list.end_row();
                    list.has_rows = true;
                }
                _ if OPEN.contains(&c) => list.add(self.bracketed(depth + 1)?),
                _ => {
                    let item = self.scalar()?;
                    self.rest = self.rest.trim_start_matches([' ', '\t']);
                    match self.rest.chars().next()? {
                        ':' if close == '}' && list.is_empty() => return self.object(key(item)?, depth),
                        // This argument says nothing about the cells. Others may say what rows are.
                        '=' if item.text() != Some("dtype") => return None,
                        '=' => {
                            self.next();
                            self.scalar()?;
                            list.after_comma = false;
                        }
                        open if OPEN.contains(&open) && item.text().is_some() => {}
                        _ => list.add(item),
                    }
                }
            }
        }
    }

    /// Parses the fields after the first key, which is `name`, up to the closing brace.
    fn object(&mut self, mut name: String, depth: usize) -> Option<Value> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        loop {
            self.skip_blanks();
            if self.next()? != ':' {
                return None;
            }
            self.skip_blanks();
            let value = if self.rest.starts_with(OPEN) { self.bracketed(depth + 1)? } else { self.scalar()? };
            if fields.iter().any(|(known, _)| *known == name) {
                return None;
            }
            fields.push((name, value));
            self.skip_blanks();
            match self.next()? {
                '}' => return Some(Value::Object(fields)),
                ',' => self.skip_blanks(),
                _ => return None,
            }
            if self.rest.starts_with('}') {
                self.next();
                return Some(Value::Object(fields));
            }
            name = key(self.scalar()?)?;
        }
    }

    /// Parses a text in quotes, a number or a word.
    fn scalar(&mut self) -> Option<Value> {
        let quote = self.rest.chars().next()?;
        if ['"', '\''].contains(&quote) {
            self.next();
            let end = self.rest.find(quote)?;
            let text = self.rest[..end].to_owned();
            self.rest = &self.rest[end + 1..];
            return (!text.contains('\\')).then_some(Value::Text(text));
        }
        let is_end = |c: char| c.is_whitespace() || OPEN.contains(&c) || CLOSE.contains(&c) || ",;:=\"'".contains(c);
        let end = self.rest.find(is_end).filter(|&end| end > 0)?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
        Some(match word.parse() {
            _ if ["None", "null", "nil", "NULL"].contains(&word) => Value::Null,
            Ok(number) if is_number => Value::of_float(number),
            _ => Value::Text(word.to_owned()),
        })
    }
}

fn key(value: Value) -> Option<String> {
    match value {
        Value::Text(key) | Value::Number(key) => Some(key),
        _ => None,
    }
}

/// A list while its items are read.
#[derive(Default)]
struct List {
    rows: Vec<Value>,
    row: Vec<Value>,
    /// Whether a semicolon has ended a row.
    has_rows: bool,
    after_comma: bool,
}

impl List {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.row.is_empty()
    }

    fn add(&mut self, item: Value) {
        self.row.push(item);
        self.after_comma = false;
    }

    fn end_row(&mut self) {
        if !self.row.is_empty() {
            self.rows.push(Value::List(std::mem::take(&mut self.row)));
        }
    }

    fn finish(mut self) -> Value {
        if self.rows.is_empty() {
            return Value::List(self.row);
        }
        self.end_row();
        match self.rows.len() {
            1 if !self.has_rows => self.rows.remove(0),
            _ => Value::List(self.rows),
        }
    }
}
