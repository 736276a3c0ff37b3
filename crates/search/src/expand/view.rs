//! A state with all its children, for people who look at a search.

use super::{Child, Expander, Reach, Slot, StateSpace};
use crate::domain::{Cost, MoveIndex, MoveMask};

/// A state at the end of a path from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateView {
    /// The packed state.
    pub key: Box<[u8]>,
    /// The moves of the path, each with the cost of the path up to the move.
    pub path: Vec<(MoveIndex, Cost)>,
    /// The cost of the path.
    pub g: Cost,
    /// The lower bound at the state; `None` for a dead end.
    pub h: Option<Cost>,
    /// The cost of stopping here, or `None` where stopping is not allowed.
    pub terminal: Option<Cost>,
    /// The children by all moves of the rules.
    pub children: Vec<ChildView>,
}

/// A child of a [`StateView`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildView {
    /// The packed state.
    pub key: Box<[u8]>,
    /// The move.
    pub mv: MoveIndex,
    /// The cost of the path that ends with the move.
    pub g: Cost,
    /// The lower bound at the child; `None` for a dead end.
    pub h: Option<Cost>,
    /// The cost of stopping at the child, or `None` where stopping is not allowed.
    pub terminal: Option<Cost>,
    /// Whether searches never make the move: a cheapest solution from the state remains without it.
    pub is_pruned: bool,
}

/// A step of a path that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {step} of the path: found child {found}, expected a number below {children}, the children there")]
pub struct WrongStep {
    /// The step, from 1.
    pub step: usize,
    /// The child that the path names.
    pub found: usize,
    /// The number of children.
    pub children: usize,
}

impl StateView {
    /// The state at the end of a path. Each step of the path is the place of a child among the children that a view of
    /// the state before lists, from 0.
    ///
    /// # Errors
    /// When a step names a child that does not exist.
    pub fn along(space: &dyn StateSpace, path: &[usize]) -> Result<Self, WrongStep> {
        let (mut expander, mut key) = (space.expander(), vec![0; space.key_len()].into_boxed_slice());
        let expander = &mut *expander;
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut key);
        let (mut g, mut terminal): (Cost, _) = (0, space.root_terminal());
        let (mut moves, mut children) = (Vec::new(), Vec::new());
        for (step, &found) in (1..).zip(path) {
            let frame = all_children(expander, &key, &mut children);
            let wrong = WrongStep { step, found, children: children.len() };
            let &Child { mv, cost, terminal: stop, .. } = children.get(found).ok_or(wrong)?;
            expander.pack(Slot { frame, at: found as u32 }, &mut key);
            (g, terminal) = (g.saturating_add(cost), stop);
            moves.push((mv, g));
        }
        let kept = awake_moves(expander, &key, 0, None);
        let frame = all_children(expander, &key, &mut children);
        let h = lower_bound(expander.reach_key(&key, 0, Cost::MAX));
        let view = |(at, child): (u32, &Child)| {
            let (slot, mut key) = (Slot { frame, at }, vec![0; space.key_len()].into_boxed_slice());
            expander.pack(slot, &mut key);
            let &Child { mv, cost, terminal, .. } = child;
            let h = lower_bound(expander.reach(slot, 0, Cost::MAX));
            ChildView { key, mv, g: g.saturating_add(cost), h, terminal, is_pruned: !kept.contains(&mv) }
        };
        let children = (0..).zip(&children).map(view).collect();
        Ok(Self { key, path: moves, g, h, terminal, children })
    }
}

/// The moves that a search makes at the state of `key`, given its sleep set, and what a better solution may cost from
/// the state on ([`Expander::expand_key`]).
pub fn awake_moves(expander: &mut dyn Expander, key: &[u8], asleep: MoveMask, enough: Option<Cost>) -> Vec<MoveIndex> {
    let mut children = Vec::new();
    expander.truncate(0);
    expander.expand_key(key, asleep, enough, &mut children);
    expander.truncate(0);
    children.iter().map(|child| child.mv).collect()
}

/// Replaces `children` by all children of the state of `key`, in the only open frame, whose number it returns.
fn all_children(expander: &mut dyn Expander, key: &[u8], children: &mut Vec<Child>) -> u32 {
    children.clear();
    expander.truncate(0);
    expander.expand_all(key, children)
}

/// The lower bound that an evaluation from cost 0 without a limit has found; `None` for a dead end.
fn lower_bound(reach: Reach) -> Option<Cost> {
    match reach {
        Reach::Within(h) => Some(h),
        Reach::Beyond(_) | Reach::DeadEnd => None,
    }
}
