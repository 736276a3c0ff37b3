//! The values of options: how flags and configurations read and write them.

use super::amount::{ByteCount, ThreadCount, TimeSpan};
use super::{Parallelism, Selection};
use clap::builder::{PossibleValue, TypedValueParser, ValueParser};
use clap::value_parser;
use gridhunt_boards::{Format, whole_number_parser};
use gridhunt_puzzle::{BoundName, EngineKind, PuzzleId};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

/// The value of an option.
pub trait OptionValue: Sized {
    /// Parses the value of a key in a configuration.
    ///
    /// # Errors
    /// When the value has another type or cannot be parsed.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// The value in a configuration; `None` if TOML cannot represent it, or configurations omit it.
    fn write(&self) -> Option<toml::Value>;

    /// The parser of the flag.
    fn parser() -> ValueParser;
}

/// Implements [`OptionValue`]: `$parse` parses the text of a flag or of a configuration, `$write` makes the value in a
/// configuration, and `$parser` makes the parser of the flag from `$parse`.
macro_rules! values {
    ($($kind:ty: $parse:expr, $write:expr, $parser:expr;)*) => {$(
        impl OptionValue for $kind {
            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $parse(&text_or_number(from)?).map_err(Error::custom)
            }

            fn write(&self) -> Option<toml::Value> {
                $write(self)
            }

            fn parser() -> ValueParser {
                $parser($parse)
            }
        }
    )*};
}

values! {
    PuzzleId: str::parse::<Self>, text, |parse| choice_parser(PuzzleId::all().map(puzzle_value), parse);
    EngineKind: str::parse::<Self>, text, |parse| choice_parser(EngineKind::all().into_iter().map(engine_value), parse);
    Parallelism: str::parse::<Self>, text, |parse| choice_parser(Self::ALL.map(Self::name), parse);
    Format: str::parse::<Self>, text, |parse| choice_parser(Self::ALL.map(Self::name), parse);
    BoundName: str::parse::<Self>, text, ValueParser::new;
    ByteCount: str::parse::<Self>, text, ValueParser::new;
    TimeSpan: str::parse::<Self>, text, ValueParser::new;
    // Configurations omit the selection of boards.
    Selection: str::parse::<Self>, |_: &Self| None, ValueParser::new;
    ThreadCount: str::parse::<Self>, |threads: &Self| integer(threads.0), ValueParser::new;
    u64: whole_number_parser(0..=Self::MAX, "1000000 or 1e6", Some), |n: &Self| integer(*n), ValueParser::new;
}

fn text(value: &impl ToString) -> Option<toml::Value> {
    Some(toml::Value::String(value.to_string()))
}

fn integer(number: impl TryInto<i64>) -> Option<toml::Value> {
    number.try_into().ok().map(toml::Value::Integer)
}

/// An [`OptionValue`] that is read from a configuration. Its error names the position of the value.
pub(super) struct ConfigValue<T>(pub(super) T);

impl<'de, T: OptionValue> Deserialize<'de> for ConfigValue<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(Self)
    }
}

/// Parses a text, or the text of a number.
pub(super) fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    from.deserialize_any(TextOrNumber)
}

struct TextOrNumber;

impl Visitor<'_> for TextOrNumber {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

impl OptionValue for PathBuf {
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
impl<T: OptionValue + for<'de> Deserialize<'de>> OptionValue for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }

    fn write(&self) -> Option<toml::Value> {
        Some(toml::Value::Array(self.iter().filter_map(OptionValue::write).collect()))
    }

    fn parser() -> ValueParser {
        T::parser()
    }
}

/// Describes an engine as a value of a flag.
fn engine_value(engine: EngineKind) -> PossibleValue {
    PossibleValue::new(engine.name()).help(engine.info.summary)
}

/// Describes a puzzle as a value of a flag. Help and completions omit the aliases.
fn puzzle_value(puzzle: PuzzleId) -> PossibleValue {
    PossibleValue::new(puzzle.name()).aliases(&puzzle.info().names[1..])
}

/// Makes a parser that accepts one of `names`, which help and completions list. `parse` also makes the errors.
pub fn choice_parser<V, T, E>(
    names: impl IntoIterator<Item = V>,
    parse: impl Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
) -> ValueParser
where
    V: Into<PossibleValue>,
    T: Clone + Send + Sync + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    ValueParser::new(ChoiceParser { names: names.into_iter().map(Into::into).collect(), parse })
}

/// See [`choice_parser`].
#[derive(Clone)]
struct ChoiceParser<F> {
    names: Vec<PossibleValue>,
    parse: F,
}

impl<T, E, F> TypedValueParser for ChoiceParser<F>
where
    T: Clone + Send + Sync + 'static,
    E: std::error::Error + Send + Sync + 'static,
    F: Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().cloned()))
    }
}
