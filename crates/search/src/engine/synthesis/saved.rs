//! The part of program synthesis in a checkpoint.
//!
//! ```text
//! | SavedSearch: bincode, integers of fixed width | rows of fragments, 12 bytes each |
//! ```

use super::bank::SavedBank;
use super::test_size::SizeProgress;
use crate::domain::Cost;
use crate::engine::checkpoints::{decode_part, encode_part};
use serde::{Deserialize, Serialize};

/// The position of a search, and its bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedSearch {
    /// Tokens of the programs under test.
    pub(super) size: Cost,
    /// Whether every smaller program was tried.
    pub(super) is_complete: bool,
    /// A program of this size that the test of the size before has handed on.
    pub(super) found_early: Option<Vec<u16>>,
    /// Bodies tried for smaller sizes.
    pub(super) tried: u64,
    /// Candidates for fragments up to the end of the last finished size.
    pub(super) candidates: u64,
    pub(super) progress: SizeProgress,
    pub(super) bank: SavedBank,
    /// The rows of all fragments.
    #[serde(skip)]
    pub(super) rows: Vec<u8>,
}

impl SavedSearch {
    /// # Errors
    /// When the part before the rows is too long to be read back.
    pub(super) fn encode(&self) -> Result<Vec<u8>, String> {
        let mut bytes = encode_part(self)?;
        bytes.extend(&self.rows);
        Ok(bytes)
    }

    /// # Errors
    /// When the bytes are not those of a search; the text says what was found. The rows are checked by the bank.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (saved, rows): (Self, _) = decode_part(bytes)?;
        Ok(Self { rows: rows.to_vec(), ..saved })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let saved =
            SavedSearch { size: 7, found_early: Some(vec![4, 1, 0]), rows: vec![1, 2, 3], ..SavedSearch::default() };
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
