//! Results as JSON: one line with one object for each board.

use gridhunt_hunt::{BoardResult, FailedBoard, error_chain};
use serde::{Deserialize, Serialize};

/// The JSON object of a board without a record. Every field is always present, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingRecord {
    /// The board's number in the run, from 1; null if a run directory does not hold the board.
    pub number: Option<usize>,
    /// The board's name; null if the board could not be read.
    pub board: Option<String>,
    /// `error`, or `not-begun` if the run was stopped before its search.
    pub status: String,
    /// Why the board has no record; null if its search was not begun.
    pub error: Option<String>,
}

/// The object of a result as one line of JSON, without a newline: a [`BoardRecord`](gridhunt_hunt::BoardRecord) or a
/// [`MissingRecord`].
///
/// # Errors
/// None in practice: JSON can represent every field.
pub fn result_to_json(result: &BoardResult) -> serde_json::Result<String> {
    let missing = |number, board, status: &str, error| {
        serde_json::to_string(&MissingRecord { number, board, status: status.to_owned(), error })
    };
    match result {
        BoardResult::Record { record, .. } => serde_json::to_string(record),
        BoardResult::Failed(FailedBoard { number, board, error }) => {
            missing(*number, board.clone(), "error", Some(error_chain(error)))
        }
        BoardResult::NotBegun { number, board } => missing(Some(*number), Some(board.clone()), "not-begun", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_text;
    use crate::text::tests::{feasible, optimal, scored, unsolvable};
    use crate::text::tests::{objective, scores};
    use gridhunt_hunt::BoardRecord;
    use gridhunt_puzzle::EngineKind;

    fn json(record: BoardRecord) -> String {
        result_to_json(&BoardResult::Record { record: Box::new(record), record_error: None }).unwrap()
    }

    #[test]
    fn the_object_is_the_documented_one() {
        let expected = concat!(
            r#"{"number":1,"board":"a.txt","rows":14,"cols":15,"colours":6,"domain":"flood-it","objective":"moves","#,
            r#""ceiling":null,"status":"optimal","stopped":null,"cost":7,"score":null,"published":null,"#,
            r#""lower_bound":7,"upper_score":null,"min_group":null,"columns":null,"corner":null,"score_rule":null,"#,
            r#""clear_bonus":null,"left_penalty":null,"moves":["1","2","1","2","1","2","1"],"expanded":1234,"#,
            r#""generated":5678,"evaluated":5678,"stored":1000,"#,
            r#""layers":[{"f":6,"expanded":1000,"generated":5000},{"f":7,"expanded":234,"generated":678}],"#,
            r#""bytes_per_state":44.12,"threads":2,"ranks":1,"seconds":0.5,"cpu_seconds":0.9,"#,
            r#""peak_memory_bytes":2097152,"engine":"auto","bound":"elimination","identity":"0123"}"#
        );
        assert_eq!(json(optimal()), expected);
    }

    #[test]
    fn a_score_stands_beside_what_it_falls_short() {
        let text = json(scored(feasible()));
        assert!(
            text.contains(r#""cost":7,"score":1993,"#) && text.contains(r#""lower_bound":5,"upper_score":1995,"#),
            "{text}"
        );
    }

    #[test]
    fn what_does_not_exist_is_null() {
        let text = json(unsolvable());
        for part in [
            r#""status":"unsolvable","stopped":null,"cost":null,"score":null,"published":null,"lower_bound":null,"#,
            r#""moves":[]"#,
            r#""bytes_per_state":null"#,
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_record_that_is_read_says_the_same() {
        for record in [optimal(), unsolvable(), scored(feasible())] {
            let line = json(record.clone());
            let read: BoardRecord = serde_json::from_str(&line).unwrap();
            assert_eq!(result_text(&read), result_text(&record));
            assert_eq!(json(read), line);
        }
        assert!(serde_json::from_str::<BoardRecord>("{\"number\":1}").is_err());
    }

    #[test]
    fn every_name_is_read_again() {
        for engine in EngineKind::all() {
            assert_eq!(serde_json::json!(engine), engine.name());
        }
        let score = scores(7);
        for objective in [objective("clear"), objective("left"), objective("tokens"), score] {
            let line = json(BoardRecord { objective, ..optimal() });
            assert_eq!(serde_json::from_str::<BoardRecord>(&line).unwrap().objective, objective);
            let unknown = line.replace(objective.name, "fame");
            assert!(serde_json::from_str::<BoardRecord>(&unknown).is_err(), "{unknown}");
        }
    }
}
