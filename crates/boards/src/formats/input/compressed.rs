//! Compressed inputs: gzip and Zstandard, recognised by their first bytes, decompressed while they are read.
//!
//! A small file can decompress to any size, so the decompressed size has a limit.
//!
//! A web page decompresses nothing: each visit would load the decoders, and boards on a page are short.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, ErrorKind, Read};

/// The most bytes of an input that is read as a whole, and the most that a compressed input may decompress to.
pub(crate) const MAX_INPUT: u64 = 256 << 20;

/// Reads from a decoder, up to a limit. After a failure, every later call reports the same failure.
pub(crate) struct LimitedReader<D> {
    decoder: D,
    /// What messages call the compression.
    name: &'static str,
    bytes_left: u64,
    failure: Option<String>,
}

impl<D> LimitedReader<D> {
    pub fn new(decoder: D, name: &'static str) -> Self {
        Self { decoder, name, bytes_left: MAX_INPUT, failure: None }
    }
}

impl<D: Read> Read for LimitedReader<D> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            match self.decoder.read(out) {
                Ok(count) if count as u64 <= self.bytes_left => {
                    self.bytes_left -= count as u64;
                    return Ok(count);
                }
                Ok(_) => {
                    let found = format!("found {} data that decompress to more than {MAX_INPUT} bytes", self.name);
                    self.failure = Some(format!("{found}, expected fewer; decompress the file first"));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    self.failure = Some(format!("found damaged {} data ({error}), expected a whole file", self.name));
                }
            }
        }
        Err(io::Error::other(self.failure.clone().unwrap_or_default()))
    }
}

/// The content of Zstandard frames, one after the other.
pub(crate) struct ZstandardFrames<R> {
    input: R,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<R: BufRead> ZstandardFrames<R> {
    pub fn new(input: R) -> Self {
        Self { input, decoder: FrameDecoder::new(), is_in_frame: false }
    }

    /// Begins the next frame with content, and returns whether there is one.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.input) {
                Ok(()) => {
                    self.is_in_frame = true;
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

impl<R: BufRead> Read for ZstandardFrames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() && (self.is_in_frame || self.begin_frame()?) {
            let count = self.decoder.read(out)?;
            if count > 0 {
                return Ok(count);
            }
            if !self.decoder.is_finished() {
                let decoded = self.decoder.decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1));
                decoded.map_err(|error| io::Error::other(error.to_string()))?;
                continue;
            }
            let stated = self.decoder.get_checksum_from_data();
            if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("a wrong checksum"));
            }
            self.is_in_frame = false;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_out_has_a_limit() {
        let mut limited = LimitedReader::new(io::repeat(b'\n'), "gzip");
        let read = io::copy(&mut limited, &mut io::sink()).unwrap_err();
        let expected = "found gzip data that decompress to more than 268435456 bytes, expected fewer; decompress";
        assert!(read.to_string().starts_with(expected), "{read}");
    }
}
