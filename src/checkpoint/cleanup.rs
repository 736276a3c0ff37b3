//! Looks for the checkpoints of a search on disk, and removes them.

use super::error::CheckpointError;
use super::files::CheckpointFiles;
use super::manifest;
use crate::store::At;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether there is a checkpoint, whole or not. A folder that cannot be read counts: reading it says why.
#[must_use]
pub fn exists(files: &CheckpointFiles) -> bool {
    manifest::paths(&files.storage.run).iter().any(|path| path.try_exists().unwrap_or(true))
}

/// Removes all checkpoints of a search, the files that they name, and each folder that is empty then. Nobody may write
/// the files meanwhile.
///
/// # Errors
/// When a file cannot be removed.
pub fn discard(files: &CheckpointFiles) -> Result<(), CheckpointError> {
    let (run, backend) = (&files.storage.run, &*files.storage.backend);
    let mut folders: BTreeSet<PathBuf> = files.storage.spill.iter().cloned().collect();
    // Logs stay in folders that are named only by a manifest which cannot be read.
    let generations = manifest::read_all(backend, run).unwrap_or_default();
    for (_, manifest) in generations.whole {
        let places = manifest.shards.into_iter().flat_map(|shard| shard.places);
        folders.extend(places.map(|place| run.join(place.folder)));
    }
    folders.insert(run.clone());
    for folder in folders {
        for name in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.file_name()) {
            let path = folder.join(&name);
            if is_ours(Path::new(&name)) {
                backend.remove(&path).at("remove", &path)?;
            }
        }
        // Fails when the folder holds other files; it stays then.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}

fn is_ours(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["manifest-a", "manifest-b", "manifest.new", "journal.log"].contains(&&*name)
        || name.starts_with("shard-") && name.ends_with(".log")
}
