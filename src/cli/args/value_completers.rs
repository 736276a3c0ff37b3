//! The values that completions offer for options whose parser lists no values.

use clap::{Arg, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use gridhunt::hunt::Config;
use gridhunt::puzzles::PuzzleId;
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// Adds the completers of values to a command and its subcommands.
pub fn with_completers(command: clap::Command) -> clap::Command {
    command.mut_args(with_completer).mut_subcommands(with_completers)
}

fn with_completer(arg: Arg) -> Arg {
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
    let mut candidates = Vec::new();
    for puzzle in PuzzleId::all() {
        for bound in puzzle.info().bounds {
            if bound.name.starts_with(typed) && seen.insert(bound.name) {
                let help = format!("{puzzle}: {}", bound.summary);
                candidates.push(CompletionCandidate::new(bound.name).help(Some(help.into())));
            }
        }
    }
    candidates
}

/// Completes the configurations with a dataset (`for_hunts`) or without, and files.
fn configurations(typed: &OsStr, for_hunts: bool) -> Vec<CompletionCandidate> {
    let is_for_command = |name: &String| Config::load(name).is_ok_and(|config| config.dataset.is_some() == for_hunts);
    let matches_prefix = |name: &String| typed.to_str().is_some_and(|typed| name.starts_with(typed));
    let names = Config::names().into_iter().filter(matches_prefix).filter(is_for_command);
    let candidates = names.map(|name| CompletionCandidate::new(name).help(Some("configuration".into())));
    candidates.chain(PathCompleter::file().complete(typed)).collect()
}
