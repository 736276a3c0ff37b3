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
    let Some(mut rest) = bytes.strip_prefix(b"GHCERT 2 flood-it\n") else { return clickomania::check(bytes, memory) };
    let mut number = |least, most| number(&mut rest, least, most);
    let (rows, cols, colours) = (number(1, 255)?, number(1, 255)?, number(1, 255)?);
    let (bound, start) = (number(0, rows * cols)?, number(0, rows * cols - 1)?);
    let cells = (0..rows * cols).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let moves = (0..number(0, bound)?).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let (is_optimum, board) = (moves.len() == bound, Board::new(cols, colours, &cells));
    let (flood, room) = (board.set([start]), usize::try_from(memory).unwrap_or(usize::MAX) / (cells.len() / 8 + 96));
    let end = moves.iter().fold(flood.clone(), |flood, &colour| board.play(&flood, colour));
    let solves = moves.is_empty() && bound > 0 || is_optimum && end == board.all;
    demand(solves, format_args!("found {} moves that do not solve the board, expected 0 or {bound}", moves.len()))?;
    let records = board.follow(flood, bound, rest, room)?;
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

/// A set of regions: a bit for each, that of its first cell.
type Set = Vec<u64>;

fn both(a: &Set, b: &Set, with: impl Fn(u64, u64) -> u64) -> Set {
    a.iter().zip(b).map(|(a, b)| with(*a, *b)).collect()
}
fn or(a: &Set, b: &Set) -> Set {
    both(a, b, |a, b| a | b)
}
fn minus(a: &Set, b: &Set) -> Set {
    both(a, b, |a, b| a & !b)
}
fn is_within(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// A board: the first cell of the region of each cell, the neighbours of each region, the regions of each colour, all.
struct Board {
    region: Vec<usize>,
    neighbours: Vec<Vec<usize>>,
    of_colour: Vec<Set>,
    all: Set,
}

impl Board {
    fn new(cols: usize, colours: usize, cells: &[usize]) -> Self {
        let across = (1..cells.len()).filter(|cell| cell % cols > 0).map(|cell| (cell - 1, cell));
        let pairs: Vec<_> = across.chain((cols..cells.len()).map(|cell| (cell - cols, cell))).collect();
        let (mut region, mut neighbours) = ((0..cells.len()).collect::<Vec<_>>(), vec![Vec::new(); cells.len()]);
        for &(a, b) in pairs.iter().filter(|&&(a, b)| cells[a] == cells[b]) {
            let (kept, joined) = (region[a].min(region[b]), region[a].max(region[b]));
            if kept != joined {
                region.iter_mut().filter(|region| **region == joined).for_each(|region| *region = kept);
            }
        }
        for (a, b) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|&(a, b)| cells[a] != cells[b]) {
            neighbours[region[a]].push(region[b]);
        }
        let mut board = Self { region, neighbours, of_colour: Vec::new(), all: Vec::new() };
        let of = |colour| board.set((0..cells.len()).filter(move |&cell| cells[cell] == colour));
        (board.all, board.of_colour) = (board.set(0..cells.len()), (0..colours).map(of).collect());
        board
    }

    /// The regions of some cells.
    fn set(&self, cells: impl IntoIterator<Item = usize>) -> Set {
        let mut set = vec![0; self.region.len().div_ceil(64)];
        cells.into_iter().for_each(|cell| set[self.region[cell] / 64] |= 1 << (self.region[cell] % 64));
        set
    }

    /// The regions of a set that are beside a flood.
    fn beside(&self, flood: &Set, of: &Set) -> Set {
        let is_in = |&region: &usize| flood[region / 64] >> (region % 64) & 1 == 1;
        let mut found = minus(of, flood);
        for (word, neighbours) in found.iter_mut().zip(self.neighbours.chunks(64)) {
            let mut rest = *word;
            while rest != 0 {
                let at = rest.trailing_zeros() as usize;
                *word &= !(u64::from(!neighbours[at].iter().any(is_in)) << at);
                rest &= rest - 1;
            }
        }
        found
    }

    /// What a colour makes of a flood.
    fn play(&self, flood: &Set, colour: usize) -> Set {
        or(flood, &self.beside(flood, &self.of_colour[colour]))
    }

    /// Whether the lower bound of a flood is `least` or more.
    fn refutes(&self, mut flood: Set, least: usize) -> bool {
        let (mut seen, mut turns) = (flood.clone(), 0);
        loop {
            seen = or(&seen, &self.beside(&flood, &minus(&self.all, &seen)));
            let left: Vec<_> = self.of_colour.iter().filter(|of| !is_within(of, &flood)).collect();
            if turns + left.len() >= least || seen == self.all {
                return turns + left.len() >= least;
            }
            let done: Vec<_> = left.into_iter().filter(|of| is_within(of, &seen)).collect();
            flood = if done.is_empty() { seen.clone() } else { done.iter().fold(flood, |flood, of| or(&flood, of)) };
            turns += done.len().max(1);
        }
    }

    /// Follows the codes, level by level, with room for so many sets. Returns how many sets there were.
    fn follow(&self, start: Set, bound: usize, mut codes: &[u8], room: usize) -> Result<usize, String> {
        let (mut level, mut records) = (vec![start], 0);
        for left in (0..bound).rev() {
            let mut below: Vec<Set> = Vec::new();
            for set in &level {
                records += 1;
                demand(*set != self.all, format_args!("record {records} holds all regions with {left} moves left"))?;
                demand(level.len() + below.len() < room, format_args!("memory has no room for {room} sets"))?;
                for child in (0..self.of_colour.len()).map(|colour| self.play(set, colour)) {
                    let is_held = child == *set || below.iter().any(|held| is_within(&child, held));
                    if !is_held && !self.refutes(child.clone(), left) {
                        let of = below.len().checked_sub(take(&mut codes)?).ok_or("a code refers to no record")?;
                        below.resize(below.len().max(of + 1), child.clone());
                        below[of] = or(&below[of], &child);
                    }
                }
            }
            level = below;
        }
        demand(codes.is_empty(), format_args!("found {} bytes after the codes of {records} records", codes.len()))?;
        Ok(records)
    }
}

/// Takes a number off the codes: at most 6 bytes of 7 bits, the lowest first; the highest bit says that more come.
fn take(codes: &mut &[u8]) -> Result<usize, String> {
    let end = codes.iter().take(6).position(|byte| *byte < 128).ok_or("a code is missing, cut off, or too long")?;
    let bytes = codes.split_off(..=end).unwrap_or_default();
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 7 | usize::from(byte & 127)))
}
