//! Generates random boards of Hopping Bunny that are the same on every machine.

use gridhunt_boards::generator::{board_rng, check_spec, uniform_below};
use gridhunt_boards::{
    Board, BoardError, Cell, EMPTY, GenerateSpec, MARKED, Position, UNMARKED, bunny_symbols, names, neighbours,
};
use rand_chacha::ChaCha8Rng;

/// The shape of a generated board of Hopping Bunny. On every board all squares are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// Each cell is a square with the same probability; only the largest connected component is kept.
    Random,
    /// Every r-th row and every c-th column in full, from the first on; r and c are drawn from 2 to 4.
    Lattice,
    /// One spiral path from the top left inwards.
    Spiral,
    /// Random squares are removed from the full rectangle, one at a time, if the others stay connected.
    Carved,
    /// From one square on, random neighbours of the squares are added, one at a time (an Eden cluster).
    Grown,
}

names!(BoardKind: Random "random", Lattice "lattice", Spiral "spiral", Carved "carved", Grown "grown");

/// Generates board `index` of a sequence of Hopping Bunny boards, with the size and the seed of `spec`.
///
/// The start of a spiral is its outer end; the start of any other board is a random square. `fill` is a percentage of
/// all cells: the probability of a square on a [`Random`](BoardKind::Random) board, and the number of squares
/// (rounded down, at least one) on a [`Carved`](BoardKind::Carved) or [`Grown`](BoardKind::Grown) board. The
/// other kinds ignore it.
///
/// # Errors
/// When the size is out of range, or `fill` is not from 1 to 100.
pub fn generate_board(spec: &GenerateSpec, kind: BoardKind, fill: u32, index: u64) -> Result<Board, BoardError> {
    let GenerateSpec { rows, cols, seed, .. } = *spec;
    let spec = GenerateSpec { colours: 2, ..*spec };
    check_spec(&spec, index)?;
    let name = format!("{kind}-{rows}x{cols}-seed{seed}#{}", u128::from(index) + 1);
    if !(1..=100).contains(&fill) {
        let (found, expected) = (format!("a fill of {fill} percent"), "1 to 100 percent");
        return Err(BoardError::at(name, Position::default(), found, expected));
    }
    let mut rng = board_rng(&GenerateSpec { colours: kind as usize, ..spec }, index);
    let mut map = SquareMap { rows, cols, exists: vec![false; rows * cols] };
    match kind {
        BoardKind::Random => map.scatter(fill, &mut rng),
        BoardKind::Lattice => map.lattice(&mut rng),
        BoardKind::Spiral => map.spiral(),
        BoardKind::Carved => map.carve(fill, &mut rng),
        BoardKind::Grown => map.grow(fill, &mut rng),
    }
    let start = if kind == BoardKind::Spiral { 0 } else { map.random_square(&mut rng) };
    let mut cells: Vec<u8> = map.exists.iter().map(|&exists| if exists { UNMARKED } else { EMPTY }).collect();
    cells[start] = MARKED;
    let start = Cell { row: start / cols, col: start % cols };
    Board::new(name, rows, cols, cells, bunny_symbols(), start)
}

/// Which cells of the rectangle are squares.
struct SquareMap {
    rows: usize,
    cols: usize,
    exists: Vec<bool>,
}

impl SquareMap {
    /// Picks a random square; there must be at least one.
    fn random_square(&self, rng: &mut ChaCha8Rng) -> usize {
        let squares: Vec<usize> = (0..self.exists.len()).filter(|&index| self.exists[index]).collect();
        squares[random_index(squares.len(), rng)]
    }

    fn scatter(&mut self, fill: u32, rng: &mut ChaCha8Rng) {
        while !self.exists.contains(&true) {
            self.exists.iter_mut().for_each(|exists| *exists = uniform_below(100, rng) < fill);
        }
        let mut best = Vec::new();
        let mut unvisited = self.exists.clone();
        for from in 0..unvisited.len() {
            let component = self.component(from, &mut unvisited);
            if component.len() > best.len() {
                best = component;
            }
        }
        self.exists.fill(false);
        best.into_iter().for_each(|index| self.exists[index] = true);
    }

    /// Finds the connected component of `from` among the `unvisited` squares, and removes it from them.
    fn component(&self, from: usize, unvisited: &mut [bool]) -> Vec<usize> {
        let (mut component, mut stack) = (Vec::new(), vec![from]);
        while let Some(index) = stack.pop() {
            if std::mem::take(&mut unvisited[index]) {
                component.push(index);
                stack.extend(neighbours(index, self.rows, self.cols));
            }
        }
        component
    }

    /// The number of squares to keep: `fill` percent of all cells, rounded down, but at least one.
    fn squares_to_keep(&self, fill: u32) -> usize {
        (self.exists.len() * fill as usize / 100).max(1)
    }

    fn carve(&mut self, fill: u32, rng: &mut ChaCha8Rng) {
        self.exists.fill(true);
        let mut count = self.exists.len();
        // The loop ends: every connected graph has a vertex whose removal leaves it connected.
        while count > self.squares_to_keep(fill) {
            let index = self.random_square(rng);
            self.exists[index] = false;
            let mut unvisited = self.exists.clone();
            let neighbour = neighbours(index, self.rows, self.cols).find(|&neighbour| unvisited[neighbour]);
            let is_removable = neighbour.is_some_and(|from| self.component(from, &mut unvisited).len() == count - 1);
            self.exists[index] = !is_removable;
            count -= usize::from(is_removable);
        }
    }

    fn grow(&mut self, fill: u32, rng: &mut ChaCha8Rng) {
        let first = random_index(self.exists.len(), rng);
        let (mut frontier, mut was_seen) = (vec![first], vec![false; self.exists.len()]);
        was_seen[first] = true;
        for _ in 0..self.squares_to_keep(fill) {
            let index = frontier.swap_remove(random_index(frontier.len(), rng));
            self.exists[index] = true;
            let neighbours = neighbours(index, self.rows, self.cols);
            frontier.extend(neighbours.filter(|&square| !std::mem::replace(&mut was_seen[square], true)));
        }
    }

    fn lattice(&mut self, rng: &mut ChaCha8Rng) {
        let [row_step, col_step] = [2 + random_index(3, rng), 2 + random_index(3, rng)];
        let cols = self.cols;
        let exists = |index: usize| (index / cols).is_multiple_of(row_step) || (index % cols).is_multiple_of(col_step);
        self.exists.iter_mut().enumerate().for_each(|(index, square)| *square = exists(index));
    }

    fn spiral(&mut self) {
        let (rows, cols) = (self.rows as isize, self.cols as isize);
        let is_inside = |row: isize, col: isize| (0..rows).contains(&row) && (0..cols).contains(&col);
        let (mut row, mut col) = (0, 0);
        let (mut down, mut right) = (0, 1);
        let mut turns = 0;
        self.exists[0] = true;
        while turns < 2 {
            // Whether the path has the cell at this offset from the cell ahead. It never has the cell ahead itself.
            let is_taken = |rows_on: isize, cols_on: isize| {
                let (row, col) = (row + down + rows_on, col + right + cols_on);
                is_inside(row, col) && self.exists[(row * cols + col) as usize]
            };
            // At least one free cell stays between two windings of the path: ahead and on both sides.
            let touches = is_taken(down, right) || is_taken(right, down) || is_taken(-right, -down);
            if is_inside(row + down, col + right) && !touches {
                (row, col) = (row + down, col + right);
                self.exists[(row * cols + col) as usize] = true;
                turns = 0;
            } else {
                (down, right) = (right, -down);
                turns += 1;
            }
        }
    }
}

/// Draws a uniformly distributed number below `choices`.
fn random_index(choices: usize, rng: &mut ChaCha8Rng) -> usize {
    uniform_below(choices as u32, rng) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Format, Start, write_board};

    fn text(kind: BoardKind, rows: usize, cols: usize, index: u64) -> String {
        let spec = GenerateSpec { rows, cols, colours: 6, seed: 1, start: Start::TopLeft };
        let mut text = Vec::new();
        write_board(&generate_board(&spec, kind, 75, index).unwrap(), Format::Bunny, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_spiral_is_one_path() {
        for (rows, cols, expected) in [
            (5, 7, "S######\n      #\n##### #\n#     #\n#######\n\n"),
            (2, 5, "S####\n    #\n\n"),
            (4, 6, "S#####\n     #\n#    #\n######\n\n"),
            (6, 6, "S#####\n     #\n#### #\n#  # #\n#    #\n######\n\n"),
        ] {
            assert_eq!(text(BoardKind::Spiral, rows, cols, 0), expected);
        }
    }

    #[test]
    fn boards_hang_together_and_differ() {
        for kind in [BoardKind::Random, BoardKind::Lattice, BoardKind::Carved, BoardKind::Grown] {
            assert_eq!(text(kind, 8, 9, 0), text(kind, 8, 9, 0));
            assert_ne!(text(kind, 8, 9, 0), text(kind, 8, 9, 1));
        }
        for index in 0..20 {
            for kind in [BoardKind::Random, BoardKind::Carved, BoardKind::Grown] {
                let spec = GenerateSpec { rows: 8, cols: 9, colours: 2, seed: 5, start: Start::TopLeft };
                let board = generate_board(&spec, kind, 60, index).unwrap();
                let mut reached = vec![board.index(board.start())];
                let mut at = 0;
                while let Some(&square) = reached.get(at) {
                    let more = board.neighbours(square).filter(|index| board.cells()[*index] != EMPTY);
                    let more: Vec<usize> = more.filter(|index| !reached.contains(index)).collect();
                    reached.extend(more);
                    at += 1;
                }
                let squares = board.contents().flatten().count();
                assert_eq!(reached.len(), squares);
                assert!(kind == BoardKind::Random || squares == 43, "{kind} has {squares} squares");
            }
        }
        let spec = GenerateSpec { rows: 2, cols: 2, colours: 2, seed: 5, start: Start::TopLeft };
        for kind in [BoardKind::Carved, BoardKind::Grown] {
            let squares = |fill| generate_board(&spec, kind, fill, 0).unwrap().contents().flatten().count();
            assert_eq!([1, 50, 100].map(squares), [1, 2, 4]);
        }
        for fill in [0, 101] {
            let error = generate_board(&spec, BoardKind::Random, fill, 0).unwrap_err().to_string();
            assert!(error.contains(&format!("found a fill of {fill} percent, expected 1 to 100 percent")), "{error}");
        }
    }
}
