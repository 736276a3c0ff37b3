//! The output of a comparison of lower bounds: rows for programs, a table for people.

mod row;
mod table;

pub use row::{TrialRow, WholeTrial, study_csv_header, study_to_csv, trial_to_json};
pub use table::{study_markdown, study_table};

use gridhunt_hunt::Study;
use gridhunt_search::engine::{Status, Trial};

fn has_proven_reference(study: &Study) -> bool {
    study.reference.status == Status::Optimal
}

/// The trials of each bound, in the order of their first trials, with their studies.
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

fn has_proven_optimum(trial: &Trial) -> bool {
    trial.outcome.status() == Status::Optimal
}
