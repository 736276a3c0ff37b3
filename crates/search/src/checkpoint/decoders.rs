//! The decoders of manifest and journal, applied to bytes in memory, for fuzzing.

use super::{journal, manifest};

/// Decodes a manifest and encodes it again. The returned bytes equal the given bytes.
///
/// # Errors
/// When the bytes are no manifest. The text says what was found.
pub fn reencode_manifest(bytes: &[u8]) -> Result<Vec<u8>, String> {
    manifest::encode(&manifest::decode(bytes)?).map_err(|e| e.to_string())
}

/// Decodes the complete frames that follow the magic of a journal, and encodes them again. The returned bytes equal
/// theirs.
///
/// # Errors
/// When a frame is followed by bytes that begin no frame.
pub fn reencode_frames(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoded = Vec::new();
    loop {
        match journal::decode(bytes) {
            Ok(Some((frame, used))) => {
                journal::encode(frame.kind, &[frame.body], &mut encoded);
                bytes = &bytes[used..];
            }
            Ok(None) => return Ok(encoded),
            Err(error) => return Err(format!("found {}, expected {}", error.found, error.expected)),
        }
    }
}
