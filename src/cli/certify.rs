//! `certify`: makes certificates of proven lower bounds.

use super::certificate_args::Certify;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, refuse_input, tell, write_whole};
use super::session::{Narrator, progress};
use super::signals::Watch;
use super::starts::Starts;
use gridhunt::hunt::{Audience, BoardSearchInfo, Config, certify_board};
use gridhunt::puzzles::{CertificateForm, Start};
use gridhunt::report::{SessionFacts, bytes, count, log_heading};
use gridhunt_search::runtime::StopToken;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// The endings of files.
const CERTIFICATE: &str = "cert";
const PROOF: &str = "pbp";
const FORMULA: &str = "opb";

/// What was written for a board.
#[derive(Serialize)]
struct Made<'a> {
    board: &'a str,
    /// No solution has fewer moves.
    bound: u32,
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
    let folder = many.then_some(&*args.output);
    let (form, extension) = match args.veripb {
        true => (CertificateForm::VeriPb, PROOF),
        false => (CertificateForm::Records, CERTIFICATE),
    };
    let proof = if args.veripb { args.output.with_extension(PROOF) } else { args.output.clone() };
    let formula = args.veripb.then(|| proof.with_extension(FORMULA));
    match folder {
        Some(folder) => fs::create_dir_all(folder).map_err(Failure::output)?,
        None => {
            refuse_input(&proof, &args.files)?;
            formula.iter().try_for_each(|path| refuse_input(path, &args.files))?;
        }
    }
    let stop = Arc::new(StopToken::new());
    let watch = Watch::install(&stop).map_err(Failure::internal)?;
    let facts = SessionFacts::of(&request, total, None);
    let narrator = Narrator(Arc::new(progress((args.quiet, false), total, facts, || log_heading(&request, None))));
    let (mut exit, mut output) = (Exit::Done, Output::stdout());
    for (number, start) in (1..).zip(Starts::open(input, request.clone(), &args.known)?) {
        let Start { entry, known } = start?;
        let board = &entry.board;
        narrator.begin(&BoardSearchInfo::of(number, board, &request));
        let (record, certificate) = certify_board(board, &request, known.as_ref(), form, &narrator, &stop)?;
        narrator.finish(&record)?;
        let file = folder.map_or_else(|| proof.clone(), |folder| folder.join(file_name(board.name(), extension)));
        let formula = certificate.formula.as_ref().map(|text| (file.with_extension(FORMULA), text));
        formula.iter().try_for_each(|(path, text)| write_whole(path, text))?;
        write_whole(&file, &certificate.bytes)?;
        let made = Made {
            board: board.name(),
            bound: record.lower_bound.unwrap_or(0),
            optimal: record.cost == record.lower_bound,
            file: file.display().to_string(),
            formula: formula.map(|(path, _)| path.display().to_string()),
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

/// The name of a board as the name of a file in a folder.
fn file_name(board: &str, extension: &str) -> PathBuf {
    let name: String = board.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
    PathBuf::from(format!("{name}.{extension}"))
}

fn text(made: &Made<'_>) -> String {
    let Made { board, bound, optimal, file, bytes: size, records, .. } = made;
    let claim = if *optimal { format!("optimum {bound}") } else { format!("{bound} <= optimum") };
    let (size, records) = (bytes(*size as u64), count(*records as u64));
    format!("{board}: {claim}, certified by {records} records ({size}): {file}")
}
