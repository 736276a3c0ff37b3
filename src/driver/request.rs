//! What is wanted: which engine, with which bound, on how many threads, within which limits.

use super::{BoundName, HuntError};
use crate::board::{Format, Objective, Rules};
use crate::domain::clickomania::Order;
use crate::domain::floodit::{BoundSpec, TABLE_BYTES};
use crate::engine::{EngineKind, Parameters};
use crate::runtime::Limits;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A puzzle as `--domain` names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DomainKind {
    /// One colour everywhere, in the fewest moves.
    #[default]
    FloodIt,
    /// Clicking groups away.
    Clickomania,
    /// A bunny that hops.
    Bunny,
}

impl DomainKind {
    /// Every domain that has a name.
    pub const ALL: [Self; 3] = [Self::FloodIt, Self::Clickomania, Self::Bunny];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FloodIt => "flood-it",
            Self::Clickomania => "clickomania",
            Self::Bunny => "bunny",
        }
    }

    /// Whether an engine searches its boards.
    #[must_use]
    pub fn knows(self, engine: EngineKind) -> bool {
        match self {
            Self::FloodIt | Self::Clickomania => engine.searches_states(),
            Self::Bunny => engine.searches_programs(),
        }
    }

    /// The format of its boards where none is said and the content does not tell.
    #[must_use]
    pub fn format(self) -> Option<Format> {
        (self == Self::Bunny).then_some(Format::Bunny)
    }
}

impl fmt::Display for DomainKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that stands for nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {what} {found:?}, expected one of: {expected}")]
pub struct UnknownName {
    /// What kind of thing was named.
    pub what: &'static str,
    /// The name.
    pub found: String,
    /// The names that exist.
    pub expected: String,
}

impl FromStr for DomainKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|d| d.name() == text).ok_or_else(|| UnknownName {
            what: "domain",
            found: text.to_owned(),
            expected: join(Self::ALL.map(Self::name)),
        })
    }
}

/// The engine of that name.
///
/// # Errors
/// When no engine has it; the error lists the names.
pub fn parse_engine(text: &str) -> Result<EngineKind, UnknownName> {
    EngineKind::from_name(text).ok_or_else(|| UnknownName {
        what: "engine",
        found: text.to_owned(),
        expected: join(EngineKind::ALL.map(EngineKind::name)),
    })
}

pub(super) fn join<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// What is wanted of every board of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which puzzle the boards are.
    pub domain: DomainKind,
    /// The rules of Clickomania.
    pub rules: Rules,
    /// What is wanted of a board of Clickomania.
    pub objective: Objective,
    /// What looks promising on a board of Clickomania.
    pub order: Order,
    /// Which engine searches.
    pub engine: EngineKind,
    /// Which lower bound guides it; the puzzle's best when it is none.
    pub bound: Option<BoundName>,
    /// The most bytes of tables that they make of each board.
    pub bound_memory: u64,
    /// Worker threads of the whole run, at least 1.
    pub threads: usize,
    /// Limits. Time and expansions hold for each board; memory holds for the whole process, so boards that
    /// are searched side by side share it.
    pub limits: Limits,
    /// What can be tuned.
    pub parameters: Parameters,
    /// What goes to disk.
    pub storage: Storage,
}

/// What a search may put on disk, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Folders for states that do not fit into memory; none: the run directory.
    pub spill: Vec<PathBuf>,
    /// The most bytes on disk, for each board.
    pub disk: Option<u64>,
    /// Time between two checkpoints of a run.
    pub checkpoint: Duration,
}

impl Default for Storage {
    /// A checkpoint every five minutes, and as much disk as there is.
    fn default() -> Self {
        Self { spill: Vec::new(), disk: None, checkpoint: Duration::from_secs(300) }
    }
}

impl Default for Request {
    /// The engine `auto` with the default bound on every thread that the machine offers, without limits.
    fn default() -> Self {
        Self {
            domain: DomainKind::default(),
            rules: Rules::default(),
            objective: Objective::default(),
            order: Order::default(),
            engine: EngineKind::Auto,
            bound: None,
            bound_memory: TABLE_BYTES,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
            parameters: Parameters::default(),
            storage: Storage::default(),
        }
    }
}

impl Request {
    /// Refuses what does not go together. A search refuses it likewise.
    ///
    /// # Errors
    /// When the domain does not know the engine or the bound, or the engine takes no order of clicks.
    pub fn check(&self) -> Result<(), HuntError> {
        let Self { domain, engine, order, .. } = *self;
        if !domain.knows(engine) {
            return Err(HuntError::Engine { engine, domain });
        }
        if let Some(expected) = self.bound.as_ref().map(BoundName::domain).filter(|&of| of != domain) {
            return Err(HuntError::Foreign { what: "bound", domain, expected });
        }
        if domain == DomainKind::Clickomania && order.is_of_clicks() && engine != EngineKind::BranchAndBound {
            return Err(HuntError::Order { order, engine });
        }
        Ok(())
    }

    /// The bounds that guide a search of Flood-It.
    #[must_use]
    pub fn flood_bound(&self) -> BoundSpec {
        match &self.bound {
            Some(BoundName::FloodIt(spec)) => spec.clone(),
            Some(BoundName::Clickomania(_)) | None => BoundSpec::default(),
        }
    }

    /// The request of one of `side_by_side` boards searched at the same time: one thread, its share of the memory.
    #[must_use]
    pub fn share(&self, side_by_side: usize) -> Self {
        let memory = self.limits.memory.map(|bytes| bytes / side_by_side.max(1) as u64);
        Self { threads: 1, limits: Limits { memory, ..self.limits }, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_domain_is_found_by_its_name() {
        for domain in DomainKind::ALL {
            assert_eq!(domain.name().parse(), Ok(domain));
        }
        let error = "chess".parse::<DomainKind>().unwrap_err();
        assert_eq!(error.to_string(), "found domain \"chess\", expected one of: flood-it, clickomania, bunny");
    }

    #[test]
    fn boards_side_by_side_share_the_memory_and_nothing_else() {
        let limits = Limits { memory: Some(1000), expansions: Some(7), ..Limits::default() };
        let request = Request { threads: 4, limits, ..Request::default() };
        let share = request.share(4);
        assert_eq!((share.threads, share.limits.memory, share.limits.expansions), (1, Some(250), Some(7)));
    }
}
