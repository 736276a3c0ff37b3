//! Links from kept states to their parents.

use crate::domain::MoveIndex;

/// How a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    /// The number of the parent among all states that a search has kept; the root is number 0.
    pub(super) parent: u32,
    /// The move from the parent.
    pub(super) mv: MoveIndex,
}

/// The moves from the root to the state of `link`. `links` has the link of each state kept before, from number 1 on;
/// the root has no link.
pub(super) fn path(links: &[Link], mut link: Link) -> Vec<MoveIndex> {
    let mut moves = vec![link.mv];
    while let Some(before) = (link.parent as usize).checked_sub(1) {
        link = links[before];
        moves.push(link.mv);
    }
    moves.reverse();
    moves
}
