//! Candidates for new fragments, and observational equivalence: a fragment is stored once for each semantics.

use super::fragments::{Fragments, chunk};
use super::recipe::{Id, Recipe, Row};
use crate::workspace::Workspace;
use foldhash::fast::FixedState;
use gridhunt_search::engine::Workers;
use std::collections::HashMap;

/// A fragment that may have a semantics which no stored fragment has.
pub(super) struct Candidate {
    pub(super) fingerprint: u32,
    pub(super) recipe: Recipe,
    /// An upper bound on the goals that the fragment marks.
    pub(super) marks: u16,
}

impl Candidate {
    fn row(&self) -> Row {
        self.recipe.to_row(self.marks)
    }
}

/// The stored fragment or the earlier candidate to which a candidate is equivalent.
enum Equivalent {
    Fragment(Id),
    /// An earlier candidate, by its index.
    Candidate(usize),
}

/// Takes the candidates unit by unit (units of work, `growth::Unit`), and stores each to which no stored fragment is
/// equivalent. `ends` has the end of each unit in `candidates`. Returns the number of units that it took: all of them,
/// unless `may_stop` is true and the search is to stop. Fragments are numbered in the order of the candidates, so
/// numbers depend neither on threads nor on where batches begin.
pub(super) fn store_new(
    fragments: &mut Fragments<'_>,
    candidates: &[Candidate],
    ends: &[usize],
    may_stop: bool,
    workers: &Workers<'_>,
) -> usize {
    let before = previous_with_same_fingerprint(candidates);
    let is_doubtful =
        |&at: &usize| before[at].is_some() || fragments.find(candidates[at].fingerprint, |_| true).is_some();
    let doubtful: Vec<usize> = (0..candidates.len()).filter(is_doubtful).collect();
    let (known, shape) = (&*fragments, fragments.shape);
    let compare = |workspace: &mut Workspace, &at: &usize| find_equivalent(known, candidates, &before, at, workspace);
    let scratch = || Workspace::new(shape);
    let equivalents = if may_stop {
        workers.map_first(&doubtful, chunk(shape), scratch, |workspace, at| Some(compare(workspace, at)))
    } else {
        workers.map_all(&doubtful, chunk(shape), scratch, compare)
    };
    // The candidates before the first one that was not compared.
    let decided = doubtful.get(equivalents.len()).copied().unwrap_or(candidates.len());
    let units = ends.partition_point(|&end| end <= decided);
    let candidates = &candidates[..units.checked_sub(1).map_or(0, |last| ends[last])];
    let mut equivalents = doubtful.into_iter().zip(equivalents).peekable();
    let mut ids: Vec<Id> = Vec::with_capacity(candidates.len());
    for (at, candidate) in candidates.iter().enumerate() {
        let known = match equivalents.next_if(|(of, _)| *of == at).and_then(|(_, equivalent)| equivalent) {
            Some(Equivalent::Fragment(id)) => Some(id),
            Some(Equivalent::Candidate(at)) => Some(ids[at]),
            None => None,
        };
        ids.push(known.unwrap_or(fragments.len() as Id));
        match known {
            Some(known) => choose_smaller(fragments, known, candidate),
            None => fragments.add(candidate.fingerprint, &candidate.row()),
        }
    }
    units
}

/// Finds for each candidate the last candidate before it with the same fingerprint.
fn previous_with_same_fingerprint(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut last: HashMap<u32, usize, FixedState> = HashMap::default();
    candidates.iter().enumerate().map(|(at, candidate)| last.insert(candidate.fingerprint, at)).collect()
}

/// Finds a stored fragment or an earlier candidate that has the same semantics, on all goals, as candidate `at`.
fn find_equivalent(
    fragments: &Fragments<'_>,
    candidates: &[Candidate],
    before: &[Option<usize>],
    at: usize,
    workspace: &mut Workspace,
) -> Option<Equivalent> {
    let semantics = fragments.compute(candidates[at].recipe, workspace);
    let mut others = std::iter::successors(before[at], |&other| before[other]);
    let of_candidates = others.find(|&other| {
        let other = fragments.compute(candidates[other].recipe, workspace);
        let is_equal = semantics == other;
        workspace.give(other);
        is_equal
    });
    let equivalent = of_candidates.map(Equivalent::Candidate).or_else(|| {
        let known = fragments.find(candidates[at].fingerprint, |known| {
            let known = fragments.semantics(known, workspace);
            let is_equal = semantics == *known;
            workspace.give_back(known);
            is_equal
        });
        known.map(Equivalent::Fragment)
    });
    workspace.give(semantics);
    equivalent
}

/// Lets the lexically smaller one of two equivalent fragments of the level under construction represent both, and keeps
/// the smaller bound on their marks.
fn choose_smaller(fragments: &mut Fragments<'_>, known: Id, candidate: &Candidate) {
    let is_of_this_level = fragments.tokens(known) > fragments.depth();
    let (recipe, marks) = fragments.entry(known);
    let is_smaller = is_of_this_level && fragments.order(candidate.recipe, recipe).is_lt();
    let chosen = (if is_smaller { candidate.recipe } else { recipe }, candidate.marks.min(marks));
    if chosen != (recipe, marks) {
        fragments.replace(known, &chosen.0.to_row(chosen.1));
    }
}
