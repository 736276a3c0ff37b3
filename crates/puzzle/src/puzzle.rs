//! A puzzle: what it is called, which options and engines it has, and the task that a board becomes.

use super::error::Result;
use super::option::{FactInfo, PuzzleOption, Values};
use super::task::Task;
use super::{EngineKind, Objective, PuzzleError};
use gridhunt_boards::{Board, Format, Frame, GenerateSpec};
use gridhunt_search::engine::EngineInfo;

/// The description of a lower bound, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundInfo {
    /// The name for `--bound`.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Whether the bound is the default on every board.
    pub is_default: bool,
}

/// A difficulty of new boards.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// How hard the boards are: `easy`, `medium`, `hard`, `expert`.
    pub name: &'static str,
    /// The number of rows, and of columns.
    pub side: usize,
    /// The number of colours.
    pub colours: usize,
    /// The kind of the boards: one of [`PuzzleInfo::kinds`], or empty.
    pub kind: &'static str,
    /// Options of the game, with their values.
    pub options: &'static [(&'static str, &'static str)],
}

/// What is known of a puzzle without a board.
#[derive(Debug)]
pub struct PuzzleInfo {
    /// The name on the command line, in configurations and in JSON, then other names that `--domain` accepts.
    pub names: &'static [&'static str],
    /// The name as people write it.
    pub title: &'static str,
    /// The options that this puzzle alone knows.
    pub options: &'static [PuzzleOption],
    /// The objectives. If more is better, the ceiling of the objective depends on the board.
    pub objectives: &'static [Objective],
    /// The engines that can search the puzzle, in the order in which lists show them.
    pub engines: fn() -> Vec<&'static EngineInfo>,
    /// The lower bounds; none if programs solve the puzzle.
    pub bounds: &'static [BoundInfo],
    /// Whether lower bounds have certificates.
    pub has_certificates: bool,
    /// Whether programs solve the puzzle. If so, the symbols of its boards are no colours.
    pub has_programs: bool,
    /// The default format of the boards. The reader uses it when no format is given and the content is ambiguous.
    pub format: Option<Format>,
    /// The kinds of boards that can be generated, besides boards of random cells; the first kind is the default if
    /// random cells cannot be a board of this puzzle. No other puzzle has a kind of the same name.
    pub kinds: &'static [&'static str],
    /// The levels of new boards, the easiest one first. The second one is the default.
    pub levels: &'static [Level],
}

impl PuzzleInfo {
    /// The facts that records of this puzzle hold.
    pub fn facts(&self) -> impl Iterator<Item = FactInfo> {
        self.options.iter().filter_map(|option| option.fact)
    }

    /// Whether `engine` can search this puzzle.
    #[must_use]
    pub fn supports(&self, engine: EngineKind) -> bool {
        (self.engines)().iter().any(|info| info.name == engine.name())
    }

    /// Whether the puzzle has the lower bound of this name.
    #[must_use]
    pub fn has_bound(&self, name: &str) -> bool {
        self.bounds.iter().any(|bound| bound.name == name)
    }
}

/// A puzzle.
///
/// # Contract
/// * The first of the [names](PuzzleInfo::names), and the names of the options, are unique in the registry.
/// * [`Task::replay`] must refuse every wrong incumbent of [`Task::search`]. The replay uses the plain rules of the
///   puzzle and shares no code with the search.
pub trait Puzzle: Sync {
    /// What is known of the puzzle without a board.
    fn info(&self) -> &'static PuzzleInfo;

    /// The rules and the objective in words, as a part of a checkpoint's identity: a search continues a checkpoint only
    /// if these words are the same, because rules and objective decide which states the checkpoint holds. Empty for a
    /// puzzle without variants.
    fn rules(&self, values: &Values) -> String {
        let _ = values;
        String::new()
    }

    /// The name of the board's cells, if no other puzzle has such cells; otherwise `None`.
    fn recognises(&self, board: &Board) -> Option<&'static str> {
        let _ = board;
        None
    }

    /// Makes the frame that shows a board without a game or a solution. The board need not be a position.
    ///
    /// # Errors
    /// When the board does not belong to this puzzle.
    fn still(&self, board: &Board) -> Result<Frame>;

    /// Makes the task of a board under the rules and the objective of `values`.
    ///
    /// # Errors
    /// At the first cell that the rules do not allow.
    fn task<'b>(&self, board: &'b Board, values: &Values) -> Result<Box<dyn Task + 'b>>;

    /// Generates board `index` of a sequence of boards. `kind` is one of the [kinds](PuzzleInfo::kinds), or empty for
    /// random cells. `fill` is a percentage of cells; only some kinds use it.
    ///
    /// # Errors
    /// When there is no such kind, or the size or the number of colours is out of range.
    fn generate(&self, kind: &str, fill: u32, spec: &GenerateSpec, values: &Values, index: u64) -> Result<Board> {
        let _ = (fill, values);
        match kind {
            "" => Ok(gridhunt_boards::generate(spec, index)?),
            kind => Err(PuzzleError::Kind { found: kind.to_owned(), expected: self.info().kinds }),
        }
    }
}
