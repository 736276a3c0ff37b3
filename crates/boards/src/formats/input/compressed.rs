//! Compressed inputs: gzip and Zstandard, recognised by their first bytes, decompressed while they are read.
//!
//! A small file can decompress to any size, so there is a limit on what comes out.
//!
//! A web page decompresses nothing: it would load the decoders with every visit, and boards on a page are short.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, ErrorKind, Read};

/// The most bytes of an input that is read as a whole, or that is compressed.
pub(crate) const MAX_INPUT: u64 = 256 << 20;

/// What a decoder hands out, up to a limit. A failure is reported at every later call too.
pub(crate) struct Limited<D> {
    decoder: D,
    form: &'static str,
    left: u64,
    failure: Option<String>,
}

impl<D> Limited<D> {
    pub fn new(decoder: D, form: &'static str) -> Self {
        Self { decoder, form, left: MAX_INPUT, failure: None }
    }
}

impl<D: Read> Read for Limited<D> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            match self.decoder.read(out) {
                Ok(count) if count as u64 <= self.left => {
                    self.left -= count as u64;
                    return Ok(count);
                }
                Ok(_) => {
                    let found = format!("found {} data that decompress to more than {MAX_INPUT} bytes", self.form);
                    self.failure = Some(format!("{found}, expected fewer; decompress the file first"));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    self.failure = Some(format!("found damaged {} data ({error}), expected a whole file", self.form));
                }
            }
        }
        Err(io::Error::other(self.failure.clone().unwrap_or_default()))
    }
}

/// The content of Zstandard frames, one after the other.
pub(crate) struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    is_inside: bool,
}

impl<R: BufRead> Frames<R> {
    pub fn new(input: R) -> Self {
        Self { input, decoder: FrameDecoder::new(), is_inside: false }
    }

    /// Begins the next frame, and skips those without content. Whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.input) {
                Ok(()) => {
                    self.is_inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.input).take(length), &mut io::sink())? < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() && (self.is_inside || self.begin()?) {
            let count = self.decoder.read(out)?;
            if count > 0 {
                return Ok(count);
            }
            if !self.decoder.is_finished() {
                let more = self.decoder.decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1));
                more.map_err(|error| io::Error::other(error.to_string()))?;
                continue;
            }
            let said = self.decoder.get_checksum_from_data();
            if said.is_some() && said != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("a wrong checksum"));
            }
            self.is_inside = false;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::Decoded;
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstandard(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        let read = Decoded::decompressed(bytes).read_to_end(&mut out).map_err(|error| error.to_string());
        read.map(|_| out)
    }

    #[test]
    fn several_members_and_frames_are_one_text() {
        let text = b"12\n21\n".repeat(10_000);
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&[gzip(&text), gzip(b"3")].concat()).unwrap(), [&text[..], b"3"].concat());
        let frames = [zstandard(&text), skipped, zstandard(b"3"), zstandard(b"")].concat();
        assert_eq!(read(&frames).unwrap(), [&text[..], b"3"].concat());
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        for (form, bytes) in [("gzip", gzip(b"123\n321\n112\n")), ("Zstandard", zstandard(b"123\n321\n112\n"))] {
            for cut in 5..bytes.len() {
                let error = read(&bytes[..cut]).unwrap_err();
                assert!(error.starts_with(&format!("found damaged {form} data (")), "{cut}: {error}");
            }
            let mut changed = bytes.clone();
            let last = changed.len() - 1;
            changed[last] ^= 1;
            assert!(read(&changed).is_err(), "{form}");
            let mut reader = Decoded::decompressed(&bytes[..bytes.len() - 2]);
            // The failure stays one.
            while reader.fill_buf().is_ok() {
                let count = reader.fill_buf().map_or(0, <[u8]>::len);
                reader.consume(count);
            }
            assert!(reader.fill_buf().is_err(), "{form}");
        }
    }

    #[test]
    fn what_comes_out_has_a_limit() {
        let mut limited = Limited::new(io::repeat(b'\n'), "gzip");
        let read = io::copy(&mut limited, &mut io::sink()).unwrap_err();
        let expected = "found gzip data that decompress to more than 268435456 bytes, expected fewer; decompress";
        assert!(read.to_string().starts_with(expected), "{read}");
    }
}
