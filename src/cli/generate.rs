//! `generate`: random boards from a seed.

use super::args::Generate;
use super::exit::{Exit, Failure};
use super::output::Output;
use gridhunt::board::{
    Board, BoardError, Format, GenerateSpec, Start, WriteError, generate, generate_bunny_board, generate_clearable,
    write_board,
};
use gridhunt::driver::Config;

pub fn run(args: &Generate) -> Result<Exit, Failure> {
    let spec = GenerateSpec {
        rows: args.rows.get(),
        cols: args.cols.unwrap_or(args.rows).get(),
        colours: args.colours,
        seed: args.seed,
        start: args.start,
    };
    let format = args.format.unwrap_or_else(|| default_format(args, &spec));
    let count = args.count.get() as u64;
    if count > 1 && !format.holds_many() {
        return Err(Failure::usage(format!("found --count {count}, expected 1 with --format {format}")));
    }
    if !args.clearable && args.rules.given().is_some() {
        return Err(Failure::usage("found rules of clickomania, expected them with --clearable alone"));
    }
    let mut config = Config::default();
    args.rules.lay_over(&mut config);
    let rules = config.request().rules;
    let make = |index| -> Result<Board, BoardError> {
        if let Some(kind) = args.bunny {
            generate_bunny_board(&spec, kind, args.fill, index)
        } else if args.clearable {
            generate_clearable(&spec, rules, index).map(|(board, _)| board)
        } else {
            generate(&spec, index)
        }
    };
    // Generate the first board before the output is opened, so that an invalid size creates no file.
    let mut board = make(0).map_err(Failure::usage)?;
    let mut output = None;
    for index in 0..count {
        if index > 0 {
            board = make(index).map_err(Failure::usage)?;
        }
        let mut text = Vec::new();
        write_board(&board, format, &mut text).map_err(refused)?;
        let output = match &mut output {
            Some(output) => output,
            none => none.insert(Output::open(args.output.as_deref(), &[])?),
        };
        output.write(&String::from_utf8_lossy(&text))?;
    }
    Ok(Exit::Done)
}

/// The default format, which holds the boards without loss. `lines` holds only square boards with the start at the top
/// left.
fn default_format(args: &Generate, spec: &GenerateSpec) -> Format {
    match args.count.get() {
        _ if args.bunny.is_some() => Format::Bunny,
        1 => Format::Text,
        _ if spec.rows == spec.cols && spec.start == Start::TopLeft => Format::Lines,
        _ => Format::Json,
    }
}

fn refused(error: WriteError) -> Failure {
    match error {
        WriteError::Write(e) => Failure::output(e),
        WriteError::Unrepresentable { .. } => Failure::usage(format!("{error}; json holds every board")),
    }
}
