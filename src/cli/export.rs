//! `export`: boards in the languages of general solvers.

use super::exit::{Exit, Failure};
use super::export_args::{Export, Language};
use super::input::Input;
use super::output::{Output, tell};
use gridhunt::hunt::{BoardFolder, Config, write_whole};
use gridhunt::puzzles::floodit::{PDDL_DOMAIN, pddl_problem};
use gridhunt::puzzles::{PuzzleId, check_board};
use std::path::Path;

pub fn run(args: &Export) -> Result<Exit, Failure> {
    let Language::Pddl = args.language;
    let mut config = Config::default();
    args.puzzle.lay_over(&mut config);
    let input = Input::open(&args.files, args.reading.options(&config), args.selection.boards.as_ref())?;
    input.settle(&mut config);
    config.check()?;
    let request = config.request();
    if request.domain != PuzzleId::default() {
        let puzzle = request.domain;
        return Err(Failure::usage(format!("found boards of {puzzle}, expected those of flood-it: --domain flood-it")));
    }
    input.notes.iter().for_each(|note| tell(note));
    let folder = BoardFolder::create(&args.output, &args.files, "pddl")?;
    write(&folder.claim("domain")?, PDDL_DOMAIN)?;
    let mut output = Output::stdout();
    for entry in input {
        let board = entry?.board;
        check_board(&board, &request)?;
        let file = folder.claim(board.name())?;
        write(&file, &pddl_problem(&board))?;
        output.write(&format!("{}: {}\n", board.name(), file.display()))?;
    }
    Ok(Exit::Done)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    write_whole(file, text.as_bytes()).map_err(|error| {
        let mut failure = Failure::output(error);
        failure.error = failure.error.context(file.display().to_string());
        failure
    })
}
