//! `report`: a page about runs or results.

use crate::cli::args::run::Report;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, check_not_input, print_message, write_atomically};
use gridhunt::views::page::{Document, GatherError};

pub fn run(args: &Report) -> Result<Exit, Failure> {
    let names: Vec<String> = args.sources.iter().map(|path| path.display().to_string()).collect();
    let mut document = Document::new(args.title.clone().unwrap_or_else(|| names.join(", ")));
    for path in &args.sources {
        document.add(path, args.films)?;
    }
    write(&document, args)
}

fn write(document: &Document, args: &Report) -> Result<Exit, Failure> {
    let html = document.to_html().map_err(Failure::internal)?;
    match &args.output {
        Some(path) => {
            check_not_input(path, &args.sources)?;
            write_atomically(path, html.as_bytes())?;
        }
        None if Output::stdout().is_terminal() => {
            return Err(Failure::usage("found a terminal on standard output, expected a file: -o FILE"));
        }
        None => Output::stdout().write(&html)?,
    }
    document.notes.iter().for_each(|note| print_message(&format!("note: {note}")));
    Ok(Exit::Done)
}

impl From<GatherError> for Failure {
    fn from(error: GatherError) -> Self {
        match error {
            GatherError::Run(error) => error.into(),
            error => Self::bad_input(error.to_string()),
        }
    }
}
