//! A position of a game as players see it: board, moves, verdicts, hints, and the positions to search next.

use super::PlayError;
use super::game::Game;
use super::knowledge::{Knowledge, MoveLoss, Range, Scale};
use super::words::{GameEnd, Words};
use crate::puzzles::{GameStatus, Gameplay, LegalMove, PuzzleError, Task};
use gridhunt_boards::{EMPTY, Mark};
use serde::Serialize;
use std::collections::HashMap;

/// A position of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionView {
    /// The identity of the position within its game.
    pub key: String,
    /// The colour of each cell, as [`Game::cells`].
    pub cells: Vec<u8>,
    /// 1 for a cell of the flood, 2 for the start cell, otherwise 0.
    pub marks: Vec<u8>,
    /// One line that describes the position.
    pub caption: String,
    /// Whether no move is left.
    pub over: bool,
    /// Whether the goal is reached.
    pub solved: bool,
    /// The objective value if the game ended now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// The unit of values: moves, clicks, cells, points.
    pub unit: &'static str,
    /// Whether a higher value is better.
    pub higher_is_better: bool,
    /// The known range of the board's optimum.
    pub optimum: String,
    /// Whether the board's optimum is proven.
    pub proven: bool,
    /// The state of the game after the moves.
    pub standing: String,
    /// The end of the game; absent while the game lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<GameEnd>,
    /// The moves so far.
    pub path: Vec<PlayedMove>,
    /// The moves that the rules allow now.
    pub choices: Vec<ChoiceView>,
    /// How many moves are optimal here.
    pub here: String,
    /// A move that is proven optimal, or the first move of the best known solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// The positions that a search should look at, the most urgent one first.
    pub questions: Vec<OpenPosition>,
    /// Knowledge of the positions so far that the question lacks: children determine their parent, and an earlier
    /// position reaches what a later one reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<LearnedPosition>,
}

/// New knowledge of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnedPosition {
    /// The key of the position.
    pub key: String,
    /// The knowledge.
    pub known: Knowledge,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedMove {
    /// The name of the move.
    pub name: String,
    /// The loss of the move.
    pub lost: MoveLoss,
    /// The same in words.
    pub text: String,
}

/// A possible move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceView {
    /// The name of the move.
    pub name: String,
    /// The cells that select the move.
    pub cells: Vec<usize>,
    /// As [`LegalMove::colour`].
    #[serde(skip)]
    pub colour: Option<String>,
    /// The cells that join the flood, or leave the board.
    pub takes: Vec<usize>,
    /// The points that the move adds; absent under other objectives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// The loss of the move.
    pub lost: MoveLoss,
    /// The same in words.
    pub text: String,
}

/// A proposal for the next move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// The name of the move.
    pub name: String,
    /// Whether the move is proven optimal.
    pub proven: bool,
    /// The moves to the end, this one first.
    pub moves: Vec<String>,
}

/// A position that a search should look at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenPosition {
    /// The key of the position.
    pub key: String,
    /// The moves from the board to the position.
    pub moves: Vec<String>,
    /// The purpose of the search: `here`, `board`, `path` or `choice`.
    pub role: &'static str,
    /// The time limit, in seconds.
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug)]
struct ViewRequest<'a> {
    game: &'a Game,
    /// The moves so far.
    moves: &'a [String],
    /// The knowledge of positions, by key.
    known: &'a HashMap<String, Knowledge>,
    /// The most seconds of a search for the position itself. Other positions get less.
    seconds: f64,
}

/// The positions after each move, with the knowledge of each.
struct Path<'o> {
    game: Box<dyn Gameplay + 'o>,
    keys: Vec<String>,
    /// The value of the moves up to each position.
    values: Vec<i64>,
    ranges: Vec<Range>,
    /// The best known continuation from each position.
    continuations: Vec<Option<Continuation>>,
}

#[derive(Clone, Debug)]
struct Continuation {
    /// The normalised value of the whole game after the continuation.
    most: i64,
    moves: Vec<String>,
}

impl PositionView {
    /// The view of a game after some moves. `known` is the knowledge of positions, by key. A search of the position
    /// itself may take `seconds`.
    ///
    /// # Errors
    /// When the game is not allowed, or the rules refuse a move.
    pub fn of(
        game: &Game,
        moves: &[String],
        known: &HashMap<String, Knowledge>,
        seconds: f64,
    ) -> Result<Self, PlayError> {
        let request = &ViewRequest { game, moves, known, seconds };
        let checked = request.game.check()?;
        let scale = Scale::of(&checked);
        let words = Words::of(&checked, request.game.limit);
        let task = checked.task()?;
        let path = Path::of_moves(&*task, scale, request)?;
        let current = request.moves.len();
        let game = &*path.game;
        let children = children(scale, request, &path)?;
        let mut ranges = path.ranges.clone();
        narrow(&mut ranges[current], game, scale, &children);
        Range::propagate(&mut ranges);
        let lost = |i: usize| MoveLoss::between(ranges[i], ranges[i + 1]);
        let played = |(i, name): (usize, &String)| {
            let lost = lost(i);
            PlayedMove { name: name.clone(), text: words.loss_text(&lost), lost }
        };
        let played: Vec<_> = request.moves.iter().enumerate().map(played).collect();
        let choice = |child: &Child| {
            let mut pair = [ranges[current], child.range];
            Range::propagate(&mut pair);
            let lost = MoveLoss::between(ranges[current], pair[1]);
            let takes = game.cells_taken(&child.choice);
            let LegalMove { name, cells, colour } = child.choice.clone();
            ChoiceView { name, cells, colour, takes, points: child.points, text: words.loss_text(&lost), lost }
        };
        let choices: Vec<_> = children.iter().map(choice).collect();
        let learned = learned_positions(request, scale, &path, &ranges, &children);
        let frame = game.frame();
        let GameStatus { final_value, is_solved, is_over: over, .. } = game.status();
        let named = |name: &str| children.iter().find(|child| game.is_name_of(name, &child.choice));
        let hint = choose_hint(&choices, path.continuations[current].as_ref(), ranges[current]).map(|hint| {
            let name = named(&hint.name).map_or(hint.name, |child| child.choice.name.clone());
            Hint { name, ..hint }
        });
        let marks = frame.marks.iter().map(|mark| match mark {
            Mark::Area => 1,
            Mark::Point => 2,
            _ => 0,
        });
        Ok(Self {
            key: path.keys[current].clone(),
            cells: cells_of(game),
            marks: marks.collect(),
            caption: frame.caption.clone(),
            over,
            solved: is_solved,
            value: final_value,
            unit: words.unit(),
            higher_is_better: scale.is_score,
            optimum: words.optimum(ranges[0]),
            proven: ranges[0].is_exact(),
            standing: words.standing(game, ranges[0], ranges[current]),
            end: over.then(|| words.end(game, (ranges[0], ranges[current]), played.iter().map(|played| &played.lost))),
            path: played,
            here: words.choices_text(&choices.iter().map(|choice| &choice.lost).collect::<Vec<_>>()),
            hint,
            questions: questions(request, &path, &ranges, &children),
            learned,
            choices,
        })
    }
}

/// Bytes as hexadecimal digits: of a certificate, or of cells as the identity of a position within its game.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn cells_of(game: &dyn Gameplay) -> Vec<u8> {
    game.frame().cells.iter().map(|cell| cell.unwrap_or(EMPTY)).collect()
}

/// Plays moves from the first position. Returns the game after them.
///
/// # Errors
/// When programs solve the puzzle, or the rules refuse a move.
pub(super) fn play<'t>(task: &'t dyn Task, moves: &[String]) -> Result<Box<dyn Gameplay + 't>, PlayError> {
    let no_game = || PlayError::new(PuzzleError::NoStates(task.info().puzzle));
    let mut game = task.game().ok_or_else(no_game)?;
    moves.iter().try_for_each(|name| game.play(name)).map_err(PlayError::new)?;
    Ok(game)
}

impl<'o> Path<'o> {
    fn of_moves(task: &'o dyn Task, scale: Scale, request: &ViewRequest<'_>) -> Result<Self, PlayError> {
        let game = play(task, &[])?;
        let mut path =
            Self { game, keys: Vec::new(), values: Vec::new(), ranges: Vec::new(), continuations: Vec::new() };
        path.push(scale, request, None);
        for name in request.moves {
            let inherited = path.continuation_after(name);
            path.game.play(name).map_err(PlayError::new)?;
            path.push(scale, request, inherited);
        }
        Range::propagate(&mut path.ranges);
        Ok(path)
    }

    /// Adds the position. `inherited` is the rest of a continuation from the position before.
    fn push(&mut self, scale: Scale, request: &ViewRequest<'_>, inherited: Option<Continuation>) {
        let key = to_hex(&cells_of(&*self.game));
        let known = request.known.get(&key);
        let mut range = scale.range(&*self.game, known);
        let mut continuation = Continuation::of_knowledge(scale, &*self.game, known);
        let is_better = |other: &Continuation| continuation.as_ref().is_none_or(|known| other.most < known.most);
        if let Some(better) = inherited.filter(is_better) {
            range.lower_most(better.most);
            continuation = Some(better);
        }
        self.keys.push(key);
        self.values.push(self.game.status().value);
        self.ranges.push(range);
        self.continuations.push(continuation);
    }

    /// The rest of the known continuation after its first move, if this is the move `name`.
    fn continuation_after(&self, name: &str) -> Option<Continuation> {
        let Continuation { most, moves } = self.continuations.last()?.as_ref()?;
        let follows = moves.len() > 1 && is_same_move(&*self.game, name, &moves[0]);
        follows.then(|| Continuation { most: *most, moves: moves[1..].to_vec() })
    }
}

impl Continuation {
    /// The continuation that a search has found, if it has a move.
    fn of_knowledge(scale: Scale, game: &dyn Gameplay, known: Option<&Knowledge>) -> Option<Self> {
        let known = known.filter(|known| !known.moves.is_empty())?;
        Some(Self { most: scale.total(game.status().value, known.held?), moves: known.moves.clone() })
    }
}

/// Whether two names mean the same move: several cells may belong to one group.
fn is_same_move(game: &dyn Gameplay, one: &str, other: &str) -> bool {
    one == other
        || game.legal_moves().iter().any(|choice| game.is_name_of(one, choice) && game.is_name_of(other, choice))
}

/// A possible move, and the position after it.
struct Child {
    choice: LegalMove,
    key: String,
    range: Range,
    /// The points that the move adds.
    points: Option<i64>,
    /// The continuation that a search has found from there.
    continuation: Option<Continuation>,
    /// The normalised value if the game ended there.
    end: Option<i64>,
}

fn children(scale: Scale, request: &ViewRequest<'_>, path: &Path<'_>) -> Result<Vec<Child>, PlayError> {
    let (game, current) = (&*path.game, request.moves.len());
    let parent_continuation = path.continuations[current].as_ref();
    let mut children = Vec::new();
    for choice in game.legal_moves() {
        let mut after = game.fork();
        after.play(&choice.name).map_err(PlayError::new)?;
        let key = to_hex(&cells_of(&*after));
        let known = request.known.get(&key);
        let mut range = scale.range(&*after, known);
        let continuation = Continuation::of_knowledge(scale, &*after, known);
        let end = after.status().final_value.map(|end| scale.normalised(end));
        // The rest of the solution solves the position after its first move.
        if let Some(known) = parent_continuation.filter(|known| game.is_name_of(&known.moves[0], &choice)) {
            range.lower_most(known.most);
        }
        let points = scale.is_score.then(|| after.status().value - game.status().value);
        drop(after);
        children.push(Child { choice, key, range, points, continuation, end });
    }
    Ok(children)
}

/// Narrows the range of a position by the ranges of its children.
fn narrow(range: &mut Range, game: &dyn Gameplay, scale: Scale, children: &[Child]) {
    children.iter().filter_map(|child| child.range.most).for_each(|most| range.lower_most(most));
    let proven = |child: &Child| if child.range.is_unsolvable { Some(i64::MAX) } else { child.range.least };
    let Some(least) = children.iter().map(proven).collect::<Option<Vec<_>>>() else { return };
    let end = game.status().final_value.map(|end| scale.normalised(end));
    match least.into_iter().chain(end).min() {
        Some(i64::MAX) => range.is_unsolvable = true,
        Some(least) => range.raise_least(least),
        None => {}
    }
}

/// Knowledge of the positions of the path that the question lacks.
fn learned_positions(
    request: &ViewRequest<'_>,
    scale: Scale,
    path: &Path<'_>,
    ranges: &[Range],
    children: &[Child],
) -> Vec<LearnedPosition> {
    let mut learned = Vec::new();
    // The best continuation from the next position, with its value.
    let mut next: Option<(i64, Vec<String>)> = None;
    for (at, range) in ranges.iter().enumerate().rev() {
        let previous = request.known.get(&path.keys[at]).cloned().unwrap_or_default();
        let is_last = at + 1 == ranges.len();
        let found = path.continuations[at].as_ref().filter(|continuation| Some(continuation.most) == range.most);
        let continuation = found
            .map(|continuation| continuation.moves.clone())
            .or_else(|| if is_last { continuation_by_child(range.most?, children) } else { None })
            .or_else(|| {
                let (most, rest) = next.take()?;
                let continuation = [&request.moves[at..=at], &rest].concat();
                (Some(most) == range.most).then_some(continuation)
            });
        let value = |total: i64| scale.remaining(path.values[at], total);
        let mut known = Knowledge { bound: range.least.map(value), ..previous.clone() };
        known.is_unsolvable = range.is_unsolvable;
        let is_new = !range.is_unsolvable && range.most.map(value) != previous.held;
        if let Some(moves) = continuation.as_ref().filter(|_| is_new) {
            (known.held, known.moves) = (range.most.map(value), moves.clone());
        }
        next = range.most.zip(continuation);
        if known != previous {
            learned.push(LearnedPosition { key: path.keys[at].clone(), known });
        }
    }
    learned
}

/// A continuation to the value `most` through a child: the known continuation from there, or the end there. `None` if
/// no moves to this value are known.
fn continuation_by_child(most: i64, children: &[Child]) -> Option<Vec<String>> {
    children.iter().find_map(|child| {
        let found = child.continuation.as_ref().filter(|found| found.most == most).map(|found| &found.moves[..]);
        let rest = found.or_else(|| (child.end == Some(most)).then_some(&[]))?;
        Some([std::slice::from_ref(&child.choice.name), rest].concat())
    })
}

/// The hint: the first move of the best known solution, or else a move that is proven optimal.
fn choose_hint(choices: &[ChoiceView], continuation: Option<&Continuation>, range: Range) -> Option<Hint> {
    let optimal = choices.iter().find(|choice| choice.lost.is_optimal() && !range.is_unsolvable);
    match continuation {
        Some(Continuation { most, moves }) if !range.is_unsolvable => {
            let proven = range.least == Some(*most);
            Some(Hint { name: moves[0].clone(), proven, moves: moves.clone() })
        }
        _ => optimal.map(|choice| Hint { name: choice.name.clone(), proven: true, moves: vec![choice.name.clone()] }),
    }
}

/// The most positions to search in one view. A board may have hundreds of moves; searches run one at a time.
const MOST_OPEN_POSITIONS: usize = 40;

/// The share of `seconds` for positions other than the one on the board.
const OTHER_POSITIONS_SHARE: f64 = 0.25;

fn questions(request: &ViewRequest<'_>, path: &Path<'_>, ranges: &[Range], children: &[Child]) -> Vec<OpenPosition> {
    let current = ranges.len() - 1;
    let mut positions: Vec<OpenPosition> = Vec::new();
    let mut add = |key: &str, moves: Vec<String>, role: &'static str, seconds: f64| {
        let is_tried = request.known.get(key).is_some_and(|known| known.is_exact() || known.tried >= seconds);
        if !is_tried && positions.len() < MOST_OPEN_POSITIONS && !positions.iter().any(|position| position.key == key) {
            positions.push(OpenPosition { key: key.to_owned(), moves, role, seconds });
        }
    };
    let first_moves = |count: usize| request.moves[..count].to_vec();
    let other_seconds = request.seconds * OTHER_POSITIONS_SHARE;
    if !ranges[current].is_exact() {
        add(&path.keys[current], first_moves(current), "here", request.seconds);
    }
    if !ranges[0].is_exact() {
        add(&path.keys[0], Vec::new(), "board", request.seconds);
    }
    for at in (0..current).rev() {
        if MoveLoss::between(ranges[at], ranges[at + 1]).is_open() {
            for end in [at + 1, at] {
                if !ranges[end].is_exact() {
                    add(&path.keys[end], first_moves(end), "path", other_seconds);
                }
            }
        }
    }
    for child in children {
        let mut pair = [ranges[current], child.range];
        Range::propagate(&mut pair);
        if !pair[1].is_exact() && MoveLoss::between(ranges[current], pair[1]).is_open() {
            let moves = first_moves(current).into_iter().chain([child.choice.name.clone()]).collect();
            add(&child.key, moves, "choice", other_seconds);
        }
    }
    positions
}
