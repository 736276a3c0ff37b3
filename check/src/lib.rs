//! Checks certificates: proofs that no solution of a Flood-It board has fewer than C moves. `docs/certificates.md` has
//! the claim, the theorem and the format. This crate is written from that document and shares no code with the solver.

/// What a certificate proves once it is checked: no solution has fewer than `bound` moves. If it has a `solution`, of so
/// many moves, then `bound` is the optimum. `board` has rows, columns, colours, and the start cell as row * columns +
/// column; `cells` the colours, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Proven {
    pub board: [usize; 4],
    pub cells: Vec<usize>,
    pub bound: usize,
    pub solution: Option<Vec<usize>>,
    pub records: usize,
}

impl std::fmt::Display for Proven {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self { board: [_, cols, _, start], bound, records, .. }, exact) = (self, self.solution.is_some());
        self.cells.chunks(*cols).try_for_each(|row| writeln!(f, "{row:?}"))?;
        let claim = if exact { "the optimum is" } else { "the optimum is at least" };
        writeln!(f, "start {},{}: {claim} {bound} moves, proven by {records} records", start / cols, start % cols)
    }
}

/// Checks a certificate, with at most so many bytes of memory for its records.
///
/// # Errors
/// What is wrong, when the certificate is damaged, too large, or does not prove its claim.
pub fn check(bytes: &[u8], memory: usize) -> Result<Proven, String> {
    let mut rest = bytes.strip_prefix(b"GHCERT 1 flood-it\n").ok_or("expected GHCERT 1 flood-it in the first line")?;
    let mut number = |least: usize, most: usize| {
        let end = rest.iter().position(|byte| b" \n".contains(byte)).unwrap_or(rest.len());
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = rest.get(end + 1..).unwrap_or_default();
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("found {text:?}, expected a number from {least} to {most}"))
    };
    let (rows, cols, colours) = (number(1, 255)?, number(1, 255)?, number(1, 255)?);
    let (bound, start) = (number(0, rows * cols)?, number(0, rows * cols - 1)?);
    let cells = (0..rows * cols).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let moves = number(0, bound)?;
    let moves = (0..moves).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let records = number(1, usize::MAX)?;
    demand(records - 1 <= rest.len(), || format!("found {records} records, expected at most one for each code"))?;
    let needed = records.saturating_mul(rows * cols / 8 + 64).saturating_add(rest.len().saturating_mul(24));
    demand(needed <= memory, || format!("checking takes {needed} bytes of memory, and {memory} are allowed"))?;
    let (board, solution) = (Board::new((cols, start), colours, &cells), (moves.len() == bound).then_some(moves));
    if let Some(moves) = &solution {
        let end = moves.iter().fold(board.start.clone(), |flood, &colour| board.play(&flood, colour));
        demand(end == board.all, || "the solution does not solve the board".to_owned())?;
    }
    board.close((bound, records), rest)?;
    Ok(Proven { board: [rows, cols, colours, start], cells, bound, solution, records })
}

fn demand(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// A set of regions: a bit for each.
type Set = Vec<u64>;

fn both(a: &Set, b: &Set, of: impl Fn(u64, u64) -> u64) -> Set {
    a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()
}
fn or(a: &Set, b: &Set) -> Set {
    both(a, b, |a, b| a | b)
}
fn minus(a: &Set, b: &Set) -> Set {
    both(a, b, |a, b| a & !b)
}
fn is_subset(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}
fn meet(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
fn has(set: &Set, region: usize) -> bool {
    set[region / 64] >> (region % 64) & 1 == 1
}
/// The set of those of so many regions that fit.
fn those(regions: usize, fits: impl Fn(usize) -> bool) -> Set {
    let mut set = vec![0; regions.div_ceil(64)];
    (0..regions).for_each(|region| set[region / 64] |= u64::from(fits(region)) << (region % 64));
    set
}

/// The regions of a board. Each is named by its first cell, row by row.
struct Board {
    neighbours: Vec<Set>,
    of_colour: Vec<Set>,
    all: Set,
    start: Set,
}

impl Board {
    fn new((cols, start): (usize, usize), colours: usize, cells: &[usize]) -> Self {
        let count = cells.len();
        let beside = |c: usize| {
            let left = (c % cols > 0).then(|| c - 1).into_iter().chain(c.checked_sub(cols));
            left.chain(((c + 1) % cols > 0).then_some(c + 1)).chain((c + cols < count).then_some(c + cols))
        };
        let mut region = vec![count; count];
        for first in 0..count {
            let mut waiting = if region[first] == count { vec![first] } else { Vec::new() };
            while let Some(cell) = waiting.pop() {
                region[cell] = first;
                waiting.extend(beside(cell).filter(|&c| cells[c] == cells[first] && region[c] == count));
            }
        }
        let mut neighbours = vec![those(count, |_| false); count];
        for (cell, other) in (0..count).flat_map(|cell| beside(cell).map(move |other| (cell, other))) {
            let (region, other) = (region[cell], region[other]);
            neighbours[region][other / 64] |= u64::from(region != other) << (other % 64);
        }
        let of_colour = (0..colours).map(|of| those(count, |c| region[c] == c && cells[c] == of)).collect();
        let all = those(count, |c| region[c] == c);
        Self { neighbours, of_colour, all, start: those(count, |c| region[start] == c) }
    }

    /// The regions of `within` that touch a region of `from`.
    fn touching(&self, from: &Set, within: &Set) -> Set {
        let mut seen = vec![0; from.len()];
        for (at, &word) in from.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let neighbours = &self.neighbours[at * 64 + rest.trailing_zeros() as usize];
                seen.iter_mut().zip(neighbours).for_each(|(seen, more)| *seen |= more);
                rest &= rest - 1;
            }
        }
        both(&seen, within, |a, b| a & b)
    }

    fn beside(&self, flood: &Set) -> Set {
        self.touching(flood, &minus(&self.all, flood))
    }

    fn play(&self, flood: &Set, colour: usize) -> Set {
        or(flood, &self.touching(flood, &self.of_colour[colour]))
    }

    /// A flood with its idle regions.
    fn settle(&self, flood: &Set) -> Set {
        let seen = or(flood, &self.beside(flood));
        let closed = those(self.neighbours.len(), |r| has(&seen, r) && is_subset(&self.neighbours[r], &seen));
        let known = or(flood, &closed);
        let whole = self.of_colour.iter().filter(|regions| is_subset(regions, &known));
        or(flood, &whole.fold(closed, |idle, regions| minus(&idle, regions)))
    }

    /// The colours of which a solution may play one first: of those that finish their colour the lowest, if there is
    /// one; otherwise all that touch the flood.
    fn choices(&self, flood: &Set) -> Vec<usize> {
        let beside = self.beside(flood);
        let unseen = minus(&self.all, &or(flood, &beside));
        let all: Vec<_> = (0..self.of_colour.len()).filter(|&colour| meet(&self.of_colour[colour], &beside)).collect();
        let finishes = all.iter().find(|&&colour| !meet(&self.of_colour[colour], &unseen));
        finishes.map_or(all.clone(), |&colour| vec![colour])
    }

    /// The lower bound `elimination`.
    fn elimination(&self, flood: &Set) -> usize {
        let (mut reached, mut turns) = (self.beside(flood), 0);
        let mut unseen = minus(&minus(&self.all, flood), &reached);
        let mut left: Vec<_> = self.of_colour.iter().filter(|regions| !is_subset(regions, flood)).collect();
        while unseen.iter().any(|&word| word != 0) {
            let (waits, done): (Vec<_>, Vec<_>) = left.into_iter().partition(|regions| meet(regions, &unseen));
            turns += done.len().max(1);
            let kept = if done.is_empty() {
                vec![0; flood.len()]
            } else {
                done.iter().fold(reached.clone(), |k, d| minus(&k, d))
            };
            let found = self.touching(&minus(&reached, &kept), &unseen);
            (reached, unseen, left) = (or(&kept, &found), minus(&unseen, &found), waits);
        }
        turns + left.len()
    }

    /// Follows the codes: each choice at each record below the bound leads to a set that the bound refutes, or that a
    /// record holds.
    fn close(&self, (bound, most): (usize, usize), mut codes: &[u8]) -> Result<(), String> {
        let (mut records, mut held, mut at) = (vec![(self.settle(&self.start), 0)], Vec::new(), 0);
        while let Some((flood, g)) = records.get(at).filter(|(_, g)| *g < bound).cloned() {
            demand(flood != self.all, || format!("record {at} floods everything with fewer than {bound} moves"))?;
            for colour in self.choices(&flood) {
                let child = self.settle(&self.play(&flood, colour));
                let code = code(&mut codes).ok_or_else(|| format!("the codes end at record {at}"))?;
                let by = code.saturating_sub(2).div_ceil(2);
                match code {
                    0 => demand(g + 1 + self.elimination(&child) >= bound, || {
                        format!("{at}: the bound refutes no {colour}")
                    })?,
                    1 => records.push((child, g + 1)),
                    _ if code % 2 == 0 => held.push((at, colour, records.len().saturating_add(by))),
                    _ => held.push((at, colour, records.len().wrapping_sub(by))),
                }
                demand(records.len() <= most, || format!("found more than {most} records"))?;
            }
            at += 1;
        }
        demand(codes.is_empty() && records.len() == most, || {
            format!("found fewer records than {most}, or more codes")
        })?;
        for (at, colour, of) in held {
            let child = self.settle(&self.play(&records[at].0, colour));
            let holds = records.get(of).is_some_and(|(set, g)| *g <= records[at].1 + 1 && is_subset(&child, set));
            demand(holds, || format!("record {of} does not hold what colour {colour} makes of record {at}"))?;
        }
        Ok(())
    }
}

/// Takes a number off the codes: 7 bits a byte, the lowest first; the highest bit says that more come.
fn code(rest: &mut &[u8]) -> Option<usize> {
    let end = rest.iter().take(6).position(|byte| *byte < 128)?;
    let (bytes, after) = rest.split_at(end + 1);
    *rest = after;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 127)))
}
