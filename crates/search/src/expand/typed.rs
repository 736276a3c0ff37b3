//! The expander of a domain with a lower bound. It is the only code above the puzzles that is compiled for each state
//! type.

use super::{Child, ChildWithin, Counts, Expander, Meter, Reach, Slot};
use crate::domain::{Bound, Cost, Domain, LowerBound, MoveMask, StagedEstimate, Successor};
use crate::platform::Instant;

/// The children of one expansion, with their parent.
struct Frame<S> {
    /// The state that was expanded. Meaningless for [`Origin::Placed`].
    parent: S,
    origin: Origin,
    /// Empty if the frame was shed.
    children: Vec<Successor<S>>,
}

/// Where the states of a frame come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The one state of the frame has no parent.
    Placed,
    /// They are all children of the parent except those by these moves, so they can be generated again.
    Skipping(MoveMask),
    /// The lower bound may have removed children, or there are more children than searches expand. They cannot be
    /// generated again, so the frame is never shed.
    Chosen,
}

/// The [`Expander`] of a domain and a lower bound.
pub(super) struct TypedExpander<'a, D: Domain, B: LowerBound<D>> {
    domain: &'a D,
    estimate: Estimate<'a, D, B>,
    /// The open frames, then closed frames whose memory is reused.
    frames: Vec<Frame<D::State>>,
    open: usize,
    /// The frames below this number are shed, if their states can be generated again.
    shed: usize,
    /// The capacity of all frames, open and closed ones, in states.
    capacity: usize,
    generated: u64,
    /// Holds the state of a key that is evaluated without a frame.
    lone: D::State,
}

/// The lower bound with its working memory.
pub(super) struct Estimate<'a, D: Domain, B: LowerBound<D>> {
    pub(super) bound: &'a B,
    scratch: B::Scratch,
    meter: Option<&'a Meter>,
    pub(super) evaluated: u64,
}

impl<'a, D: Domain, B: LowerBound<D>> Estimate<'a, D, B> {
    pub(super) fn new(bound: &'a B, meter: Option<&'a Meter>) -> Self {
        Self { bound, scratch: B::Scratch::default(), meter, evaluated: 0 }
    }

    /// See [`LowerBound::explain`].
    pub(super) fn explain(&mut self, state: &D::State, need: Cost, wanted: &[u64], out: &mut [u64]) -> bool {
        self.metered(|bound, scratch| bound.explain(state, need, wanted, out, scratch))
    }

    /// Counts an evaluation, and times it if its turn has come.
    #[inline]
    fn metered<T>(&mut self, evaluate: impl FnOnce(&B, &mut B::Scratch) -> T) -> T {
        self.evaluated += 1;
        let meter = self.meter.filter(|meter| meter.times(self.evaluated));
        let began = meter.map(|_| Instant::now());
        let value = evaluate(self.bound, &mut self.scratch);
        if let (Some(meter), Some(began)) = (meter, began) {
            meter.add_evaluation(began.elapsed());
        }
        value
    }

    /// See [`Expander::reach`].
    #[inline]
    pub(super) fn reach(&mut self, state: &D::State, g: Cost, limit: Cost) -> Reach {
        let enough = limit.saturating_add(1).saturating_sub(g);
        match self.metered(|bound, scratch| bound.evaluate(state, enough, scratch)) {
            Bound::DEAD_END => Reach::DeadEnd,
            Bound(h) if h < enough => Reach::Within(g + h),
            Bound(h) => Reach::Beyond(g.saturating_add(h)),
        }
    }
}

impl Child {
    /// Makes what an engine learns about a child.
    #[inline]
    fn of<S>(child: &Successor<S>, terminal: Option<Cost>) -> Self {
        Self { mv: child.mv, cost: child.cost, asleep: child.asleep, terminal }
    }
}

impl<'a, D: Domain, B: LowerBound<D>> TypedExpander<'a, D, B> {
    pub(super) fn new(domain: &'a D, bound: &'a B, meter: Option<&'a Meter>) -> Self {
        let estimate = Estimate::new(bound, meter);
        Self { domain, estimate, frames: Vec::new(), open: 0, shed: 0, capacity: 0, generated: 0, lone: domain.root() }
    }

    fn state(&self, slot: Slot) -> &D::State {
        &self.frames[..self.open][slot.frame as usize].children[slot.at as usize].state
    }

    /// Opens an empty frame and returns its number.
    fn begin(&mut self, origin: Origin) -> usize {
        let number = self.open;
        if number == self.frames.len() {
            self.frames.push(Frame { parent: self.domain.root(), origin, children: Vec::new() });
        }
        let frame = &mut self.frames[number];
        frame.origin = origin;
        frame.children.clear();
        self.open += 1;
        number
    }

    /// Opens an empty frame for the children of the state in `slot`, and returns its number.
    #[inline]
    fn begin_below(&mut self, slot: Slot, skip: MoveMask) -> usize {
        let number = self.begin(Origin::Skipping(skip));
        let (open, new) = self.frames.split_at_mut(number);
        new[0].parent.clone_from(&open[slot.frame as usize].children[slot.at as usize].state);
        number
    }

    /// Adds states to frame `number` by calling `add` with its parent.
    #[inline]
    fn add(&mut self, number: usize, add: impl FnOnce(&D, &D::State, &mut Vec<Successor<D::State>>)) {
        let Frame { parent, children, .. } = &mut self.frames[number];
        let before = children.capacity();
        add(self.domain, parent, children);
        self.capacity += children.capacity() - before;
    }

    /// Generates the children of the parent in frame `number`, which is the newest and empty.
    #[inline]
    fn fill(&mut self, number: usize, skip: MoveMask) {
        self.add(number, |domain, parent, children| domain.successors(parent, skip, children));
    }

    /// Fills frame `number` with the children of its parent, and appends them to `out`.
    fn generate(&mut self, number: usize, skip: MoveMask, enough: Option<Cost>, out: &mut Vec<Child>) -> u32 {
        self.fill(number, skip);
        let Frame { parent, children, .. } = &mut self.frames[number];
        self.generated += children.len() as u64;
        if let Some(enough) = enough {
            self.estimate.bound.dismiss(parent, enough, children, &mut self.estimate.scratch);
        }
        self.append(number, out)
    }

    /// Appends the children in frame `number` to `out`.
    #[inline]
    fn append(&self, number: usize, out: &mut Vec<Child>) -> u32 {
        let children = self.frames[number].children.iter();
        out.extend(children.map(|child| Child::of(child, self.domain.terminal(&child.state))));
        number as u32
    }
}

impl<D: Domain, B: LowerBound<D>> Expander for TypedExpander<'_, D, B> {
    fn place_root(&mut self) -> Slot {
        let number = self.begin(Origin::Placed);
        let state = self.domain.root();
        self.add(number, |_, _, states| states.push(Successor { mv: 0, cost: 0, asleep: 0, state }));
        Slot { frame: number as u32, at: 0 }
    }

    fn expand_key(&mut self, key: &[u8], skip: MoveMask, enough: Option<Cost>, out: &mut Vec<Child>) -> u32 {
        let number = self.begin(if enough.is_some() { Origin::Chosen } else { Origin::Skipping(skip) });
        self.domain.unpack(key, &mut self.frames[number].parent);
        self.generate(number, skip, enough, out)
    }

    fn expand(&mut self, slot: Slot, skip: MoveMask, out: &mut Vec<Child>) -> u32 {
        let number = self.begin_below(slot, skip);
        self.generate(number, skip, None, out)
    }

    fn expand_within(
        &mut self,
        slot: Slot,
        skip: MoveMask,
        g: Cost,
        limit: Cost,
        out: &mut Vec<ChildWithin>,
    ) -> (u32, Cost) {
        let number = self.begin_below(slot, skip);
        self.fill(number, skip);
        let Self { domain, estimate, frames, .. } = self;
        let Frame { children, .. } = &frames[number];
        self.generated += children.len() as u64;
        let mut cut = Cost::MAX;
        for (at, child) in (0..).zip(children) {
            let f = match estimate.reach(&child.state, g + child.cost, limit) {
                Reach::Within(f) => Some(f),
                Reach::Beyond(f) => {
                    cut = cut.min(f);
                    None
                }
                Reach::DeadEnd => None,
            };
            let terminal = domain.terminal(&child.state);
            if f.is_some() || terminal.is_some() {
                out.push(ChildWithin { child: Child::of(child, terminal), at, f });
            }
        }
        (number as u32, cut)
    }

    fn expand_all(&mut self, key: &[u8], out: &mut Vec<Child>) -> u32 {
        let number = self.begin(Origin::Chosen);
        self.domain.unpack(key, &mut self.frames[number].parent);
        self.add(number, |domain, parent, children| domain.all_successors(parent, children));
        self.append(number, out)
    }

    fn truncate(&mut self, frames: u32) {
        self.open = self.open.min(frames as usize);
        let newest = self.open.saturating_sub(1);
        if newest < self.shed {
            self.shed = newest;
            if let Origin::Skipping(skip) = self.frames[newest].origin {
                self.fill(newest, skip);
            }
        }
    }

    fn shed(&mut self, most_bytes: usize) {
        let most = most_bytes / size_of::<Successor<D::State>>();
        if self.capacity <= most {
            return;
        }
        let (open, closed) = self.frames.split_at_mut(self.open);
        for frame in closed {
            self.capacity -= std::mem::take(&mut frame.children).capacity();
        }
        // The newest frame is in use.
        while self.capacity > most && self.shed + 1 < open.len() {
            let frame = &mut open[self.shed];
            if matches!(frame.origin, Origin::Skipping(_)) {
                self.capacity -= std::mem::take(&mut frame.children).capacity();
            }
            self.shed += 1;
        }
    }

    fn keep(&mut self, kept: &[u32]) {
        debug_assert_eq!(self.shed, 0, "a frame that is shed keeps its number");
        for (to, &from) in kept.iter().enumerate() {
            self.frames.swap(to, from as usize);
        }
        self.open = kept.len();
    }

    fn pack(&self, slot: Slot, key: &mut [u8]) {
        self.domain.pack(self.state(slot), key);
    }

    fn promise(&self, slot: Slot, variation: Option<u32>) -> u32 {
        let state = self.state(slot);
        let varied = variation.and_then(|variation| self.domain.guidance()?.varied_promise(state, variation));
        varied.unwrap_or_else(|| self.domain.promise(state))
    }

    fn staged_estimate(&self, slot: Slot, variation: Option<u32>) -> Option<StagedEstimate> {
        self.domain.guidance()?.staged_estimate(self.state(slot), variation.unwrap_or(0))
    }

    fn reach(&mut self, slot: Slot, g: Cost, limit: Cost) -> Reach {
        let Frame { children, .. } = &self.frames[..self.open][slot.frame as usize];
        self.estimate.reach(&children[slot.at as usize].state, g, limit)
    }

    fn reach_key(&mut self, key: &[u8], g: Cost, limit: Cost) -> Reach {
        self.domain.unpack(key, &mut self.lone);
        self.estimate.reach(&self.lone, g, limit)
    }

    fn counts(&self) -> Counts {
        Counts { generated: self.generated, evaluated: self.estimate.evaluated }
    }
}
