//! The board of a run with its incumbent, step by step, as text with colours.

use crate::board::{Entry, Style as BoardStyle};
use crate::driver::{RunState, Solutions};
use crate::engine::Solution;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use std::io::Cursor;
use std::path::Path;

/// The steps of a solution, each with its heading and its drawing.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// As text, because lines take far more memory: they have a style and a text of their own for each cell.
    frames: Vec<(String, String)>,
    /// The step that is shown.
    at: usize,
}

impl Frames {
    /// Draws board `number` of a run with its best solution. Reads the run directory, and changes nothing in it.
    ///
    /// # Errors
    /// When the directory cannot be read, or the solution does not fit the board.
    pub fn of(run: &Path, number: usize, colour: bool) -> Result<Self, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let state = RunState::read(run).map_err(|error| text(&error))?;
        let request = state.config.request();
        let Entry { board, .. } = state.board(number).map_err(|error| text(&error))?;
        let style = if colour { BoardStyle::Colour } else { BoardStyle::Plain };
        let begun = state
            .history
            .begun
            .get(&number)
            .and_then(|begun| Some(Solution { cost: begun.incumbent?, moves: begun.moves.clone() }));
        let recorded = state.solution(number).map_err(|error| text(&error))?;
        let is_better = |found: &Solution| recorded.as_ref().is_none_or(|(cost, _)| found.cost < *cost);
        let begun = begun.filter(is_better);
        let solution = match (recorded, begun) {
            (Some((_, line)), None) => Some(line),
            (_, Some(solution)) => {
                let moves = request.domain.replay(&board, &request, &solution)?;
                Some(serde_json::json!({ "board": board.name(), "cost": solution.cost, "moves": moves }).to_string())
            }
            (None, None) => None,
        };
        let mut frames = Vec::new();
        match solution {
            None => {
                let drawing = request.domain.draw(&board, style).map_err(|error| text(&error))?;
                frames.push((format!("{}, no solution yet", drawing.head), drawing.rows));
            }
            Some(solution) => {
                let mut solutions = Solutions::new("solution".to_owned(), Box::new(Cursor::new(solution)))
                    .map_err(|error| text(&error))?;
                let playback = request.domain.play_next(&board, &request, &mut solutions);
                let mut playback = playback.map_err(|error| text(&error))?.ok_or("found no solution, expected one")?;
                for step in 0..=playback.steps() {
                    let drawing = playback.draw(step, style).map_err(|error| text(&error))?;
                    frames.push((drawing.head, drawing.rows));
                }
            }
        }
        Ok(Self { at: frames.len().saturating_sub(1), frames })
    }

    /// Goes to the next step, or to the one before.
    pub(super) fn step(&mut self, forward: bool) {
        let last = self.frames.len().saturating_sub(1);
        self.at = if forward { (self.at + 1).min(last) } else { self.at.saturating_sub(1) };
    }

    /// Heading and lines of the step that is shown.
    pub(super) fn shown(&self) -> Option<(&str, Vec<Line<'static>>)> {
        self.frames.get(self.at).map(|(heading, drawing)| (heading.as_str(), lines(drawing)))
    }
}

/// Lines of a drawing. The escape codes of 24-bit colours become styles; others are left out.
fn lines(drawing: &str) -> Vec<Line<'static>> {
    let mut style = Style::default();
    let mut all = Vec::new();
    for line in drawing.lines() {
        let mut spans = Vec::new();
        for (at, piece) in line.split("\u{1b}[").enumerate() {
            let text = match piece.split_once('m').filter(|_| at > 0) {
                Some((codes, text)) => {
                    style = painted(style, codes);
                    text
                }
                None => piece,
            };
            spans.push(Span::styled(text.to_owned(), style));
        }
        all.push(Line::from(spans));
    }
    all
}

/// The style after the codes of one escape sequence.
fn painted(mut style: Style, codes: &str) -> Style {
    let codes: Vec<u8> = codes.split(';').map(|code| code.parse().unwrap_or(0)).collect();
    let mut rest = &codes[..];
    while let Some((&code, after)) = rest.split_first() {
        rest = after;
        match (code, after) {
            (0, _) => style = Style::default(),
            (38 | 48, &[2, red, green, blue, ref after @ ..]) => {
                let colour = Color::Rgb(red, green, blue);
                style = if code == 38 { style.fg(colour) } else { style.bg(colour) };
                rest = after;
            }
            _ => {}
        }
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Cell, usual_symbols};
    use crate::driver::{Audience, Beginning, Config, RunDir};
    use crate::report::RunLog;
    use crate::runtime::{Event, Observer, Silent};

    /// A run directory and all that it holds is read, and nothing is written.
    #[test]
    fn the_best_solution_is_drawn_step_by_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let board = Board::new("a", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        let (config, entry) = (Config::default(), Entry { board, published: None });
        let run = RunDir::create(&path, &config, std::iter::once(Ok(entry.clone()))).unwrap();
        let none = Frames::of(&path, 1, false).unwrap();
        assert!(none.frames.len() == 1 && none.shown().unwrap().0.contains("no solution yet"), "{none:?}");
        assert!(Frames::of(&path, 2, false).unwrap_err().contains("no board 2"));
        let log = RunLog::new(&run, &Silent);
        log.begin(&Beginning::of(1, &entry.board, &config.request()));
        log.observe(&Event::Incumbent { cost: 3, moves: &[1, 0, 2] });
        let mut frames = Frames::of(&path, 1, false).unwrap();
        let text = |frames: &Frames| frames.shown().unwrap().1.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((frames.frames.len(), text(&frames)), (4, vec!["*3+3+3+3".to_owned()]));
        (0..9).for_each(|_| frames.step(false));
        assert_eq!(text(&frames), ["*1 2 1 3"]);
        frames.step(true);
        assert_eq!(text(&frames), ["*2+2 1 3"]);
        // A recorded solution counts, unless a better one was found since.
        run.add_result(r#"{"number":1,"board":"a","status":"feasible","stopped":"time-limit","cost":4,"lower_bound":1,"moves":["2","3","1","3"]}"#).unwrap();
        assert_eq!(Frames::of(&path, 1, false).unwrap().frames.len(), 4);
        drop(log);
    }

    #[test]
    fn escape_codes_become_styles() {
        let drawn = lines("\u{1b}[38;2;1;2;3;48;2;9;8;7m*1 \u{1b}[0m.\n+2m");
        let texts: Vec<String> = drawn.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["*1 .", "+2m"]);
        let style = Style::default().fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(9, 8, 7));
        assert_eq!((drawn[0].spans[1].style, drawn[0].spans[2].style), (style, Style::default()));
    }
}
