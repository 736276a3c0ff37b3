//! A report: one HTML file that needs no network.

use super::assets::{asset, report_script};
use super::{BoardView, FilmView, RunView};
use crate::film::escaped;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The content of a report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// The title.
    pub title: String,
    /// When, and by which version of the program, the report was made.
    pub made: String,
    /// The runs.
    pub runs: Vec<RunView>,
    /// Solutions, by the index of the run and the number of the board: `0/17`.
    pub films: BTreeMap<String, FilmView>,
    /// Boards with their curves, by the same keys.
    pub boards: BTreeMap<String, BoardView>,
    /// What was left out, or could not be read.
    pub notes: Vec<String>,
}

/// The page loads nothing and sends nothing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

impl Document {
    /// The report as HTML.
    ///
    /// # Errors
    /// None in practice: JSON can represent every field.
    pub fn to_html(&self) -> serde_json::Result<String> {
        // In a script element, only `</` and `<!--` have a meaning. JSON decodes `\u003c` as `<`.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        let style = asset("style.css").unwrap_or_default();
        let title = escaped(&self.title);
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_SECURITY_POLICY}\">\n<title>{title}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>\n{style}</style>\n</head>\n<body>\n\
             <main id=\"report\">\n<noscript>\n{}</noscript>\n</main>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script type=\"module\">\n{}</script>\n</body>\n</html>\n",
            self.noscript_text(),
            report_script()
        ))
    }

    /// The text for readers without scripts.
    fn noscript_text(&self) -> String {
        let mut out = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&self.title), escaped(&self.made));
        for run in &self.runs {
            let boards = run.boards.map_or_else(String::new, |all| format!(", boards done: {} of {all}", run.done));
            let board = run.board.as_ref().filter(|board| board.number.is_some());
            let range = board.map_or_else(String::new, |board| format!(", {}: {}", board.name, board.range));
            let line = format!("{}: {}{boards}, {} proven{range}", run.name, run.state, run.proven);
            let _ = writeln!(out, "<p>{}</p>", escaped(&line));
        }
        out
    }
}
