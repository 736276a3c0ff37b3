//! The selection of boards of the input by number: `1-100,205`.

use std::str::FromStr;

/// Board numbers, counted from 1 in each file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Vec<(usize, usize)>);

/// A part of a selection that is not a range of board numbers.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found:?}, expected board numbers from 1, as in 1-100,205")]
pub struct SelectionError {
    /// The wrong part.
    pub found: String,
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (1 <= first && first <= last).then_some((first, last))
        };
        let mut ranges = text
            .split(',')
            .map(|part| range(part).ok_or_else(|| SelectionError { found: part.to_owned() }))
            .collect::<Result<Vec<_>, _>>()?;
        ranges.sort_unstable();
        // Merge the ranges, so that they are disjoint and in rising order. `count` adds their lengths.
        let mut merged: Vec<(usize, usize)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Ok(Self(merged))
    }
}

impl Selection {
    /// Whether the board with this number is selected.
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        let behind = self.0.partition_point(|&(first, _)| first <= number);
        behind > 0 && number <= self.0[behind - 1].1
    }

    /// The greatest selected number. No board behind it has to be read.
    #[must_use]
    pub fn last(&self) -> usize {
        self.0.last().map_or(0, |&(_, last)| last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_and_numbers_in_any_order() {
        let selection: Selection = "205, 1-3,3-5".parse().unwrap();
        let wanted: Vec<_> = (0..300).filter(|&n| selection.contains(n)).collect();
        assert_eq!(wanted, [1, 2, 3, 4, 5, 205]);
        assert_eq!(selection.last(), 205);
    }

    #[test]
    fn what_is_no_range_is_named() {
        for (text, found) in [("", ""), ("0", "0"), ("3-2", "3-2"), ("1,x", "x"), ("1-2-3", "1-2-3"), ("-4", "-4")] {
            assert_eq!(text.parse::<Selection>(), Err(SelectionError { found: found.to_owned() }), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_selected_by_any_range(ranges in prop::collection::vec((1usize..40, 0usize..10), 1..6), number in 0usize..60) {
            let text: Vec<_> = ranges.iter().map(|(first, more)| format!("{first}-{}", first + more)).collect();
            let selection: Selection = text.join(",").parse().unwrap();
            let is_in = |&(first, more): &(usize, usize)| (first..=first + more).contains(&number);
            prop_assert_eq!(selection.contains(number), ranges.iter().any(is_in));
        }
    }
}
