//! The expander of a domain with a lower bound. It is compiled for each state type.

use super::{Child, ChildWithin, Counts, Expander, FValue, Meter, Slot};
use crate::domain::{Bound, Cost, Domain, LowerBound, MoveMask, StagedEstimate, Successor};
use crate::platform::Instant;

/// The children of one expansion, with their parent.
struct Frame<S> {
    /// The expanded state. Meaningless for [`Origin::Root`].
    parent: S,
    origin: Origin,
    /// Empty if the frame is evicted.
    children: Vec<Successor<S>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The only state is the root.
    Root,
    /// All children of the parent except those by these moves. They can be generated again.
    Successors { skip: MoveMask },
    /// The lower bound may have removed children, or the frame has the children by all moves of the rules. They cannot
    /// be generated again, so the frame is never evicted.
    Irreproducible,
}

/// The [`Expander`] of a domain and a lower bound.
pub(super) struct TypedExpander<'a, D: Domain, B: LowerBound<D>> {
    domain: &'a D,
    evaluator: BoundEvaluator<'a, D, B>,
    /// The open frames, then closed frames whose memory is reused.
    frames: Vec<Frame<D::State>>,
    open_count: usize,
    /// Frames below this number are evicted if their states can be generated again.
    evicted_below: usize,
    /// The capacity of all frames, open and closed ones, in states.
    capacity: usize,
    generated: u64,
    /// Scratch memory of [`Expander::evaluate_key`].
    unpacked: D::State,
}

/// The lower bound with its scratch memory.
pub(super) struct BoundEvaluator<'a, D: Domain, B: LowerBound<D>> {
    pub(super) bound: &'a B,
    scratch: B::Scratch,
    meter: Option<&'a Meter>,
    pub(super) evaluated: u64,
}

impl<'a, D: Domain, B: LowerBound<D>> BoundEvaluator<'a, D, B> {
    pub(super) fn new(bound: &'a B, meter: Option<&'a Meter>) -> Self {
        Self { bound, scratch: B::Scratch::default(), meter, evaluated: 0 }
    }

    /// See [`LowerBound::explain`].
    pub(super) fn explain(&mut self, state: &D::State, min_bound: Cost, wanted: &[u64], out: &mut [u64]) -> bool {
        self.measure(|bound, scratch| bound.explain(state, min_bound, wanted, out, scratch))
    }

    /// Counts an evaluation, and times it if [`Meter::is_timed`] says so.
    #[inline]
    fn measure<T>(&mut self, evaluate: impl FnOnce(&B, &mut B::Scratch) -> T) -> T {
        self.evaluated += 1;
        let meter = self.meter.filter(|meter| meter.is_timed(self.evaluated));
        let began = meter.map(|_| Instant::now());
        let value = evaluate(self.bound, &mut self.scratch);
        if let (Some(meter), Some(began)) = (meter, began) {
            meter.add_evaluation(began.elapsed());
        }
        value
    }

    /// See [`Expander::evaluate`].
    #[inline]
    pub(super) fn evaluate(&mut self, state: &D::State, g: Cost, limit: Cost) -> FValue {
        let cutoff = limit.saturating_add(1).saturating_sub(g);
        match self.measure(|bound, scratch| bound.evaluate(state, cutoff, scratch)) {
            Bound::DEAD_END => FValue::DeadEnd,
            Bound(h) if h < cutoff => FValue::Within(g + h),
            Bound(h) => FValue::Beyond(g.saturating_add(h)),
        }
    }
}

impl Child {
    #[inline]
    fn of<S>(child: &Successor<S>, terminal_cost: Option<Cost>) -> Self {
        Self { mv: child.mv, cost: child.cost, sleep_set: child.sleep_set, terminal_cost }
    }
}

impl<'a, D: Domain, B: LowerBound<D>> TypedExpander<'a, D, B> {
    pub(super) fn new(domain: &'a D, bound: &'a B, meter: Option<&'a Meter>) -> Self {
        let (evaluator, frames, unpacked) = (BoundEvaluator::new(bound, meter), Vec::new(), domain.root());
        Self { domain, evaluator, frames, open_count: 0, evicted_below: 0, capacity: 0, generated: 0, unpacked }
    }

    fn state(&self, slot: Slot) -> &D::State {
        &self.frames[..self.open_count][slot.frame as usize].children[slot.index as usize].state
    }

    /// Opens an empty frame and returns its number.
    fn open_frame(&mut self, origin: Origin) -> usize {
        let number = self.open_count;
        if number == self.frames.len() {
            self.frames.push(Frame { parent: self.domain.root(), origin, children: Vec::new() });
        }
        let frame = &mut self.frames[number];
        frame.origin = origin;
        frame.children.clear();
        self.open_count += 1;
        number
    }

    /// Opens an empty frame for the children of the state in `slot`, and returns its number.
    #[inline]
    fn open_child_frame(&mut self, slot: Slot, skip: MoveMask) -> usize {
        let number = self.open_frame(Origin::Successors { skip });
        let (open, new) = self.frames.split_at_mut(number);
        new[0].parent.clone_from(&open[slot.frame as usize].children[slot.index as usize].state);
        number
    }

    /// Lets `append` add states to the children of frame `number`, and updates the capacity.
    #[inline]
    fn add(&mut self, number: usize, append: impl FnOnce(&D, &D::State, &mut Vec<Successor<D::State>>)) {
        let Frame { parent, children, .. } = &mut self.frames[number];
        let capacity_before = children.capacity();
        append(self.domain, parent, children);
        self.capacity += children.capacity() - capacity_before;
    }

    /// Generates the children of the parent in frame `number`, which is the newest and empty.
    #[inline]
    fn add_successors(&mut self, number: usize, skip: MoveMask) {
        self.add(number, |domain, parent, children| domain.successors(parent, skip, children));
    }

    /// Fills frame `number` with the children of its parent, and appends them to `out`.
    fn generate(&mut self, number: usize, skip: MoveMask, cutoff: Option<Cost>, out: &mut Vec<Child>) -> u32 {
        self.add_successors(number, skip);
        let Frame { parent, children, .. } = &mut self.frames[number];
        self.generated += children.len() as u64;
        if let Some(cutoff) = cutoff {
            self.evaluator.bound.dismiss(parent, cutoff, children, &mut self.evaluator.scratch);
        }
        self.append_children(number, out)
    }

    #[inline]
    fn append_children(&self, number: usize, out: &mut Vec<Child>) -> u32 {
        let children = self.frames[number].children.iter();
        out.extend(children.map(|child| Child::of(child, self.domain.terminal_cost(&child.state))));
        number as u32
    }
}

impl<D: Domain, B: LowerBound<D>> Expander for TypedExpander<'_, D, B> {
    fn place_root(&mut self) -> Slot {
        let number = self.open_frame(Origin::Root);
        let state = self.domain.root();
        self.add(number, |_, _, states| states.push(Successor { mv: 0, cost: 0, sleep_set: 0, state }));
        Slot { frame: number as u32, index: 0 }
    }

    fn expand_key(&mut self, key: &[u8], skip: MoveMask, cutoff: Option<Cost>, out: &mut Vec<Child>) -> u32 {
        let number =
            self.open_frame(if cutoff.is_some() { Origin::Irreproducible } else { Origin::Successors { skip } });
        self.domain.unpack(key, &mut self.frames[number].parent);
        self.generate(number, skip, cutoff, out)
    }

    fn expand(&mut self, slot: Slot, skip: MoveMask, out: &mut Vec<Child>) -> u32 {
        let number = self.open_child_frame(slot, skip);
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
        let number = self.open_child_frame(slot, skip);
        self.add_successors(number, skip);
        let Self { domain, evaluator, frames, .. } = self;
        let Frame { children, .. } = &frames[number];
        self.generated += children.len() as u64;
        let mut min_beyond = Cost::MAX;
        for (index, child) in (0..).zip(children) {
            let f = match evaluator.evaluate(&child.state, g + child.cost, limit) {
                FValue::Within(f) => Some(f),
                FValue::Beyond(f) => {
                    min_beyond = min_beyond.min(f);
                    None
                }
                FValue::DeadEnd => None,
            };
            let terminal_cost = domain.terminal_cost(&child.state);
            if f.is_some() || terminal_cost.is_some() {
                out.push(ChildWithin { child: Child::of(child, terminal_cost), index, f });
            }
        }
        (number as u32, min_beyond)
    }

    fn expand_all(&mut self, key: &[u8], out: &mut Vec<Child>) -> u32 {
        let number = self.open_frame(Origin::Irreproducible);
        self.domain.unpack(key, &mut self.frames[number].parent);
        self.add(number, |domain, parent, children| domain.all_successors(parent, children));
        self.append_children(number, out)
    }

    fn truncate(&mut self, frames: u32) {
        self.open_count = self.open_count.min(frames as usize);
        let newest = self.open_count.saturating_sub(1);
        if newest < self.evicted_below {
            self.evicted_below = newest;
            if let Origin::Successors { skip } = self.frames[newest].origin {
                self.add_successors(newest, skip);
            }
        }
    }

    fn evict(&mut self, max_bytes: usize) {
        let max_capacity = max_bytes / size_of::<Successor<D::State>>();
        if self.capacity <= max_capacity {
            return;
        }
        let (open, closed) = self.frames.split_at_mut(self.open_count);
        for frame in closed {
            self.capacity -= std::mem::take(&mut frame.children).capacity();
        }
        // The newest frame is in use.
        while self.capacity > max_capacity && self.evicted_below + 1 < open.len() {
            let frame = &mut open[self.evicted_below];
            if matches!(frame.origin, Origin::Successors { .. }) {
                self.capacity -= std::mem::take(&mut frame.children).capacity();
            }
            self.evicted_below += 1;
        }
    }

    fn retain_frames(&mut self, frames: &[u32]) {
        debug_assert_eq!(self.evicted_below, 0, "frames are renumbered only while none is evicted");
        debug_assert!(frames.is_sorted_by(|one, next| one < next), "a swap must not move a frame that stays");
        for (to, &from) in frames.iter().enumerate() {
            self.frames.swap(to, from as usize);
        }
        self.open_count = frames.len();
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

    fn evaluate(&mut self, slot: Slot, g: Cost, limit: Cost) -> FValue {
        let Frame { children, .. } = &self.frames[..self.open_count][slot.frame as usize];
        self.evaluator.evaluate(&children[slot.index as usize].state, g, limit)
    }

    fn evaluate_key(&mut self, key: &[u8], g: Cost, limit: Cost) -> FValue {
        self.domain.unpack(key, &mut self.unpacked);
        self.evaluator.evaluate(&self.unpacked, g, limit)
    }

    fn counts(&self) -> Counts {
        Counts { generated: self.generated, evaluated: self.evaluator.evaluated }
    }
}
