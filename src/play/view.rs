//! A position of a game as people see it: board, moves, verdicts, hints, and what should be found out next.

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
    /// The identity of the position within its game: equal keys are equal positions.
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
    /// What is known of the board's optimum.
    pub optimum: String,
    /// Whether the board's optimum is proven.
    pub proven: bool,
    /// How the game stands after the moves so far.
    pub standing: String,
    /// How the game has ended; absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<GameEnd>,
    /// The moves so far.
    pub path: Vec<PlayedMove>,
    /// The moves that the rules allow now.
    pub choices: Vec<ChoiceView>,
    /// How many moves are optimal here.
    pub here: String,
    /// A move that is proven optimal, or the first move of the best solution held; absent if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Positions that a search should look at, the most urgent one first.
    pub questions: Vec<OpenPosition>,
    /// What is now known of the positions of the game so far, if it is more than the question says: children settle
    /// their parent, and an earlier position reaches what a later one reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<LearnedPosition>,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnedPosition {
    /// The key of the position.
    pub key: String,
    /// What is known.
    pub known: Knowledge,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedMove {
    /// The name of the move.
    pub name: String,
    /// What the move has cost.
    pub lost: MoveLoss,
    /// The same in words.
    pub text: String,
}

/// A move that may be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceView {
    /// The name of the move.
    pub name: String,
    /// The cells that stand for the move.
    pub cells: Vec<usize>,
    /// As [`LegalMove::colour`].
    #[serde(skip)]
    pub colour: Option<String>,
    /// The cells that join the flood, or leave the board.
    pub takes: Vec<usize>,
    /// What the move adds to the score; absent under other objectives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// What the move would cost.
    pub lost: MoveLoss,
    /// The same in words.
    pub text: String,
}

/// A proposal for the next move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// The name of the choice.
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
    /// What the answer is for: `here`, `board`, `path` or `choice`.
    pub role: &'static str,
    /// The time limit, in seconds.
    pub seconds: f64,
}

/// What a view is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewRequest<'a> {
    pub(super) game: &'a Game,
    /// The moves so far.
    pub(super) moves: &'a [String],
    /// What is known of positions, by key.
    pub(super) known: &'a HashMap<String, Knowledge>,
    /// Seconds that a search for the position itself may take. Other positions get less.
    pub(super) patience: f64,
}

/// The positions of the moves so far, and what is known of each.
struct Path<'o> {
    /// The game after all moves.
    game: Box<dyn Gameplay + 'o>,
    keys: Vec<String>,
    /// What the moves up to each position add to the objective value.
    values: Vec<i64>,
    ranges: Vec<Range>,
    /// The best way to play on that is known at each position.
    ways: Vec<Option<Continuation>>,
}

/// A way to play on.
#[derive(Clone, Debug)]
struct Continuation {
    /// The value of the whole game that the way leads to, turned so that less is better.
    most: i64,
    moves: Vec<String>,
}

impl PositionView {
    /// The view of a game after some moves.
    ///
    /// # Errors
    /// When the game is not allowed, or the rules refuse a move.
    pub(super) fn of(asked: &ViewRequest<'_>) -> Result<Self, PlayError> {
        let opened = asked.game.open()?;
        let scale = Scale::of(&opened);
        let words = Words::of(&opened, asked.game.limit);
        let task = opened.task()?;
        let path = Path::follow(&*task, scale, asked)?;
        let now = asked.moves.len();
        let game = &*path.game;
        let children = children(scale, asked, &path)?;
        let mut ranges = path.ranges.clone();
        narrow(&mut ranges[now], game, scale, &children);
        Range::join(&mut ranges);
        let lost = |i: usize| MoveLoss::between(ranges[i], ranges[i + 1]);
        let played = |(i, name): (usize, &String)| {
            let lost = lost(i);
            PlayedMove { name: name.clone(), text: words.lost(&lost), lost }
        };
        let played: Vec<_> = asked.moves.iter().enumerate().map(played).collect();
        let choice = |child: &Child| {
            let mut pair = [ranges[now], child.range];
            Range::join(&mut pair);
            let lost = MoveLoss::between(ranges[now], pair[1]);
            let takes = game.cells_taken(&child.choice);
            let LegalMove { name, cells, colour } = child.choice.clone();
            ChoiceView { name, cells, colour, takes, points: child.points, text: words.lost(&lost), lost }
        };
        let choices: Vec<_> = children.iter().map(choice).collect();
        let learned = learned(asked, scale, &path, &ranges, &children);
        let frame = game.frame();
        let GameStatus { final_value, is_solved, is_over: over, .. } = game.status();
        let named = |name: &str| children.iter().find(|child| game.is_name_of(name, &child.choice));
        let hint = hint(&choices, path.ways[now].as_ref(), ranges[now]).map(|hint| {
            let name = named(&hint.name).map_or(hint.name, |child| child.choice.name.clone());
            Hint { name, ..hint }
        });
        let marks = frame.marks.iter().map(|mark| match mark {
            Mark::Area => 1,
            Mark::Point => 2,
            _ => 0,
        });
        Ok(Self {
            key: path.keys[now].clone(),
            cells: cells_of(game),
            marks: marks.collect(),
            caption: frame.caption.clone(),
            over,
            solved: is_solved,
            value: final_value,
            unit: words.unit(),
            higher_is_better: scale.is_score,
            optimum: words.optimum(ranges[0]),
            proven: ranges[0].is_settled(),
            standing: words.standing(game, ranges[0], ranges[now]),
            end: over.then(|| words.end(game, (ranges[0], ranges[now]), played.iter().map(|played| &played.lost))),
            path: played,
            here: words.here(&choices.iter().map(|choice| &choice.lost).collect::<Vec<_>>()),
            hint,
            questions: questions(asked, &path, &ranges, &children),
            learned,
            choices,
        })
    }
}

/// The identity of a position within its game, from its cells.
pub(super) fn key_of(cells: &[u8]) -> String {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    cells.iter().flat_map(|cell| [digit(cell >> 4), digit(cell & 15)]).collect()
}

fn cells_of(game: &dyn Gameplay) -> Vec<u8> {
    game.frame().cells.iter().map(|cell| cell.unwrap_or(EMPTY)).collect()
}

/// The game after some moves.
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
    fn follow(task: &'o dyn Task, scale: Scale, asked: &ViewRequest<'_>) -> Result<Self, PlayError> {
        let game = play(task, &[])?;
        let mut path = Self { game, keys: Vec::new(), values: Vec::new(), ranges: Vec::new(), ways: Vec::new() };
        path.note(scale, asked, None);
        for name in asked.moves {
            let rest = path.rest_after(name);
            path.game.play(name).map_err(PlayError::new)?;
            path.note(scale, asked, rest);
        }
        Range::join(&mut path.ranges);
        Ok(path)
    }

    /// Notes what is known of the position. `rest` is a way to play on.
    fn note(&mut self, scale: Scale, asked: &ViewRequest<'_>, rest: Option<Continuation>) {
        let key = key_of(&cells_of(&*self.game));
        let known = asked.known.get(&key);
        let mut range = scale.range(&*self.game, known);
        let mut way = Continuation::found(scale, &*self.game, known);
        if let Some(rest) = rest.filter(|rest| way.as_ref().is_none_or(|way| rest.most < way.most)) {
            range.reach(rest.most);
            way = Some(rest);
        }
        self.keys.push(key);
        self.values.push(self.game.status().value);
        self.ranges.push(range);
        self.ways.push(way);
    }

    /// The rest of the known solution after the move `name`, if this move is the solution's first.
    fn rest_after(&self, name: &str) -> Option<Continuation> {
        let Continuation { most, moves } = self.ways.last()?.as_ref()?;
        let follows = moves.len() > 1 && is_same_move(&*self.game, name, &moves[0]);
        follows.then(|| Continuation { most: *most, moves: moves[1..].to_vec() })
    }
}

impl Continuation {
    /// The way that a search has found, if it has at least one move.
    fn found(scale: Scale, game: &dyn Gameplay, known: Option<&Knowledge>) -> Option<Self> {
        let known = known.filter(|known| !known.moves.is_empty())?;
        Some(Self { most: scale.total(game.status().value, known.held?), moves: known.moves.clone() })
    }
}

/// Whether two names mean the same move: two cells may belong to one group.
fn is_same_move(game: &dyn Gameplay, one: &str, other: &str) -> bool {
    one == other
        || game.legal_moves().iter().any(|choice| game.is_name_of(one, choice) && game.is_name_of(other, choice))
}

/// A move that may be made, and the position that it leads to.
struct Child {
    choice: LegalMove,
    key: String,
    range: Range,
    /// What the move adds to the score.
    points: Option<i64>,
    /// The way that a search has found from there.
    way: Option<Continuation>,
    /// The value if the game ended there, turned so that less is better.
    end: Option<i64>,
}

fn children(scale: Scale, asked: &ViewRequest<'_>, path: &Path<'_>) -> Result<Vec<Child>, PlayError> {
    let (game, now) = (&*path.game, asked.moves.len());
    let way = path.ways[now].as_ref();
    let mut children = Vec::new();
    for choice in game.legal_moves() {
        let mut after = game.fork();
        after.play(&choice.name).map_err(PlayError::new)?;
        let key = key_of(&cells_of(&*after));
        let known = asked.known.get(&key);
        let mut range = scale.range(&*after, known);
        let found = Continuation::found(scale, &*after, known);
        let end = after.status().final_value.map(|end| scale.turned(end));
        // The first move of a solution leads to a position that the rest of the solution solves.
        if let Some(way) = way.filter(|way| game.is_name_of(&way.moves[0], &choice)) {
            range.reach(way.most);
        }
        let points = scale.is_score.then(|| after.status().value - game.status().value);
        drop(after);
        children.push(Child { choice, key, range, points, way: found, end });
    }
    Ok(children)
}

/// Narrows the range of a position by what is known of all its children.
fn narrow(range: &mut Range, game: &dyn Gameplay, scale: Scale, children: &[Child]) {
    children.iter().filter_map(|child| child.range.most).for_each(|most| range.reach(most));
    let proven = |child: &Child| if child.range.never { Some(i64::MAX) } else { child.range.least };
    let Some(least) = children.iter().map(proven).collect::<Option<Vec<_>>>() else { return };
    let end = game.status().final_value.map(|end| scale.turned(end));
    match least.into_iter().chain(end).min() {
        Some(i64::MAX) => range.never = true,
        Some(least) => range.prove(least),
        None => {}
    }
}

/// What is now known of the positions of the path, if it is more than the question says.
fn learned(
    asked: &ViewRequest<'_>,
    scale: Scale,
    path: &Path<'_>,
    ranges: &[Range],
    children: &[Child],
) -> Vec<LearnedPosition> {
    let mut all = Vec::new();
    // The best way to play on from the next position of the path, with the value that it leads to.
    let mut behind: Option<(i64, Vec<String>)> = None;
    for (at, range) in ranges.iter().enumerate().rev() {
        let told = asked.known.get(&path.keys[at]).cloned().unwrap_or_default();
        let is_last = at + 1 == ranges.len();
        let own = path.ways[at].as_ref().filter(|way| Some(way.most) == range.most);
        let way = own
            .map(|way| way.moves.clone())
            .or_else(|| if is_last { way_by_child(range.most?, children) } else { None })
            .or_else(|| {
                let (most, rest) = behind.take()?;
                let way = [&asked.moves[at..=at], &rest].concat();
                (Some(most) == range.most).then_some(way)
            });
        let rest = |total: i64| scale.rest(path.values[at], total);
        let mut known = Knowledge { bound: range.least.map(rest), never: range.never, ..told.clone() };
        if let Some(way) = way.as_ref().filter(|_| !range.never && range.most.map(rest) != told.held) {
            (known.held, known.moves) = (range.most.map(rest), way.clone());
        }
        behind = range.most.zip(way);
        if known != told {
            all.push(LearnedPosition { key: path.keys[at].clone(), known });
        }
    }
    all
}

/// Finds a way to play on that leads to the value `most` by one of the children: by the way found from there, or by
/// ending there. `None` if the moves to this value are not known.
fn way_by_child(most: i64, children: &[Child]) -> Option<Vec<String>> {
    children.iter().find_map(|child| {
        let found = child.way.as_ref().filter(|way| way.most == most).map(|way| &way.moves[..]);
        let rest = found.or_else(|| (child.end == Some(most)).then_some(&[]))?;
        Some([std::slice::from_ref(&child.choice.name), rest].concat())
    })
}

/// Chooses the hint: a move that is proven optimal, or else the first move of the best solution held.
fn hint(choices: &[ChoiceView], way: Option<&Continuation>, range: Range) -> Option<Hint> {
    let optimal = choices.iter().find(|choice| choice.lost.is_nothing() && !range.never);
    match way {
        Some(Continuation { most, moves }) if !range.never => {
            let proven = range.least == Some(*most);
            Some(Hint { name: moves[0].clone(), proven, moves: moves.clone() })
        }
        _ => optimal.map(|choice| Hint { name: choice.name.clone(), proven: true, moves: vec![choice.name.clone()] }),
    }
}

/// The most questions of one view. A board of many cells has hundreds of moves, and one question is searched at a time.
const MOST_QUESTIONS: usize = 40;

/// The share of the patience for positions other than the one on the board.
const SHARE: f64 = 0.25;

fn questions(asked: &ViewRequest<'_>, path: &Path<'_>, ranges: &[Range], children: &[Child]) -> Vec<OpenPosition> {
    let now = ranges.len() - 1;
    let mut questions: Vec<OpenPosition> = Vec::new();
    let mut ask = |key: &str, moves: Vec<String>, role: &'static str, seconds: f64| {
        let is_tried = asked.known.get(key).is_some_and(|known| known.is_settled() || known.tried >= seconds);
        if !is_tried && questions.len() < MOST_QUESTIONS && !questions.iter().any(|question| question.key == key) {
            questions.push(OpenPosition { key: key.to_owned(), moves, role, seconds });
        }
    };
    let until = |count: usize| asked.moves[..count].to_vec();
    let shorter = asked.patience * SHARE;
    if !ranges[now].is_settled() {
        ask(&path.keys[now], until(now), "here", asked.patience);
    }
    if !ranges[0].is_settled() {
        ask(&path.keys[0], Vec::new(), "board", asked.patience);
    }
    for at in (0..now).rev() {
        if MoveLoss::between(ranges[at], ranges[at + 1]).is_open() {
            for end in [at + 1, at] {
                if !ranges[end].is_settled() {
                    ask(&path.keys[end], until(end), "path", shorter);
                }
            }
        }
    }
    for child in children {
        let mut pair = [ranges[now], child.range];
        Range::join(&mut pair);
        if !pair[1].is_settled() && MoveLoss::between(ranges[now], pair[1]).is_open() {
            let moves = until(now).into_iter().chain([child.choice.name.clone()]).collect();
            ask(&child.key, moves, "choice", shorter);
        }
    }
    questions
}
