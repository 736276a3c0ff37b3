//! A session: searches boards, writes results and notes, and returns an exit code.

use super::args::Writing;
use super::endings::of_results;
use super::exit::{Exit, Failure};
use super::live::Live;
use super::output::{refuse_input, tell};
use super::ranks::OtherRanks;
use super::results::Results;
use super::screen::Screen;
use super::signals::Watch;
use gridhunt::hunt::{
    Audience, Batch, BatchError, BoardRecord, BoardResult, BoardSearchInfo, Config, FailedBoard, HuntError, Parallel,
    Ranks, RunDir, RunError, StopWatch,
};
use gridhunt::puzzles::{Request, Start};
use gridhunt::report::{Progress, ProgressLog, ProgressSinks, RunLog, SessionFacts, resume_command};
use gridhunt_search::runtime::{Event, Exchange, Observer, StopToken};
use indicatif::ProgressDrawTarget;
use std::io;
use std::path::{Path, PathBuf};
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
    /// Whether the first board that fails ends the session.
    pub strict: bool,
    pub writing: &'a Writing,
    /// Input files, which must not be overwritten.
    pub inputs: &'a [PathBuf],
    /// The run directory, if the session has one.
    pub run: Option<&'a RunDir>,
    /// A file that gets the rows of progress, besides that of the run directory.
    pub progress: Option<&'a Path>,
    /// Whether the search is shown on the whole screen.
    pub watch: bool,
    /// Boards that failed before the session.
    pub bad: Vec<FailedBoard>,
    /// The exchange with other ranks, if there are any, and the configuration for them.
    pub ranks: Option<(&'a Exchange, String)>,
}

impl<'a> Session<'a> {
    /// A session that by default searches boards side by side if there are at least as many boards as threads. With
    /// fewer boards, some threads would be idle.
    pub fn new(config: &Config, total: Option<usize>, many: bool, writing: &'a Writing, ranks: OtherRanks<'a>) -> Self {
        let (mut request, mut wanted) = (config.request(), config.parallel);
        if ranks.is_some() {
            wanted = wanted.or(Some(Parallel::Search));
        }
        let ranks = ranks.map(|exchange| (exchange, config.to_text()));
        let enough = many && total.is_none_or(|total| total >= request.threads);
        let parallel = wanted.unwrap_or(if enough { Parallel::Boards } else { Parallel::Search });
        if parallel == Parallel::Boards {
            request.threads = request.threads.min(total.unwrap_or(usize::MAX)).max(1);
        }
        Self {
            request,
            parallel,
            total,
            many,
            strict: false,
            writing,
            inputs: &[],
            run: None,
            progress: None,
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
        let began = Instant::now();
        let mut results =
            Results::open((self.writing, of_results(self.writing, None)?), self.many, self.run, self.inputs)?;
        let stop = Arc::new(StopToken::new());
        let watch = Watch::install(&stop).map_err(Failure::internal)?;
        let asked = self.run.map(|run| StopWatch::begin(run, &stop)).transpose().map_err(Failure::internal)?;
        let facts = SessionFacts::of(&self.request, self.total, self.run);
        let live = if self.watch { Some(self.open_screen(&stop)?) } else { None };
        let narrator = Narrator(match &live {
            Some(live) => self.progress_behind(live, facts.clone()),
            None => progress(self.writing.quiet, self.total, facts.clone()),
        });
        if let Some(run) = self.run {
            self.deliver_again(run, &mut results, &narrator.0)?;
        }
        for bad in std::mem::take(&mut self.bad) {
            results.take(&narrator.0, &BoardResult::Failed(bad))?;
        }
        let before = results.summary.boards + results.summary.failed;
        let sinks = ProgressSinks { run: self.run, file: self.progress, viewer: live.as_ref().map(Live::viewer) };
        let rows = if sinks.is_empty() { None } else { Some(self.record(sinks, facts, &narrator)?) };
        let told: &dyn Audience = rows.as_ref().map_or(&narrator, |rows| rows);
        let run_log = self.run.map(|run| RunLog::new(run, told)).transpose().map_err(Failure::internal)?;
        let audience: &dyn Audience = run_log.as_ref().map_or(told, |run_log| run_log);
        let batch = Batch {
            request: &self.request,
            parallel: self.parallel,
            audience,
            stop: &stop,
            run: self.run,
            // A single board that fails ends the session with its error.
            strict: self.strict || !self.many,
            names_rest: self.total.is_some(),
            ranks: self.ranks.as_ref().map(|(exchange, config)| Ranks { exchange, config }),
        };
        let ended = batch.run(boards, |result| results.take(&narrator.0, &result));
        drop((run_log, asked));
        drop(rows);
        // Dropping the narrator writes the last progress before the summary.
        drop(narrator);
        drop(live);
        match ended {
            Ok(()) => results.finish(began)?,
            Err(BatchError::Hunt(error)) => {
                results.finish(began)?;
                return Err(error.into());
            }
            Err(BatchError::Deliver(failure)) => return Err(failure),
        }
        let mut exit = results.exit;
        let searched = results.summary.boards + results.summary.failed - before;
        if stop.reason().is_some() && self.total != Some(searched as usize) {
            exit = exit.and(Exit::Interrupted);
        }
        if let Some(run) = self.run.filter(|run| !self.writing.quiet && !is_complete(run)) {
            tell(&format!("kept in {}; go on with: {}", run.path().display(), resume_command(run.path())));
        }
        // The first signal decides the exit code.
        Ok(if exit == Exit::Interrupted { watch.exit().unwrap_or(exit) } else { exit })
    }

    /// Opens the screen on which the search is shown.
    fn open_screen(&self, stop: &Arc<StopToken>) -> Result<Live, Failure> {
        if !Screen::is_possible() {
            return Err(Failure::usage("found --watch without a terminal on standard error, expected one"));
        }
        Live::open(self.run.map(RunDir::path), stop).map_err(Failure::output)
    }

    /// The progress behind a screen: it is shown once the screen is closed, unless the session is quiet.
    fn progress_behind(&self, live: &Live, facts: SessionFacts) -> Progress {
        let (progress, show) = Progress::behind(live.share(), self.total, facts);
        if !self.writing.quiet {
            live.when_closed(move || show(ProgressDrawTarget::stderr()));
        }
        progress
    }

    /// Begins to record the progress.
    fn record<'n>(
        &self,
        sinks: ProgressSinks<'_>,
        facts: SessionFacts,
        narrator: &'n Narrator,
    ) -> Result<ProgressLog<'n>, Failure> {
        if let Some(path) = sinks.file {
            refuse_input(path, self.inputs)?;
        }
        let file = sinks.file.unwrap_or(Path::new("")).display().to_string();
        ProgressLog::new(sinks, facts, narrator).map_err(|error| {
            let mut failure = Failure::output(error);
            failure.error = failure.error.context(file);
            failure
        })
    }

    /// Delivers the results that an earlier session has recorded and not delivered. A file of results was emptied when
    /// it was opened, so it gets all of them.
    fn deliver_again(&self, run: &RunDir, results: &mut Results<'_>, progress: &Progress) -> Result<(), Failure> {
        let mut records = run.final_results(self.writing.output.is_none())?;
        records.try_for_each(|record| results.take_recorded(progress, record))
    }
}

fn is_complete(run: &RunDir) -> bool {
    run.numbers().all(|number| run.is_done(number))
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
    fn begin(&self, board: &BoardSearchInfo<'_>) {
        self.0.begin(board);
    }

    fn begin_beside<'a>(&'a self, board: &'a BoardSearchInfo<'_>) -> Box<dyn Observer + 'a> {
        Box::new(Warnings { progress: &self.0, name: board.name })
    }

    fn finish(&self, record: &BoardRecord) -> Result<(), RunError> {
        self.0.finish(record)
    }
}

/// Writes notes of a search beside others as warnings at once, with the name of the board.
struct Warnings<'a> {
    progress: &'a Progress,
    name: &'a str,
}

impl Observer for Warnings<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            let name = if note.starts_with(self.name) { String::new() } else { format!("{}: ", self.name) };
            self.progress.suspend(|| tell(&format!("warning: {name}{note}")));
        }
    }
}

/// A live line if standard error is a terminal that can redraw a line; otherwise plain lines. `quiet` shows nothing.
pub fn progress(quiet: bool, total: Option<usize>, facts: SessionFacts) -> Progress {
    match (quiet, Screen::is_possible()) {
        (true, _) => Progress::silent(),
        (false, true) => Progress::live(ProgressDrawTarget::stderr(), total, facts),
        (false, false) => Progress::plain(io::stderr(), total, facts),
    }
}
