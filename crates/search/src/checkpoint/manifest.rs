//! The manifest: names the files of a checkpoint, and how many bytes of each are valid.
//!
//! ```text
//! | magic 8 bytes | length of the body 8 | CRC-32 of length and body 4 | body: bincode, integers of fixed width |
//! ```
//!
//! Two generations lie side by side. A new generation is written under a temporary name, made durable, renamed to
//! replace the older generation, and made durable again. So at every moment at least one generation is readable.
//!
//! An engine without records has no shards and no journal; it may have a body (`body`). On several ranks each rank has
//! a journal; the shards and the one manifest belong to all.

use crate::store::{IoContext, PartLocation, StorageBackend, StorageConfig, StorageError};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The first bytes of the file, with the version of the format.
const MAGIC: [u8; 8] = *b"GHMNFST\x06";

const HEAD_BYTES: usize = 20;

/// The longest body of a manifest: far more than the largest search needs, and short enough for memory.
const MAX_BODY_BYTES: usize = 1 << 28;

/// The part of a checkpoint about one shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShardState {
    /// The number of valid records.
    pub(super) records: u32,
    /// The CRC-32 of the records in the last segment, which is not full.
    pub(super) tail_crc: u32,
    /// The files of the records.
    pub(super) places: Vec<PartLocation>,
}

/// The part of a checkpoint about one journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalState {
    /// The number of valid bytes.
    pub(super) length: u64,
    /// The journal has entries only for shards in this range: the first one, and the one after the last.
    pub(super) shards: (u32, u32),
}

/// The file that holds the body of a checkpoint (`body`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BodyState {
    /// The number of the file.
    pub(super) number: u8,
    /// The number of valid bytes.
    pub(super) length: u64,
    /// The CRC-32 of these bytes.
    pub(super) crc: u32,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Counts the checkpoints of a run, from 1.
    pub(super) sequence: u64,
    /// The time of the checkpoint: seconds since 1970.
    pub(super) time: u64,
    /// The puzzle, board and lower bound of the search; checked on resume.
    pub(super) identity: String,
    /// The bytes that the engine gave with the cut.
    pub(super) payload: Vec<u8>,
    pub(super) key_len: u32,
    pub(super) mask_bits: u32,
    /// The number of records of a segment.
    pub(super) segment: u32,
    pub(super) shards: Vec<ShardState>,
    /// The journals, by their numbers.
    pub(super) journals: Vec<JournalState>,
    /// The body, if there is one.
    pub(super) body: Option<BodyState>,
}

fn bincode_config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MAX_BODY_BYTES>()
}

/// The bytes of a manifest's file.
pub(super) fn encode(manifest: &Manifest) -> Result<Vec<u8>, io::Error> {
    let body = bincode::serde::encode_to_vec(manifest, bincode_config()).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[8..]);
    crc.update(&body);
    bytes.extend_from_slice(&crc.finalize().to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// Reads the bytes of a manifest's file.
///
/// # Errors
/// When the bytes are no manifest. The text says what was found.
pub(super) fn decode(bytes: &[u8]) -> Result<Manifest, String> {
    let head = bytes.get(..HEAD_BYTES).ok_or_else(|| format!("{} bytes, expected a manifest", bytes.len()))?;
    let magic = &head[..8];
    if magic != MAGIC {
        let magic = String::from_utf8_lossy(magic);
        let expected = "expected that of a manifest of version 6, which this version of gridhunt writes";
        return Err(format!("the magic {magic:?}, {expected}: start a new run (results.jsonl of this one is JSON)"));
    }
    let (length, body) = (word(&head[8..16]), &bytes[HEAD_BYTES..]);
    if length != body.len() as u64 {
        return Err(format!("{} bytes behind the head, expected {length}", body.len()));
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[8..16]);
    crc.update(body);
    if u64::from(crc.finalize()) != word(&head[16..]) {
        return Err("content that does not match the checksum in its header".to_owned());
    }
    let (content, used) = bincode::serde::decode_from_slice(body, bincode_config()).map_err(|e| e.to_string())?;
    if used != body.len() {
        return Err(format!("{} bytes behind its end, expected none", body.len() - used));
    }
    Ok(content)
}

/// Reads up to eight bytes as a little-endian number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The names of the two generations.
pub(super) fn paths(folder: &Path) -> [PathBuf; 2] {
    ["manifest-a", "manifest-b"].map(|name| folder.join(name))
}

/// Writes a generation. It replaces the older one of the two on disk.
pub(super) fn write(config: &StorageConfig, manifest: &Manifest) -> Result<(), StorageError> {
    let (folder, backend) = (&config.run, &*config.backend);
    let path = &paths(folder)[(manifest.sequence % 2) as usize];
    let temporary = folder.join("manifest.new");
    let bytes = encode(manifest).context("encode", path)?;
    let file = backend.create(&temporary).context("create", &temporary)?;
    file.write(&bytes, 0).context("write", &temporary)?;
    file.sync().context("sync", &temporary)?;
    drop(file);
    backend.rename(&temporary, path).context("rename", &temporary)?;
    backend.sync_folder(folder).context("sync", folder)
}

/// The generations on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Generations {
    /// The readable generations, the newest first.
    pub(super) readable: Vec<(PathBuf, Manifest)>,
    /// The unreadable generations, each with the reason.
    pub(super) broken: Vec<(PathBuf, String)>,
}

/// Reads both generations.
///
/// # Errors
/// A temporary error, such as too many open files: the generation may be readable later.
pub(super) fn read_all(config: &StorageConfig) -> Result<Generations, StorageError> {
    let Generations { mut readable, mut broken } = Generations::default();
    for path in paths(&config.run) {
        match read(&*config.backend, &path) {
            Ok(None) => {}
            Ok(Some(Ok(manifest))) => readable.push((path, manifest)),
            Ok(Some(Err(found))) => {
                let reason = format!("{}: found {found}", path.display());
                broken.push((path, reason));
            }
            Err(error) if error.is_damage() => broken.push((path, error.to_string())),
            Err(error) => return Err(error),
        }
    }
    readable.sort_by_key(|(_, manifest)| std::cmp::Reverse(manifest.sequence));
    Ok(Generations { readable, broken })
}

fn read(backend: &dyn StorageBackend, path: &Path) -> Result<Option<Result<Manifest, String>>, StorageError> {
    let file = match backend.open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.context("open", path)?,
    };
    let length = file.length().context("measure", path)?;
    if length > (MAX_BODY_BYTES + HEAD_BYTES) as u64 {
        return Ok(Some(Err(format!("{length} bytes, expected a manifest"))));
    }
    let mut bytes = vec![0; length as usize];
    file.read(&mut bytes, 0).context("read", path)?;
    Ok(Some(decode(&bytes)))
}
