//! The values that completions offer where the parser of an option does not list them.

use clap::{Arg, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use gridhunt::hunt::Config;
use gridhunt::puzzles::PuzzleId;
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// Gives the options of a command, and of its subcommands, what their completion needs.
pub fn with_completers(command: clap::Command) -> clap::Command {
    command.mut_args(completed).mut_subcommands(with_completers)
}

fn completed(arg: Arg) -> Arg {
    let name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    match (arg.get_id().as_str(), name.as_deref()) {
        (_, Some("BOUND")) => arg.add(ArgValueCompleter::new(bounds)),
        ("config" | "configs", Some("CONFIG")) => {
            arg.add(ArgValueCompleter::new(|typed: &OsStr| configurations(typed, true)))
        }
        ("config", _) => arg.add(ArgValueCompleter::new(|typed: &OsStr| configurations(typed, false))),
        ("run", _) | (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    }
}

/// Completes a lower bound.
fn bounds(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for puzzle in PuzzleId::all() {
        for bound in puzzle.info().bounds {
            if bound.name.starts_with(typed) && seen.insert(bound.name) {
                let help = format!("{puzzle}: {}", bound.summary);
                found.push(CompletionCandidate::new(bound.name).help(Some(help.into())));
            }
        }
    }
    found
}

/// Completes a configuration, of those that name a dataset or of those that do not; and files.
fn configurations(typed: &OsStr, for_hunts: bool) -> Vec<CompletionCandidate> {
    let is_wanted = |name: &String| Config::load(name).is_ok_and(|config| config.dataset.is_some() == for_hunts);
    let begins = |name: &String| typed.to_str().is_some_and(|typed| name.starts_with(typed));
    let names = Config::names().into_iter().filter(begins).filter(is_wanted);
    let candidates = names.map(|name| CompletionCandidate::new(name).help(Some("configuration".into())));
    candidates.chain(PathCompleter::file().complete(typed)).collect()
}
