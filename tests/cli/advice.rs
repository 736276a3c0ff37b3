//! What stands in a wrong place is named, with the command that takes it.

use super::boards::SMALL;
use super::{Folder, gridhunt};
use predicates::str::contains;

#[test]
fn errors_say_the_next_command() {
    let folder = Folder::new(&[
        ("b.txt", SMALL),
        ("bunny.txt", "S#\n##\n"),
        ("hunt.toml", "dataset = 'b.txt'\n"),
        ("set.toml", "engine = 'ida'\n"),
        ("moves.json", r#"{"board":"b.txt","moves":["1","2"]}"#),
    ]);
    let inside = |args: &[&str]| {
        let mut command = gridhunt(args);
        command.current_dir(folder.dir());
        command
    };
    inside(&["solve", "b.txt", "-q", "--run", "runs/a"]).assert().success();
    inside(&["solve", "b.txt", "-q", "--json", "-o", "results.json"]).assert().success();
    let kept = "b.txt: found a board, expected a run directory; gridhunt solve b.txt --run DIR searches it";
    let runs = "runs: found a directory of run directories, expected a run directory; gridhunt status runs lists them";
    for (args, code, expected) in [
        // Boards
        ("solve b.txt --objective clicks", 2, "expected the domain clickomania; add --domain clickomania"),
        ("solve runs/a", 3, "expected a board; gridhunt resume runs/a goes on with it, gridhunt results"),
        ("solve runs", 3, "found a directory of run directories, expected a board; gridhunt status runs lists them"),
        ("solve b.txt results.json --strict", 3, "expected a board; gridhunt verify b.txt results.json replays"),
        ("solve moves.json", 3, "found a solution, expected a board; gridhunt verify BOARD moves.json replays"),
        ("solve hunt.toml", 3, "found a configuration, expected a board; gridhunt hunt hunt.toml --run DIR"),
        ("solve set.toml", 3, "found a configuration, expected a board; gridhunt solve BOARD --config set.toml"),
        ("solve hundred", 3, "found a configuration, expected a board; gridhunt hunt hundred --run DIR"),
        ("solve 14x14-6c-0.txt", 3, "did you mean the data set 14x14-6c-01.txt?"),
        ("solve b.tx", 3, "did you mean b.txt?"),
        ("solve b.txt --from runs/a", 3, "expected a solution; gridhunt results runs/a -o solutions.jsonl writes"),
        ("solve b.txt --config b.txt", 3, "found a board, expected a configuration"),
        ("solve b.txt --run runs", 3, "found a directory of run directories, expected a folder that is empty"),
        ("bounds bunny.txt --domain bunny", 2, "flood-it, clickomania, free-flood; gridhunt bounds lists the lower"),
        ("play --terminal --domain bunny", 2, "without --terminal a page in the browser plays it"),
        ("play results.json", 3, "found results, expected a board"),
        // Solutions
        ("verify b.txt", 2, "tip: `gridhunt solve BOARD --json -q -o solution.json` makes a solution"),
        ("verify results.json b.txt", 3, "expected a board; gridhunt verify b.txt results.json replays"),
        ("certify b.txt --from runs/a -o c", 3, "gridhunt results runs/a -o solutions.jsonl writes its solutions"),
        ("verify b.txt runs/a", 3, "expected a solution; gridhunt results runs/a -o solutions.jsonl writes"),
        ("verify b.txt moves.jsn", 3, "found nothing, expected a solution; did you mean moves.json?"),
        ("render runs/a", 3, "found a run directory, expected a board; gridhunt results runs/a -o"),
        ("render results.json", 3, "found results, expected a board; gridhunt render BOARD results.json draws"),
        // Hunts and runs
        ("hunt b.txt", 3, "b.txt: found a board, expected a configuration; gridhunt solve b.txt --run DIR"),
        ("hunt hundred", 3, "a hunt keeps its search there; gridhunt hunt hundred --run runs/hundred"),
        ("hunt set.toml", 3, "found no dataset, expected one for a hunt; gridhunt solve BOARD --config set.toml"),
        ("resume b.txt", 3, kept),
        ("resume runs", 3, runs),
        ("resume runs/a/run.toml", 3, "expected a run directory; it belongs to the run directory runs/a"),
        ("resume run", 3, "found nothing, expected a run directory; did you mean runs?"),
        ("stop runs", 3, runs),
        ("results runs", 3, runs),
        ("results results.json", 3, "found results, expected a run directory; gridhunt verify BOARD results.json"),
        ("results b.txt", 3, "found a board, expected a run directory; gridhunt solve b.txt"),
        ("watch results.json", 3, "gridhunt report results.json -o results.html makes a page"),
        ("watch b.txt --once", 3, "b.txt: found a board, expected a run directory"),
        ("serve b.txt", 3, "b.txt: found a board, expected a run directory"),
        ("report b.txt", 3, "b.txt: found a board, expected a run directory"),
        // No command at all
        ("b.txt", 2, "tip: b.txt is a board: gridhunt solve b.txt"),
        ("runs/a", 2, "tip: runs/a is a run directory: gridhunt resume runs/a"),
        ("hunt.toml", 2, "tip: hunt.toml is a configuration: gridhunt hunt hunt.toml --run DIR"),
        ("slove", 2, "similar subcommands exist: 'serve', 'solve'"),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        inside(&args).assert().code(code).stdout("").stderr(contains(expected));
    }
}
