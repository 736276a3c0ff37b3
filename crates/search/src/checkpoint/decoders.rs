//! The decoders of manifest and journal on bytes in memory, for fuzzing.

use super::{journal, manifest};

/// Decodes a manifest and encodes it again. The returned bytes equal the given bytes, if these have the newest version.
///
/// # Errors
/// When the bytes are no manifest. The text says what was found.
pub fn manifest(bytes: &[u8]) -> Result<Vec<u8>, String> {
    manifest::encode(&manifest::decode(bytes)?).map_err(|e| e.to_string())
}

/// Decodes the whole frames of a journal behind its magic and encodes them again. The returned bytes equal the bytes of
/// these frames.
///
/// # Errors
/// When a frame is followed by bytes that begin no frame.
pub fn frames(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut again = Vec::new();
    loop {
        match journal::decode(bytes) {
            Ok(Some((frame, used))) => {
                journal::encode(frame.kind, &[frame.body], &mut again);
                bytes = &bytes[used..];
            }
            Ok(None) => return Ok(again),
            Err(error) => return Err(format!("found {}, expected {}", error.found, error.expected)),
        }
    }
}
