//! Solutions that are changed click by click.
//!
//! A label is a cell of the root: its click takes the group in which the cell lies by then. Cells keep their identity
//! as they fall, so most clicks of a solution still mean the same when an earlier click changes.
//!
//! A state is one slice of numbers, so that it is copied at once: the cell at each place, the place of each cell, and
//! for each column its height and its neighbours among the *standing* columns, those that have not closed up. Column 0
//! and the last one are empty; they are the sides of the board. A path holds one state for every [`CLICKS_PER_STATE`]
//! clicks, because on large boards copying a state takes longer than a click, and hundreds of states fill the caches. A
//! path that branches off between two of these states starts from the first, and plays the clicks after it again.

use super::game::{Game, to_cell};
use super::state::Column;
use crate::Goal;
use gridhunt_search::domain::{Cost, Domain, LocalSearchPath, MoveIndex, MoveLabel, default_temperature};

/// The penalty for a board that is not cleared, in hundredths of the clear bonus: a fixed part, and a part for each
/// cell that is left, up to a number of cells. So a board that is nearly cleared is better than others. If every
/// uncleared board lost the whole bonus, the penalty could not tell them apart.
const UNCLEARED_PERCENT: Cost = 20;
const PERCENT_PER_CELL_LEFT: Cost = 5;
const MAX_CELLS_LEFT: Cost = 10;

/// The penalty for each cell that is left, in clicks, if the objective is the number of clicks.
const CLICKS_PER_CELL_LEFT: Cost = 3;

/// The number of clicks between two states that a path holds.
const CLICKS_PER_STATE: usize = 8;

/// The first temperature for scores, in points: this times the square root of the number of cells. Measured with the
/// standard rule on boards of 15x15 to 64x64 with three to six colours.
const TEMPERATURE_PER_SIDE: f64 = 5.0;

/// The indices at which the parts of a state begin. The cells at all places come first.
#[derive(Clone, Copy)]
struct Layout {
    /// A place is a column, shifted by this, plus a height.
    shift: u32,
    places: usize,
    heights: usize,
    next: usize,
    before: usize,
    counts: usize,
    len: usize,
}

impl Layout {
    fn new((rows, cols): (usize, usize), cells: usize, colours: usize) -> Self {
        // One place above the topmost row stays empty.
        let shift = (rows + 1).next_power_of_two().trailing_zeros();
        let places = (cols + 2) << shift;
        let heights = places + cells + 1;
        let (next, before, counts) = (heights + cols + 2, heights + 2 * (cols + 2), heights + 3 * (cols + 2));
        Self { shift, places, heights, next, before, counts, len: counts + colours + 1 }
    }
}

/// A place to stop on a path: the cost of the path with this end, and the number of clicks before it.
type Stop = (Cost, usize);

/// The clicks of a path.
#[derive(Default)]
struct Path {
    labels: Vec<u16>,
    /// The cost of the path before each click, and in `best` the best place to stop up to there.
    g: Vec<Cost>,
    best: Vec<Option<Stop>>,
    /// The states before the clicks whose number, counted from the root, is a multiple of [`CLICKS_PER_STATE`].
    states: Vec<u16>,
}

/// A state, with the working memory of a click.
#[derive(Clone)]
struct LabelledBoard<'a, T: Column, const C: usize, const P: usize> {
    game: &'a Game<T, C, P>,
    layout: Layout,
    /// The colour of each cell, from 1. Cells are numbered from 1; the number 0 means no cell, with the colour 0.
    colours: Vec<u8>,
    state: Vec<u16>,
    /// The places of a group, and their cells.
    group: Vec<(u16, u16)>,
}

impl<'a, T: Column, const C: usize, const P: usize> LabelledBoard<'a, T, C, P> {
    /// The state at the root.
    fn new(game: &'a Game<T, C, P>) -> Self {
        let (rows, cols, colours) = (game.rows, game.cols, usize::from(game.colours));
        let grid = *game.root().grid();
        let places = (0..cols).flat_map(|col| (0..rows as u32).map(move |height| (col, height)));
        let filled: Vec<_> = places.filter(|&place| grid.colour(place) > 0).collect();
        let layout = Layout::new((rows, cols), filled.len(), colours);
        let mut state = vec![0; layout.len];
        let mut colour_of = vec![0; filled.len() + 1];
        for (cell, &(col, height)) in (1..).zip(&scatter(&filled)) {
            let (place, colour) = ((col + 1) << layout.shift | height as usize, grid.colour((col, height)));
            state[place] = cell as u16;
            state[layout.places + cell] = place as u16;
            state[layout.heights + col + 1] += 1;
            state[layout.counts + usize::from(colour)] += 1;
            colour_of[cell] = colour;
        }
        for col in 0..=cols {
            state[layout.next + col] = col as u16 + 1;
            state[layout.before + col + 1] = col as u16;
        }
        Self { game, layout, colours: colour_of, state, group: Vec::with_capacity(filled.len()) }
    }

    /// The place of a cell; 0 if it is gone.
    #[inline]
    fn place(&self, cell: usize) -> usize {
        self.state[self.layout.places + cell].into()
    }

    /// Clicks the group at a place. The group must be one that can be clicked. Returns the cost.
    #[inline]
    fn click(&mut self, place: usize) -> Cost {
        let colour = usize::from(self.colours[usize::from(self.state[place])]);
        self.lift_group(place);
        let size = self.group.len();
        self.let_cells_fall();
        let count = &mut self.state[self.layout.counts + colour];
        let before = std::mem::replace(count, *count - size as u16);
        self.game.click_cost(before.into(), size as u32)
    }

    /// Takes the cells of the group at a place off the board; nothing falls.
    #[inline]
    fn lift_group(&mut self, place: usize) {
        let Self { state, colours, group, layout, .. } = self;
        let shift = layout.shift;
        let colour = colours[usize::from(state[place])];
        group.clear();
        group.push((place as u16, std::mem::take(&mut state[place])));
        let mut at = 0;
        while at < group.len() {
            let place = usize::from(group[at].0);
            at += 1;
            let (col, height) = (place >> shift, place & ((1 << shift) - 1));
            let sideways = |link: usize| usize::from(state[link + col]) << shift | height;
            for neighbour in [place + 1, place - 1, sideways(layout.next), sideways(layout.before)] {
                if colours[usize::from(state[neighbour])] == colour {
                    group.push((neighbour as u16, std::mem::take(&mut state[neighbour])));
                }
            }
        }
    }

    /// Puts the cells of a lifted group back.
    fn restore_group(&mut self) {
        for &(place, cell) in &self.group {
            self.state[usize::from(place)] = cell;
        }
    }

    /// Whether the group at a place can be clicked.
    #[inline]
    fn is_clickable(&mut self, place: usize) -> bool {
        let min = self.game.rules().min_group;
        if min <= 1 {
            return true;
        }
        let Self { state, colours, layout, .. } = &*self;
        let colour = colours[usize::from(state[place])];
        let (col, height) = (place >> layout.shift, place & ((1 << layout.shift) - 1));
        let sideways = |link: usize| usize::from(state[link + col]) << layout.shift | height;
        let neighbours = [place + 1, place - 1, sideways(layout.next), sideways(layout.before)];
        let is_linked = neighbours.into_iter().any(|neighbour| colours[usize::from(state[neighbour])] == colour);
        if !is_linked || min == 2 {
            return is_linked;
        }
        self.lift_group(place);
        let is_clickable = self.group.len() >= min as usize;
        self.restore_group();
        is_clickable
    }

    /// Lets the cells above a lifted group fall, and closes columns up.
    #[inline]
    fn let_cells_fall(&mut self) {
        let Self { state, layout, group, .. } = self;
        let mut cols = 0_u128;
        for &(place, cell) in &*group {
            state[layout.places + usize::from(cell)] = 0;
            cols |= 1 << (usize::from(place) >> layout.shift);
        }
        while cols != 0 {
            let col = cols.trailing_zeros() as usize;
            cols &= cols - 1;
            let (first, height) = (col << layout.shift, usize::from(state[layout.heights + col]));
            let mut to = first;
            for from in first..first + height {
                let cell = std::mem::take(&mut state[from]);
                if cell != 0 {
                    state[to] = cell;
                    state[layout.places + usize::from(cell)] = to as u16;
                    to += 1;
                }
            }
            state[layout.heights + col] = (to - first) as u16;
            if to == first && self.game.closes() {
                let (before, next) = (state[layout.before + col], state[layout.next + col]);
                state[layout.next + usize::from(before)] = next;
                state[layout.before + usize::from(next)] = before;
            }
        }
    }

    /// The number of cells of each colour.
    fn counts(&self) -> &[u16] {
        &self.state[self.layout.counts + 1..]
    }

    /// The column, counted among the standing ones, and the height of a place.
    fn column_and_height(&self, place: usize) -> (usize, u32) {
        let (mut col, height) = (place >> self.layout.shift, place & ((1 << self.layout.shift) - 1));
        let mut standing = 0;
        loop {
            col = self.state[self.layout.before + col].into();
            if col == 0 {
                return (standing, height as u32);
            }
            standing += 1;
        }
    }
}

/// Puts places into an order in which consecutive ones lie far apart. So if a random cell is gone, the cell that is
/// taken instead may lie anywhere.
fn scatter(places: &[(usize, u32)]) -> Vec<(usize, u32)> {
    let len = places.len();
    let has_common_divisor = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a != 1
    };
    // About the golden section.
    let step = (len * 618 / 1000..).find(|&step| len < 2 || !has_common_divisor(len, step)).unwrap_or(1);
    (0..len).map(|at| places[at * step % len]).collect()
}

/// The [`LocalSearchPath`] of a board.
pub(super) struct ClickPath<'a, T: Column, const C: usize, const P: usize> {
    root: Vec<u16>,
    accepted: Path,
    candidate: Path,
    /// The number of clicks of the current path with which the candidate begins.
    shared_clicks: usize,
    /// The end of the candidate, its cost, and the best place to stop on it.
    board: LabelledBoard<'a, T, C, P>,
    g: Cost,
    best: Option<Stop>,
}

impl<'a, T: Column, const C: usize, const P: usize> ClickPath<'a, T, C, P> {
    pub(super) fn new(game: &'a Game<T, C, P>) -> Self {
        let board = LabelledBoard::new(game);
        let (accepted, candidate) = (Path::default(), Path::default());
        Self { root: board.state.clone(), accepted, candidate, shared_clicks: 0, board, g: 0, best: None }
    }

    /// Takes the end of the candidate as a place to stop, if none before it is better.
    #[inline]
    fn consider_stopping(&mut self) {
        let stop = self.board.game.cost_of_stopping(self.board.counts());
        let stop = stop.map(|stop| (self.g.saturating_add(stop), self.shared_clicks + self.candidate.labels.len()));
        self.best = stop.into_iter().chain(self.best).min_by_key(|&(cost, _)| cost);
    }
}

impl<T: Column, const C: usize, const P: usize> LocalSearchPath for ClickPath<'_, T, C, P> {
    fn begin_candidate(&mut self, shared: usize) {
        let Self { root, accepted, candidate, board, .. } = self;
        candidate.labels.clear();
        candidate.states.clear();
        candidate.g.clear();
        candidate.best.clear();
        debug_assert!(shared < accepted.labels.len() || shared == 0);
        self.shared_clicks = shared;
        self.best = accepted.best.get(shared).copied().flatten();
        self.g = accepted.g.get(shared).copied().unwrap_or(0);
        let (len, state_index) = (board.state.len(), shared / CLICKS_PER_STATE);
        board.state.copy_from_slice(accepted.states.get(state_index * len..(state_index + 1) * len).unwrap_or(root));
        for &label in accepted.labels.get(state_index * CLICKS_PER_STATE..shared).unwrap_or_default() {
            board.click(board.place(label.into()));
        }
        self.consider_stopping();
    }

    #[inline]
    fn try_move(&mut self, label: MoveLabel) -> bool {
        let place = self.board.place(label as usize);
        if place == 0 || !self.board.is_clickable(place) {
            return false;
        }
        if (self.shared_clicks + self.candidate.labels.len()).is_multiple_of(CLICKS_PER_STATE) {
            self.candidate.states.extend_from_slice(&self.board.state);
        }
        self.candidate.labels.push(label as u16);
        self.candidate.g.push(self.g);
        self.candidate.best.push(self.best);
        self.g += self.board.click(place);
        self.consider_stopping();
        true
    }

    fn random_label(&mut self, random: u32) -> Option<MoveLabel> {
        let board = &mut self.board;
        if board.counts().iter().all(|&count| count == 0) {
            return None;
        }
        let cells = board.colours.len() - 1;
        let first = random as usize % cells.max(1);
        for deferred in [false, true] {
            for cell in (first..cells).chain(0..first).map(|at| at + 1) {
                let place = board.place(cell);
                let is_deferred = board.game.deferred == Some(board.colours[cell]);
                if place != 0 && is_deferred == deferred && board.is_clickable(place) {
                    return Some(cell as MoveLabel);
                }
            }
        }
        None
    }

    fn energy(&self) -> Cost {
        let (game, counts) = (self.board.game, self.board.counts());
        let left: Cost = counts.iter().map(|&count| Cost::from(count)).sum();
        match (game.objective(), &game.score) {
            (Goal::Score, Some(score)) => {
                let missed: Cost = counts.iter().map(|&count| score.leaving_cost(count.into())).sum();
                let share =
                    if left > 0 { UNCLEARED_PERCENT + PERCENT_PER_CELL_LEFT * left.min(MAX_CELLS_LEFT) } else { 0 };
                self.g + missed + (u64::from(score.clear_bonus()) * u64::from(share) / 100) as Cost
            }
            (Goal::Clicks, _) => self.g + CLICKS_PER_CELL_LEFT * left,
            _ => left,
        }
    }

    fn first_temperature(&self, excess: Cost) -> f64 {
        match self.board.game.objective() {
            Goal::Score => TEMPERATURE_PER_SIDE * ((self.board.colours.len() - 1) as f64).sqrt(),
            _ => default_temperature(excess),
        }
    }

    fn cost(&self) -> Option<Cost> {
        self.best.map(|(cost, _)| cost)
    }

    fn moves(&self) -> Vec<MoveIndex> {
        let (game, mut board) = (self.board.game, self.board.clone());
        board.state.copy_from_slice(&self.root);
        let labels = self.accepted.labels[..self.shared_clicks].iter().chain(&self.candidate.labels);
        let labels = labels.take(self.best.map_or(usize::MAX, |(_, clicks)| clicks));
        let clicks = labels.map(|&label| {
            let place = board.place(label.into());
            let click = to_cell(game.rules().corner, (game.rows, game.cols), board.column_and_height(place));
            board.click(place);
            click
        });
        game.moves(&clicks.collect::<Vec<_>>())
    }

    fn accept(&mut self) {
        let Self { accepted, candidate, shared_clicks, board, .. } = self;
        accepted.labels.truncate(*shared_clicks);
        accepted.g.truncate(*shared_clicks);
        accepted.best.truncate(*shared_clicks);
        accepted.states.truncate(shared_clicks.div_ceil(CLICKS_PER_STATE) * board.state.len());
        accepted.labels.append(&mut candidate.labels);
        accepted.g.append(&mut candidate.g);
        accepted.best.append(&mut candidate.best);
        accepted.states.append(&mut candidate.states);
        *shared_clicks = accepted.labels.len();
    }

    fn current_len(&self) -> usize {
        self.accepted.labels.len()
    }

    fn current_label(&self, at: usize) -> MoveLabel {
        self.accepted.labels[at].into()
    }

    fn bytes(&self) -> u64 {
        let path_bytes = |path: &Path| {
            let clicks = path.labels.capacity() * (2 + size_of::<Cost>() + size_of::<Option<Stop>>());
            clicks + path.states.capacity() * 2
        };
        (path_bytes(&self.accepted) + path_bytes(&self.candidate)) as u64
    }
}
