//! The decoders of the archive's files on bytes in memory, for whoever wants to throw arbitrary bytes at them.

use super::{journal, manifest};

/// Decodes a manifest. Returns the bytes that encoding it again gives, which are the same.
///
/// # Errors
/// When the bytes are no manifest; the text says what was found.
pub fn manifest(bytes: &[u8]) -> Result<Vec<u8>, String> {
    manifest::encode(&manifest::decode(bytes)?).map_err(|e| e.to_string())
}

/// Decodes the frames of a journal behind its magic, as far as they are whole. Returns the bytes that encoding them again
/// gives: those that were read.
///
/// # Errors
/// When the bytes go on with something that is no frame.
pub fn frames(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut again = Vec::new();
    loop {
        match journal::decode(bytes) {
            Ok(Some((frame, used))) => {
                journal::encode(frame.kind, frame.body, &mut again);
                bytes = &bytes[used..];
            }
            Ok(None) => return Ok(again),
            Err(fault) => return Err(format!("found {}, expected {}", fault.found, fault.expected)),
        }
    }
}
