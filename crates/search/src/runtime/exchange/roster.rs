//! Where the ranks are, and how a search goes on after they have ended: for messages, and for what the ranks of a host
//! share.

use super::Exchange;
use crate::sync::lock;
use std::sync::{Mutex, OnceLock};

#[derive(Debug, Default)]
pub(super) struct Roster {
    /// The host of each rank.
    hosts: OnceLock<Vec<String>>,
    /// What goes on with the search.
    command: Mutex<Option<String>>,
}

impl Roster {
    /// Sets the hosts, once.
    pub(super) fn name_hosts(&self, hosts: Vec<String>) {
        let named = self.hosts.set(hosts);
        debug_assert!(named.is_ok(), "hosts are named once");
    }

    fn hosts(&self) -> &[String] {
        self.hosts.get().map_or(&[], Vec::as_slice)
    }

    /// A rank with its host, as far as that is known.
    pub(super) fn place(&self, rank: usize) -> String {
        self.hosts().get(rank).map_or_else(|| format!("rank {rank}"), |host| format!("rank {rank} on {host}"))
    }

    /// The number of ranks on the host of a rank.
    pub(super) fn on_host_of(&self, rank: usize) -> usize {
        let host = self.hosts().get(rank);
        self.hosts().iter().filter(|other| Some(*other) == host).count().max(1)
    }

    /// A reason to end all ranks, with the command that goes on with the search.
    pub(super) fn with_resume_command(&self, reason: &str) -> String {
        match &*lock(&self.command) {
            Some(command) => format!("{reason}; go on with: {command}"),
            None => reason.to_owned(),
        }
    }
}

impl Exchange {
    /// Names the host of each rank, for messages and for [`Exchange::ranks_on_host`]. To be called once.
    pub fn name_hosts(&self, hosts: Vec<String>) {
        self.roster.name_hosts(hosts);
    }

    /// The number of ranks on the host of this one, as far as hosts are named; 1 at least.
    #[must_use]
    pub fn ranks_on_host(&self) -> usize {
        self.roster.on_host_of(self.rank())
    }

    /// A rank with its host, such as `rank 1 on node7`.
    #[must_use]
    pub fn place(&self, rank: usize) -> String {
        self.roster.place(rank)
    }

    /// Sets the command that goes on with the search, for the message of ranks that cannot.
    pub fn set_resume_command(&self, command: Option<String>) {
        *lock(&self.roster.command) = command;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_named_with_hosts_and_counted_by_them() {
        let roster = Roster::default();
        assert_eq!((roster.place(1), roster.on_host_of(1)), ("rank 1".to_owned(), 1));
        roster.name_hosts(["a", "b", "b"].map(str::to_owned).to_vec());
        assert_eq!([0, 1, 2].map(|rank| roster.on_host_of(rank)), [1, 2, 2]);
        assert_eq!((roster.place(1), roster.place(3)), ("rank 1 on b".to_owned(), "rank 3".to_owned()));
        assert_eq!(roster.with_resume_command("no disk"), "no disk");
        *lock(&roster.command) = Some("gridhunt resume x".to_owned());
        assert_eq!(roster.with_resume_command("no disk"), "no disk; go on with: gridhunt resume x");
    }
}
