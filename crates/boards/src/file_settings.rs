//! The settings of puzzle and rules that a file of boards or solutions names.

/// A setting that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSetting {
    /// The key: `domain`, an option, or a fact as records name it.
    pub key: String,
    /// The value.
    pub value: String,
}

/// The settings of puzzle and rules that a file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSettings {
    /// The settings, in the order of the file.
    pub settings: Vec<FileSetting>,
}

impl FileSettings {
    /// Adds a setting.
    pub(crate) fn add(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.settings.push(FileSetting { key: key.into(), value: value.into() });
    }

    /// The key of the first setting that the two do not have with the same value.
    pub(crate) fn difference<'a>(&'a self, other: &'a Self) -> Option<&'a str> {
        let is_other = |setting: &&FileSetting| self.value(&setting.key) != other.value(&setting.key);
        self.settings.iter().chain(&other.settings).find(is_other).map(|setting| setting.key.as_str())
    }

    /// The value of a key, if the file names one.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
    }
}
