//! The arguments about solutions.

use clap::Args;
use gridhunt_boards::{OptionError, Origin, whole_number_parser};
use std::path::PathBuf;

/// Known solutions from which searches start.
#[derive(Clone, Debug, Default, Args)]
pub struct KnownSolutionFlags {
    /// Start from the solutions in this file, one for each board: prove them, or find better ones
    #[arg(long, value_name = "SOLUTION", help_heading = "Search")]
    pub from: Option<PathBuf>,
    /// With --from: start from the position after this many moves of each solution [default: 0]
    #[arg(long, value_name = "N", requires = "from", default_value_t = 0, value_parser = at_least(0, "3"))]
    #[arg(hide_default_value = true, help_heading = "Search")]
    pub after: usize,
    #[command(flatten)]
    pub notation: NotationFlags,
}

/// How solutions are read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NotationFlags {
    /// Where the cells of clicks are counted from: CORNER[,BASE[,ORDER]], such as bottom-left (short for
    /// bottom-left,0,xy) [default: top-left,1,rc]
    #[arg(long, value_name = "ORIGIN", help_heading = "Reading boards")]
    pub origin: Option<Origin>,
}

/// Makes a parser of numbers from `min`. Errors show `example`.
pub fn at_least(min: u64, example: &'static str) -> impl Fn(&str) -> Result<usize, OptionError> + Clone + Send + Sync {
    whole_number_parser(min..=u64::MAX, example, to_usize)
}

pub fn to_usize(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}
