//! How the states of an iteration were reached.

use super::spill::Spill;
use crate::domain::MoveIndex;
use crate::engine::links::Link;
use crate::store::{StorageError, TempFile};
use std::io::{self, Write};

/// Links that are read or written at a time.
const CHUNK: usize = 1 << 14;

/// The links of all states from number 1 on: the root has none. The older ones may be on disk.
#[derive(Debug, Default)]
pub(super) struct Ways {
    file: Option<TempFile>,
    /// The number of links in the file.
    on_disk: usize,
    recent: Vec<Link>,
}

impl Ways {
    /// The number of links.
    pub(super) fn len(&self) -> usize {
        self.on_disk + self.recent.len()
    }

    /// Bytes of the memory that the links take.
    pub(super) fn bytes(&self) -> u64 {
        (self.recent.capacity() * size_of::<Link>()) as u64
    }

    /// Adds the links of the next states.
    pub(super) fn extend(&mut self, links: impl IntoIterator<Item = Link>) {
        self.recent.extend(links);
    }

    /// Moves all links to disk, if they take much of the memory.
    ///
    /// # Errors
    /// When the disk has no room, or the file cannot be written. No link is lost then.
    pub(super) fn relieve(&mut self, spill: &Spill<'_>) -> Result<(), StorageError> {
        if self.bytes() <= spill.in_memory() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(spill.temp_file("links")?),
        };
        for (links, at) in self.recent.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            let bytes: Vec<u8> = links.iter().flat_map(|link| link.to_bytes()).collect();
            spill.check_room(bytes.len())?;
            file.write(&bytes, ((self.on_disk + at) * Link::BYTES) as u64)?;
        }
        self.on_disk += self.recent.len();
        self.recent = Vec::new();
        Ok(())
    }

    /// The link of a state from number 1 on.
    fn get(&self, number: usize) -> Result<Link, StorageError> {
        let at = number - 1;
        match (at.checked_sub(self.on_disk), &self.file) {
            (None, Some(file)) => {
                let mut bytes = [0; Link::BYTES];
                file.read(&mut bytes, (at * Link::BYTES) as u64)?;
                Ok(Link::from_bytes(bytes))
            }
            (recent, _) => Ok(self.recent[recent.unwrap_or(at)]),
        }
    }

    /// The moves from the root to the state of `link`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn path(&self, mut link: Link) -> Result<Vec<MoveIndex>, StorageError> {
        let mut moves = vec![link.mv];
        while link.parent > 0 {
            link = self.get(link.parent as usize)?;
            moves.push(link.mv);
        }
        moves.reverse();
        Ok(moves)
    }

    /// Writes all links, 6 bytes each.
    ///
    /// # Errors
    /// When the file cannot be read, or `out` not be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for first in (0..self.on_disk).step_by(CHUNK) {
            let Some(file) = &self.file else { break };
            let mut bytes = vec![0; (self.on_disk - first).min(CHUNK) * Link::BYTES];
            file.read(&mut bytes, (first * Link::BYTES) as u64).map_err(io::Error::other)?;
            out.write_all(&bytes)?;
        }
        self.recent.iter().try_for_each(|link| out.write_all(&link.to_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StorageConfig;

    #[test]
    fn links_on_disk_are_those_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let config = StorageConfig::unlimited(folder.path().to_owned());
        let tight = Spill::new(&config, 2, Some(1));
        let (mut plain, mut spilled) = (Ways::default(), Ways::default());
        let link = |number: u32| Link { parent: number * 7 / 8, mv: number as u16 };
        for first in (0..60_000).step_by(20_000) {
            let links = || (first..first + 20_000).map(link);
            plain.extend(links());
            spilled.relieve(&tight).unwrap();
            spilled.extend(links());
        }
        assert_eq!((plain.len(), spilled.len(), spilled.on_disk), (60_000, 60_000, 40_000));
        for number in [1, 9, 39_999, 40_000, 40_001, 60_000] {
            let of = |ways: &Ways| ways.path(Link { parent: number, mv: 5 }).unwrap();
            assert_eq!(of(&spilled), of(&plain));
            assert!(of(&plain).len() > 1 && of(&plain).ends_with(&[(number - 1) as u16, 5]));
        }
        let written = |ways: &Ways| {
            let mut bytes = Vec::new();
            ways.write(&mut bytes).unwrap();
            bytes
        };
        assert!(written(&spilled) == written(&plain) && written(&plain).len() == 60_000 * Link::BYTES);
    }
}
