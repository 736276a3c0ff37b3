//! The grammar of the command line, with help and completions.

use super::Cli;
use super::error_tips::with_corrected_tip;
use super::help::with_short_help;
use super::value_completers::with_completers;
use clap::{Arg, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// The names of values that are numbers, amounts or times.
const AMOUNT_VALUE_NAMES: [&str; 5] = ["N", "SIZE", "TIME", "STATES", "PERCENT"];

/// The grammar of the command line. A number, an amount or a time may begin with a hyphen, so that its own parser
/// refuses it, with a message about the value.
pub fn grammar() -> clap::Command {
    fn with_hyphens(command: clap::Command) -> clap::Command {
        let is_amount = |arg: &Arg| {
            arg.get_value_names()
                .is_some_and(|names| names.iter().all(|name| AMOUNT_VALUE_NAMES.contains(&name.as_str())))
        };
        let allow = move |arg: Arg| if is_amount(&arg) { arg.allow_hyphen_values(true) } else { arg };
        command.mut_args(allow).mut_subcommands(with_hyphens)
    }
    with_completers(with_short_help(with_hyphens(Cli::command())))
}

impl Cli {
    /// Reads the arguments of the program.
    ///
    /// # Errors
    /// When they do not fit the grammar, or ask for help or for the version.
    pub fn read<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> Result<Self, clap::Error> {
        let mut matches =
            grammar().try_get_matches_from(arguments).map_err(|error| with_corrected_tip(error, &grammar()))?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options without which nothing happens, so that there is no default to name.
    const WITHOUT: &str = "size empty json_layout from run progress certify board output step frames bunny boards \
                           colours file_colours start spill dataset help version config configs";

    #[test]
    fn help_says_the_default_of_every_option() {
        let mut grammar = grammar();
        grammar.build();
        for command in grammar.get_subcommands() {
            let options = command.get_arguments().filter(|arg| !arg.is_positional() && arg.get_action().takes_values());
            for option in options.filter(|option| !WITHOUT.split(' ').any(|id| option.get_id().as_str() == id)) {
                let help = option.get_help().map(ToString::to_string).unwrap_or_default();
                let is_shown = !option.get_default_values().is_empty() && !option.is_hide_default_value_set();
                assert!(is_shown || help.contains("[default: "), "{} {option}: {help}", command.get_name());
            }
        }
    }

    /// No command lists options under one of these headings that `solve` does not list there: no heading runs on.
    #[test]
    fn headings_hold_what_belongs_there() {
        let grammar = grammar();
        let solve = grammar.find_subcommand("solve").expect("a command");
        let under = |command: &clap::Command, heading: &str| {
            let arguments = command.get_arguments().filter(|arg| arg.get_help_heading() == Some(heading));
            arguments.map(|arg| arg.get_id().to_string()).collect::<Vec<_>>()
        };
        for heading in ["Clickomania", "Reading boards"] {
            let known = under(solve, heading);
            for command in grammar.get_subcommands() {
                let strange: Vec<_> = under(command, heading).into_iter().filter(|id| !known.contains(id)).collect();
                assert_eq!(strange, [""; 0], "{}: {heading}", command.get_name());
            }
        }
    }
}
