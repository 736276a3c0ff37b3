//! `generate`: random boards from a seed.

use crate::cli::args::Generate;
use crate::cli::args::output_form::format_of_boards;
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use gridhunt::puzzles::{PuzzleId, PuzzleOption, option_named};
use gridhunt_boards::{BoardWriter, Entry, Format, GenerateSpec, Start, WriteError};

pub fn run(args: &Generate) -> Result<Exit, Failure> {
    let spec = GenerateSpec {
        rows: args.rows.get(),
        cols: args.cols.unwrap_or(args.rows).get(),
        colours: args.colours,
        seed: args.seed,
        start: args.start,
    };
    let kind = args.kind.map_or("", |(_, kind)| kind);
    let domain = args.kind.map(|(puzzle, _)| puzzle).or(args.domain);
    let format = format_of_boards(args)?.unwrap_or_else(|| default_format(args, domain, &spec));
    let count = args.count.get() as u64;
    check_domain(args, domain)?;
    let make = |index| domain.unwrap_or_default().generate(kind, args.fill, &spec, &args.rules.0, index);
    let writer = BoardWriter { format, domain: domain.map(PuzzleId::name), has_head: !args.no_head };
    // The output is opened for the first board, so that an invalid size creates no file.
    let mut output = None;
    for index in 0..count {
        let mut text = Vec::new();
        let entry = Entry { board: make(index).map_err(Failure::usage)?, published_optimum: None };
        writer.write(&entry, index, &mut text).map_err(write_failure)?;
        let output = match &mut output {
            Some(output) => output,
            none => none.insert(Output::open(args.output.as_deref(), &[])?),
        };
        output.write(&String::from_utf8_lossy(&text))?;
    }
    Ok(Exit::Done)
}

/// Refuses a kind of another puzzle, and rules of play for random cells, which ignore them.
fn check_domain(args: &Generate, domain: Option<PuzzleId>) -> Result<(), Failure> {
    let is_foreign = |name: &str| args.kind.is_none() || option_named(name).map(|(puzzle, _)| puzzle) != domain;
    if let Some((PuzzleOption { name, .. }, _)) = args.rules.0.iter().find(|(option, _)| is_foreign(option.name)) {
        return Err(Failure::usage(format!("found --{name}, expected it only with a --kind of its puzzle")));
    }
    match (args.domain, args.kind) {
        (Some(found), Some((puzzle, kind))) if found != puzzle => {
            Err(Failure::usage(format!("found --domain {found} with --kind {kind}, expected --domain {puzzle}")))
        }
        _ => Ok(()),
    }
}

/// The default format, which represents the boards without loss. A line without a head can represent only square boards
/// with the start at the top left.
fn default_format(args: &Generate, domain: Option<PuzzleId>, spec: &GenerateSpec) -> Format {
    if let Some(format) = domain.and_then(|puzzle| puzzle.info().format) {
        return format;
    }
    let is_plain = spec.rows == spec.cols && spec.start == Start::TopLeft;
    match args.count.get() {
        _ if spec.colours > 35 => Format::Json,
        1 => Format::Text,
        _ if is_plain || !args.no_head => Format::Lines,
        _ => Format::Json,
    }
}

fn write_failure(error: WriteError) -> Failure {
    match error {
        WriteError::Write(e) => Failure::output(e),
        WriteError::Unrepresentable { .. } => Failure::usage(format!("{error}; json holds every board")),
    }
}
