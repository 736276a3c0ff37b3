//! What there is: `engines`, `completions`, and the list of `bounds`.

use super::args::{Cli, Completions, Engines};
use super::exit::{Exit, Failure};
use super::output::Output;
use clap::CommandFactory;
use gridhunt::domain::clickomania::GameBoundKind;
use gridhunt::domain::floodit::{BoundKind, BoundSpec};
use gridhunt::driver::DomainKind;
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
    let default = BoundSpec::default().to_string();
    let of_flood = BoundKind::ALL.map(|bound| Bound {
        domain: DomainKind::FloodIt.name(),
        name: bound.name(),
        summary: bound.summary(),
        default: default.split('+').any(|name| name == bound.name()),
    });
    // Which one is taken depends on the board and on what is wanted of it.
    let of_games = GameBoundKind::ALL.map(|bound| Bound {
        domain: DomainKind::Clickomania.name(),
        name: bound.name(),
        summary: bound.summary(),
        default: false,
    });
    let all: Vec<Bound> = of_flood.into_iter().chain(of_games).collect();
    print(json, &all, all.iter().map(|b| (b.name, format!("{:<12} {}", b.domain, b.summary), b.default)))
}

/// A JSON list on one line, or a table for people.
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
    // Made in memory first: the generator panics when its output fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gridhunt", &mut script);
    Output::stdout().write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
