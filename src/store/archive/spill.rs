//! Where a search without records sends what memory has no room for.

use super::error::{ArchiveError, At};
use super::{ArchiveSettings, Health, Nameless, Tally};
use std::sync::{Arc, OnceLock};

/// Files without names in the folders of an archive, and what has become of them.
#[derive(Debug)]
pub struct Spill {
    settings: ArchiveSettings,
    health: Arc<Health>,
    tally: Arc<Tally>,
    /// What there was no room for first.
    full: OnceLock<ArchiveError>,
}

impl Spill {
    /// Into the folders that these settings name, and within their limits of the disk; what an archive has there does not count.
    #[must_use]
    pub fn new(settings: ArchiveSettings) -> Self {
        Self { settings, health: Arc::default(), tally: Arc::default(), full: OnceLock::new() }
    }

    /// What has failed, if anything has: nothing that was read since may be believed.
    #[must_use]
    pub fn error(&self) -> Option<&ArchiveError> {
        self.health.error()
    }

    /// What there was no room for, if there was anything: it is in memory still.
    #[must_use]
    pub fn lack(&self) -> Option<&ArchiveError> {
        self.full.get()
    }

    pub(crate) fn health(&self) -> &Arc<Health> {
        &self.health
    }

    /// Whether so many bytes more may be written; what is in the way is known from then on.
    pub(crate) fn has_room(&self, more: u64) -> bool {
        let room = self.settings.check_room(self.tally.bytes(), more);
        room.map_err(|lack| self.full.set(lack)).is_ok()
    }

    /// An empty file.
    pub(crate) fn create(&self, name: &str, number: usize) -> Result<Nameless, ArchiveError> {
        // It may be wanted before anything else is kept there.
        for folder in std::iter::once(&self.settings.run).chain(&self.settings.spill) {
            self.settings.medium.create_folder(folder).at("create", folder)?;
        }
        Nameless::create(&self.settings, name, number, &self.tally)
    }

    /// What went wrong is known from then on; where there was no room, nothing is lost.
    pub(crate) fn note(&self, result: Result<(), ArchiveError>) {
        match result {
            Err(lack) if lack.is_full() => _ = self.full.set(lack),
            Err(error) => self.health.fail(error),
            Ok(()) => {}
        }
    }
}
