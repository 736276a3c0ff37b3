//! A session: searches boards, writes results and notes, and returns an exit code.

use super::args::Writing;
use super::exit::{Exit, Failure};
use super::output::{Output, tell};
use super::signals::Watch;
use gridhunt::board::{BoardError, Entry};
use gridhunt::driver::{Audience, Batch, BatchError, ObjectiveValue, Parallel, Report, Request, RunDir, RunError};
use gridhunt::report::{
    Progress, RunLog, Summary, published_remark, result_line, result_text, resume_command, to_json,
};
use gridhunt::runtime::{Event, Observer, StopToken, process_cpu_seconds};
use indicatif::ProgressDrawTarget;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The boards, the request and the output of one call of `solve`, `hunt` or `resume`.
pub struct Session<'a> {
    pub request: Request,
    pub parallel: Parallel,
    /// The number of boards; `None` if an input is a stream.
    pub total: Option<usize>,
    /// Whether there may be more than one board.
    pub many: bool,
    pub writing: &'a Writing,
    /// Input files, which must not be overwritten.
    pub inputs: &'a [PathBuf],
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
}

impl<'a> Session<'a> {
    /// A session that by default searches boards side by side if there are at least as many boards as threads. With
    /// fewer boards, some threads would be idle.
    pub fn new(
        mut request: Request,
        wanted: Option<Parallel>,
        total: Option<usize>,
        many: bool,
        writing: &'a Writing,
    ) -> Self {
        let enough = many && total.is_none_or(|total| total >= request.threads);
        let parallel = wanted.unwrap_or(if enough { Parallel::Boards } else { Parallel::Search });
        if parallel == Parallel::Boards {
            request.threads = request.threads.min(total.unwrap_or(usize::MAX)).max(1);
        }
        Self { request, parallel, total, many, writing, inputs: &[], run: None }
    }

    /// Searches the boards.
    pub fn search(&self, boards: impl Iterator<Item = Result<Entry, BoardError>>) -> Result<Exit, Failure> {
        let began = Instant::now();
        let output = Output::open(self.writing.output.as_deref(), self.inputs)?;
        let stop = Arc::new(StopToken::new());
        let watch = Watch::install(&stop).map_err(Failure::internal)?;
        let narrator = Narrator(progress(self.writing.quiet, self.total));
        let run_log = self.run.map(|run| RunLog::new(run, &narrator));
        let audience: &dyn Audience = run_log.as_ref().map_or(&narrator, |run_log| run_log);
        let mut results =
            Results { writing: self.writing, many: self.many, output, summary: Summary::default(), exit: Exit::Done };
        let batch = Batch { request: &self.request, parallel: self.parallel, audience, stop: &stop, run: self.run };
        let ended = batch.run(boards, |report| results.take(&narrator.0, &report));
        drop(run_log);
        // Dropping the narrator writes the last progress before the summary.
        drop(narrator);
        match ended {
            Ok(()) => results.summarise(began)?,
            Err(BatchError::Hunt(error)) => {
                results.summarise(began)?;
                return Err(error.into());
            }
            Err(BatchError::Deliver(failure)) => return Err(failure),
        }
        let mut exit = results.exit;
        if stop.reason().is_some() && self.total != Some(results.summary.boards as usize) {
            exit = exit.and(Exit::Interrupted);
        }
        if let Some(run) = self.run.filter(|run| !self.writing.quiet && !is_complete(run)) {
            tell(&format!("kept in {}; go on with: {}", run.path().display(), resume_command(run.path())));
        }
        // The first signal decides the exit code.
        Ok(if exit == Exit::Interrupted { watch.exit().unwrap_or(exit) } else { exit })
    }
}

fn is_complete(run: &RunDir) -> bool {
    (1..=run.total()).all(|number| run.is_done(number))
}

/// Shows progress, and writes notes of the search as warnings at once.
pub struct Narrator(pub Progress);

impl Observer for Narrator {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            self.0.suspend(|| tell(&format!("warning: {note}")));
        }
        self.0.observe(event);
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.0.progress_interval()
    }
}

impl Audience for Narrator {
    fn begin(&self, name: &str, objective: ObjectiveValue) {
        self.0.begin(name, objective);
    }

    fn finish(&self, report: &Report) -> Result<(), RunError> {
        self.0.finish(report)
    }
}

/// Writes reports and collects the summary and the exit.
struct Results<'a> {
    writing: &'a Writing,
    many: bool,
    output: Output,
    summary: Summary,
    exit: Exit,
}

impl Results<'_> {
    fn take(&mut self, progress: &Progress, report: &Report) -> Result<(), Failure> {
        self.summary.add(report);
        self.exit = self.exit.and(Exit::of_outcome(&report.outcome));
        let text = match (self.writing.json, self.many) {
            (true, _) => to_json(report).map_err(Failure::internal)? + "\n",
            (false, true) => result_line(report) + "\n",
            (false, false) => result_text(report),
        };
        progress.suspend(|| {
            for remark in published_remark(report).iter().chain(&report.outcome.failure) {
                tell(&format!("warning: {remark}"));
            }
            self.output.write(&text)
        })
    }

    fn summarise(&mut self, began: Instant) -> Result<(), Failure> {
        if !self.many {
            return Ok(());
        }
        self.summary.seconds = began.elapsed().as_secs_f64();
        self.summary.cpu_seconds = process_cpu_seconds();
        match (self.writing.json, self.writing.quiet) {
            (false, _) => self.output.write(&format!("{}\n", self.summary)),
            (true, false) => {
                tell(&self.summary.to_string());
                Ok(())
            }
            (true, true) => Ok(()),
        }
    }
}

/// A live line if standard error is a terminal that can redraw a line; otherwise plain lines. `quiet` shows nothing.
pub fn progress(quiet: bool, total: Option<usize>) -> Progress {
    let redraws = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    match (quiet, redraws) {
        (true, _) => Progress::silent(),
        (false, true) => Progress::live(ProgressDrawTarget::stderr(), total),
        (false, false) => Progress::plain(io::stderr(), total),
    }
}
