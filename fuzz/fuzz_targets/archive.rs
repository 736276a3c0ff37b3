//! Arbitrary bytes as manifest, journal and payload of a checkpoint: refused, or accepted. An accepted file is encoded
//! to the same bytes.
#![no_main]

use gridhunt_search::checkpoint::decoders;
use gridhunt_search::engine::Snapshot;
use libfuzzer_sys::fuzz_target;

// The first byte chooses the file.
fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    match choice % 3 {
        0 => drop(decoders::reencode_manifest(bytes).map(|again| assert!(again == bytes))),
        1 => drop(decoders::reencode_frames(bytes).map(|again| assert!(bytes.starts_with(&again)))),
        _ => drop(Snapshot::decode(bytes)),
    }
});
