//! The texts of `--help`, with all options, examples and exit codes, and of `-h`, without advanced options.
//!
//! Most commands of examples have at most 80 columns: clap breaks longer lines in a narrow terminal.

use crate::cli::output::exit::Exit;
use clap::Arg;
use gridhunt::puzzles::PuzzleId;
use gridhunt_search::engine::PARAMETERS;

/// Gives each command its short help.
pub fn with_short_help(command: clap::Command) -> clap::Command {
    let shorten = |command: clap::Command| {
        let hide = |arg: Arg| if is_advanced(&arg) { arg.hide_short_help(true) } else { arg };
        let command = command.mut_args(hide);
        let more = match command.get_arguments().any(Arg::is_hide_short_help_set) {
            true => "All options, with examples",
            false => "Examples",
        };
        let name = command.get_name().to_owned();
        command.after_help(format!("{more}: gridhunt {name} --help"))
    };
    command.mut_subcommands(shorten)
}

/// Options that the short help of every command leaves out.
const ADVANCED_OPTIONS: [&str; 8] =
    ["exhaustive", "expansions", "parallel", "origin", "after", "progress", "strict", "reference"];

/// Whether the short help leaves out an option.
fn is_advanced(arg: &Arg) -> bool {
    let name = arg.get_id().as_str();
    let is_in_advanced_part = match arg.get_help_heading() {
        Some("Reading boards") => name != "format",
        Some(heading) if PuzzleId::all().any(|puzzle| puzzle.info().title == heading) => name != "objective",
        Some("Keeping") => name != "run",
        _ => false,
    };
    is_in_advanced_part || ADVANCED_OPTIONS.contains(&name) || PARAMETERS.iter().any(|parameter| parameter.name == name)
}

/// Adds the exit codes after the examples.
pub fn with_exit_codes(examples: &str) -> String {
    format!("{examples}\n{}", Exit::table())
}

pub const OVERVIEW: &str = "\
Examples:
  gridhunt solve board.txt
      prove the optimum, on all cores
  gridhunt solve many.txt --boards 1-100 --json
      one JSON object per board
  gridhunt solve board.txt --run runs/big
      kept on disk; `gridhunt resume runs/big` continues the search
  gridhunt generate --rows 21 --colours 6 --seed 7 | gridhunt solve -
  gridhunt solve board.txt --json > a.json && gridhunt verify board.txt a.json
";

pub const SOLVE: &str = "\
Examples:
  gridhunt solve board.txt --time-limit 10m --memory 4GiB
  gridhunt solve board.txt --engine beam --beam-width 10000
  gridhunt solve a.csv b.json --bound layers --threads 2
  gridhunt solve thousand.txt --boards 1-100,205 --parallel search --json
  gridhunt solve board.txt --config quick --threads 1
      flags override the configuration
  gridhunt solve board.txt --run runs/big --spill /fast --disk 200GiB

Results go to standard output, everything else to standard error.
";

pub const HUNT: &str = "\
Examples:
  gridhunt hunt hundred --run runs/hundred
  gridhunt hunt hundred --run runs/first --boards 1-50
      some of the boards, for one task of a job array; `status runs` shows all runs, `results` joins them
  gridhunt status runs/hundred
  gridhunt stop runs/hundred

The first signal (Ctrl-C, TERM, HUP, USR1, XCPU) ends the session with a checkpoint.
";

pub const RESUME: &str = "\
Examples:
  gridhunt resume runs/hundred --threads 8 --memory 16GiB --time-limit 1h

Options that are not given are those of the run. Limits of time, memory and expansions apply to each session.
";

pub const RESULTS: &str = "\
Examples:
  gridhunt results runs/hundred
  gridhunt results runs/hundred -o hundred.csv
  gridhunt results runs/first runs/second --json

A board that is still being searched has the result of its last session, with its proven range.
";

pub const STOP: &str = "\
Examples:
  gridhunt stop runs/hundred
  gridhunt stop runs/hundred --wait && gridhunt resume runs/hundred

The search ends as after Ctrl-C, with a last checkpoint, its results so far,
and exit code 130.
It checks for the request twice per second.
`stop` also ends with code 0 if nothing runs.
";

pub const BOUNDS: &str = "\
Examples:
  gridhunt bounds
      list the lower bounds
  gridhunt bounds boards.txt
      compare them all on these boards
  gridhunt bounds boards.txt --bound layers --bound elimination
  gridhunt bounds boards.txt --output bounds.csv --time-limit 10m
  gridhunt bounds boards.txt --markdown --quiet
  gridhunt generate --rows 5 --colours 4 --count 50 | gridhunt bounds -

Each board is solved first. Then each bound has to prove the solution.
Its values are compared with true costs: at every state of a small board,
along the solution of a larger one.
Boards and bounds are taken one by one, so that their times can be compared.
";

pub const STATUS: &str = "\
Examples:
  gridhunt status runs/hundred
  gridhunt status runs/hundred --json
  gridhunt status runs/hundred --check
";

pub const SERVE: &str = "\
The printed address contains a token: only people who know it can see the page. From another machine, use a tunnel, such as
`ssh -L 8344:localhost:8344 HOST`.

Examples:
  gridhunt serve runs/hundred
  gridhunt serve runs --allow-control --config hundred
";

pub const PLAY: &str = "\
Examples:
  gridhunt play
  gridhunt play 14x14-6c-01.txt
  gridhunt play board.txt --terminal
  gridhunt play 12x12-5c-01.txt --objective clicks
  gridhunt play --domain bunny
  gridhunt play 'p=flood-it&b=2x2c2s0.0110&m=2.1&best=2'
";

pub const REPORT: &str = "\
Examples:
  gridhunt report runs/hundred -o hundred.html
  gridhunt report results.jsonl -o results.html --title 'Twenty boards'
";

pub const WATCH: &str = "\
Examples:
  gridhunt watch runs/hundred
  gridhunt watch runs/hundred --once
";

pub const VERIFY: &str = "\
Examples:
  gridhunt solve board.txt --json > a.json && gridhunt verify board.txt a.json
  gridhunt verify many.txt solutions.txt --boards 1-100 --quiet
";

pub const CERTIFY: &str = "\
Examples:
  gridhunt certify board.txt -o board.cert && gridhunt check board.cert --board board.txt
  gridhunt certify many.txt --boards 1-100 -o certificates --time-limit 1m
  gridhunt certify board.txt --veripb -o board
  gridhunt certify board.txt --domain clickomania --objective left -o board.cert
";

pub const CHECK: &str = "\
Examples:
  gridhunt check board.cert
  gridhunt check board.cert --board board.txt
";

pub const EXPORT: &str = "\
Examples:
  gridhunt export board.txt -o planning
  gridhunt generate --rows 7 --colours 4 --count 20 | gridhunt export - -o planning
";

pub const GENERATE: &str = "\
Examples:
  gridhunt generate --rows 14 --colours 6 --seed 7 --output board.txt
  gridhunt generate --rows 8 --cols 12 --kind clearable --count 10
  gridhunt generate --rows 20 --kind spiral
";

pub const RENDER: &str = "\
Examples:
  gridhunt render board.txt
  gridhunt render board.txt solution.json --frames 5
  gridhunt render board.txt solution.json --svg --output board.svg
";

pub const ENGINES: &str = "\
Examples:
  gridhunt engines
  gridhunt engines --json
";

pub const SCHEMA: &str = "\
Examples:
  gridhunt schema result
      the schema of a line of `solve --json`
  gridhunt schema > gridhunt.schema.json

The number at the end of `$id` rises whenever a schema changes.
";

pub const COMPLETIONS: &str = "\
Examples:
  gridhunt completions bash > gridhunt.bash
      put it at ~/.local/share/bash-completion/completions/gridhunt
  gridhunt completions zsh > _gridhunt
      put it into a folder of $fpath
  gridhunt completions fish > gridhunt.fish
      put it into ~/.config/fish/completions

The script asks the `gridhunt` in $PATH for its options.
";

#[cfg(feature = "man")]
pub const MAN: &str = "\
Examples:
  gridhunt man share/man/man1
      `man -M share/man gridhunt-solve` then shows a page
";
