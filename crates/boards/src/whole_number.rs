//! Whole numbers, as people write them.

use crate::OptionError;
use std::ops::RangeInclusive;

/// Reads a whole number: `1000000`, `1_000_000`, `1,000,000`, `1e6`, `10k`, `2.5M`.
#[must_use]
pub fn parse_whole_number(text: &str) -> Option<u64> {
    let (text, suffix) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 3),
        (at, 'm' | 'M') => (&text[..at], 6),
        (at, 'g' | 'G') => (&text[..at], 9),
        _ => (text, 0),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, digits_only(exponent)?.parse::<u32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, digits_only(fraction)?.trim_end_matches('0')),
        None => (mantissa, ""),
    };
    let whole = without_separators(whole)?;
    let zeros = exponent.checked_add(suffix)?.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    format!("{whole}{fraction}").parse::<u64>().ok()?.checked_mul(10u64.checked_pow(zeros)?)
}

/// The text, if it consists of digits.
#[must_use]
pub fn digits_only(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The digits of a number with separators: `_` anywhere between digits, and `,` before each group of three.
fn without_separators(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let has_groups = text.contains(',');
    let are_groups = !has_groups || ((1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3));
    let is_mixed = has_groups && text.contains('_');
    let stripped: String = text.chars().filter(|c| !['_', ','].contains(c)).collect();
    (are_groups && !is_mixed && !text.starts_with('_') && !text.ends_with('_'))
        .then(|| digits_only(&stripped).map(str::to_owned))?
}

/// Makes a parser of whole numbers within `range`. `convert` makes the value; it returns `None` if the type of the
/// value cannot hold the number. Errors show `example`.
pub fn whole_number_parser<T>(
    range: RangeInclusive<u64>,
    example: &'static str,
    convert: impl Fn(u64) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, OptionError> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse_whole_number(text.trim()).filter(|number| range.contains(number));
        number.and_then(&convert).ok_or_else(|| {
            let bounds = match (*range.start(), *range.end()) {
                (least, u64::MAX) => format!("from {least}"),
                (least, most) => format!("from {least} to {most}"),
            };
            OptionError::new(text, format!("a whole number {bounds}, such as {example}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let cases = [
            ("7", Some(7)),
            ("0", Some(0)),
            ("007", Some(7)),
            ("1_000_000", Some(1_000_000)),
            ("1,000,000", Some(1_000_000)),
            ("12,345", Some(12_345)),
            ("1e6", Some(1_000_000)),
            ("1.5e3", Some(1_500)),
            ("1.50e1", Some(15)),
            ("10k", Some(10_000)),
            ("2M", Some(2_000_000)),
            ("2.5M", Some(2_500_000)),
            ("18446744073709551615", Some(u64::MAX)),
        ];
        let large = ["18446744073709551616", "1e20", "1e99999999999", "1.5", "1.", ".5k", "1,00", "1,0000", "1000,000"];
        let others = [",000", "_1", "1_", "-1", "+1", "e6", "k", "x", "", "1e-3", "٣"];
        let none = large.into_iter().chain(others).map(|text| (text, None));
        for (text, expected) in cases.into_iter().chain(none) {
            assert_eq!(parse_whole_number(text), expected, "{text:?}");
        }
    }
}
