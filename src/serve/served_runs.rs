//! The runs that are shown.

use super::answer::{Answer, ListedRun, RunList};
use super::control::Control;
use super::error::ServeError;
use super::events::PublishedState;
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

#[derive(Debug)]
pub(super) struct PublishedList {
    id: String,
    json: String,
}

impl PublishedState for PublishedList {
    const EVENT: &'static str = "runs";

    fn id(&self) -> &str {
        &self.id
    }

    fn json(&self, _: Option<&Self>) -> String {
        self.json.clone()
    }
}

/// The source of a run's last rows, and the run with only these rows.
type LastRows = (RowSource, WatchedRun);

/// The state for making lists. One list is made at a time, so clients get lists in order.
#[derive(Debug, Default)]
struct ListState {
    last_rows: BTreeMap<PathBuf, LastRows>,
    published_count: u64,
}

/// The runs that are shown.
#[derive(Debug)]
pub(super) struct ServedRuns {
    /// Folders whose run directories are shown.
    folders: Vec<PathBuf>,
    /// The runs by their names. Requests look them up while runs are added.
    runs: DashMap<String, Arc<ServedRun>>,
    /// The paths of the runs.
    paths: Mutex<BTreeSet<PathBuf>>,
    list_state: Mutex<ListState>,
    list_sender: Sender<Option<Arc<PublishedList>>>,
    control: bool,
    configs: Vec<String>,
}

impl ServedRuns {
    /// The runs of run directories, and of folders of run directories.
    ///
    /// # Errors
    /// When a source is not a folder, or cannot be read.
    pub(super) fn new(sources: Vec<PathBuf>, control: Option<&Control>) -> Result<Self, ServeError> {
        let mut served_runs = Self {
            folders: Vec::new(),
            runs: DashMap::new(),
            paths: Mutex::default(),
            list_state: Mutex::default(),
            list_sender: Sender::new(None),
            control: control.is_some(),
            configs: Vec::new(),
        };
        for path in sources {
            if is_run(&path) {
                served_runs.add(path, &mut served_runs.paths.lock());
            } else if path.is_dir() {
                let unreadable = |error| ServeError::Folder { folder: path.display().to_string(), error };
                fs::read_dir(&path).map_err(unreadable)?;
                served_runs.folders.push(path);
            } else {
                return Err(ServeError::Source(path));
            }
        }
        if let (Some(control), Some(_)) = (control, served_runs.folder()) {
            served_runs.configs.clone_from(&control.configs);
        }
        served_runs.add_new_runs();
        Ok(served_runs)
    }

    /// The folder in which new hunts begin.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folders.first().map(PathBuf::as_path)
    }

    fn add(&self, path: PathBuf, paths: &mut BTreeSet<PathBuf>) {
        if paths.insert(path.clone()) {
            let id = paths.len().to_string();
            self.runs.insert(id.clone(), Arc::new(ServedRun::new(id, path)));
        }
    }

    /// Adds the new run directories of the folders.
    fn add_new_runs(&self) {
        let entries = self.folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let mut paths = self.paths.lock();
        let mut new_paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| !paths.contains(path)).collect();
        new_paths.sort();
        for path in new_paths.into_iter().filter(|path| is_run(path)) {
            self.add(path, &mut paths);
        }
    }

    pub(super) fn run(&self, id: &str) -> Option<Arc<ServedRun>> {
        self.runs.get(id).map(|run| run.clone())
    }

    fn sorted_runs(&self) -> Vec<Arc<ServedRun>> {
        let mut runs: Vec<_> = self.runs.iter().map(|run| run.clone()).collect();
        runs.sort_by(|one, other| one.path.cmp(&other.path));
        runs
    }

    pub(super) fn subscribe(&self) -> Receiver<Option<Arc<PublishedList>>> {
        let receiver = self.list_sender.subscribe();
        self.publish_list();
        receiver
    }

    /// Polls the runs that clients follow, and sends changes.
    pub(super) fn poll(&self) {
        if self.list_sender.receiver_count() > 0 {
            self.publish_list();
        } else {
            self.list_state.lock().last_rows.clear();
        }
        self.sorted_runs().iter().for_each(|run| run.poll());
    }

    /// Sends the list, if it has changed.
    fn publish_list(&self) {
        let mut list_state = self.list_state.lock();
        let json = Answer::Runs(self.make_list(&mut list_state)).json();
        let is_known = |list: &Arc<PublishedList>| list.json == json;
        if !self.list_sender.borrow().as_ref().is_some_and(is_known) {
            list_state.published_count += 1;
            let id = format!("{}.{}", std::process::id(), list_state.published_count);
            self.list_sender.send_replace(Some(Arc::new(PublishedList { id, json })));
        }
    }

    pub(super) fn list(&self) -> RunList {
        self.make_list(&mut self.list_state.lock())
    }

    /// All runs that still exist, the newest first.
    fn make_list(&self, list_state: &mut ListState) -> RunList {
        self.add_new_runs();
        let mut listed: Vec<(f64, ListedRun)> = Vec::new();
        for run in self.sorted_runs().into_iter().filter(|run| run.path.exists()) {
            let (source, run_tail) = list_state.last_rows.entry(run.path.clone()).or_insert_with(|| {
                let source = RowSource::of_run(run.path.clone()).tail_only();
                let run_tail = source.new_run();
                (source, run_tail)
            });
            source.poll(run_tail);
            run_tail.keep_last_rows();
            listed.push((run_tail.last_row_time(), ListedRun { id: run.id.clone(), line: RunLine::of(run_tail) }));
        }
        listed.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let runs = listed.into_iter().map(|(_, run)| run).collect();
        RunList { runs, control: self.control, configs: self.configs.clone() }
    }
}
