//! `export`: boards in the languages of general solvers.

use crate::cli::args::export::{Export, Language};
use crate::cli::input::Input;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, print_message, report_error, write_atomically};
use gridhunt::hunt::{BoardFolder, Config};
use gridhunt::puzzles::{PuzzleError, PuzzleId};
use gridhunt_boards::Entry;
use gridhunt_floodit::{PDDL_DOMAIN, pddl_problem};

pub fn run(args: &Export) -> Result<Exit, Failure> {
    let Language::Pddl = args.language;
    let mut config = Config::default();
    args.puzzle.apply_to(&mut config);
    let input = Input::open_each(&args.files, args.reading.options(&config), args.selection.boards.as_ref())?;
    input.fill_config(&mut config)?;
    config.check()?;
    let request = config.request();
    if request.domain != PuzzleId::default() {
        let puzzle = request.domain;
        return Err(Failure::usage(format!("found boards of {puzzle}, expected those of flood-it")));
    }
    input.notes.iter().for_each(|note| print_message(note));
    let folder = BoardFolder::create(&args.output, &args.files, "pddl")?;
    write_atomically(&folder.reserve("domain")?, PDDL_DOMAIN.as_bytes())?;
    let (mut exit, mut output) = (Exit::Done, Output::stdout());
    for entry in input {
        let checked = entry.map_err(PuzzleError::from).and_then(|Entry { board, .. }| {
            request.task(&board)?;
            Ok(board)
        });
        let board = match checked {
            Ok(board) => board,
            Err(error) => {
                exit = exit.more_severe(report_error(&error.into()));
                continue;
            }
        };
        let file = folder.reserve(board.name())?;
        write_atomically(&file, pddl_problem(&board).as_bytes())?;
        output.write(&format!("{}: {}\n", board.name(), file.display()))?;
    }
    Ok(exit)
}
