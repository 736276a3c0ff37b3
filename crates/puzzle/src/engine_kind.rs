//! The handle of an engine.

use super::PuzzleId;
use super::names::{UnknownName, impl_handle_traits};
use gridhunt_search::engine::{EngineInfo, StateEngine};
use std::str::FromStr;

/// The handle of an engine. Engines of one name, one for states and one for programs, are equal.
///
/// To get a handle, parse a name (`"ida".parse()`), iterate over [`EngineKind::all`], or convert a [`StateEngine`].
#[derive(Clone, Copy)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(from = "String", into = "String", description = "An engine.", extend("oneOf" = name_schemas())))]
pub struct EngineKind {
    /// The description of the engine.
    pub info: &'static EngineInfo,
}

impl_handle_traits!(EngineKind);

impl EngineKind {
    /// The default.
    pub const AUTO: Self = Self { info: StateEngine::AUTO.info };

    /// Every engine, in the order in which the puzzles of the registry list them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for info in PuzzleId::all().flat_map(|puzzle| (puzzle.info().engines)()) {
            let engine = Self { info };
            if !all.contains(&engine) {
                all.push(engine);
            }
        }
        all
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info.name
    }
}

impl From<StateEngine> for EngineKind {
    fn from(engine: StateEngine) -> Self {
        Self { info: engine.info }
    }
}

impl FromStr for EngineKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName::new("engine", text, Self::all().into_iter().map(Self::name));
        Self::all().into_iter().find(|engine| engine.name() == text).ok_or_else(unknown)
    }
}

/// The schema of each name.
#[cfg(feature = "schema")]
fn name_schemas() -> Vec<schemars::Schema> {
    let schema_of = |engine: EngineKind| {
        let (name, summary) = (engine.info.name, engine.info.summary);
        schemars::json_schema!({ "type": "string", "const": name, "description": summary })
    };
    EngineKind::all().into_iter().map(schema_of).collect()
}
