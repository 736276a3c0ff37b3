//! The arguments of the command line. Other modules act on them.

pub(super) mod certificate;
pub(super) mod error_tips;
pub(super) mod export;
pub(super) mod game;
pub(super) mod grammar;
pub(super) mod help;
pub(super) mod output_flags;
pub(super) mod output_form;
pub(super) mod path_check;
pub(super) mod reading;
pub(super) mod run;
pub(super) mod solution;
pub(super) mod value_completers;

pub use certificate::{Certify, Check};
use clap::builder::{ArgPredicate, ValueParser};
use clap::{Arg, ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};
pub use export::Export;
pub use game::GameFlags;
use game::RuleOptions;
use gridhunt::hunt::{
    ByteCount, EngineOptions, OptionValue, PuzzleOptions, ResourceOptions, RunOptions, Selection, SelectionOptions,
    StorageOptions, ThreadCount, TimeSpan, choice_parser,
};
use gridhunt::puzzles::{BoundName, PuzzleId};
use gridhunt_boards::{Format, OptionError, Start, whole_number_parser};
use gridhunt_search::engine::{PARAMETERS, Parameter, Parameters};
pub use output_flags::OutputFlags;
use reading::{ReadingFlags, colour_count};
use run::{Play, Report, RunResults, Serve, Status, Stop, Watch};
use solution::{KnownSolutionFlags, NotationFlags, at_least, to_usize};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// Hunts for provably optimal solutions on huge puzzle boards.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_long_help = help::with_exit_codes(help::OVERVIEW))]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search boards for optimal solutions
    Solve(Box<Solve>),
    /// Search the boards that a configuration names, and keep the run in a directory
    Hunt(Box<Hunt>),
    /// Continue a run from its last checkpoint
    Resume(Box<Resume>),
    /// Show how far a run is
    #[command(after_long_help = help::STATUS)]
    Status(Status),
    /// End the search of a run, on any host, with a last checkpoint
    Stop(Stop),
    /// Write the results of a run, running or finished
    Results(RunResults),
    /// Show runs on the whole screen, running or finished
    Watch(Watch),
    /// Show runs in a browser, running or finished
    #[command(after_long_help = help::SERVE)]
    Serve(Serve),
    /// Play a board, with the exact optimum at every position: in a browser, or in the terminal
    Play(Box<Play>),
    /// Write a page about runs or results: one file that needs no network
    Report(Report),
    /// Check solutions: replay them by the plain rules of the puzzle
    Verify(Verify),
    /// Make certificates of boards: evidence for optima and lower bounds that others can check
    Certify(Box<Certify>),
    /// Check a certificate, by code independent of the search
    Check(Box<Check>),
    /// Write boards in the language of other programs: PDDL, for planners
    Export(Box<Export>),
    /// Make random boards from a seed
    Generate(Generate),
    /// Draw a board, or a solution step by step
    Render(Render),
    /// List the engines
    Engines(Engines),
    /// List the lower bounds, or compare them on boards
    Bounds(Box<Bounds>),
    /// Print JSON schemas of all outputs, or of one
    Schema(Schema),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages into a folder
    #[cfg(feature = "man")]
    Man(Man),
}

#[derive(Debug, Args)]
#[command(after_long_help = help::with_exit_codes(help::SOLVE))]
pub struct Solve {
    /// Board files; - is standard input
    #[arg(required = true, value_name = "BOARD")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: SelectionOptions,
    #[command(flatten)]
    pub reading: ReadingFlags,
    #[command(flatten)]
    pub search: SearchFlags,
    #[command(flatten)]
    pub known: KnownSolutionFlags,
    /// Count all optimal solutions, and list them in the order of their moves
    #[arg(long, conflicts_with = "run", hide_short_help = true, help_heading = "Search")]
    pub all: bool,
    /// With --all: list the first N
    #[arg(long, value_name = "N", requires = "all", default_value_t = 1000, value_parser = at_least(0, "10"))]
    #[arg(hide_short_help = true, help_heading = "Search")]
    pub most: usize,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub session: SessionFlags,
    /// Write rows of progress to a file, in the format of progress.jsonl in a run directory
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub progress: Option<PathBuf>,
    /// Show the search on the whole screen, as gridhunt watch does
    #[arg(long, conflicts_with_all = ["quiet", "log"], help_heading = "Output")]
    pub watch: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::with_exit_codes(help::HUNT))]
pub struct Hunt {
    /// A configuration that names a dataset: a path, or a name: hundred, or one of your own
    pub config: String,
    /// The run directory, instead of the one that the configuration names
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    #[command(flatten)]
    pub selection: SelectionOptions,
    #[command(flatten)]
    pub resources: ResourceOptions,
    #[command(flatten)]
    pub session: SessionFlags,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::with_exit_codes(help::RESUME))]
pub struct Resume {
    /// The run directory
    pub run: PathBuf,
    #[command(flatten)]
    pub resources: ResourceOptions,
    #[command(flatten)]
    pub session: SessionFlags,
}

/// The storage and the output of a session.
#[derive(Debug, Args)]
pub struct SessionFlags {
    #[command(flatten)]
    pub storage: StorageOptions,
    #[command(flatten)]
    pub output: OutputFlags,
    /// Write the progress as a log of rows, as without a terminal
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    pub log: bool,
    /// Write a certificate of each board into a directory, as soon as the board is done: see gridhunt check
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = "Output")]
    pub certify: Option<PathBuf>,
    /// End at the first board that cannot be read or searched, instead of reporting it and going on
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

/// How boards are searched. Configuration and defaults set the options without a flag.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchFlags {
    /// A set of parameters: a path, or a name: anytime, default, quick, or one of your own [default: your own
    /// default.toml, if there is one]
    #[arg(long, value_name = "NAME")]
    pub config: Option<String>,
    #[command(flatten)]
    pub game: GameFlags,
    #[command(flatten, next_help_heading = "Search")]
    pub engine: EngineOptions,
    #[command(flatten)]
    pub resources: ResourceOptions,
    #[command(flatten)]
    pub parameters: ParameterFlags,
}

/// The names of the formats in which boards can be written.
fn written_formats() -> Vec<&'static str> {
    Format::ALL.into_iter().filter(|format| format.is_writable()).map(Format::name).collect()
}

/// Parses the name of a format in which boards can be written.
fn written_format(text: &str) -> Result<Format, OptionError> {
    let format = text.parse().ok().filter(|format: &Format| format.is_writable());
    format.ok_or_else(|| OptionError::unknown(text, &written_formats()))
}

/// The flags of engine parameters.
#[derive(Debug, Default)]
pub struct ParameterFlags(pub Vec<(Parameter, usize)>);

impl FromArgMatches for ParameterFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let flag_value = |parameter: &Parameter| Some((*parameter, *matches.get_one(parameter.name)?));
        self.0.extend(PARAMETERS.iter().filter_map(flag_value));
        Ok(())
    }
}

impl Args for ParameterFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let flag = |parameter: &Parameter| {
            let values = ValueParser::new(at_least(parameter.min as u64, "100"));
            let default = *(parameter.field)(&mut Parameters::default());
            let help = format!("{} [default: {default}]", parameter.help);
            Arg::new(parameter.name).long(parameter.name).value_name("N").help(help).value_parser(values)
        };
        command.args(PARAMETERS.iter().map(flag))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = help::VERIFY)]
pub struct Verify {
    /// The board file
    pub board: PathBuf,
    /// The solution file; - is standard input
    pub solution: PathBuf,
    /// The file has one solution, which has to solve every board; one verdict
    #[arg(long)]
    pub together: bool,
    /// Only these boards of the file, as in 1-100,205; the solutions belong to them, in the same order
    #[arg(long, value_name = "NUMBERS")]
    pub boards: Option<Selection>,
    /// Do not print valid solutions; with --json: no notes
    #[arg(short, long)]
    pub quiet: bool,
    /// One JSON object per solution
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub notation: NotationFlags,
    #[command(flatten)]
    pub game: GameFlags,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::GENERATE)]
pub struct Generate {
    /// Rows of each board
    #[arg(long, default_value = "14", value_name = "N", value_parser = positive("14"))]
    pub rows: NonZeroUsize,
    /// Columns of each board [default: as many as rows]
    #[arg(long, value_name = "N", value_parser = positive("14"))]
    pub cols: Option<NonZeroUsize>,
    /// Colours of each board, 1 to 255
    #[arg(long, alias = "colors", default_value = "6", value_name = "N", value_parser = colour_count(to_usize))]
    pub colours: usize,
    /// How many boards
    #[arg(long, default_value = "1", value_name = "N", value_parser = positive("100"))]
    pub count: NonZeroUsize,
    /// The puzzle that the first line names [default: that of --kind, otherwise none]
    #[arg(long, value_name = "DOMAIN", value_parser = <PuzzleId as OptionValue>::parser())]
    pub domain: Option<PuzzleId>,
    /// The kind of boards [default: random cells, or else the first kind of --domain]
    #[arg(long, value_name = "KIND")]
    #[arg(default_value_if("clearable", ArgPredicate::IsPresent, Some("clearable")))]
    #[arg(value_parser = choice_parser(PuzzleId::kinds().map(|(_, kind)| kind), PuzzleId::of_kind))]
    pub kind: Option<(PuzzleId, &'static str)>,
    /// Short for --kind clearable
    #[arg(long, hide = true, conflicts_with = "kind")]
    pub clearable: bool,
    /// Percentage of squares that exist, for kinds of boards with missing squares
    #[arg(long, value_name = "PERCENT", default_value = "75", requires = "kind")]
    #[arg(value_parser = whole_number_parser(0..=100, "75", |n| u32::try_from(n).ok()))]
    pub fill: u32,
    /// The seed; equal seeds make equal boards
    #[arg(long, default_value = "1", value_name = "N", value_parser = whole_number_parser(0..=u64::MAX, "7", Some))]
    pub seed: u64,
    /// Start cell: a corner such as top-left, centre, or ROW,COLUMN from 1
    #[arg(long, default_value = "top-left", value_name = "CELL")]
    pub start: Start,
    /// Format of the boards [default: that of the puzzle; text for one, lines for many, json with more than 35 colours]
    #[arg(long, value_parser = choice_parser(written_formats(), written_format))]
    pub format: Option<Format>,
    /// Leave out the first line, which describes the file for other commands
    #[arg(long)]
    pub no_head: bool,
    /// Write to a file instead of standard output. The ending selects the format: .csv, .json, .lines, .txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleOptions,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::RENDER)]
pub struct Render {
    /// The board file; - is standard input
    pub board: PathBuf,
    /// A solution file: draw the board before and after every move
    pub solution: Option<PathBuf>,
    #[command(flatten)]
    pub notation: NotationFlags,
    /// Only these boards of the file, as in 1-3
    #[arg(long, value_name = "NUMBERS")]
    pub boards: Option<Selection>,
    #[command(flatten)]
    pub puzzle: PuzzleOptions,
    /// Only the board after this many moves
    #[arg(long, value_name = "N", requires = "solution", value_parser = at_least(0, "3"))]
    pub step: Option<usize>,
    /// At most this many frames, evenly spread, the first and the last among them
    #[arg(long, value_name = "N", requires = "solution", conflicts_with = "step", value_parser = positive("5"))]
    pub frames: Option<NonZeroUsize>,
    /// Draw one board as an SVG picture, animated if SOLUTION is given. The ending .svg of --output has the same effect
    #[arg(long, conflicts_with_all = ["gif", "color"])]
    pub svg: bool,
    /// Draw one board as a GIF picture, animated if SOLUTION is given. The ending .gif of --output has the same effect
    #[arg(long, conflicts_with = "color")]
    pub gif: bool,
    /// Write the symbol of each colour into the cells of a picture
    #[arg(long)]
    pub symbols: bool,
    /// Write to this file instead of standard output: .svg, .gif or .txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Colour the cells: on a terminal, always, or never
    #[arg(long, alias = "colour", value_enum, default_value = "auto")]
    pub color: ColourChoice,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

/// When to colour the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::ENGINES)]
pub struct Engines {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::with_exit_codes(help::BOUNDS))]
pub struct Bounds {
    /// Board files on which the bounds are compared; - is standard input. Without any: list them
    #[arg(value_name = "BOARD")]
    pub files: Vec<PathBuf>,
    /// List them
    #[arg(long, conflicts_with = "files")]
    pub list: bool,
    /// Only these boards of each file, as in 1-100,205
    #[arg(long, value_name = "NUMBERS", requires = "files")]
    pub boards: Option<Selection>,
    #[command(flatten)]
    pub reading: ReadingFlags,
    #[command(flatten)]
    pub comparison: ComparisonFlags,
    /// One line of CSV for each bound on each board, under a line of names
    #[arg(long, conflicts_with = "json", requires = "files", help_heading = "Output")]
    pub csv: bool,
    /// The table in Markdown
    #[arg(long, conflicts_with_all = ["json", "csv"], requires = "files", help_heading = "Output")]
    pub markdown: bool,
    #[command(flatten)]
    pub output: OutputFlags,
}

/// How bounds are compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparing")]
pub struct ComparisonFlags {
    /// A bound to compare; may be given more than once [default: every bound]
    #[arg(long = "bound", value_name = "BOUND", requires = "files")]
    pub bounds: Vec<BoundName>,
    /// The bound with which the boards are solved beforehand [default: the puzzle's best]
    #[arg(long, value_name = "BOUND", help_heading = "Comparing")]
    pub reference: Option<BoundName>,
    /// On boards with at most this many states, compare the bounds with the exact cost of every state
    #[arg(long, value_name = "STATES", default_value_t = 50_000, value_parser = at_least(0, "50000"))]
    pub exhaustive: usize,
    /// Worker threads of each search
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = ThreadCount::from_str)]
    pub threads: ThreadCount,
    /// Memory for each search [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = ByteCount::from_str)]
    pub memory: Option<ByteCount>,
    /// Time for each search
    #[arg(long, value_name = "TIME", value_parser = TimeSpan::from_str, default_value = "1m")]
    pub time_limit: TimeSpan,
    /// States to expand in each search [default: no limit]
    #[arg(long, value_name = "N", value_parser = <u64 as OptionValue>::parser())]
    pub expansions: Option<u64>,
    // Keep this last: an option after it would be listed under the last heading of `GameFlags`.
    #[command(flatten)]
    pub game: GameFlags,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::SCHEMA)]
pub struct Schema {
    /// The output [default: all of them]
    pub output: Option<OutputKind>,
}

/// The outputs that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputKind {
    Result,
    Verify,
    Certify,
    Check,
    Status,
    Stop,
    Trial,
    Engines,
    Bounds,
    #[value(name = "results.jsonl")]
    ResultsFile,
    #[value(name = "events.jsonl")]
    EventsFile,
    #[value(name = "progress.jsonl")]
    ProgressFile,
    Board,
    #[cfg(feature = "serve")]
    Serve,
}

#[derive(Debug, Args)]
#[command(after_long_help = help::COMPLETIONS)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[cfg(feature = "man")]
#[derive(Debug, Args)]
#[command(after_long_help = help::MAN)]
pub struct Man {
    /// The folder; it is made if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Makes a parser of numbers from 1. Errors show `example`.
fn positive(example: &'static str) -> impl Fn(&str) -> Result<NonZeroUsize, OptionError> + Clone + Send + Sync {
    whole_number_parser(1..=u64::MAX, example, |number| to_usize(number).and_then(NonZeroUsize::new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::grammar::grammar;
    use gridhunt::hunt::Config;

    #[test]
    fn help_names_the_configurations_of_the_program() {
        let mut command = grammar();
        let mut help = |name: &str| {
            let command = command.find_subcommand_mut(name).expect("a command");
            command.render_long_help().to_string().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let [solve, hunt] = ["solve", "hunt"].map(&mut help);
        for name in Config::shipped_names() {
            let is_for_hunts = Config::load(name).expect("a configuration").dataset.is_some();
            assert!(if is_for_hunts { &hunt } else { &solve }.contains(name), "{name}");
        }
    }

    #[test]
    fn the_grammar_is_sound() {
        grammar().debug_assert();
    }

    #[test]
    fn a_value_that_begins_with_a_hyphen_is_refused_by_its_own_parser() {
        for (flag, value, expected) in [
            ("--time-limit", "-5s", "found \"-5s\", expected a time such as 30s"),
            ("--memory", "-1GiB", "found \"-1GiB\", expected an amount such as 512MiB"),
            ("--threads", "-2", "found \"-2\", expected a whole number from 1 to 1024, such as 8"),
            ("--expansions", "-1", "found \"-1\", expected a whole number from 0, such as"),
            ("--beam-width", "-1", "found \"-1\", expected a whole number from 1, such as"),
        ] {
            let error = Cli::read(["gridhunt", "solve", "a.txt", flag, value]).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("tip:"), "{flag} {value}: {error}");
        }
    }

    /// The commands of a line of an example, each with its arguments.
    fn commands(line: &str) -> Vec<Vec<String>> {
        let line = line.split("   ").next().unwrap_or(line);
        let line = line.split(';').next().unwrap_or(line);
        let commands = line.split("&&").flat_map(|part| part.split('|'));
        let commands = commands.map(|part| part.split('>').next().unwrap_or(part));
        commands.map(|command| shlex::split(command).expect("words")).collect()
    }

    #[test]
    fn every_example_of_the_help_is_understood() {
        let mut grammar = grammar();
        let mut texts = vec![grammar.render_long_help().to_string()];
        texts.extend(
            grammar
                .get_subcommands_mut()
                .map(|command| command.get_after_long_help().map(ToString::to_string).unwrap_or_default()),
        );
        let mut examples = 0;
        for line in texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("  gridhunt ")) {
            for command in commands(&format!("gridhunt {line}")) {
                let read = Cli::read(&command);
                assert!(read.is_ok(), "{command:?}: {}", read.unwrap_err());
                examples += 1;
            }
        }
        assert!(examples >= 15, "{examples} examples");
    }
}
