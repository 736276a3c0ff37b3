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
        (_, Some("NAME[+NAME]")) => arg.add(ArgValueCompleter::new(bounds)),
        ("config" | "configs", Some("CONFIG")) => {
            arg.add(ArgValueCompleter::new(|typed: &OsStr| configurations(typed, true)))
        }
        ("config", _) => arg.add(ArgValueCompleter::new(|typed: &OsStr| configurations(typed, false))),
        ("run", _) | (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    }
}

/// Lower bounds. Behind a `+`: the bounds that may be joined to those before it.
fn bounds(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let before = typed.rfind('+').map_or("", |at| &typed[..=at]);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for puzzle in PuzzleId::all() {
        for bound in puzzle.bounds() {
            let name = format!("{before}{}", bound.name);
            let is_new = before.split('+').all(|part| part != bound.name) && puzzle.has_bound(&name);
            if name.starts_with(typed) && is_new && seen.insert(name.clone()) {
                let help = format!("{puzzle}: {}", bound.summary);
                found.push(CompletionCandidate::new(name).help(Some(help.into())));
            }
        }
    }
    found
}

/// Configurations that name a dataset, or those that do not; and files.
fn configurations(typed: &OsStr, for_hunts: bool) -> Vec<CompletionCandidate> {
    let is_wanted = |name: &String| Config::load(name).is_ok_and(|config| config.dataset.is_some() == for_hunts);
    let begins = |name: &String| typed.to_str().is_some_and(|typed| name.starts_with(typed));
    let names = Config::names().into_iter().filter(begins).filter(is_wanted);
    let candidates = names.map(|name| CompletionCandidate::new(name).help(Some("configuration".into())));
    candidates.chain(PathCompleter::file().complete(typed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(candidates: Vec<CompletionCandidate>) -> Vec<String> {
        candidates.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn bounds_behind_a_plus_are_those_that_can_be_joined() {
        let after = |typed: &str| values(bounds(OsStr::new(typed)));
        assert_eq!(after("elimination+cr"), ["elimination+critical"]);
        assert_eq!(after("elimination+critical+l"), ["elimination+critical+layers"]);
        assert_eq!(after("elimination+elim"), [""; 0], "a bound is not joined to itself");
        assert_eq!(after("colours+"), [""; 0], "bounds of Clickomania are not joined");
        assert_eq!(after("nothing+"), [""; 0]);
        let all: BTreeSet<_> = PuzzleId::all().flat_map(|puzzle| puzzle.bounds()).map(|b| b.name.to_owned()).collect();
        assert_eq!(after("").into_iter().collect::<BTreeSet<_>>(), all);
    }

    #[test]
    fn configurations_are_those_that_the_command_takes() {
        let [searches, hunts] = [false, true].map(|for_hunts| values(configurations(OsStr::new(""), for_hunts)));
        for name in Config::shipped() {
            let is_for_hunts = Config::load(name).expect("a configuration").dataset.is_some();
            let known = [&searches, &hunts].map(|names| names.iter().any(|known| known == name));
            assert_eq!(known, [!is_for_hunts, is_for_hunts], "{name}");
        }
    }
}
