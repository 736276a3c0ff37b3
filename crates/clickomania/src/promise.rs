//! The ordering heuristic: states with few single cells and few groups come first. Single cells are weighed by their
//! colour; see [`Position::estimate`].

use super::game::Game;
use super::state::{Column, Position, Weights};

/// The greatest promise: that of a state without anything that counts against it.
const MAX_PROMISE: u32 = 1 << 30;

/// How promising a state is by its groups and single cells.
pub(super) fn by_weights<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    weights: Weights,
) -> u32 {
    MAX_PROMISE - state.estimate(game.colours, game.rules.min_group, weights)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_board, variants};
    use super::super::{Visitor, with_game};
    use super::*;
    use crate::Goal;
    use gridhunt_search::domain::{Domain, Guidance};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use std::collections::HashSet;

    #[test]
    fn where_single_cells_stay_their_weights_vary() {
        struct Varied;
        impl Visitor for Varied {
            type Output = usize;

            /// How many different promises 298 variations give the children of the board.
            fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> usize {
                let mut children = Vec::new();
                game.successors(&game.root(), 0, &mut children);
                let varied = |variation| {
                    let promises = children.iter().map(|child| game.varied_promise(&child.state, variation));
                    promises.collect::<Option<Vec<_>>>()
                };
                (0..298).filter_map(varied).collect::<HashSet<_>>().len()
            }
        }
        let board = random_board(&mut ChaCha8Rng::seed_from_u64(3), 6, 6, 3);
        for rules in variants() {
            let varied = with_game(&board, rules, Goal::Clear, Varied).unwrap();
            assert_eq!(varied, if rules.min_group > 1 { 298 } else { 0 }, "{rules:?}");
        }
    }
}
