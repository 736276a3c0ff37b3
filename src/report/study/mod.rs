//! What a comparison of lower bounds looks like: rows for programs, a table for people, plots for both.

mod plots;
mod row;
mod table;

pub use plots::{PlotError, expansions_by_bound, gap_by_depth};
pub use row::{TrialRow, csv_header, to_csv, trial_to_json};
pub use table::study_table;

use crate::driver::Study;
use crate::engine::{Status, Trial};

/// Whether the optimum of the board is known, by whatever proof.
fn is_proven(study: &Study) -> bool {
    study.reference.status() == Status::Optimal
}

/// The trials of each bound, with their boards, in the order in which the bounds were named.
fn by_bound(studies: &[Study]) -> Vec<(&str, Vec<(&Study, &Trial)>)> {
    let mut bounds: Vec<(&str, Vec<_>)> = Vec::new();
    for study in studies {
        for trial in &study.trials {
            let at = bounds.iter().position(|(name, _)| *name == trial.name).unwrap_or_else(|| {
                bounds.push((&trial.name, Vec::new()));
                bounds.len() - 1
            });
            bounds[at].1.push((study, trial));
        }
    }
    bounds
}

/// Whether a bound came to the end of its proof.
fn is_done(trial: &Trial) -> bool {
    trial.outcome.status() == Status::Optimal
}
