//! `solve`: from what was typed to a session.

use super::args::{Keeping, Means, Search, Solve};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::tell;
use super::session::Session;
use gridhunt::driver::{Config, RunDir};
use gridhunt::engine::EngineKind;
use std::path::Path;

pub fn run(args: &Solve) -> Result<Exit, Failure> {
    let mut config = configuration(&args.search)?;
    for (name, given) in [("dataset", config.dataset.is_some()), ("boards", config.boards.is_some())] {
        if given {
            return Err(Failure::usage(format!("found {name} in the configuration, expected `gridhunt hunt` for it")));
        }
    }
    let kept = args.run.clone().or(config.run.take());
    if kept.is_none() {
        refuse_keeping(&args.keeping)?;
    }
    use_keeping(&mut config, &args.keeping);
    config.check()?;
    let mut input =
        Input::open(&args.files, args.reading.options(config.domain.unwrap_or_default()), args.boards.as_ref())?;
    if !args.output.quiet {
        input.notes.iter().for_each(|note| tell(note));
    }
    match kept {
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

fn refuse_keeping(keeping: &Keeping) -> Result<(), Failure> {
    let given = [
        ("spill", !keeping.spill.is_empty()),
        ("disk", keeping.disk.is_some()),
        ("checkpoint", keeping.checkpoint.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::usage(format!("found --{name} without a run directory, expected --run DIR"))),
        None => Ok(()),
    }
}

/// The configuration file with the flags on top of it.
fn configuration(flags: &Search) -> Result<Config, Failure> {
    let mut config = flags.config.as_deref().map(Config::load).transpose()?.unwrap_or_default();
    config.domain = flags.domain.or(config.domain);
    flags.game.lay_over(&mut config);
    config.order = flags.order.or(config.order);
    config.engine = flags.engine.or(config.engine);
    config.bound = flags.bound.clone().or(config.bound);
    config.bound_memory = flags.bound_memory.or(config.bound_memory);
    use_means(&mut config, &flags.means);
    let engine = config.request().engine;
    let parameters = &mut config.parameters;
    let tuned = [
        ("auto-beam-width", EngineKind::Auto, flags.auto_beam_width, &mut parameters.auto_beam_width),
        ("beam-width", EngineKind::Beam, flags.beam_width, &mut parameters.beam_width),
        ("lookahead-depth", EngineKind::Lookahead, flags.lookahead_depth, &mut parameters.lookahead_depth),
        ("nested-level", EngineKind::Nested, flags.nested_level, &mut parameters.nested_level),
        ("nested-iterations", EngineKind::Nested, flags.nested_iterations, &mut parameters.nested_iterations),
        ("nested-seed", EngineKind::Nested, flags.nested_seed, &mut parameters.nested_seed),
        ("anneal-rounds", EngineKind::Anneal, flags.anneal_rounds, &mut parameters.anneal_rounds),
        ("anneal-changes", EngineKind::Anneal, flags.anneal_changes, &mut parameters.anneal_changes),
        ("anneal-seed", EngineKind::Anneal, flags.anneal_seed, &mut parameters.anneal_seed),
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

/// Puts what a search may use on top of a configuration.
pub fn use_means(config: &mut Config, means: &Means) {
    config.threads = means.threads.or(config.threads);
    config.memory = means.memory.or(config.memory);
    config.time_limit = means.time_limit.or(config.time_limit);
    config.expansions = means.expansions.or(config.expansions);
    config.parallel = means.parallel.or(config.parallel);
}

/// Puts what a run may keep on top of a configuration.
pub fn use_keeping(config: &mut Config, keeping: &Keeping) {
    if !keeping.spill.is_empty() {
        config.spill.clone_from(&keeping.spill);
    }
    config.disk = keeping.disk.or(config.disk);
    config.checkpoint = keeping.checkpoint.or(config.checkpoint);
}
