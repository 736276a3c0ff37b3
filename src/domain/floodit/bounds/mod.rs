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

use super::{Flood, FloodIt};
use crate::domain::{Bound, BuildContext, Cost, LowerBound};
use distance::Distances;
use pair_tables::{Memo, PairTables};
use std::sync::Arc;

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

/// The maximum of the bounds of a [`BoundSpec`].
#[derive(Clone, Debug)]
pub struct FloodBound<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    spec: BoundSpec,
    /// Tables of pairs, if the specification names them or a search showed that they are needed.
    walkers: Option<Arc<PairTables<W>>>,
    /// How often the tables were refined, and what they may take.
    stage: usize,
    table_bytes: u64,
}

/// The most bytes of tables by default, the work for them included.
pub const TABLE_BYTES: u64 = 1 << 30;

/// A point of a search at which the bound is refined.
#[derive(Debug)]
struct Stage {
    /// Expansions before that point, after the previous stage.
    refine_after: u64,
    /// The most targets that are added.
    targets: usize,
}

/// The stages of a search. The first is late enough to pay for the preparation of pairs, which takes as long as some
/// 30,000 expansions on boards of 21 x 21.
const STAGES: [Stage; 3] = [
    Stage { refine_after: 80_000, targets: 64 },
    Stage { refine_after: 3_000, targets: 128 },
    Stage { refine_after: 20_000, targets: 192 },
];

/// The first byte of a serialized refined bound. An earlier form had three regions for each target, and began with its
/// stage, 1 to 4.
const FORM: u8 = 0x10;

/// The cost of an evaluation of pairs, relative to six colours: the first stage comes so many times later. An
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
    memo: Memo<W>,
}

impl<'a, const W: usize> FloodBound<'a, W> {
    /// The bounds of `spec` on `puzzle`.
    #[must_use]
    pub fn new(puzzle: &'a FloodIt<W>, spec: &BoundSpec) -> Self {
        Self::within(puzzle, spec, TABLE_BYTES, &BuildContext::alone(&|| false))
    }

    /// [`FloodBound::new`], with tables that take so many bytes at most, the work for them included; without, where there
    /// is no time to make them, or no room.
    #[must_use]
    pub fn within(puzzle: &'a FloodIt<W>, spec: &BoundSpec, table_bytes: u64, build: &BuildContext<'_>) -> Self {
        let mut new = Self { puzzle, spec: spec.clone(), walkers: None, stage: 0, table_bytes };
        new.stage = new.first_stage();
        if new.stage > 0 {
            new.walkers = PairTables::from_start(puzzle, table_bytes, build).map(Arc::new);
        }
        new
    }

    /// The number of stages that are passed at the start: if the specification names pairs, targets far from the start
    /// replace those of the first stage.
    fn first_stage(&self) -> usize {
        usize::from(self.spec.0.contains(&BoundKind::Pairs))
    }

    /// The next stage.
    fn next_stage(&self) -> Option<&'static Stage> {
        STAGES.get(self.stage)
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
        if self.walkers.is_some() && self.first_stage() == 0 {
            names.push(BoundKind::Pairs.name());
        }
        names.join("+")
    }

    #[inline]
    fn evaluate(&self, state: &Flood<W>, enough: Cost, scratch: &mut BoundScratch<W>) -> Bound {
        let best = self.plain(state, enough, &mut scratch.distances);
        match &self.walkers {
            Some(walkers) if best < enough => {
                Bound(best.max(walkers.evaluate(self.puzzle, state, enough, &mut scratch.memo)))
            }
            _ => Bound(best),
        }
    }

    #[inline]
    fn evaluate_child(
        &self,
        parent: &Flood<W>,
        child: &Flood<W>,
        enough: Cost,
        scratch: &mut BoundScratch<W>,
    ) -> Bound {
        let best = self.plain(child, enough, &mut scratch.distances);
        match &self.walkers {
            Some(walkers) if best < enough => {
                let BoundScratch { distances, memo } = scratch;
                let whole = || self.plain(parent, Cost::MAX, distances);
                Bound(walkers.evaluate_child(self.puzzle, (parent, child), (best, enough), memo, whole))
            }
            _ => Bound(best),
        }
    }

    fn save_memo(&self, state: &Flood<W>, scratch: &mut BoundScratch<W>, out: &mut Vec<u8>) {
        if let Some(walkers) = &self.walkers {
            walkers.save(state, &mut scratch.memo, out);
        }
    }

    fn load_memo(&self, state: &Flood<W>, saved: &[u8], scratch: &mut BoundScratch<W>) {
        if let Some(walkers) = &self.walkers {
            walkers.load(self.puzzle, state, saved, &mut scratch.memo);
        }
    }

    fn bytes(&self) -> u64 {
        self.walkers.as_ref().map_or(0, |walkers| walkers.bytes())
    }

    fn refine_after(&self) -> Option<u64> {
        if self.walkers.is_none() && !self.spec.0.contains(&BoundKind::Adaptive) {
            return None;
        }
        let refine_after = self.next_stage()?.refine_after;
        Some(if self.stage == 0 { refine_after * cost_factor(self.puzzle) } else { refine_after })
    }

    fn refine(&self, sample: &[Flood<W>], build: &BuildContext<'_>) -> Option<Self> {
        let stage = self.next_stage()?;
        let mut scratch = BoundScratch::default();
        let mut goals: Vec<_> = Vec::new();
        for state in sample {
            if (build.cancelled)() {
                return None;
            }
            let h = self.evaluate(state, Cost::MAX, &mut scratch).0;
            goals.push((*state, h + 1));
        }
        let held = self.walkers.as_deref();
        let limits = (stage.targets, self.table_bytes);
        let walkers = PairTables::refined(held, self.puzzle, &goals, limits, build, &mut scratch.memo)?;
        Some(Self { walkers: Some(Arc::new(walkers)), stage: self.stage + 1, ..self.clone() })
    }

    fn serialize_refinement(&self) -> Vec<u8> {
        let Some(walkers) = self.walkers.as_ref().filter(|_| self.stage > self.first_stage()) else {
            return Vec::new();
        };
        // The form, the stage, and two regions for each target.
        let mut serialized = vec![FORM, self.stage as u8];
        for region in walkers.targets().flatten() {
            serialized.extend(region.to_le_bytes());
        }
        serialized
    }

    fn restore_refinement(&self, serialized: &[u8], build: &BuildContext<'_>) -> Option<Self> {
        let (&stage, targets) = serialized.strip_prefix(&[FORM])?.split_first()?;
        let (targets, rest) = targets.as_chunks::<4>();
        let stages = self.stage + 1..=STAGES.len();
        if self.refine_after().is_none() || !stages.contains(&usize::from(stage)) || !rest.is_empty() {
            return None;
        }
        let targets: Vec<_> = targets.iter().map(|&[a, b, c, d]| [[a, b], [c, d]].map(u16::from_le_bytes)).collect();
        let walkers = PairTables::of_targets(self.puzzle, &targets, build)?;
        Some(Self { walkers: Some(Arc::new(walkers)), stage: stage.into(), ..self.clone() })
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
        let targets = &serialized[2..];
        assert!(serialized[..2] == [FORM, 1] && targets.len() >= 8 && targets.len() % 4 == 0, "{serialized:?}");
        let restored = plain.restore_refinement(&serialized, &build).expect("its own form");
        assert_eq!(restored.serialize_refinement(), serialized);
        // The earlier form: the stage, then three regions for each target, the last one twice where there are two.
        let earlier = |number: usize| -> Vec<u8> {
            let of_three = targets.chunks_exact(4).take(number).flat_map(|pair| [pair, &pair[2..]].concat());
            std::iter::once(1).chain(of_three).collect()
        };
        assert!((1..=targets.len() / 4).all(|number| plain.restore_refinement(&earlier(number), &build).is_none()));
        // Bytes cut off, a stage that there is none of, a region that there is none of.
        for length in (0..serialized.len()).filter(|length| *length < 2 || (length - 2) % 4 != 0) {
            assert!(plain.restore_refinement(&serialized[..length], &build).is_none(), "{length} bytes");
        }
        for (at, value) in [(0, 1), (1, 0), (1, 4), (5, 0xFF)] {
            let mut bent = serialized.clone();
            bent[at] = value;
            assert!(plain.restore_refinement(&bent, &build).is_none(), "byte {at} is {value}");
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
