//! The data sets and configurations that are part of the program, and are found by name in any working directory.

use gridhunt_boards::closest_name;
use gridhunt_puzzle::inventory;

/// A file that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedFile {
    /// The folder: `configs`, or a folder of `datasets`.
    pub folder: &'static str,
    /// The name.
    pub name: &'static str,
    /// The content.
    pub bytes: &'static [u8],
}

/// The files that a program ships, sorted by folder and name. A program [submits](inventory::submit) them.
pub struct ShippedFiles(pub &'static [ShippedFile]);

inventory::collect!(ShippedFiles);

/// The folder of the configurations.
const CONFIG_FOLDER: &str = "configs";

fn files() -> impl Iterator<Item = &'static ShippedFile> {
    inventory::iter::<ShippedFiles>.into_iter().flat_map(|files| files.0)
}

fn dataset_files() -> impl Iterator<Item = &'static ShippedFile> {
    files().filter(|file| file.folder != CONFIG_FOLDER)
}

/// The names of the configurations, with their texts.
pub(super) fn configs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let configs = files().filter(|file| file.folder == CONFIG_FOLDER);
    configs.filter_map(|file| Some((file.name.strip_suffix(".toml")?, str::from_utf8(file.bytes).ok()?)))
}

/// Finds a data set by its file name, by `FOLDER/FILE`, or by `datasets/FOLDER/FILE`.
fn find_dataset(name: &str) -> Option<&'static ShippedFile> {
    let name = name.strip_prefix("datasets/").unwrap_or(name);
    let (folder, name) = name.split_once('/').map_or((None, name), |(folder, name)| (Some(folder), name));
    dataset_files().find(|file| file.name == name && folder.is_none_or(|folder| folder == file.folder))
}

/// The content of the data set with this name.
#[must_use]
pub fn dataset(name: &str) -> Option<&'static [u8]> {
    find_dataset(name).map(|file| file.bytes)
}

/// The name of the data set that is most similar to `name`, if one is similar enough. Folders are ignored.
#[must_use]
pub fn nearest_dataset(name: &str) -> Option<&'static str> {
    closest_name(name.rsplit('/').next().unwrap_or(name), datasets())
}

/// The names of the data sets for the puzzle with this name.
pub fn datasets_for(puzzle: &str) -> impl Iterator<Item = &'static str> {
    let folder = puzzle.replace('-', "");
    dataset_files().filter(move |file| file.folder == folder).map(|file| file.name)
}

/// The names of all data sets.
pub fn datasets() -> impl Iterator<Item = &'static str> {
    dataset_files().map(|file| file.name)
}
