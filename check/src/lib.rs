//! Checks certificates: proofs that no solution of a Flood-It board has fewer than C moves. `docs/certificates.md` has
//! the claim, the theorem and the format. This crate is written from that document and shares no code with the solver.

mod clickomania;

/// No solution has fewer moves (or leaves fewer cells) than `bound`; `text` says so. `board`: rows, columns, colours,
/// start cell (row * columns + column). In Clickomania: LEAST, STAY, CORNER for the start, and empty `cells` are 0.
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

/// Checks a certificate with at most `memory` bytes of memory. An error says why the certificate is refused.
pub fn check(bytes: &[u8], memory: u64) -> Result<Proven, String> {
    let Some(mut input) = bytes.strip_prefix(b"GHCERT 3 flood-it\n") else { return clickomania::check(bytes, memory) };
    let mut number = |least, most| number(&mut input, least, most);
    let (rows, cols, colours) = (number(1, 255)?, number(1, 255)?, number(1, 255)?);
    let (bound, start) = (number(0, rows * cols)?, number(0, rows * cols - 1)?);
    let cells = (0..rows * cols).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let moves = (0..number(0, bound)?).map(|_| number(0, colours - 1)).collect::<Result<Vec<_>, _>>()?;
    let (is_optimum, board) = (moves.len() == bound, Board::new(cols, colours, start, &cells));
    let end = moves.iter().fold(board.start.clone(), |flood, &colour| board.children(&flood).swap_remove(colour));
    let solves = moves.is_empty() && bound > 0 || is_optimum && !end.contains(&false);
    demand(solves, format_args!("the moves do not solve the board, expected none or {bound} that do"))?;
    let records = board.follow(bound, input, usize::try_from(memory).unwrap_or(usize::MAX) / (cells.len() + 64))?;
    let grid: String = cells.chunks(cols).map(|row| format!("{row:?}\n")).collect();
    let (least, row, col) = (if is_optimum { "" } else { "at least " }, start / cols + 1, start % cols + 1);
    let [s, z] = [bound, records].map(|number| if number == 1 { "" } else { "s" });
    let text = format!("{grid}start {row},{col}: the optimum is {least}{bound} move{s}, proven by {records} record{z}");
    Ok(Proven { board: vec![rows, cols, colours, start], cells, bound, is_optimum, records, text })
}

/// Takes a number off the head, with the space or newline after it.
fn number(input: &mut &[u8], least: usize, most: usize) -> Result<usize, String> {
    let end = input.iter().take(20).position(|byte| b" \n".contains(byte)).ok_or("expected a number in the head")?;
    let text = String::from_utf8_lossy(&input[..end]);
    *input = &input[end + 1..];
    let number = text.parse().ok().filter(|n: &usize| text == n.to_string() && (least..=most).contains(n));
    number.ok_or_else(|| format!("found {text:?}, expected a number from {least} to {most}"))
}

/// Takes a number off the codes: at most 6 bytes of 7 bits, the lowest first; the highest bit says that more follow.
fn take(codes: &mut &[u8]) -> Result<usize, String> {
    let end = codes.iter().take(6).position(|byte| *byte < 128).ok_or("found a broken code, expected 1 to 6 bytes")?;
    let bytes = codes.split_off(..=end).unwrap_or_default();
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 7 | usize::from(byte & 127)))
}

fn demand(holds: bool, what: std::fmt::Arguments<'_>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

/// The regions of a board. A region has the number of its first cell. A set of regions has a bool for each number,
/// which is true for numbers that no region has. `start` is the region of the start cell.
struct Board<'c> {
    colours: usize,
    colour: &'c [usize],
    neighbours: Vec<Vec<usize>>,
    start: Vec<bool>,
}

impl<'c> Board<'c> {
    fn new(cols: usize, colours: usize, start: usize, colour: &'c [usize]) -> Self {
        let across = (1..colour.len()).filter(|cell| cell % cols > 0).map(|cell| (cell - 1, cell));
        let down = (cols..colour.len()).map(|cell| (cell - cols, cell));
        let (equal, unequal): (Vec<_>, Vec<_>) = across.chain(down).partition(|&(a, b)| colour[a] == colour[b]);
        let (mut region, mut neighbours) = ((0..colour.len()).collect::<Vec<_>>(), vec![Vec::new(); colour.len()]);
        for (a, b) in equal {
            let (first, joined) = (region[a].min(region[b]), region[a].max(region[b]));
            region.iter_mut().filter(|region| **region == joined).for_each(|region| *region = first);
        }
        for (a, b) in unequal.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            neighbours[region[a]].push(region[b]);
        }
        let start = (0..colour.len()).map(|cell| cell == region[start] || cell != region[cell]).collect();
        Self { colours, colour, neighbours, start }
    }

    /// Returns the flood after a move to each colour.
    fn children(&self, flood: &[bool]) -> Vec<Vec<bool>> {
        let mut children = vec![flood.to_vec(); self.colours];
        for region in (0..flood.len()).filter(|&region| !flood[region]) {
            children[self.colour[region]][region] = self.neighbours[region].iter().any(|&other| flood[other]);
        }
        children
    }

    /// Whether the lower bound of a flood is `least` or more.
    fn refutes(&self, flood: &[bool], least: usize) -> bool {
        let (mut new, mut outside): (Vec<_>, Vec<_>) = (0..flood.len()).partition(|&region| flood[region]);
        let is_left = |&colour: &usize| outside.iter().any(|&region| self.colour[region] == colour);
        let (mut value, mut seen) = ((0..self.colours).filter(is_left).count(), flood.to_vec());
        loop {
            new.iter().flat_map(|&region| &self.neighbours[region]).for_each(|&region| seen[region] = true);
            let mut hides = vec![false; self.colours];
            outside.iter().filter(|&&region| !seen[region]).for_each(|&region| hides[self.colour[region]] = true);
            if value >= least || !hides.contains(&true) {
                return value >= least;
            }
            // Colours that hide nothing join at once. Without any, all seen regions join in a whole turn.
            let is_whole = outside.iter().all(|&region| hides[self.colour[region]]);
            value += usize::from(is_whole);
            let joins = |&region: &usize| seen[region] && (is_whole || !hides[self.colour[region]]);
            (new, outside) = outside.into_iter().partition(joins);
        }
    }

    /// Follows the codes, level by level, with memory for `room` sets. Returns the number of sets.
    fn follow(&self, bound: usize, mut codes: &[u8], room: usize) -> Result<usize, String> {
        let (mut level, mut records) = (vec![self.start.clone()], 0);
        for left in (0..bound).rev() {
            let mut below: Vec<Vec<bool>> = Vec::new();
            for flood in &level {
                records += 1;
                demand(flood.contains(&false), format_args!("record {records} holds all; moves left: {left}"))?;
                demand(level.len() + below.len() < room, format_args!("memory has no room for {room} sets"))?;
                for child in self.children(flood).into_iter().filter(|child| child != flood) {
                    let code = take(&mut codes)?;
                    if code == 0 {
                        demand(self.refutes(&child, left), format_args!("record {records}: a bound is too low"))?;
                        continue;
                    }
                    let index = (below.len() + 1).checked_sub(code).ok_or("a code refers to no record")?;
                    below.resize_with(below.len().max(index + 1), || child.clone());
                    below[index].iter_mut().zip(&child).for_each(|(in_record, in_child)| *in_record |= in_child);
                }
            }
            level = below;
        }
        demand(codes.is_empty(), format_args!("bytes follow the last record: {}", codes.len())).map(|()| records)
    }
}
