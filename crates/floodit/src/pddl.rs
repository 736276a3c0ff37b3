//! Boards for general planners, in PDDL.
//!
//! A state is the set of flooded regions. A move floods, by conditional effects, the regions of its colour beside the
//! flood, and costs 1: neighbours never have the same colour, so no other region joins the flood. So a plan is a
//! solution move by move, and a planner visits the states that the puzzle has. No region ever leaves the flood.
//!
//! Plans without conditional effects would need an action for each region, and every part of a flood would be a state:
//! `docs/experiments/070` says what this costs.

use super::regions::Regions;
use gridhunt_boards::Board;
use std::fmt::Write;

/// The rules: the same for every board.
pub const PDDL_DOMAIN: &str = "\
(define (domain flood-it)
  (:requirements :strips :typing :conditional-effects)
  (:types region colour)
  (:predicates
    (coloured ?r - region ?c - colour)
    (adjacent ?a ?b - region)
    (flooded ?r - region))
  (:action play
    :parameters (?c - colour)
    :effect (forall (?a ?b - region)
      (when (and (flooded ?a) (adjacent ?a ?b) (coloured ?b ?c))
        (flooded ?b)))))
";

/// Writes a board without empty cells as a problem. A region is named by the row and the column of its first cell, a
/// colour by its number on the board; all count from 1.
#[must_use]
pub fn pddl_problem(board: &Board) -> String {
    let regions = Regions::of(board);
    let mut names = vec![String::new(); regions.count()];
    for (cell, &region) in regions.of_cell.iter().enumerate().rev() {
        names[region] = format!("r{}-{}", cell / board.cols() + 1, cell % board.cols() + 1);
    }
    // Names of colours are escaped: a line end in a name would end the comment.
    let symbols: Vec<_> = (1..).zip(board.symbols()).map(|(c, name)| format!("c{c} {}", name.escape_debug())).collect();
    let colours: Vec<_> = (1..=board.colours()).map(|c| format!("c{c}")).collect();
    let mut text = format!(
        "; {}: {} x {}, colours: {}\n",
        board.name().escape_debug(),
        board.rows(),
        board.cols(),
        symbols.join(", ")
    );
    text += "(define (problem board)\n  (:domain flood-it)\n  (:objects\n";
    let _ = writeln!(text, "    {} - region\n    {} - colour)\n  (:init", names.join(" "), colours.join(" "));
    for (name, colour) in names.iter().zip(&regions.colour) {
        let _ = writeln!(text, "    (coloured {name} {})", colours[usize::from(*colour)]);
    }
    for (name, neighbours) in names.iter().zip(&regions.neighbours) {
        neighbours.iter().for_each(|&neighbour| _ = writeln!(text, "    (adjacent {name} {})", names[neighbour]));
    }
    // A goal with a quantifier would make planners derive a predicate, which fewer of their heuristics support.
    let _ = writeln!(text, "    (flooded {}))\n  (:goal (and", names[regions.start]);
    names.iter().for_each(|name| _ = writeln!(text, "    (flooded {name})"));
    text += "  )))\n";
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample::board;
    use super::*;

    #[test]
    fn a_board_by_hand() {
        let text = pddl_problem(&board(&["112", "133"], 1, 1));
        let expected = "\
(define (problem board)
  (:domain flood-it)
  (:objects
    r1-1 r1-3 r2-2 - region
    c1 c2 c3 - colour)
  (:init
    (coloured r1-1 c1)
    (coloured r1-3 c2)
    (coloured r2-2 c3)
    (adjacent r1-1 r1-3)
    (adjacent r1-1 r2-2)
    (adjacent r1-3 r1-1)
    (adjacent r1-3 r2-2)
    (adjacent r2-2 r1-1)
    (adjacent r2-2 r1-3)
    (flooded r2-2))
  (:goal (and
    (flooded r1-1)
    (flooded r1-3)
    (flooded r2-2)
  )))
";
        let (head, rest) = text.split_once('\n').expect("a comment and a problem");
        assert!(head.ends_with(": 2 x 3, colours: c1 1, c2 2, c3 3"), "{head}");
        assert_eq!(rest, expected);
    }
}
