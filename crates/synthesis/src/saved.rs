//! The part of program synthesis in a checkpoint.
//!
//! ```text
//! | SavedSearch: bincode, integers of fixed width | rows of fragments, 12 bytes each |
//! ```

use crate::bank::SavedBank;
use crate::test_size::SizeProgress;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{decode_part, encode_part};
use serde::{Deserialize, Serialize};

/// The position of a search, besides its bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SearchPosition {
    /// The number of tokens of the programs under test.
    pub(crate) size: Cost,
    /// Whether all smaller programs are tested.
    pub(crate) is_complete: bool,
    /// A program of this size that the test of the previous size has found.
    pub(crate) found_early: Option<Vec<u16>>,
    /// The number of bodies tried for smaller sizes.
    pub(crate) tried_bodies: u64,
    /// The number of fragment candidates up to the end of the last finished size.
    pub(crate) candidates: u64,
    pub(crate) progress: SizeProgress,
}

/// The position of a search, and its bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedSearch {
    pub(crate) position: SearchPosition,
    pub(crate) bank: SavedBank,
    /// The rows of all fragments.
    #[serde(skip)]
    pub(crate) rows: Vec<u8>,
}

impl SavedSearch {
    /// Encodes the search and its rows.
    ///
    /// # Errors
    /// When the part before the rows is too long.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, String> {
        let mut bytes = encode_part(self)?;
        bytes.extend(&self.rows);
        Ok(bytes)
    }

    /// Decodes the bytes of [`SavedSearch::encode`].
    ///
    /// # Errors
    /// When the bytes are not those of a search; the text says what was found. The rows are checked by the bank.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (saved, rows): (Self, _) = decode_part(bytes)?;
        Ok(Self { rows: rows.to_vec(), ..saved })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let position = SearchPosition { size: 7, found_early: Some(vec![4, 1, 0]), ..SearchPosition::default() };
        let saved = SavedSearch { position, rows: vec![1, 2, 3], ..SavedSearch::default() };
        let bytes = saved.encode().unwrap();
        assert_eq!(SavedSearch::decode(&bytes), Ok(saved));
        for length in 0..bytes.len() - 3 {
            assert!(SavedSearch::decode(&bytes[..length]).is_err());
        }
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= 0x80;
            let _ = SavedSearch::decode(&bent);
        }
    }
}
