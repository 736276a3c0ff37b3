//! Checks certificates: proofs that no solution of a Flood-It board has fewer than C moves. `docs/certificates.md` has
//! the claim, the theorem and the format. This crate is written from that document and shares no code with the solver.

mod clickomania;
/// What is proven, in words in `text`: no solution has fewer moves than `bound` (or leaves fewer cells). `board`: rows,
/// columns, colours, start cell (row * columns + column). Clickomania: LEAST, STAY, CORNER, and empty `cells` are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Proven {
    pub board: Vec<usize>,
    pub cells: Vec<usize>,
    pub bound: usize,
    pub is_optimum: bool,
    pub records: usize,
    pub text: String,
}

/// Checks a certificate, with at most so many bytes of memory. An error says why it is refused.
pub fn check(bytes: &[u8], memory: u64) -> Result<Proven, String> {
    let Some(mut rest) = bytes.strip_prefix(b"GHCERT 1 flood-it\n") else { return clickomania::check(bytes, memory) };
    let mut number = |least, most| number(&mut rest, least, most);
    let (rows, cols, colours) = (number(1, 255)?, number(1, 255)?, number(1, 255)?);
    let (bound, start) = (number(0, rows * cols)?, number(0, rows * cols - 1)?);
    let cells = (0..rows * cols).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let moves = (0..number(0, bound)?).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let is_optimum = moves.len() == bound;
    let records = number(1, bytes.len())?;
    let needed = (records + rows * cols) as u64 * (rows * cols / 8 + 96) as u64 + rest.len() as u64 * 48;
    demand(needed <= memory, format_args!("checking takes {needed} bytes of memory, expected at most {memory}"))?;
    let board = Board::new((cols, start), colours, &cells);
    let begin = (board.start.clone(), board.touching(&board.start));
    let (end, _) = moves.iter().fold(begin, |(flood, near), &colour| board.play(&flood, &near, colour));
    let solves = moves.is_empty() && bound > 0 || is_optimum && end == board.all;
    demand(solves, format_args!("found {} moves that do not solve the board, expected 0 or {bound}", moves.len()))?;
    board.follow((bound, records), rest)?;
    let board: String = cells.chunks(cols).map(|row| format!("{row:?}\n")).collect();
    let (least, row, col) = (if is_optimum { "" } else { "at least " }, start / cols + 1, start % cols + 1);
    let text = format!("{board}start {row},{col}: the optimum is {least}{bound} moves, proven by {records} records");
    Ok(Proven { board: vec![rows, cols, colours, start], cells, bound, is_optimum, records, text })
}

fn number(rest: &mut &[u8], least: usize, most: usize) -> Result<usize, String> {
    let end = rest.iter().take(20).position(|byte| b" \n".contains(byte)).ok_or("expected a number in the head")?;
    let text = String::from_utf8_lossy(&rest[..end]);
    *rest = &rest[end + 1..];
    let number = text.parse().ok().filter(|n: &usize| text == n.to_string() && (least..=most).contains(n));
    number.ok_or_else(|| format!("found {text:?}, expected a number from {least} to {most}"))
}

fn demand(holds: bool, what: std::fmt::Arguments<'_>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

/// A set of regions: a bit for each.
type Set = Vec<u64>;

fn or(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(a, b)| a | b).collect()
}
fn and(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}
fn minus(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(a, b)| a & !b).collect()
}
fn meet(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
/// The set of those of so many regions that fit.
fn those(count: usize, fits: impl Fn(usize) -> bool) -> Set {
    let mut set = vec![0; count.div_ceil(64)];
    (0..count).for_each(|region| set[region / 64] |= u64::from(fits(region)) << (region % 64));
    set
}

/// The regions of a board, numbered by their first cells, row by row.
struct Board {
    neighbours: Vec<Set>,
    of_colour: Vec<Set>,
    all: Set,
    start: Set,
}

impl Board {
    fn new((cols, start): (usize, usize), colours: usize, cells: &[usize]) -> Self {
        let across = (1..cells.len()).filter(|cell| cell % cols > 0).map(|cell| (cell - 1, cell));
        let pairs: Vec<_> = across.chain((cols..cells.len()).map(|cell| (cell - cols, cell))).collect();
        let mut first: Vec<_> = (0..cells.len()).collect();
        for &(a, b) in pairs.iter().filter(|&&(a, b)| cells[a] == cells[b]) {
            let (kept, joined) = (first[a].min(first[b]), first[a].max(first[b]));
            first.iter_mut().filter(|first| **first == joined).for_each(|first| *first = kept);
        }
        let regions: Vec<_> = (0..cells.len()).filter(|&cell| first[cell] == cell).collect();
        let (count, region) = (regions.len(), |cell: usize| regions.partition_point(|&region| region < first[cell]));
        let mut neighbours = vec![those(count, |_| false); count];
        for (a, b) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|&(a, b)| cells[a] != cells[b]) {
            neighbours[region(a)][region(b) / 64] |= 1 << (region(b) % 64);
        }
        let of_colour = (0..colours).map(|colour| those(count, |r| cells[regions[r]] == colour)).collect();
        Self { neighbours, of_colour, all: those(count, |_| true), start: those(count, |r| r == region(start)) }
    }

    /// The regions that have a neighbour among these.
    fn touching(&self, regions: &Set) -> Set {
        let mut found = vec![0; regions.len()];
        for (mut word, neighbours) in regions.iter().copied().zip(self.neighbours.chunks(64)) {
            while word != 0 {
                let more = &neighbours[word.trailing_zeros() as usize];
                found.iter_mut().zip(more).for_each(|(found, more)| *found |= more);
                word &= word - 1;
            }
        }
        found
    }

    /// The settled flood, and what is not seen. `near` is what the flood touches.
    fn settle(&self, (flood, near): (Set, Set)) -> (Set, Set) {
        let unseen = minus(&minus(&self.all, &flood), &near);
        let open = or(&unseen, &self.touching(&unseen));
        let finished = self.of_colour.iter().filter(|regions| !meet(regions, &open));
        let left = finished.fold(open.clone(), |left, regions| or(&left, regions));
        (or(&flood, &minus(&self.all, &left)), unseen)
    }

    /// What a colour makes of a flood, and what that touches.
    fn play(&self, flood: &Set, near: &Set, colour: usize) -> (Set, Set) {
        let joined = minus(&and(near, &self.of_colour[colour]), flood);
        (or(flood, &joined), or(near, &self.touching(&joined)))
    }

    /// The lower bound.
    fn elimination(&self, flood: &Set, mut unseen: Set) -> usize {
        let (mut reached, mut turns) = (minus(&minus(&self.all, flood), &unseen), 0);
        let mut left: Vec<_> = self.of_colour.iter().filter(|of| meet(of, &reached) || meet(of, &unseen)).collect();
        while meet(&unseen, &self.all) {
            let (waiting, done): (Vec<_>, Vec<_>) = left.into_iter().partition(|regions| meet(regions, &unseen));
            let expanded = if done.is_empty() { &waiting } else { &done };
            let kept = expanded.iter().fold(reached.clone(), |kept, regions| minus(&kept, regions));
            let still = minus(&unseen, &self.touching(&minus(&reached, &kept)));
            turns += done.len().max(1);
            (reached, unseen, left) = (or(&kept, &minus(&unseen, &still)), still, waiting);
        }
        turns + left.len()
    }

    /// Follows the codes: at each record below the bound, the bound refutes each choice, or a record holds its child.
    fn follow(&self, (bound, most): (usize, usize), mut codes: &[u8]) -> Result<(), String> {
        let (mut records, mut held) =
            (vec![(self.settle((self.start.clone(), self.touching(&self.start))).0, 0)], Vec::new());
        for at in 0.. {
            let Some((flood, g)) = records.get(at).filter(|(_, g)| *g < bound).cloned() else { break };
            demand(flood != self.all, format_args!("record {at} floods everything with fewer than {bound} moves"))?;
            let (near, mut is_held) = (self.touching(&flood), 0);
            let (beside, unseen) = (minus(&near, &flood), minus(&minus(&self.all, &flood), &near));
            let colours = (0..self.of_colour.len()).filter(|&colour| meet(&self.of_colour[colour], &beside));
            let finished = colours.clone().find(|&colour| !meet(&self.of_colour[colour], &unseen));
            for (choice, colour) in colours.filter(|&colour| finished.is_none_or(|one| colour == one)).enumerate() {
                is_held = if choice % 7 == 0 { take(&mut codes)? } else { is_held >> 1 };
                let (child, unseen) = self.settle(self.play(&flood, &near, colour));
                let refuted = is_held & 1 == 1 || g + 1 + self.elimination(&child, unseen) >= bound;
                demand(refuted, format_args!("record {at}: the bound does not refute colour {colour}"))?;
                match if is_held & 1 == 0 { None } else { Some(take(&mut codes)?) } {
                    None => {}
                    Some(0) => records.push((child, g + 1)),
                    Some(code) if code % 2 == 1 => held.push((at, colour, records.len() + code / 2)),
                    Some(code) => held.push((at, colour, records.len().wrapping_sub(code / 2))),
                }
                demand(records.len() <= most, format_args!("found more records than {most}"))?;
            }
        }
        demand(records.len() == most && codes.is_empty(), format_args!("the codes are not those of {most} records"))?;
        for (at, colour, of) in held {
            let (child, _) = self.settle(self.play(&records[at].0, &self.touching(&records[at].0), colour));
            let holds = records
                .get(of)
                .is_some_and(|(set, g)| *g <= records[at].1 + 1 && !meet(&child, &minus(&self.all, set)));
            demand(holds, format_args!("record {of} does not hold what colour {colour} makes of record {at}"))?;
        }
        Ok(())
    }
}

/// Takes a number off the codes: at most 6 bytes of 7 bits, the lowest first; the highest bit says that more come.
fn take(codes: &mut &[u8]) -> Result<usize, String> {
    let end = codes.iter().take(6).position(|byte| *byte < 128).ok_or("a code is missing, cut off, or too long")?;
    let bytes = codes.split_off(..=end).unwrap_or_default();
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 7 | usize::from(byte & 127)))
}
