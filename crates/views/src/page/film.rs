//! A film as JSON, for pages: the first frame, then what changes.

use super::super::film::Film;
use gridhunt_boards::Frame;
use serde::Serialize;

/// A film.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilmView {
    /// The name of the board.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// For each colour, the background of its cells: `#rrggbb`.
    pub colours: Vec<String>,
    /// The symbols of the colours.
    pub labels: Vec<String>,
    /// The frames.
    pub frames: Vec<FrameView>,
}

/// A frame.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameView {
    /// One line that describes the moment.
    pub caption: String,
    /// The first frame: the colour of each cell, -1 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<i16>>,
    /// A later frame: index and new colour of each cell that changes, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<i32>,
    /// A letter for each cell: `*` start or click, `+` flooded or removed, `>v<^` an arrow, a space for none.
    pub marks: String,
}

fn colour_number(colour: Option<u8>) -> i16 {
    colour.map_or(-1, i16::from)
}

impl FrameView {
    fn of(previous: Option<&Frame>, frame: &Frame) -> Self {
        let marks = frame.marks.iter().map(|mark| mark.character()).collect();
        let caption = frame.caption.clone();
        let Some(previous) = previous else {
            let cells = frame.cells.iter().map(|&colour| colour_number(colour)).collect();
            return Self { caption, cells: Some(cells), changes: Vec::new(), marks };
        };
        let cells = previous.cells.iter().zip(&frame.cells).enumerate().filter(|(_, (old, new))| old != new);
        let changes = cells.flat_map(|(index, (_, &new))| [index as i32, colour_number(new).into()]).collect();
        Self { caption, cells: None, changes, marks }
    }
}

impl FilmView {
    /// The form of a film for JSON.
    #[must_use]
    pub fn of(film: &Film) -> Self {
        let (rows, cols) = film.size();
        let previous = [None].into_iter().chain(film.frames().iter().map(Some));
        Self {
            name: film.name().to_owned(),
            rows,
            cols,
            colours: film.colours.iter().map(|rgb| format!("#{rgb:06x}")).collect(),
            labels: film.labels.iter().map(|label| label.trim().to_owned()).collect(),
            frames: previous.zip(film.frames()).map(|(previous, frame)| FrameView::of(previous, frame)).collect(),
        }
    }
}
