//! `verify`: replays solutions with the plain rules, and says which move fails.

use super::args::Verify;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use gridhunt::board::{Entry, SolutionReader, WrittenSolution};
use gridhunt::proof::{Certificate, verify_solution};
use gridhunt::report::{JsonVerdict, count};
use std::io::BufRead;

#[derive(Default)]
struct Tally {
    right: u64,
    wrong: u64,
    total_cost: u64,
}

pub fn run(args: &Verify) -> Result<Exit, Failure> {
    if args.board.as_os_str() == "-" && args.solution.as_os_str() == "-" {
        return Err(Failure::usage("the board and the solution cannot both come from standard input (-)"));
    }
    let mut boards = Input::open(std::slice::from_ref(&args.board), args.reading.options(), args.boards.as_ref())?;
    let many = boards.has_many();
    let mut solutions = SolutionReader::open(&args.solution)?;
    let mut output = Output::stdout();
    let mut tally = Tally::default();
    let mut last = None;
    for entry in boards {
        let entry = entry?;
        let Some(solution) = solutions.next_for(&entry.board)? else {
            let (found, name) = (tally.right + tally.wrong, entry.board.name());
            return Err(too_few(args, found, name));
        };
        output.write(&tally.take(args, &entry, &solution)?)?;
        last = Some(entry);
    }
    refuse_more(args, &mut solutions, last.as_ref())?;
    if many && !args.quiet && !args.json {
        let Tally { right, wrong, total_cost } = tally;
        let all = count(right + wrong);
        let (right, wrong, cost) = (count(right), count(wrong), count(total_cost));
        output
            .write(&format!("{all} solutions: {right} right, {wrong} wrong; total cost of the right ones {cost}\n"))?;
    }
    Ok(if tally.wrong == 0 { Exit::Done } else { Exit::Invalid })
}

impl Tally {
    /// Replays one solution; gives the line to be read of it.
    fn take(&mut self, args: &Verify, entry: &Entry, solution: &WrittenSolution) -> Result<String, Failure> {
        let name = entry.board.name();
        if let Some(claimed) = solution.board.as_deref().filter(|claimed| *claimed != name && !args.quiet) {
            tell(&format!("note: the solution says that it is for {claimed}; it is replayed on {name}"));
        }
        let verdict = verify_solution(&entry.board, &solution.moves, solution.cost);
        match &verdict {
            Ok(certificate) => {
                self.right += 1;
                self.total_cost += u64::from(certificate.cost);
            }
            Err(_) => self.wrong += 1,
        }
        Ok(match verdict {
            _ if args.json => JsonVerdict::new(entry, &verdict).to_json().map_err(Failure::internal)? + "\n",
            Ok(certificate) if !args.quiet => describe(entry, &certificate),
            Ok(_) => String::new(),
            Err(e) => format!("{name}: wrong: {e}\n"),
        })
    }
}

/// A solution that is right, and what is odd about it.
fn describe(entry: &Entry, certificate: &Certificate) -> String {
    let cost = certificate.cost;
    let mut line = format!("{}: right, {cost} {}", entry.board.name(), if cost == 1 { "move" } else { "moves" });
    if let [first, ..] = certificate.wasted[..] {
        line += &format!("; {} of them add nothing, the first is move {first}", certificate.wasted.len());
    }
    if let Some(published) = entry.published.filter(|published| *published != cost) {
        line += &format!("; the file names the optimum {published}");
    }
    line + "\n"
}

fn too_few(args: &Verify, found: u64, board: &str) -> Failure {
    Failure::bad_input(format!("{}: found {found} solutions, expected one more, for {board}", args.solution.display()))
}

/// A solution without a board is more likely a mistake than a gift.
fn refuse_more(
    args: &Verify,
    solutions: &mut SolutionReader<impl BufRead>,
    last: Option<&Entry>,
) -> Result<(), Failure> {
    let Some(entry) = last else { return Ok(()) };
    match solutions.next_for(&entry.board) {
        Ok(None) => Ok(()),
        Ok(Some(_)) | Err(_) => Err(Failure::bad_input(format!(
            "{}: found more solutions, expected the one for {} to be the last",
            args.solution.display(),
            entry.board.name()
        ))),
    }
}
