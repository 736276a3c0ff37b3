//! What is on disk of an archive: whether there is one, and its removal.

use super::error::{ArchiveError, At};
use super::{ArchiveSettings, manifest};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether there is a checkpoint, sound or not.
#[must_use]
pub fn exists(settings: &ArchiveSettings) -> bool {
    manifest::paths(&settings.run).iter().any(|path| path.exists())
}

/// Removes everything of an archive that nobody writes, and its folders when nothing else is in them.
///
/// # Errors
/// When a file cannot be removed.
pub fn discard(settings: &ArchiveSettings) -> Result<(), ArchiveError> {
    let medium = &*settings.medium;
    let mut folders: BTreeSet<PathBuf> = settings.spill.iter().cloned().collect();
    // Logs in folders that nobody names but a manifest which cannot be read stay there.
    let generations = manifest::read_all(medium, &settings.run).unwrap_or_default();
    for (_, manifest) in generations.whole {
        let places = manifest.shards.into_iter().flat_map(|shard| shard.places);
        folders.extend(places.map(|place| settings.run.join(place.folder)));
    }
    folders.insert(settings.run.clone());
    for folder in folders {
        for name in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.file_name()) {
            let path = folder.join(&name);
            if is_ours(Path::new(&name)) {
                medium.remove(&path).at("remove", &path)?;
            }
        }
        // It stays when something else is in it.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}

fn is_ours(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["manifest-a", "manifest-b", "manifest.new", "journal.log"].contains(&&*name)
        || name.starts_with("shard-") && name.ends_with(".log")
}
