//! `bounds`: lists the lower bounds, or compares them on boards.

use super::list;
use crate::cli::args::Bounds;
use crate::cli::args::output_form::form_of_table;
use crate::cli::input::Input;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::results::OutputForm;
use crate::cli::output::{Output, print_message, report_error};
use crate::cli::process::signals::Signals;
use crate::cli::session::progress_observers;
use gridhunt::hunt::{BatchObserver, HuntError, Request, Study, StudyRequest, memory, study_board};
use gridhunt::views::{
    ProgressDisplay, SessionFacts, published_remark, study_csv_header, study_markdown, study_table, study_to_csv,
    trial_to_json,
};
use gridhunt_boards::Entry;
use gridhunt_search::runtime::{Limits, StopToken};
use std::sync::Arc;

pub fn run(args: &Bounds) -> Result<Exit, Failure> {
    if args.files.is_empty() {
        return list::bounds(&args.output);
    }
    let options = args.reading.options(&args.comparison.game.config());
    let mut input = Input::open_each(&args.files, options, args.boards.as_ref())?;
    let (request, has_many) = (study_request(args, &input)?, input.has_many());
    if !args.output.quiet {
        input.notes.iter().for_each(|note| print_message(note));
    }
    let stop = Arc::new(StopToken::new());
    let signals = Signals::install_for_search(&stop).map_err(Failure::system)?;
    let form = form_of_table(&args.output, args.csv, args.markdown)?;
    let mut output = Output::open(args.output.output.as_deref(), &args.files)?;
    if form == OutputForm::Json {
        output.begin_array();
    }
    let facts = SessionFacts { boards: input.total.map(|total| total as u64), ..SessionFacts::default() };
    let (progress, observers) = progress_observers(args.output.quiet, facts, String::new);
    let mut writer = StudyWriter { form, output, progress: &progress, studies: Vec::new(), exit: Exit::Done };
    for (number, entry) in (1..).zip(input) {
        if stop.reason().is_some() {
            writer.exit = writer.exit.more_severe(Exit::Interrupted);
            break;
        }
        let result = entry.map_err(HuntError::from).and_then(|Entry { board, published_optimum, .. }| {
            let mut study = study_board(&board, &request, &observers, &stop)?;
            observers.finish_board(&study.reference).map_err(HuntError::from)?;
            (study.reference.number, study.reference.published) = (number, published_optimum);
            Ok(study)
        });
        match result {
            Ok(study) => writer.write(study)?,
            // A single board that fails ends the command with its error.
            Err(error) if !has_many => return Err(error.into()),
            Err(error) => writer.exit = writer.exit.more_severe(progress.suspend(|| report_error(&error))),
        }
    }
    let StudyWriter { mut output, studies, exit, .. } = writer;
    drop((observers, progress));
    write_table(args, form, &studies, &mut output)?;
    Ok(if exit == Exit::Interrupted { signals.exit().unwrap_or(exit) } else { exit })
}

/// The request of the command line.
fn study_request(args: &Bounds, input: &Input) -> Result<StudyRequest, Failure> {
    let comparison = &args.comparison;
    let mut config = comparison.game.config();
    input.fill_config(&mut config)?;
    config.check()?;
    let base_request = config.request();
    base_request.check_states()?;
    let mut bounds = comparison.reference.iter().chain(&comparison.bounds);
    bounds.try_for_each(|bound| bound.check(base_request.domain))?;
    let memory = comparison.memory.map(|size| size.0).or_else(memory::default_limit);
    let limits =
        Limits { time: Some(comparison.time_limit.0), memory, resident: memory, expansions: comparison.expansions };
    let request =
        Request { bound: comparison.reference.clone(), threads: comparison.threads.0, limits, ..base_request };
    Ok(StudyRequest { bounds: comparison.bounds.clone(), request, max_exhaustive_states: comparison.exhaustive })
}

/// Writes studies and collects them for the table.
struct StudyWriter<'a> {
    form: OutputForm,
    output: Output,
    progress: &'a ProgressDisplay,
    studies: Vec<Study>,
    exit: Exit,
}

impl StudyWriter<'_> {
    fn write(&mut self, study: Study) -> Result<(), Failure> {
        let exits = study.trials.iter().map(|trial| Exit::of_status(trial.outcome.status(), trial.outcome.stopped));
        self.exit = exits.fold(
            self.exit.more_severe(Exit::of_status(study.reference.status, study.reference.stopped)),
            Exit::more_severe,
        );
        if study.trials.iter().any(|trial| !trial.is_sound()) {
            self.exit = self.exit.more_severe(Exit::Invalid);
        }
        let text = self.lines(&study)?;
        self.progress.suspend(|| {
            if let Some(remark) = published_remark(&study.reference) {
                print_message(&format!("warning: {remark}"));
            }
            if study.reference.cost.is_none() {
                let board = &study.reference.board;
                print_message(&format!("warning: {board}: no solution within the limits, so no bound is checked"));
            }
            text.split_inclusive('\n').try_for_each(|line| self.output.write(line))
        })?;
        self.studies.push(study);
        Ok(())
    }

    /// The JSON or CSV lines of one board; empty for other forms.
    fn lines(&self, study: &Study) -> Result<String, Failure> {
        let mut text = String::new();
        match self.form {
            OutputForm::Text | OutputForm::Markdown => {}
            OutputForm::Json | OutputForm::JsonLines => {
                for trial in &study.trials {
                    text += &trial_to_json(study, trial).map_err(Failure::internal)?;
                    text.push('\n');
                }
            }
            OutputForm::Csv => {
                if self.studies.iter().all(|study| study.trials.is_empty()) {
                    text += &study_csv_header(study).map_err(Failure::internal)?;
                }
                text += &study_to_csv(study).map_err(Failure::internal)?;
            }
        }
        Ok(text)
    }
}

fn write_table(args: &Bounds, form: OutputForm, studies: &[Study], output: &mut Output) -> Result<(), Failure> {
    match form {
        OutputForm::Text => output.write(&study_table(studies))?,
        OutputForm::Markdown => output.write(&study_markdown(studies))?,
        OutputForm::Json | OutputForm::JsonLines | OutputForm::Csv => {
            output.end()?;
            if !args.output.quiet {
                print_message(study_table(studies).trim_end());
            }
        }
    }
    Ok(())
}
