//! Names of colours: the digits and letters of base 36, or decimal numbers on boards with larger colours.

use std::str::FromStr;

/// The symbol of an empty cell.
pub(crate) const EMPTY_SYMBOL: char = '.';

/// The number of an empty cell.
pub(crate) const EMPTY_NUMBER: &str = "-1";

/// The largest value of a colour that has a symbol: `Z`.
const MAX_SYMBOL_VALUE: u8 = 35;

/// The value of a symbol in base 36, which is its rank among all symbols: 0 to 35.
pub(crate) fn value(symbol: char) -> Option<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "a digit in base 36 is below 36")]
    symbol.to_digit(36).map(|v| v as u8)
}

/// The symbol with this value; letters are in upper case.
fn symbol_of(value: u8) -> char {
    char::from_digit(value.into(), 36).map_or('?', |c| c.to_ascii_uppercase())
}

/// The value of a colour whose name is a single symbol; `None` for any other name.
pub(crate) fn value_of_name(name: &str) -> Option<u8> {
    let mut chars = name.chars();
    chars.next().filter(|_| chars.as_str().is_empty()).and_then(value)
}

/// The number in a text of digits alone, if it is at most 255.
pub(crate) fn number(text: &str) -> Option<u8> {
    whole_number(text)
}

/// The number in a text of digits alone, if `T` can hold it.
pub(crate) fn whole_number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The whole number in a text with a point or a decimal comma, if it is at most 255: `2.0`, `2.000e+00`, `2,0`.
pub(crate) fn number_with_point(text: &str) -> Option<u8> {
    let pointed = text.replacen(',', ".", 1);
    let text = if text.contains('.') { text } else { &pointed };
    let has_point = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(".0");
    let value: f64 = text.parse().ok().filter(|_| has_point)?;
    (0..=u8::MAX).find(|&whole| f64::from(whole) == value)
}

/// The usual name of colour `value` on a board whose largest colour is `largest`: a symbol, or a number if there are
/// too few symbols.
pub(crate) fn usual_name(value: u8, largest: u8) -> String {
    if largest <= MAX_SYMBOL_VALUE { symbol_of(value).to_string() } else { value.to_string() }
}
