//! From files back to a store.

use super::error::{ArchiveError, At};
use super::journal::{self, Frame, ID_LEN, Journal, Kind, id_at, u32_at};
use super::manifest::{self, Generations, Manifest, ShardState};
use super::scribe::{Scribe, place, shape};
use super::volume::{Place, Volume};
use super::{Archive, ArchiveSettings, Common, Health, Order, Orders, Progress};
use crate::store::log::SEGMENT;
use crate::store::marks::Marks;
use crate::store::shard::Shard;
use crate::store::{Layout, Store};
use crossbeam::channel::{Receiver, unbounded};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// A store that goes on where a checkpoint left it.
#[derive(Debug)]
pub struct Recovered {
    /// Records, marks and index; the archive is attached.
    pub store: Store,
    /// What the engine gave with the cut.
    pub payload: Vec<u8>,
    /// What was found to be damaged on the way, and not used.
    pub notes: Vec<String>,
}

/// What a checkpoint consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Its manifest.
    pub manifest: PathBuf,
    /// Its number, counted from 1.
    pub sequence: u64,
    /// When it was made: seconds since 1970.
    pub time: u64,
    /// What it is a checkpoint of.
    pub identity: String,
    /// What the engine gave with the cut.
    pub payload: Vec<u8>,
    /// Records that it holds.
    pub records: u64,
    /// Bytes of its logs and its journal.
    pub bytes: u64,
    /// What was found to be damaged on the way, and not used.
    pub notes: Vec<String>,
}

/// What the newest manifest that is whole says, without a look at anything else.
///
/// # Errors
/// When there is none.
pub fn glance(settings: &ArchiveSettings) -> Result<Inspection, ArchiveError> {
    let (path, manifest, (), notes) = choose(settings, |_| Ok(()))?;
    Ok(Inspection::new(path, manifest, notes))
}

/// Checks every checksum of the newest checkpoint that holds, without changing anything.
///
/// # Errors
/// When none holds.
pub fn inspect(settings: &ArchiveSettings) -> Result<Inspection, ArchiveError> {
    let (path, manifest, _, notes) = choose(settings, |manifest| {
        let volumes = open_volumes(settings, manifest)?;
        let checksums = Checksums::read(settings, manifest, |_| {})?;
        volumes
            .par_iter()
            .zip(&manifest.shards)
            .enumerate()
            .try_for_each(|(shard, (volume, state))| read_shard(volume, state, &checksums, shard, |_, _| Ok(())))
    })?;
    Ok(Inspection::new(path, manifest, notes))
}

impl Inspection {
    fn new(path: PathBuf, manifest: Manifest, notes: Vec<String>) -> Self {
        let stride = layout(&manifest).stride() as u64;
        let records = manifest.shards.iter().map(|shard| u64::from(shard.records)).sum();
        Self {
            manifest: path,
            sequence: manifest.sequence,
            time: manifest.time,
            records,
            bytes: records * stride + manifest.journal,
            identity: manifest.identity,
            payload: manifest.payload,
            notes,
        }
    }
}

/// Called with numbers of records that were read, from any thread. Says whether to go on.
pub type OnRead<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// Reads the newest checkpoint that holds, and goes on behind it: what was written after it is cut off.
///
/// # Errors
/// When none holds, the newest one is of something else, or `on_read` does not go on.
pub fn recover(settings: &ArchiveSettings, on_read: &OnRead<'_>) -> Result<Recovered, ArchiveError> {
    let (path, manifest, loaded, notes) = choose(settings, |manifest| Loaded::read(settings, manifest, on_read))?;
    forget_newer(settings, &path)?;
    let Loaded { common, orders, receive } = loaded;
    let (medium, layout, shards) = (&*settings.medium, common.layout, Arc::clone(&common.shards));
    for folder in &settings.spill {
        medium.create_folder(folder).at("create", folder)?;
    }
    let journal = Journal::go_on(medium, &settings.run, manifest.journal)?;
    let mut written = Vec::new();
    for (number, state) in manifest.shards.iter().enumerate() {
        let Some(volume) = shards[number].log().volume() else { continue };
        volume.cut(u64::from(state.records) * u64::from(volume.shape().stride))?;
        let sealed = state.records / SEGMENT as u32;
        let wanted = place(settings, number, sealed)?;
        if state.places.last().is_none_or(|last| last.folder != wanted.folder) {
            // The segment that is not full goes on in the new place, from its beginning.
            volume.extend(medium, &settings.run, wanted)?;
            written.push(sealed * SEGMENT as u32);
        } else {
            written.push(state.records);
        }
    }
    let scribe = Scribe::new(common.clone(), journal, manifest.sequence).behind(written);
    let archive = Archive::start(common, scribe, orders, receive);
    let store = Store { shards, layout, archive: OnceLock::from(archive) };
    Ok(Recovered { store, payload: manifest.payload, notes })
}

/// Removes the generation that was not used, if it is newer or broken: it must never be taken for one of what comes now.
fn forget_newer(settings: &ArchiveSettings, used: &Path) -> Result<(), ArchiveError> {
    let medium = &*settings.medium;
    let Generations { whole, broken } = manifest::read_all(medium, &settings.run)?;
    let newer = whole.iter().map(|(path, _)| path).take_while(|path| *path != used);
    for path in newer.chain(broken.iter().map(|(path, _)| path)) {
        medium.remove(path).at("remove", path)?;
        medium.sync_folder(&settings.run).at("sync", &settings.run)?;
    }
    Ok(())
}

fn layout(manifest: &Manifest) -> Layout {
    let (key_len, mask_bits) = (manifest.key_len as usize, manifest.mask_bits);
    Layout { key_len, mask_bits, shards: manifest.shards.len() }
}

/// The newest generation that `use_it` does not find damaged, what that returns, and what was wrong with newer ones.
fn choose<T>(
    settings: &ArchiveSettings,
    use_it: impl Fn(&Manifest) -> Result<T, ArchiveError>,
) -> Result<(PathBuf, Manifest, T, Vec<String>), ArchiveError> {
    let Generations { whole, broken } = manifest::read_all(&*settings.medium, &settings.run)?;
    let mut notes: Vec<String> = broken.into_iter().map(|(_, reason)| reason).collect();
    for (path, manifest) in whole {
        if manifest.identity != settings.identity && !settings.identity.is_empty() {
            let (found, expected) = (manifest.identity, settings.identity.clone());
            return Err(ArchiveError::Foreign { path: settings.run.clone(), found, expected });
        }
        match check_shape(&path, &manifest).and_then(|()| use_it(&manifest)) {
            Ok(used) => return Ok((path, manifest, used, notes)),
            Err(error) if !error.is_damage() => return Err(error),
            Err(error) => notes.push(format!("{}: {error}", path.display())),
        }
    }
    Err(ArchiveError::NoCheckpoint { path: settings.run.clone(), reasons: notes })
}

/// Refuses what no scribe has written, before memory is asked for.
fn check_shape(path: &Path, manifest: &Manifest) -> Result<(), ArchiveError> {
    let shards = manifest.shards.len();
    let most = (1 << crate::store::LOCAL_BITS) - 1;
    let sound = shards.is_power_of_two()
        && shards <= 256
        && manifest.segment as usize == SEGMENT
        && manifest.mask_bits < 64
        && manifest.shards.iter().all(|state| state.records <= most && is_row(&state.places));
    let found = || format!("{shards} shards with segments of {} records", manifest.segment);
    if sound { Ok(()) } else { Err(ArchiveError::damaged(path, 0, found(), format!("segments of {SEGMENT} records"))) }
}

/// Whether the parts of a log follow one another from its beginning.
fn is_row(places: &[Place]) -> bool {
    places.first().is_some_and(|place| place.first_segment == 0) && places.is_sorted_by_key(|place| place.first_segment)
}

fn open_volumes(settings: &ArchiveSettings, manifest: &Manifest) -> Result<Vec<Volume>, ArchiveError> {
    let open = |(shard, state): (usize, &ShardState)| {
        let shape = shape(shard, layout(manifest));
        let volume = Volume::open(&*settings.medium, &settings.run, shape, &state.places)?;
        volume.check_length(u64::from(state.records) * u64::from(shape.stride))?;
        Ok(volume)
    };
    manifest.shards.iter().enumerate().map(open).collect()
}

/// Of the memory budget, in hundredths: so much is filled when a store is read back.
const FULL: u64 = 85;

/// The checksums of the full segments, by shard and segment.
struct Checksums(HashMap<(u32, u32), u32>);

impl Checksums {
    /// Reads the journal; `take` gets every other frame, checked.
    fn read(settings: &ArchiveSettings, manifest: &Manifest, take: impl Fn(Frame<'_>)) -> Result<Self, ArchiveError> {
        let path = Journal::path_in(&settings.run);
        let shards = manifest.shards.len();
        let records_of = |shard: u32| manifest.shards.get(shard as usize).map_or(0, |state| state.records);
        let (mut checksums, mut born) = (HashMap::new(), vec![0_u64; shards]);
        let width = Marks::width(manifest.mask_bits);
        journal::read(&*settings.medium, &settings.run, manifest.journal, |frame, at| {
            let refuse = |found: &str| Err(ArchiveError::damaged(&path, at, found, "one of this checkpoint"));
            match (frame.kind, u32_at(frame.body, 0), u32_at(frame.body, 4)) {
                (Kind::Sealed, Some(shard), Some(segment)) if frame.body.len() == 12 => {
                    checksums.insert((shard, segment), u32_at(frame.body, 8).unwrap_or(0));
                    return Ok(());
                }
                (Kind::Born, Some(shard), Some(first)) if (frame.body.len() - 8).is_multiple_of(width) => {
                    let marks = ((frame.body.len() - 8) / width) as u64;
                    if u64::from(first) + marks > u64::from(records_of(shard)) {
                        return refuse("marks of records that are not there");
                    }
                    born[shard as usize] += marks;
                }
                (Kind::Closed, ..) if frame.body.len().is_multiple_of(ID_LEN) => {}
                (Kind::Changed, ..) if frame.body.len().is_multiple_of(ID_LEN + width) => {}
                _ => return refuse("a frame of another length"),
            }
            let stride = if frame.kind == Kind::Closed { ID_LEN } else { ID_LEN + width };
            let known = |id: &[u8]| id_at(id).local() < records_of(id_at(id).shard() as u32);
            if frame.kind != Kind::Born && !frame.body.chunks_exact(stride).all(known) {
                return refuse("the id of a record that is not there");
            }
            take(frame);
            Ok(())
        })?;
        for (shard, state) in manifest.shards.iter().enumerate() {
            if born[shard] != u64::from(state.records) {
                let found = format!("marks of {} records of shard {shard}", born[shard]);
                return Err(ArchiveError::damaged(&path, 0, found, format!("{}", state.records)));
            }
        }
        Ok(Self(checksums))
    }
}

/// Reads the segments of a shard, checks each against its checksum, and hands their bytes on with the first record's number.
fn read_shard(
    volume: &Volume,
    state: &ShardState,
    checksums: &Checksums,
    shard: usize,
    mut take: impl FnMut(u32, &[u8]) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let (stride, mut bytes) = (volume.shape().stride as usize, Vec::new());
    for segment in 0..state.records.div_ceil(SEGMENT as u32) {
        let first = segment * SEGMENT as u32;
        let records = (state.records - first).min(SEGMENT as u32) as usize;
        bytes.resize(records * stride, 0);
        volume.read(segment, 0, &mut bytes)?;
        let expected =
            if records < SEGMENT { Some(state.tail_crc) } else { checksums.0.get(&(shard as u32, segment)).copied() };
        if expected != Some(crc32fast::hash(&bytes)) {
            let (path, at) = volume.name(segment, 0);
            let expected = format!("the checksum that was noted for segment {segment}");
            return Err(ArchiveError::damaged(path, at, "records with another checksum", expected));
        }
        take(first, &bytes)?;
    }
    Ok(())
}

/// Shards as they were at a checkpoint, and what an archive of them needs.
struct Loaded {
    common: Common,
    orders: Orders,
    receive: Receiver<Order>,
}

impl Loaded {
    /// Builds the shards anew. What is more than may be in memory stays on disk, or goes there.
    fn read(settings: &ArchiveSettings, manifest: &Manifest, on_read: &OnRead<'_>) -> Result<Self, ArchiveError> {
        let layout = layout(manifest);
        let volumes = open_volumes(settings, manifest)?;
        let shards: Arc<[Shard]> = (0..layout.shards).map(|number| Shard::new(number, layout)).collect();
        for (shard, state) in shards.iter().zip(&manifest.shards) {
            (0..state.records).for_each(|local| shard.log().restore_mark(local));
        }
        let width = Marks::width(layout.mask_bits);
        let checksums = Checksums::read(settings, manifest, |frame| join_marks(&shards, frame, width))?;
        let (health, progress) = (Arc::new(Health::default()), Arc::new(Progress::of(layout)));
        progress.caught_up.store(true, Relaxed);
        let (send, receive) = unbounded();
        let orders = Orders(send, Arc::clone(&progress.backlog));
        for (shard, volume) in shards.iter().zip(volumes) {
            shard.archive(volume, &health, &orders);
        }
        let common = Common { shards, settings: Arc::new(settings.clone()), layout, health, progress };
        let loaded = Self { common, orders, receive };
        let numbered = manifest.shards.par_iter().enumerate();
        numbered.try_for_each(|(number, state)| loaded.read_shard(number, state, &checksums, on_read))?;
        loaded.check()?;
        Ok(loaded)
    }

    /// What a search for a key could not read has failed.
    fn check(&self) -> Result<(), ArchiveError> {
        self.common.health.error().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn read_shard(
        &self,
        number: usize,
        state: &ShardState,
        checksums: &Checksums,
        on_read: &OnRead<'_>,
    ) -> Result<(), ArchiveError> {
        let shard = &self.common.shards[number];
        let Some(volume) = shard.log().volume() else { return Ok(()) };
        read_shard(volume, state, checksums, number, |first, bytes| {
            shard.restore(first, bytes);
            shard.note_written(shard.records() as u32 / SEGMENT as u32);
            self.make_room()?;
            self.check()?;
            let goes_on = on_read((bytes.len() / shard.log().stride()) as u64);
            if goes_on { Ok(()) } else { Err(ArchiveError::Interrupted { path: self.common.settings.run.clone() }) }
        })
    }

    /// Sends to disk what is too much for memory: records first, which are there already, then indexes.
    fn make_room(&self) -> Result<(), ArchiveError> {
        let common = &self.common;
        if common.uses_more_than(FULL) {
            // SAFETY: nobody knows of these shards but the threads here, which read them under their locks.
            common.shards.iter().for_each(|shard| unsafe { shard.put_away() });
        }
        for number in 0..common.shards.len() {
            if !common.uses_more_than(FULL) {
                break;
            }
            if common.could_put_index_away(number) > 0 {
                common.put_index_away(number)?;
            }
        }
        Ok(())
    }
}

/// Joins the marks of a frame that has been checked.
fn join_marks(shards: &[Shard], frame: Frame<'_>, width: usize) {
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
    match frame.kind {
        Kind::Closed => frame.body.chunks_exact(ID_LEN).map(id_at).for_each(|id| {
            shards[id.shard()].log().join(id.local(), u64::MAX);
        }),
        Kind::Changed => frame.body.chunks_exact(ID_LEN + width).for_each(|entry| {
            let id = id_at(entry);
            shards[id.shard()].log().join(id.local(), bits(&entry[ID_LEN..]));
        }),
        Kind::Born => {
            let (shard, first) = (u32_at(frame.body, 0).unwrap_or(0), u32_at(frame.body, 4).unwrap_or(0));
            for (mark, local) in frame.body[8..].chunks_exact(width).zip(first..) {
                shards[shard as usize].log().join(local, bits(mark));
            }
        }
        Kind::Sealed => {}
    }
}
