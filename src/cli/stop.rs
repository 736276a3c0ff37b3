//! `stop`: asks the processes that search in a run directory to end.

use super::exit::{Exit, Failure};
use super::output::Output;
use super::run_args::Stop;
use gridhunt::hunt::{PartedRun, StopRequest};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// The time between two looks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(100);

/// What became of a request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Asked<'a> {
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
    let runs = PartedRun::folders(&args.run)?;
    // All are asked before any is waited for.
    let requests = runs.iter().map(|run| StopRequest::make(run)).collect::<Result<Vec<_>, _>>()?;
    let mut output = Output::stdout();
    for request in &requests {
        if args.wait {
            while !request.is_over()? {
                std::thread::sleep(PAUSE);
            }
        }
        let ended = if args.wait { request.is_over()? } else { request.process().is_none() };
        let asked = Asked {
            run: request.run().display().to_string(),
            process: request.process(),
            asked: request.is_made(),
            ended,
        };
        let line = if args.json { serde_json::to_string(&asked).map_err(Failure::internal)? } else { text(&asked) };
        output.write(&format!("{line}\n"))?;
    }
    Ok(Exit::Done)
}

fn text(Asked { run, process, asked, ended }: &Asked<'_>) -> String {
    match (process, asked, ended) {
        (Some(process), _, false) => format!("{run}: process {process} was asked to end"),
        (Some(process), _, true) => format!("{run}: process {process} was asked to end, and has ended"),
        (None, true, _) => format!(
            "{run}: no process is seen here, and the last session has not noted its end: a process on another host will \
             find the request"
        ),
        (None, false, _) => format!("{run}: not running"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_is_known() {
        let of = |process, asked, ended| text(&Asked { run: "run".to_owned(), process, asked, ended });
        assert_eq!(of(Some("7"), true, false), "run: process 7 was asked to end");
        assert_eq!(of(Some("7"), true, true), "run: process 7 was asked to end, and has ended");
        assert_eq!(of(None, false, true), "run: not running");
        assert!(of(None, true, true).contains("a process on another host will find the request"));
    }
}
