//! `solve`: from what was typed to a request, and from reports to output.

use super::args::{Search, Solve};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use super::signals::Watch;
use gridhunt::engine::EngineKind;
use gridhunt::hunt::{Batch, BatchError, Config, HuntError, Parallel, Report, Request};
use gridhunt::report::{Progress, Summary, published_remark, result_line, result_text, to_json};
use gridhunt::runtime::StopToken;
use indicatif::ProgressDrawTarget;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Instant;

/// What was typed, made into what will be done.
struct Plan {
    request: Request,
    parallel: Parallel,
    input: Input,
    many: bool,
}

impl Plan {
    fn new(args: &Solve) -> Result<Self, Failure> {
        let config = configuration(&args.search)?;
        let mut request = config.request();
        if !request.domain.is_built() {
            return Err(HuntError::NotBuilt { domain: request.domain }.into());
        }
        let mut input = Input::open(&args.files, args.reading.options(), args.boards.as_ref())?;
        let many = input.has_many();
        // With fewer boards than threads, boards side by side would leave threads without work.
        let enough = many && input.total.is_none_or(|total| total >= request.threads);
        let parallel = config.parallel.unwrap_or(if enough { Parallel::Boards } else { Parallel::Search });
        if parallel == Parallel::Boards {
            request.threads = request.threads.min(input.total.unwrap_or(usize::MAX)).max(1);
        }
        Ok(Self { request, parallel, input, many })
    }
}

/// The configuration file with the flags on top of it.
fn configuration(flags: &Search) -> Result<Config, Failure> {
    let mut config = flags.config.as_deref().map(Config::load).transpose()?.unwrap_or_default();
    config.domain = flags.domain.or(config.domain);
    config.engine = flags.engine.or(config.engine);
    config.bound = flags.bound.clone().or(config.bound);
    config.threads = flags.threads.or(config.threads);
    config.memory = flags.memory.or(config.memory);
    config.time_limit = flags.time_limit.or(config.time_limit);
    config.expansions = flags.expansions.or(config.expansions);
    config.parallel = flags.parallel.or(config.parallel);
    let engine = config.request().engine;
    let parameters = &mut config.parameters;
    let tuned = [
        ("auto-beam-width", EngineKind::Auto, flags.auto_beam_width, &mut parameters.auto_beam_width),
        ("beam-width", EngineKind::Beam, flags.beam_width, &mut parameters.beam_width),
        ("lookahead-depth", EngineKind::Lookahead, flags.lookahead_depth, &mut parameters.lookahead_depth),
    ];
    for (name, of, value, parameter) in tuned {
        let Some(value) = value else { continue };
        if engine != of {
            let (of, engine) = (of.name(), engine.name());
            return Err(Failure::usage(format!("found --{name} with the engine {engine}, expected --engine {of}")));
        }
        *parameter = value.get();
    }
    Ok(config)
}

/// Reports on their way to people, with everything that is counted on the way.
struct Results<'a> {
    args: &'a Solve,
    many: bool,
    output: Output,
    summary: Summary,
    exit: Exit,
}

impl Results<'_> {
    fn take(&mut self, progress: &Progress, report: &Report) -> Result<(), Failure> {
        self.summary.add(report);
        self.exit = self.exit.and(Exit::of_report(report));
        let text = match (self.args.json, self.many) {
            (true, _) => to_json(report).map_err(Failure::internal)? + "\n",
            (false, true) => result_line(report) + "\n",
            (false, false) => result_text(report),
        };
        progress.suspend(|| {
            if let Some(remark) = published_remark(report) {
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
        self.summary.cpu_seconds = cpu_seconds();
        match (self.args.json, self.args.quiet) {
            (false, _) => self.output.write(&format!("{}\n", self.summary)),
            (true, false) => {
                tell(&self.summary.to_string());
                Ok(())
            }
            (true, true) => Ok(()),
        }
    }
}

pub fn run(args: &Solve) -> Result<Exit, Failure> {
    let began = Instant::now();
    let Plan { request, parallel, input, many } = Plan::new(args)?;
    let total = input.total;
    if !args.quiet {
        input.notes.iter().for_each(|note| tell(note));
    }
    let output = Output::open(args.output.as_deref(), &args.files)?;
    let stop = Arc::new(StopToken::new());
    let watch = Watch::install(&stop).map_err(Failure::internal)?;
    let progress = progress(args.quiet, total);
    let mut results = Results { args, many, output, summary: Summary::default(), exit: Exit::Done };
    let batch = Batch { request: &request, parallel, audience: &progress, stop: &stop };
    let ended = batch.run(input, |report| results.take(&progress, &report));
    // The last of the progress is written before the summary.
    drop(progress);
    match ended {
        Ok(()) => results.summarise(began)?,
        Err(BatchError::Hunt(error)) => {
            results.summarise(began)?;
            return Err(error.into());
        }
        Err(BatchError::Deliver(failure)) => return Err(failure),
    }
    let mut exit = results.exit;
    if stop.reason().is_some() && total != Some(results.summary.boards as usize) {
        exit = exit.and(Exit::Interrupted);
    }
    // Of the two signals the first one names the end.
    Ok(if exit == Exit::Interrupted { watch.exit().unwrap_or(exit) } else { exit })
}

/// A live line on a terminal that can redraw it, else plain lines.
fn progress(quiet: bool, total: Option<usize>) -> Progress {
    let redraws = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    match (quiet, redraws) {
        (true, _) => Progress::silent(),
        (false, true) => Progress::live(ProgressDrawTarget::stderr(), total),
        (false, false) => Progress::plain(io::stderr(), total),
    }
}

/// CPU time of the whole process.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
