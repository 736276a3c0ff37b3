//! A single path from the root, played fast.

use crate::domain::{Cost, Domain, MoveIndex};

/// Plays at most `most_moves` with [`Guidance::step`](crate::domain::Guidance::step), and returns the best place to
/// stop on the path: its cost, and the moves to it. `is_over` ends the path early.
pub(super) fn played_path<D: Domain>(
    domain: &D,
    most_moves: usize,
    is_over: &dyn Fn() -> bool,
) -> Option<(Cost, Vec<MoveIndex>)> {
    let (mut state, mut g, mut moves) = (domain.root(), 0, Vec::new());
    let mut best: Option<(Cost, usize)> = None;
    loop {
        let stop = domain.terminal(&state).map(|stop| g + stop);
        if let Some(cost) = stop.filter(|&cost| best.is_none_or(|(least, _)| cost < least)) {
            best = Some((cost, moves.len()));
        }
        if moves.len() >= most_moves || is_over() {
            break;
        }
        let own = domain.guidance().and_then(|guidance| guidance.step(&mut state));
        let Some((mv, cost)) = own.or_else(|| step_to_most_promising(domain, &mut state)) else { break };
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
