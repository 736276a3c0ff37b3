//! Rows and their fingerprints against a list.

use super::*;
use rand_chacha::rand_core::RngCore;

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
            assert_eq!(catalogue.row(number), row);
            assert_eq!(catalogue.find(*fingerprint, |found| found == number), Some(number));
            let mut matching = Vec::new();
            assert_eq!(
                catalogue.find(*fingerprint, |found| {
                    matching.push(found);
                    false
                }),
                None
            );
            matching.sort_unstable();
            let expected = (0..).zip(list).filter(|(_, (other, _))| other == fingerprint).map(|(number, _)| number);
            assert_eq!(matching, expected.collect::<Vec<u32>>());
        }
        assert!(catalogue.rows().eq(list.iter().map(|(_, row)| row)));
        assert_eq!(catalogue.find(77, |_| true), None);
    }
}

#[test]
fn a_catalogue_agrees_with_a_list() {
    let mut random = random(80);
    let mut pair = Pair::default();
    pair.check();
    for step in 1..=reduced(400, 50) {
        pair.change(&mut random);
        if step % 50 == 0 {
            pair.check();
        }
    }
}
