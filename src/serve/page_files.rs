//! The files of the page to play.

use crate::views::page::{asset, media_type};
use gridhunt_hunt::shipped::ShippedFile;

const FILES: &[ShippedFile] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The media type and the content of a file of the page.
pub(super) fn page_file(name: &str) -> Option<(&'static str, String)> {
    if name == "dom.js" {
        return Some((media_type(name), asset(name)?.to_owned()));
    }
    let text = str::from_utf8(FILES.iter().find(|file| file.name == name)?.bytes).ok()?;
    // The page asks this server instead of a WebAssembly module.
    Some((media_type(name), text.replacen("data-solver=\"module\"", "data-solver=\"server\"", 1)))
}
