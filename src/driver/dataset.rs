//! The boards that a configuration names.

use super::shipped;
use std::path::{Path, PathBuf};

/// Where the boards of a hunt come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// A file.
    File(PathBuf),
    /// A data set that ships with the program, by its name.
    Shipped(String),
}

impl Dataset {
    /// Finds the data set that a configuration in `folder` names: a file beside the configuration, or a data set that
    /// ships with the program. Without a folder the configuration ships with the program, and a file is looked for in
    /// the working directory.
    #[must_use]
    pub fn find(name: &Path, folder: Option<&Path>) -> Self {
        let file = folder.map_or_else(|| name.to_owned(), |folder| folder.join(name));
        let shipped = name.to_str().filter(|name| shipped::dataset(name).is_some());
        match shipped {
            Some(name) if folder.is_none() || !file.exists() => Self::Shipped(name.to_owned()),
            _ => Self::File(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_the_configuration_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let find = |name: &str| Dataset::find(Path::new(name), Some(folder.path()));
        let name = "14x14-6c-100.lines";
        assert_eq!(find(name), Dataset::Shipped(name.to_owned()));
        assert_eq!(find("mine.txt"), Dataset::File(folder.path().join("mine.txt")));
        std::fs::write(folder.path().join(name), "12\n").unwrap();
        assert_eq!(find(name), Dataset::File(folder.path().join(name)));
        assert_eq!(Dataset::find(Path::new(name), None), Dataset::Shipped(name.to_owned()));
    }
}
