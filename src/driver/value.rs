//! The values of options: how flags and configurations read and write them.

use super::names::UnknownName;
use super::{BoundName, Parallel, PuzzleId, Selection, parse_engine};
use crate::board::{Columns, Corner, Format, Objective, ScoreRule};
use crate::domain::clickomania::Order;
use crate::engine::EngineKind;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::value_parser;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The value of an option.
pub trait Value: Sized {
    /// Reads the value of a key in a configuration.
    ///
    /// # Errors
    /// When the value has another type or cannot be parsed.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// The value as a configuration writes it; `None` if TOML cannot hold the value.
    fn write(&self) -> Option<toml::Value>;

    /// The parser of the flag.
    fn parser() -> ValueParser;
}

/// Implements [`Value`] for types that are text in a configuration. `$parse` reads the text of a configuration,
/// `$write` writes the text, and `$parser` parses a flag.
macro_rules! text_values {
    ($($kind:ty: $parse:expr, $write:expr, $parser:expr;)*) => {$(
        impl Value for $kind {
            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
            }

            fn write(&self) -> Option<toml::Value> {
                Some(toml::Value::String($write(self)))
            }

            fn parser() -> ValueParser {
                $parser
            }
        }
    )*};
}

text_values! {
    PuzzleId: str::parse::<Self>, Self::to_string, one_of(PuzzleId::all().map(puzzle_value), str::parse::<Self>);
    EngineKind: parse_engine, engine_name, one_of(EngineKind::ALL.map(EngineKind::name), parse_engine);
    Objective: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    Columns: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    Corner: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    ScoreRule: str::parse::<Self>, Self::to_string, ValueParser::new(str::parse::<Self>);
    Order: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    Parallel: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    Format: str::parse::<Self>, Self::to_string, one_of(Self::ALL.map(Self::name), str::parse::<Self>);
    BoundName: str::parse::<Self>, Self::to_string, ValueParser::new(str::parse::<Self>);
    Size: str::parse::<Self>, Self::to_string, ValueParser::new(str::parse::<Self>);
    Time: str::parse::<Self>, Self::to_string, ValueParser::new(str::parse::<Self>);
    // Configurations are written without the selection of boards, so the empty text is never read.
    Selection: str::parse::<Self>, |_: &Self| String::new(), ValueParser::new(str::parse::<Self>);
}

/// Implements [`Value`] for types that are whole numbers in a configuration.
macro_rules! numbers {
    ($($kind:ty: $write:expr;)*) => {$(
        impl Value for $kind {
            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::deserialize(from)
            }

            fn write(&self) -> Option<toml::Value> {
                i64::try_from($write(*self)).ok().map(toml::Value::Integer)
            }

            fn parser() -> ValueParser {
                value_parser!($kind).into()
            }
        }
    )*};
}

numbers! {
    u32: i64::from;
    u64: u64::from;
    NonZeroU32: NonZeroU32::get;
    NonZeroUsize: NonZeroUsize::get;
}

impl Value for PathBuf {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }

    fn write(&self) -> Option<toml::Value> {
        Some(toml::Value::String(self.display().to_string()))
    }

    fn parser() -> ValueParser {
        value_parser!(Self)
    }
}

/// A list: an array in a configuration, one flag for each element on the command line.
impl<T: Value + for<'de> Deserialize<'de>> Value for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }

    fn write(&self) -> Option<toml::Value> {
        Some(toml::Value::Array(self.iter().filter_map(Value::write).collect()))
    }

    fn parser() -> ValueParser {
        T::parser()
    }
}

/// The name of an engine.
fn engine_name(engine: &EngineKind) -> String {
    engine.name().to_owned()
}

/// A puzzle as a value of a flag. Help and completions list the name without the aliases.
fn puzzle_value(puzzle: PuzzleId) -> PossibleValue {
    PossibleValue::new(puzzle.name()).aliases(puzzle.aliases())
}

/// A parser for one of `names`. Help and completions list these names.
fn one_of<V, T, E>(
    names: impl IntoIterator<Item = V>,
    parse: impl Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
) -> ValueParser
where
    V: Into<PossibleValue>,
    T: Clone + Send + Sync + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    ValueParser::new(PossibleValuesParser::new(names).try_map(move |name| parse(&name)))
}

/// An amount of memory or disk in bytes: `512MiB`, `4GiB`, or a plain number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let bytes = text.parse::<bytesize::ByteSize>().map_or(0, |size| size.as_u64());
        let expected = "an amount above zero such as 512MiB, 4GiB";
        if bytes > 0 { Ok(Self(bytes)) } else { Err(amount("memory", text, expected)) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A time: `30s`, `10m`, `2h 30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl FromStr for Time {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let time = humantime::parse_duration(text).unwrap_or_default();
        let expected = "a time above zero such as 30s, 10m, 2h 30m";
        if time > Duration::ZERO { Ok(Self(time)) } else { Err(amount("time", text, expected)) }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

fn amount(what: &'static str, found: &str, expected: &str) -> UnknownName {
    UnknownName { what, found: found.to_owned(), expected: expected.to_owned() }
}
