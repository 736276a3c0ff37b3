//! What a file says of the puzzle and the rules, in addition to boards or moves.

/// One setting that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The key: `domain`, an option, or a fact as records name it.
    pub key: String,
    /// The value.
    pub value: String,
}

/// What a file says of the puzzle and the rules.
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

    /// Adds the settings of another board of the same file.
    ///
    /// # Errors
    /// The key of a setting for which the two boards have different values.
    pub(crate) fn join(&mut self, other: Self) -> Result<(), String> {
        for Claim { key, value } in other.settings {
            match self.value(&key) {
                Some(known) if known != value => return Err(key),
                Some(_) => {}
                None => self.add(key, value),
            }
        }
        Ok(())
    }

    /// The value of a key, if the file names one.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|claim| claim.key == key).map(|claim| claim.value.as_str())
    }
}
