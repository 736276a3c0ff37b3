//! `export`: boards in the languages of general solvers.

use super::exit::{Exit, Failure};
use super::export_args::{Export, Language};
use super::input::Input;
use super::output::{Output, refuse_input, tell};
use gridhunt::hunt::{CertificateFolder, Config, write_whole};
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
    let rules = args.output.join("domain.pddl");
    refuse_input(&rules, &args.files)?;
    let folder = CertificateFolder::create(&args.output, &args.files)?;
    write(&rules, PDDL_DOMAIN)?;
    let mut output = Output::stdout();
    for entry in input {
        let board = entry?.board;
        check_board(&board, &request)?;
        let file = folder.claim(&board)?.with_extension("pddl");
        if file == rules {
            let name = board.name();
            return Err(Failure::usage(format!(
                "found a board of the name {name}, whose file would be that of the rules"
            )));
        }
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
