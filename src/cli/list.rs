//! The lists of `engines` and `bounds`, and the shell `completions`.

use super::args::{Cli, Completions, Engines};
use super::exit::{Exit, Failure};
use super::output::Output;
use clap::CommandFactory;
use gridhunt::driver::{BoundInfo, PuzzleId};
use gridhunt::engine::EngineKind;
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Engine {
    name: &'static str,
    summary: &'static str,
    exact: bool,
    default: bool,
}

#[derive(Serialize)]
struct Bound {
    domain: &'static str,
    name: &'static str,
    summary: &'static str,
    default: bool,
}

pub fn engines(args: &Engines) -> Result<Exit, Failure> {
    let all = EngineKind::ALL.map(|engine| Engine {
        name: engine.name(),
        summary: engine.summary(),
        exact: engine.exact(),
        default: engine == EngineKind::Auto,
    });
    let rows = all.iter().map(|e| {
        let proof = if e.exact { "proves" } else { "anytime" };
        (e.name, format!("{proof:<9}{}", e.summary), e.default)
    });
    print(args.json, &all, rows)
}

pub fn bounds(json: bool) -> Result<Exit, Failure> {
    let of = |puzzle: PuzzleId| {
        let row = move |bound: BoundInfo| {
            let BoundInfo { name, summary, default } = bound;
            Bound { domain: puzzle.name(), name, summary, default }
        };
        puzzle.bounds().into_iter().map(row)
    };
    let all: Vec<Bound> = PuzzleId::all().flat_map(of).collect();
    print(json, &all, all.iter().map(|b| (b.name, format!("{:<12} {}", b.domain, b.summary), b.default)))
}

/// Prints a JSON list on one line, or a table for people.
fn print<'a>(
    json: bool,
    all: &impl Serialize,
    rows: impl Iterator<Item = (&'a str, String, bool)>,
) -> Result<Exit, Failure> {
    let mut text = String::new();
    if json {
        text = serde_json::to_string(all).map_err(Failure::internal)?;
        text.push('\n');
    } else {
        for (name, summary, default) in rows {
            let default = if default { " (default)" } else { "" };
            let _ = writeln!(text, "{name:<18}{summary}{default}");
        }
    }
    Output::stdout().write(&text)?;
    Ok(Exit::Done)
}

pub fn completions(args: &Completions) -> Result<Exit, Failure> {
    // Generate the script in memory first, because the generator panics when its output fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gridhunt", &mut script);
    Output::stdout().write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
