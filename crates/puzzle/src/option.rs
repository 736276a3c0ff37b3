//! The options of single puzzles: their descriptions, and their values.

use super::PuzzleId;
use std::collections::BTreeMap;

/// An option of a puzzle. It is a flag on the command line, a key in configurations, and a fact in records.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleOption {
    /// The name of the flag and of the key. No other option of any puzzle has this name.
    pub name: &'static str,
    /// The help, with the default.
    pub help: &'static str,
    /// The placeholder for the value in the help.
    pub value_name: &'static str,
    /// All values if there are few, otherwise empty.
    pub values: &'static [&'static str],
    /// Fails with a reason if the text is not a value of the option.
    pub check: fn(&str) -> Result<(), String>,
    /// The fields with this option in files of boards, besides its name; in lower case, without hyphens and spaces.
    pub fields: &'static [&'static str],
    /// Whether the values are whole numbers.
    pub is_number: bool,
    /// Whether the option is a rule of play. The other options say what is optimised.
    pub is_rule: bool,
    /// The fact in records, if records hold the value of the option.
    pub fact: Option<FactInfo>,
}

/// A field of all records. It is null if it does not apply to the board.
#[derive(Clone, Copy, Debug)]
pub struct FactInfo {
    /// The name in records.
    pub name: &'static str,
    /// A description in one line.
    pub help: &'static str,
}

/// A fact about a board and its rules, for its record.
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

/// The options that the user has set, with their values as [checked](PuzzleOption::check) texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionValues(BTreeMap<&'static str, String>);

impl OptionValues {
    /// The value of an option; `None` if it is not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Sets or replaces the value of an option.
    ///
    /// # Errors
    /// When the option has no such value.
    pub fn set(&mut self, option: &PuzzleOption, text: &str) -> Result<(), String> {
        (option.check)(text)?;
        self.0.insert(option.name, text.to_owned());
        Ok(())
    }

    /// Sets each option that is not set here to its value in `other`.
    pub fn fill_from(&mut self, other: Self) {
        for (name, text) in other.0 {
            self.0.entry(name).or_insert(text);
        }
    }

    /// Sets in `target` each option that is set here, and overwrites its value there.
    pub fn apply_to(&self, target: &mut Self) {
        target.0.extend(self.0.iter().map(|(name, text)| (*name, text.clone())));
    }

    /// The options that are rules of play, with their values.
    #[must_use]
    pub fn rules(&self) -> Self {
        let is_rule = |(option, _): &(&'static PuzzleOption, &str)| option.is_rule;
        Self(self.iter().filter(is_rule).map(|(option, text)| (option.name, text.to_owned())).collect())
    }

    /// The options that are set, with their values, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static PuzzleOption, &str)> {
        self.0.iter().filter_map(|(name, text)| Some((option_named(name)?.1, text.as_str())))
    }

    /// The value of an option, parsed as `T`; `None` if the option is not set, or parsing fails.
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
