//! The names of all engines, and the engines that search states.

/// The name of an engine, for `--engine`. [`EngineKind::Auto`] and [`EngineKind::Anneal`]
/// each name one engine for states and one for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Beam searches for incumbents; for the proof the search that learns, or best-first search, and IDA* when memory
    /// runs out.
    Auto,
    /// Depth-first refutation that learns no-goods.
    Learning,
    /// Layered best-first search.
    BestFirst,
    /// Iterative deepening.
    Ida,
    /// Beam search.
    Beam,
    /// Synthesis of shortest programs.
    Synthesis,
    /// Simulated annealing of solutions and of programs.
    Anneal,
}

impl EngineKind {
    /// Every engine, in the order in which `gridhunt engines` lists them.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Learning, Self::BestFirst, Self::Ida, Self::Beam, Self::Synthesis, Self::Anneal];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Learning => "learning",
            Self::BestFirst => "best-first",
            Self::Ida => "ida",
            Self::Beam => "beam",
            Self::Synthesis => "synthesis",
            Self::Anneal => "anneal",
        }
    }

    /// One line that `gridhunt engines` prints.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Auto => "beams for incumbents, then learning, best-first or ida until proven; synthesis for programs",
            Self::Learning => {
                "states that are sets, depth-first: keeps the reason of each refutation, as large as possible; proven when it ends"
            }
            Self::BestFirst => "layered best-first search (A*) on all threads, with duplicate detection",
            Self::Ida => "IDA*: the layers of best-first depth-first, in a table that may forget; memory as allowed",
            Self::Beam => "beam search: the best states of each depth, anytime, never a proof by itself",
            Self::Synthesis => "for programs: all of them modulo equivalence, size by size; proven when it finishes",
            Self::Anneal => "solutions changed at random, for high scores and for programs; never a proof by itself",
        }
    }

    /// Whether the engine proves optimality when nothing stops it.
    #[must_use]
    pub fn exact(self) -> bool {
        !matches!(self, Self::Beam | Self::Anneal)
    }

    /// Whether a run keeps checkpoints of the engine. Without checkpoints, a resume begins a board anew.
    #[must_use]
    pub fn has_checkpoints(self) -> bool {
        matches!(self, Self::Auto | Self::Learning | Self::BestFirst | Self::Ida | Self::Synthesis)
    }

    /// Whether several ranks can share the search of one board.
    #[must_use]
    pub fn uses_ranks(self) -> bool {
        matches!(self, Self::Auto | Self::Learning | Self::BestFirst)
    }

    /// This engine as a [`StateEngine`], if it searches states.
    #[must_use]
    pub fn of_states(self) -> Option<StateEngine> {
        StateEngine::ALL.into_iter().find(|&engine| Self::from(engine) == self)
    }

    /// The engine with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// An engine that searches a [`StateSpace`](crate::expand::StateSpace).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateEngine {
    /// See [`EngineKind::Auto`].
    Auto,
    /// See [`EngineKind::Learning`].
    Learning,
    /// See [`EngineKind::BestFirst`].
    BestFirst,
    /// See [`EngineKind::Ida`].
    Ida,
    /// See [`EngineKind::Beam`].
    Beam,
    /// See [`EngineKind::Anneal`].
    Anneal,
}

impl StateEngine {
    /// All of them, in the order of [`EngineKind::ALL`].
    pub const ALL: [Self; 6] = [Self::Auto, Self::Learning, Self::BestFirst, Self::Ida, Self::Beam, Self::Anneal];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        EngineKind::from(self).name()
    }

    /// Whether the engine proves optimality when nothing stops it.
    #[must_use]
    pub fn exact(self) -> bool {
        EngineKind::from(self).exact()
    }
}

impl From<StateEngine> for EngineKind {
    fn from(engine: StateEngine) -> Self {
        match engine {
            StateEngine::Auto => Self::Auto,
            StateEngine::Learning => Self::Learning,
            StateEngine::BestFirst => Self::BestFirst,
            StateEngine::Ida => Self::Ida,
            StateEngine::Beam => Self::Beam,
            StateEngine::Anneal => Self::Anneal,
        }
    }
}
