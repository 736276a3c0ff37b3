//! Candidates for new fragments, and observational equivalence: one fragment is stored for each semantics.

use super::fragments::{Fragments, chunk_len};
use super::recipe::{Id, Recipe, Row};
use crate::workspace::Workspace;
use foldhash::fast::FixedState;
use gridhunt_search::engine::Workers;
use std::collections::HashMap;

/// A fragment whose semantics may be new.
pub(super) struct Candidate {
    pub(super) fingerprint: u32,
    pub(super) recipe: Recipe,
    /// An upper bound on the number of goals that the fragment marks.
    pub(super) max_marks: u16,
}

impl Candidate {
    fn row(&self) -> Row {
        self.recipe.to_row(self.max_marks)
    }
}

/// The stored fragment or the earlier candidate to which a candidate is equivalent.
enum Equivalent {
    Fragment(Id),
    /// An earlier candidate, by its index.
    Candidate(usize),
}

/// Stores the candidates that are equivalent to no stored fragment, unit by unit ([`Unit`](super::growth::Unit)).
/// `unit_ends` has the end of each unit in `candidates`. Returns the number of processed units: all, unless `may_stop`
/// is true and the search is to stop. Fragments are numbered in the order of the candidates, whatever the threads and
/// batches are.
pub(super) fn store_new(
    fragments: &mut Fragments<'_>,
    candidates: &[Candidate],
    unit_ends: &[usize],
    may_stop: bool,
    workers: &Workers<'_>,
) -> usize {
    let previous = previous_with_same_fingerprint(candidates);
    let is_stored = |at: usize| fragments.rows.find(candidates[at].fingerprint, |_| true).is_some();
    let needs_comparison = |&at: &usize| previous[at].is_some() || is_stored(at);
    let to_compare: Vec<usize> = (0..candidates.len()).filter(needs_comparison).collect();
    let (bank, shape) = (&*fragments, fragments.shape);
    let compare = |workspace: &mut Workspace, &at: &usize| equivalent_to(bank, candidates, &previous, at, workspace);
    let scratch = || Workspace::new(shape);
    let equivalents = if may_stop {
        workers.map_first(&to_compare, chunk_len(shape), scratch, |workspace, at| Some(compare(workspace, at)))
    } else {
        workers.map_all(&to_compare, chunk_len(shape), scratch, compare)
    };
    // The number of candidates before the first one that was not compared.
    let compared = to_compare.get(equivalents.len()).copied().unwrap_or(candidates.len());
    let units = unit_ends.partition_point(|&end| end <= compared);
    let candidates = &candidates[..units.checked_sub(1).map_or(0, |last| unit_ends[last])];
    let mut equivalents = to_compare.into_iter().zip(equivalents).peekable();
    let mut ids: Vec<Id> = Vec::with_capacity(candidates.len());
    for (at, candidate) in candidates.iter().enumerate() {
        let equivalent_id = match equivalents.next_if(|(of, _)| *of == at).and_then(|(_, equivalent)| equivalent) {
            Some(Equivalent::Fragment(id)) => Some(id),
            Some(Equivalent::Candidate(at)) => Some(ids[at]),
            None => None,
        };
        ids.push(equivalent_id.unwrap_or(fragments.len() as Id));
        match equivalent_id {
            Some(id) => choose_representative(fragments, id, candidate),
            None => fragments.rows.add(candidate.fingerprint, &candidate.row()),
        }
    }
    units
}

/// For each candidate, the last earlier candidate with the same fingerprint.
fn previous_with_same_fingerprint(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut last: HashMap<u32, usize, FixedState> = HashMap::default();
    candidates.iter().enumerate().map(|(at, candidate)| last.insert(candidate.fingerprint, at)).collect()
}

/// A stored fragment or an earlier candidate with the same semantics, on all goals, as candidate `at`.
fn equivalent_to(
    fragments: &Fragments<'_>,
    candidates: &[Candidate],
    previous: &[Option<usize>],
    at: usize,
    workspace: &mut Workspace,
) -> Option<Equivalent> {
    let semantics = fragments.compute(candidates[at].recipe, workspace);
    let mut others = std::iter::successors(previous[at], |&other| previous[other]);
    let candidate = others.find(|&other| {
        let other = fragments.compute(candidates[other].recipe, workspace);
        let is_equal = semantics == other;
        workspace.recycle(other);
        is_equal
    });
    let equivalent = candidate.map(Equivalent::Candidate).or_else(|| {
        let stored = fragments.rows.find(candidates[at].fingerprint, |id| {
            let stored = fragments.semantics(id, workspace);
            let is_equal = semantics == *stored;
            workspace.recycle_computed(stored);
            is_equal
        });
        stored.map(Equivalent::Fragment)
    });
    workspace.recycle(semantics);
    equivalent
}

/// Makes the lexically smaller one of two equivalent fragments of the level under construction the representative, with
/// the smaller bound on the marks.
fn choose_representative(fragments: &mut Fragments<'_>, id: Id, candidate: &Candidate) {
    let is_of_this_level = fragments.tokens(id) > fragments.depth();
    let (recipe, max_marks) = fragments.entry(id);
    let is_smaller = is_of_this_level && fragments.order(candidate.recipe, recipe).is_lt();
    let chosen = (if is_smaller { candidate.recipe } else { recipe }, candidate.max_marks.min(max_marks));
    if chosen != (recipe, max_marks) {
        fragments.rows.replace(id, &chosen.0.to_row(chosen.1));
    }
}
