//! Turns the bytes of an input into UTF-8: decompresses them, refuses files that are no text, and converts UTF-16.
//!
//! UTF-16 is recognised by its byte order mark, or by a zero byte among the first two bytes. Any other input is UTF-16
//! if its first bytes are no text in UTF-8, but decode as UTF-16 to characters that boards have. An input in UTF-16 is
//! converted as a whole; any other input is passed on unchanged.

use super::compressed::MAX_INPUT;
#[cfg(not(target_family = "wasm"))]
use super::compressed::{LimitedReader, ZstandardFrames};
use super::foreign_file;
use crate::{BoardError, Position};
#[cfg(not(target_family = "wasm"))]
use flate2::bufread::MultiGzDecoder;
#[cfg(not(target_family = "wasm"))]
use std::io::BufReader;
use std::io::{self, BufRead, Cursor, ErrorKind, Read};
use std::sync::Arc;

/// An input in UTF-8.
pub(crate) enum DecodedInput<R> {
    /// The input itself.
    Plain(R),
    #[cfg(not(target_family = "wasm"))]
    Gzip(Box<BufReader<LimitedReader<MultiGzDecoder<R>>>>),
    #[cfg(not(target_family = "wasm"))]
    Zstandard(Box<BufReader<LimitedReader<ZstandardFrames<R>>>>),
    /// A text in memory, because the input was converted, or was read as a whole.
    InMemory(Cursor<Arc<[u8]>>),
}

/// Makes a unit of UTF-16 from two bytes.
type ByteOrder = fn([u8; 2]) -> u16;

/// Finds the byte order of an input in UTF-16 from its first bytes; `None` for another input.
fn utf16_order(start: &[u8]) -> Option<ByteOrder> {
    let orders: [ByteOrder; 2] = [u16::from_le_bytes, u16::from_be_bytes];
    match *start {
        [0xff, 0xfe, ..] => Some(orders[0]),
        [0xfe, 0xff, ..] => Some(orders[1]),
        [first, 0, ..] if first > 0 => Some(orders[0]),
        [0, second, ..] if second > 0 => Some(orders[1]),
        _ if is_text_in_utf8(start) => None,
        _ => orders.into_iter().find(|&order| is_board_in_utf16(start, order)),
    }
}

/// Whether the first bytes of an input are text in UTF-8. The last character may be cut off.
fn is_text_in_utf8(start: &[u8]) -> bool {
    let whole = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_some() => return false,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    !whole.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace())
}

/// Whether the first bytes of an input are characters of UTF-16 that boards have: ASCII, Latin letters, lines of
/// tables, and signs. Two bytes of ASCII never make one of these, so a text with a wrong byte stays UTF-8. The last
/// character may be cut off.
fn is_board_in_utf16(start: &[u8], order: ByteOrder) -> bool {
    let units = start.chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
    let mut characters = char::decode_utf16(units).peekable();
    while let Some(character) = characters.next() {
        let is_known = match character {
            Ok(' '..='~' | '\t' | '\r' | '\n' | '\u{a0}'..='\u{24f}' | '\u{2190}'..='\u{21ff}') => true,
            Ok('\u{2500}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}') => true,
            Ok(_) => false,
            Err(half) => half.unpaired_surrogate() < 0xdc00 && characters.peek().is_none(),
        };
        if !is_known {
            return false;
        }
    }
    start.len() > 1
}

impl<R: BufRead> DecodedInput<R> {
    /// Looks at the first bytes of `input`, which messages call `file`, and converts the input if these bytes are
    /// UTF-16.
    ///
    /// # Errors
    /// When the input is a file of another kind, or is UTF-16 and cannot be read.
    pub fn new(input: R, file: &str) -> Result<Self, BoardError> {
        let mut input = Self::decompress(input);
        // If the input cannot be read, reading the first line reports the error.
        let start = first_bytes(&mut input);
        if let Some(foreign) = foreign_file::recognise(start) {
            return Err(foreign.at(Position::default()).in_file(file));
        }
        match utf16_order(start) {
            Some(order) => Self::of_utf16(input, order).map_err(|source| BoardError::of_conversion(file, source)),
            None => Ok(input),
        }
    }

    /// Decompresses `input` if it is compressed. An input that cannot be read counts as plain: reading it later reports
    /// the error.
    pub(super) fn decompress(mut input: R) -> Self {
        match first_bytes(&mut input) {
            #[cfg(not(target_family = "wasm"))]
            [0x1f, 0x8b, ..] => {
                Self::Gzip(Box::new(BufReader::new(LimitedReader::new(MultiGzDecoder::new(input), "gzip"))))
            }
            #[cfg(not(target_family = "wasm"))]
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                Self::Zstandard(Box::new(BufReader::new(LimitedReader::new(ZstandardFrames::new(input), "Zstandard"))))
            }
            _ => Self::Plain(input),
        }
    }

    fn reader(&mut self) -> &mut dyn BufRead {
        match self {
            Self::Plain(input) => input,
            #[cfg(not(target_family = "wasm"))]
            Self::Gzip(input) => input,
            #[cfg(not(target_family = "wasm"))]
            Self::Zstandard(input) => input,
            Self::InMemory(text) => text,
        }
    }

    /// Converts the text of an input in UTF-16.
    fn of_utf16(input: impl Read, order: ByteOrder) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_INPUT {
            let found = format!("found more than {MAX_INPUT} bytes of UTF-16");
            return Err(io::Error::other(found + ", expected fewer, or UTF-8"));
        }
        let half = || io::Error::new(ErrorKind::InvalidData, "text in UTF-16 with half a character");
        if bytes.len() % 2 == 1 {
            return Err(half());
        }
        let units = bytes.chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).collect::<Result<_, _>>().map_err(|_| half())?;
        Ok(Self::InMemory(Cursor::new(text.into_bytes().into())))
    }
}

/// The bytes with which an input begins; none if it is empty or cannot be read.
fn first_bytes<R: BufRead>(input: &mut R) -> &[u8] {
    while let Err(error) = input.fill_buf() {
        if error.kind() != ErrorKind::Interrupted {
            return &[];
        }
    }
    input.fill_buf().unwrap_or_default()
}

impl<R: BufRead> Read for DecodedInput<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader().read(out)
    }
}

impl<R: BufRead> BufRead for DecodedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // The usual case needs no dynamic call.
        match self {
            Self::Plain(input) => input.fill_buf(),
            _ => self.reader().fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.reader().consume(bytes);
    }
}

#[cfg(test)]
mod tests {
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
        let read = DecodedInput::decompress(bytes).read_to_end(&mut out).map_err(|error| error.to_string());
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
            let mut reader = DecodedInput::decompress(&bytes[..bytes.len() - 2]);
            // The failure stays one.
            while reader.fill_buf().is_ok() {
                let count = reader.fill_buf().map_or(0, <[u8]>::len);
                reader.consume(count);
            }
            assert!(reader.fill_buf().is_err(), "{form}");
        }
    }
}
