//! Where a search without records sends what memory has no room for.

use super::error::{ArchiveError, At};
use super::{ArchiveSettings, Health, Nameless, Tally};
use std::sync::Arc;

/// Files without names in the folders of an archive, and what has become of them.
#[derive(Debug)]
pub struct Spill {
    settings: ArchiveSettings,
    health: Arc<Health>,
    tally: Arc<Tally>,
}

impl Spill {
    /// Into the folders that these settings name, and within their limits of the disk; what an archive has there does not count.
    #[must_use]
    pub fn new(settings: ArchiveSettings) -> Self {
        Self { settings, health: Arc::default(), tally: Arc::default() }
    }

    /// What has failed, if anything has: nothing that was read since may be believed.
    #[must_use]
    pub fn error(&self) -> Option<&ArchiveError> {
        self.health.error()
    }

    pub(crate) fn health(&self) -> &Arc<Health> {
        &self.health
    }

    /// Whether so many bytes more may be written.
    pub(crate) fn has_room(&self, more: u64) -> bool {
        self.settings.check_room(self.tally.bytes(), more).is_ok()
    }

    /// An empty file.
    pub(crate) fn create(&self, name: &str, number: usize) -> Result<Nameless, ArchiveError> {
        // It may be wanted before anything else is kept there.
        for folder in std::iter::once(&self.settings.run).chain(&self.settings.spill) {
            self.settings.medium.create_folder(folder).at("create", folder)?;
        }
        Nameless::create(&self.settings, name, number, &self.tally)
    }

    /// What went wrong is known from then on, unless there was no room.
    pub(crate) fn note(&self, result: Result<(), ArchiveError>) {
        if let Err(error) = result
            && !error.is_full()
        {
            self.health.fail(error);
        }
    }
}
