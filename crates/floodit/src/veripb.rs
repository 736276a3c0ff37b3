//! Pseudo-Boolean formulas and VeriPB proofs of lower bounds: `docs/certificates.md` has the formula and the proof.
//!
//! The records of the proof are floods, level by level: the largest floods after a move from a record of the level
//! before, without the floods that a schedule of the last moves of the colours refutes. The schedule is a sum of rows
//! of the formula and of clauses that follow by unit propagation. Every other step follows by unit propagation.

use super::bits;
use super::bounds::{end_of_schedule, release_times};
use super::puzzle::{Flood, FloodIt};
use super::regions::Regions;
use gridhunt_boards::Board;
use gridhunt_puzzle::{BoundCertificate, CertificateClaim, PuzzleError, Result};
use gridhunt_search::domain::{Cost, Domain};
use gridhunt_search::engine::{Context, ProofError};
use gridhunt_search::runtime::Monitor;
use std::cmp::Reverse;
use std::fmt::Write;

/// The most cells of a board. VeriPB takes seconds for boards of this size, and minutes for larger ones.
const MAX_VERIPB_CELLS: usize = 21 * 21;

/// The number of words of a set, with room for every board of at most [`MAX_VERIPB_CELLS`] cells.
const WIDTH: usize = 8;

type Puzzle = FloodIt<WIDTH>;

/// Refuses a board that is too large.
///
/// # Errors
/// When it has more cells than a board of 21 x 21.
pub(super) fn check_size(board: &Board) -> Result<(), PuzzleError> {
    if board.cells().len() <= MAX_VERIPB_CELLS {
        return Ok(());
    }
    let (board, rows, cols) = (board.name().to_owned(), board.rows(), board.cols());
    let expected = "441 (21 x 21) for a proof that VeriPB checks: leave out --veripb";
    Err(PuzzleError::TooLargeForCertificate { board, rows, cols, expected })
}

/// Makes the formula and the proof of a claim about a board.
///
/// # Errors
/// When the board is too large, nothing is to be proven, the claim is wrong, or a limit of `context` is reached.
pub(super) fn prove(board: &Board, claim: &CertificateClaim<'_>, context: &Context<'_>) -> Result<BoundCertificate> {
    check_size(board)?;
    let failed = |reason| PuzzleError::NotCertified { board: board.name().to_owned(), reason };
    let regions = Regions::of(board);
    let turns = claim.bound.checked_sub(1).filter(|_| regions.count() > 1);
    let turns = turns.ok_or_else(|| failed(ProofError::Solved(0)))?;
    let puzzle = Puzzle::new(&regions, board.colours());
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let mut proof = Proof { puzzle: &puzzle, turns: turns as usize, monitor: &monitor, text: String::new() };
    let levels = proof.levels().map_err(failed)?;
    proof.write(&levels).map_err(failed)?;
    let formula = formula(board, &regions, turns as usize).into_bytes();
    let records = levels.iter().map(Vec::len).sum();
    Ok(BoundCertificate { bytes: proof.text.into_bytes(), formula: Some(formula), records })
}

/// Writes the formula, which says that the flood holds every region after `turns` turns. Its first rows say that a turn
/// has at most one colour; the other rows are clauses.
fn formula(board: &Board, regions: &Regions, turns: usize) -> String {
    let (count, colours) = (regions.count(), board.colours());
    let mut rows = String::new();
    for t in 1..=turns {
        (0..colours).for_each(|c| _ = write!(rows, "1 ~m{t}_{c} "));
        let _ = writeln!(rows, ">= {} ;", colours - 1);
    }
    for r in 0..count {
        let _ = writeln!(rows, "1 {}f0_{r} >= 1 ;", if r == regions.start { "" } else { "~" });
    }
    for (t, before) in (1..=turns).zip(0..) {
        for (r, (c, neighbours)) in regions.colour.iter().zip(&regions.neighbours).enumerate() {
            let _ = writeln!(rows, "1 ~f{t}_{r} 1 f{before}_{r} 1 m{t}_{c} >= 1 ;");
            let _ = write!(rows, "1 ~f{t}_{r} 1 f{before}_{r}");
            neighbours.iter().for_each(|s| _ = write!(rows, " 1 f{before}_{s}"));
            rows += " >= 1 ;\n";
        }
    }
    (0..count).for_each(|r| _ = writeln!(rows, "1 f{turns}_{r} >= 1 ;"));
    let (variables, constraints) = ((turns + 1) * count + turns * colours, turns + 2 * (turns + 1) * count);
    let mut text = format!("* #variable= {variables} #constraint= {constraints}\n");
    let _ = writeln!(text, "* Flood-It, number of moves: {turns}. f<t>_<r>: region r is flooded after t moves.");
    let _ = writeln!(text, "* m<t>_<c>: move t is colour c. The board, a region in each cell, then the colours:");
    let names = board.symbols().iter().enumerate().map(|(c, name)| format!("{c} = {name}"));
    let names = names.collect::<Vec<_>>().join(", ");
    for row in regions.of_cell.chunks(board.cols()) {
        let row: Vec<_> = row.iter().map(|&r| format!("{r}:{}", regions.colour[r])).collect();
        let _ = writeln!(text, "* {}", row.join(" "));
    }
    let _ = writeln!(text, "* {}", names.replace(['\n', '\r'], " "));
    text + &rows
}

/// A proof that is being written.
struct Proof<'a> {
    puzzle: &'a Puzzle,
    turns: usize,
    monitor: &'a Monitor<'a>,
    text: String,
}

impl Proof<'_> {
    /// The records of each level, beginning with the start: each child of a record is refuted, or a record of the next
    /// level contains it.
    fn levels(&self) -> Result<Vec<Vec<Flood<WIDTH>>>, ProofError> {
        let (mut levels, mut children) = (vec![vec![self.puzzle.root()]], Vec::new());
        for t in 0..self.turns {
            for flood in &levels[t] {
                self.monitor.count_expansion();
                self.check_limits(size_of_val(&children[..]))?;
                self.puzzle.all_successors(flood, &mut children);
            }
            let floods = children.drain(..).map(|child| child.state);
            let mut floods: Vec<_> = floods.filter(|flood| !self.refutes(flood, t + 1)).collect();
            floods.sort_unstable_by_key(|flood| (Reverse(bits::count(&flood.flooded)), flood.flooded));
            if floods.first().is_some_and(|flood| flood.flooded == self.puzzle.all_regions) {
                return Err(ProofError::Solved(t as Cost + 1));
            }
            let mut level: Vec<Flood<WIDTH>> = Vec::new();
            for flood in floods {
                if !level.iter().any(|larger| bits::is_subset(&flood.flooded, &larger.flooded)) {
                    level.push(flood);
                }
            }
            levels.push(level);
        }
        Ok(levels)
    }

    /// Whether the schedule of the last moves refutes a flood after `t` turns.
    fn refutes(&self, flood: &Flood<WIDTH>, t: usize) -> bool {
        end_of_schedule(release_times(self.puzzle, flood)) as usize > self.turns - t
    }

    /// Checks the limits. `bytes` is the number of bytes in use besides the proof.
    fn check_limits(&self, bytes: usize) -> Result<(), ProofError> {
        self.monitor.gauges.set_bytes((bytes + self.text.len()) as u64);
        self.monitor.check_limits();
        self.monitor.stop_reason().map_or(Ok(()), |reason| Err(ProofError::Stopped(reason)))
    }

    /// Writes the whole proof. It says of each record, the last one first, that the flood is not within the record at
    /// the time of the record.
    fn write(&mut self, levels: &[Vec<Flood<WIDTH>>]) -> Result<(), ProofError> {
        self.text += "pseudo-Boolean proof version 3.0\n";
        let mut next: usize = levels.iter().map(Vec::len).sum();
        for (t, level) in levels.iter().enumerate().rev() {
            let (below, first) = (next, next - level.len());
            // The last level has floods only if there are no turns at all. Then the start contradicts the goal.
            let level = if t < self.turns { &level[..] } else { &[] };
            for (number, flood) in (first..).zip(level) {
                self.check_limits(0)?;
                self.write_record(number, t, flood);
            }
            // The levels before this one do not need the records of the level after it.
            let end = below + levels.get(t + 1).map_or(0, Vec::len);
            (below..end).for_each(|number| _ = writeln!(self.text, "del id @s{number} ;"));
            next = first;
        }
        self.text += "rup >= 1 ;\noutput NONE ;\nconclusion UNSAT : -1 ;\nend pseudo-Boolean proof ;\n";
        Ok(())
    }

    /// Writes that the flood is not within a record: no child of the record is possible, and neither is a turn without
    /// a child.
    fn write_record(&mut self, number: usize, t: usize, flood: &Flood<WIDTH>) {
        let mut children = Vec::new();
        self.puzzle.all_successors(flood, &mut children);
        let _ = write!(self.text, "@s{number} pbc");
        let outside = bits::difference(&self.puzzle.all_regions, &flood.flooded);
        bits::elements(&outside).for_each(|r| _ = write!(self.text, " 1 f{t}_{r}"));
        self.text += " >= 1 : subproof\n";
        let mut by_bound = true;
        for child in &children {
            let is_refuted = self.refutes(&child.state, t + 1);
            self.refute(&format!("1 ~m{}_{} ", t + 1, child.mv), t + 1, &child.state, is_refuted);
            by_bound &= is_refuted;
        }
        self.refute("", t + 1, flood, by_bound);
        self.text += "qed : -1 ;\n";
    }

    /// Writes that the flood is not within `flood` after `t` turns, or that the literal `escape` holds.
    fn refute(&mut self, escape: &str, t: usize, flood: &Flood<WIDTH>, by_bound: bool) {
        if by_bound {
            self.write_bound(escape, t, flood);
        }
        let _ = writeln!(self.text, "rup {escape}>= 1 ;");
    }

    /// Writes why the bound refutes `flood` after `t` turns: for some d, the colours with a region that takes more than
    /// d turns to reach are more than the turns that remain after d turns.
    fn write_bound(&mut self, escape: &str, t: usize, flood: &Flood<WIDTH>) {
        let (times, remaining) = (&release_times(self.puzzle, flood), self.turns - t);
        let late = |d| (0..times.len()).filter(move |&colour| times[colour] as usize > d).take(remaining - d + 1);
        let Some(d) = (0..=remaining).rev().find(|&d| late(d).count() > remaining - d) else { return };
        if d == remaining {
            return; // Unit propagation alone finds that the goal needs a region out of reach.
        }
        for colour in late(d) {
            let _ = write!(self.text, "rup {escape}");
            (t + d + 1..=self.turns).for_each(|t| _ = write!(self.text, "1 m{t}_{colour} "));
            self.text += ">= 1 ;\n";
        }
        self.text += "pol -1";
        (2..=remaining - d + 1).for_each(|back| _ = write!(self.text, " -{back} +"));
        // The row of turn `t` has the number `t`.
        (t + d + 1..=self.turns).for_each(|t| _ = write!(self.text, " {t} +"));
        self.text += " ;\n";
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::random_board;
    use super::*;
    use gridhunt_search::runtime::{Limits, Silent, StopToken};
    use std::collections::{HashMap, HashSet};

    /// The rows of a formula: the number of literals that have to hold, and the literals, each a variable and its
    /// value.
    struct Formula {
        rows: Vec<(usize, Vec<(usize, bool)>)>,
        names: Vec<String>,
        /// The rows of each variable.
        of: Vec<Vec<usize>>,
    }

    impl Formula {
        fn read(text: &str) -> Self {
            let (mut rows, mut names, mut numbers) = (Vec::new(), Vec::new(), HashMap::new());
            for line in text.lines().filter(|line| !line.starts_with('*')) {
                let (left, right) = line.strip_suffix(" ;").unwrap().split_once(">= ").unwrap();
                let words: Vec<_> = left.split_whitespace().collect();
                let literal = |term: &[&str]| {
                    assert_eq!(term[0], "1");
                    let name = term[1].trim_start_matches('~').to_owned();
                    let number = *numbers.entry(name.clone()).or_insert_with(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    (number, !term[1].starts_with('~'))
                };
                rows.push((right.parse().unwrap(), words.chunks(2).map(literal).collect::<Vec<_>>()));
            }
            let mut of = vec![Vec::new(); names.len()];
            for (row, (_, literals)) in rows.iter().enumerate() {
                literals.iter().for_each(|&(variable, _)| of[variable].push(row));
            }
            let head = format!("* #variable= {} #constraint= {}", names.len(), rows.len());
            assert_eq!(text.lines().next(), Some(&*head));
            Self { rows, names, of }
        }

        /// Whether a row may still hold, or holds if every variable has a value.
        fn may_hold(&self, row: usize, values: &[Option<bool>]) -> bool {
            let (least, literals) = &self.rows[row];
            literals.iter().filter(|&&(of, value)| values[of].is_none_or(|is| is == value)).count() >= *least
        }

        /// Whether the formula has a solution, by trying all values of all variables.
        fn is_satisfiable(&self, values: &mut Vec<Option<bool>>) -> bool {
            let Some(next) = values.iter().position(Option::is_none) else { return true };
            for value in [false, true] {
                values[next] = Some(value);
                if self.of[next].iter().all(|&row| self.may_hold(row, values)) && self.is_satisfiable(values) {
                    return true;
                }
            }
            values[next] = None;
            false
        }
    }

    /// The flooded regions after each move, by the plain rules.
    fn floods(regions: &Regions, moves: &[usize]) -> Vec<HashSet<usize>> {
        let mut floods = vec![HashSet::from([regions.start])];
        for &colour in moves {
            let last = &floods[floods.len() - 1];
            let joins = |r: &usize| usize::from(regions.colour[*r]) == colour;
            let reached = last.iter().flat_map(|&r| &regions.neighbours[r]).copied().filter(joins);
            floods.push(last.iter().copied().chain(reached).collect());
        }
        floods
    }

    /// All sequences of `turns` moves.
    fn words(colours: usize, turns: usize) -> impl Iterator<Item = Vec<usize>> {
        (0..colours.pow(turns as u32))
            .map(move |word| (0..turns).map(|at| word / colours.pow(at as u32) % colours).collect())
    }

    #[test]
    fn the_formula_says_what_the_rules_say() {
        let mut solved = 0;
        for index in 0..8 {
            let board = random_board(2 + index as usize % 2, 3, 2 + index as usize % 3, index);
            let regions = Regions::of(&board);
            for turns in 0..5 {
                let formula = Formula::read(&formula(&board, &regions, turns));
                let mut solutions = 0;
                for word in words(board.colours(), turns) {
                    let floods = floods(&regions, &word);
                    let value = |name: &String| {
                        let (turn, of) = name[1..].split_once('_').unwrap();
                        let (turn, of): (usize, usize) = (turn.parse().unwrap(), of.parse().unwrap());
                        Some(if name.starts_with('f') { floods[turn].contains(&of) } else { word[turn - 1] == of })
                    };
                    let values: Vec<_> = formula.names.iter().map(value).collect();
                    let holds = (0..formula.rows.len()).all(|row| formula.may_hold(row, &values));
                    assert_eq!(holds, floods[turns].len() == regions.count(), "{word:?}");
                    solutions += usize::from(holds);
                }
                let mut values = vec![None; formula.names.len()];
                assert_eq!(formula.is_satisfiable(&mut values), solutions > 0, "board {index}, {turns} turns");
                solved += solutions;
            }
        }
        assert!(solved > 20, "{solved}");
    }

    fn proof(board: &Board, bound: u32, threads: usize, limits: Limits) -> Result<BoundCertificate, PuzzleError> {
        let stop = StopToken::new();
        let context = Context::new(threads, limits, &Silent, &stop);
        prove(board, &CertificateClaim { bound, moves: None }, &context)
    }

    #[test]
    fn proofs_are_of_true_claims_and_the_same_for_any_number_of_threads() {
        let board = random_board(9, 9, 5, 4);
        let proof = |bound, threads| proof(&board, bound, threads, Limits::default());
        let optimum = (1..).take_while(|&bound| proof(bound, 1).is_ok()).last().unwrap();
        assert!(optimum > 5);
        let (one, two) = (proof(optimum, 1).unwrap(), proof(optimum, 2).unwrap());
        assert_eq!(one, two);
        let text = String::from_utf8(one.bytes).unwrap();
        assert_eq!(text.matches(" pbc ").count(), one.records);
        assert!(text.contains("\npol "), "the bound refuted no child");
        assert!(matches!(proof(0, 1), Err(PuzzleError::NotCertified { reason: ProofError::Solved(0), .. })));
        let too_high = proof(optimum + 1, 1);
        assert!(matches!(too_high, Err(PuzzleError::NotCertified { reason: ProofError::Solved(_), .. })));
    }

    #[test]
    fn limits_end_the_making() {
        let board = random_board(12, 12, 6, 4);
        let limits = Limits { expansions: Some(2), ..Limits::default() };
        let stopped = proof(&board, 12, 1, limits);
        assert!(
            matches!(stopped, Err(PuzzleError::NotCertified { reason: ProofError::Stopped(_), .. })),
            "{stopped:?}"
        );
    }
}
