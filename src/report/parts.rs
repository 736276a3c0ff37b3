//! The state of a run in parts: all parts together, and each.

use super::number_format::count;
use super::run::RunReport;
use super::run_text::{how, in_one_line};
use super::text::plural;
use super::totals::Totals;
use crate::hunt::{Part, PartedRun, RunError};
use gridhunt_boards::visible;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// The output of `status` and `inspect` for a run in parts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartsReport {
    /// The run directory.
    pub run: String,
    /// The totals of all parts. A part that cannot be read adds its number of boards alone.
    #[serde(flatten)]
    pub totals: Totals,
    /// Parts that a process searches now.
    pub running: usize,
    /// Parts of which nothing is left to be done.
    pub finished: usize,
    /// The parts, in their order.
    pub parts: Vec<PartReport>,
}

/// One part of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartReport {
    /// The part, such as `2/8`.
    pub part: String,
    /// The number of boards of the part.
    pub boards: usize,
    /// `running`, `finished`, `ended` (boards are left), `not-begun`, or `unusable`.
    pub state: &'static str,
    /// Why the run directory of the part cannot be read; null if it can, or does not exist yet.
    pub error: Option<String>,
    /// The report on the run directory of the part; null if there is none.
    pub report: Option<RunReport>,
}

impl PartReport {
    fn new(part: Part, boards: usize, read: Option<Result<RunReport, RunError>>) -> Self {
        let of = |state, error, report| Self { part: part.to_string(), boards, state, error, report };
        match read {
            None if boards == 0 => of("finished", None, None),
            None => of("not-begun", None, None),
            Some(Err(error)) => of("unusable", Some(error.to_string()), None),
            Some(Ok(report)) => {
                let state = match (&report.process, report.totals.done == report.totals.boards) {
                    (Some(_), _) => "running",
                    (None, true) => "finished",
                    (None, false) => "ended",
                };
                of(state, None, Some(report))
            }
        }
    }
}

impl PartReport {
    fn totals(&self) -> Totals {
        match &self.report {
            Some(report) => report.totals,
            None if self.error.is_none() => Totals::not_begun(self.boards),
            // Nobody knows what became of these boards.
            None => Totals { boards: self.boards, ..Totals::default() },
        }
    }
}

impl PartsReport {
    /// A report on all parts. `look` reports on the run directory of one part.
    #[must_use]
    pub fn new(run: &PartedRun, look: impl Fn(&Path) -> Result<RunReport, RunError>) -> Self {
        let read = |part| run.has_begun(part).then(|| run.folder(part).and_then(|folder| look(&folder)));
        let of = |part: Part| PartReport::new(part, part.share(run.boards()), read(part));
        let parts: Vec<_> = run.parts().map(of).collect();
        let in_state = |state| parts.iter().filter(|part| part.state == state).count();
        Self {
            run: run.path().display().to_string(),
            totals: parts.iter().map(PartReport::totals).sum(),
            running: in_state("running"),
            finished: in_state("finished"),
            parts,
        }
    }

    /// Whether every part can be read, and every checkpoint can be used.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let is_sound = |part: &PartReport| part.error.is_none() && part.report.iter().all(RunReport::is_sound);
        self.parts.iter().all(is_sound)
    }

    /// The report as one line of JSON.
    ///
    /// # Errors
    /// None in practice: JSON can represent every field.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The states of the parts and what became of their boards, in one line.
    #[must_use]
    pub fn short(&self) -> String {
        in_one_line(&self.heading(), &self.totals)
    }

    fn heading(&self) -> String {
        let (run, all) = (visible(&self.run), plural(self.parts.len() as u64, "part"));
        let not_begun = self.parts.iter().filter(|part| part.state == "not-begun").count() as u64;
        let [running, finished, not_begun] = [self.running as u64, self.finished as u64, not_begun].map(count);
        format!("{run}: {all}, {running} running, {finished} finished, {not_begun} not begun")
    }
}

impl fmt::Display for PartsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading())?;
        writeln!(f, "{}", self.totals)?;
        self.parts.iter().try_for_each(|part| writeln!(f, "{part}"))?;
        // What `status DIR` and `inspect DIR` say of a part in full, where files were checked or cannot be used.
        let in_full = |report: &&RunReport| report.checked.is_some() || !report.is_sound();
        self.parts
            .iter()
            .filter_map(|part| part.report.as_ref())
            .filter(in_full)
            .try_for_each(|part| write!(f, "{part}"))
    }
}

impl fmt::Display for PartReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boards = plural(self.boards as u64, "board");
        write!(f, "part {}: ", self.part)?;
        match (&self.report, &self.error) {
            (_, Some(error)) => write!(f, "{error}"),
            (None, None) if self.boards == 0 => write!(f, "no boards"),
            (None, None) => write!(f, "not begun, {boards}"),
            (Some(report), None) => {
                match &report.process {
                    Some(process) => write!(f, "running as process {process}")?,
                    None => write!(f, "{}", how(report.ended.as_deref().unwrap_or("unknown")))?,
                }
                write!(f, ", {} of {boards} done", count(report.totals.done as u64))?;
                report.resume.iter().try_for_each(|command| write!(f, "; go on with: {command}"))
            }
        }
    }
}
