//! The lists of `engines` and `bounds`.

use super::{json, stdout};

#[test]
fn one_entry_is_the_default() {
    assert_eq!(stdout(&["engines"]).matches("(default)").count(), 1);
    // One of Flood-It and one of Free flood: a puzzle whose default depends on the board marks none.
    assert_eq!(stdout(&["bounds"]).matches("(default)").count(), 2);
}

#[test]
fn lists_fit_a_terminal_of_eighty_columns() {
    for command in ["engines", "bounds"] {
        let text = stdout(&[command]);
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(names.len(), json(&[command, "--json"]).as_array().unwrap().len(), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line:?}");
        }
    }
}
