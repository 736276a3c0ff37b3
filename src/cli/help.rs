//! The text behind the options in `--help`: examples and exit codes.

use super::exit::Exit;

pub fn overview() -> String {
    let examples = "\
Examples:
  gridhunt solve board.txt                          prove the optimum, on all cores
  gridhunt solve many.txt --boards 1-100 --json     one JSON object a board
  gridhunt solve board.txt --run runs/big           kept on disk; `gridhunt resume runs/big` goes on after any end
  gridhunt generate --rows 21 --colours 6 --seed 7 | gridhunt solve -
  gridhunt solve board.txt --json > solution.json && gridhunt verify board.txt solution.json
";
    format!("{examples}\n{}", Exit::table())
}

pub fn solve_help() -> String {
    let examples = "\
Examples:
  gridhunt solve board.txt --time-limit 10m --memory 4GiB
  gridhunt solve board.txt --engine beam --beam-width 10000
  gridhunt solve a.csv b.json --bound elimination+release --threads 2
  gridhunt solve thousand.txt --boards 1-100,205 --parallel search --json
  gridhunt solve board.txt --config quick --threads 1     (flags override the configuration)
  gridhunt solve board.txt --run runs/big --memory 8GiB --spill /fast --disk 200GiB

Results go to standard output, everything else to standard error.
";
    format!("{examples}\n{}", Exit::table())
}

pub fn hunt_help() -> String {
    let examples = "\
Examples:
  gridhunt hunt hundred --run runs/hundred
  gridhunt resume runs/hundred --threads 8 --memory 16GiB --time-limit 1h
  gridhunt status runs/hundred
  gridhunt hunt hundred --run runs/hundred --part 2/8     one task of a job array; `status` shows all parts together
  gridhunt stop runs/hundred

Time, memory and expansions limit each session anew. A signal (Ctrl-C, TERM, HUP, USR1, XCPU) ends it with a checkpoint.
";
    format!("{examples}\n{}", Exit::table())
}

pub fn stop_help() -> String {
    let examples = "\
Examples:
  gridhunt stop runs/hundred
  gridhunt stop runs/hundred --wait && gridhunt resume runs/hundred --threads 8

The process that searches ends as after an interruption: with a last checkpoint, its results so far, and exit code 130. It
looks for the request twice a second. `stop` ends with code 0 where nothing runs, too.
";
    format!("{examples}\n{}", Exit::table())
}

pub fn bounds_help() -> String {
    let examples = "\
Examples:
  gridhunt bounds                                             list the lower bounds
  gridhunt bounds boards.txt                                  compare them all on these boards
  gridhunt bounds boards.txt --bound elimination --bound elimination+pairs --plots plots
  gridhunt bounds boards.txt --csv --output bounds.csv --time-limit 10m
  gridhunt generate --rows 5 --colours 4 --count 50 | gridhunt bounds - --exhaustive 1000000

Each board is solved first; then each bound has to prove the solution, and is held against the truth: at every state of a
small board, on the way of the solution of a larger one. Boards and bounds are taken one by one, for the sake of the times.
";
    let table = Exit::table();
    format!("{examples}\n{table}")
}
