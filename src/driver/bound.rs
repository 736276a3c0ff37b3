//! Lower bounds as `--bound` names them, of whichever puzzle.

use super::DomainKind;
use super::request::join;
use crate::domain::clickomania::GameBoundKind;
use crate::domain::floodit::{BoundSpec, UnknownBound};
use std::fmt;
use std::str::FromStr;

/// A lower bound as `--bound` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundName {
    /// One or several of Flood-It.
    FloodIt(BoundSpec),
    /// One of Clickomania.
    Clickomania(GameBoundKind),
}

impl BoundName {
    /// The puzzle that it is for.
    #[must_use]
    pub fn domain(&self) -> DomainKind {
        match self {
            Self::FloodIt(_) => DomainKind::FloodIt,
            Self::Clickomania(_) => DomainKind::Clickomania,
        }
    }
}

impl fmt::Display for BoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FloodIt(spec) => spec.fmt(f),
            Self::Clickomania(kind) => f.write_str(kind.name()),
        }
    }
}

/// A name that no lower bound has.
#[derive(Debug, thiserror::Error)]
#[error("{of_flood_it}; or one of {} for clickomania", join(GameBoundKind::ALL.map(GameBoundKind::name)))]
pub struct UnknownBoundName {
    /// What it lacks to be one of Flood-It.
    pub of_flood_it: UnknownBound,
}

impl FromStr for BoundName {
    type Err = UnknownBoundName;

    fn from_str(text: &str) -> Result<Self, UnknownBoundName> {
        if let Some(kind) = GameBoundKind::ALL.into_iter().find(|kind| kind.name() == text) {
            return Ok(Self::Clickomania(kind));
        }
        text.parse().map(Self::FloodIt).map_err(|of_flood_it| UnknownBoundName { of_flood_it })
    }
}
