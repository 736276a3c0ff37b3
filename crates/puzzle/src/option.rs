//! The options that only one puzzle has: their description, and the values that a user gave them.

use super::PuzzleId;
use std::collections::BTreeMap;

/// An option of a puzzle. It is a flag on the command line, a key in configurations, and a fact in records.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleOption {
    /// The name of the flag and of the key. No other option of any puzzle has this name.
    pub name: &'static str,
    /// The help, with the default.
    pub help: &'static str,
    /// What stands for the value in the help.
    pub value_name: &'static str,
    /// All values, if they are few; otherwise empty.
    pub values: &'static [&'static str],
    /// Fails with a reason if the text is not a value of the option.
    pub check: fn(&str) -> Result<(), String>,
    /// The names of the fields that give the option in files with boards, in small letters, without hyphens and spaces.
    pub fields: &'static [&'static str],
    /// Whether the values are whole numbers.
    pub is_number: bool,
    /// Whether the option is a rule of play. The other options say what is optimised.
    pub is_rule: bool,
    /// The fact about a board in records, if records hold the value of the option.
    pub fact: Option<FactInfo>,
}

/// The name of a fact, and its help. The records of all boards have this field; it is null if it does not apply to the
/// board.
#[derive(Clone, Copy, Debug)]
pub struct FactInfo {
    /// Its name in records.
    pub name: &'static str,
    /// A description in one line.
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

/// The options that a user gave, with their values as texts. All texts are [checked](PuzzleOption::check).
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

    /// Copies the options that are given here into `below`, in place of their values there.
    pub fn lay_over(&self, below: &mut Self) {
        below.0.extend(self.0.iter().map(|(name, text)| (*name, text.clone())));
    }

    /// The options that are rules of play.
    #[must_use]
    pub fn rules(&self) -> Self {
        let is_rule = |(option, _): &(&'static PuzzleOption, &str)| option.is_rule;
        Self(self.given().filter(is_rule).map(|(option, text)| (option.name, text.to_owned())).collect())
    }

    /// The options that were given, with the texts of their values, in the order of their names.
    pub fn given(&self) -> impl Iterator<Item = (&'static PuzzleOption, &str)> {
        self.0.iter().filter_map(|(name, text)| Some((option_named(name)?.1, text.as_str())))
    }

    /// The value of an option, parsed as `T`; `None` if the option was not given, or its text is no `T`.
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
