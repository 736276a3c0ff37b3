//! The files of the pages.

macro_rules! assets {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("assets/", $name)))),*] };
}

/// The modules of a report. Each module follows the modules that it imports.
const REPORT_MODULES: [(&str, &str); 10] = assets![
    "format.js" "dom.js" "steps.js" "bars.js" "table.js" "batch.js" "player.js" "board.js" "run.js" "report.js"
];

const OTHER_FILES: [(&str, &str); 6] = assets!["index.html" "style.css" "list.js" "api.js" "control.js" "serve.js"];

/// The text of the file with this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static str> {
    REPORT_MODULES.iter().chain(&OTHER_FILES).find(|(file, _)| *file == name).map(|(_, text)| *text)
}

/// The media type of a file of a page.
#[must_use]
pub fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    }
}

/// The modules of a report in one scope: without imports, and without the word `export`.
pub(super) fn report_script() -> String {
    let lines = REPORT_MODULES.iter().flat_map(|(_, text)| text.lines());
    let code = lines.filter(|line| !line.starts_with("import "));
    code.map(|line| line.strip_prefix("export ").unwrap_or(line)).fold(String::new(), |all, line| all + line + "\n")
}
