//! Admissible lower bounds of Flood-It, and their maximum.
//!
//! A new bound is one file here and a line in `registry.rs`.

mod adaptive;
mod critical;
mod distance;
mod elimination;
mod layers;
mod pair_tables;
mod pairs;
mod registry;
mod release;

pub use registry::BoundKind;

use super::{Flood, FloodIt, bits};
use distance::Distances;
use elimination::{Balls, Stages};
use gridhunt_search::domain::{Bound, BuildContext, Cost, LowerBound};
use pair_tables::PairTables;
use std::sync::{Arc, OnceLock};

/// Which lower bounds to take the maximum of, as `--bound` names them: `elimination+release`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSpec(Vec<BoundKind>);

/// A name in `--bound` that no bound has.
#[derive(Debug, thiserror::Error)]
#[error("found bound {found:?}, expected one or several (joined by +) of: {expected}")]
pub struct UnknownBound {
    /// The unknown name.
    pub found: String,
    /// The names that there are.
    pub expected: String,
}

impl BoundSpec {
    /// Whether the search makes tables for it, or may do so.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.0.iter().any(|kind| matches!(kind, BoundKind::Pairs | BoundKind::Adaptive))
    }

    /// Whether tables are built before the search begins.
    #[must_use]
    pub fn has_tables_at_start(&self) -> bool {
        self.0.contains(&BoundKind::Pairs)
    }

    /// Exactly these bounds.
    #[must_use]
    pub fn new(kinds: &[BoundKind]) -> Self {
        Self(kinds.to_vec())
    }
}

impl std::str::FromStr for BoundSpec {
    type Err = UnknownBound;

    fn from_str(text: &str) -> Result<Self, UnknownBound> {
        text.split('+')
            .map(|name| {
                BoundKind::ALL.into_iter().find(|b| b.name() == name).ok_or_else(|| UnknownBound {
                    found: name.to_owned(),
                    expected: BoundKind::ALL.map(BoundKind::name).join(", "),
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl std::fmt::Display for BoundSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.iter().map(|b| b.name()).collect::<Vec<_>>().join("+"))
    }
}

impl Default for BoundSpec {
    fn default() -> Self {
        Self(vec![BoundKind::Adaptive])
    }
}

/// For each colour the least number of moves that may reach all its regions; 0 for a finished one.
#[cfg(not(target_family = "wasm"))]
pub(super) fn release_times<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Vec<Cost> {
    Distances::default().measure(puzzle, state).release().to_vec()
}

/// The maximum of the bounds of a [`BoundSpec`].
#[derive(Clone, Debug)]
pub struct FloodBound<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    spec: BoundSpec,
    /// Tables of pairs, if the specification names them or a search showed that they are needed.
    walkers: Option<Arc<PairTables<W>>>,
    /// Whether the tables were made by [`LowerBound::refine`].
    is_refined: bool,
    /// The most bytes of the tables, the work for them included.
    table_bytes: u64,
    /// What lies around each region, for explanations; made when it is needed first.
    balls: Arc<OnceLock<Balls<W>>>,
}

/// The most bytes of tables by default, the work for them included.
pub const TABLE_BYTES: u64 = 1 << 30;

/// The expected expansions from which on the tables of targets for a sample pay with six colours: they take as long as
/// some 30,000 expansions on boards of 21 x 21.
const REFINE_AFTER: u64 = 20_000;

/// The most targets for a sample.
const TARGETS: usize = 64;

/// The first byte of a serialized refined bound. Earlier forms began with a stage, 1 to 4, or with 0x10.
const FORM: u8 = 0x11;

/// The cost of an evaluation of pairs, relative to six colours: refining pays after so many times more expansions. An
/// evaluation looks at more targets with more colours, while elimination does not. On 14x14 with eight colours, boards
/// of a million expansions take about as long with pairs as without.
fn cost_factor<const W: usize>(puzzle: &FloodIt<W>) -> u64 {
    match puzzle.colours() {
        0..=6 => 1,
        7 => 5,
        _ => 50,
    }
}

/// Working memory of the bounds.
#[derive(Clone, Debug, Default)]
pub struct BoundScratch<const W: usize> {
    distances: Distances<W>,
    /// A memo that nobody keeps.
    memo: Vec<u8>,
    stages: Stages<W>,
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bounds of `spec` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, spec: &BoundSpec) -> Self {
        Self::within(puzzle, spec, TABLE_BYTES, &BuildContext::alone(&|| false))
    }

    /// [`FloodBound::new`], with tables that take so many bytes at most, the work for them included; without, where
    /// there is no time to make them, or no room.
    #[must_use]
    pub fn within(puzzle: &'a FloodIt<W>, spec: &BoundSpec, table_bytes: u64, build: &BuildContext<'_>) -> Self {
        let walkers = if spec.has_tables_at_start() {
            PairTables::from_start(puzzle, table_bytes, build).map(Arc::new)
        } else {
            None
        };
        Self { puzzle, spec: spec.clone(), walkers, is_refined: false, table_bytes, balls: Arc::default() }
    }

    /// The maximum of the bounds that need no tables.
    #[inline]
    fn plain(&self, state: &Flood<W>, enough: Cost, distances: &mut Distances<W>) -> Cost {
        let mut best = 0;
        for kind in &self.spec.0 {
            best = best.max(kind.evaluate(self.puzzle, state, enough, distances));
            if best >= enough {
                break;
            }
        }
        best
    }
}

impl<const W: usize> LowerBound<FloodIt<W>> for FloodBound<'_, W> {
    type Scratch = BoundScratch<W>;

    /// An adaptive bound has the name of the bounds that it consists of by now.
    fn name(&self) -> String {
        let mut names: Vec<_> = self
            .spec
            .0
            .iter()
            .map(|kind| match kind {
                BoundKind::Adaptive => BoundKind::Elimination.name(),
                kind => kind.name(),
            })
            .collect();
        if self.walkers.is_some() && !self.spec.has_tables_at_start() {
            names.push(BoundKind::Pairs.name());
        }
        names.join("+")
    }

    #[inline]
    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut BoundScratch<W>) -> Bound {
        let best = self.plain(state, enough, &mut scratch.distances);
        match &self.walkers {
            Some(walkers) if best < enough => {
                let BoundScratch { distances, memo, .. } = scratch;
                memo.clear();
                Bound(best.max(walkers.write_memo(self.puzzle, state, distances, memo)))
            }
            _ => Bound(best),
        }
    }

    /// Elimination explains itself, whatever else the bound consists of.
    fn explain(
        &self,
        state: &Flood<W>,
        need: Cost,
        wanted: &[u64],
        out: &mut [u64],
        scratch: &mut BoundScratch<W>,
    ) -> bool {
        let explains = |kind| matches!(kind, &BoundKind::Elimination | &BoundKind::Adaptive);
        if !self.spec.0.iter().any(explains) {
            return false;
        }
        let balls = self.balls.get_or_init(|| Balls::of(self.puzzle));
        let mut of_words = bits::empty();
        of_words.iter_mut().zip(wanted).for_each(|(word, wanted)| *word = *wanted);
        let Some(reason) = elimination::explain(self.puzzle, state, need, &of_words, (balls, &mut scratch.stages))
        else {
            return false;
        };
        out.fill(0);
        out.iter_mut().zip(reason).for_each(|(out, word)| *out = word);
        true
    }

    fn memo_len(&self) -> usize {
        self.walkers.as_ref().map_or(0, |walkers| walkers.memo_len())
    }

    fn evaluate_refinement(
        &self,
        parent: Option<(&[u8], &[u8])>,
        key: &[u8],
        enough: Cost,
        scratch: &mut BoundScratch<W>,
        memo: &mut Vec<u8>,
    ) -> Bound {
        let Some(walkers) = &self.walkers else { return Bound(0) };
        let set = bits::of_key(key);
        Bound(match parent {
            Some((parent, of_parent)) => {
                walkers.follow_memo(self.puzzle, (&bits::of_key(parent), of_parent), &set, enough, memo)
            }
            None => {
                let state = self.puzzle.flood(set);
                walkers.write_memo(self.puzzle, &state, &mut scratch.distances, memo).min(enough)
            }
        })
    }

    /// All are. A flood that contains another sees at least as much: each region is as near, and each colour that is
    /// finished in the smaller flood is finished in the larger one. For `elimination`, what is flooded after i whole
    /// turns and all eliminations that are possible then contains the same for the smaller flood. For pairs, walkers
    /// may start wherever they may start in the smaller flood, so no distance is larger, and f grows with the
    /// distances.
    fn is_antitone(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        let balls = self.balls.get().map_or(0, Balls::bytes);
        self.walkers.as_ref().map_or(0, |walkers| walkers.bytes()) + balls
    }

    fn refine_after(&self) -> Option<u64> {
        if self.walkers.is_none() && !self.spec.0.contains(&BoundKind::Adaptive) {
            return None;
        }
        Some(REFINE_AFTER * cost_factor(self.puzzle))
    }

    /// The tables of the new bound replace those of this one.
    fn refine(&self, sample: &[Flood<W>], build: &BuildContext<'_>) -> Option<Self> {
        self.refine_after()?;
        let mut scratch = BoundScratch::default();
        let mut goals = Vec::new();
        for state in sample {
            if (build.cancelled)() {
                return None;
            }
            let h = self.evaluate(state, Cost::MAX, &mut scratch).0;
            goals.push((*state, h + 1));
        }
        let walkers = PairTables::refined(self.puzzle, &goals, (TARGETS, self.table_bytes), build)?;
        Some(Self { walkers: Some(Arc::new(walkers)), is_refined: true, ..self.clone() })
    }

    fn serialize_refinement(&self) -> Vec<u8> {
        let Some(walkers) = self.walkers.as_ref().filter(|_| self.is_refined) else { return Vec::new() };
        // The form, and two regions for each target.
        let mut serialized = vec![FORM];
        for region in walkers.targets().flatten() {
            serialized.extend(region.to_le_bytes());
        }
        serialized
    }

    fn restore_refinement(&self, serialized: &[u8], build: &BuildContext<'_>) -> Option<Self> {
        self.refine_after()?;
        let (targets, rest) = serialized.strip_prefix(&[FORM])?.as_chunks::<4>();
        if targets.is_empty() || !rest.is_empty() {
            return None;
        }
        let targets: Vec<_> = targets.iter().map(|&[a, b, c, d]| [[a, b], [c, d]].map(u16::from_le_bytes)).collect();
        let walkers = PairTables::of_targets(self.puzzle, &targets, build)?;
        Some(Self { walkers: Some(Arc::new(walkers)), is_refined: true, ..self.clone() })
    }

    /// All are: `critical`, `elimination` and `pair_tables` have proofs beside them, and a move brings each distance of
    /// which the others take the greatest down by one at most. The greatest of consistent bounds is consistent.
    fn consistent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{puzzle, random_board, walk};
    use super::*;

    #[test]
    fn names_and_back() {
        for kind in BoundKind::ALL {
            assert_eq!(kind.name().parse::<BoundSpec>().unwrap(), BoundSpec::new(&[kind]));
        }
        let several: BoundSpec = "critical+layers".parse().unwrap();
        assert_eq!(several, BoundSpec::new(&[BoundKind::Critical, BoundKind::Layers]));
        assert_eq!(several.to_string(), "critical+layers");
        assert_eq!(BoundSpec::default().to_string(), "adaptive");
    }

    #[test]
    fn unknown_names_are_named() {
        for (text, found) in [("", ""), ("layer", "layer"), ("layers+", ""), ("layers+Release", "Release")] {
            let error = text.parse::<BoundSpec>().unwrap_err();
            assert_eq!(error.found, found);
            assert!(error.to_string().contains("layers, release, critical, elimination, pairs, adaptive"), "{error}");
        }
    }

    /// Without time for tables, the bound is the maximum of the others.
    #[test]
    fn without_time_there_are_no_tables() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, 8));
        let [late, whole] = [true, false].map(|is_late| {
            FloodBound::within(
                &puzzle,
                &"pairs+layers".parse().unwrap(),
                TABLE_BYTES,
                &BuildContext::alone(&|| is_late),
            )
        });
        assert!(late.bytes() == 0 && whole.bytes() > 0);
        let layers = FloodBound::new(&puzzle, &BoundSpec::new(&[BoundKind::Layers]));
        let mut scratch = BoundScratch::default();
        for state in (0..5).flat_map(|seed| walk(&puzzle, seed)) {
            let said = [&late, &layers].map(|bound| bound.evaluate(&state, Cost::MAX, &mut scratch));
            assert_eq!(said[0], said[1]);
        }
        // Made later, they are what they would have been: a search that is gone on with needs no recipe for them.
        assert_eq!((late.serialize_refinement(), whole.serialize_refinement()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_refined_bound_is_built_again_from_its_own_form_alone() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, 8));
        let plain = FloodBound::new(&puzzle, &BoundSpec::default());
        let sample: Vec<_> = (0..4).flat_map(|seed| walk(&puzzle, seed)).collect();
        let build = BuildContext::alone(&|| false);
        let refined = plain.refine(&sample, &build).expect("targets for these states");
        let serialized = refined.serialize_refinement();
        let targets = &serialized[1..];
        assert!(serialized[0] == FORM && targets.len() >= 8 && targets.len() % 4 == 0, "{serialized:?}");
        let restored = plain.restore_refinement(&serialized, &build).expect("its own form");
        assert_eq!(restored.serialize_refinement(), serialized);
        // Earlier forms: the stage, then three regions for each target, the last one twice where there are two; and the
        // number of the form, the stage, and two regions.
        let of_three = |number: usize| -> Vec<u8> {
            let of_three = targets.chunks_exact(4).take(number).flat_map(|pair| [pair, &pair[2..]].concat());
            std::iter::once(1).chain(of_three).collect()
        };
        assert!((1..=targets.len() / 4).all(|number| plain.restore_refinement(&of_three(number), &build).is_none()));
        assert!(plain.restore_refinement(&[&[0x10, 1], targets].concat(), &build).is_none());
        // Bytes cut off, no targets, a region that there is none of, a bound that is never refined.
        for length in (0..serialized.len()).filter(|length| *length < 2 || (length - 1) % 4 != 0) {
            assert!(plain.restore_refinement(&serialized[..length], &build).is_none(), "{length} bytes");
        }
        let mut bent = serialized.clone();
        bent[4] = 0xFF;
        assert!(plain.restore_refinement(&bent, &build).is_none());
        let layers = FloodBound::new(&puzzle, &BoundSpec::new(&[BoundKind::Layers]));
        assert!(layers.restore_refinement(&serialized, &build).is_none() && layers.refine(&sample, &build).is_none());
    }

    /// Tables are chosen anew each time, and those of the start go as well.
    #[test]
    fn a_bound_is_refined_again_and_again() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, 8));
        let sample: Vec<_> = (0..4).flat_map(|seed| walk(&puzzle, seed)).collect();
        let build = BuildContext::alone(&|| false);
        for spec in ["adaptive", "elimination+pairs"] {
            let mut last = FloodBound::new(&puzzle, &spec.parse().unwrap());
            let mut times = 0;
            while let Some(refined) = last.refine(&sample, &build).filter(|_| times < 3) {
                assert_eq!(refined.name(), "elimination+pairs");
                let targets = refined.walkers.as_ref().unwrap().targets().count();
                assert!(targets <= TARGETS && refined.serialize_refinement().len() == 1 + 4 * targets, "{targets}");
                (last, times) = (refined, times + 1);
            }
            assert!(times > 0, "{spec}");
        }
    }

    #[test]
    fn several_bounds_take_the_maximum() {
        let puzzle = puzzle::<4>(&random_board(12, 12, 5, 8));
        let mut scratch = BoundScratch::default();
        let (mut leaders, all) =
            (std::collections::BTreeSet::new(), FloodBound::new(&puzzle, &BoundSpec::new(&BoundKind::ALL)));
        for state in (0..30).flat_map(|seed| walk(&puzzle, seed)) {
            let each = BoundKind::ALL.map(|kind| {
                FloodBound::new(&puzzle, &BoundSpec::new(&[kind])).evaluate(&state, Cost::MAX, &mut scratch)
            });
            let most = each.into_iter().max().unwrap();
            assert_eq!(all.evaluate(&state, Cost::MAX, &mut scratch), most);
            leaders.extend((0..5).filter(|&kind| (0..5).all(|other| other == kind || each[other] < most)));
        }
        assert!(
            leaders.contains(&2) && leaders.contains(&3),
            "no state tells a maximum from a single bound: {leaders:?}"
        );
    }
}
