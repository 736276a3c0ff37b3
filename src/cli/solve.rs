//! `solve`: turns the arguments into a session.

use super::args::{Search, Solve};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::tell;
use super::session::Session;
use gridhunt::driver::{Config, FoundConfig, RunDir};
use std::path::Path;

pub fn run(args: &Solve) -> Result<Exit, Failure> {
    let mut config = configuration(&args.search, args.output.quiet)?;
    for (name, given) in [("dataset", config.dataset.is_some()), ("boards", config.boards.is_some())] {
        if given {
            return Err(Failure::usage(format!("found {name} in the configuration, expected `gridhunt hunt` for it")));
        }
    }
    args.run.lay_over(&mut config);
    let run = config.run.take();
    if let (None, Some(name)) = (&run, args.storage.given()) {
        return Err(Failure::usage(format!("found --{name} without a run directory, expected --run DIR")));
    }
    args.storage.lay_over(&mut config);
    config.check()?;
    let mut input = Input::open(
        &args.files,
        args.reading.options(config.domain.unwrap_or_default()),
        args.selection.boards.as_ref(),
    )?;
    if config.domain.is_none() && input.domain.is_some() {
        config.domain = input.domain;
        config.check()?;
    }
    if !args.output.quiet {
        input.notes.iter().for_each(|note| tell(note));
    }
    match run {
        Some(path) => begin_run(&path, &config, input, args),
        None => {
            let many = input.has_many();
            let session = Session::new(config.request(), config.parallel, input.total, many, &args.output);
            Session { inputs: &args.files, ..session }.search(input)
        }
    }
}

fn begin_run(path: &Path, config: &Config, input: Input, args: &Solve) -> Result<Exit, Failure> {
    let run = RunDir::create(path, config, input)?;
    let total = run.total();
    let session = Session::new(config.request(), config.parallel, Some(total), total > 1, &args.output);
    Session { inputs: &args.files, run: Some(&run), ..session }.search(run.boards()?)
}

/// The configuration file, or else the user's own settings, overridden by the flags.
fn configuration(flags: &Search, quiet: bool) -> Result<Config, Failure> {
    let mut config = match &flags.config {
        Some(name) => Config::load(name)?,
        None => match FoundConfig::of_user()? {
            Some(FoundConfig { config, file }) => {
                let file = file.unwrap_or_default();
                if !quiet {
                    tell(&format!("note: settings of {}", file.display()));
                }
                config
            }
            None => Config::default(),
        },
    };
    flags.game.lay_over(&mut config);
    flags.engine.lay_over(&mut config);
    flags.tables.lay_over(&mut config);
    flags.order.lay_over(&mut config);
    flags.resources.lay_over(&mut config);
    let engine = config.request().engine;
    for (parameter, value) in &flags.parameters.0 {
        if engine != parameter.engine {
            let (name, of, engine) = (parameter.name, parameter.engine.name(), engine.name());
            return Err(Failure::usage(format!("found --{name} with the engine {engine}, expected --engine {of}")));
        }
        *(parameter.slot)(&mut config.parameters) = value.get();
    }
    Ok(config)
}
