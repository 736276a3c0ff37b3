//! The arguments of `export`.

use super::help;
use super::reading::ReadingFlags;
use clap::{Args, ValueEnum};
use gridhunt::hunt::{PuzzleOptions, SelectionOptions};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = help::EXPORT)]
pub struct Export {
    /// Board files; - is standard input
    #[arg(required = true, value_name = "BOARD")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub puzzle: PuzzleOptions,
    #[command(flatten)]
    pub selection: SelectionOptions,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// The language
    #[arg(long = "to", value_name = "LANGUAGE", default_value = "pddl", help_heading = "Output")]
    pub language: Language,
    /// The directory: domain.pddl has the rules, BOARD.pddl a board
    #[arg(short, long, required = true, value_name = "DIR", help_heading = "Output")]
    pub output: PathBuf,
}

/// The languages of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// The language of planners
    Pddl,
}
