//! The selection of boards of the input by number: `1-100,205`.

use gridhunt_boards::OptionError;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Board numbers, counted from 1 in each file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Vec<RangeInclusive<usize>>);

impl FromStr for Selection {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (1 <= first && first <= last).then_some(first..=last)
        };
        let expected = "board numbers from 1, as in 1-100,205";
        let ranges = text.split(',').map(|part| range(part).ok_or_else(|| OptionError::new(part, expected)));
        Ok(Self(ranges.collect::<Result<_, _>>()?))
    }
}

impl Selection {
    /// Whether the board with this number is selected.
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// The greatest selected number.
    #[must_use]
    pub fn last(&self) -> usize {
        self.0.iter().map(|range| *range.end()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(text.parse::<Selection>().map_err(|error| error.found), Err(found.to_owned()), "{text:?}");
        }
    }
}
