//! A session: searches boards, writes results and notes, and returns an exit code.

use crate::cli::args::SessionFlags;
use crate::cli::args::output_form::form_of_results;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::live::LiveScreen;
use crate::cli::output::results::{OutputForm, ResultWriter};
use crate::cli::output::screen::Screen;
use crate::cli::output::{check_not_input, print_message};
use crate::cli::process::ranks::OtherRanks;
use crate::cli::process::signals::Signals;
use gridhunt::hunt::{
    Batch, BatchError, BatchObserver, BatchObservers, BoardFolder, BoardResult, BoardSearchInfo, Config, FailedBoard,
    HuntError, Parallelism, Ranks, Request, RunDir, StopListener, memory,
};
use gridhunt::puzzles::StartPosition;
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
    pub parallel: Parallelism,
    /// The number of boards that are to be searched; `None` if an input is a stream.
    pub boards_left: Option<usize>,
    /// Whether there may be more than one board.
    pub has_many: bool,
    pub flags: &'a SessionFlags,
    /// Input files, which must not be overwritten.
    pub inputs: &'a [PathBuf],
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
    /// A file that gets the rows of progress, besides the file of the run directory.
    pub progress: Option<&'a Path>,
    /// The folder for certificates, if boards are to have certificates.
    pub certificates: Option<&'a BoardFolder>,
    /// Whether the search is shown on the whole screen.
    pub watch: bool,
    /// Boards that failed before the session.
    pub failed_boards: Vec<FailedBoard>,
    /// The exchange with other ranks, if there are any, and the configuration for them.
    pub ranks: Option<(&'a Exchange, String)>,
}

impl<'a> Session<'a> {
    /// Makes a session with the threads of [`Config::session`].
    pub fn new(
        config: &Config,
        boards_left: Option<usize>,
        has_many: bool,
        flags: &'a SessionFlags,
        ranks: OtherRanks<'a>,
    ) -> Self {
        let (mut request, parallel) = config.session(boards_left, has_many, ranks);
        if let Some(wanted) = request.clamp_threads() {
            let threads = request.threads;
            print_message(&format!("warning: the system starts only {threads} of {wanted} threads (ulimit -u, -v)"));
        }
        let ranks = ranks.map(|exchange| (exchange, config.to_toml()));
        if config.memory.is_none() && request.limits.resident == Some(memory::MIN_BYTES) {
            print_message("note: the system leaves little memory: --memory is 32MiB, the least");
        }
        Self {
            request,
            parallel,
            boards_left,
            has_many,
            flags,
            inputs: &[],
            run: None,
            progress: None,
            certificates: None,
            watch: false,
            failed_boards: Vec::new(),
            ranks,
        }
    }

    pub fn search<B: Into<StartPosition>, F: Into<HuntError>>(
        mut self,
        boards: impl Iterator<Item = Result<B, F>>,
    ) -> Result<Exit, Failure> {
        let stop = Arc::new(StopToken::new());
        let signals = Signals::install_for_search(&stop).map_err(Failure::system)?;
        let mut outputs = Outputs::open(&self, &stop)?;
        for failed_board in std::mem::take(&mut self.failed_boards) {
            outputs.results.write(&outputs.progress, &BoardResult::Failed(failed_board))?;
        }
        let earlier_searched = outputs.results.summary.searched();
        let resume = self.run.map(|run| resume_command(run.path()));
        let resume_command = resume.as_deref();
        let batch = Batch {
            request: &self.request,
            parallel: self.parallel,
            observer: &outputs.observers,
            stop: &stop,
            run: self.run,
            // A single board that fails ends the session with its error.
            is_strict: self.flags.strict || !self.has_many,
            reports_not_begun: self.boards_left.is_some(),
            certificates: self.certificates,
            ranks: self.ranks.as_ref().map(|(exchange, config)| Ranks { exchange, config, resume_command }),
        };
        let (results, progress) = (&mut outputs.results, &outputs.progress);
        let result = batch.run(boards, |result| results.write(progress, &result));
        let (mut exit, searched) = match result {
            Ok(()) => outputs.finish()?,
            Err(BatchError::Hunt(error)) => {
                outputs.finish()?;
                return Err(error.into());
            }
            Err(BatchError::Deliver(failure)) => return Err(failure),
        };
        if stop.reason().is_some() && self.boards_left != Some((searched - earlier_searched) as usize) {
            exit = exit.more_severe(Exit::Interrupted);
        }
        if let Some(run) = self.run.filter(|run| !self.flags.output.quiet && !run.is_complete()) {
            print_message(&format!("kept in {}; continue with: {}", run.path().display(), resume.unwrap_or_default()));
        }
        if self.run.is_none() && exit == Exit::Interrupted && !self.flags.output.quiet {
            print_message(
                "this search was not kept: the next one starts again. With --run DIR it is kept, and gridhunt resume DIR continues it",
            );
        }
        // The first signal decides the exit code.
        Ok(if exit == Exit::Interrupted { signals.exit().unwrap_or(exit) } else { exit })
    }
}

/// The outputs of a session, in the order in which they end: the files of the run and the rows of progress are complete
/// before the screen closes, and the progress has its last line before the summary.
struct Outputs<'a> {
    /// The log of events is the first observer: it records a result before the others get it.
    observers: BatchObservers<'a>,
    stop_listener: Option<StopListener>,
    live: Option<LiveScreen>,
    progress: Arc<ProgressDisplay>,
    results: ResultWriter<'a>,
    began: Instant,
}

impl<'a> Outputs<'a> {
    /// Opens all outputs of a session, and delivers the results that an earlier session has recorded and not delivered.
    fn open(session: &Session<'a>, stop: &Arc<StopToken>) -> Result<Self, Failure> {
        let (began, run, output_flags) = (Instant::now(), session.run, &session.flags.output);
        let form = form_of_results(output_flags, None)?;
        let has_many = session.has_many || form == OutputForm::Json && session.request.max_listed_optimal.is_some();
        let mut results = ResultWriter::open((output_flags, form), has_many, run, session.inputs)?;
        let stop_listener = run.map(|run| StopListener::begin(run, stop)).transpose().map_err(Failure::system)?;
        let facts = SessionFacts::of(&session.request, session.boards_left, run);
        let live = if session.watch { Some(open_screen(run, stop)?) } else { None };
        let heading = || log_heading(&session.request, run);
        let (progress, view): (_, Option<Box<dyn LiveView>>) = match &live {
            Some(live) => {
                let (progress, line) = progress_under_screen(live, output_flags.quiet, facts.boards);
                (progress, Some(Box::new(vec![live.handle() as Box<dyn LiveView>, Box::new(line)])))
            }
            None => open_progress((output_flags.quiet, session.flags.log), facts.boards, heading),
        };
        let progress = Arc::new(progress);
        if let Some(run) = run {
            // A file was emptied when it was opened, so it gets all results. Standard output gets only new ones.
            let mut records = run.final_results(output_flags.output.is_none()).into_iter();
            records.try_for_each(|record| results.write_recorded(&progress, record))?;
        }
        let mut observers: BatchObservers<'a> = Vec::new();
        if let Some(run) = run {
            observers.push(Box::new(RunLog::new(run).map_err(Failure::log)?));
        }
        let has_file = run.is_some() || session.progress.is_some();
        if has_file || view.is_some() {
            let sinks = ProgressSinks { run, file: session.progress, view };
            match open_progress_log(sinks, facts, session.inputs) {
                Ok(log) => observers.push(Box::new(log)),
                Err(failure) if has_file => return Err(failure),
                // The search continues without progress.
                Err(_) => {}
            }
        }
        observers.push(Box::new(NotePrinter { progress: Arc::clone(&progress), name: String::new() }));
        Ok(Self { observers, stop_listener, live, progress, results, began })
    }

    /// Ends all outputs. Returns the exit of the results, and the number of boards with a result.
    fn finish(self) -> Result<(Exit, u64), Failure> {
        let Self { observers, stop_listener, live, progress, results, began } = self;
        drop(observers);
        drop(stop_listener);
        drop(live);
        drop(progress);
        results.finish(Some(began))
    }
}

/// Opens the screen on which the search is shown.
fn open_screen(run: Option<&RunDir>, stop: &Arc<StopToken>) -> Result<LiveScreen, Failure> {
    if !Screen::is_possible() {
        return Err(Failure::usage("found --watch without a terminal on standard error, expected one"));
    }
    LiveScreen::open(run.map(RunDir::path), stop).map_err(Failure::output)
}

/// The progress under a screen: it is shown when the screen is closed, unless the session is quiet.
fn progress_under_screen(live: &LiveScreen, quiet: bool, boards: Option<u64>) -> (ProgressDisplay, LiveLine) {
    let (progress, line, show) = ProgressDisplay::with_screen(live.handle(), boards);
    if !quiet {
        live.when_closed(move || show(ProgressDrawTarget::stderr()));
    }
    (progress, line)
}

/// Starts the log of progress.
fn open_progress_log(
    sinks: ProgressSinks<'_>,
    facts: SessionFacts,
    inputs: &[PathBuf],
) -> Result<ProgressLog, Failure> {
    if let Some(path) = sinks.file {
        check_not_input(path, inputs)?;
    }
    let file = sinks.file.map(|path| format!("{}: ", path.display())).unwrap_or_default();
    ProgressLog::new(sinks, facts).map_err(|error| {
        let Failure { exit, error } = Failure::log(error);
        Failure { exit, error: anyhow::anyhow!("{file}cannot write the progress: {}", error.root_cause()) }
    })
}

/// Prints notes of searches as warnings. A note about a board that is searched in parallel has its name.
struct NotePrinter {
    progress: Arc<ProgressDisplay>,
    name: String,
}

impl Observer for NotePrinter {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            let name = if note.starts_with(&self.name) { String::new() } else { format!("{}: ", self.name) };
            self.progress.suspend(|| print_message(&format!("warning: {name}{note}")));
        }
    }
}

impl BatchObserver for NotePrinter {
    fn begin_parallel_board<'a>(&'a self, board: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        Box::new(Self { progress: Arc::clone(&self.progress), name: board.name.to_owned() })
    }
}

/// Opens a live line, or a log of rows if `log` is set or standard error cannot redraw a line; nothing if `quiet`.
fn open_progress(
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

/// The observers that show the searches of a command without a run directory.
pub fn progress_observers(
    quiet: bool,
    facts: SessionFacts,
    heading: impl FnOnce() -> String,
) -> (Arc<ProgressDisplay>, BatchObservers<'static>) {
    let (progress, view) = open_progress((quiet, false), facts.boards, heading);
    let progress = Arc::new(progress);
    let mut observers: BatchObservers<'static> =
        vec![Box::new(NotePrinter { progress: Arc::clone(&progress), name: String::new() })];
    if view.is_some() {
        // If the thread cannot be started, no progress is shown.
        let log = ProgressLog::new(ProgressSinks { view, ..ProgressSinks::default() }, facts);
        observers.extend(log.ok().map(|log| Box::new(log) as _));
    }
    (progress, observers)
}

/// Opens the folder for certificates, if boards are to have certificates.
pub fn open_certificates(
    path: Option<&Path>,
    request: &Request,
    inputs: &[PathBuf],
) -> Result<Option<BoardFolder>, Failure> {
    let Some(path) = path else { return Ok(None) };
    request.check_certificates()?;
    Ok(Some(BoardFolder::create(path, inputs, BoardFolder::CERT_EXTENSION)?))
}
