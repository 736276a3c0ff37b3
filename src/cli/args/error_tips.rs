//! Tips in errors of the command line.

use super::path_check::advice;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gridhunt::hunt::PathKind;
use std::path::Path;

/// Corrects the tip of an error. For a file instead of a command, the tip names the command that accepts the file; for
/// an option of other commands, these commands; for a missing solution, the command that makes one.
pub fn with_corrected_tip(error: clap::Error, grammar: &clap::Command) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(found)) => Some(found.clone()),
        Some(ContextValue::Strings(found)) => found.first().cloned(),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => match text(ContextKind::InvalidArg) {
            Some(found) if found.starts_with("--") => with_tip(error, tip_for_option(&found, grammar), true),
            _ => error,
        },
        ErrorKind::InvalidSubcommand => {
            let tip = text(ContextKind::InvalidSubcommand).and_then(|found| tip_for_path(Path::new(&found)));
            let is_path = tip.is_some();
            with_tip(error, tip, is_path)
        }
        ErrorKind::MissingRequiredArgument if text(ContextKind::InvalidArg).as_deref() == Some("<SOLUTION>") => {
            let tip = "`gridhunt solve BOARD --json -q -o solution.json` makes a solution; - is standard input";
            with_tip(error, Some(tip.to_owned()), false)
        }
        _ => error,
    }
}

/// Replaces the tip of an error. Without a `tip`, removes the tip of clap if it `is_wrong`.
fn with_tip(mut error: clap::Error, tip: Option<String>, is_wrong: bool) -> clap::Error {
    if is_wrong {
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Names the commands that have an option. The tip of clap, to pass the option as a value after `--`, is always wrong.
fn tip_for_option(found: &str, grammar: &clap::Command) -> Option<String> {
    let name = found.trim_start_matches('-');
    let has = |command: &&clap::Command| command.get_arguments().any(|option| option.get_long() == Some(name));
    let known: Vec<_> = grammar.get_subcommands().filter(has).map(clap::Command::get_name).collect();
    match known[..] {
        [] => None,
        _ if known.contains(&"solve") => {
            Some(format!("`gridhunt solve` has --{name}; a hunt takes it from its configuration, and a run keeps it"))
        }
        ["hunt", ..] => {
            Some(format!("`gridhunt hunt CONFIG` has --{name}: a hunt over boards that a configuration names"))
        }
        _ => Some(format!("--{name} is an option of `gridhunt {}` alone", known.join("` and `gridhunt "))),
    }
}

/// Names the command for a path, if the kind of the path is known.
fn tip_for_path(path: &Path) -> Option<String> {
    match PathKind::with_boards(path) {
        PathKind::Nothing => None,
        kind => Some(format!("{} is {}: {}", path.display(), kind.name(), advice(path, kind))),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::args::Cli;

    #[test]
    fn an_option_of_another_command_is_told_so() {
        let error = |arguments: &[&str]| Cli::read(arguments).unwrap_err().to_string();
        let other = error(&["gridhunt", "resume", "run", "--engine", "ida"]);
        assert!(other.contains("tip: `gridhunt solve` has --engine; a hunt takes it"), "{other}");
        let unknown = error(&["gridhunt", "status", "run", "--wrong"]);
        assert!(unknown.contains("'--wrong'") && !unknown.contains("tip:"), "{unknown}");
        let two = error(&["gridhunt", "status", "run", "--csv"]);
        assert!(two.contains("tip: --csv is an option of `gridhunt results` and `gridhunt bounds` alone"), "{two}");
        let near = error(&["gridhunt", "resume", "run", "--spil", "a"]);
        assert!(near.contains("tip: a similar argument exists: '--spill'"), "{near}");
    }
}
