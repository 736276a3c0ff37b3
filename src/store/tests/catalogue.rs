//! Rows and their fingerprints against a list, in memory and on disk.

use super::archive::settings;
use super::failing::Failing;
use super::*;
use rand_chacha::rand_core::RngCore;
use std::io::ErrorKind::{Other, StorageFull};

type Row = [u8; 12];

/// A catalogue, and the list that it has to agree with.
#[derive(Default)]
struct Pair {
    catalogue: Catalogue<12>,
    list: Vec<(u32, Row)>,
}

impl Pair {
    /// Adds a row under one of few fingerprints, or replaces one.
    fn change(&mut self, random: &mut ChaCha8Rng) {
        let mut row = [0; 12];
        random.fill_bytes(&mut row);
        // Equal ones, and such as are alone.
        let fingerprint = [(random.next_u32() % 20) << 27, random.next_u32()][random.next_u32() as usize % 2];
        match random.next_u32() % 3 {
            0 | 1 => {
                self.catalogue.add(fingerprint, &row);
                self.list.push((fingerprint, row));
            }
            _ if self.list.is_empty() => {}
            _ => {
                let number = random.next_u32() as usize % self.list.len();
                self.catalogue.replace(number as u32, &row);
                self.list[number].1 = row;
            }
        }
    }

    fn check(&self) {
        let Self { catalogue, list } = self;
        assert_eq!((catalogue.len() as usize, catalogue.is_empty()), (list.len(), list.is_empty()));
        for (number, (fingerprint, row)) in (0..).zip(list) {
            assert_eq!(catalogue.row(number), *row);
            assert_eq!(catalogue.find(*fingerprint, |found| found == number), Some(number));
            let mut alike = Vec::new();
            assert_eq!(
                catalogue.find(*fingerprint, |found| {
                    alike.push(found);
                    false
                }),
                None
            );
            alike.sort_unstable();
            let expected = (0..).zip(list).filter(|(_, (other, _))| other == fingerprint).map(|(number, _)| number);
            assert_eq!(alike, expected.collect::<Vec<u32>>());
        }
        for many in [0, 1, list.len() / 2, list.len()] {
            let rows: Vec<u8> = list[..many].iter().flat_map(|(_, row)| *row).collect();
            assert_eq!(catalogue.first_rows(many as u32), rows);
        }
        assert_eq!(catalogue.find(77, |_| true), None);
    }
}

#[test]
fn what_is_on_disk_is_what_was_in_memory() {
    let mut random = random(80);
    for (every, fewest) in [(usize::MAX, 0), (200, 2), (30, 10), (5, 20)] {
        let folder = tempfile::tempdir().unwrap();
        let (mut pair, spill) = (Pair::default(), Spill::new(settings(folder.path())));
        let mut given_back = 0;
        for step in 1..=400 {
            pair.change(&mut random);
            if step % every == 0 {
                let before = pair.catalogue.bytes();
                let is_less = pair.catalogue.put_away(&spill);
                assert_eq!(is_less, pair.catalogue.bytes() < before);
                given_back += usize::from(is_less);
            }
            if step % 50 == 0 {
                pair.check();
            }
        }
        assert!(given_back >= fewest, "{given_back} times");
        assert!(spill.error().is_none());
    }
}

/// A disk that is full takes nothing, and nothing is lost; neither is it when the room that may be used is at its end.
#[test]
fn where_there_is_no_room_rows_stay() {
    let (mut random, mut lacked) = (random(81), [0; 2]);
    for calls in 0..60 {
        let folder = tempfile::tempdir().unwrap();
        let medium = Arc::new(Failing::behind(calls, StorageFull));
        let limited = ArchiveSettings { disk: Some(10), ..settings(folder.path()) };
        let full = ArchiveSettings { medium, ..settings(folder.path()) };
        for (settings, is_limited) in [(limited, true), (full, false)] {
            let (mut pair, spill) = (Pair::default(), Spill::new(settings));
            (0..300).for_each(|_| pair.change(&mut random));
            pair.catalogue.put_away(&spill);
            pair.check();
            assert!(spill.error().is_none());
            lacked[usize::from(is_limited)] += u32::from(spill.lack().is_some());
        }
    }
    // A disk that fills up has room for everything in the end.
    let [of_full, of_limited] = lacked;
    assert!(of_limited == 60 && (1..60).contains(&of_full), "{lacked:?}");
}

/// When the disk fails, that is known as soon as anything wrong is said.
#[test]
fn a_disk_that_fails_is_known() {
    let mut random = random(82);
    let (mut failed, mut worked) = (0, 0);
    for calls in (0..2_000).step_by(37) {
        let folder = tempfile::tempdir().unwrap();
        let medium = Failing::behind(calls, Other);
        let spill = Spill::new(ArchiveSettings { medium: Arc::new(medium.clone()), ..settings(folder.path()) });
        let mut pair = Pair::default();
        (0..200).for_each(|_| pair.change(&mut random));
        pair.catalogue.put_away(&spill);
        // Replacing too is a matter of the disk.
        for number in 0..pair.list.len() {
            pair.list[number].1[0] ^= 1;
            pair.catalogue.replace(number as u32, &pair.list[number].1);
        }
        for (number, &(fingerprint, row)) in (0..).zip(&pair.list) {
            let is_right = pair.catalogue.row(number) == row
                && pair.catalogue.find(fingerprint, |found| found == number).is_some();
            assert!(is_right || spill.error().is_some(), "{calls} calls, row {number}");
        }
        assert_eq!(spill.error().is_some(), medium.left() < 0, "{calls} calls");
        failed += usize::from(spill.error().is_some());
        worked += usize::from(spill.error().is_none());
    }
    assert!(failed > 5 && worked > 5, "{failed} and {worked}");
}
