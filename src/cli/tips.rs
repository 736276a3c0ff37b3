//! Tips in messages about the command line.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Mends the tip for an option that a command does not know: the option is no value. If `solve` knows the option, the
/// tip says so.
pub fn with_true_tip(mut error: clap::Error, grammar: &clap::Command) -> clap::Error {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument || !found.starts_with("--") {
        return error;
    }
    let name = found.trim_start_matches('-').to_owned();
    let known = grammar
        .find_subcommand("solve")
        .is_some_and(|solve| solve.get_arguments().any(|option| option.get_long() == Some(&name)));
    error.remove(ContextKind::Suggested);
    if known {
        let tip = format!("`gridhunt solve` has --{name}, and a run keeps it; this command does not have it");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use crate::cli::args::Cli;

    #[test]
    fn an_option_of_another_command_is_told_so() {
        let error = |arguments: &[&str]| Cli::read(arguments).unwrap_err().to_string();
        let other = error(&["gridhunt", "resume", "run", "--engine", "ida"]);
        assert!(other.contains("tip: `gridhunt solve` has --engine, and a run keeps it"), "{other}");
        let unknown = error(&["gridhunt", "status", "run", "--wrong"]);
        assert!(unknown.contains("'--wrong'") && !unknown.contains("tip:"), "{unknown}");
        let near = error(&["gridhunt", "resume", "run", "--spil", "a"]);
        assert!(near.contains("tip: a similar argument exists: '--spill'"), "{near}");
    }
}
