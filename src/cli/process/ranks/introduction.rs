//! The check, before the first search, that the ranks can search together.

use crate::cli::args::grammar::grammar;
use crate::cli::output::exit::Failure;
use clap::parser::ValueSource;
use gridhunt::hunt::{ByteCount, RankOptions, ThreadCount, check_memory_limit};
use gridhunt_boards::whole_number_parser;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

/// The environment variable with the time-out of heartbeats in seconds, and its default. A rank without a heartbeat for
/// this time counts as lost.
const TIMEOUT_VARIABLE: (&str, u64) = ("GRIDHUNT_RANK_TIMEOUT", 60);

/// Options that may differ from rank to rank.
const PER_RANK_OPTIONS: [&str; 2] = ["threads", "memory"];

/// The data of a rank that the other ranks check before the first search.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankIntroduction {
    pub(super) host: String,
    /// The version, and the checksum of the program's file: two builds of one version may expand different states.
    program: (String, u32),
    /// The options that must be the same on all ranks.
    shared: Vec<String>,
    /// The number of threads, if an option sets it, and in `processors` the number of processors that this rank may
    /// use.
    threads: Option<usize>,
    processors: usize,
    /// The memory limit in bytes, if an option sets it.
    memory: Option<u64>,
}

impl RankIntroduction {
    /// Makes the introduction of this process.
    pub(super) fn of(host: String, shared: Vec<String>, rank_options: RankOptions) -> Self {
        let checksum = std::env::current_exe().and_then(|file| checksum_of(&file)).unwrap_or_default();
        Self {
            host,
            program: (env!("CARGO_PKG_VERSION").to_owned(), checksum),
            shared,
            threads: rank_options.threads.map(|threads| threads.0),
            processors: std::thread::available_parallelism().map_or(1, NonZero::get),
            memory: rank_options.memory.map(|memory| memory.0),
        }
    }
}

/// Computes the checksum of a file. The file may be larger than the memory that the process may take.
fn checksum_of(file: &Path) -> io::Result<u32> {
    let mut reader = BufReader::new(File::open(file)?);
    let mut checksum = crc32fast::Hasher::new();
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(checksum.finalize());
        }
        checksum.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
}

/// Splits the options of a command line into those that must be the same on all ranks, and those of this rank alone.
pub(super) fn split_options(words: impl IntoIterator<Item = OsString>) -> (Vec<String>, RankOptions) {
    let words: Vec<_> = words.into_iter().collect();
    let mut grammar = grammar();
    let matches = grammar.try_get_matches_from_mut(&words).ok();
    let Some((name, arguments)) = matches.as_ref().and_then(|matches| matches.subcommand()) else {
        // Words that cannot be parsed are compared as they are. The leader reports what is wrong with its own words.
        return (
            words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            RankOptions::default(),
        );
    };
    let known = grammar.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    let set_ids = known
        .map(|argument| argument.get_id().as_str())
        .filter(|id| !PER_RANK_OPTIONS.contains(id) && arguments.value_source(id) == Some(ValueSource::CommandLine));
    let spelled = set_ids.map(|id| {
        let values = arguments.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        format!("{id} = {}", values.collect::<Vec<_>>().join(" "))
    });
    let shared = std::iter::once(name.to_owned()).chain(spelled).collect();
    let threads = arguments.try_get_one::<ThreadCount>("threads").ok().flatten().copied();
    let memory = arguments.try_get_one::<ByteCount>("memory").ok().flatten().copied();
    (shared, RankOptions { threads, memory })
}

/// Why a rank cannot search together with the leader.
fn difference(label: &str, other: &RankIntroduction, leader: &RankIntroduction) -> Option<String> {
    if other.program != leader.program {
        let name = |(version, checksum): &(String, u32)| format!("gridhunt {version} with checksum {checksum:08x}");
        let (found, expected) = (name(&other.program), name(&leader.program));
        return Some(format!("{label}: found {found}, expected the program of rank 0: {expected}"));
    }
    let first_missing = |rank: &RankIntroduction, other: &RankIntroduction| {
        rank.shared.iter().find(|option| !other.shared.contains(option)).map_or("nothing", String::as_str).to_owned()
    };
    (other.shared != leader.shared).then(|| {
        let (found, expected) = (first_missing(other, leader), first_missing(leader, other));
        format!(
            "{label}: found other options than on rank 0: {found}, expected: {expected}; only --threads and --memory may \
             differ"
        )
    })
}

/// The reason why a rank cannot search together with the leader, if there is one.
pub(super) fn refusal(label: &str, other: &RankIntroduction, leader: &RankIntroduction) -> Option<Failure> {
    difference(label, other, leader).map(Failure::usage).or_else(|| {
        let Failure { exit, error } = check_memory_limit(other.memory?).err()?.into();
        Some(Failure { exit, error: error.context(label.to_owned()) })
    })
}

/// A warning if a rank has more threads than processors.
pub(super) fn oversubscription_warning(
    label: &str,
    rank: &RankIntroduction,
    leader: &RankIntroduction,
) -> Option<String> {
    let (threads, processors) = (rank.threads.or(leader.threads)?, rank.processors);
    (threads > processors).then(|| {
        format!(
            "{label}: more threads ({threads}) than processors ({processors}); let the launcher bind no rank, or bind \
             it to more (Open MPI: --bind-to none, Slurm: --cpus-per-task, MPICH: -bind-to none)"
        )
    })
}

/// The time-out of heartbeats.
pub(super) fn rank_timeout(variable: impl Fn(&str) -> Option<OsString>) -> Result<Duration, Failure> {
    let (name, default_seconds) = TIMEOUT_VARIABLE;
    let parse = whole_number_parser(1..=1_000_000, "60", Some);
    let seconds = variable(name).map_or(Ok(default_seconds), |value| parse(&value.to_string_lossy()));
    seconds.map(Duration::from_secs).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::exit::Exit;

    fn read(line: &str) -> (Vec<String>, RankOptions) {
        split_options(line.split(' ').map(Into::into))
    }

    #[test]
    fn threads_and_memory_may_differ_and_nothing_else() {
        let (leader, rank_options) = read("gridhunt solve a.txt -t 3 --engine ida --memory 1GiB");
        assert_eq!(leader, ["solve", "files = a.txt", "engine = ida"]);
        assert_eq!((rank_options.threads, rank_options.memory), (Some(ThreadCount(3)), Some(ByteCount(1 << 30))));
        let (other, rank_options) = read("gridhunt solve --engine=ida a.txt");
        assert_eq!((&other, rank_options.threads, rank_options.memory), (&leader, None, None));
        assert_eq!(read("gridhunt solve --engin ida").0, ["solve", "--engin", "ida"], "as it stands");
        let introduction =
            |shared: Vec<String>, rank_options| RankIntroduction::of("h".to_owned(), shared, rank_options);
        let (one, same) = (introduction(leader, rank_options), introduction(other, rank_options));
        assert_eq!(difference("rank 1", &same, &one), None);
        let another = introduction(read("gridhunt solve a.txt --engine beam").0, rank_options);
        let message = difference("rank 1 on h", &another, &one).expect("a difference");
        assert!(
            message
                .starts_with("rank 1 on h: found other options than on rank 0: engine = beam, expected: engine = ida")
        );
        let poor = introduction(
            read("gridhunt solve a.txt --engine ida").0,
            RankOptions { memory: Some(ByteCount(3 << 20)), ..rank_options },
        );
        let refused = refusal("rank 1 on h", &poor, &one).expect("no search fits");
        assert_eq!(refused.exit, Exit::MemoryLimit);
        assert!(format!("{:#}", refused.error).starts_with("rank 1 on h: found a memory limit of 3.0 MiB, expected"));
        assert!(refusal("rank 1", &same, &one).is_none());
        let older = RankIntroduction { program: ("0.0.1".to_owned(), 7), ..same };
        assert!(
            difference("rank 1", &older, &one).expect("a difference").contains("gridhunt 0.0.1 with checksum 00000007")
        );
    }

    #[test]
    fn threads_that_share_a_processor_are_told() {
        let introduction = |threads| RankIntroduction {
            processors: 1,
            threads,
            ..RankIntroduction::of(String::new(), Vec::new(), RankOptions::default())
        };
        let leader = introduction(Some(2));
        assert_eq!(oversubscription_warning("rank 1", &introduction(Some(1)), &leader), None);
        assert_eq!(oversubscription_warning("rank 1", &introduction(None), &introduction(None)), None);
        assert!(
            oversubscription_warning("rank 1", &introduction(None), &leader)
                .is_some_and(|warning| warning.starts_with("rank 1: more threads (2) than processors (1)"))
        );
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        assert_eq!(rank_timeout(|_| None).ok(), Some(Duration::from_secs(60)));
        assert_eq!(rank_timeout(|_| Some("7".into())).ok(), Some(Duration::from_secs(7)));
        for value in ["abc", "0", "-1", ""] {
            let failure = rank_timeout(|_| Some(value.into())).expect_err("no time");
            assert!(failure.error.to_string().starts_with("GRIDHUNT_RANK_TIMEOUT: found"), "{}", failure.error);
            assert_eq!(failure.exit, Exit::Usage);
        }
    }
}
