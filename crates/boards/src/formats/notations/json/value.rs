//! A JSON value. The fields of an object keep the order of the text, and no key occurs twice.

use crate::formats::mismatch::{plural, quote};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A whole number as text. A number such as `1.0` is whole.
    Number(String),
    /// A number that is not whole.
    Fraction(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The value as messages show it.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => number.clone(),
            Self::Fraction(number) => number.to_string(),
            Self::Text(text) => quote(text),
            Self::List(items) => format!("a list of {}", plural(items.len(), "item")),
            Self::Object(_) => "an object".to_owned(),
        }
    }

    /// The text, if the value is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text, if the value is one, or the text of a whole number.
    pub fn scalar(&self) -> Option<&str> {
        if let Self::Text(text) | Self::Number(text) = self { Some(text) } else { None }
    }

    /// The items, if the value is a list.
    pub fn list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The value of a number that has a point or an exponent.
    pub fn of_float(value: f64) -> Self {
        let is_whole = value.fract() == 0.0 && value.abs() < 1e15;
        if is_whole { Self::Number(format!("{value:.0}")) } else { Self::Fraction(value) }
    }

    /// The number, if the value is a whole number that `T` can hold.
    pub fn whole_number<T: std::str::FromStr>(&self) -> Option<T> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;
        impl<'de> Visitor<'de> for AnyValue {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E: Error>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value.to_string()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value.to_string()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
                Ok(Value::of_float(value))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let items = std::iter::from_fn(|| items.next_element().transpose());
                items.collect::<Result<_, _>>().map(Value::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
                let mut object: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = entries.next_entry::<String, Value>()? {
                    if object.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format_args!("the key {key:?} twice, expected each key once")));
                    }
                    object.push((key, value));
                }
                Ok(Value::Object(object))
            }
        }
        deserializer.deserialize_any(AnyValue)
    }
}
