//! The first signal ends the search with what is proven, a second one ends the program at once.
#![cfg(unix)]

use super::boards::{SMALL, hard};
use super::{Folder, stdout};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

/// The program. Signals that are ignored where the tests run, as in the background of a script, are not ignored by it.
fn program() -> Command {
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let heard = || {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1] {
                // SAFETY: the default is no function, so none can be called at a bad moment.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            Ok(())
        };
        // SAFETY: `signal` may be called between fork and exec; nothing else happens there.
        unsafe { program.pre_exec(heard) };
    }
    program
}

pub fn start(args: &[&str]) -> Child {
    let mut child = program().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The log begins with its first row: the search is under way, and signals are watched before it begins.
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(" time layer expanded ") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
    child
}

pub fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

pub fn end(child: Child) -> (Option<i32>, String) {
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn an_interrupted_search_says_what_is_proven() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    let user = if cfg!(target_os = "macos") { 158 } else { 138 };
    let of_system = [("-HUP", 129), ("-USR1", user), ("-XCPU", 152)];
    for (signal, code) in [("-INT", 130), ("-QUIT", 131), ("-TERM", 143)].into_iter().chain(of_system) {
        let child = start(&["solve", &path]);
        send(&child, signal);
        let (status, text) = end(child);
        assert_eq!(status, Some(code), "{text}");
        assert!(text.contains("<= optimum") && text.contains("(interrupted)"), "{text}");
    }
}

/// Slurm sends SIGTERM twice, so does a closed terminal SIGHUP, and the system sends SIGXCPU every second: they end
/// nothing at once.
#[test]
fn signals_that_systems_repeat_do_not_end_the_program_at_once() {
    let folder = Folder::new(&[]);
    let board = folder.write("hard.txt", &hard());
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-XCPU", 152)] {
        let run = folder.path(signal);
        let child = start(&["solve", &board, "--run", &run, "--engine", "best-first"]);
        (0..20).for_each(|_| send(&child, signal));
        let (status, text) = end(child);
        assert_eq!(status, Some(code), "{text}");
        assert!(text.contains("(interrupted)"), "{text}");
        super::gridhunt(&["status", &run, "--check"])
            .assert()
            .success()
            .stdout(predicates::str::contains("checkpoint"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_from_the_beginning_stays_ignored() {
    let folder = Folder::new(&[]);
    let board = folder.write("hard.txt", &hard());
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").display().to_string();
    // The shell ignores the signals, so the program begins with that. It ends by its limit.
    let signals = ["HUP", "INT", "QUIT", "TERM", "USR1"];
    let kills: String = signals.map(|signal| format!("kill -{signal} $job; ")).concat();
    let search = format!("{program} solve {board} --expansions 3000 --quiet");
    let script = format!("trap '' {}; {search} & job=$!; {kills} wait $job", signals.join(" "));
    let status = Command::new("sh").args(["-c", &script]).stdout(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(7));
}

/// A file may not grow beyond the limit of the system: an error of writing, not the end of the program.
#[test]
fn the_limit_of_file_sizes_is_an_error_of_writing() {
    let folder = Folder::new(&[]);
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").display().to_string();
    let file = folder.path("many.txt");
    let script = format!("ulimit -f 2; exec {program} generate --count 100 --output {file}");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(74), "{error}");
    assert!(error.contains("cannot write the results"), "{error}");
}

/// Where the system refuses memory long before the limit that was asked for, the search ends with what it has.
#[cfg(target_os = "linux")]
#[test]
fn the_limit_of_address_space_ends_a_search_with_its_range() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.write("hard.txt", &hard()), folder.path("run"));
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").display().to_string();
    for memory in ["--memory 8GiB", ""] {
        let search = format!("{program} solve {board} --engine best-first --threads 2 --quiet {memory}");
        let script = format!("ulimit -v 400000; exec {search} --run {run} --time-limit 1m");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(6), "{said}{error}");
        assert!(said.contains("proven:") && said.contains("(memory limit)"), "{said}");
        assert!(stdout(&["status", &run, "--check"]).contains("checkpoint"), "a checkpoint is kept");
        std::fs::remove_dir_all(&run).unwrap();
    }
    // What the first search gave back is enough for the next one.
    let easy = folder.path("easy.txt");
    super::gridhunt(&["generate", "--rows", "10", "--colours", "6", "-o", &easy]).assert().success();
    let search = format!("{program} solve {board} {easy} --engine best-first --threads 1 --quiet --memory 8GiB");
    let script = format!("ulimit -v 400000; exec {search} --time-limit 1m");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("(memory limit)") && said.contains("easy.txt: optimal"), "{said}");
    // Too little for anything. The default of `--memory` refuses no search.
    for kilobytes in (70_000..=520_000).step_by(9_000) {
        let search = format!("{program} solve {board} --engine best-first --threads 1 --expansions 2000");
        let script = format!("ulimit -v {kilobytes}; exec {search} --run {}", folder.path(&kilobytes.to_string()));
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!([6, 7, 71].map(Some).contains(&output.status.code()), "{kilobytes} kB: {:?} {error}", output.status);
        assert!(!error.contains("backtrace") && !error.contains("found a memory limit"), "{kilobytes} kB: {error}");
    }
}

/// Each thread needs room for its stack.
#[test]
fn a_search_goes_on_with_the_threads_that_the_system_lets_begin() {
    let folder = Folder::new(&[]);
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").display().to_string();
    let search = format!("{program} solve {} --threads 300", folder.write("small.txt", SMALL));
    let output = Command::new("sh").args(["-c", &format!("ulimit -v 400000; exec {search}")]).output().unwrap();
    let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(said.contains("optimal") && error.contains("warning: the system starts only "), "{said}{error}");
}

/// A run of 16 threads has 128 shards, each with a file. The program takes as many files as it may have.
#[test]
fn the_limit_of_open_files_is_raised_or_told_with_what_to_do() {
    let folder = Folder::new(&[]);
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").display().to_string();
    let (board, options) = (folder.write("hard.txt", &hard()), "-t 16 --engine best-first --expansions 500 --quiet");
    for (limit, told, code) in [("-S -n 64", false, 7), ("-n 64", true, 7), ("-n 8", true, 71)] {
        let run = folder.path(&format!("run{told}{code}"));
        let script = format!("ulimit {limit}; exec {program} solve {board} {options} --run {run}");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(error.contains("ulimit -n 65536"), told, "{error}");
        assert_eq!(output.status.code(), Some(code), "{error}");
    }
}

#[test]
fn an_interrupted_batch_ends_with_its_summary() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    let child = start(&["solve", &path, &path, &path, "--parallel", "search", "--json"]);
    send(&child, "-INT");
    let (status, text) = end(child);
    assert_eq!(status, Some(130));
    let not_begun = text.lines().filter(|line| line.contains("\"status\":\"not-begun\"")).count();
    assert_eq!((text.lines().count(), not_begun), (3, 2), "{text}");
    assert!(text.contains("\"lower_bound\":"), "{text}");
}

/// Whether no thread of the process is running or ready to run.
#[cfg(target_os = "linux")]
fn is_waiting(child: &Child) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    threads.flatten().all(|thread| {
        // A thread may end between the two looks at it.
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, behind_name)| behind_name.starts_with('S'))
    })
}

/// Waits until the process waits for something that does not come: it has done all that it was asked for.
#[cfg(target_os = "linux")]
fn wait_until_quiet(child: &mut Child) {
    use std::time::{Duration, Instant};
    let (begun, mut quiet) = (Instant::now(), 0);
    while quiet < 20 {
        assert!(begun.elapsed() < super::PATIENCE, "the program goes on");
        std::thread::sleep(Duration::from_millis(30));
        quiet = if is_waiting(child) { quiet + 1 } else { 0 };
    }
    assert_eq!(child.try_wait().unwrap(), None, "the program waits for its reader");
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_the_program_at_once() {
    let folder = Folder::new(&[("many.txt", &super::boards::many(4000))]);
    // Nobody reads the results, so the program ends up waiting for its output, whatever it is asked.
    let mut child = program()
        .args(["solve", &folder.path("many.txt"), "--format", "lines", "--json", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_quiet(&mut child);
    // The first signal lets the results out.
    send(&child, "-INT");
    wait_until_quiet(&mut child);
    send(&child, "-QUIT");
    assert_eq!(child.wait().unwrap().code(), Some(131));
}
