//! Recognises files that hold no board in a form that can be read, by their first bytes.

use crate::formats::mismatch::Mismatch;

const TO_PNG: &str = "text, or a picture of a board as PNG or JPEG; convert it to PNG";
const UNPACK: &str = "text, or a file that gzip or zstd has compressed; unpack it first";
const TO_TEXT: &str = "text; save the board as plain text";
const TO_CSV: &str = "text; save the sheet as CSV";

/// The first bytes of each kind of file, what the kind is called, and what to do. A more specific kind comes first.
const KINDS: [(&[u8], &str, &str); 29] = [
    (b"GIF87a", "a GIF picture", TO_PNG),
    (b"GIF89a", "a GIF picture", TO_PNG),
    (b"II*\0", "a TIFF picture", TO_PNG),
    (b"MM\0*", "a TIFF picture", TO_PNG),
    (b"\0\0\x01\0", "an icon (ICO)", TO_PNG),
    (b"8BPS", "a picture of Photoshop", TO_PNG),
    (b"\xff\x0a", "a JPEG XL picture", TO_PNG),
    (b"\0\0\0\x0cJXL ", "a JPEG XL picture", TO_PNG),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture", TO_PNG),
    (b"qoif", "a QOI picture", TO_PNG),
    (b"P7\nWIDTH", "a PAM picture", TO_PNG),
    (b"gimp xcf", "a picture of GIMP", TO_PNG),
    (b"<svg", "an SVG drawing", TO_PNG),
    (b"<?xml", "an XML file", TO_TEXT),
    (b"<!doctype html", "a page in HTML", TO_TEXT),
    (b"<html", "a page in HTML", TO_TEXT),
    (b"{\\rtf", "a document in RTF", TO_TEXT),
    (b"%PDF-", "a PDF document", TO_TEXT),
    (b"%!PS", "a PostScript document", TO_TEXT),
    (b"\xd0\xcf\x11\xe0", "a document of an old Microsoft Office", TO_CSV),
    (b"BZh", "bzip2 data", UNPACK),
    (b"\xfd7zXZ\0", "xz data", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"\x04\x22\x4d\x18", "LZ4 data", UNPACK),
    (b"\x1f\x9d", "data of compress (.Z)", UNPACK),
    (b"LZIP", "lzip data", UNPACK),
    (b"\x93NUMPY", "an array of NumPy", TO_TEXT),
    (b"\x7fELF", "a program", "a file with boards"),
];

/// Says what an input that begins with `first_bytes` is, if it is known to be neither a board nor a solution.
pub(crate) fn recognise(first_bytes: &[u8]) -> Option<Mismatch> {
    let at = |offset: usize, text: &[u8]| first_bytes.get(offset..).is_some_and(|rest| rest.starts_with(text));
    let known = |what, advice| Some(Mismatch::new(what, advice));
    if at(0, b"RIFF") && at(8, b"WEBP") {
        return known("a WebP picture", TO_PNG);
    }
    if at(4, b"ftyp") {
        return known("a HEIC or AVIF picture, or a film", TO_PNG);
    }
    // Four zero bytes follow the length of the file.
    if at(0, b"BM") && at(6, &[0; 4]) {
        return known("a BMP picture", TO_PNG);
    }
    if at(0, b"PK\x03\x04") || at(0, b"PK\x05\x06") {
        let has = |text: &[u8]| first_bytes.windows(text.len()).any(|window| window == text);
        return match has(b"[Content_Types].xml") || has(b"opendocument") || has(b"docProps/") || has(b"xl/w") {
            true => known("a spreadsheet, or another document of an office program", TO_CSV),
            false => known("a zip archive", UNPACK),
        };
    }
    if at(257, b"ustar") {
        return known("a tar archive", "a file with boards; unpack it first");
    }
    let text = first_bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first_bytes).trim_ascii_start();
    let begins = |kind: &&(&[u8], &str, &str)| {
        let bytes = if kind.0[0] == b'<' { text } else { first_bytes };
        bytes.get(..kind.0.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(kind.0))
    };
    let kind = KINDS.iter().find(begins).filter(|kind| !is_text(kind.0, first_bytes));
    kind.and_then(|&(_, what, advice)| known(what, advice))
}

/// Whether a board may begin in the same way: the first bytes of the kind are letters or digits, and text follows them.
fn is_text(kind: &[u8], first_bytes: &[u8]) -> bool {
    kind.iter().all(u8::is_ascii_alphanumeric) && first_bytes.iter().all(|byte| byte.is_ascii() && *byte >= b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_no_board_are_named() {
        let office = "a spreadsheet, or another document of an office program";
        let mut tar = vec![b'a'; 257];
        tar.extend(b"ustar\0");
        for (first_bytes, what) in [
            (&b"GIF89a\x05\0"[..], "a GIF picture"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP picture"),
            (b"BM\x46\0\0\0\0\0\0\0\x36", "a BMP picture"),
            (b"\0\0\0\x1cftypheic", "a HEIC or AVIF picture, or a film"),
            (b"PK\x03\x04\x14\0\0\0board.txt", "a zip archive"),
            (b"PK\x03\x04\x14\0\0\0[Content_Types].xml", office),
            (b"PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument", office),
            // As openpyxl writes it.
            (b"PK\x03\x04\x14\0\0\0docProps/app.xml", office),
            (b"BZh91AY&SY\x01", "bzip2 data"),
            (b"\xfd7zXZ\0\0\x04", "xz data"),
            (b"%PDF-1.7", "a PDF document"),
            (b"\xef\xbb\xbf \n<!DOCTYPE html>", "a page in HTML"),
            (b"<svg xmlns", "an SVG drawing"),
            (&tar, "a tar archive"),
        ] {
            let text = String::from_utf8_lossy(first_bytes);
            assert_eq!(recognise(first_bytes).map(|foreign| foreign.found), Some(what.to_owned()), "{text}");
        }
    }

    #[test]
    fn letters_of_a_board_are_no_kind_of_file() {
        for text in
            ["BMG\nGBM\n", "BZh\nhZB\n", "qoif\nfioq\n", "LZIP\nPIZL\n", "RIFF\n", "PKG\n", "P7\nQ7\n", "GIF89a"]
        {
            assert_eq!(recognise(text.as_bytes()), None, "{text}");
        }
    }
}
