//! A greedy path from the root.

use crate::domain::{Cost, Domain, MoveIndex};

/// Plays at most `max_moves` with [`Guidance::greedy_step`](crate::domain::Guidance::greedy_step), and returns the
/// cheapest stop on the path: its cost and the moves to it. `is_over` ends the path early.
pub(super) fn greedy_path<D: Domain>(
    domain: &D,
    max_moves: usize,
    is_over: &dyn Fn() -> bool,
) -> Option<(Cost, Vec<MoveIndex>)> {
    let (mut state, mut g, mut moves) = (domain.root(), 0, Vec::new());
    let mut best: Option<(Cost, usize)> = None;
    loop {
        let stop_cost = domain.terminal_cost(&state).map(|terminal_cost| g + terminal_cost);
        if let Some(cost) = stop_cost.filter(|&cost| best.is_none_or(|(best_cost, _)| cost < best_cost)) {
            best = Some((cost, moves.len()));
        }
        if moves.len() >= max_moves || is_over() {
            break;
        }
        let guided = domain.guidance().and_then(|guidance| guidance.greedy_step(&mut state));
        let Some((mv, cost)) = guided.or_else(|| step_to_most_promising(domain, &mut state)) else { break };
        moves.push(mv);
        g += cost;
    }
    let (cost, length) = best?;
    moves.truncate(length);
    Some((cost, moves))
}

/// Makes the move to the most promising child, the first one among equals.
fn step_to_most_promising<D: Domain>(domain: &D, state: &mut D::State) -> Option<(MoveIndex, Cost)> {
    let mut children = Vec::new();
    domain.successors(state, 0, &mut children);
    let best = children.into_iter().rev().max_by_key(|child| domain.promise(&child.state))?;
    *state = best.state;
    Some((best.mv, best.cost))
}
