//! The files of the page where people play.

use crate::views::page::asset;

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($name:literal: $media:expr,)*) => {
        /// Name, media type and content of each file.
        const FILES: &[(&str, &str, &str)] =
            &[$(($name, $media, include_str!(concat!("../play/page/", $name))),)*];
    };
}

files! {
    "bunny-board.js": SCRIPT,
    "bunny-drag.js": SCRIPT,
    "bunny-editor.js": SCRIPT,
    "bunny-levels.js": SCRIPT,
    "bunny-program.js": SCRIPT,
    "bunny-run.js": SCRIPT,
    "bunny-search.js": SCRIPT,
    "bunny-status.js": SCRIPT,
    "bunny-tiles.js": SCRIPT,
    "bunny.css": "text/css; charset=utf-8",
    "bunny.js": SCRIPT,
    "canvas.js": SCRIPT,
    "days.js": SCRIPT,
    "dialog.js": SCRIPT,
    "end.js": SCRIPT,
    "films.js": SCRIPT,
    "game.js": SCRIPT,
    "index.html": "text/html; charset=utf-8",
    "main.js": SCRIPT,
    "new.js": SCRIPT,
    "open.js": SCRIPT,
    "palette.js": SCRIPT,
    "panels.js": SCRIPT,
    "parts.js": SCRIPT,
    "proof.js": SCRIPT,
    "replay.js": SCRIPT,
    "rules.js": SCRIPT,
    "settings.js": SCRIPT,
    "share.js": SCRIPT,
    "solver.js": SCRIPT,
    "storage.js": SCRIPT,
    "style.css": "text/css; charset=utf-8",
    "thinking.js": SCRIPT,
    "watch.js": SCRIPT,
    "worker.js": SCRIPT,
}

/// The media type and the content of a file of the page.
pub(super) fn page_file(name: &str) -> Option<(&'static str, String)> {
    if name == "dom.js" {
        return asset(name).map(|asset| (asset.media, asset.text.to_owned()));
    }
    let (_, media, text) = FILES.iter().find(|(file, ..)| *file == name)?;
    // The page asks this server instead of a module of its own.
    Some((media, text.replacen("data-solver=\"module\"", "data-solver=\"server\"", 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_missing() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/play/page");
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, FILES.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
        let (_, index) = page_file("index.html").unwrap();
        assert!(index.contains("data-solver=\"server\""));
    }
}
