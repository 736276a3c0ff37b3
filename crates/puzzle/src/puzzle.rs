//! The contract of a puzzle: its names, options and engines, and the task of a board.

#[cfg(doc)]
use super::PuzzleId;
use super::error::Result;
use super::option::{FactInfo, OptionValues, PuzzleOption};
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
    /// The name: `easy`, `medium`, `hard` or `expert`.
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

/// A difficulty of random cells under the usual rules.
#[must_use]
pub const fn level(name: &'static str, side: usize, colours: usize) -> Level {
    Level { name, side, colours, kind: "", options: &[] }
}

/// The description of a puzzle.
#[derive(Debug)]
pub struct PuzzleInfo {
    /// The name on the command line, in configurations and in JSON, then other names that `--domain` accepts.
    pub names: &'static [&'static str],
    /// The name in texts.
    pub title: &'static str,
    /// The options that only this puzzle has.
    pub options: &'static [PuzzleOption],
    /// The objectives. If more is better, the ceiling of the objective depends on the board.
    pub objectives: &'static [Objective],
    /// The engines that can search the puzzle, in the order in which lists show them.
    pub engines: fn() -> Vec<&'static EngineInfo>,
    /// The lower bounds; empty if solutions are programs.
    pub bounds: &'static [BoundInfo],
    /// Whether lower bounds have certificates.
    pub has_certificates: bool,
    /// Whether solutions are programs. If so, the symbols of the boards are not colours.
    pub has_programs: bool,
    /// The default format of the boards. The reader uses it when no format is given and the content is ambiguous.
    pub format: Option<Format>,
    /// The kinds of boards that can be generated, besides random cells. The first kind is the default if random cells
    /// cannot be a board of this puzzle. No other puzzle has a kind of the same name.
    pub kinds: &'static [&'static str],
    /// The levels of new boards, the easiest one first. The second one is the default.
    pub levels: &'static [Level],
}

impl PuzzleInfo {
    /// A puzzle without options, engines, bounds and boards. A description names only what differs.
    pub const NONE: Self = Self {
        names: &["none"],
        title: "",
        options: &[],
        objectives: &[],
        engines: Vec::new,
        bounds: &[],
        has_certificates: false,
        has_programs: false,
        format: None,
        kinds: &[],
        levels: &[],
    };

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
/// * [`Task::replay`] must refuse every wrong incumbent of [`Task::search`]. It uses the plain rules of the puzzle and
///   shares no code with the search.
pub trait Puzzle: Sync {
    /// The description of the puzzle.
    fn info(&self) -> &'static PuzzleInfo;

    /// The rules and the objective in words, as a part of a checkpoint's identity: they decide which states the
    /// checkpoint holds, so a search continues a checkpoint only if the words are the same. Empty for a puzzle without
    /// variants.
    fn rules(&self, values: &OptionValues) -> String {
        let _ = values;
        String::new()
    }

    /// The cells of the board in words, if no other puzzle has such cells; otherwise `None`.
    fn distinctive_cells(&self, board: &Board) -> Option<&'static str> {
        let _ = board;
        None
    }

    /// Makes the frame of a board alone, without a game or a solution. The board need not be a position.
    ///
    /// # Errors
    /// When the board does not belong to this puzzle.
    fn board_frame(&self, board: &Board) -> Result<Frame>;

    /// Makes the task of a board under the rules and the objective of `values`. Callers use
    /// [`checked_task`](PuzzleId::checked_task), which also refuses the cells of other puzzles.
    ///
    /// # Errors
    /// At the first cell that the rules do not allow.
    fn task<'b>(&self, board: &'b Board, values: &OptionValues) -> Result<Box<dyn Task + 'b>>;

    /// Generates board `index` of a sequence of boards. `kind` is one of the [kinds](PuzzleInfo::kinds), or empty for
    /// random cells. `fill` is a percentage of cells; only some kinds use it.
    ///
    /// # Errors
    /// When there is no such kind, or the size or the number of colours is out of range.
    fn generate(&self, kind: &str, fill: u32, spec: &GenerateSpec, values: &OptionValues, index: u64) -> Result<Board> {
        let _ = (fill, values);
        match kind {
            "" => Ok(gridhunt_boards::generate(spec, index)?),
            kind => Err(PuzzleError::UnknownKind { found: kind.to_owned(), expected: self.info().kinds }),
        }
    }
}
