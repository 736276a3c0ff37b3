//! `stop`: asks the process that searches in a run directory to end.

use crate::cli::args::run::Stop;
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use gridhunt::hunt::StopRequest;
use serde::Serialize;
use std::time::Duration;

/// The time between two checks of whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Asked"))]
pub struct StopReport<'a> {
    /// The run directory.
    run: String,
    /// The id of the process that searched when `stop` began; null when none was seen.
    process: Option<&'a str>,
    /// Whether a request was written.
    asked: bool,
    /// Whether no process searches any more.
    ended: bool,
}

pub fn run(args: &Stop) -> Result<Exit, Failure> {
    let request = StopRequest::make(&args.run)?;
    if args.wait {
        while !request.has_ended()? {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
    let report = StopReport {
        run: args.run.display().to_string(),
        process: request.process.as_deref(),
        asked: request.is_written,
        ended: args.wait || request.process.is_none(),
    };
    let line = if args.json { serde_json::to_string(&report).map_err(Failure::internal)? } else { text(&report) };
    Output::stdout().write(&format!("{line}\n"))?;
    Ok(Exit::Done)
}

fn text(StopReport { run, process, asked, ended }: &StopReport<'_>) -> String {
    match (process, asked, ended) {
        (Some(process), _, false) => format!("{run}: process {process} was asked to end"),
        (Some(process), _, true) => format!("{run}: process {process} was asked to end, and has ended"),
        (None, true, _) => format!(
            "{run}: found no process on this host, but the last session recorded no end: a process on another host \
             will find the request"
        ),
        (None, false, _) => format!("{run}: not running"),
    }
}
