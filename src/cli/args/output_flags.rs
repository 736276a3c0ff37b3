//! The arguments about the output of results.

use clap::Args;
use std::path::PathBuf;

/// The output of results.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
    /// No progress, no notes: only results, warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the results to a file instead of standard output. The ending selects the format: .csv, .json, .jsonl, .md,
    /// .txt; no ending is text; others need a flag for a format
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
