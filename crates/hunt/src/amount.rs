//! Numbers of threads, amounts of memory and times, as the user writes them.

use gridhunt_boards::{OptionError, digits_only, parse_whole_number, whole_number_parser};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The largest [`ByteCount`]: 1 PiB.
const MAX_BYTES: u64 = 1 << 50;

/// The longest [`TimeSpan`]: 100 years.
const MAX_SECONDS: u64 = 100 * 31_557_600;

/// The least number without a unit for which the error suggests bytes instead of MiB.
const MIN_SUGGESTED_BYTES: u64 = 1 << 20;

/// A number of worker threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCount(pub usize);

impl ThreadCount {
    /// The maximum.
    pub const MAX: u64 = 1_024;
}

impl FromStr for ThreadCount {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        whole_number_parser(1..=Self::MAX, "8", |threads| usize::try_from(threads).ok().map(Self))(text)
    }
}

/// An amount of memory or disk in bytes, with a unit: `512MiB`, `4GiB`, `100kB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount(pub u64);

impl FromStr for ByteCount {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let wrong = |expected: &str| OptionError::new(text, expected);
        let text = text.trim();
        let lacks_unit = !text.chars().any(char::is_alphabetic);
        match text.parse::<bytesize::ByteSize>().map(|size| size.as_u64()) {
            Ok(0) => Err(wrong("an amount above zero such as 512MiB, 4GiB")),
            Ok(bytes) if bytes > MAX_BYTES => Err(wrong("at most 1PiB")),
            Ok(bytes) if lacks_unit => {
                Err(wrong(&format!("a unit: {text}{}", if bytes < MIN_SUGGESTED_BYTES { "MiB" } else { "B" })))
            }
            Ok(bytes) => Ok(Self(bytes)),
            Err(_) => Err(wrong("an amount such as 512MiB, 4GiB")),
        }
    }
}

impl fmt::Display for ByteCount {
    /// Writes the amount exactly, in the largest unit that divides it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B")];
        let (shift, unit) = units.into_iter().find(|(shift, _)| self.0.is_multiple_of(1 << shift)).unwrap_or((0, "B"));
        write!(f, "{}{unit}", self.0 >> shift)
    }
}

/// A time: `30s`, `10m`, `2h 30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

impl FromStr for TimeSpan {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let wrong = |expected: &str| OptionError::new(text, expected);
        let trimmed = text.trim();
        match (parse_whole_number(trimmed), humantime::parse_duration(trimmed)) {
            (Some(0), _) | (_, Ok(Duration::ZERO)) => Err(wrong("a time above zero such as 30s, 10m, 2h 30m")),
            (Some(number), _) if digits_only(trimmed).is_some() => Err(wrong(&format!("a unit: {number}s"))),
            (_, Ok(time)) if time > Duration::from_secs(MAX_SECONDS) => Err(wrong("at most 100 years")),
            (_, Ok(time)) => Ok(Self(time)),
            (_, Err(_)) => Err(wrong("a time such as 30s, 10m, 2h 30m")),
        }
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_a_unit_and_is_neither_nothing_nor_absurd() {
        let said = |text: &str| text.parse::<ByteCount>().map_err(|error| error.to_string());
        for (text, expected) in [
            ("64", "found \"64\", expected a unit: 64MiB"),
            ("1073741824", "found \"1073741824\", expected a unit: 1073741824B"),
            ("1.5", "found \"1.5\", expected an amount such as 512MiB, 4GiB"),
            ("1e6", "found \"1e6\", expected an amount such as 512MiB, 4GiB"),
            ("0", "found \"0\", expected an amount above zero such as 512MiB, 4GiB"),
            ("0GiB", "found \"0GiB\", expected an amount above zero such as 512MiB, 4GiB"),
            ("2PiB", "found \"2PiB\", expected at most 1PiB"),
            ("99999999999999GiB", "found \"99999999999999GiB\", expected at most 1PiB"),
            ("-5GiB", "found \"-5GiB\", expected an amount such as 512MiB, 4GiB"),
            ("much", "found \"much\", expected an amount such as 512MiB, 4GiB"),
        ] {
            assert_eq!(said(text), Err(expected.to_owned()));
        }
        for bytes in [1, 1_000, 1 << 20, 3 << 30, (1 << 30) + 1, 1 << 40, MAX_BYTES] {
            assert_eq!(ByteCount(bytes).to_string().parse(), Ok(ByteCount(bytes)), "{}", ByteCount(bytes));
        }
        assert_eq!(ByteCount(4 << 30).to_string(), "4GiB");
    }

    #[test]
    fn a_time_has_a_unit_and_is_neither_nothing_nor_absurd() {
        for (text, expected) in [
            ("5", "found \"5\", expected a unit: 5s"),
            ("0", "found \"0\", expected a time above zero such as 30s, 10m, 2h 30m"),
            ("0s", "found \"0s\", expected a time above zero such as 30s, 10m, 2h 30m"),
            ("-5s", "found \"-5s\", expected a time such as 30s, 10m, 2h 30m"),
            ("soon", "found \"soon\", expected a time such as 30s, 10m, 2h 30m"),
            ("101years", "found \"101years\", expected at most 100 years"),
        ] {
            assert_eq!(text.parse::<TimeSpan>().unwrap_err().to_string(), expected);
        }
        assert_eq!("2h 30m".parse(), Ok(TimeSpan(Duration::from_secs(9_000))));
        assert_eq!("10m".parse(), Ok(TimeSpan(Duration::from_secs(600))));
    }
}
