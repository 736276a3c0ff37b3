//! The runs that are shown.

use super::answer::{Answer, ListedRun, RunList};
use super::control::Control;
use super::error::ServeError;
use super::events::Streamed;
use super::served_run::ServedRun;
use crate::hunt::is_run;
use crate::views::page::RunLine;
use crate::views::watch::{RowSource, WatchedRun};
use dashmap::DashMap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch::{Receiver, Sender};

/// The list that is sent to clients.
#[derive(Debug)]
pub(super) struct ToldList {
    id: String,
    json: String,
}

impl Streamed for ToldList {
    const EVENT: &'static str = "runs";

    fn id(&self) -> &str {
        &self.id
    }

    fn json(&self, _: Option<&Self>) -> String {
        self.json.clone()
    }
}

/// A run of the list with only its last rows, and the source of these rows.
type Glance = (RowSource, WatchedRun);

/// What is needed to make a list. One list is made at a time, so none overtakes another.
#[derive(Debug, Default)]
struct Lister {
    glances: BTreeMap<PathBuf, Glance>,
    /// Counts the lists that were sent.
    told: u64,
}

/// The runs that are shown.
#[derive(Debug)]
pub(super) struct Shelf {
    /// Folders whose run directories are shown.
    folders: Vec<PathBuf>,
    /// The runs by their names. Requests look them up while runs are added.
    runs: DashMap<String, Arc<ServedRun>>,
    /// The paths of the runs that were added.
    added: Mutex<BTreeSet<PathBuf>>,
    lister: Mutex<Lister>,
    list: Sender<Option<Arc<ToldList>>>,
    control: bool,
    configs: Vec<String>,
}

impl Shelf {
    /// Makes the shelf of the runs of run directories, and of folders of run directories.
    ///
    /// # Errors
    /// When a source is no folder, or cannot be read.
    pub(super) fn new(sources: Vec<PathBuf>, control: Option<&Control>) -> Result<Self, ServeError> {
        let mut shelf = Self {
            folders: Vec::new(),
            runs: DashMap::new(),
            added: Mutex::default(),
            lister: Mutex::default(),
            list: Sender::new(None),
            control: control.is_some(),
            configs: Vec::new(),
        };
        for path in sources {
            if is_run(&path) {
                shelf.add(path, &mut shelf.added.lock());
            } else if path.is_dir() {
                let unreadable = |error| ServeError::Folder { folder: path.display().to_string(), error };
                fs::read_dir(&path).map_err(unreadable)?;
                shelf.folders.push(path);
            } else {
                return Err(ServeError::Source(path));
            }
        }
        if let (Some(control), Some(_)) = (control, shelf.folder()) {
            shelf.configs.clone_from(&control.configs);
        }
        shelf.search();
        Ok(shelf)
    }

    /// The folder in which new hunts begin.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folders.first().map(PathBuf::as_path)
    }

    /// Adds a run, unless its path is in `added`.
    fn add(&self, path: PathBuf, added: &mut BTreeSet<PathBuf>) {
        if added.insert(path.clone()) {
            let id = added.len().to_string();
            self.runs.insert(id.clone(), Arc::new(ServedRun::new(id, path)));
        }
    }

    /// Adds the run directories that are new in the folders.
    fn search(&self) {
        let entries = self.folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let mut added = self.added.lock();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| !added.contains(path)).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| is_run(path)) {
            self.add(path, &mut added);
        }
    }

    /// The run of this name.
    pub(super) fn run(&self, id: &str) -> Option<Arc<ServedRun>> {
        self.runs.get(id).map(|run| run.clone())
    }

    /// All runs by their paths.
    fn all(&self) -> Vec<Arc<ServedRun>> {
        let mut runs: Vec<_> = self.runs.iter().map(|run| run.clone()).collect();
        runs.sort_by(|one, other| one.path().cmp(other.path()));
        runs
    }

    /// Subscribes to the list of runs.
    pub(super) fn listen(&self) -> Receiver<Option<Arc<ToldList>>> {
        let receiver = self.list.subscribe();
        self.tell_list();
        receiver
    }

    /// Looks at the runs that clients look at, and sends what is new.
    pub(super) fn look(&self) {
        if self.list.receiver_count() > 0 {
            self.tell_list();
        } else {
            self.lister.lock().glances.clear();
        }
        self.all().iter().for_each(|run| run.look());
    }

    /// Sends the list, if it has changed.
    fn tell_list(&self) {
        let mut lister = self.lister.lock();
        let json = Answer::Runs(self.make_list(&mut lister)).json();
        let is_known = |told: &Arc<ToldList>| told.json == json;
        if !self.list.borrow().as_ref().is_some_and(is_known) {
            lister.told += 1;
            let id = format!("{}.{}", std::process::id(), lister.told);
            self.list.send_replace(Some(Arc::new(ToldList { id, json })));
        }
    }

    /// The list as it is.
    pub(super) fn list(&self) -> RunList {
        self.make_list(&mut self.lister.lock())
    }

    /// All runs that still exist, the newest first.
    fn make_list(&self, lister: &mut Lister) -> RunList {
        self.search();
        let mut listed: Vec<(f64, ListedRun)> = Vec::new();
        for run in self.all().into_iter().filter(|run| run.path().exists()) {
            let (source, glance) = lister.glances.entry(run.path().to_owned()).or_insert_with(|| {
                let source = RowSource::of_run(run.path().to_owned()).tail_only();
                let glance = source.new_run();
                (source, glance)
            });
            source.poll(glance);
            glance.keep_last_rows();
            listed.push((glance.time(), ListedRun { id: run.id.clone(), line: RunLine::of(glance) }));
        }
        listed.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let runs = listed.into_iter().map(|(_, run)| run).collect();
        RunList { runs, control: self.control, configs: self.configs.clone() }
    }
}
