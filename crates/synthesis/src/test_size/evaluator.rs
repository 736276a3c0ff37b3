//! The evaluator of one body: an endless loop around the body, behind a prefix.

use super::body_part::{BodyPart, BodyPartKind, WholePart, run, step};
use super::context::SizeContext;
use super::findings::Findings;
use super::prefix::{Prefix, count};
use crate::bank::Id;
use crate::codes::MAX_COUNT;
use crate::semantics::Semantics;
use crate::visits::Visits;
use crate::workspace::Workspace;

/// Tries bodies on one thread, and holds the findings.
pub(super) struct Evaluator<'a, 'm> {
    pub(super) context: &'a SizeContext<'a, 'm>,
    /// Buffers for projections.
    pub(super) workspace: Workspace,
    whole_workspace: Workspace,
    visits: Visits,
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
            missing: vec![0; shape.planes],
            findings: Findings::default(),
            is_interrupted: false,
        }
    }

    /// Whether the rest of the block is left out: a program was found, or the search is to stop. Called wherever work
    /// may be long. A request for a checkpoint interrupts nothing, because work longer than the time between two
    /// checkpoints would never be done.
    pub(super) fn is_over(&mut self) -> bool {
        let monitor = self.context.monitor;
        if !self.is_interrupted {
            monitor.check_limits();
            self.is_interrupted = monitor.stop_reason().is_some();
        }
        self.is_interrupted || self.findings.program.is_some()
    }

    /// The findings of a block that was tried until it was over; `None` if the search is to stop before that.
    pub(super) fn take_findings(&mut self) -> Option<Findings> {
        let findings = std::mem::take(&mut self.findings);
        (!self.is_interrupted || findings.program.is_some()).then_some(findings)
    }

    /// Tries an endless loop around a body behind every prefix of `of_prefix` tokens.
    pub(super) fn try_body<const N: usize>(&mut self, of_prefix: usize, body: &[BodyPart<'_>; N]) {
        for prefix in &self.context.prefixes[of_prefix] {
            self.findings.tried += 1;
            if self.may_leave(1, prefix, body) {
                self.confirm(prefix, body);
            }
        }
    }

    /// Whether endless repetition of a body leaves at most `most` of the first goals. A rejection is final.
    #[inline(always)]
    fn may_leave<const N: usize>(&mut self, most: u32, prefix: &Prefix, body: &[BodyPart<'_>; N]) -> bool {
        let (mut state, mut missing) = (prefix.state, prefix.missing[0]);
        self.visits.restart();
        // A repetition that begins in a state where another one began marks nothing new.
        while missing != 0 && self.visits.visit(state) {
            state = step(body, state, &mut missing);
        }
        missing.count_ones() <= most
    }

    /// Keeps a prefix and a loop around a body as prefixes of `tokens` tokens: one for each count that leaves few
    /// enough goals.
    pub(super) fn keep_prefixes<const N: usize>(&mut self, prefix: &Prefix, body: &[BodyPart<'_>; N], tokens: usize) {
        let most = self.context.most_missing(tokens);
        if !self.may_leave(most, prefix, body) {
            return;
        }
        self.repeat(prefix, body, |evaluator, times, state, left| {
            if left <= most && evaluator.is_count(times) {
                let codes = evaluator.program(prefix, times, body, None);
                let prefix = Prefix { state, missing: evaluator.missing.clone(), codes };
                evaluator.findings.prefixes.push((tokens, prefix));
            }
        });
    }

    /// Repeats a body behind a prefix until nothing new is marked. Calls `work` after each repetition, with the number
    /// of repetitions, the state, and the number of goals that are left. `missing` has these goals.
    fn repeat(&mut self, prefix: &Prefix, body: &[BodyPart<'_>], mut work: impl FnMut(&mut Self, u16, u16, u32)) {
        let whole = self.whole(body);
        self.missing.copy_from_slice(&prefix.missing);
        self.visits.restart();
        let (mut state, mut times, mut left) = (prefix.state, 0_u16, count(&prefix.missing));
        loop {
            state = run(&whole, state, &mut self.missing);
            times = times.saturating_add(1);
            let before = std::mem::replace(&mut left, count(&self.missing));
            if left < before {
                // An instruction may mark the last goal from a state that was visited before.
                self.visits.restart();
            }
            if !self.visits.visit(state) {
                break;
            }
            work(self, times, state, left);
            if left == 0 {
                break;
            }
        }
        self.give_back(whole);
    }

    /// Whether a loop may have this count. Notes counts that are too large.
    fn is_count(&mut self, times: u16) -> bool {
        self.findings.truncated |= times > MAX_COUNT;
        (2..=MAX_COUNT).contains(&times)
    }

    /// The projected semantics of a sequence of parts, in a buffer of the workspace.
    pub(super) fn sequence(&mut self, parts: &[BodyPart<'_>]) -> Semantics {
        let mut semantics = self.workspace.take();
        semantics.copy_from(parts[0].semantics);
        parts[1..].iter().for_each(|part| semantics.append(part.semantics));
        semantics
    }

    /// Returns parts with their semantics on all goals.
    fn whole(&mut self, parts: &[BodyPart<'_>]) -> Vec<WholePart<'a>> {
        let fragments = self.context.fragments;
        let whole = |part: &BodyPart<'_>| match part.kind {
            BodyPartKind::Fragment(id) => WholePart::Fragment(fragments.semantics(id, &mut self.whole_workspace)),
            BodyPartKind::Loop { body, count } => WholePart::Loop { body: self.whole(body), count },
        };
        parts.iter().map(whole).collect()
    }

    fn give_back(&mut self, parts: Vec<WholePart<'a>>) {
        for part in parts {
            match part {
                WholePart::Fragment(semantics) => self.whole_workspace.give_back(semantics),
                WholePart::Loop { body, .. } => self.give_back(body),
            }
        }
    }

    /// Repeats a body on all goals, and keeps the programs: the endless loop, if it marks every goal, and a loop with
    /// an instruction behind it that marks the last goal.
    fn confirm(&mut self, prefix: &Prefix, body: &[BodyPart<'_>]) {
        // Only the first program counts. A program that is found after work was left out may not be the first.
        if self.findings.program.is_some() || self.is_interrupted {
            return;
        }
        self.repeat(prefix, body, |evaluator, times, state, left| match left {
            0 => evaluator.findings.program = Some(evaluator.program(prefix, 0, body, None)),
            1 if evaluator.is_count(times) && evaluator.findings.next.is_none() => {
                let mut instructions = evaluator.context.fragments.level(1);
                let last = instructions.find(|&last| evaluator.marks_the_rest(last, state));
                evaluator.findings.next = last.map(|last| evaluator.program(prefix, times, body, Some(last)));
            }
            _ => {}
        });
    }

    /// Whether a fragment, run from a state, marks all goals that are missing.
    fn marks_the_rest(&self, id: Id, state: u16) -> bool {
        let mut missing = self.missing.clone();
        self.context.fragments.apply(id, state, &mut missing);
        count(&missing) == 0
    }

    /// The codes of a program: a prefix, a loop of `times` repetitions (endless if 0), and the instruction `last` if
    /// there is one.
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
    fn write(&self, parts: &[BodyPart<'_>], codes: &mut Vec<u16>) {
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
