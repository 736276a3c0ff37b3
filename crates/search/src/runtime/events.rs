//! Events that a search sends to its observer.

use super::exchange::RankStatus;
use super::writer_progress::WrittenCheckpoint;
use crate::domain::{Cost, MoveIndex};
use crate::store::StoreSurvey;

/// Counts of one layer (all nodes of one f).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layer {
    /// The f of its nodes.
    pub f: Cost,
    /// States expanded in it.
    pub expanded: u64,
    /// Children generated in it; with `learning`, also those of larger sets that are tested as no-goods.
    pub generated: u64,
}

/// The progress of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerProgress {
    /// Seconds without work: looking for some, or waiting for the other workers at the end of a layer.
    pub idle_seconds: f64,
    /// Steals from other workers.
    pub steals: u64,
}

/// A snapshot of the progress of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The number of the search in this process. Several searches of one board may follow each other; each counts from
    /// 0.
    pub search: u64,
    /// The f of the current layer.
    pub layer: Cost,
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// The cost of the incumbent, if there is one.
    pub incumbent: Option<Cost>,
    /// States expanded so far.
    pub expanded: u64,
    /// Children generated so far.
    pub generated: u64,
    /// States stored now.
    pub stored: u64,
    /// Children that were dropped because their state was known.
    pub duplicates: u64,
    /// Closed states that were reopened.
    pub reopened: u64,
    /// States expanded in the current layer.
    pub in_layer: u64,
    /// The number of open nodes of each f, in rising f, as far as the workers have reported them.
    pub open: Vec<(Cost, u64)>,
    /// Bytes in use, as far as the search counts them.
    pub bytes: u64,
    /// Resident memory of the process.
    pub resident: u64,
    /// Where the stored states are, at the last measurement.
    pub store: StoreSurvey,
    /// Each worker of this process.
    pub workers: Vec<WorkerProgress>,
    /// The work of each rank in this search; empty if one process searches.
    pub ranks: Vec<RankStatus>,
    /// The last checkpoint of this search.
    pub checkpoint: Option<WrittenCheckpoint>,
    /// The checkpoint that is being written: parts done, and parts in total.
    pub writing: Option<(u64, u64)>,
    /// Seconds until the next checkpoint.
    pub until_checkpoint: Option<f64>,
    /// Seconds since the start of the search.
    pub seconds: f64,
}

/// A part of a search whose number of work items is known in advance. Items may take very different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The records of a checkpoint are read. No search runs meanwhile.
    ReadingCheckpoint,
    /// Fragments of programs with this number of tokens are generated.
    Fragments(usize),
    /// All programs with this number of tokens are tested.
    Programs(usize),
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ReadingCheckpoint => f.write_str("reading the checkpoint"),
            Self::Fragments(tokens) => write!(f, "fragments of size {tokens}"),
            Self::Programs(tokens) => write!(f, "programs of size {tokens}"),
        }
    }
}

/// Something that happened in a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// An engine starts; `auto` runs several.
    EngineStarted {
        /// The name of the engine.
        engine: &'a str,
    },
    /// A layer starts: all layers below `f` are exhausted.
    LayerStarted {
        /// The f of the layer.
        f: Cost,
        /// The number of its open nodes so far.
        open: u64,
    },
    /// A layer is exhausted.
    LayerDone(Layer),
    /// A proven lower bound: no solution costs less. It never falls within a search.
    LowerBound(Cost),
    /// A better solution was found.
    Incumbent {
        /// The cost of the solution.
        cost: Cost,
        /// The moves of the solution, from the root.
        moves: &'a [MoveIndex],
    },
    /// Progress of a stage.
    Stage {
        /// The stage.
        stage: Stage,
        /// The number of parts that are done. A stage that ends early never reaches `total`.
        done: u64,
        /// The number of all parts.
        total: u64,
    },
    /// A message for people.
    Note(&'a str),
    /// A beam search has generated the states of one depth. Requires [`Observer::watches_beams`].
    Beam {
        /// The depth: the number of moves from the root.
        depth: usize,
        /// The number of states that the beam keeps at this depth.
        width: usize,
        /// The moves from the root to the state that ranks first.
        moves: &'a [MoveIndex],
    },
    /// The progress, sent at regular intervals.
    Progress(Box<Progress>),
}

/// Receives the events of a search. Workers call the observer from their threads, so it must return quickly and never
/// block.
pub trait Observer: Sync {
    /// Receives one event.
    fn observe(&self, event: &Event<'_>);

    /// The interval at which [`Event::Progress`] is sent; `None` for never.
    fn progress_interval(&self) -> Option<std::time::Duration> {
        None
    }

    /// Whether [`Event::Beam`] is sent.
    fn watches_beams(&self) -> bool {
        false
    }
}

/// Each observer receives each event, in order.
impl<O: Observer + ?Sized> Observer for Vec<Box<O>> {
    fn observe(&self, event: &Event<'_>) {
        self.iter().for_each(|observer| observer.observe(event));
    }

    fn progress_interval(&self) -> Option<std::time::Duration> {
        self.iter().filter_map(|observer| observer.progress_interval()).min()
    }

    fn watches_beams(&self) -> bool {
        self.iter().any(|observer| observer.watches_beams())
    }
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&self, _: &Event<'_>) {}
}
