//! `certify`: makes certificates of proven lower bounds.

use crate::cli::args::certificate::Certify;
use crate::cli::input::Input;
use crate::cli::input::starts::Starts;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, check_not_input, print_message, report_error};
use crate::cli::process::signals::Signals;
use crate::cli::session::progress_observers;
use gridhunt::hunt::{
    BatchObserver, BoardFolder, BoardSearchInfo, Config, HuntError, certify_board, write_certificate,
};
use gridhunt::puzzles::{CertificateForm, StartPosition};
use gridhunt::views::{SessionFacts, bytes, log_heading, plural};
use gridhunt_search::runtime::StopToken;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What was written for a board.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Certified"))]
pub struct CertificateReport<'a> {
    /// The board's name.
    board: &'a str,
    /// No solution costs less; null if there is no solution.
    bound: Option<u32>,
    /// Whether a solution reaches `bound`, which is then the optimum.
    optimal: bool,
    /// The certificate, or the proof for VeriPB.
    file: String,
    /// The formula that the file refutes, if it is a proof for VeriPB.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// The length of the file.
    bytes: usize,
    /// Its records.
    records: usize,
    /// Its SHA-256.
    sha256: String,
}

pub fn run(args: &Certify) -> Result<Exit, Failure> {
    let mut config = Config::default();
    args.game.apply_to(&mut config);
    args.resources.apply_to(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open_each(&args.files, options, args.selection.boards.as_ref())?;
    input.fill_config(&mut config)?;
    config.check()?;
    if !args.quiet {
        input.notes.iter().for_each(|note| print_message(note));
    }
    let (has_many, request) = (input.has_many(), config.request());
    let total = input.total;
    request.check_certificates()?;
    let form = if args.veripb { CertificateForm::VeriPb } else { CertificateForm::Records };
    let extensions: &[_] = if args.veripb { &["opb", "pbp"] } else { &[] };
    let inputs: Vec<_> = args.files.iter().chain(&args.known.from).cloned().collect();
    extensions.iter().try_for_each(|extension| check_not_input(&args.output.with_extension(extension), &inputs))?;
    check_not_input(&args.output, &inputs)?;
    let folder = (has_many || args.output.is_dir())
        .then(|| BoardFolder::create(&args.output, &inputs, BoardFolder::CERT_EXTENSION))
        .transpose()?;
    if folder.is_none() {
        check_output_path(&args.output)?;
    }
    let stop = Arc::new(StopToken::new());
    let signals = Signals::install_for_search(&stop).map_err(Failure::system)?;
    let facts = SessionFacts::of(&request, total, None);
    let (progress, observers) = progress_observers(args.quiet, facts, || log_heading(&request, None));
    let (mut exit, mut output) = (Exit::Done, Output::stdout());
    for (number, start) in (1..).zip(Starts::open(input, request.clone(), &args.known)?) {
        let certified = start.map_err(HuntError::from).and_then(|StartPosition { entry, solution: known }| {
            let board = entry.board;
            let file =
                folder.as_ref().map_or_else(|| Ok(args.output.clone()), |folder| folder.reserve(board.name()))?;
            if known.is_some() && !args.quiet {
                let note = format!("note: {}: a search proves or improves the known solution", board.name());
                progress.suspend(|| print_message(&note));
            }
            observers.begin_board(&BoardSearchInfo::new(number, &board, &request));
            let (record, certificate) = certify_board(&board, &request, known.as_ref(), form, &observers, &stop)?;
            Ok((board, record, certificate, file))
        });
        let (board, record, certificate, file) = match certified {
            Ok(certified) => certified,
            Err(error) => {
                exit = exit.more_severe(progress.suspend(|| report_error(&error)));
                if stop.reason().is_some() {
                    break;
                }
                continue;
            }
        };
        observers.finish_board(&record)?;
        let file = write_certificate(file, &certificate)?;
        let report = CertificateReport {
            board: board.name(),
            bound: record.lower_bound,
            optimal: record.cost.is_some() && record.cost == record.lower_bound,
            formula: certificate.formula.as_ref().map(|_| file.with_extension("opb").display().to_string()),
            file: file.display().to_string(),
            bytes: certificate.bytes.len(),
            records: certificate.records,
            sha256: format!("{:x}", Sha256::digest(&certificate.bytes)),
        };
        let line = if args.json { serde_json::to_string(&report).map_err(Failure::internal)? } else { text(&report) };
        progress.suspend(|| output.write(&format!("{line}\n")))?;
        exit = exit.more_severe(Exit::of_status(record.status, record.stopped));
    }
    Ok(if exit == Exit::Interrupted { signals.exit().unwrap_or(exit) } else { exit })
}

/// Checks, before a search, that a file can be created at this path.
fn check_output_path(file: &Path) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        return Err(Failure::usage("found - for the certificate, expected a file or a directory"));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{}: found no directory", folder.display()));
    if folder.is_dir() { Ok(()) } else { Err(Failure::output(missing())) }
}

fn text(report: &CertificateReport<'_>) -> String {
    let CertificateReport { board, bound, optimal, file, bytes: size, records, .. } = report;
    let claim = match bound {
        None => "no solution".to_owned(),
        Some(bound) if *optimal => format!("optimum {bound}"),
        Some(bound) => format!("{bound} <= optimum"),
    };
    format!("{board}: {claim}, certified by {} ({}): {file}", plural(*records as u64, "record"), bytes(*size as u64))
}
