//! Boards in the forms that people write them in. Each line of this map imports only from lines below it.
//!
//! | file or folder | content |
//! |---|---|
//! | `reader`, `writer` | [`BoardReader`](reader::BoardReader) and [`BoardWriter`](writer::BoardWriter): all formats |
//! | `choice/` | each notation as a `Grammar`, and the choice among the grammars that explain an input |
//! | `notations/` | one file for each way to write boards, with its reader and its writer |
//! | `notations/rows/` | rows of cells; tables with the names of rows and columns |
//! | `notations/headed` | rows or numbers under a header with the size |
//! | `notations/lines` | one board a line |
//! | `notations/game_id`, `saved_game` | game IDs and saved games of other programs |
//! | `notations/json/` | JSON, and the lists and objects of programming languages |
//! | `notations/picture/` | PNG and PNM |
//! | `input/` | an input becomes text, lines, and the texts of cells; what is recognised and not read |
//! | `cells/` | the texts of cells become colours in a grid; rows of cells as text |
//! | `options`, `problem` | options for reading; what a reader found and expected |
//! | `claims`, `piece` | solutions before their moves are read |
//!
//! Hopping Bunny has its notation in `crate::bunny`.

pub(crate) mod cells;
pub(crate) mod choice;
pub(crate) mod claims;
pub(crate) mod input;
pub(crate) mod notations;
pub(crate) mod options;
pub(crate) mod piece;
pub(crate) mod problem;
pub(crate) mod reader;
pub(crate) mod writer;

// The modules that the rest of the crate uses.
pub(crate) use cells::{colour_names, grid, palette, symbol, writing as write_common};
pub(crate) use input::{board_source, compressed, decode, source};
pub(crate) use notations::json::{document, value as json_value};
