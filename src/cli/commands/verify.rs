//! `verify`: replays solutions with the plain rules, and reports the move that fails.

use super::check::{JsonProof, check_file, proof_line};
use crate::cli::args::Verify;
use crate::cli::input::Input;
use crate::cli::input::solutions::{request_for, with_solutions};
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, print_message};
use gridhunt::hunt::{BoardFolder, Request};
use gridhunt::puzzles::{Solutions, Task, Verdict};
use gridhunt::views::{JsonVerdict, count, signed, verdict_line};
use gridhunt_boards::{Entry, visible};
use gridhunt_check::Proven;
use serde::Serialize;
use std::path::PathBuf;

struct Verifier<'a> {
    args: &'a Verify,
    valid_count: u64,
    wrong_count: u64,
    total_cost: i64,
    refused_certificates: u64,
}

pub fn run(args: &Verify) -> Result<Exit, Failure> {
    if args.board.as_os_str() == "-" && args.solution.as_os_str() == "-" {
        return Err(Failure::usage("the board and the solution cannot both come from standard input (-)"));
    }
    let config = args.game.config();
    let options = args.reading.options(&config);
    let mut input = Input::open(std::slice::from_ref(&args.board), options, args.boards.as_ref())?;
    let boards = input.read_all()?;
    if !args.quiet {
        input.notes.iter().for_each(|note| print_message(note));
    }
    let has_many = boards.len() > 1;
    let mut solutions = args.notation.open_solutions(&args.solution, Some(boards.len()))?;
    if args.together {
        solutions = solutions.shared_by_all_boards();
        let request = request_for(config, Some(&mut solutions), &input)?;
        return verify_together(args, &boards, &mut solutions, &request);
    }
    let boards = with_solutions(boards, &mut solutions, true, args.quiet)?;
    let request = request_for(config, Some(&mut solutions), &input)?;
    let mut output = Output::stdout();
    let mut verifier = Verifier { args, valid_count: 0, wrong_count: 0, total_cost: 0, refused_certificates: 0 };
    for (entry, count) in &boards {
        let task = request.task(&entry.board)?;
        for number in 0..*count {
            let verdict = task.read_solution(&mut solutions)?.ok_or_else(|| no_solution(args))?.verdict();
            if number == 0 {
                note_other_board(args, entry, verdict.board_name.as_deref());
            }
            output.write(&verifier.line_of(entry, &*task, &verdict)?)?;
        }
    }
    let Verifier { valid_count: valid, wrong_count: wrong, total_cost, .. } = verifier;
    if (has_many || valid + wrong > 1) && !args.quiet && !args.json {
        let all = count(valid + wrong);
        let (valid, wrong, cost) = (count(valid), count(wrong), signed(total_cost));
        output
            .write(&format!("{all} solutions: {valid} valid, {wrong} wrong; total cost of the valid ones {cost}\n"))?;
    }
    Ok(if verifier.wrong_count + verifier.refused_certificates == 0 { Exit::Done } else { Exit::Invalid })
}

/// Replays the only solution of the file on every board, up to the first board that it does not solve.
fn verify_together(
    args: &Verify,
    boards: &[Entry],
    solutions: &mut Solutions,
    request: &Request,
) -> Result<Exit, Failure> {
    let mut last: Option<(&Entry, Verdict)> = None;
    for entry in boards {
        let task = request.task(&entry.board)?;
        let objective = task.info().objective;
        let verdict = task.read_solution(solutions)?.ok_or_else(|| no_solution(args))?.verdict();
        let json = JsonVerdict::new(entry, &verdict);
        if !json.right {
            let text = if args.json { json_line(&json)? } else { verdict_line(entry, objective, &verdict) + "\n" };
            return Output::stdout().write(&text).map(|()| Exit::Invalid);
        }
        if last.is_some_and(|(previous, verdict)| JsonVerdict::new(previous, &verdict).cost != json.cost) {
            let name = entry.board.name();
            return Err(Failure::bad_input(format!(
                "{name}: found a cost that differs, expected one cost (--together)"
            )));
        }
        last = Some((entry, verdict));
    }
    let Some((entry, verdict)) = last else { return Ok(Exit::Done) };
    let board = args.board.file_name().unwrap_or(args.board.as_os_str()).to_string_lossy();
    let board = if board == "-" { "stdin".to_owned() } else { visible(&board) };
    let json = JsonVerdict { board: &board, wasted: &[], published: None, ..JsonVerdict::new(entry, &verdict) };
    let text = match args {
        Verify { json: true, .. } => json_line(&json)?,
        Verify { quiet: true, .. } => String::new(),
        _ => {
            let (boards, cost) = (count(boards.len() as u64), signed(json.cost.unwrap_or(0)));
            format!("{board}: valid on every board ({boards}), cost {cost}\n")
        }
    };
    Output::stdout().write(&text).map(|()| Exit::Done)
}

fn json_line(verdict: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(verdict).map(|line| line + "\n").map_err(Failure::internal)
}

impl Verifier<'_> {
    /// Counts a verdict. Returns the text to write.
    fn line_of(&mut self, entry: &Entry, task: &dyn Task, verdict: &Verdict) -> Result<String, Failure> {
        let args = self.args;
        let json = JsonVerdict::new(entry, verdict);
        *if json.right { &mut self.valid_count } else { &mut self.wrong_count } += 1;
        self.total_cost += json.cost.unwrap_or(0);
        let certificate = certificate_beside(args, task)?;
        self.refused_certificates += u64::from(certificate.as_ref().is_some_and(|(_, checked)| checked.is_err()));
        let mut lines = match args {
            Verify { json: true, .. } => {
                let proof = certificate.as_ref().map(|(file, checked)| JsonProof::new(file, checked));
                return json_line(&VerdictWithProof { verdict: json, certificate: proof });
            }
            Verify { quiet: true, .. } if json.right => String::new(),
            _ => verdict_line(entry, task.info().objective, verdict) + "\n",
        };
        if let Some((file, checked)) = certificate.filter(|(_, checked)| !args.quiet || checked.is_err()) {
            lines += &(proof_line(&file, &checked) + "\n");
        }
        Ok(lines)
    }
}

fn no_solution(args: &Verify) -> Failure {
    Failure::bad_input(format!("{}: found no solution, expected one", args.solution.display()))
}

/// A verdict, and what the certificate beside the solution proves.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Verified"))]
pub struct VerdictWithProof<'a> {
    #[serde(flatten)]
    verdict: JsonVerdict<'a>,
    /// What the certificate of the board beside the solution proves, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<JsonProof>,
}

/// The file of a certificate, and what it proves, or why it is refused.
type CheckedCertificate = (PathBuf, Result<Proven, String>);

/// Checks the certificate of a board that lies beside the file with its solution, if there is one.
fn certificate_beside(args: &Verify, task: &dyn Task) -> Result<Option<CheckedCertificate>, Failure> {
    let is_possible = task.as_certifiable().is_some() && args.solution.as_os_str() != "-";
    let folder = args.solution.parent().filter(|_| is_possible);
    let file = folder.map(|folder| BoardFolder::file_of(folder, task.info().board.name(), BoardFolder::CERT_EXTENSION));
    let existing = file.filter(|file| file.is_file());
    existing.map(|file| Ok((file.clone(), check_file(&file, Some(task))?))).transpose()
}

fn note_other_board(args: &Verify, entry: &Entry, claimed: Option<&str>) {
    let name = entry.board.name();
    if let Some(claimed) = claimed.filter(|claimed| *claimed != name && !args.quiet) {
        print_message(&format!("note: the solution names {claimed}; it is replayed on {name}"));
    }
}
