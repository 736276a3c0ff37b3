//! The file of boards that a configuration names.

use super::shipped;
use std::path::{Path, PathBuf};

/// Finds the data set that a configuration in `folder` names: a file beside the configuration, or a data set that ships
/// with the program, whose name is returned as it is. Without a folder the configuration ships with the program, and a
/// file is looked for in the working directory.
#[must_use]
pub fn find_dataset(name: &Path, folder: Option<&Path>) -> PathBuf {
    let file = folder.map_or_else(|| name.to_owned(), |folder| folder.join(name));
    let is_shipped = name.to_str().is_some_and(|name| shipped::dataset(name).is_some());
    if is_shipped && !file.exists() { name.to_owned() } else { file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_the_configuration_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let find = |name: &str| find_dataset(Path::new(name), Some(folder.path()));
        let name = "14x14-6c-100.lines";
        assert_eq!(find(name), Path::new(name));
        assert_eq!(find("mine.txt"), folder.path().join("mine.txt"));
        std::fs::write(folder.path().join(name), "12\n").unwrap();
        assert_eq!(find(name), folder.path().join(name));
        assert_eq!(find_dataset(Path::new(name), None), Path::new(name));
    }
}
