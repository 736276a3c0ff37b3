use super::files::{LOCK, Paths};
use super::lock::Lock;
use super::{RunDir, RunState};
use crate::{BoardRecord, Config, RunError};
use gridhunt_boards::{Board, BoardError, Cell, Entry, Position, usual_symbols};
use gridhunt_search::engine::Outcome;
use gridhunt_search::runtime::StopReason;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;

fn board(name: &str) -> Result<Entry, BoardError> {
    let board = Board::new(name, 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
    Ok(Entry { board, published_optimum: None })
}

fn two() -> impl Iterator<Item = Result<Entry, BoardError>> {
    ["a", "b"].into_iter().map(board)
}

/// Boards, the last of which is invalid.
fn spoiled() -> impl Iterator<Item = Result<Entry, BoardError>> {
    let fault = || BoardError::at("c", Position::default(), "nothing", "a board");
    two().chain(std::iter::once_with(move || Err(fault())))
}

fn create(path: &Path) -> Result<RunDir, RunError> {
    RunDir::create(path, &Config::default(), two())
}

/// A run without a searching process, in a folder.
fn made() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(create(&path).unwrap());
    (folder, path)
}

fn result(number: usize, lower_bound: u32, stopped: Option<StopReason>) -> BoardRecord {
    let board = board(["a", "b"][number - 1]).unwrap().board;
    let outcome = Outcome { lower_bound, stopped, ..Outcome::unknown() };
    let request = Config::default().request();
    let task = request.task(&board).unwrap();
    let mut record = BoardRecord::new(&*task, &request, outcome, Vec::new(), 0.0);
    record.number = number;
    record.set_range(Some(lower_bound), Some(9));
    record
}

fn line(record: &BoardRecord) -> String {
    serde_json::to_string(record).unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn races() -> usize {
    if std::env::var_os("GRIDHUNT_LONG").is_some() { 500 } else { 20 }
}

/// A creation that fails cleans up while others begin. Windows does not list a folder that is being removed.
#[test]
#[cfg(not(windows))]
fn a_creation_that_fails_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut won = 0;
    for race in 0..races() {
        let path = folder.path().join(race.to_string());
        let start = Barrier::new(4);
        let all: Vec<_> = std::thread::scope(|scope| {
            let begin = |bad: bool| {
                start.wait();
                if bad { RunDir::create(&path, &Config::default(), spoiled()) } else { create(&path) }
            };
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || begin(n % 2 == 0))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let runs = all.iter().flatten().count();
        won += runs;
        assert!(runs <= 1, "race {race}: {all:?}");
        for error in all.iter().filter_map(|run| run.as_ref().err()) {
            let is_clear = matches!(error, RunError::Locked { .. } | RunError::Exists(_) | RunError::InputBoard(_));
            assert!(is_clear, "race {race}: {error}");
        }
        drop(all);
        let total =
            if runs == 1 { RunDir::open(&path).unwrap().0.board_count() } else { create(&path).unwrap().board_count() };
        assert_eq!(total, 2, "race {race}");
    }
    assert!(won > 0, "no creation succeeded");
}

#[test]
fn what_is_somebody_elses_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    // A board of the user may have the name of a file of a run.
    for name in ["notes.txt", "boards.json", "checksums", "results.jsonl"] {
        let path = folder.path().join(format!("with {name}"));
        fs::create_dir(&path).unwrap();
        fs::write(path.join(name), "mine").unwrap();
        let error = create(&path).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        assert_eq!((names_in(&path), fs::read(path.join(name)).unwrap()), (vec![name.to_owned()], b"mine".to_vec()));
    }
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    for error in [create(&file).map(drop), RunDir::open(&file).map(drop), RunState::read(&file).map(drop)] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("found a file, expected a run directory"), "{error}");
    }
}

/// A directory that is being created is no run yet, and cannot be stopped.
#[test]
fn a_run_that_is_being_made_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let _held = Lock::acquire(&Paths(folder.path().to_owned())).unwrap().unwrap();
    let error = RunState::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is creating, expected a run directory") && !error.contains("gridhunt stop"), "{error}");
}

/// A lock that was removed while a process waited for it is no lock.
#[test]
fn a_lock_without_a_name_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths(folder.path().to_owned());
    let first = Lock::acquire(&paths).unwrap().unwrap();
    assert!(first.is_new);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            loop {
                match Lock::acquire(&paths) {
                    Err(RunError::Locked { .. }) => {}
                    taken => return taken,
                }
            }
        });
        fs::remove_file(paths.of(LOCK)).unwrap();
        drop(first);
        // The other process has locked the removed file, or created a new one.
        assert!(second.join().unwrap().unwrap().is_none_or(|lock| lock.is_new));
    });
}

/// The directory after each step of its creation, as a killed process leaves it.
fn interrupted(whole: &Path, at: &Path) -> Vec<PathBuf> {
    let steps = ["lock", "boards.json", "checksums.new", "checksums", "run.new"];
    let mut made = vec![at.join("empty")];
    fs::create_dir(&made[0]).unwrap();
    for (step, name) in steps.iter().enumerate() {
        for part in [0, 1, 2] {
            let path = at.join(format!("{step}-{part}"));
            fs::create_dir(&path).unwrap();
            // A file whose name ends in `.new` is renamed when it is complete.
            for before in steps[..step].iter().filter(|before| !before.ends_with(".new")) {
                fs::copy(whole.join(before), path.join(before)).unwrap();
            }
            let original = match *name {
                "checksums.new" => "checksums",
                "run.new" => "run.toml",
                name => name,
            };
            let bytes = fs::read(whole.join(original)).unwrap();
            fs::write(path.join(name), &bytes[..bytes.len() * part / 2]).unwrap();
            made.push(path);
        }
    }
    made
}

#[test]
fn a_creation_that_was_interrupted_is_told_and_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    drop(create(&whole).unwrap());
    let made = interrupted(&whole, folder.path());
    assert_eq!(made.len(), 16);
    for path in made {
        for error in [RunDir::open(&path).map(drop), RunState::read(&path).map(drop)] {
            let error = error.unwrap_err();
            assert!(matches!(error, RunError::Incomplete(_)), "{error}");
            assert!(error.to_string().contains("start again with: gridhunt solve BOARD --run"), "{error}");
        }
        drop(create(&path).unwrap());
        let (run, config) = RunDir::open(&path).unwrap();
        assert_eq!((run.board_count(), config, run.notes().len()), (2, Config::default(), 0));
        assert!(!path.join("run.new").exists());
    }
}

/// What a run directory says, for comparison.
fn says(state: &RunState) -> String {
    format!("{:?} {:?} {:?}", state.config, state.identities.boards, state.results.records())
}

#[test]
fn no_changed_byte_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = create(&path).unwrap();
    run.add_result(&result(1, 5, Some(StopReason::TimeLimit))).unwrap();
    run.add_result(&result(1, 7, None)).unwrap();
    drop(run);
    let right = RunState::read(&path).unwrap();
    assert_eq!((right.notes.len(), right.checked.files), (0, 3), "{:?}", right.notes);
    let mut refused = 0;
    for name in ["run.toml", "boards.json", "checksums", "results.jsonl"] {
        let file = path.join(name);
        let bytes = fs::read(&file).unwrap();
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= [1, 0x20, 0x80][at % 3];
            fs::write(&file, &bent).unwrap();
            match RunState::read(&path) {
                // The change is in a comment, or in the name of a checksum. The data are unchanged.
                Ok(state) => assert_eq!(says(&state), says(&right), "{name}, byte {at}"),
                Err(error) => {
                    refused += 1;
                    let error = error.to_string();
                    assert!(error.contains("run.toml") || error.contains(name), "{name}, byte {at}: {error}");
                    assert!(["restore", "remove"].iter().any(|what| error.contains(what)), "{error}");
                }
            }
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn a_part_of_a_configuration_is_never_taken_for_all_of_it() {
    let (_folder, path) = made();
    // An empty configuration is no configuration of defaults.
    fs::remove_file(path.join("checksums")).unwrap();
    let file = path.join("run.toml");
    let text = fs::read_to_string(&file).unwrap();
    for part in ["", "\n", "threads = 2\n", &text[..text.find("[parameters]").unwrap()]] {
        fs::write(&file, part).unwrap();
        let error = RunDir::open(&path).unwrap_err().to_string();
        assert!(error.contains("run.toml") && error.contains("restore"), "{error}");
    }
}

#[test]
fn a_missing_file_and_a_directory_in_its_place_are_damage() {
    let (folder, path) = made();
    fs::remove_file(path.join("results.jsonl")).unwrap();
    for (name, found) in [
        ("boards.json", "nothing"),
        ("boards.json", "a directory"),
        ("run.toml", "a directory"),
        ("checksums", "a directory"),
        ("results.jsonl", "a directory"),
    ] {
        let (file, aside) = (path.join(name), folder.path().join("aside"));
        let _ = fs::rename(&file, &aside);
        if found == "a directory" {
            fs::create_dir(&file).unwrap();
        }
        for error in [RunState::read(&path).map(drop), RunDir::open(&path).map(drop)] {
            let error = error.unwrap_err();
            assert!(matches!(error, RunError::Damaged { .. }), "{name}: {error}");
            let text = error.to_string();
            let is_whole = text.contains(&format!("{name}: whole file: found {found}, expected a file; "));
            assert!(is_whole && text.contains("restore the file from a copy"), "{text}");
        }
        let _ = fs::remove_dir(&file);
        let _ = fs::rename(&aside, &file);
    }
    RunDir::open(&path).unwrap();
}

#[test]
fn a_file_on_the_way_to_a_run_directory_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    fs::write(&file, "mine").unwrap();
    for below in ["run", "runs/run"] {
        let error = create(&file.join(below)).unwrap_err();
        assert!(matches!(error, RunError::Unexpected { .. }), "{error}");
        let expected = format!("{}: found a file, expected a folder for the run directory", file.display());
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn files_without_checksums_are_read_and_get_checksums() {
    let (_folder, path) = made();
    let checksums = fs::read(path.join("checksums")).unwrap();
    fs::remove_file(path.join("checksums")).unwrap();
    fs::write(path.join("results.jsonl"), line(&result(1, 5, None)) + "\n").unwrap();
    let notes = RunState::read(&path).unwrap().notes;
    assert!(notes.len() == 2 && notes[0].contains("no checksum of run.toml and boards.json"), "{notes:?}");
    let (run, _) = RunDir::open(&path).unwrap();
    assert_eq!((run.notes(), run.is_done(1)), (&notes[..], true));
    drop(run);
    assert_eq!(fs::read(path.join("checksums")).unwrap(), checksums);
    // A deliberate edit: the user removes the line of the edited file.
    let text = String::from_utf8(checksums).unwrap();
    let kept: String = text.lines().filter(|l| !l.starts_with("run.toml")).map(|l| format!("{l}\n")).collect();
    fs::write(path.join("checksums"), kept).unwrap();
    let config = fs::read_to_string(path.join("run.toml")).unwrap();
    fs::write(path.join("run.toml"), format!("threads = 3\n{config}")).unwrap();
    let (run, config) = RunDir::open(&path).unwrap();
    assert_eq!((config.request().threads, run.notes().len()), (3, 2));
}

#[test]
fn the_end_of_the_results_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = create(&path).unwrap();
    run.add_result(&result(1, 5, None)).unwrap();
    drop(run);
    let file = path.join("results.jsonl");
    let first = fs::read(&file).unwrap();
    let second = super::line_checksum::append(&line(&result(2, 6, None)));
    // Cut the file anywhere, and add the bytes that a power cut may leave.
    for length in 0..=second.len() {
        for zeros in [0, 5] {
            let tail = [&second.as_bytes()[..length], &vec![0; zeros]].concat();
            fs::write(&file, [&first[..], &tail].concat()).unwrap();
            let read = RunDir::open(&path).map(|(run, _)| (run.is_done(1), run.is_done(2)));
            let is_whole = length == second.len();
            match read {
                Ok(done) => assert_eq!(done, (true, is_whole), "{length} bytes, {zeros} zeros"),
                // The line is complete, and the following bytes are not its end.
                Err(error) => assert!(is_whole && zeros > 0, "{length} bytes: {error}"),
            }
        }
    }
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.trim_end_matches('\0')).unwrap();
    RunDir::open(&path).unwrap().0.add_result(&result(2, 6, None)).unwrap();
    assert_eq!(RunState::read(&path).unwrap().results.records().len(), 2);
    // What was proven once is not forgotten when a later session proves less.
    let two = [(6, StopReason::TimeLimit), (4, StopReason::Interrupted)];
    let lines = two.map(|(bound, stopped)| line(&result(2, bound, Some(stopped))) + "\n").concat();
    fs::write(&file, lines).unwrap();
    assert_eq!(RunState::read(&path).unwrap().results.records()[&2].lower_bound, Some(6));
}

/// With a disk limit of the user, a disk with less than the usual free space is accepted.
#[test]
fn a_limit_of_disk_space_keeps_little_free() {
    let folder = tempfile::tempdir().unwrap();
    let run = create(&folder.path().join("run")).unwrap();
    let kept_free = |disk: Option<u64>| {
        let mut request = Config::default().request();
        request.storage.max_disk_bytes = disk;
        run.checkpoint_config_of(1, &board("a").unwrap().board, &request, &request).files.storage.min_free_bytes
    };
    assert_eq!((kept_free(None), kept_free(Some(1 << 30))), (1 << 30, 64 << 20));
}

#[test]
fn a_look_changes_nothing() {
    let (_folder, path) = made();
    fs::remove_file(path.join("lock")).unwrap();
    fs::create_dir_all(path.join("boards/1")).unwrap();
    fs::write(path.join("boards/1/manifest-a"), "nonsense").unwrap();
    let before = names_in(&path);
    let state = RunState::read(&path).unwrap();
    assert_eq!((names_in(&path), state.process), (before, None));
    // The storage of the state refuses writes too.
    let storage = &state.checkpoints[&1][0].storage;
    assert!(storage.backend.create(&path.join("new")).is_err());
    assert!(storage.backend.remove(&path.join("boards/1/manifest-a")).is_err());
    let file = storage.backend.open(&path.join("boards/1/manifest-a")).unwrap();
    assert!(file.write(b"x", 0).is_err() && file.truncate(0).is_err());
}

#[test]
fn only_the_directory_with_the_newest_mark_is_the_same_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = create(&folder.path().join("run")).unwrap();
    let old = run.mark_for_ranks().unwrap();
    let mismatch = |path, mark| RunDir::mark_mismatch(path, mark, 1);
    assert_eq!(mismatch(run.path(), &old), None);
    let new = run.mark_for_ranks().unwrap();
    assert_eq!(mismatch(run.path(), &new), None);
    assert!(mismatch(run.path(), &old).unwrap().starts_with("another content of"));
    assert!(mismatch(folder.path(), &new).unwrap().contains("ranks: "));
    assert!(!run.path().join("ranks-1").exists());
    // A rank that cannot write there.
    fs::create_dir(run.path().join("ranks-1")).unwrap();
    assert!(mismatch(run.path(), &new).unwrap().contains("ranks-1: "));
}

#[test]
fn a_run_that_is_withdrawn_leaves_no_mark() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("run"), folder.path().to_owned()] {
        let run = create(&path).unwrap();
        run.mark_for_ranks().unwrap();
        run.undo_if_unused();
        assert!(!path.join("ranks").exists(), "{}", path.display());
    }
    assert!(names_in(folder.path()).is_empty());
}

/// A file with a valid checksum, whose content does not have the format of this version.
#[test]
fn another_form_is_named_with_what_still_works() {
    let (_folder, path) = made();
    let [config, checksums] = ["run.toml", "checksums"].map(|name| path.join(name));
    let [text, sums] = [&config, &checksums].map(|file| fs::read_to_string(file).unwrap());
    let other = format!("twist = 1\n{text}");
    let crc = |text: &str| format!("{:08x}", crc32fast::hash(text.as_bytes()));
    fs::write(&config, &other).unwrap();
    fs::write(&checksums, sums.replace(&crc(&text), &crc(&other))).unwrap();
    let error = RunState::read(&path).unwrap_err();
    assert!(matches!(error, RunError::OtherVersion(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("twist") && text.contains("expected that of") && text.contains("results.jsonl"), "{text}");
}
