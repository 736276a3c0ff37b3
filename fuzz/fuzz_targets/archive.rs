//! Arbitrary bytes as the files of an archive: refused, or accepted and written back as they were.
#![no_main]

use gridhunt::store::decoders;
use libfuzzer_sys::fuzz_target;

// The first byte chooses the file.
fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    if choice % 2 == 0 {
        if let Ok(again) = decoders::manifest(bytes) {
            assert_eq!(again, bytes);
        }
    } else if let Ok(again) = decoders::frames(bytes) {
        assert!(bytes.starts_with(&again));
    }
});
