//! Certificates of lower bounds: `docs/certificates.md` defines the format and the claim that it proves.

use super::bits::{self, Bits};
use super::bounds::{BoundKind, BoundScratch, FloodBound};
use super::puzzle::FloodIt;
use super::{Visitor, check_full, with_puzzle};
use gridhunt_boards::Board;
use gridhunt_puzzle::{BoundCertificate, CertificateClaim, PuzzleError, write_leb128};
use gridhunt_search::domain::{Cost, LowerBound};
use gridhunt_search::engine::{Context, ProofError, RefutedSets, Refuter};
use gridhunt_search::expand::Problem;
use gridhunt_search::multiversion;
use gridhunt_search::runtime::Monitor;
use std::fmt::Write;

/// The most rows, and the most columns, that the format can hold.
const MAX_SIDE: usize = 255;

/// Refuses a board that the format cannot hold.
///
/// # Errors
/// When it has empty cells, or too many rows or columns.
pub(super) fn check_size(board: &Board) -> Result<(), PuzzleError> {
    check_full(board).map_err(PuzzleError::invalid_position)?;
    if board.rows().max(board.cols()) <= MAX_SIDE {
        return Ok(());
    }
    let (board, rows, cols) = (board.name().to_owned(), board.rows(), board.cols());
    Err(PuzzleError::TooLargeForCertificate { board, rows, cols, expected: "255 x 255 for a certificate" })
}

/// Makes the certificate of a claim about a board. `refuted` are the sets that a search has refuted.
///
/// # Errors
/// When the claim is wrong, and when a limit of `context` is reached.
pub(super) fn certify(
    board: &Board,
    claim: &CertificateClaim<'_>,
    refuted: RefutedSets,
    context: &Context<'_>,
) -> Result<BoundCertificate, PuzzleError> {
    let result = with_puzzle(board, Certify { bound: claim.bound, refuted, context });
    let failed = |reason| PuzzleError::NotCertified { board: board.name().to_owned(), reason };
    let (records, codes) = result.map_err(PuzzleError::invalid_position)?.map_err(failed)?;
    Ok(BoundCertificate { bytes: [head(board, claim).into_bytes(), codes].concat(), formula: None, records })
}

struct Certify<'a> {
    bound: Cost,
    refuted: RefutedSets,
    context: &'a Context<'a>,
}

impl Visitor for Certify<'_> {
    type Output = Result<(usize, Vec<u8>), ProofError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let Self { bound, refuted, context } = self;
        let elimination = FloodBound::new(puzzle, BoundKind::Elimination);
        Refuter::run(refuted, &Problem::new(puzzle, elimination), context, |refuter, monitor| {
            let mut no_good = |set: &Bits<W>, left| {
                let found = refuter.no_good_containing(set, left)?;
                Ok(std::array::from_fn(|word| found.get(word).copied().unwrap_or_default()))
            };
            make_records(puzzle, bound, &mut no_good, monitor)
        })
    }
}

/// A record: the union of the floods that are assigned to it, and a no-good that contains this union.
struct Record<const W: usize> {
    set: Bits<W>,
    no_good: Bits<W>,
}

/// Makes the records, level by level. Returns the number of records, and their codes.
///
/// `no_good` gets a set and a number of moves. It finds a superset from which every solution has more moves than this
/// number.
///
/// # Errors
/// When `no_good` fails; at the start it fails if the claim is wrong. When the set of a record is the whole board,
/// which no no-good contains. When a limit is reached.
fn make_records<const W: usize>(
    puzzle: &FloodIt<W>,
    bound: Cost,
    no_good: &mut dyn FnMut(&Bits<W>, Cost) -> Result<Bits<W>, ProofError>,
    monitor: &Monitor<'_>,
) -> Result<(usize, Vec<u8>), ProofError> {
    const LIMIT_CHECK_INTERVAL: usize = 256;
    let elimination = FloodBound::new(puzzle, BoundKind::Elimination);
    let (mut records, mut codes, mut scratch) = (0, Vec::new(), BoundScratch::default());
    let mut start = bits::empty();
    bits::insert(&mut start, puzzle.start);
    let Some(most) = bound.checked_sub(1) else { return Ok((0, codes)) };
    let mut level = vec![Record { set: start, no_good: no_good(&start, most)? }];
    // A child of a flood within a no-good has no solution of `left - 1` moves. If one is found, the set was no no-good.
    let not_refuted = |reason| if matches!(reason, ProofError::Solved(_)) { ProofError::NotRefuted } else { reason };
    for left in (0..bound).rev() {
        let mut below: Vec<Record<W>> = Vec::new();
        for Record { set, .. } in &level {
            if *set == puzzle.all_regions {
                return Err(ProofError::NotRefuted);
            }
            if records % LIMIT_CHECK_INTERVAL == 0 {
                monitor.gauges.set_bytes(((level.len() + below.len()) * size_of::<Record<W>>() + codes.len()) as u64);
                monitor.check_limits();
                monitor.stop_reason().map_or(Ok(()), |reason| Err(ProofError::Stopped(reason)))?;
            }
            records += 1;
            let adjacent = puzzle.flood(*set).adjacent;
            let additions = puzzle.of_colour.iter().map(|of| bits::intersection(of, &adjacent));
            for add in additions.filter(|add| !bits::is_empty(add)) {
                let child = bits::union(set, &add);
                let (place, growth) = record_for(&below, &child);
                if growth > 0 && elimination.evaluate(&puzzle.flood(child), left, &mut scratch).0 >= left {
                    write_leb128(0, &mut codes);
                    continue;
                }
                write_leb128((below.len() - place + 1) as u64, &mut codes);
                if place == below.len() {
                    below.push(Record { set: child, no_good: no_good(&child, left - 1).map_err(not_refuted)? });
                }
                below[place].set = bits::union(&below[place].set, &child);
            }
        }
        level = below;
    }
    Ok((records, codes))
}

multiversion! {
    /// Finds the record that takes the flood: of the records whose no-good contains the flood, the one that grows
    /// least, and the latest of several such records. Returns its index, and the number of regions by which it grows.
    /// If no no-good contains the flood, the index is that of a new record.
    fn record_for<const W: usize>(records: &[Record<W>], flood: &Bits<W>) -> (usize, u32) = find_record
}

#[inline(always)]
fn find_record<const W: usize>(records: &[Record<W>], flood: &Bits<W>) -> (usize, u32) {
    let (mut index, mut least_growth) = (records.len(), u32::MAX);
    for (number, record) in records.iter().enumerate().rev() {
        if bits::is_subset(flood, &record.no_good) {
            let growth = bits::count(&bits::difference(flood, &record.set));
            if growth < least_growth {
                (index, least_growth) = (number, growth);
            }
            if growth == 0 {
                break;
            }
        }
    }
    (index, least_growth)
}

/// Writes the text before the codes.
fn head(board: &Board, claim: &CertificateClaim<'_>) -> String {
    let numbers = |cells: &[u8]| cells.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
    let (rows, cols, colours) = (board.rows(), board.cols(), board.colours());
    let start = board.index(board.start());
    let mut text = format!("GHCERT 3 flood-it\n{rows} {cols} {colours} {} {start}\n", claim.bound);
    for row in board.cells().chunks(cols) {
        let _ = writeln!(text, "{}", numbers(row));
    }
    let moves = claim.moves.unwrap_or_default();
    let _ = write!(text, "{}", moves.len());
    moves.iter().for_each(|colour| _ = write!(text, " {colour}"));
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample::{puzzle, random_board};
    use super::*;
    use gridhunt_check::{Proven, check};
    use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// A plain search that learns no-goods by their definition: depth first; each no-good is grown region by region.
    struct Learner<'a> {
        puzzle: &'a FloodIt<2>,
        no_goods: Vec<Vec<Bits<2>>>,
    }

    impl Learner<'_> {
        fn known(&self, left: Cost, set: &Bits<2>) -> Option<Bits<2>> {
            let holding = self.no_goods[left as usize].iter().filter(|no_good| bits::is_subset(set, no_good));
            holding.max_by_key(|no_good| bits::count(no_good)).copied()
        }

        fn children(&self, set: &Bits<2>) -> Vec<Bits<2>> {
            let near = self.puzzle.flood(*set).adjacent;
            let adds =
                self.puzzle.of_colour.iter().map(|of| bits::intersection(of, &near)).filter(|add| !bits::is_empty(add));
            adds.map(|add| bits::union(set, &add)).collect()
        }

        fn is_refuted(&self, set: &Bits<2>, left: Cost) -> bool {
            let bound = FloodBound::new(self.puzzle, BoundKind::Elimination);
            let bound = bound.evaluate(&self.puzzle.flood(*set), Cost::MAX, &mut BoundScratch::default()).0;
            bound > left || self.known(left, set).is_some()
        }

        /// Whether a flood takes more than `left` moves. If so, adds a no-good that contains it.
        fn refute(&mut self, set: &Bits<2>, left: Cost) -> bool {
            let is_no_good = |learner: &Self, set: &Bits<2>| {
                *set != learner.puzzle.all_regions
                    && (left == 0 || learner.children(set).iter().all(|child| learner.is_refuted(child, left - 1)))
            };
            for child in self.children(set) {
                if left == 0 || *set == self.puzzle.all_regions {
                    break;
                }
                if !self.is_refuted(&child, left - 1) && !self.refute(&child, left - 1) {
                    return false;
                }
            }
            if !is_no_good(self, set) {
                return false;
            }
            let mut no_good = *set;
            for region in 0..self.puzzle.regions() {
                let mut larger = no_good;
                bits::insert(&mut larger, region);
                no_good = if is_no_good(self, &larger) { larger } else { no_good };
            }
            self.no_goods[left as usize].push(no_good);
            true
        }
    }

    /// The optimum of a board, and the no-goods of a search for fewer moves.
    fn learned(puzzle: &FloodIt<2>) -> (Cost, Vec<Vec<Bits<2>>>) {
        let mut learner = Learner { puzzle, no_goods: vec![Vec::new(); 64] };
        let mut start = bits::empty();
        bits::insert(&mut start, puzzle.start);
        let optimum = (0..64).find(|&left| !learner.refute(&start, left)).unwrap();
        (optimum, learner.no_goods)
    }

    type NoGood<'k> = &'k mut dyn FnMut(&Bits<2>, Cost) -> Result<Bits<2>, ProofError>;

    fn made(puzzle: &FloodIt<2>, bound: Cost, no_good: NoGood<'_>) -> Result<(usize, Vec<u8>), ProofError> {
        let stop = StopToken::new();
        make_records(puzzle, bound, no_good, &Monitor::new(Limits::default(), &Silent, &stop))
    }

    fn proven(board: &Board, bound: Cost, codes: Vec<u8>) -> Result<Proven, String> {
        check(&[head(board, &CertificateClaim { bound, moves: None }).into_bytes(), codes].concat(), 1 << 26)
    }

    #[test]
    fn large_no_goods_make_certificates_and_small_ones_make_longer_ones() {
        let (mut records, mut joined) = ([0; 3], 0);
        for index in 0..12 {
            let board = random_board(10, 9 + index as usize % 2, 7 + index as usize % 3, index);
            let puzzle = puzzle::<2>(&board);
            let (optimum, no_goods) = learned(&puzzle);
            let (learner, mut random) = (Learner { puzzle: &puzzle, no_goods }, ChaCha8Rng::seed_from_u64(index));
            // All no-goods are as large as they are known, then half of them, then none.
            for (large_of_two, records) in (0..=2).rev().zip(&mut records) {
                let mut no_good = |set: &Bits<2>, left| {
                    let known = learner.known(left, set).filter(|_| random.next_u32() % 2 < large_of_two);
                    Ok(known.unwrap_or(*set))
                };
                let (count, codes) = made(&puzzle, optimum, &mut no_good).unwrap();
                joined += codes.iter().filter(|&&code| code > 1).count();
                let proven = proven(&board, optimum, codes).unwrap();
                assert_eq!((proven.bound, proven.records), (optimum as usize, count), "board {index}");
                *records += count;
            }
            let mut no_good = |set: &Bits<2>, left| Ok(learner.known(left, set).unwrap_or(*set));
            assert_eq!(made(&puzzle, optimum + 1, &mut no_good), Err(ProofError::NotRefuted), "board {index}");
        }
        assert!(records[0] > 100 && joined > 20, "{records:?} records, {joined} joined: too few to tell");
        assert!(records[2] > records[0], "{records:?}");
    }

    /// A set that is no no-good does no harm: either there is no certificate, or the certificate proves what it says.
    #[test]
    fn false_no_goods_make_no_false_certificate() {
        let (mut refused, mut accepted) = (0, 0);
        for index in 0..60 {
            let board = random_board(4, 5, 3 + index as usize % 4, index);
            let puzzle = puzzle::<2>(&board);
            let (optimum, _) = learned(&puzzle);
            let mut random = ChaCha8Rng::seed_from_u64(index);
            for bound in [optimum, optimum + 1] {
                let mut no_good = |set: &Bits<2>, _| {
                    let more = [(); 2].map(|()| random.next_u64() | random.next_u64() | random.next_u64());
                    Ok(bits::union(set, &bits::intersection(&more, &puzzle.all_regions)))
                };
                match made(&puzzle, bound, &mut no_good) {
                    Ok((_, codes)) => {
                        assert!(bound == optimum && proven(&board, bound, codes).is_ok(), "board {index}");
                        accepted += 1;
                    }
                    Err(reason) => {
                        assert_eq!(reason, ProofError::NotRefuted);
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused >= 60 && accepted > 5, "{refused} refused, {accepted} accepted: too few to tell");
    }

    #[test]
    fn a_stop_ends_the_making() {
        let board = random_board(6, 6, 5, 1);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        stop.stop(StopReason::Interrupted);
        let stopped = make_records(&puzzle::<2>(&board), 5, &mut |set, _| Ok(*set), &monitor);
        assert_eq!(stopped, Err(ProofError::Stopped(StopReason::Interrupted)));
    }
}
