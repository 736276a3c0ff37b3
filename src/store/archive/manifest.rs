//! The manifest: which bytes of the other files make up a checkpoint.
//!
//! ```text
//! | magic 8 bytes | length of the body 8 | CRC-32 of length and body 4 | body: bincode, integers of fixed width |
//! ```
//!
//! Two generations lie side by side. A new one is written under a temporary name in place of the older one, and made durable
//! before and after it gets its name. So at every moment one generation at least is whole.

use super::error::{ArchiveError, At};
use super::medium::Medium;
use super::volume::Place;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The first bytes of the file, with the version of its form.
const MAGIC: [u8; 8] = *b"GHMNFST\x01";

const HEAD: usize = 20;

/// The longest body: far more than the largest search needs, and no danger to memory.
const LONGEST: usize = 1 << 28;

/// What a checkpoint says of one shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardState {
    /// Records that count.
    pub(crate) records: u32,
    /// CRC-32 of those in the last segment, which is not full.
    pub(crate) tail_crc: u32,
    /// Where they lie.
    pub(crate) places: Vec<Place>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Counts the checkpoints of a run, from 1.
    pub(crate) sequence: u64,
    /// When it was made: seconds since 1970.
    pub(crate) time: u64,
    /// What the states are states of; checked on resume.
    pub(crate) identity: String,
    /// What the engine wants to know again.
    pub(crate) payload: Vec<u8>,
    pub(crate) key_len: u32,
    pub(crate) mask_bits: u32,
    /// Records of a segment.
    pub(crate) segment: u32,
    pub(crate) shards: Vec<ShardState>,
    /// Bytes of the journal that count.
    pub(crate) journal: u64,
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<LONGEST>()
}

/// The bytes of a manifest's file.
pub(crate) fn encode(manifest: &Manifest) -> Result<Vec<u8>, io::Error> {
    let body = bincode::serde::encode_to_vec(manifest, config()).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[8..]);
    crc.update(&body);
    bytes.extend_from_slice(&crc.finalize().to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// Reads the bytes of a manifest's file; the error says what was found instead.
pub(crate) fn decode(bytes: &[u8]) -> Result<Manifest, String> {
    let head = bytes.get(..HEAD).ok_or_else(|| format!("{} bytes, expected a manifest", bytes.len()))?;
    if head[..8] != MAGIC {
        let magic = String::from_utf8_lossy(&head[..8]);
        return Err(format!("the magic {magic:?}, expected that of a manifest of version 1"));
    }
    let (length, body) = (word(&head[8..16]), &bytes[HEAD..]);
    if length != body.len() as u64 {
        return Err(format!("{} bytes behind the head, expected {length}", body.len()));
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[8..16]);
    crc.update(body);
    if u64::from(crc.finalize()) != word(&head[16..]) {
        return Err("another checksum, expected the one in its head".to_owned());
    }
    let (manifest, used) = bincode::serde::decode_from_slice(body, config()).map_err(|e| e.to_string())?;
    if used != body.len() {
        return Err(format!("{} bytes behind its end, expected none", body.len() - used));
    }
    Ok(manifest)
}

/// Up to eight bytes as a little-endian number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The names of the two generations.
pub(super) fn paths(folder: &Path) -> [PathBuf; 2] {
    ["manifest-a", "manifest-b"].map(|name| folder.join(name))
}

/// Writes a generation in place of the one before the last.
pub(super) fn write(medium: &dyn Medium, folder: &Path, manifest: &Manifest) -> Result<(), ArchiveError> {
    let path = &paths(folder)[(manifest.sequence % 2) as usize];
    let temporary = folder.join("manifest.new");
    let bytes = encode(manifest).at("encode", path)?;
    let file = medium.create(&temporary).at("create", &temporary)?;
    file.write(&bytes, 0).at("write", &temporary)?;
    file.sync().at("sync", &temporary)?;
    drop(file);
    medium.rename(&temporary, path).at("rename", &temporary)?;
    medium.sync_folder(folder).at("sync", folder)
}

/// The generations that are there.
#[derive(Debug, Default)]
pub(super) struct Generations {
    /// The newest first.
    pub(super) whole: Vec<(PathBuf, Manifest)>,
    /// Those that cannot be read, and what is wrong with them.
    pub(super) broken: Vec<(PathBuf, String)>,
}

/// Reads both generations.
///
/// # Errors
/// Those that pass: a generation is there and may be whole.
pub(super) fn read_all(medium: &dyn Medium, folder: &Path) -> Result<Generations, ArchiveError> {
    let Generations { mut whole, mut broken } = Generations::default();
    for path in paths(folder) {
        match read(medium, &path) {
            Ok(None) => {}
            Ok(Some(Ok(manifest))) => whole.push((path, manifest)),
            Ok(Some(Err(found))) => {
                let reason = format!("{}: found {found}", path.display());
                broken.push((path, reason));
            }
            Err(error) if error.is_damage() => broken.push((path, error.to_string())),
            Err(error) => return Err(error),
        }
    }
    whole.sort_by_key(|(_, manifest)| std::cmp::Reverse(manifest.sequence));
    Ok(Generations { whole, broken })
}

fn read(medium: &dyn Medium, path: &Path) -> Result<Option<Result<Manifest, String>>, ArchiveError> {
    let file = match medium.open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.at("open", path)?,
    };
    let length = file.length().at("measure", path)?;
    if length > (LONGEST + HEAD) as u64 {
        return Ok(Some(Err(format!("{length} bytes, expected a manifest"))));
    }
    let mut bytes = vec![0; length as usize];
    file.read(&mut bytes, 0).at("read", path)?;
    Ok(Some(decode(&bytes)))
}
