//! The refuted sets of a search, by budget.

use super::element_frequencies::ElementFrequencies;
use super::no_goods::NoGoods;
use crate::domain::Cost;
use crate::sync::lock;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The no-goods of one budget, and the sets that were searched with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    pub(super) no_goods: NoGoods,
    pub(super) frequencies: ElementFrequencies,
}

/// A level that workers share. A thread locks one level at a time, so threads cannot deadlock. A lock is poisoned only
/// when a worker panics, which ends the search.
#[derive(Debug)]
pub(super) struct SharedLevel(RwLock<Level>);

impl SharedLevel {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Level> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Level> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The levels that the workers of a rank share, by budget.
#[derive(Debug, Default)]
pub(super) struct SharedLevels(Mutex<Vec<Arc<SharedLevel>>>);

impl SharedLevels {
    pub(super) fn new(levels: Vec<Level>) -> Self {
        Self(Mutex::new(levels.into_iter().map(|level| Arc::new(SharedLevel(RwLock::new(level)))).collect()))
    }

    /// Adds empty levels until there is one of `budget`. Returns all levels.
    pub(super) fn grow_to(&self, budget: Cost, empty: impl Fn() -> Level) -> Vec<Arc<SharedLevel>> {
        let mut levels = lock(&self.0);
        while levels.len() <= budget as usize {
            levels.push(Arc::new(SharedLevel(RwLock::new(empty()))));
        }
        levels.clone()
    }

    pub(super) fn all(&self) -> Vec<Arc<SharedLevel>> {
        lock(&self.0).clone()
    }

    /// Takes all levels, after all workers have ended.
    pub(super) fn take(&self) -> Vec<Level> {
        self.all().iter().map(|level| std::mem::take(&mut *level.write())).collect()
    }

    pub(super) fn no_good_count(&self) -> u64 {
        self.all().iter().map(|level| level.read().no_goods.len() as u64).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        let level_bytes = |level: &Arc<SharedLevel>| {
            let level = level.read();
            level.no_goods.bytes() + level.frequencies.bytes()
        };
        self.all().iter().map(level_bytes).sum()
    }
}

/// The no-goods that a search held when it ended. Some learned no-goods may be missing.
#[derive(Clone, Default, PartialEq)]
pub struct RefutedSets {
    pub(super) levels: Vec<Level>,
    /// The set of all elements.
    pub(super) all: Vec<u64>,
}

impl fmt::Debug for RefutedSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: usize = self.levels.iter().map(|level| level.no_goods.len()).sum();
        write!(f, "RefutedSets({count})")
    }
}
