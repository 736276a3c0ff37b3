//! The evaluator of one body: an endless loop around the body, behind a prefix.

use super::body_part::{BodyPart, BodyPartKind, WholePart, run, step};
use super::context::SizeContext;
use super::findings::Findings;
use super::prefix::{Prefix, count};
use super::visits::{JointVisits, Visits};
use crate::engine::synthesis::bank::Id;
use crate::engine::synthesis::codes::MAX_COUNT;
use crate::engine::synthesis::semantics::Semantics;
use crate::engine::synthesis::starts::SETTLED;
use crate::engine::synthesis::workspace::Workspace;

/// Tries bodies on one thread, and holds the findings.
pub(super) struct Evaluator<'a, 'm> {
    pub(super) context: &'a SizeContext<'a, 'm>,
    /// Buffers for projections.
    pub(super) workspace: Workspace,
    whole_workspace: Workspace,
    visits: Visits,
    joint: JointVisits,
    /// The states of all starts, and the numbers of the starts whose goals are not all marked.
    states: Vec<u16>,
    unsettled: Vec<usize>,
    missing: Vec<u64>,
    pub(super) findings: Findings,
    /// Whether work was left out because the search is to stop.
    is_interrupted: bool,
}

impl<'a, 'm> Evaluator<'a, 'm> {
    pub(super) fn new(context: &'a SizeContext<'a, 'm>) -> Self {
        let shape = context.fragments.shape;
        Self {
            context,
            workspace: Workspace::new(shape.projected()),
            whole_workspace: Workspace::new(shape),
            visits: Visits::new(shape.states),
            joint: JointVisits::new(shape.states, context.fragments.starts.states().len()),
            states: Vec::new(),
            unsettled: Vec::new(),
            missing: vec![0; shape.planes],
            findings: Findings::default(),
            is_interrupted: false,
        }
    }

    /// Whether the rest of the block is left out: a program was found, or the search is to stop. Asked wherever work
    /// may be long. A request for a checkpoint interrupts nothing, because work longer than the time between two
    /// checkpoints would never be done.
    pub(super) fn is_over(&mut self) -> bool {
        let monitor = self.context.monitor;
        if !self.is_interrupted {
            monitor.check_limits();
            self.is_interrupted = monitor.stopped().is_some();
        }
        self.is_interrupted || self.findings.program.is_some()
    }

    /// The findings of a block that was tried until it was over; `None` where the search is to stop before that.
    pub(super) fn take_findings(&mut self) -> Option<Findings> {
        let findings = std::mem::take(&mut self.findings);
        (!self.is_interrupted || findings.program.is_some()).then_some(findings)
    }

    /// Calls `work` with a fragment as a part.
    pub(super) fn with<T>(&mut self, id: Id, work: impl FnOnce(&mut Self, BodyPart<'_>) -> T) -> T {
        let semantics = self.context.fragments.semantics(id, &mut self.workspace);
        let result = work(self, BodyPart::of(id, &semantics));
        self.workspace.give_back(semantics);
        result
    }

    /// Tries an endless loop around a body behind every prefix of so many tokens.
    pub(super) fn try_body<const N: usize>(&mut self, of_prefix: usize, body: &[BodyPart<'_>; N]) {
        for prefix in &self.context.prefixes[of_prefix] {
            self.try_behind(prefix, body);
        }
    }

    /// Tries an endless loop around a body behind a prefix.
    #[inline]
    pub(super) fn try_behind<const N: usize>(&mut self, prefix: &Prefix, body: &[BodyPart<'_>; N]) {
        self.findings.tried += 1;
        if self.leaves_at_most(1, prefix, body) {
            self.confirm(prefix, body);
        }
    }

    /// Whether an endless loop around a body leaves at most so many goals for each start.
    #[inline(always)]
    pub(super) fn leaves_at_most<const N: usize>(
        &mut self,
        most: u32,
        prefix: &Prefix,
        body: &[BodyPart<'_>; N],
    ) -> bool {
        // A rejection on the projection is final.
        let starts = &self.context.fragments.starts;
        starts.allow(self.first_missing(most, prefix, body), most)
            && (prefix.missing.len() == 1 || self.leaves_at_most_of_all(most, prefix, body))
    }

    /// The first goals that endless repetition leaves, from one start after the other, up to a region in which more
    /// than `most` are left for each start.
    #[inline(always)]
    fn first_missing<const N: usize>(&mut self, most: u32, prefix: &Prefix, body: &[BodyPart<'_>; N]) -> u64 {
        let starts = &self.context.fragments.starts;
        let mut missing = prefix.missing[0];
        self.visits.restart();
        for (start, &state) in prefix.states.iter().enumerate() {
            let (mut state, own) = (state, starts.first_goals(start));
            // A repetition that begins in a state where another one began marks nothing new.
            while missing & own != 0 && self.visits.visit(state) {
                state = step(body, state, &mut missing);
            }
            if starts.is_rejected_behind(start, missing, most) {
                break;
            }
        }
        missing
    }

    fn leaves_at_most_of_all(&mut self, most: u32, prefix: &Prefix, body: &[BodyPart<'_>]) -> bool {
        let whole = self.whole(body);
        self.missing.copy_from_slice(&prefix.missing);
        self.visits.restart();
        let starts = &self.context.fragments.starts;
        let mut is_rejected = false;
        for (start, &state) in prefix.states.iter().enumerate().filter(|&(_, &state)| state != SETTLED) {
            let mut state = state;
            while self.visits.visit(state) {
                state = run(&whole, state, &mut self.missing);
            }
            is_rejected = starts.is_rejected_on_all_behind(start, &self.missing, most);
            if is_rejected {
                break;
            }
        }
        self.give_back(whole);
        !is_rejected
    }

    /// The projected semantics of a sequence of parts, in a buffer of the workspace.
    pub(super) fn sequence(&mut self, parts: &[BodyPart<'_>]) -> Semantics {
        let mut semantics = self.workspace.take();
        semantics.copy_from(parts[0].semantics);
        parts[1..].iter().for_each(|part| semantics.append(part.semantics));
        semantics
    }

    /// Parts with their semantics on all goals.
    pub(super) fn whole(&mut self, parts: &[BodyPart<'_>]) -> Vec<WholePart<'a>> {
        let fragments = self.context.fragments;
        let whole = |part: &BodyPart<'_>| match part.kind {
            BodyPartKind::Fragment(id) => WholePart::Fragment(fragments.semantics(id, &mut self.whole_workspace)),
            BodyPartKind::Loop { body, count } => WholePart::Loop { body: self.whole(body), count },
        };
        parts.iter().map(whole).collect()
    }

    pub(super) fn give_back(&mut self, parts: Vec<WholePart<'a>>) {
        for part in parts {
            match part {
                WholePart::Fragment(semantics) => self.whole_workspace.give_back(semantics),
                WholePart::Loop { body, .. } => self.give_back(body),
            }
        }
    }

    /// Repeats a body on all goals, and keeps the programs: the endless loop, if it marks every goal, and a loop with
    /// an instruction behind it that marks the last goal, or the last goals from several starts at once.
    fn confirm(&mut self, prefix: &Prefix, body: &[BodyPart<'_>]) {
        // Only the first program counts. A program that is found after left-out work may not be the first.
        if self.findings.program.is_some() || self.is_interrupted {
            return;
        }
        let whole = self.whole(body);
        let starts = &self.context.fragments.starts;
        self.missing.copy_from_slice(&prefix.missing);
        self.states.clear();
        self.states.extend(&prefix.states);
        starts.unsettled(&self.missing, &mut self.unsettled);
        self.joint.restart();
        let (mut times, mut left) = (0_u16, count(&prefix.missing));
        while self.joint.visit(&self.unsettled, &self.states) {
            for &start in &self.unsettled {
                self.states[start] = run(&whole, self.states[start], &mut self.missing);
            }
            times = times.saturating_add(1);
            let before = std::mem::replace(&mut left, count(&self.missing));
            if left < before {
                // An instruction may mark the last goal from a state that was visited before.
                starts.unsettled(&self.missing, &mut self.unsettled);
                self.joint.restart();
            }
            if left == 0 {
                self.findings.program = Some(self.program(prefix, 0, body, None));
                break;
            }
            if starts.allow_all(&self.missing, 1) {
                if times > MAX_COUNT {
                    self.findings.truncated = true;
                    if self.joint.each_repeats(self.unsettled.len()) {
                        // Nothing new is marked, and no larger count can be written.
                        break;
                    }
                } else if times > 1 && self.findings.next.is_none() {
                    let last = self.context.fragments.level(1).find(|&last| self.marks_the_rest(last));
                    self.findings.next = last.map(|last| self.program(prefix, times, body, Some(last)));
                }
            } else if self.joint.each_repeats(self.unsettled.len()) {
                // Nothing new is marked.
                break;
            }
        }
        self.give_back(whole);
    }

    /// Whether a fragment, run from the states of all starts, marks all goals that are missing.
    fn marks_the_rest(&self, id: Id) -> bool {
        let mut missing = self.missing.clone();
        for &start in &self.unsettled {
            self.context.fragments.apply(id, self.states[start], &mut missing);
        }
        count(&missing) == 0
    }

    /// A prefix, a loop of so many repetitions, which is endless for 0, and perhaps an instruction.
    fn program(&self, prefix: &Prefix, times: u16, body: &[BodyPart<'_>], last: Option<Id>) -> Vec<u16> {
        let mut codes = prefix.codes.clone();
        codes.push(self.context.fragments.codes.of_loop(times));
        self.write(body, &mut codes);
        codes.push(0);
        if let Some(last) = last {
            self.context.fragments.write(last, &mut codes);
        }
        codes
    }

    /// Appends the codes of some parts.
    pub(super) fn write(&self, parts: &[BodyPart<'_>], codes: &mut Vec<u16>) {
        for part in parts {
            match part.kind {
                BodyPartKind::Fragment(id) => self.context.fragments.write(id, codes),
                BodyPartKind::Loop { body, count } => {
                    codes.push(self.context.fragments.codes.of_loop(count));
                    self.write(body, codes);
                    codes.push(0);
                }
            }
        }
    }
}
