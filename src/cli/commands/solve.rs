//! `solve`: turns the arguments into a session.

use crate::cli::args::output_form::form_of_results;
use crate::cli::args::{SearchFlags, Solve};
use crate::cli::input::Input;
use crate::cli::input::starts::Starts;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::print_message;
use crate::cli::output::results::OutputForm;
use crate::cli::process::ranks::{self, OtherRanks};
use crate::cli::session::{Session, open_certificates};
use gridhunt::hunt::{BoardFolder, Config, ConfigError, FailedBoard, FoundConfig, RunDir, error_chain};
use gridhunt::puzzles::{PuzzleError, StartPosition};
use gridhunt_boards::{BoardError, Entry, plural};
use std::path::Path;

pub fn run(args: &Solve, ranks: OtherRanks<'_>) -> Result<Exit, Failure> {
    let mut config = configuration(&args.search, args.session.output.quiet)?;
    let of_hunts = [
        ("dataset", config.dataset.is_some()),
        ("boards", config.boards.is_some()),
        ("format", config.format.is_some()),
    ];
    for (name, is_set) in of_hunts {
        if is_set {
            return Err(Failure::usage(format!("found `{name}` in the configuration; only `gridhunt hunt` reads it")));
        }
    }
    args.run.apply_to(&mut config);
    let run = config.run.take();
    if let (None, Some(name)) = (&run, args.session.storage.first_set()) {
        return Err(Failure::usage(format!("found --{name} without a run directory, expected --run DIR")));
    }
    args.session.storage.apply_to(&mut config);
    if config.domain.is_some() {
        config.check()?;
    }
    let open_input = if args.session.strict { Input::open } else { Input::open_each };
    let options = args.reading.options(&config);
    let mut input = open_input(&args.files, options, args.selection.boards.as_ref())?;
    // The file may name the puzzle, which decides what the other options mean.
    input.fill_config(&mut config)?;
    ranks::check(&config, ranks)?;
    if args.all {
        config.request().check_states()?;
        if let OutputForm::Csv | OutputForm::Markdown = form_of_results(&args.session.output, None)? {
            return Err(Failure::usage(
                "found --all with a table, which has no room for solutions, expected text or JSON",
            ));
        }
    }
    if !args.session.output.quiet {
        input.notes.iter().for_each(|note| print_message(note));
        if let Some(limit) = input.move_limit.filter(|_| input.total == Some(1)) {
            print_message(&format!("note: the game allows its player {}", plural(limit as usize, "move")));
        }
    }
    // `has_many` may read a stream to its end, which sets `total`.
    let has_many = input.has_many();
    let total = input.total;
    let starts = Starts::open(input, config.request(), &args.known)?;
    let certificates = open_certificates(args.session.certify.as_deref(), &config.request(), &args.files)?;
    let certificates = certificates.as_ref();
    match run {
        Some(path) => begin_run(&path, (&config, certificates), starts, has_many, (args, ranks)),
        None => {
            let mut session = Session::new(&config, total, has_many, &args.session, ranks);
            session.request.max_listed_optimal = args.all.then_some(args.most);
            let progress = args.progress.as_deref();
            let watch = args.watch;
            Session { inputs: &args.files, progress, certificates, watch, ..session }.search(starts)
        }
    }
}

/// Creates a run directory and searches its boards. Invalid boards are reported first; the run has the others. If an
/// input cannot be read, no run begins, because boards cannot be added to a run later.
fn begin_run(
    path: &Path,
    (config, certificates): (&Config, Option<&BoardFolder>),
    starts: Starts,
    has_many: bool,
    (args, ranks): (&Solve, OtherRanks<'_>),
) -> Result<Exit, Failure> {
    let is_strict = args.session.strict || !has_many;
    let starts: Box<dyn Iterator<Item = Result<StartPosition, PuzzleError>>> = match &args.known.from {
        // Reads all solutions first, so that a wrong one is refused before the directory is created.
        Some(_) if is_strict => Box::new(starts.collect::<Result<Vec<_>, _>>()?.into_iter().map(Ok)),
        _ => Box::new(starts),
    };
    let (mut failed_boards, mut known) = (Vec::new(), Vec::new());
    let valid_entries = starts.filter_map(|start| match start {
        Ok(StartPosition { entry, solution }) => {
            known.push(solution);
            Some(Ok(entry))
        }
        Err(PuzzleError::Board(error)) if is_strict || matches!(error, BoardError::Read { .. }) => Some(Err(error)),
        Err(error) => {
            failed_boards.push(FailedBoard { number: None, board: None, error: error.into() });
            None
        }
    });
    let run = RunDir::create(path, config, valid_entries)?;
    let total = run.board_count();
    let session = Session::new(config, Some(total), has_many, &args.session, ranks);
    let progress = args.progress.as_deref();
    let session = Session {
        inputs: &args.files,
        run: Some(&run),
        progress,
        certificates,
        watch: args.watch,
        failed_boards,
        ..session
    };
    let with_known =
        |(entry, known): (Result<Entry, BoardError>, _)| entry.map(|entry| StartPosition { entry, solution: known });
    let result = session.search(run.boards()?.zip(known).map(with_known));
    withdraw_if_refused(run, result)
}

/// Undoes the creation of a run after bad input.
pub fn withdraw_if_refused(run: RunDir, result: Result<Exit, Failure>) -> Result<Exit, Failure> {
    let is_refused = |failure: &Failure| matches!(failure.exit, Exit::BadInput | Exit::Usage | Exit::MemoryLimit);
    if result.as_ref().is_err_and(is_refused) {
        run.undo_if_unused();
    }
    result
}

/// The configuration of `--config`, or else of the user, overridden by the flags.
fn configuration(flags: &SearchFlags, quiet: bool) -> Result<Config, Failure> {
    let mut config = match &flags.config {
        Some(name) => Config::load(name)?,
        None => match FoundConfig::of_user() {
            Ok(Some(FoundConfig { config, file })) => {
                let file = file.unwrap_or_default();
                if !quiet {
                    print_message(&format!("note: settings of {}", file.display()));
                }
                config
            }
            Ok(None) => Config::default(),
            // The home directory, and so the file, may belong to another user.
            Err(error @ (ConfigError::Read { .. } | ConfigError::Directory(_))) => {
                print_message(&format!("warning: going on without {}", error_chain(&error)));
                Config::default()
            }
            Err(error) => return Err(error.into()),
        },
    };
    flags.game.apply_to(&mut config);
    flags.engine.apply_to(&mut config);
    flags.resources.apply_to(&mut config);
    let engine = config.request().engine;
    for (parameter, value) in &flags.parameters.0 {
        let (name, owner, engine) = (parameter.name, parameter.engine, engine.name());
        if engine != owner {
            return Err(Failure::usage(format!("found --{name} with the engine {engine}, expected --engine {owner}")));
        }
        *(parameter.field)(&mut config.parameters) = *value;
    }
    Ok(config)
}
