//! Refuses paths of a kind that a command does not accept, and names the command that accepts them.

use super::Command;
use crate::cli::output::exit::Failure;
use gridhunt::hunt::{FoundConfig, PathKind, is_run, nearest_path, shell_quoted};
use std::io;
use std::path::{Path, PathBuf};

/// The kind of path that an argument needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentKind {
    Boards,
    /// Boards of several inputs. Each input is checked when it is opened, so that a bad one does not stop the others.
    Inputs,
    Solution,
    Configuration,
    Run,
    /// A run directory that the command creates.
    NewRun,
    /// Run directories, or folders of them.
    Runs,
    /// Run directories, folders of them, or results.
    Sources,
}

impl ArgumentKind {
    fn description(self) -> &'static str {
        match self {
            Self::Boards | Self::Inputs => "a board",
            Self::Solution => "a solution",
            Self::Configuration => "a configuration",
            Self::Run => "a run directory",
            Self::NewRun => "a folder that is empty or does not exist",
            Self::Runs => "a run directory or a folder of them",
            Self::Sources => "a run directory, a folder of them, or results in JSON",
        }
    }

    /// Whether the command accepts a path of this kind, or reports the error itself.
    fn accepts(self, kind: PathKind) -> bool {
        use PathKind::{
            Board, Configuration, Nothing, OtherFile, OtherFolder, ResultTable, Results, Run, RunsFolder, Solutions,
        };
        match self {
            Self::Boards => matches!(kind, Board | OtherFile | Nothing),
            Self::Inputs => true,
            // Moves may look like a board.
            Self::Solution => matches!(kind, Solutions | Results | ResultTable | Board | OtherFile),
            Self::Configuration => matches!(kind, Configuration | OtherFolder | OtherFile | Nothing),
            Self::Run => matches!(kind, Run | OtherFolder | OtherFile),
            Self::NewRun => kind != RunsFolder,
            Self::Runs => matches!(kind, Run | RunsFolder | OtherFolder),
            Self::Sources => matches!(kind, Run | RunsFolder | Results | OtherFile | Nothing),
        }
    }
}

/// Pairs each path with `argument`.
fn all(argument: ArgumentKind, paths: &[PathBuf]) -> Vec<(ArgumentKind, &Path)> {
    paths.iter().map(|path| (argument, path.as_path())).collect()
}

/// The arguments of a command, with the paths in them.
fn arguments(command: &Command) -> Vec<(ArgumentKind, &Path)> {
    use ArgumentKind::{Boards, Configuration, Inputs, NewRun, Run, Runs, Solution, Sources};
    match command {
        Command::Solve(args) => {
            let config = args.search.config.iter().map(|name| (Configuration, Path::new(name))).collect();
            let (solution, run) = (all(Solution, args.known.from.as_slice()), all(NewRun, args.run.run.as_slice()));
            [all(Inputs, &args.files), solution, run, config].concat()
        }
        Command::Hunt(args) => {
            [vec![(Configuration, Path::new(&args.config))], all(NewRun, args.run.as_slice())].concat()
        }
        Command::Resume(args) => vec![(Run, &args.run)],
        Command::Stop(args) => vec![(Run, &args.run)],
        Command::Results(args) => all(Run, &args.runs),
        Command::Status(args) => vec![(Runs, &args.run)],
        Command::Watch(args) => all(Runs, &args.runs),
        Command::Serve(args) => all(Runs, &args.runs),
        Command::Play(args) => all(Boards, args.board.as_slice()),
        Command::Report(args) => all(Sources, &args.sources),
        Command::Verify(args) => vec![(Boards, &args.board), (Solution, &args.solution)],
        Command::Render(args) => [vec![(Boards, &*args.board)], all(Solution, args.solution.as_slice())].concat(),
        Command::Bounds(args) => all(Inputs, &args.files),
        Command::Export(args) => all(Inputs, &args.files),
        Command::Certify(args) => [all(Inputs, &args.files), all(Solution, args.known.from.as_slice())].concat(),
        Command::Check(args) => all(Boards, args.board.as_slice()),
        Command::Generate(_) | Command::Engines(_) | Command::Schema(_) | Command::Completions(_) => Vec::new(),
        #[cfg(feature = "man")]
        Command::Man(_) => Vec::new(),
    }
}

/// Refuses the first path that a command does not accept, unless the command itself reports the error.
///
/// # Errors
/// When a path is refused. The error has the kind of the path, the expected kind, and a command for the path.
pub fn check(command: &Command) -> Result<(), Failure> {
    let arguments = arguments(command);
    for &(argument, path) in &arguments {
        // A name means a configuration first, and a path only if there is no such configuration.
        let is_name = || path.to_str().is_some_and(|name| FoundConfig::find(name).is_ok());
        if path.as_os_str() == "-" || argument == ArgumentKind::Configuration && is_name() {
            continue;
        }
        let is_cheap = matches!(argument, ArgumentKind::Boards | ArgumentKind::Inputs | ArgumentKind::NewRun);
        let kind = if is_cheap { PathKind::of(path) } else { PathKind::with_boards(path) };
        if argument.accepts(kind) {
            continue;
        }
        let refusal = refusal((argument, path), kind, Some(command), &arguments);
        return Err(Failure::bad_input(format!("{}: {refusal}", path.display())));
    }
    Ok(())
}

/// Refuses one of several inputs whose first bytes show that it holds no boards.
pub fn check_input(path: &Path, inputs: &[PathBuf]) -> io::Result<()> {
    let kind = PathKind::of(path);
    if path.as_os_str() == "-" || ArgumentKind::Boards.accepts(kind) {
        return Ok(());
    }
    Err(io::Error::other(refusal((ArgumentKind::Inputs, path), kind, None, &all(ArgumentKind::Inputs, inputs))))
}

/// The refusal of a path: what was found, what was expected, and what to do.
fn refusal(
    (argument, path): (ArgumentKind, &Path),
    kind: PathKind,
    command: Option<&Command>,
    arguments: &[(ArgumentKind, &Path)],
) -> String {
    let advice = match kind {
        PathKind::Nothing => {
            nearest_path(path).map(|near| format!("; did you mean {}?", near.display())).unwrap_or_default()
        }
        _ => format!("; {}", advice_for(path, kind, command, arguments)),
    };
    format!("found {}, expected {}{advice}", kind.name(), argument.description())
}

/// Says what to do with a path that a command does not take.
fn advice_for(path: &Path, kind: PathKind, command: Option<&Command>, arguments: &[(ArgumentKind, &Path)]) -> String {
    let board = || {
        let boards = arguments.iter().map(|(_, other)| *other).filter(|other| *other != path);
        let board = boards.into_iter().find(|other| PathKind::with_boards(other) == PathKind::Board);
        board.map_or_else(|| "BOARD".to_owned(), shell_quoted)
    };
    let name = shell_quoted(path);
    let run = path.parent().filter(|folder| is_run(folder));
    if let Some(run) =
        run.filter(|_| arguments.iter().any(|(argument, _)| matches!(argument, ArgumentKind::Run | ArgumentKind::Runs)))
    {
        return format!("it belongs to the run directory {}", shell_quoted(run));
    }
    match (kind, command) {
        _ if arguments.contains(&(ArgumentKind::NewRun, path)) => format!("--run {name}/NAME makes a run in it"),
        (PathKind::Run, Some(Command::Render(_) | Command::Verify(_))) => format!(
            "gridhunt results {name} -o solutions.jsonl writes its solutions: give them to this command after \
             their board; gridhunt watch {name} draws them"
        ),
        (PathKind::Run, _) if arguments.contains(&(ArgumentKind::Solution, path)) => {
            format!("gridhunt results {name} -o solutions.jsonl writes its solutions, for this command")
        }
        (PathKind::Solutions | PathKind::Results, Some(Command::Render(_))) => {
            format!("gridhunt render {} {name} draws it on its board", board())
        }
        (PathKind::Results, Some(Command::Watch(_) | Command::Status(_))) => {
            format!("gridhunt report {name} -o results.html makes a page of them")
        }
        (PathKind::Solutions | PathKind::Results | PathKind::ResultTable, _) => {
            format!("gridhunt verify {} {name} replays what it holds", board())
        }
        (PathKind::Board, Some(Command::Hunt(_) | Command::Resume(_))) => {
            format!("gridhunt solve {name} --run DIR searches it, kept in a run directory")
        }
        _ => advice(path, kind),
    }
}

/// Says what can be done with a path.
pub fn advice(path: &Path, kind: PathKind) -> String {
    let name = shell_quoted(path);
    match kind {
        PathKind::Run => format!("gridhunt resume {name} goes on with it, gridhunt results {name} writes its results"),
        PathKind::RunsFolder => format!("gridhunt status {name} lists them, and gridhunt watch {name} shows them"),
        PathKind::OtherFolder => format!("gridhunt solve {name}/* takes the boards in it"),
        PathKind::Results => format!("gridhunt verify BOARD {name} replays them, gridhunt report {name} makes a page"),
        PathKind::Solutions | PathKind::ResultTable => format!("gridhunt verify BOARD {name} replays what it holds"),
        PathKind::Configuration => {
            let found = path.to_str().and_then(|path| FoundConfig::find(path).ok());
            match found.filter(|found| found.config.dataset.is_some()) {
                Some(_) => format!("gridhunt hunt {name} --run DIR searches the boards that it names"),
                None => format!("gridhunt solve BOARD --config {name} searches with it"),
            }
        }
        PathKind::Board => format!("gridhunt solve {name} searches it"),
        PathKind::Nothing | PathKind::OtherFile => "gridhunt --help lists the commands".to_owned(),
    }
}
