//! The options that one puzzle alone knows: a table, and the values that somebody gave.

use super::PuzzleId;
use std::collections::BTreeMap;

/// An option of a puzzle: a flag, a key of configurations, and a fact in records.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleOption {
    /// The name of the flag and of the key. No other option has it, of any puzzle.
    pub name: &'static str,
    /// The help, with the default.
    pub help: &'static str,
    /// What stands for the value in the help.
    pub value_name: &'static str,
    /// All values, if they are few; otherwise empty.
    pub values: &'static [&'static str],
    /// Refuses a text that is no value, with the reason.
    pub check: fn(&str) -> Result<(), String>,
    /// What fields of files with boards call the option, in small letters, without hyphens and spaces.
    pub fields: &'static [&'static str],
    /// Whether the values are whole numbers.
    pub is_number: bool,
    /// Whether the option is a rule of play. The others say what is optimised.
    pub is_rule: bool,
    /// The fact about a board that records hold, if the option is one.
    pub fact: Option<FactInfo>,
}

/// A fact that records of every board name, null where it is no fact about the board.
#[derive(Clone, Copy, Debug)]
pub struct FactInfo {
    /// Its name in records.
    pub name: &'static str,
    /// A description of one line.
    pub help: &'static str,
}

/// A fact about a board and its rules, in the order of the puzzle's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name in records.
    pub name: &'static str,
    /// The value.
    pub value: FactValue,
}

/// The value of a [`Fact`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum FactValue {
    /// A number.
    Number(u32),
    /// A text.
    Text(String),
}

/// The options of puzzles that somebody gave, with the texts of their values. All texts are
/// [checked](PuzzleOption::check).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, String>);

impl Values {
    /// The value of an option, if it was given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Gives an option a value, in place of an earlier one.
    ///
    /// # Errors
    /// When the option has no such value.
    pub fn set(&mut self, option: &PuzzleOption, text: &str) -> Result<(), String> {
        (option.check)(text)?;
        self.0.insert(option.name, text.to_owned());
        Ok(())
    }

    /// Takes from `other` each option that has no value here.
    pub fn fill_from(&mut self, other: Self) {
        for (name, text) in other.0 {
            self.0.entry(name).or_insert(text);
        }
    }

    /// Puts the options that are given here on top of others.
    pub fn lay_over(&self, below: &mut Self) {
        below.0.extend(self.0.iter().map(|(name, text)| (*name, text.clone())));
    }

    /// The options that are rules of play.
    #[must_use]
    pub fn rules(&self) -> Self {
        let is_rule = |(option, _): &(&'static PuzzleOption, &str)| option.is_rule;
        Self(self.given().filter(is_rule).map(|(option, text)| (option.name, text.to_owned())).collect())
    }

    /// The options that were given, by their names.
    pub fn given(&self) -> impl Iterator<Item = (&'static PuzzleOption, &str)> {
        self.0.iter().filter_map(|(name, text)| Some((option_named(name)?.1, text.as_str())))
    }

    /// The value of an option, as its type reads it; `None` if it was not given.
    #[must_use]
    pub fn parsed<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }
}

/// The options of all puzzles, with their puzzles, in the order of the registry.
pub fn options() -> impl Iterator<Item = (PuzzleId, &'static PuzzleOption)> {
    PuzzleId::all().flat_map(|puzzle| puzzle.info().options.iter().map(move |option| (puzzle, option)))
}

/// The option of this name, with its puzzle.
#[must_use]
pub fn option_named(name: &str) -> Option<(PuzzleId, &'static PuzzleOption)> {
    options().find(|(_, option)| option.name == name)
}
