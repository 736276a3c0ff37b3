//! Free flood: a move gives any area of one colour another colour; all cells have to get one colour.
//!
//! A *region* is an area of the board before the first move. Areas merge and never split, so all cells of a region
//! always have one colour. A state is the colour of each region. Empty cells are walls. Every move costs 1.
//!
//! A move index is the number of the area, by its first region, times the number of colours, plus the colour.
//!
//! **Partial-order reduction** (sleep sets). Two areas that do not touch can be moved in either order: neither move
//! changes the other area, or joins it to its own area, and both orders lead to the same colours at the same cost. Only
//! the order by first regions is searched: after the move of an area, all areas before it that do not touch it are
//! asleep. No optimum is lost: of all equally cheap solutions, compared move by move by the first region of the area,
//! the least never moves an area that is asleep. A move class is the first region of an area; only the first 63 regions
//! have classes.
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod bound;
mod game;
pub mod replay;
mod task;

pub use bound::ColoursOrRadius;
pub use task::FreeFloodPuzzle;

use gridhunt_boards::{Board, Cell, EMPTY};
use gridhunt_search::domain::{Cost, Domain, Guidance, MoveIndex, MoveMask, Successor};
use replay::Move;

/// The most move classes.
const MAX_CLASSES: usize = 63;

/// The most moves of a state: records of a search have no room for a greater [`MoveIndex`].
const MAX_MOVES: usize = 4_096;

/// A board as a search space.
#[derive(Clone, Debug)]
pub struct FreeFlood {
    /// The first cell of each region.
    first_cells: Vec<Cell>,
    /// The colour of each region at the start.
    root: Vec<u8>,
    /// The regions that touch each region.
    neighbours: Vec<Vec<u16>>,
    colours: usize,
    target: Option<u8>,
}

/// The areas of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Areas {
    /// The number of the area of each region.
    pub of_region: Vec<u16>,
    /// The first region of each area.
    pub first: Vec<u16>,
    /// The areas that touch each area, each once.
    pub neighbours: Vec<Vec<u16>>,
}

impl FreeFlood {
    /// Makes the search space of a board; `None` if the board has too many regions for the records of a search.
    #[must_use]
    pub fn new(board: &Board, target: Option<u8>) -> Option<Self> {
        let mut of_cell = vec![None; board.cells().len()];
        let (mut first_cells, mut root) = (Vec::new(), Vec::new());
        for index in 0..of_cell.len() {
            if of_cell[index].is_some() || board.cells()[index] == EMPTY {
                continue;
            }
            let (region, colour) = (u16::try_from(first_cells.len()).ok()?, board.cells()[index]);
            of_cell[index] = Some(region);
            let mut open = vec![index];
            while let Some(cell) = open.pop() {
                for neighbour in board.neighbours(cell).filter(|&neighbour| board.cells()[neighbour] == colour) {
                    if of_cell[neighbour].replace(region).is_none() {
                        open.push(neighbour);
                    }
                }
            }
            first_cells.push(board.cell(index));
            root.push(colour);
        }
        let mut neighbours = vec![Vec::new(); first_cells.len()];
        for (index, region) in of_cell.iter().enumerate() {
            let Some(region) = *region else { continue };
            neighbours[usize::from(region)].extend(board.neighbours(index).filter_map(|neighbour| of_cell[neighbour]));
        }
        for (region, neighbours) in (0..).zip(&mut neighbours) {
            neighbours.sort_unstable();
            neighbours.dedup();
            neighbours.retain(|other| *other != region);
        }
        let colours = board.colours();
        (first_cells.len() * colours <= MAX_MOVES).then_some(Self { first_cells, root, neighbours, colours, target })
    }

    pub(crate) fn target(&self) -> Option<u8> {
        self.target
    }

    pub(crate) fn areas(&self, state: &[u8]) -> Areas {
        let mut areas = Areas { of_region: vec![u16::MAX; state.len()], ..Areas::default() };
        for region in 0..state.len() {
            if areas.of_region[region] != u16::MAX {
                continue;
            }
            let area = areas.first.len() as u16;
            areas.first.push(region as u16);
            areas.of_region[region] = area;
            let mut open = vec![region];
            while let Some(region_in_area) = open.pop() {
                for neighbour in self.neighbours[region_in_area].iter().map(|&neighbour| usize::from(neighbour)) {
                    if areas.of_region[neighbour] == u16::MAX && state[neighbour] == state[region] {
                        areas.of_region[neighbour] = area;
                        open.push(neighbour);
                    }
                }
            }
        }
        areas.neighbours = vec![Vec::new(); areas.first.len()];
        for (region, &area) in areas.of_region.iter().enumerate() {
            let others = self.neighbours[region].iter().map(|&neighbour| areas.of_region[usize::from(neighbour)]);
            areas.neighbours[usize::from(area)].extend(others.filter(|&other| other != area));
        }
        areas.neighbours.iter_mut().for_each(|neighbours| {
            neighbours.sort_unstable();
            neighbours.dedup();
        });
        areas
    }

    /// Turns the moves of a search into moves of the rules, up to the first index that is not a move.
    #[must_use]
    pub fn moves(&self, indices: &[MoveIndex]) -> Vec<Move> {
        let mut state = self.root.clone();
        let step = |&index: &MoveIndex| {
            let areas = self.areas(&state);
            let (area, colour) = (usize::from(index) / self.colours, (usize::from(index) % self.colours) as u8);
            let first = usize::from(*areas.first.get(area)?);
            recolour(&mut state, &areas, area as u16, colour);
            Some(Move { cell: self.first_cells[first], colour })
        };
        indices.iter().map_while(step).collect()
    }

    /// Turns moves of the rules into the moves of a search, up to the first one that the board does not have.
    #[must_use]
    pub fn move_indices(&self, moves: &[Move], board: &Board) -> Vec<MoveIndex> {
        let mut state = self.root.clone();
        let play = replay::FreePlay::new(board);
        let step = |&Move { cell, colour }: &Move| {
            if cell.row >= board.rows() || cell.col >= board.cols() || usize::from(colour) >= self.colours {
                return None;
            }
            let first = board.cell(*play.area(board.index(cell)).first()?);
            let areas = self.areas(&state);
            let area = areas.of_region[self.first_cells.iter().position(|region| *region == first)?];
            recolour(&mut state, &areas, area, colour);
            MoveIndex::try_from(usize::from(area) * self.colours + usize::from(colour)).ok()
        };
        moves.iter().map_while(step).collect()
    }
}

fn recolour(state: &mut [u8], areas: &Areas, area: u16, colour: u8) {
    let regions = state.iter_mut().zip(&areas.of_region).filter(|(_, of_region)| **of_region == area);
    regions.for_each(|(region, _)| *region = colour);
}

/// The move class of the area whose first region is `first`, as a set; the empty set if the region has no class.
fn move_class(first: u16) -> MoveMask {
    if usize::from(first) < MAX_CLASSES { 1 << first } else { 0 }
}

impl Guidance<Vec<u8>> for FreeFlood {
    /// Joins the most areas: the most promising child, found without the other children.
    fn greedy_step(&self, state: &mut Vec<u8>) -> Option<(MoveIndex, Cost)> {
        let areas = self.areas(state);
        let colour_of = |area: u16| state[usize::from(areas.first[usize::from(area)])];
        let mut best: Option<(usize, u16, u8)> = None;
        for (area, neighbours) in (0..).zip(&areas.neighbours) {
            for colour in (0..self.colours as u8).filter(|&colour| colour != colour_of(area)) {
                let joined = neighbours.iter().filter(|&&neighbour| colour_of(neighbour) == colour).count();
                if best.is_none_or(|(most, ..)| joined > most) {
                    best = Some((joined, area, colour));
                }
            }
        }
        let (_, area, colour) = best?;
        recolour(state, &areas, area, colour);
        Some(((usize::from(area) * self.colours + usize::from(colour)) as MoveIndex, 1))
    }
}

impl Domain for FreeFlood {
    /// The colour of each region.
    type State = Vec<u8>;

    fn key_len(&self) -> usize {
        self.root.len().max(1)
    }

    fn mask_bits(&self) -> u32 {
        self.root.len().min(MAX_CLASSES) as u32
    }

    fn root(&self) -> Vec<u8> {
        self.root.clone()
    }

    fn pack(&self, state: &Vec<u8>, key: &mut [u8]) {
        key.fill(0);
        key[..state.len()].copy_from_slice(state);
    }

    fn unpack(&self, key: &[u8], state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(&key[..self.root.len()]);
    }

    fn successors(&self, state: &Vec<u8>, skip: MoveMask, out: &mut Vec<Successor<Vec<u8>>>) {
        let areas = self.areas(state);
        for (area, &first) in (0..).zip(&areas.first) {
            if move_class(first) & skip != 0 {
                continue;
            }
            let touches = |other: u16| areas.neighbours[usize::from(area)].contains(&other);
            let earlier = (0..area).filter(|&other| !touches(other));
            let sleep_set = earlier.map(|other| move_class(areas.first[usize::from(other)])).sum();
            for colour in (0..self.colours as u8).filter(|&colour| colour != state[usize::from(first)]) {
                let mut child = state.clone();
                recolour(&mut child, &areas, area, colour);
                let mv = (usize::from(area) * self.colours + usize::from(colour)) as MoveIndex;
                out.push(Successor { mv, cost: 1, sleep_set, state: child });
            }
        }
    }

    /// The fewer areas the better.
    fn promise(&self, state: &Vec<u8>) -> u32 {
        (self.root.len() - self.areas(state).first.len()) as u32
    }

    fn guidance(&self) -> Option<&dyn Guidance<Vec<u8>>> {
        Some(self)
    }

    fn terminal_cost(&self, state: &Vec<u8>) -> Option<Cost> {
        let goal_colour = self.target.or(state.first().copied());
        state.iter().all(|&colour| Some(colour) == goal_colour).then_some(0)
    }
}
