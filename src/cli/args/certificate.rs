//! The arguments of `certify` and `check`.

use super::game::{GameFlags, RuleOptions};
use super::help;
use super::reading::ReadingFlags;
use super::solution::KnownSolutionFlags;
use clap::Args;
use gridhunt::hunt::{PuzzleOptions, ResourceOptions, Selection, SelectionOptions};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = help::CERTIFY)]
pub struct Certify {
    /// Board files; - is standard input
    #[arg(required = true, value_name = "BOARD")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub game: GameFlags,
    #[command(flatten)]
    pub selection: SelectionOptions,
    #[command(flatten)]
    pub reading: ReadingFlags,
    #[command(flatten)]
    pub known: KnownSolutionFlags,
    #[command(flatten)]
    pub resources: ResourceOptions,
    /// Instead write a formula (PATH.opb) and a proof (PATH.pbp) for the checker VeriPB; only for small boards of some
    /// puzzles
    #[arg(long, help_heading = "Output")]
    pub veripb: bool,
    /// The certificate; or a directory, in which each board has a file, BOARD.cert
    #[arg(short, long, required = true, value_name = "PATH", help_heading = "Output")]
    pub output: PathBuf,
    /// One JSON object per line
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress, no notes
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::CHECK)]
pub struct Check {
    /// The certificate; - is standard input
    pub file: PathBuf,
    /// The board that the certificate must match; without it, the board in the certificate is shown
    #[arg(long, value_name = "BOARD")]
    pub board: Option<PathBuf>,
    /// The number of the board, if the file has several
    #[arg(long, value_name = "NUMBERS", requires = "board")]
    pub boards: Option<Selection>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub puzzle: PuzzleOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub reading: ReadingFlags,
}
