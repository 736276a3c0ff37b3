//! The lists of `engines` and `bounds`.

use crate::cli::args::output_form::is_json_list;
use crate::cli::args::{Engines, OutputFlags};
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use gridhunt::puzzles::{BoundInfo, EngineKind, PuzzleId};
use gridhunt::views::wrap_words;
use serde::Serialize;
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
    let rows = all.iter().map(|engine| {
        let proof = if engine.exact { "proves" } else { "anytime" };
        row(&format!("{:<18}{proof:<9}", engine.name), engine.summary, engine.default)
    });
    print(args.json, Output::stdout(), &all, rows)
}

pub fn bounds(flags: &OutputFlags) -> Result<Exit, Failure> {
    let bounds_of = |puzzle: PuzzleId| {
        let domain = puzzle.name();
        let bound = move |&BoundInfo { name, summary, is_default: default }| Bound { domain, name, summary, default };
        puzzle.info().bounds.iter().map(bound)
    };
    let all: Vec<Bound> = PuzzleId::all().flat_map(bounds_of).collect();
    let head = |bound: &Bound| format!("{:<18}{:<13}", bound.name, bound.domain);
    let rows = all.iter().map(|bound| row(&head(bound), bound.summary, bound.default));
    print(is_json_list(flags)?, Output::open(flags.output.as_deref(), &[])?, &all, rows)
}

/// A row of a table. A long summary is wrapped to the width of the terminal on standard output, or to 80 columns.
fn row(head: &str, summary: &str, is_default: bool) -> String {
    let width = terminal_size_of(io::stdout()).map_or(80, |(Width(columns), _)| usize::from(columns));
    let words = summary.split(' ').chain(is_default.then_some("(default)"));
    let lines = wrap_words(words, width.saturating_sub(head.len()));
    format!("{head}{}\n", lines.join(&format!("\n{}", " ".repeat(head.len()))))
}

/// Writes a list as JSON on one line, or as a table.
fn print(
    json: bool,
    mut output: Output,
    all: &impl Serialize,
    rows: impl Iterator<Item = String>,
) -> Result<Exit, Failure> {
    let text = match json {
        true => serde_json::to_string(all).map_err(Failure::internal)? + "\n",
        false => rows.collect(),
    };
    output.write(&text)?;
    Ok(Exit::Done)
}
