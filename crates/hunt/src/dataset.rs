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
