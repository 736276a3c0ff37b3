//! The kind of a path, for messages, and for commands that accept several kinds.

use super::run::is_run;
use super::{Config, shipped};
use gridhunt_boards::{BoardReader, ReadOptions, closest_name, is_cells_field};
use serde_json::Value;
use std::fs::{self, File, Metadata};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The number of bytes of a file that are read to find its kind.
const HEAD_BYTES: u64 = 1 << 20;

/// The length of the longest configuration that is recognised without the extension `toml`.
const MAX_CONFIG_BYTES: u64 = 64 << 10;

/// The length of the largest file of boards that is recognised.
const MAX_BOARD_FILE_BYTES: u64 = 16 << 20;

/// The number of entries of a folder that are examined.
const MAX_FOLDER_ENTRIES: usize = 10_000;

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing is there.
    Nothing,
    /// A run directory.
    Run,
    /// A folder that contains run directories.
    RunsFolder,
    /// Another folder.
    OtherFolder,
    /// Results in JSON.
    Results,
    /// Results as a table, in CSV or Markdown.
    ResultTable,
    /// Solutions in JSON, without the other fields of results.
    Solutions,
    /// A configuration: a file, or shipped.
    Configuration,
    /// Boards: a file, or a shipped data set.
    Board,
    /// Another file, or a pipe or device.
    OtherFile,
}

impl PathKind {
    /// Finds the kind of a path, for a file by its first bytes. Files of boards are [`PathKind::OtherFile`];
    /// [`PathKind::Board`] is a shipped data set.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        match path.metadata() {
            Err(_) => kind_of_missing(path),
            Ok(metadata) if metadata.is_dir() => kind_of_folder(path),
            Ok(metadata) if metadata.is_file() => kind_of_file(path, metadata.len()).unwrap_or(Self::OtherFile),
            // A pipe can be read only once.
            Ok(_) => Self::OtherFile,
        }
    }

    /// Does what [`PathKind::of`] does, and recognises files of boards of up to 16 MiB.
    #[must_use]
    pub fn with_boards(path: &Path) -> Self {
        let is_small = |metadata: Metadata| metadata.is_file() && metadata.len() <= MAX_BOARD_FILE_BYTES;
        match Self::of(path) {
            Self::OtherFile if path.metadata().is_ok_and(is_small) => {
                let first = BoardReader::open(path, ReadOptions::default()).map(|mut boards| boards.next());
                if matches!(first, Ok(Some(Ok(_)))) { Self::Board } else { Self::OtherFile }
            }
            kind => kind,
        }
    }

    /// The kind, as a message names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Run => "a run directory",
            Self::RunsFolder => "a directory of run directories",
            Self::OtherFolder => "a directory",
            Self::Results | Self::ResultTable => "results",
            Self::Solutions => "a solution",
            Self::Configuration => "a configuration",
            Self::Board => "a board",
            Self::OtherFile => "a file",
        }
    }
}

/// The run directories in a folder, sorted by name.
#[must_use]
pub fn run_dirs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_run(path)).collect();
    runs.sort();
    runs
}

/// Finds the existing sibling whose name is most similar to that of a missing path.
#[must_use]
pub fn nearest_path(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten().take(MAX_FOLDER_ENTRIES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let found = closest_name(name, names.iter().map(String::as_str))?;
    Some(folder.map_or_else(|| PathBuf::from(found), |folder| folder.join(found)))
}

fn kind_of_missing(path: &Path) -> PathKind {
    match path.to_str() {
        Some(name) if shipped::dataset(name).is_some() => PathKind::Board,
        Some(name) if Config::shipped_names().any(|shipped| shipped == name) => PathKind::Configuration,
        _ => PathKind::Nothing,
    }
}

fn kind_of_folder(path: &Path) -> PathKind {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten().take(MAX_FOLDER_ENTRIES);
    match () {
        () if is_run(path) => PathKind::Run,
        () if entries.any(|entry| is_run(&entry.path())) => PathKind::RunsFolder,
        () => PathKind::OtherFolder,
    }
}

fn kind_of_file(path: &Path, length: u64) -> Option<PathKind> {
    let has_config_name = path.extension().is_some_and(|ending| ending == "toml");
    if has_config_name || length <= MAX_CONFIG_BYTES && fs::read_to_string(path).is_ok_and(|text| is_config(&text)) {
        return Some(PathKind::Configuration);
    }
    for line in BufReader::new(File::open(path).ok()?.take(HEAD_BYTES)).split(b'\n') {
        let line = line.ok()?;
        if let Some(object) = json_object_in(&line) {
            return kind_of_line(object);
        }
    }
    None
}

fn is_config(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| !table.is_empty()) && Config::parse("", text).is_ok()
}

/// The object in a line of a JSON text: a single object, or an array with one element on each line. `None` for an
/// empty line and for the brackets of the array.
#[must_use]
pub fn json_object_in(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    (!line.is_empty() && line != b"[" && line != b"]").then_some(line)
}

fn kind_of_line(line: &[u8]) -> Option<PathKind> {
    if line.starts_with(b"number,board,domain,") || line.starts_with(b"| number |") {
        return Some(PathKind::ResultTable);
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return None };
    let has = |name: &str| object.contains_key(name);
    let is_board = |(key, value): (&String, &Value)| is_cells_field(key, value.is_array(), value.as_str());
    match () {
        () if object.iter().any(is_board) => None,
        () if has("status") && has("number") => Some(PathKind::Results),
        () if object.get("moves").is_some_and(Value::is_array) => Some(PathKind::Solutions),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped::{ShippedFile, ShippedFiles};

    const SHIPPED: [ShippedFile; 2] = [
        ShippedFile { folder: "configs", name: "hundred.toml", bytes: b"" },
        ShippedFile { folder: "boards", name: "14x14-6c-01.txt", bytes: b"" },
    ];

    gridhunt_puzzle::inventory::submit! { ShippedFiles(&SHIPPED) }

    #[test]
    fn each_kind_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("runs/a")).unwrap();
        fs::create_dir(path("empty")).unwrap();
        for (name, text, kind) in [
            ("b.json", r#"{"cells":["12","21"],"moves":["1"]}"#, PathKind::Board),
            ("b1.json", r#"{"rows":["12","21"],"moves":["1"]}"#, PathKind::Board),
            ("b2.json", r#"{"board":"12\n21","moves":["1"]}"#, PathKind::Board),
            ("b3.json", r#"{"Cells":["12","21"],"moves":["1"]}"#, PathKind::Board),
            ("b4.json", r#"{"name":"a","number":1,"status":"solved","board":[[1,2],[2,1]]}"#, PathKind::Board),
            ("c.json", r#"{"board":"a","moves":["1","2"]}"#, PathKind::Solutions),
            ("e.csv", "number,board,domain,objective,status\n", PathKind::ResultTable),
            ("i.toml", "nonsense", PathKind::Configuration),
            ("j.txt", "This is no board.\n", PathKind::OtherFile),
            ("k.txt", "", PathKind::OtherFile),
            ("runs/a/run.toml", "", PathKind::Configuration),
        ] {
            fs::write(path(name), text).unwrap();
            assert_eq!(PathKind::with_boards(&path(name)), kind, "{name}");
        }
        for (name, kind) in [
            ("runs/a", PathKind::Run),
            ("runs", PathKind::RunsFolder),
            ("empty", PathKind::OtherFolder),
            ("nothing", PathKind::Nothing),
        ] {
            assert_eq!(PathKind::of(&path(name)), kind, "{name}");
        }
        let shipped = ["14x14-6c-01.txt", "hundred"].map(|name| PathKind::of(Path::new(name)));
        assert_eq!(shipped, [PathKind::Board, PathKind::Configuration]);
        assert_eq!(nearest_path(&path("rnus")), Some(path("runs")));
        assert_eq!(nearest_path(&path("something")), None);
    }
}
