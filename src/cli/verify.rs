//! `verify`: replays solutions with the plain rules, and says which move fails.

use super::args::Verify;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, tell};
use gridhunt::board::{Cell, Entry, Objective, SolutionReader};
use gridhunt::driver::{DomainKind, Request, check_cells};
use gridhunt::report::{JsonVerdict, count};
use gridhunt::verify::{Certificate, ClickReplay, ProgramReplay, verify_clicks, verify_program, verify_solution};
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
    let request = args.game.request(args.domain)?;
    let mut boards =
        Input::open(std::slice::from_ref(&args.board), args.reading.options(request.domain), args.boards.as_ref())?;
    let many = boards.has_many();
    let mut solutions = SolutionReader::open(&args.solution)?;
    let mut output = Output::stdout();
    let mut tally = Tally::default();
    let mut last = None;
    for entry in boards {
        let entry = entry?;
        check_cells(&entry.board, &request)?;
        let Some(line) = tally.take_next(args, &request, &entry, &mut solutions)? else {
            let (found, name) = (tally.right + tally.wrong, entry.board.name());
            return Err(too_few(args, found, name));
        };
        output.write(&line)?;
        last = Some(entry);
    }
    refuse_more(args, &request, &mut solutions, last.as_ref())?;
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
    /// Replays the next solution; gives the line to be read of it. `None` where there is none.
    fn take_next(
        &mut self,
        args: &Verify,
        request: &Request,
        entry: &Entry,
        solutions: &mut SolutionReader<impl BufRead>,
    ) -> Result<Option<String>, Failure> {
        if request.domain == DomainKind::Bunny {
            let Some(written) = solutions.next_program()? else { return Ok(None) };
            remark_board(args, entry, written.board.as_deref());
            let verdict = verify_program(&entry.board, &written.program, written.cost);
            let said = verdict.as_ref().map(|replay| describe_program(entry, replay));
            return self
                .take(args, &JsonVerdict::of_program(entry, &verdict), said.map_err(ToString::to_string))
                .map(Some);
        }
        if request.domain == DomainKind::Clickomania {
            let Some(written) = solutions.next_clicks()? else { return Ok(None) };
            remark_board(args, entry, written.board.as_deref());
            let claimed = if request.objective == Objective::Score { written.score } else { written.cost };
            let verdict = verify_clicks(&entry.board, (request.rules, request.objective), &written.clicks, claimed);
            let json = JsonVerdict::of_clicks(entry, &verdict);
            let said = verdict.as_ref().map(|(_, replay)| describe_clicks(entry, &written.clicks, replay));
            return self.take(args, &json, said.map_err(ToString::to_string)).map(Some);
        }
        let Some(written) = solutions.next_for(&entry.board)? else { return Ok(None) };
        remark_board(args, entry, written.board.as_deref());
        let verdict = verify_solution(&entry.board, &written.moves, written.cost);
        let said = verdict.as_ref().map(|certificate| describe(entry, certificate));
        self.take(args, &JsonVerdict::new(entry, &verdict), said.map_err(ToString::to_string)).map(Some)
    }

    /// Counts a verdict; gives the line to be read of it.
    fn take(&mut self, args: &Verify, json: &JsonVerdict<'_>, said: Result<String, String>) -> Result<String, Failure> {
        *if json.right { &mut self.right } else { &mut self.wrong } += 1;
        self.total_cost += json.cost.map_or(0, u64::from);
        Ok(match said {
            _ if args.json => json.to_json().map_err(Failure::internal)? + "\n",
            Ok(_) if args.quiet => String::new(),
            Ok(line) => line,
            Err(reason) => format!("{}: wrong: {reason}\n", json.board),
        })
    }
}

fn remark_board(args: &Verify, entry: &Entry, claimed: Option<&str>) {
    let name = entry.board.name();
    if let Some(claimed) = claimed.filter(|claimed| *claimed != name && !args.quiet) {
        tell(&format!("note: the solution says that it is for {claimed}; it is replayed on {name}"));
    }
}

/// Clicks that are right, and what they come to.
fn describe_clicks(entry: &Entry, clicks: &[Cell], replay: &ClickReplay) -> String {
    let (name, many) = (entry.board.name(), clicks.len());
    let ending = match replay.left {
        0 => "cleared".to_owned(),
        left => format!("{left} {} left", if left == 1 { "cell" } else { "cells" }),
    };
    let more = if replay.has_more_clicks { ", and more clicks are possible" } else { "" };
    let score = count(replay.score.into());
    format!("{name}: right, {ending}{more}, {many} {}, score {score}\n", if many == 1 { "click" } else { "clicks" })
}

/// A program that is right.
fn describe_program(entry: &Entry, replay: &ProgramReplay) -> String {
    let ProgramReplay { cost, steps } = *replay;
    let tokens = if cost == 1 { "token" } else { "tokens" };
    let mut line = format!(
        "{}: right, {cost} {tokens}, {} {}",
        entry.board.name(),
        count(steps),
        if steps == 1 { "step" } else { "steps" }
    );
    if let Some(published) = entry.published.filter(|published| *published != cost) {
        line += &format!("; the file names the optimum {published}");
    }
    line + "\n"
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
    request: &Request,
    solutions: &mut SolutionReader<impl BufRead>,
    last: Option<&Entry>,
) -> Result<(), Failure> {
    let Some(entry) = last else { return Ok(()) };
    let next = match request.domain {
        DomainKind::Clickomania => solutions.next_clicks().map(|more| more.is_some()),
        DomainKind::Bunny => solutions.next_program().map(|more| more.is_some()),
        DomainKind::FloodIt => solutions.next_for(&entry.board).map(|more| more.is_some()),
    };
    match next {
        Ok(false) => Ok(()),
        Ok(true) | Err(_) => Err(Failure::bad_input(format!(
            "{}: found more solutions, expected the one for {} to be the last",
            args.solution.display(),
            entry.board.name()
        ))),
    }
}
