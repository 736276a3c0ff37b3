//! `generate`: random boards from a seed.

use super::args::Generate;
use super::endings::of_boards;
use super::exit::{Exit, Failure};
use super::output::Output;
use gridhunt::puzzles::PuzzleId;
use gridhunt_boards::{BoardWriter, Entry, Format, GenerateSpec, Start, WriteError};
use gridhunt_bunny::BunnyPuzzle;
use gridhunt_clickomania::ClickomaniaPuzzle;

pub fn run(args: &Generate) -> Result<Exit, Failure> {
    let spec = GenerateSpec {
        rows: args.rows.get(),
        cols: args.cols.unwrap_or(args.rows).get(),
        colours: args.colours,
        seed: args.seed,
        start: args.start,
    };
    let format = of_boards(args)?.unwrap_or_else(|| default_format(args, &spec));
    let count = args.count.get() as u64;
    if !args.clearable && args.rules.0.given().next().is_some() {
        return Err(Failure::usage("found rules of clickomania, expected them with --clearable alone"));
    }
    if args.bunny.is_none() && args.domain.is_some_and(|domain| domain.info().has_programs) {
        return Err(Failure::usage(
            "found --domain bunny without --bunny, expected the kind of its boards: --bunny random",
        ));
    }
    let (domain, kind) = match (args.bunny, args.clearable) {
        (Some(kind), _) => (Some(PuzzleId::of(&BunnyPuzzle)), kind.name()),
        (None, true) => (Some(PuzzleId::of(&ClickomaniaPuzzle)), "clearable"),
        (None, false) => (args.domain, ""),
    };
    let make = |index| domain.unwrap_or_default().generate(kind, args.fill, &spec, &args.rules.0, index);
    let writer = BoardWriter { format, domain: domain.map(PuzzleId::name), has_head: !args.no_head };
    // Generate the first board before the output is opened, so that an invalid size creates no file.
    let mut board = make(0).map_err(Failure::usage)?;
    let mut output = None;
    for index in 0..count {
        if index > 0 {
            board = make(index).map_err(Failure::usage)?;
        }
        let mut text = Vec::new();
        let entry = Entry { board: board.clone(), published: None };
        writer.write(&entry, index, &mut text).map_err(refused)?;
        let output = match &mut output {
            Some(output) => output,
            none => none.insert(Output::open(args.output.as_deref(), &[])?),
        };
        output.write(&String::from_utf8_lossy(&text))?;
    }
    Ok(Exit::Done)
}

/// The default format, which holds the boards without loss. A line without a head holds only square boards with the
/// start at the top left.
fn default_format(args: &Generate, spec: &GenerateSpec) -> Format {
    let is_plain = spec.rows == spec.cols && spec.start == Start::TopLeft;
    match args.count.get() {
        _ if args.bunny.is_some() => Format::Bunny,
        _ if spec.colours > 35 => Format::Json,
        1 => Format::Text,
        _ if is_plain || !args.no_head => Format::Lines,
        _ => Format::Json,
    }
}

fn refused(error: WriteError) -> Failure {
    match error {
        WriteError::Write(e) => Failure::output(e),
        WriteError::Unrepresentable { .. } => Failure::usage(format!("{error}; json holds every board")),
    }
}
