//! The payload that an engine gives to a checkpoint.
//!
//! It is encoded in bincode, with integers of fixed width. Best-first search derives its open nodes from the store; the
//! search that learns has its no-goods in the body of the checkpoint, which `learning/saved.rs` describes.

use super::times::Times;
use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::engine::outcome::Solution;
use crate::engine::work::Work;
use crate::runtime::Layer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The state of an engine besides the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// The finished layers.
    pub layers: Vec<Layer>,
    /// The layer under way.
    pub current: Option<Layer>,
    /// The best solution found.
    pub incumbent: Option<Solution>,
    /// Work so far.
    pub work: Work,
    /// The revision of the domain's pruning rules ([`Domain::revision`](crate::domain::Domain::revision)): a search
    /// continues only under the same rules.
    pub revision: u8,
    /// The position of the engine.
    pub position: EnginePosition,
    /// The time of all sessions so far.
    #[serde(skip)]
    pub times: Times,
}

/// The position of an engine, besides its store and the body of its checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnginePosition {
    /// Best-first search: the store has the whole position.
    #[default]
    BestFirst,
    /// IDA*, in the layer under way.
    Ida(IdaPosition),
    /// The search for programs: bytes that only its engine reads.
    Synthesis(Vec<u8>),
    /// The search that learns, with the number of its no-goods.
    Learning(u64),
}

/// The position of IDA* in the layer under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdaPosition {
    /// The least f beyond the threshold so far. It is the f of the next layer, unless an open node leads to a smaller
    /// one.
    pub next_f: Cost,
    /// States visited in the layer under way.
    pub visited: u64,
    /// States visited in the previous layer, from which the size of the table follows.
    pub visited_before: u64,
    /// The open nodes.
    pub open: Vec<OpenBranch>,
}

/// Open nodes along one path: each is a child of a state on the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenBranch {
    /// Moves from the root.
    pub path: Vec<MoveIndex>,
    /// The nodes. The last node is expanded first.
    pub nodes: Vec<OpenNode>,
}

/// An open node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenNode {
    /// Number of moves from the root. All moves but the last are the first moves of [`OpenBranch::path`].
    pub depth: u32,
    /// The last move; 0 for the root.
    pub mv: MoveIndex,
    /// Moves that are not to be expanded.
    pub skip: MoveMask,
}

/// The largest payload in bytes, which is the limit of a manifest.
const MAX_PAYLOAD_BYTES: usize = 1 << 28;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MAX_PAYLOAD_BYTES>()
}

impl Snapshot {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, String> {
        Ok([encode_part(self)?, encode_part(&self.times)?].concat())
    }

    /// The name of the engine that made the snapshot.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self.position {
            EnginePosition::BestFirst => "best-first",
            EnginePosition::Ida(_) => "ida",
            EnginePosition::Synthesis(_) => "synthesis",
            EnginePosition::Learning(_) => "learning",
        }
    }

    /// Decodes the payload of a checkpoint.
    ///
    /// # Errors
    /// When the bytes are not a snapshot. The text says what was found.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (snapshot, remaining): (Self, _) = decode_part(bytes)?;
        let (times, remaining) = decode_part(remaining)?;
        match remaining {
            [] => Ok(Self { times, ..snapshot }),
            remaining => Err(format!("{} bytes behind the snapshot, expected none", remaining.len())),
        }
    }
}

/// Encodes a part of a payload.
///
/// # Errors
/// When the part cannot be encoded, or is too long to be read back. The text says what was found.
pub fn encode_part(part: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = bincode::serde::encode_to_vec(part, config()).map_err(|e| e.to_string())?;
    if bytes.len() > MAX_PAYLOAD_BYTES {
        Err(format!("{} bytes, at most {MAX_PAYLOAD_BYTES}", bytes.len()))
    } else {
        Ok(bytes)
    }
}

/// Decodes a part of a payload. Returns it with the bytes behind it.
///
/// # Errors
/// When the bytes do not begin with such a part. The text says what was found.
pub fn decode_part<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), String> {
    let (part, used) =
        bincode::serde::decode_from_slice(bytes, config()).map_err(|e| format!("no snapshot ({e}), expected one"))?;
    Ok((part, &bytes[used..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_first() -> Snapshot {
        Snapshot {
            lower_bound: 7,
            layers: vec![Layer { f: 6, expanded: 3, generated: 9 }],
            current: Some(Layer { f: 7, expanded: 1, generated: 2 }),
            incumbent: Some(Solution { cost: 9, moves: vec![2, 1] }),
            work: Work { expanded: 4, generated: 11, evaluated: 12, reopened: 5 },
            revision: 3,
            position: EnginePosition::BestFirst,
            times: Times { seconds: 2.5, cpu_seconds: 4.0 },
        }
    }

    fn learned() -> Snapshot {
        Snapshot { position: EnginePosition::Learning(12), ..best_first() }
    }

    fn programs() -> Snapshot {
        Snapshot { position: EnginePosition::Synthesis(vec![1, 2, 3]), ..best_first() }
    }

    fn ida() -> Snapshot {
        let nodes = vec![OpenNode { depth: 1, mv: 4, skip: 0 }, OpenNode { depth: 3, mv: 0, skip: u64::MAX - 1 }];
        let open = vec![OpenBranch { path: vec![3, 5], nodes }, OpenBranch::default()];
        let depth_first = IdaPosition { next_f: 8, visited: 40, visited_before: 20, open };
        Snapshot { position: EnginePosition::Ida(depth_first), ..best_first() }
    }

    #[test]
    fn the_form_of_a_snapshot_is_fixed() {
        let mut bytes = Vec::new();
        let mut number = |value: u64, width: usize| bytes.extend_from_slice(&value.to_le_bytes()[..width]);
        let words = [(7, 4), (1, 8), (6, 4), (3, 8), (9, 8), (1, 1), (7, 4), (1, 8), (2, 8)];
        let more = [(1, 1), (9, 4), (2, 8), (2, 2), (1, 2), (4, 8), (11, 8), (12, 8), (5, 8)];
        let end = [(3, 1), (0, 4)];
        words.into_iter().chain(more).chain(end).for_each(|(value, width)| number(value, width));
        bytes.extend([2.5_f64, 4.0].map(f64::to_le_bytes).concat());
        assert_eq!(best_first().encode(), Ok(bytes.clone()));
        assert_eq!(Snapshot::decode(&bytes), Ok(best_first()));
    }

    #[test]
    fn what_is_read_is_what_was_written_and_no_bytes_confuse() {
        for snapshot in [Snapshot::default(), best_first(), ida(), programs(), learned()] {
            let bytes = snapshot.encode().unwrap();
            assert_eq!(Snapshot::decode(&bytes), Ok(snapshot.clone()));
            assert!(Snapshot::decode(&[&bytes[..], &[0]].concat()).is_err());
            for length in 0..bytes.len() {
                assert!(Snapshot::decode(&bytes[..length]).is_err());
            }
            for at in 0..bytes.len() {
                let mut bent = bytes.clone();
                bent[at] ^= 0x80;
                let _ = Snapshot::decode(&bent);
            }
        }
    }
}
