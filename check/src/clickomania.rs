//! Certificates of Clickomania: bounds on the clicks that clear a board, or on the cells that are left.

use super::{Proven, demand, number, take};

/// For each column, from the corner on, its cells from the floor up.
type Position = Vec<Vec<u8>>;

/// The claim, and the rules. `least` is the size of the smallest group that may be clicked.
struct Game {
    bound: usize,
    counts_clicks: bool,
    least: usize,
    stays: bool,
}

/// Checks a certificate of Clickomania.
pub(crate) fn check(bytes: &[u8], memory: u64) -> Result<Proven, String> {
    let expected = "expected GHCERT 3 flood-it or GHCERT 1 clickomania in the first line";
    let mut input = bytes.strip_prefix(b"GHCERT 1 clickomania\n").ok_or(expected)?;
    let mut number = |least, most| number(&mut input, least, most);
    let (rows, cols, colours) = (number(1, 255)?, number(1, 255)?, number(1, 255)?);
    let (bound, counts_clicks) = (number(0, rows * cols)?, number(0, 1)? == 0);
    let (least, stays, corner) = (number(1, rows * cols + 1)?, number(0, 1)? == 1, number(0, 3)?);
    let cells = (0..rows * cols).map(|_| number(0, colours)).collect::<Result<Vec<_>, _>>()?;
    let (is_optimum, moves) = (number(0, 1)? == 1, number(0, rows * cols)?);
    let moves = (0..moves).map(|_| number(0, rows * cols)).collect::<Result<Vec<_>, _>>()?;
    let records = number(1, bytes.len())?;
    let needed = records as u64 * (cols * (rows + 56) + 64) as u64;
    demand(needed <= memory, format_args!("checking takes {needed} bytes of memory, expected at most {memory}"))?;
    let game = Game { bound, counts_clicks, least, stays };
    let start = game.start(&cells, (rows, cols), corner)?;
    demand(is_optimum || moves.is_empty(), format_args!("found a solution, expected none"))?;
    if is_optimum {
        game.replay(start.clone(), &moves)?;
    }
    game.follow(start, records, input)?;
    let what = if counts_clicks { "clicks that clear it" } else { "cells left" };
    let (columns, at_least) = (if stays { "stay" } else { "close" }, if is_optimum { "" } else { "at least " });
    let to = ["bottom left", "bottom right", "top left", "top right"][corner];
    let text: String = cells.chunks(cols).map(|row| format!("{row:?}\n")).collect();
    let s = if records == 1 { "" } else { "s" };
    let claim = format!("the fewest {what} are {at_least}{bound}, proven by {records} record{s}");
    let text = format!("{text}groups of {least}, columns {columns}, to the {to}: {claim}");
    let board = vec![rows, cols, colours, least, usize::from(stays), corner];
    Ok(Proven { board, cells, bound, is_optimum, records, text })
}

impl Game {
    /// Makes the position of a board. Fails unless the cells have fallen.
    fn start(&self, cells: &[usize], (rows, cols): (usize, usize), corner: usize) -> Result<Position, String> {
        let mirror = |at: usize, len: usize, is_far: bool| if is_far { len - 1 - at } else { at };
        let cell = |col, row| cells[mirror(row, rows, corner < 2) * cols + mirror(col, cols, corner % 2 == 1)] as u8;
        let mut position: Position = (0..cols).map(|col| (0..rows).map(|row| cell(col, row)).collect()).collect();
        for column in &mut position {
            column.truncate(column.iter().rposition(|&cell| cell != 0).map_or(0, |last| last + 1));
            demand(!column.contains(&0), format_args!("found an empty cell beneath another, expected fallen cells"))?;
        }
        if !self.stays {
            position.truncate(position.iter().rposition(|column| !column.is_empty()).map_or(0, |last| last + 1));
            demand(!position.contains(&Vec::new()), format_args!("found an empty column, expected closed columns"))?;
        }
        Ok(position)
    }

    /// The positions after a click on each group, in the order of the groups.
    fn children<'p>(&'p self, position: &'p Position) -> impl Iterator<Item = Position> + 'p {
        let mut seen: Vec<_> = position.iter().map(|column| vec![false; column.len()]).collect();
        let places = (0..position.len()).flat_map(|col| (0..position[col].len()).map(move |row| (col, row)));
        places.filter_map(move |(col, row)| {
            let (mut waiting, mut group) = (vec![(col, row)], Vec::new());
            while let Some((c, r)) = waiting.pop() {
                let cell = position.get(c).and_then(|column| column.get(r));
                if cell == Some(&position[col][row]) && !std::mem::replace(&mut seen[c][r], true) {
                    group.push((c, r));
                    waiting.extend([(c + 1, r), (c.wrapping_sub(1), r), (c, r + 1), (c, r.wrapping_sub(1))]);
                }
            }
            (!group.is_empty() && group.len() >= self.least).then(|| {
                let mut child = position.clone();
                group.iter().for_each(|&(c, r)| child[c][r] = 0);
                child.iter_mut().for_each(|column| column.retain(|&cell| cell != 0));
                child.retain(|column| self.stays || !column.is_empty());
                child
            })
        })
    }

    /// Whether the bound refutes a position after `clicks` clicks.
    fn refutes(&self, position: &Position, clicks: usize) -> bool {
        let mut counts = [0; 256];
        position.iter().flatten().for_each(|&cell| counts[usize::from(cell)] += 1);
        let dead: usize = counts.iter().filter(|&&count| count < self.least).sum();
        let colours = counts.iter().filter(|&&count| count > 0).count();
        if self.counts_clicks { dead > 0 || clicks + colours >= self.bound } else { dead >= self.bound }
    }

    fn replay(&self, mut position: Position, moves: &[usize]) -> Result<(), String> {
        for &group in moves {
            let child = self.children(&position).nth(group);
            position = child.ok_or_else(|| format!("the solution clicks on group {group}, which is not there"))?;
        }
        let left = position.concat().len();
        let solves = if self.counts_clicks { left == 0 && moves.len() == self.bound } else { left == self.bound };
        demand(solves, format_args!("found a solution with clicks: {}, cells left: {left}", moves.len()))
    }

    /// Follows the codes: each click at each record leads to a position that the bound refutes, or that is a record.
    fn follow(&self, start: Position, count: usize, mut codes: &[u8]) -> Result<(), String> {
        let end = if self.counts_clicks || self.bound == 0 { self.bound } else { usize::MAX };
        let (mut records, minimum) = (vec![(start, 0)], if self.counts_clicks { 1 } else { self.bound });
        for at in 0.. {
            let Some((position, g)) = records.get(at).filter(|(_, g)| *g < end).cloned() else { break };
            demand(position.concat().len() >= minimum, format_args!("record {at} has fewer cells than {minimum}"))?;
            let mut has_code = 0;
            for (choice, child) in self.children(&position).enumerate() {
                has_code = if choice % 7 == 0 { take(&mut codes)? } else { has_code >> 1 };
                let code = if has_code & 1 == 0 { None } else { Some(take(&mut codes)?) };
                let is_valid = match code {
                    None => self.refutes(&child, g + 1),
                    Some(0) => records.len() < count,
                    Some(code) if code % 2 == 1 => false,
                    Some(code) => records.len().checked_sub(code / 2).is_some_and(|index| records[index].0 == child),
                };
                demand(is_valid, format_args!("record {at}, group {choice}: the code {code:?} is wrong"))?;
                if code == Some(0) {
                    records.push((child, g + 1));
                }
            }
        }
        demand(records.len() == count && codes.is_empty(), format_args!("the codes do not match the count {count}"))
    }
}
