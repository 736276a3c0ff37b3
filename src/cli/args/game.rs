//! The arguments that select a puzzle, its rules and its objective.

use clap::{Arg, ArgMatches, Args, FromArgMatches};
use gridhunt::hunt::{Config, PuzzleOptions, choice_parser};
use gridhunt::puzzles::{OptionValues, PuzzleOption, options};

/// The puzzle, its rules and its objective.
#[derive(Debug, Args)]
pub struct GameFlags {
    #[command(flatten)]
    pub puzzle: PuzzleOptions,
    #[command(flatten)]
    pub options: AllOptions,
}

impl GameFlags {
    pub fn apply_to(&self, config: &mut Config) {
        self.puzzle.apply_to(config);
        self.options.apply_to(config);
    }

    pub fn config(&self) -> Config {
        let mut config = Config::default();
        self.apply_to(&mut config);
        config
    }
}

/// The options that belong to one puzzle each.
pub type AllOptions = OptionFlags<false>;

/// The options that are rules of play of one puzzle.
pub type RuleOptions = OptionFlags<true>;

/// Values of the options in the tables of the puzzles: of all options, or only of the rules of play.
#[derive(Clone, Debug, Default)]
pub struct OptionFlags<const RULES_ONLY: bool>(pub OptionValues);

impl<const RULES_ONLY: bool> OptionFlags<RULES_ONLY> {
    pub fn apply_to(&self, config: &mut Config) {
        self.0.apply_to(&mut config.options);
    }

    fn of_puzzles() -> impl Iterator<Item = (&'static str, &'static PuzzleOption)> {
        let all = options().map(|(puzzle, option)| (puzzle.info().title, option));
        all.filter(|(_, option)| option.is_rule || !RULES_ONLY)
    }
}

impl<const RULES_ONLY: bool> FromArgMatches for OptionFlags<RULES_ONLY> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (_, option) in Self::of_puzzles() {
            if let Some(text) = matches.get_one::<String>(option.name) {
                // The parser of the flag has checked the text.
                let _ = self.0.set(option, text);
            }
        }
        Ok(())
    }
}

impl<const RULES_ONLY: bool> Args for OptionFlags<RULES_ONLY> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let flag = |(title, option): (&'static str, &'static PuzzleOption)| {
            let check = move |text: &str| (option.check)(text).map(|()| text.to_owned()).map_err(InvalidValue);
            let flag = Arg::new(option.name).long(option.name).value_name(option.value_name).help(option.help);
            let flag = flag.help_heading(title).allow_hyphen_values(option.value_name == "RULE");
            match option.values {
                [] => flag.value_parser(check),
                values => flag.value_parser(choice_parser(values.iter().copied(), check)),
            }
        };
        command.args(Self::of_puzzles().map(flag))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Why an option refuses a value.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct InvalidValue(String);
