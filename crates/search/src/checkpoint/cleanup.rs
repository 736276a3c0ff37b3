//! Finds and removes the checkpoints of a search.

use super::agreement::run_on_leader;
use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::manifest;
use crate::runtime::Exchange;
use crate::store::IoContext;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Whether there is a checkpoint, damaged or not. True if the folder cannot be read, so that recovery reports the
/// error.
#[must_use]
pub fn exists(files: &CheckpointFiles) -> bool {
    manifest::paths(&files.storage.run).iter().any(|path| path.try_exists().unwrap_or(true))
}

/// Removes all checkpoints of a search, the files that they name, and each folder that becomes empty. No writer may run
/// during the call.
///
/// # Errors
/// When a file cannot be removed.
pub fn discard(files: &CheckpointFiles) -> Result<(), CheckpointError> {
    let run = &files.storage.run;
    let mut folders: BTreeSet<PathBuf> = files.storage.spill_folders.iter().cloned().collect();
    // Logs stay in folders that only an unreadable manifest names.
    let generations = manifest::read_all(&files.storage).unwrap_or_default();
    for (_, manifest) in generations.readable {
        let places = manifest.shards.into_iter().flat_map(|shard| shard.places);
        folders.extend(places.map(|place| run.join(place.folder)));
    }
    folders.insert(run.clone());
    folders.iter().try_for_each(|folder| clear(files, folder))
}

/// [`discard`] by the leader, on behalf of all ranks.
///
/// # Errors
/// On all ranks, when the leader cannot remove a file.
pub(crate) fn discard_together(files: &CheckpointFiles, exchange: Option<&Exchange>) -> Result<(), CheckpointError> {
    run_on_leader(exchange, &files.storage.run, || discard(files))
}

/// Removes the files of a finished search from the spill folders of this rank, and each folder that becomes empty. The
/// leader removes all other files ([`discard`]). No writer may run during the call.
///
/// # Errors
/// When a file cannot be removed.
pub fn discard_spill(files: &CheckpointFiles) -> Result<(), CheckpointError> {
    files.storage.spill_folders.iter().try_for_each(|folder| clear(files, folder))
}

/// Removes the files of a search from a folder, and the folder if it becomes empty. Ranks on the same machine may do
/// this at the same time.
fn clear(files: &CheckpointFiles, folder: &Path) -> Result<(), CheckpointError> {
    for name in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()) {
        let path = folder.join(&name);
        if is_checkpoint_file(Path::new(&name)) {
            match files.storage.backend.remove(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.context("remove", &path)?,
            }
        }
    }
    // Fails when the folder holds other files; it stays then.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

fn is_checkpoint_file(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["manifest-a", "manifest-b", "manifest.new", "journal.log"].contains(&&*name)
        || ["shard-", "journal-"].iter().any(|kind| name.starts_with(kind)) && name.ends_with(".log")
        || name.starts_with("body-") && name.ends_with(".bin")
}
