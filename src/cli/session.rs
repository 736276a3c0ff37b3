//! A session: searches boards, writes results and notes, and returns an exit code.

use crate::cli::args::SessionFlags;
use crate::cli::args::endings::of_results;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::live::Live;
use crate::cli::output::results::{Form, Results};
use crate::cli::output::screen::Screen;
use crate::cli::output::{refuse_input, tell};
use crate::cli::process::ranks::OtherRanks;
use crate::cli::process::signals::Signals;
use gridhunt::hunt::Request;
use gridhunt::hunt::{
    Audience, Audiences, Batch, BatchError, BoardFolder, BoardResult, BoardSearchInfo, Config, FailedBoard, HuntError,
    Parallel, Ranks, RunDir, StopListener,
};
use gridhunt::puzzles::Start;
use gridhunt::views::{
    LiveLine, LiveView, ProgressDisplay, ProgressLog, ProgressSinks, RowLog, RunLog, SessionFacts, log_heading,
    resume_command,
};
use gridhunt_search::runtime::{Event, Exchange, Observer, StopToken};
use indicatif::ProgressDrawTarget;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The boards, the request and the output of one call of `solve`, `hunt` or `resume`.
pub struct Session<'a> {
    pub request: Request,
    pub parallel: Parallel,
    /// The number of boards that are to be searched; `None` if an input is a stream.
    pub boards_left: Option<usize>,
    /// Whether there may be more than one board.
    pub many: bool,
    pub flags: &'a SessionFlags,
    /// Input files, which must not be overwritten.
    pub inputs: &'a [PathBuf],
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
    /// A file that gets the rows of progress, besides that of the run directory.
    pub progress: Option<&'a Path>,
    /// The folder for certificates, if there are to be some.
    pub certificates: Option<&'a BoardFolder>,
    /// Whether the search is shown on the whole screen.
    pub watch: bool,
    /// Boards that failed before the session.
    pub bad: Vec<FailedBoard>,
    /// The exchange with other ranks, if there are any, and the configuration for them.
    pub ranks: Option<(&'a Exchange, String)>,
}

impl<'a> Session<'a> {
    /// A session with the threads of [`Config::session`].
    pub fn new(
        config: &Config,
        boards_left: Option<usize>,
        many: bool,
        flags: &'a SessionFlags,
        ranks: OtherRanks<'a>,
    ) -> Self {
        let (mut request, parallel) = config.session(boards_left, many, ranks);
        if let Some(wanted) = request.lower_threads() {
            let threads = request.threads;
            tell(&format!("warning: the system lets only {threads} of {wanted} threads begin (ulimit -u, ulimit -v)"));
        }
        let ranks = ranks.map(|exchange| (exchange, config.to_text()));
        Self {
            request,
            parallel,
            boards_left,
            many,
            flags,
            inputs: &[],
            run: None,
            progress: None,
            certificates: None,
            watch: false,
            bad: Vec::new(),
            ranks,
        }
    }

    /// Searches the boards.
    pub fn search<B: Into<Start>, F: Into<HuntError>>(
        mut self,
        boards: impl Iterator<Item = Result<B, F>>,
    ) -> Result<Exit, Failure> {
        let stop = Arc::new(StopToken::new());
        let signals = Signals::of_search(&stop).map_err(Failure::system)?;
        let mut outputs = Outputs::open(&self, &stop)?;
        for bad in std::mem::take(&mut self.bad) {
            outputs.results.take(&outputs.progress, &BoardResult::Failed(bad))?;
        }
        let before = outputs.results.summary.searched();
        let resume = self.run.map(|run| resume_command(run.path()));
        let resume = resume.as_deref();
        let batch = Batch {
            request: &self.request,
            parallel: self.parallel,
            audience: &outputs.audiences,
            stop: &stop,
            run: self.run,
            // A single board that fails ends the session with its error.
            strict: self.flags.strict || !self.many,
            names_rest: self.boards_left.is_some(),
            certificates: self.certificates,
            ranks: self.ranks.as_ref().map(|(exchange, config)| Ranks { exchange, config, resume }),
        };
        let (results, progress) = (&mut outputs.results, &outputs.progress);
        let ended = batch.run(boards, |result| results.take(progress, &result));
        let (mut exit, searched) = match ended {
            Ok(()) => outputs.finish()?,
            Err(BatchError::Hunt(error)) => {
                outputs.finish()?;
                return Err(error.into());
            }
            Err(BatchError::Deliver(failure)) => return Err(failure),
        };
        if stop.reason().is_some() && self.boards_left != Some((searched - before) as usize) {
            exit = exit.and(Exit::Interrupted);
        }
        if let Some(run) = self.run.filter(|run| !self.flags.output.quiet && !run.is_complete()) {
            tell(&format!("kept in {}; go on with: {}", run.path().display(), resume_command(run.path())));
        }
        if self.run.is_none() && exit == Exit::Interrupted && !self.flags.output.quiet {
            tell(
                "this search was not kept: the next one begins anew. With --run DIR it is kept, and gridhunt resume DIR continues it",
            );
        }
        // The first signal decides the exit code.
        Ok(if exit == Exit::Interrupted { signals.exit().unwrap_or(exit) } else { exit })
    }
}

/// All that a session writes and shows. The fields are in the order in which they end: the files of the run and the
/// rows of progress are complete before the screen closes, and the progress has its last line before the summary.
struct Outputs<'a> {
    /// The log of events first, because it records a result before anything else hears of it.
    audiences: Audiences<'a>,
    /// Listens for a request from outside to stop the run.
    asked: Option<StopListener>,
    live: Option<Live>,
    progress: Arc<ProgressDisplay>,
    results: Results<'a>,
    began: Instant,
}

impl<'a> Outputs<'a> {
    /// Opens all outputs of a session, and delivers the results that an earlier session has recorded and not delivered.
    fn open(session: &Session<'a>, stop: &Arc<StopToken>) -> Result<Self, Failure> {
        let (began, run, writing) = (Instant::now(), session.run, &session.flags.output);
        let form = of_results(writing, None)?;
        let many = session.many || form == Form::Json && session.request.all.is_some();
        let mut results = Results::open((writing, form), many, run, session.inputs)?;
        let asked = run.map(|run| StopListener::begin(run, stop)).transpose().map_err(Failure::system)?;
        let facts = SessionFacts::of(&session.request, session.boards_left, run);
        let live = if session.watch { Some(open_screen(run, stop)?) } else { None };
        let heading = || log_heading(&session.request, run);
        let (progress, view): (_, Option<Box<dyn LiveView>>) = match &live {
            Some(live) => {
                let (progress, line) = progress_behind(live, writing.quiet, facts.boards);
                (progress, Some(Box::new(vec![live.rows() as Box<dyn LiveView>, Box::new(line)])))
            }
            None => progress((writing.quiet, session.flags.log), facts.boards, heading),
        };
        let progress = Arc::new(progress);
        if let Some(run) = run {
            // A file was emptied when it was opened, so it gets all results; standard output those not delivered yet.
            let mut records = run.final_results(writing.output.is_none()).into_iter();
            records.try_for_each(|record| results.take_recorded(&progress, record))?;
        }
        let mut audiences: Audiences<'a> = Vec::new();
        if let Some(run) = run {
            audiences.push(Box::new(RunLog::new(run).map_err(Failure::output)?));
        }
        let sinks = ProgressSinks { run, file: session.progress, view };
        if !sinks.is_empty() {
            match open_progress_log(sinks, facts, session.inputs) {
                Ok(log) => audiences.push(Box::new(log)),
                Err(failure) if run.is_some() || session.progress.is_some() => return Err(failure),
                // The search goes on without what shows it.
                Err(_) => {}
            }
        }
        audiences.push(Box::new(Narrated(Arc::clone(&progress))));
        Ok(Self { audiences, asked, live, progress, results, began })
    }

    /// Ends all outputs. Returns the exit of the results, and the number of boards that they are of.
    fn finish(self) -> Result<(Exit, u64), Failure> {
        let Self { audiences, asked, live, progress, results, began } = self;
        drop(audiences);
        drop(asked);
        drop(live);
        drop(progress);
        results.finish(Some(began))
    }
}

/// Opens the screen on which the search is shown.
fn open_screen(run: Option<&RunDir>, stop: &Arc<StopToken>) -> Result<Live, Failure> {
    if !Screen::is_possible() {
        return Err(Failure::usage("found --watch without a terminal on standard error, expected one"));
    }
    Live::open(run.map(RunDir::path), stop).map_err(Failure::output)
}

/// The progress behind a screen: it is shown once the screen is closed, unless the session is quiet.
fn progress_behind(live: &Live, quiet: bool, boards: Option<u64>) -> (ProgressDisplay, LiveLine) {
    let (progress, line, show) = ProgressDisplay::with_screen(live.rows(), boards);
    if !quiet {
        live.when_closed(move || show(ProgressDrawTarget::stderr()));
    }
    (progress, line)
}

/// Begins to record the progress.
fn open_progress_log(
    sinks: ProgressSinks<'_>,
    facts: SessionFacts,
    inputs: &[PathBuf],
) -> Result<ProgressLog, Failure> {
    if let Some(path) = sinks.file {
        refuse_input(path, inputs)?;
    }
    let file = sinks.file.map(|path| format!("{}: ", path.display())).unwrap_or_default();
    ProgressLog::new(sinks, facts).map_err(|error| {
        let Failure { exit, error } = Failure::output(error);
        Failure { exit, error: anyhow::anyhow!("{file}cannot write the progress: {}", error.root_cause()) }
    })
}

/// Writes notes of the search as warnings at once. A note about one of several boards side by side has its name.
struct Narrator<'a> {
    progress: &'a ProgressDisplay,
    name: &'a str,
}

impl Observer for Narrator<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            let name = if note.starts_with(self.name) { String::new() } else { format!("{}: ", self.name) };
            self.progress.suspend(|| tell(&format!("warning: {name}{note}")));
        }
    }
}

/// Has the notes of the searches told.
struct Narrated(Arc<ProgressDisplay>);

impl Observer for Narrated {
    fn observe(&self, event: &Event<'_>) {
        Narrator { progress: &self.0, name: "" }.observe(event);
    }
}

impl Audience for Narrated {
    fn begin_beside<'a>(&'a self, board: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        Box::new(Narrator { progress: &self.0, name: board.name })
    }
}

/// A live line if standard error is a terminal that can redraw a line and no log is wanted; otherwise what writes a log
/// of the rows. `quiet` shows nothing.
fn progress(
    (quiet, log): (bool, bool),
    boards: Option<u64>,
    heading: impl FnOnce() -> String,
) -> (ProgressDisplay, Option<Box<dyn LiveView>>) {
    match (quiet, log || !Screen::is_possible()) {
        (true, _) => (ProgressDisplay::silent(), None),
        (false, false) => {
            let (progress, line) = ProgressDisplay::live(ProgressDrawTarget::stderr(), boards);
            (progress, Some(Box::new(line)))
        }
        (false, true) => (ProgressDisplay::silent(), Some(Box::new(RowLog::new(io::stderr(), heading())))),
    }
}

/// Those who show the searches of a command that keeps no run.
pub fn shown(
    quiet: bool,
    facts: SessionFacts,
    heading: impl FnOnce() -> String,
) -> (Arc<ProgressDisplay>, Audiences<'static>) {
    let (progress, view) = progress((quiet, false), facts.boards, heading);
    let progress = Arc::new(progress);
    let mut audiences: Audiences<'static> = vec![Box::new(Narrated(Arc::clone(&progress)))];
    if view.is_some() {
        // If the thread cannot be started, no progress is shown.
        let log = ProgressLog::new(ProgressSinks { view, ..ProgressSinks::default() }, facts);
        audiences.extend(log.ok().map(|log| Box::new(log) as _));
    }
    (progress, audiences)
}

/// The folder for certificates, if there are to be some.
///
/// # Errors
/// When the puzzle has none, and when the folder cannot be created.
pub fn open_certificates(
    path: Option<&Path>,
    request: &Request,
    inputs: &[PathBuf],
) -> Result<Option<BoardFolder>, Failure> {
    let Some(path) = path else { return Ok(None) };
    request.check_certificates()?;
    Ok(Some(BoardFolder::create(path, inputs, BoardFolder::CERTIFICATES)?))
}
