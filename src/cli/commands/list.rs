//! The lists of `engines` and `bounds`.

use crate::cli::args::output_form::is_json_list;
use crate::cli::args::{Engines, OutputFlags};
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use gridhunt::puzzles::{BoundInfo, EngineKind, PuzzleId};
use serde::Serialize;
use std::fmt::Write;
use std::io;
use terminal_size::{Width, terminal_size_of};

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Engine {
    /// The name on the command line.
    name: &'static str,
    /// One line about it.
    summary: &'static str,
    /// Whether it proves optimality when nothing stops it.
    exact: bool,
    /// Whether it is the default.
    default: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// The puzzle.
    domain: &'static str,
    /// The name on the command line.
    name: &'static str,
    /// One line about it.
    summary: &'static str,
    /// Whether it is the default of the puzzle.
    default: bool,
}

pub fn engines(args: &Engines) -> Result<Exit, Failure> {
    let engine = |engine: EngineKind| Engine {
        name: engine.name(),
        summary: engine.info.summary,
        exact: engine.info.proves,
        default: engine == EngineKind::AUTO,
    };
    let all: Vec<_> = EngineKind::all().into_iter().map(engine).collect();
    let rows = all.iter().map(|e| {
        let proof = if e.exact { "proves" } else { "anytime" };
        Row { name: e.name, kind: format!("{proof:<9}"), summary: e.summary, is_default: e.default }
    });
    print(args.json, Output::stdout(), &all, rows)
}

pub fn bounds(writing: &OutputFlags) -> Result<Exit, Failure> {
    let of = |puzzle: PuzzleId| {
        let row = move |&BoundInfo { name, summary, is_default }: &BoundInfo| Bound {
            domain: puzzle.name(),
            name,
            summary,
            default: is_default,
        };
        puzzle.info().bounds.iter().map(row)
    };
    let all: Vec<Bound> = PuzzleId::all().flat_map(of).collect();
    let rows = all.iter().map(|b| Row {
        name: b.name,
        kind: format!("{:<13}", b.domain),
        summary: b.summary,
        is_default: b.default,
    });
    print(is_json_list(writing)?, Output::open(writing.output.as_deref(), &[])?, &all, rows)
}

/// A row of a table. A long summary is wrapped to the width of the terminal.
struct Row<'a> {
    name: &'a str,
    /// The text between the name and the summary, padded to the width of its column.
    kind: String,
    summary: &'a str,
    is_default: bool,
}

impl Row<'_> {
    fn write(&self, text: &mut String, width: usize) {
        let head = format!("{:<18}{}", self.name, self.kind);
        let indent = head.chars().count();
        let words = self.summary.split(' ').chain(self.is_default.then_some("(default)"));
        let mut line = head;
        let mut length = indent;
        for word in words {
            let word_length = word.chars().count();
            if length > indent && length + 1 + word_length > width {
                let _ = writeln!(text, "{line}");
                (line, length) = (" ".repeat(indent), indent);
            } else if length > indent {
                line.push(' ');
                length += 1;
            }
            line.push_str(word);
            length += word_length;
        }
        let _ = writeln!(text, "{line}");
    }
}

/// The columns of the terminal on standard output, or 80 if there is none.
fn width() -> usize {
    terminal_size_of(io::stdout()).map_or(80, |(Width(columns), _)| usize::from(columns))
}

/// Writes a list as JSON on one line, or as a table.
fn print<'a>(
    json: bool,
    mut output: Output,
    all: &impl Serialize,
    rows: impl Iterator<Item = Row<'a>>,
) -> Result<Exit, Failure> {
    let mut text = String::new();
    if json {
        text = serde_json::to_string(all).map_err(Failure::internal)?;
        text.push('\n');
    } else {
        let width = width();
        rows.for_each(|row| row.write(&mut text, width));
    }
    output.write(&text)?;
    Ok(Exit::Done)
}
