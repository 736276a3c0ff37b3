//! The state of a run as text.

use super::number_format::{bytes, count, seconds};
use super::run::{BegunReport, CheckpointReport, RunReport};
use super::text::plural;
use gridhunt_boards::visible;
use gridhunt_hunt::CheckedFiles;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::StateEngine;
use gridhunt_search::runtime::Layer;
use std::fmt;

const MAX_BEGUN_LINES: usize = 10;

const MAX_LAYER_LINES: usize = 8;

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading())?;
        writeln!(f, "{}", self.totals)?;
        if let Some(now) = self.now.as_ref().filter(|_| self.process.is_some()) {
            let stage = now.stage.as_ref().map_or_else(String::new, |stage| format!(", {stage}"));
            let range = range_text(now.lower_bound, self.costs, now.incumbent);
            write!(f, "{}: {}, proven {range}, layer {}{stage}, ", now.board, now.engine, now.layer)?;
            let (expanded, stored) = (count(now.expanded), count(now.stored));
            writeln!(f, "{expanded} expanded, {stored} stored, {} in memory", bytes(now.bytes))?;
            for (number, rank) in now.ranks.iter().enumerate() {
                let (expanded, stored, resident) = (count(rank.expanded), count(rank.stored), bytes(rank.resident));
                writeln!(f, "  rank {number}: {expanded} expanded, {stored} stored, {resident} resident")?;
            }
        }
        self.estimates.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        self.checkpoints.iter().try_for_each(|checkpoint| checkpoint.write(f, self.costs))?;
        self.write_begun(f)?;
        if let Some(lost) = self.lost {
            writeln!(f, "lost: at most {} of work on a board", seconds(lost))?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))?;
        if let Some(CheckedFiles { files, bytes: length }) = self.checked {
            let verdict = if self.is_sound() { "intact" } else { "intact; the other files are damaged, see above" };
            writeln!(f, "{} checked, {}: {verdict}", plural(files, "file"), bytes(length))?;
        }
        self.resume.iter().try_for_each(|command| writeln!(f, "continue with: {command}"))
    }
}

impl RunReport {
    /// The state of the run and what became of its boards, in one line.
    #[must_use]
    pub fn short(&self) -> String {
        format!("{}; {}", self.heading(), self.totals.to_string().replace('\n', "; "))
    }

    fn heading(&self) -> String {
        let run = visible(&self.run);
        match &self.process {
            Some(process) => format!("{run}: running as process {process}"),
            None => format!("{run}: not running; {}", end_in_words(self.ended.as_deref().unwrap_or("unknown"))),
        }
    }

    fn write_begun(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for BegunReport { number, board, lower_bound, incumbent, layers } in self.begun.iter().take(MAX_BEGUN_LINES) {
            let (state, hint) = match self.process {
                Some(_) => ("under way, no checkpoint yet", ""),
                None => ("no checkpoint", "; resume starts it again"),
            };
            let range = range_text(*lower_bound, self.costs, *incumbent);
            writeln!(f, "board {number} ({board}): {state}: proven {range}{hint}")?;
            write_layers(f, layers, None)?;
        }
        match self.begun.len().saturating_sub(MAX_BEGUN_LINES) as u64 {
            0 => Ok(()),
            more => writeln!(f, "and {} more without a checkpoint", plural(more, "board")),
        }
    }
}

fn end_in_words(ended: &str) -> &str {
    match ended {
        "finished" => "finished",
        "interrupted" => "a signal or a request ended it",
        "time-limit" => "the time limit ended it",
        "memory-limit" => "the memory limit ended it",
        "expansion-limit" => "the expansion limit ended it",
        "disk-limit" => "the disk limit ended it",
        "disk-failed" => "the disk failed",
        "killed" => "killed, or the machine went down",
        "stopped" => "ended early",
        _ => "how it ended is not recorded",
    }
}

impl CheckpointReport {
    fn write(&self, f: &mut fmt::Formatter<'_>, costs: &str) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "board {}: left out: {note}", self.number)?;
        }
        if let Some(error) = &self.error {
            return writeln!(f, "board {}: {error}", self.number);
        }
        let is_of = |engine: &StateEngine| self.engine == Some(engine.info.name);
        let engine = if is_of(&StateEngine::IDA) { ", ida" } else { "" };
        let range = range_text(self.lower_bound.unwrap_or(0), costs, self.incumbent);
        write!(f, "board {}{engine}: checkpoint {}, {} ago: ", self.number, self.sequence, seconds(self.age as f64))?;
        let unit = if is_of(&StateEngine::LEARNING) { "no-good" } else { "record" };
        let (expanded, states) = (count(self.expanded), plural(self.states, unit));
        writeln!(f, "proven {range}, {expanded} expanded, {states}, {} on disk", bytes(self.bytes))?;
        write_layers(f, &self.layers, self.current.as_ref())
    }
}

/// The proven range of the costs.
fn range_text(lower_bound: Cost, costs: &str, incumbent: Option<Cost>) -> String {
    let upper = incumbent.map_or_else(|| "?".to_owned(), |cost| cost.to_string());
    format!("{lower_bound} <= {costs} <= {upper}")
}

/// Writes the completed layers, only the last of them line by line, and the layer under way.
fn write_layers(f: &mut fmt::Formatter<'_>, layers: &[Layer], current: Option<&Layer>) -> fmt::Result {
    let (earlier, last) = layers.split_at(layers.len().saturating_sub(MAX_LAYER_LINES));
    let expanded = count(earlier.iter().map(|layer| layer.expanded).sum());
    match earlier {
        [] => {}
        [layer] => writeln!(f, "  layer {}: {expanded} expanded", layer.f)?,
        [first, .., end] => writeln!(f, "  layers {} to {}: {expanded} expanded", first.f, end.f)?,
    }
    let completed = last.iter().map(|layer| (layer, ""));
    completed.chain(current.map(|layer| (layer, ", under way"))).try_for_each(|(layer, under_way)| {
        writeln!(f, "  layer {}: {} expanded{under_way}", layer.f, count(layer.expanded))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_early_layer_is_no_range() {
        let layers = |from| (from..48).map(|f| Layer { f, expanded: 37, generated: 0 }).collect::<Vec<_>>();
        let first = |from| fmt::from_fn(|f| write_layers(f, &layers(from), None)).to_string();
        assert!(first(39).starts_with("  layer 39: 37 expanded\n"));
        assert!(first(38).starts_with("  layers 38 to 39: 74 expanded\n"));
    }
}
