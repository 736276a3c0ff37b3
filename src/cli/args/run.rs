//! The arguments of the commands that show or stop runs, and of `play`.

use super::game::GameFlags;
use super::help;
use super::output_flags::OutputFlags;
use super::reading::ReadingFlags;
use clap::Args;
use gridhunt::hunt::Selection;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Status {
    /// The run directory, or a folder of run directories
    pub run: PathBuf,
    /// Check every checksum, and list all checkpoints of a board
    #[arg(long)]
    pub check: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::with_exit_codes(help::STOP))]
pub struct Stop {
    /// The run directory
    pub run: PathBuf,
    /// Wait until the processes have ended
    #[arg(long)]
    pub wait: bool,
    /// One JSON object for each run directory
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::RESULTS)]
pub struct RunResults {
    /// Run directories; a board of several runs has one result
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    #[command(flatten)]
    pub output: OutputFlags,
    /// Comma-separated values with a header line
    #[arg(long, conflicts_with_all = ["json", "markdown"], help_heading = "Output")]
    pub csv: bool,
    /// A Markdown table
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub markdown: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::WATCH)]
pub struct Watch {
    /// Run directories, or folders of them
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Draw one screen as text, of the size of the terminal or 80 x 24, and end
    #[arg(long)]
    pub once: bool,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Run directories, and folders of run directories
    #[arg(value_name = "RUN", default_value = "runs")]
    pub runs: Vec<PathBuf>,
    /// Address and port; port 0 is any that is free. Other machines reach the page only if this is a network address
    /// of this machine, not 127.0.0.1
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8344", value_parser = parse_address)]
    pub listen: SocketAddr,
    /// Another name by which browsers may call this host, for example behind a proxy; may be given more than once
    /// [default: localhost and its address]
    #[arg(long = "name", value_name = "HOST")]
    pub names: Vec<String>,
    /// The page may start, stop and resume hunts. New ones are created in the first folder of run directories
    #[arg(long)]
    pub allow_control: bool,
    /// A configuration with which the page may start hunts; may be given more than once
    #[arg(long = "config", value_name = "CONFIG", requires = "allow_control")]
    pub configs: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::PLAY)]
pub struct Play {
    /// The board file, or the link of a game; - is standard input [default: a new board]
    pub board: Option<PathBuf>,
    /// Only these boards of the file: the page shows the first, the terminal one after the other
    #[arg(long, value_name = "NUMBERS")]
    pub boards: Option<Selection>,
    /// Play in this terminal instead of a browser
    #[arg(long)]
    pub terminal: bool,
    /// Only print the address of the page
    #[arg(long, conflicts_with = "terminal")]
    pub no_open: bool,
    /// Address and port of the page; port 0 is any that is free [default: 127.0.0.1:8345, or any free port]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address, conflicts_with = "terminal")]
    pub listen: Option<SocketAddr>,
    /// The seed of a new board; cannot be used with BOARD [default: another one each time]
    #[arg(long, value_name = "N", conflicts_with = "board")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub game: GameFlags,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::REPORT)]
pub struct Report {
    /// Run directories, folders of them, or files of solve --json
    #[arg(required = true, value_name = "RUN")]
    pub sources: Vec<PathBuf>,
    /// Write the page into this file, such as runs.html, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw at most this many solutions
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub films: usize,
    /// The title of the page [default: the names of the runs]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

/// Parses an address with a port, or `localhost:PORT`.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let numbers = text.replacen("localhost:", "127.0.0.1:", 1);
    numbers
        .parse()
        .map_err(|_| "expected an address of this machine with a port, such as 127.0.0.1:8344 or [::1]:0".to_owned())
}
