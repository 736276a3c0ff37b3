//! A run in parts: one run directory for each task of a job array, in one folder.
//!
//! ```text
//! parts.toml     the number of parts, and what they search
//! parts/K-of-N/  the run directory of part K
//! ```
//!
//! A part has a lock, results and events of its own, so parts never wait for one another, and may be searched on
//! different hosts. Its `run.toml` names the part; its boards have the numbers of the whole hunt. The first part that
//! begins writes `parts.toml`, by a link that fails if the file exists; the others compare.

use super::checksums::Summing;
use super::files::{At, CONFIG, sync_folder_of};
use crate::hunt::{Config, HuntError, Part, RunError, quoted, rules_identity};
use crate::puzzles::check_board;
use gridhunt_boards::{BoardError, Entry, Format, write_entry};
use gridhunt_search::platform::files;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file that says what the parts are.
pub(super) const PLAN: &str = "parts.toml";

/// The folder of the parts.
const FOLDER: &str = "parts";

const HEAD: &str = "# A run in parts. The run directory of part K is parts/K-of-N.\n";

/// What all parts have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Plan {
    /// The number of parts.
    parts: usize,
    /// The number of boards of all parts.
    boards: usize,
    /// The CRC-32 of all boards.
    checksum: String,
    /// Puzzle, rules, engine and lower bound.
    search: String,
}

impl Plan {
    /// # Errors
    /// When a board is invalid, or none can be searched.
    fn new(
        parts: usize,
        config: &Config,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
    ) -> Result<Self, HuntError> {
        let request = config.request();
        let mut sum = Summing { to: io::sink(), crc: crc32fast::Hasher::new() };
        let (mut number, mut refused, mut has_good) = (0, None, false);
        for entry in boards {
            let entry = entry.map_err(RunError::Board)?;
            write_entry(&entry, Format::Json, &mut sum).map_err(RunError::Write)?;
            match check_board(&entry.board, &request) {
                Ok(()) => has_good = true,
                Err(error) => refused = refused.or(Some(error)),
            }
            number += 1;
        }
        if let Some(error) = refused.filter(|_| !has_good) {
            return Err(error.into());
        }
        let domain = request.domain;
        let (rules, bound) = (rules_identity(&request), domain.bound_identity(&request));
        let search = format!("{domain}{rules} by {} with the bound {bound}", request.engine.name());
        Ok(Self { parts, boards: number, checksum: format!("{:08x}", sum.crc.finalize()), search })
    }
}

/// A run directory that holds parts.
#[derive(Clone, Debug)]
pub struct PartedRun {
    path: PathBuf,
    plan: Plan,
}

impl PartedRun {
    /// Reads what the parts in a directory are; `None` if the directory holds no parts.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn find(path: &Path) -> Result<Option<Self>, RunError> {
        let file = path.join(PLAN);
        let text = match fs::read_to_string(&file) {
            Err(e) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&e.kind()) => return Ok(None),
            text => text.at("read", &file)?,
        };
        let plan: Plan = toml::from_str(&text).map_err(|error| RunError::Damaged {
            path: file,
            place: "whole file".to_owned(),
            found: error.message().trim().to_owned(),
            expected: "the number of parts, and what they search".to_owned(),
            remedy: "restore the file from a copy".to_owned(),
        })?;
        Ok(Some(Self { path: path.to_owned(), plan }))
    }

    /// Begins a run in so many parts, or finds that another part has begun the run. `boards` are the boards of all
    /// parts.
    ///
    /// # Errors
    /// When the directory holds something else, or a run of other parts, boards, puzzle, engine or bound. When a board
    /// is invalid, or no board can be searched. Nothing is written then.
    pub fn begin(
        path: &Path,
        parts: usize,
        config: &Config,
        boards: impl Iterator<Item = Result<Entry, BoardError>>,
    ) -> Result<Self, HuntError> {
        let plan = Plan::new(parts, config, boards)?;
        refuse_other_content(path)?;
        fs::create_dir_all(path).at("create", path)?;
        if Self::find(path)?.is_none() {
            claim(path, &plan)?;
        }
        let gone = || RunError::Unexpected { path: path.to_owned(), found: "nothing".to_owned(), expected: GONE };
        let run = Self::find(path)?.ok_or_else(gone)?;
        run.compare(&plan)?;
        Ok(run)
    }

    /// The directory of all parts.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The parts.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        Part::all(self.plan.parts)
    }

    /// The number of boards of all parts.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.plan.boards
    }

    /// The run directory of a part. The directory exists once the part has begun.
    ///
    /// # Errors
    /// When the run was begun with another number of parts.
    pub fn folder(&self, part: Part) -> Result<PathBuf, RunError> {
        let (all, of) = (self.plan.parts, part.of());
        if all != of {
            let (found, expected) = (format!("part {part}"), format!("part {}/{all}", part.number().min(all)));
            let why = format!("the run was begun in {all} parts; go on with them, or name another run directory");
            return Err(self.differs(found, format!("a part of {all}, such as {expected}"), why));
        }
        Ok(self.path.join(FOLDER).join(format!("{}-of-{of}", part.number())))
    }

    /// The run directories in `path`: those of the parts that have begun, or `path` itself.
    ///
    /// # Errors
    /// When the list of parts cannot be read.
    pub fn folders(path: &Path) -> Result<Vec<PathBuf>, RunError> {
        match Self::find(path)? {
            Some(run) => run.parts().filter(|&part| run.has_begun(part)).map(|part| run.folder(part)).collect(),
            None => Ok(vec![path.to_owned()]),
        }
    }

    /// Whether a part has begun.
    #[must_use]
    pub fn has_begun(&self, part: Part) -> bool {
        self.folder(part).is_ok_and(|folder| folder.join(CONFIG).exists())
    }

    /// The error of a command that needs one part of this run and was given none.
    #[must_use]
    pub fn needs_part(&self, command: &str) -> RunError {
        let (all, path) = (self.plan.parts, quoted(&self.path));
        let remedy = format!("such as: gridhunt {command} {path} --part 1/{all}");
        self.differs(format!("a run in {all} parts"), "--part with one of them".to_owned(), remedy)
    }

    /// The error for a part that has not begun.
    #[must_use]
    pub fn not_begun(&self, part: Part) -> RunError {
        let remedy = format!("begin it with: gridhunt hunt CONFIG --run {} --part {part}", quoted(&self.path));
        self.differs(format!("no part {part}"), "one that has begun".to_owned(), remedy)
    }

    /// The error for a part of a run that has none.
    #[must_use]
    pub fn has_none(path: &Path, part: Part) -> RunError {
        let remedy = format!("leave out --part {part}, or name another run directory");
        let [found, expected] = ["a run without parts", "a run in parts"].map(str::to_owned);
        RunError::Parts { path: path.to_owned(), found, expected, remedy }
    }

    fn differs(&self, found: String, expected: String, remedy: String) -> RunError {
        RunError::Parts { path: self.path.clone(), found, expected, remedy }
    }

    /// # Errors
    /// When this run is another one than `plan` says.
    fn compare(&self, plan: &Plan) -> Result<(), RunError> {
        let first = Part::all(plan.parts).next().unwrap_or_default();
        self.folder(first)?;
        let boards = |plan: &Plan| format!("{} boards with the checksum {}", plan.boards, plan.checksum);
        let remedy = || "go on as the run was begun, or name another run directory".to_owned();
        if boards(&self.plan) != boards(plan) {
            return Err(self.differs(boards(plan), boards(&self.plan), remedy()));
        }
        if self.plan.search != plan.search {
            return Err(self.differs(plan.search.clone(), self.plan.search.clone(), remedy()));
        }
        Ok(())
    }
}

const GONE: &str = "a run directory that nobody removes";

const EXPECTED: &str = "an empty directory, or a run in parts";

/// # Errors
/// When the path holds anything else than parts.
fn refuse_other_content(path: &Path) -> Result<(), RunError> {
    let unexpected = |path: &Path, found: &str, expected| {
        Err(RunError::Unexpected { path: path.to_owned(), found: found.to_owned(), expected })
    };
    if let Some(file) = path.ancestors().find(|folder| folder.is_file()) {
        return unexpected(file, "a file", "a folder for the run directory");
    }
    let entries = match fs::read_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.at("read", path)?,
    };
    if path.join(CONFIG).exists() {
        return unexpected(path, "a run without parts", EXPECTED);
    }
    for entry in entries {
        let name = entry.at("read", path)?.file_name().to_string_lossy().into_owned();
        // A process that was killed may have left a file on the way to `parts.toml`.
        if !name.starts_with("parts") {
            return unexpected(path, &name, EXPECTED);
        }
    }
    Ok(())
}

/// Writes the plan, unless another process has done so.
fn claim(path: &Path, plan: &Plan) -> Result<(), RunError> {
    let file = path.join(PLAN);
    // The conversion cannot fail: TOML holds numbers and texts.
    let text = format!("{HEAD}{}", toml::to_string(plan).unwrap_or_default());
    match files::create_with(&file, "parts.new-", text.as_bytes()) {
        Err((action, error)) => Err(error).at(action, &file),
        Ok(_) => sync_folder_of(&file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Board, Cell, usual_symbols};

    fn boards(colours: &[u8]) -> Vec<Result<Entry, BoardError>> {
        let board = |&colour: &u8| Board::new("a", 1, 3, vec![0, colour, 0], usual_symbols(3), Cell::default());
        colours.iter().map(|colour| board(colour).map(|board| Entry { board, published: None })).collect()
    }

    fn begin(path: &Path, parts: usize, config: &Config, colours: &[u8]) -> Result<PartedRun, String> {
        PartedRun::begin(path, parts, config, boards(colours).into_iter()).map_err(|error: HuntError| error.to_string())
    }

    #[test]
    fn all_parts_are_of_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("below/run");
        let config = Config::default();
        assert!(PartedRun::find(path).unwrap().is_none());
        let run = begin(path, 3, &config, &[1, 2]).unwrap();
        assert_eq!((run.parts().count(), run.boards()), (3, 2));
        let part = "2/3".parse().unwrap();
        assert_eq!(run.folder(part).unwrap(), path.join("parts/2-of-3"));
        assert!(!run.has_begun(part));
        let again = begin(path, 3, &Config { threads: Some("2".parse().unwrap()), ..Config::default() }, &[1, 2]);
        assert_eq!(again.unwrap().plan, run.plan, "other resources are no other run");
        let beam = Config { engine: Some(gridhunt_search::engine::EngineKind::Beam), ..Config::default() };
        for (parts, config, colours, expected) in [
            (
                4,
                &config,
                [1, 2],
                "found part 1/4, expected a part of 3, such as part 1/3; the run was begun in 3 parts",
            ),
            (3, &config, [2, 1], "found 2 boards with the checksum"),
            (3, &beam, [1, 2], "found flood-it by beam with the bound elimination"),
        ] {
            let error = begin(path, parts, config, &colours).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        fs::write(path.join(PLAN), "parts = 3\n").unwrap();
        let error = PartedRun::find(path).unwrap_err().to_string();
        assert!(error.contains("whole file: found missing field `boards`") && error.contains("restore"), "{error}");
    }

    #[test]
    fn what_is_no_run_in_parts_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (&folder.path().join("run"), Config::default());
        let bunny = Config { domain: Some("bunny".parse().unwrap()), ..Config::default() };
        assert!(begin(path, 2, &bunny, &[1, 2]).is_err() && !path.exists(), "no board can be searched");
        fs::create_dir(path).unwrap();
        for (name, found) in
            [("notes.txt", "found notes.txt, expected an empty"), (CONFIG, "found a run without parts")]
        {
            fs::write(path.join(name), "").unwrap();
            let error = begin(path, 2, &config, &[1]).unwrap_err();
            assert!(error.contains(found), "{error}");
            fs::remove_file(path.join(name)).unwrap();
        }
        assert_eq!(fs::read_dir(path).unwrap().count(), 0);
        fs::write(folder.path().join("file"), "").unwrap();
        let error = begin(&folder.path().join("file/run"), 2, &config, &[1]).unwrap_err();
        assert!(error.contains("found a file"), "{error}");
    }

    /// Processes that begin at once agree on one plan, and the others leave nothing.
    #[test]
    fn of_processes_that_begin_at_once_one_decides() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("run");
        let begun: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (1..=8)
                .map(|task| scope.spawn(move || begin(path, 1 + task % 2, &Config::default(), &[1, 2, 1]).is_ok()))
                .collect();
            all.into_iter().map(|task| task.join().unwrap()).collect()
        });
        assert_eq!(begun.iter().filter(|is_begun| **is_begun).count(), 4, "{begun:?}");
        assert_eq!(fs::read_dir(path).unwrap().count(), 1, "the plan alone");
    }
}
