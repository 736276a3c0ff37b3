//! Questions of players and their answers: boards, positions, verdicts, hints, optima, links.
//!
//! A question is one JSON object, and its answer is another. A search also sends events before its answer. A page whose
//! solver is a WebAssembly module, a page from a server, and the game in a terminal ask the same questions, so they
//! show the same verdicts. No answer depends on an earlier question: the client keeps the knowledge of positions, and
//! sends it with each question.
//!
//! | `ask` | fields | answer |
//! | --- | --- | --- |
//! | `read` | [`BoardInput`] | [`Boards`]; an error with readings to choose from if there are several |
//! | `puzzles` | | `puzzles`: the puzzles, as a page shows them |
//! | `new` | [`NewBoard`] | a [`Game`] |
//! | `levels` | `puzzle` | `levels`: a [`Level`] for each difficulty |
//! | `day` | `date`, `puzzle` | a [`Game`]: the same for everybody on that day |
//! | `sets` | `puzzle` | `sets`: the names of the program's data sets for this puzzle |
//! | `shipped` | `name` | [`Boards`]: a data set of the program |
//! | `view` | `game`, `moves`, `known`: positions by key, `patience`: seconds for a search of it | a [`PositionView`] |
//! | `solve` | [`SolveRequest`] | events, then [`SolveResult`] |
//! | `certify` | [`KnownBoardRequest`] | [`CertifiedBoard`] |
//! | `count` | [`KnownBoardRequest`] | [`CountResult`] |
//! | `program` | [`ProgramRequest`] | a [`ProgramView`] |
//! | `link` | [`SharedGame`] | `link` |
//! | `open` | `link` | [`SharedGame`] |
//!
//! ```
//! use gridhunt::play::{SearchResources, answer};
//! use gridhunt_search::runtime::StopToken;
//! use serde_json::{Value, json};
//!
//! let resources = SearchResources { threads: 1, stop: &StopToken::new() };
//! let ask = |ask: Value| serde_json::from_str::<Value>(&answer(&ask.to_string(), &resources, &mut |_| {}));
//! let shared = ask(json!({"ask": "open", "link": "p=flood-it&b=2x2c2s0.0110"}))?;
//! let solved = ask(json!({"ask": "solve", "game": shared["game"], "seconds": 10}))?;
//! assert_eq!(solved["known"]["held"], 2);
//! assert_eq!(solved["status"], "optimal");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod boards;
mod error;
mod game;
mod knowledge;
mod known_board;
mod levels;
mod link;
mod link_text;
mod program;
mod solving;
#[cfg(not(target_family = "wasm"))]
pub mod terminal;
mod view;
mod words;

pub use boards::{BoardInput, Boards, NewBoard};
pub use error::{PlayError, ReadingChoice};
pub use game::Game;
pub use knowledge::{Knowledge, MoveLoss};
pub use known_board::{CertifiedBoard, CountResult, KnownBoardRequest};
pub use levels::{Level, levels, new_game};
pub use link::SharedGame;
pub use link_text::is_link;
pub use program::{ProgramRequest, ProgramView, StepView};
pub use solving::{LayerCount, SearchResources, SolveRequest, SolveResult};
pub use view::{ChoiceView, Hint, LearnedPosition, OpenPosition, PlayedMove, PositionView};
pub use words::GameEnd;

use crate::puzzles::PuzzleId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A question.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum Question {
    Read(BoardInput),
    New(NewBoard),
    Puzzles,
    Levels {
        puzzle: PuzzleId,
    },
    Day {
        date: String,
        puzzle: PuzzleId,
    },
    Sets {
        puzzle: String,
    },
    Shipped {
        name: String,
    },
    View {
        game: Game,
        #[serde(default)]
        moves: Vec<String>,
        #[serde(default)]
        known: HashMap<String, Knowledge>,
        patience: f64,
    },
    Solve(SolveRequest),
    Certify(KnownBoardRequest),
    Count(KnownBoardRequest),
    Program(ProgramRequest),
    Link(SharedGame),
    Open {
        link: String,
    },
}

/// Answers a question. `send` gets each event of a search as one JSON object. A question that cannot be answered gets
/// a [`PlayError`] as its answer, worded for a page.
#[must_use]
pub fn answer(question: &str, resources: &SearchResources<'_>, send: &mut (dyn FnMut(&str) + Send)) -> String {
    let answer = serde_json::from_str(question).map_err(PlayError::new).and_then(|ask| reply(ask, resources, send));
    // The conversion cannot fail: all keys are text.
    answer.unwrap_or_else(|error| serde_json::to_string(&error.for_page()).unwrap_or_default())
}

/// Whether a question needs a search.
#[must_use]
pub fn is_search(question: &str) -> bool {
    #[derive(Deserialize)]
    struct Tag {
        ask: String,
    }
    serde_json::from_str(question).is_ok_and(|Tag { ask }| matches!(&*ask, "solve" | "certify" | "count"))
}

fn reply(
    question: Question,
    resources: &SearchResources<'_>,
    send: &mut (dyn FnMut(&str) + Send),
) -> Result<String, PlayError> {
    match question {
        Question::Read(input) => json(&input.read()?),
        Question::New(board) => json(&board.generate()?),
        Question::Puzzles => json(&serde_json::json!({ "puzzles": puzzles() })),
        Question::Levels { puzzle } => json(&serde_json::json!({ "levels": levels(puzzle) })),
        Question::Day { date, puzzle } => json(&levels::of_day(puzzle, &date)?),
        Question::Sets { puzzle } => json(&serde_json::json!({ "sets": boards::datasets(&puzzle)? })),
        Question::Shipped { name } => json(&boards::dataset(&name)?),
        Question::View { game, moves, known, patience } => json(&PositionView::of(&game, &moves, &known, patience)?),
        Question::Solve(solve) => json(&solve.run(resources, send)?),
        Question::Count(board) => json(&board.count(resources)?),
        Question::Certify(board) => json(&board.certify(resources)?),
        Question::Program(program) => json(&program.run()?),
        Question::Link(shared) => json(&serde_json::json!({ "link": shared.to_link()? })),
        Question::Open { link } => json(&SharedGame::from_link(&link)?),
    }
}

/// The puzzles, as a page shows them.
fn puzzles() -> Vec<serde_json::Value> {
    let entry = |puzzle: PuzzleId| {
        let info = puzzle.info();
        let (title, has_programs, kinds) = (info.title, info.has_programs, info.kinds);
        serde_json::json!({ "id": puzzle.name(), "title": title, "hasPrograms": has_programs, "kinds": kinds })
    };
    PuzzleId::all().map(entry).collect()
}

fn json(answer: &impl Serialize) -> Result<String, PlayError> {
    serde_json::to_string(answer).map_err(PlayError::new)
}

#[cfg(test)]
mod tests;
