//! `certify`: makes certificates of proven lower bounds.

use super::certificate_args::Certify;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, refuse_input, tell, write_whole};
use super::session::{Narrator, progress};
use super::signals::Watch;
use super::starts::Starts;
use gridhunt::hunt::{Audience, BoardSearchInfo, CertificateFolder, Config, certify_board, check_certified};
use gridhunt::puzzles::{CertificateForm, Start};
use gridhunt::report::{SessionFacts, bytes, count, log_heading};
use gridhunt_search::runtime::StopToken;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What was written for a board.
#[derive(Serialize)]
struct Made<'a> {
    board: &'a str,
    /// No solution costs less; null if there is no solution.
    bound: Option<u32>,
    /// Whether a solution has so many.
    optimal: bool,
    file: String,
    /// The formula that the file refutes, if it is a proof for VeriPB.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    bytes: usize,
    records: usize,
    sha256: String,
}

pub fn run(args: &Certify) -> Result<Exit, Failure> {
    let mut config = Config::default();
    args.puzzle.lay_over(&mut config);
    args.objective.lay_over(&mut config);
    args.rules.lay_over(&mut config);
    args.resources.lay_over(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open(&args.files, options, args.selection.boards.as_ref())?;
    input.settle(&mut config);
    config.check()?;
    if !args.quiet {
        input.notes.iter().for_each(|note| tell(note));
    }
    let (many, request) = (input.has_many(), config.request());
    let total = input.total;
    check_certified(&request)?;
    let form = if args.veripb { CertificateForm::VeriPb } else { CertificateForm::Records };
    let endings: &[_] = if args.veripb { &["opb", "pbp"] } else { &[] };
    endings.iter().try_for_each(|ending| refuse_input(&args.output.with_extension(ending), &args.files))?;
    refuse_input(&args.output, &args.files)?;
    let folder = (many || args.output.is_dir()).then(|| CertificateFolder::create(&args.output)).transpose()?;
    let stop = Arc::new(StopToken::new());
    let watch = Watch::install(&stop).map_err(Failure::internal)?;
    let facts = SessionFacts::of(&request, total, None);
    let narrator = Narrator(Arc::new(progress((args.quiet, false), total, facts, || log_heading(&request, None))));
    let (mut exit, mut output) = (Exit::Done, Output::stdout());
    for (number, start) in (1..).zip(Starts::open(input, request.clone(), &args.known)?) {
        let Start { entry, known } = start?;
        let board = &entry.board;
        narrator.begin(&BoardSearchInfo::of(number, board, &request));
        let (record, certificate) = match certify_board(board, &request, known.as_ref(), form, &narrator, &stop) {
            Ok(made) => made,
            Err(error) => {
                exit = exit.and(Exit::of_error(&error));
                narrator.0.suspend(|| tell(&format!("gridhunt: {error}")));
                if stop.reason().is_some() {
                    break;
                }
                continue;
            }
        };
        narrator.finish(&record)?;
        let file = match &folder {
            Some(folder) => folder.write(board, &certificate)?,
            None => {
                let (file, files) = certificate.files(args.output.clone());
                files.iter().try_for_each(|(path, bytes)| write_whole(path, bytes))?;
                file
            }
        };
        let made = Made {
            board: board.name(),
            bound: record.lower_bound,
            optimal: record.cost.is_some() && record.cost == record.lower_bound,
            formula: certificate.formula.as_ref().map(|_| file.with_extension("opb").display().to_string()),
            file: file.display().to_string(),
            bytes: certificate.bytes.len(),
            records: certificate.records,
            sha256: format!("{:x}", Sha256::digest(&certificate.bytes)),
        };
        let line = if args.json { serde_json::to_string(&made).map_err(Failure::internal)? } else { text(&made) };
        narrator.0.suspend(|| output.write(&format!("{line}\n")))?;
        exit = exit.and(Exit::of_status(record.status, record.stopped));
    }
    Ok(if exit == Exit::Interrupted { watch.exit().unwrap_or(exit) } else { exit })
}

fn text(made: &Made<'_>) -> String {
    let Made { board, bound, optimal, file, bytes: size, records, .. } = made;
    let claim = match bound {
        None => "no solution".to_owned(),
        Some(bound) if *optimal => format!("optimum {bound}"),
        Some(bound) => format!("{bound} <= optimum"),
    };
    let (size, many) = (bytes(*size as u64), if *records == 1 { "" } else { "s" });
    format!("{board}: {claim}, certified by {} record{many} ({size}): {file}", count(*records as u64))
}
