//! The files of the pages.

/// A file of the pages.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The name, without folders.
    pub name: &'static str,
    /// The media type.
    pub media: &'static str,
    /// The content.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($name:literal, $media:expr) => {
        Asset { name: $name, media: $media, text: include_str!(concat!("assets/", $name)) }
    };
}

/// All files. A module stands behind the modules that it imports.
pub(super) const ASSETS: &[Asset] = &[
    asset!("index.html", "text/html; charset=utf-8"),
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("format.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("api.js", SCRIPT),
    asset!("steps.js", SCRIPT),
    asset!("bars.js", SCRIPT),
    asset!("table.js", SCRIPT),
    asset!("batch.js", SCRIPT),
    asset!("player.js", SCRIPT),
    asset!("board.js", SCRIPT),
    asset!("run.js", SCRIPT),
    asset!("list.js", SCRIPT),
    asset!("control.js", SCRIPT),
    asset!("serve.js", SCRIPT),
    asset!("report.js", SCRIPT),
];

/// Modules that only the served page needs.
const SERVED: [&str; 4] = ["list.js", "api.js", "control.js", "serve.js"];

/// The file of this name.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The modules of a report as one: imports are left out, because all names are in one scope, and so is the word
/// `export`.
pub(super) fn report_script() -> String {
    let modules = ASSETS.iter().filter(|asset| asset.media == SCRIPT && !SERVED.contains(&asset.name));
    let lines = modules.flat_map(|asset| asset.text.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.map(|line| line.strip_prefix("export ").unwrap_or(line)).fold(String::new(), |all, line| all + line + "\n")
}
