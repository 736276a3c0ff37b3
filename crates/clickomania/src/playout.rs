//! The clicks of a first solution.

use super::game::Game;
use super::state::{Column, Groups, Position, PrefixCounts, Weights};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::multiversion;

/// Up to this many groups, the search for a first solution looks at all children of a state.
const FEW_GROUPS: MoveIndex = 100;

multiversion! {
    /// If there are more groups than [`FEW_GROUPS`], makes the most promising click among the first ones, a deferred
    /// one only if all are deferred, and returns the move and its cost. Otherwise clicks nothing, and returns `None`.
    /// If single cells can be clicked, the largest group is the most promising.
    pub(super) fn step<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &mut Position<T, C, P>,
    ) -> Option<(MoveIndex, Cost)> = quick_click
}

#[inline(always)]
fn quick_click<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &mut Position<T, C, P>,
) -> Option<(MoveIndex, Cost)> {
    if !has_many_groups(game, state) {
        return None;
    }
    let (links, counts, min_group) = (state.grid().links(), PrefixCounts::of(state), game.rules.min_group);
    let mut groups = Groups::of(&links, min_group);
    let (mut best, mut best_rank) = (None, (false, 0));
    while let Some((mv, group)) = groups.next() {
        if mv == FEW_GROUPS {
            break;
        }
        let mut child = *state;
        let promise = if min_group > 1 {
            child.remove_from(group, game.closes(), &counts.around(group));
            u32::MAX - child.estimate(game.colours, min_group, Weights::DEFAULT)
        } else {
            group.size()
        };
        let rank = (game.deferred != Some(state.grid().colour_of(group)), promise);
        if best.is_none() || rank > best_rank {
            (best, best_rank) = (Some((mv, *group)), rank);
        }
    }
    let (mv, group) = best?;
    let cost = game.cost(state, &group);
    state.remove(&group, game.closes());
    Some((mv, cost))
}

/// Whether there are more groups than [`FEW_GROUPS`].
#[inline(always)]
fn has_many_groups<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>, state: &Position<T, C, P>) -> bool {
    let links = state.grid().links();
    let mut groups = Groups::of(&links, game.rules.min_group);
    while let Some((mv, _)) = groups.next() {
        if mv == FEW_GROUPS {
            return true;
        }
    }
    false
}
