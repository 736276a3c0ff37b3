//! The evaluation of a body: an endless loop around the body, after a prefix.

use super::body_part::{BodyPart, BodyPartKind, CompletePart, run_complete, run_projected};
use super::context::SizeContext;
use super::findings::Findings;
use super::prefix::{Prefix, count_goals};
use crate::bank::Id;
use crate::codes::MAX_COUNT;
use crate::semantics::Semantics;
use crate::visits::VisitedStates;
use crate::workspace::Workspace;

/// Tries bodies on one thread, and collects the findings.
pub(super) struct Evaluator<'a, 'm> {
    pub(super) context: &'a SizeContext<'a, 'm>,
    /// Buffers for projections.
    pub(super) workspace: Workspace,
    complete_workspace: Workspace,
    visited: VisitedStates,
    missing: Vec<u64>,
    pub(super) findings: Findings,
    /// Whether work was skipped because the search is to stop.
    is_interrupted: bool,
}

impl<'a, 'm> Evaluator<'a, 'm> {
    pub(super) fn new(context: &'a SizeContext<'a, 'm>) -> Self {
        let shape = context.fragments.shape;
        Self {
            context,
            workspace: Workspace::new(shape.projected()),
            complete_workspace: Workspace::new(shape),
            visited: VisitedStates::new(shape.states),
            missing: vec![0; shape.planes],
            findings: Findings::default(),
            is_interrupted: false,
        }
    }

    /// Whether to skip the rest of the block: a program was found, or the search is to stop. Called often. A checkpoint
    /// request interrupts nothing, because a block longer than the checkpoint interval would never finish.
    pub(super) fn should_end_block(&mut self) -> bool {
        let monitor = self.context.monitor;
        if !self.is_interrupted {
            monitor.check_limits();
            self.is_interrupted = monitor.stop_reason().is_some();
        }
        self.is_interrupted || self.findings.program.is_some()
    }

    /// The findings of a block; `None` if a stop has interrupted it.
    pub(super) fn take_findings(&mut self) -> Option<Findings> {
        let findings = std::mem::take(&mut self.findings);
        (!self.is_interrupted || findings.program.is_some()).then_some(findings)
    }

    /// Tries an endless loop around a body after every prefix of `prefix_size` tokens.
    pub(super) fn try_body<const N: usize>(&mut self, prefix_size: usize, body: &[BodyPart<'_>; N]) {
        for prefix in &self.context.prefixes[prefix_size] {
            self.findings.tried_bodies += 1;
            if self.may_leave(1, prefix, body) {
                self.confirm(prefix, body);
            }
        }
    }

    /// Whether endless repetition of a body may leave at most `max_missing` of the first goals unmarked. A rejection is
    /// final.
    #[inline(always)]
    fn may_leave<const N: usize>(&mut self, max_missing: u32, prefix: &Prefix, body: &[BodyPart<'_>; N]) -> bool {
        let (mut state, mut missing) = (prefix.state, prefix.missing[0]);
        self.visited.restart();
        // A repetition from the start state of an earlier one marks nothing new.
        while missing != 0 && self.visited.visit(state) {
            state = run_projected(body, state, &mut missing);
        }
        missing.count_ones() <= max_missing
    }

    /// Collects the prefixes of `size` tokens that end with a loop around a body: one for each count that leaves few
    /// enough goals.
    pub(super) fn collect_prefixes<const N: usize>(&mut self, prefix: &Prefix, body: &[BodyPart<'_>; N], size: usize) {
        let max_missing = self.context.max_missing(size);
        if !self.may_leave(max_missing, prefix, body) {
            return;
        }
        self.repeat(prefix, body, |evaluator, repetitions, state, unmarked| {
            if unmarked <= max_missing && evaluator.is_valid_count(repetitions) {
                let codes = evaluator.program(prefix, repetitions, body, None);
                let prefix = Prefix { state, missing: evaluator.missing.clone(), codes };
                evaluator.findings.prefixes.push((size, prefix));
            }
        });
    }

    /// Repeats a body after a prefix until nothing new is marked. Calls `work` after each repetition with the number of
    /// repetitions, the state, and the number of unmarked goals, which are in `missing`.
    fn repeat(&mut self, prefix: &Prefix, body: &[BodyPart<'_>], mut work: impl FnMut(&mut Self, u16, u16, u32)) {
        let parts = self.complete_parts(body);
        self.missing.copy_from_slice(&prefix.missing);
        self.visited.restart();
        let (mut state, mut repetitions, mut unmarked) = (prefix.state, 0_u16, count_goals(&prefix.missing));
        loop {
            state = run_complete(&parts, state, &mut self.missing);
            repetitions = repetitions.saturating_add(1);
            let earlier = std::mem::replace(&mut unmarked, count_goals(&self.missing));
            if unmarked < earlier {
                // An instruction may mark the last goal from a state that was visited before.
                self.visited.restart();
            }
            if !self.visited.visit(state) {
                break;
            }
            work(self, repetitions, state, unmarked);
            if unmarked == 0 {
                break;
            }
        }
        self.recycle(parts);
    }

    /// Whether a loop may have this count. Records counts that are too large.
    fn is_valid_count(&mut self, repetitions: u16) -> bool {
        self.findings.has_untried_counts |= repetitions > MAX_COUNT;
        (2..=MAX_COUNT).contains(&repetitions)
    }

    /// The projected semantics of a sequence of parts, in a buffer of the workspace.
    pub(super) fn sequence(&mut self, parts: &[BodyPart<'_>]) -> Semantics {
        let mut semantics = self.workspace.take();
        semantics.copy_from(parts[0].semantics);
        parts[1..].iter().for_each(|part| semantics.append(part.semantics));
        semantics
    }

    /// The parts with their complete semantics.
    fn complete_parts(&mut self, parts: &[BodyPart<'_>]) -> Vec<CompletePart<'a>> {
        let fragments = self.context.fragments;
        let complete = |part: &BodyPart<'_>| match part.kind {
            BodyPartKind::Fragment(id) => CompletePart::Fragment(fragments.semantics(id, &mut self.complete_workspace)),
            BodyPartKind::Loop { body, count } => CompletePart::Loop { body: self.complete_parts(body), count },
        };
        parts.iter().map(complete).collect()
    }

    fn recycle(&mut self, parts: Vec<CompletePart<'a>>) {
        for part in parts {
            match part {
                CompletePart::Fragment(semantics) => self.complete_workspace.recycle_computed(semantics),
                CompletePart::Loop { body, .. } => self.recycle(body),
            }
        }
    }

    /// Repeats a body on all goals, and records programs: an endless loop that marks every goal, and a loop followed by
    /// an instruction that marks the last goal.
    fn confirm(&mut self, prefix: &Prefix, body: &[BodyPart<'_>]) {
        // Only the first program counts. After skipped work, a program may not be the first.
        if self.findings.program.is_some() || self.is_interrupted {
            return;
        }
        self.repeat(prefix, body, |evaluator, repetitions, state, unmarked| match unmarked {
            0 => evaluator.findings.program = Some(evaluator.program(prefix, 0, body, None)),
            1 if evaluator.is_valid_count(repetitions) && evaluator.findings.one_token_longer.is_none() => {
                let mut instructions = evaluator.context.fragments.level(1);
                let last = instructions.find(|&last| evaluator.marks_all_missing(last, state));
                evaluator.findings.one_token_longer =
                    last.map(|last| evaluator.program(prefix, repetitions, body, Some(last)));
            }
            _ => {}
        });
    }

    /// Whether a fragment marks all missing goals from a state.
    fn marks_all_missing(&self, id: Id, state: u16) -> bool {
        let mut missing = self.missing.clone();
        self.context.fragments.apply(id, state, &mut missing);
        count_goals(&missing) == 0
    }

    /// The codes of a program: a prefix, a loop of `repetitions` repetitions (endless if 0), and the instruction `last`
    /// if there is one.
    fn program(&self, prefix: &Prefix, repetitions: u16, body: &[BodyPart<'_>], last: Option<Id>) -> Vec<u16> {
        let mut codes = prefix.codes.clone();
        self.write_loop(body, repetitions, &mut codes);
        if let Some(last) = last {
            self.context.fragments.write(last, &mut codes);
        }
        codes
    }

    fn write_loop(&self, body: &[BodyPart<'_>], count: u16, codes: &mut Vec<u16>) {
        codes.push(self.context.fragments.codes.of_loop(count));
        for part in body {
            match part.kind {
                BodyPartKind::Fragment(id) => self.context.fragments.write(id, codes),
                BodyPartKind::Loop { body, count } => self.write_loop(body, count, codes),
            }
        }
        codes.push(0);
    }
}
