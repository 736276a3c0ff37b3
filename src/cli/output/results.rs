//! Writes the results of a session, and collects the summary and the exit.

use super::exit::{Exit, Failure};
use super::{Output, print_message};
use crate::cli::args::OutputFlags;
use gridhunt::hunt::{BoardRecord, BoardResult, FailedBoard, HuntError, RunDir, error_chain};
use gridhunt::views::{
    ProgressDisplay, Summary, optimal_solutions_text, published_remark, result_line, result_text, result_to_csv,
    result_to_json, result_to_markdown, results_csv_header, results_markdown_header,
};
use gridhunt_search::engine::Status;
use gridhunt_search::platform::process_cpu_seconds;
use std::path::PathBuf;
use std::time::Instant;

/// The form of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Text for people.
    Text,
    /// One JSON object, or one array of them.
    Json,
    /// One JSON object per line.
    JsonLines,
    Csv,
    Markdown,
}

/// Writes results and collects the summary and the exit.
pub struct ResultWriter<'a> {
    flags: &'a OutputFlags,
    form: OutputForm,
    has_many: bool,
    run: Option<&'a RunDir>,
    output: Output,
    /// The first failure of the output in a session with a run directory.
    failure: Option<Failure>,
    pub summary: Summary,
    pub exit: Exit,
}

impl<'a> ResultWriter<'a> {
    /// Opens the output and writes its head.
    pub fn open(
        (flags, form): (&'a OutputFlags, OutputForm),
        has_many: bool,
        run: Option<&'a RunDir>,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        let mut output = Output::open(flags.output.as_deref(), inputs)?;
        if form == OutputForm::Json && has_many {
            output.begin_array();
        }
        let mut results =
            Self { flags, form, has_many, run, output, failure: None, summary: Summary::default(), exit: Exit::Done };
        let head = match form {
            OutputForm::Csv => results_csv_header().map_err(Failure::internal)?,
            OutputForm::Markdown => results_markdown_header(),
            OutputForm::Text | OutputForm::Json | OutputForm::JsonLines => String::new(),
        };
        if !head.is_empty() {
            let written = results.output.write(&head);
            results.defer_failure(written)?;
        }
        Ok(results)
    }

    /// Writes the result of a board.
    pub fn write(&mut self, progress: &ProgressDisplay, result: &BoardResult) -> Result<(), Failure> {
        let mut remarks = Vec::new();
        let mut delivered_number = None;
        match result {
            BoardResult::Record { record, record_error } => {
                self.summary.add(record);
                self.exit = self.exit.more_severe(Exit::of_status(record.status, record.stopped));
                if record.count_stopped.is_some() {
                    self.exit = self.exit.more_severe(Exit::of_status(Status::Unknown, record.count_stopped));
                }
                let warnings = published_remark(record).into_iter().chain(record.failure.clone());
                remarks.extend(warnings.map(|remark| format!("warning: {remark}")));
                if let Some(error) = record_error {
                    self.exit = self.exit.more_severe(Exit::of_error(error));
                    remarks.push(match error {
                        HuntError::Puzzle(_) => format!("gridhunt: {error}"),
                        _ => format!("gridhunt: {}: the result is not recorded: {error}", record.board),
                    });
                } else if record.stopped.is_none() {
                    delivered_number = Some(record.number);
                }
            }
            BoardResult::Failed(FailedBoard { error, .. }) => {
                self.summary.failed += 1;
                self.exit = self.exit.more_severe(Exit::of_error(error));
                remarks.push(format!("gridhunt: {}", error_chain(error)));
            }
            BoardResult::NotBegun { board, .. } => self.summary.not_begun.push(board.clone()),
        }
        let text = self.text_of(result)?;
        // A screen or a live line is hidden only for text that goes to the terminal.
        let is_shown = !(remarks.is_empty() && (text.is_empty() || self.output.is_file()));
        let mut write = || {
            remarks.iter().for_each(|remark| print_message(remark));
            text.iter().try_for_each(|part| self.output.write(part))
        };
        let written = if is_shown { progress.suspend(write) } else { write() };
        if let (Ok(()), Some(run), Some(number)) = (&written, self.run, delivered_number) {
            run.mark_delivered(number);
        }
        self.defer_failure(written)
    }

    /// Writes a result that an earlier session has recorded.
    pub fn write_recorded(&mut self, progress: &ProgressDisplay, record: BoardRecord) -> Result<(), Failure> {
        self.write(progress, &BoardResult::Record { record: Box::new(record), record_error: None })
    }

    /// The text of a result, and of the optimal solutions that it lists. In [`OutputForm::Text`], a board without a
    /// record has no text, because standard error names it.
    fn text_of(&self, result: &BoardResult) -> Result<Vec<String>, Failure> {
        Ok(match (self.form, result) {
            (OutputForm::Text, BoardResult::Record { record, .. }) if self.has_many => {
                vec![result_line(record) + "\n" + &optimal_solutions_text(record)]
            }
            (OutputForm::Text, BoardResult::Record { record, .. }) => {
                vec![result_text(record) + &optimal_solutions_text(record)]
            }
            (OutputForm::Text, _) => Vec::new(),
            (OutputForm::Json | OutputForm::JsonLines, _) => {
                let mut lines = vec![result_to_json(result).map_err(Failure::internal)? + "\n"];
                if let BoardResult::Record { record, .. } = result {
                    lines
                        .extend(record.listed_solutions.iter().map(|moves| record.solution_of(moves).to_json() + "\n"));
                }
                lines
            }
            (OutputForm::Csv, _) => vec![result_to_csv(result).map_err(Failure::internal)?],
            (OutputForm::Markdown, _) => vec![result_to_markdown(result)],
        })
    }

    /// Keeps a failure of the output for [`finish`](Self::finish) if there is a run directory. The directory has the
    /// results, and `resume` delivers them.
    fn defer_failure(&mut self, written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(failure) if self.run.is_some() => {
                self.failure.get_or_insert(failure);
                Ok(())
            }
            written => written,
        }
    }

    /// Writes the summary, and ends the output. `began` is the start of the session, for the times in the summary.
    /// Returns the exit, and the number of boards that have a result.
    pub fn finish(mut self, began: Option<Instant>) -> Result<(Exit, u64), Failure> {
        if self.has_many {
            if let Some(began) = began {
                self.summary.seconds = began.elapsed().as_secs_f64();
                self.summary.cpu_seconds = process_cpu_seconds();
            }
            let text = self.summary.to_string();
            match (self.form, self.flags.quiet) {
                (OutputForm::Text, _) => {
                    let written = self.output.write(&format!("{text}\n"));
                    self.defer_failure(written)?;
                }
                (_, false) => print_message(&text),
                (_, true) => {}
            }
        }
        let end_result = self.output.end();
        self.defer_failure(end_result)?;
        self.failure.map_or(Ok((self.exit, self.summary.searched())), Err)
    }
}
