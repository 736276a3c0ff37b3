//! Turns the bytes of an input into UTF-8.
//!
//! UTF-16 is recognised by its byte order mark, or by a zero byte among the first two: no text in UTF-8 has one there.
//! Such an input is read as a whole; any other input is passed on as it is.

use std::io::{self, BufRead, Cursor, Read};

/// The most bytes of an input that is read as a whole.
pub(super) const MAX_INPUT: u64 = 256 << 20;

/// An input in UTF-8.
pub(super) enum Decoded<R> {
    /// The input itself.
    Same(R),
    /// The text of an input that had another encoding.
    Converted(Cursor<Vec<u8>>),
}

/// The byte order of an input in UTF-16, from its first two bytes.
fn utf16_order(start: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match *start {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        [first, 0, ..] if first > 0 => Some(u16::from_le_bytes),
        [0, second, ..] if second > 0 => Some(u16::from_be_bytes),
        _ => None,
    }
}

impl<R: BufRead> Decoded<R> {
    /// Looks at the first bytes of `input`, and converts the input if they are UTF-16.
    ///
    /// # Errors
    /// When the input cannot be read, or is UTF-16 with half a character.
    pub fn new(mut input: R) -> io::Result<Self> {
        let start = loop {
            match input.fill_buf() {
                Ok(start) => break start,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Reading the first line reports the error.
                Err(_) => return Ok(Self::Same(input)),
            }
        };
        let Some(order) = utf16_order(start) else { return Ok(Self::Same(input)) };
        let mut bytes = Vec::new();
        input.take(MAX_INPUT).read_to_end(&mut bytes)?;
        let half = || io::Error::new(io::ErrorKind::InvalidData, "text in UTF-16 with half a character");
        if bytes.len() % 2 == 1 {
            return Err(half());
        }
        let units = bytes.chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).collect::<Result<_, _>>().map_err(|_| half())?;
        Ok(Self::Converted(Cursor::new(text.into_bytes())))
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Same(input) => input.read(out),
            Self::Converted(text) => text.read(out),
        }
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Same(input) => input.fill_buf(),
            Self::Converted(text) => text.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match self {
            Self::Same(input) => input.consume(bytes),
            Self::Converted(text) => text.consume(bytes),
        }
    }
}
