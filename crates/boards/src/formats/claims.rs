//! What a solution file says beside the moves.

/// One setting that a solution file names, as a configuration spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The key: `domain`, `objective`, or a rule.
    pub key: String,
    /// The value.
    pub value: String,
}

/// What a solution file says beside the moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The settings, in the order of the file.
    pub settings: Vec<Claim>,
}

impl Claims {
    /// Adds a setting.
    pub(crate) fn add(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.settings.push(Claim { key: key.into(), value: value.into() });
    }

    /// The value of a key, if the file names one.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|claim| claim.key == key).map(|claim| claim.value.as_str())
    }
}
