//! The host of each rank, and the command that resumes the search.

use super::Exchange;
use crate::sync::lock;
use std::sync::{Mutex, OnceLock};

#[derive(Debug, Default)]
pub(super) struct Roster {
    /// The host of each rank.
    hosts: OnceLock<Vec<String>>,
    /// The command that resumes the search.
    resume_command: Mutex<Option<String>>,
}

impl Exchange {
    /// Sets the host of each rank. Called once.
    pub fn set_hosts(&self, hosts: Vec<String>) {
        let set = self.roster.hosts.set(hosts);
        debug_assert!(set.is_ok(), "hosts are set once");
    }

    fn hosts(&self) -> &[String] {
        self.roster.hosts.get().map_or(&[], Vec::as_slice)
    }

    /// The number of ranks on the host of this one; 1 if the hosts are not set.
    #[must_use]
    pub fn ranks_on_host(&self) -> usize {
        let host = self.hosts().get(self.rank());
        self.hosts().iter().filter(|other| Some(*other) == host).count().max(1)
    }

    /// The name of a rank in messages, such as `rank 1 on node7`; without the host if it is not set.
    #[must_use]
    pub fn rank_label(&self, rank: usize) -> String {
        self.hosts().get(rank).map_or_else(|| format!("rank {rank}"), |host| format!("rank {rank} on {host}"))
    }

    /// Sets the command that resumes the search. The reason of an abort names it.
    pub fn set_resume_command(&self, command: Option<String>) {
        *lock(&self.roster.resume_command) = command;
    }

    /// Adds the resume command to the reason of an abort.
    pub(super) fn with_resume_command(&self, reason: &str) -> String {
        match &*lock(&self.roster.resume_command) {
            Some(command) => format!("{reason}; continue with: {command}"),
            None => reason.to_owned(),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{MessageDelays, ThreadTransport};
    use super::*;

    #[test]
    fn ranks_are_named_with_hosts_and_counted_by_them() {
        let ranks: Vec<Exchange> =
            ThreadTransport::connect(3, MessageDelays::default()).into_iter().map(Exchange::new).collect();
        assert_eq!((ranks[1].rank_label(1), ranks[1].ranks_on_host()), ("rank 1".to_owned(), 1));
        ranks.iter().for_each(|rank| rank.set_hosts(["a", "b", "b"].map(str::to_owned).to_vec()));
        assert_eq!(ranks.iter().map(Exchange::ranks_on_host).collect::<Vec<_>>(), [1, 2, 2]);
        let [leader, ..] = &ranks[..] else { unreachable!("three ranks") };
        assert_eq!((leader.rank_label(1), leader.rank_label(3)), ("rank 1 on b".to_owned(), "rank 3".to_owned()));
        assert_eq!(leader.with_resume_command("no disk"), "no disk");
        leader.set_resume_command(Some("gridhunt resume x".to_owned()));
        assert_eq!(leader.with_resume_command("no disk"), "no disk; continue with: gridhunt resume x");
    }
}
