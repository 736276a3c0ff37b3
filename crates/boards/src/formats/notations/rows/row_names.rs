//! The names of the rows of a table: `0`, `1`, `2`; `3`, `2`, `1`; `A`, `B`, `C`; `row 1`, `row 2`.

use crate::formats::mismatch::{Mismatch, quote};

/// The names of the rows so far.
#[derive(Clone, Debug, Default)]
pub(super) struct RowNames {
    /// The text before the number, which all names share; `None` before the first name.
    prefix: Option<String>,
    are_letters: bool,
    first: i64,
    last: i64,
    count: i64,
}

/// The fewest consecutive numbers that count as names if cells have numbers as large. Fewer numbers may be cells.
const FEWEST_NUMBERS: i64 = 5;

/// The text before the number of a name, the number, and whether a letter stands for the number.
fn split_name(name: &str) -> Option<(&str, i64, bool)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if let Ok(number) = name[prefix.len()..].parse()
        && !prefix.contains(|c: char| c.is_ascii_digit())
    {
        return Some((prefix, number, false));
    }
    match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(("", i64::from(letter.to_ascii_uppercase() - b'A'), true)),
        _ => None,
    }
}

impl RowNames {
    /// Adds the next name.
    ///
    /// # Errors
    /// When the name does not follow the one before: numbers rise from 0 or 1, or fall.
    pub fn push(&mut self, name: &str) -> Result<(), Mismatch> {
        let wrong = || {
            Mismatch::new(
                quote(name),
                "the name of the row: a number or a letter, one more or one less than in the row before",
            )
        };
        let (prefix, number, is_letter) = split_name(name).ok_or_else(wrong)?;
        let is_next = match (&self.prefix, self.count) {
            (None, _) => true,
            (Some(before), _) if before != prefix || self.are_letters != is_letter => false,
            (_, 1) => (number - self.last == 1 && self.first <= 1) || self.last - number == 1,
            // The names before have equal steps of 1 or -1.
            _ => number - self.last == (self.last - self.first).signum(),
        };
        if !is_next {
            return Err(wrong());
        }
        if self.prefix.is_none() {
            (self.prefix, self.are_letters, self.first) = (Some(prefix.to_owned()), is_letter, number);
        }
        (self.last, self.count) = (number, self.count + 1);
        Ok(())
    }

    /// Whether no name is missing at the start of the sequence: the least name is the first letter, 0, or 1.
    pub fn include_first(&self) -> bool {
        self.first.min(self.last) <= i64::from(!self.are_letters)
    }

    /// Whether there are enough names, so that they are unlikely to be cells. The cells of the table have numbers up to
    /// `largest`.
    pub fn are_convincing(&self, largest: i64) -> bool {
        let are_numbers = !self.are_letters && self.prefix.as_deref() == Some("");
        let fewest = match are_numbers {
            true if self.first.max(self.last) <= largest => FEWEST_NUMBERS,
            true => 3,
            false => 2,
        };
        self.count >= fewest
    }

    /// Whether these are the names of all rows or columns, in their order.
    pub fn are_sequence(names: &[String]) -> bool {
        let mut row_names = Self::default();
        names.iter().all(|name| row_names.push(name).is_ok()) && row_names.include_first()
    }
}
