//! Boards in the forms in which people write them. The modules of each line of this table import only from their own
//! line and the lines below.
//!
//! | file or folder | content |
//! |---|---|
//! | `reader`, `writer` | [`BoardReader`](reader::BoardReader) and [`BoardWriter`](writer::BoardWriter): every format |
//! | `choice/readings` | the choice among the readings that explain an input |
//! | `choice/survey` | a first look at the lines: which grammars are worth a try |
//! | `choice/grammar` | every notation as a `Grammar`; the boards of an input, read by one grammar |
//! | `notations/rows/` | rows of cells, one a line; tables with the names of rows and columns |
//! | `notations/headed` | rows or numbers under a header with the size |
//! | `notations/lines` | one board per line |
//! | `notations/game_id`, `saved_game` | game IDs and saved games of other programs |
//! | `notations/json/` | JSON, and lists and objects as programming languages write them |
//! | `notations/picture/` | pictures: PNG, JPEG and PNM; boards in screenshots |
//! | `input/board_source` | what a notation reads from, and where it notes what it finds |
//! | `input/foreign_text`, `row` | texts that are recognised and not read; the cells of a line |
//! | `input/line_source`, `line_kind`, `head` | the lines of an input, without comments; the head of gridhunt files |
//! | `input/decode`, `compressed`, `foreign_file` | UTF-8 of an input; files that are recognised and not read |
//! | `cells/grid`, `palette` | the cells of a board while it is read, and their colours |
//! | `cells/writing` | rows of cells as text, and refusals to write |
//! | `cells/symbol`, `colour_names` | the texts that mean colours |
//! | `options`, `mismatch` | options for reading; what was found, and what was expected |
//!
//! The file of a notation reads it, and writes it if it can be written; for Hopping Bunny this is `crate::bunny`.

pub(crate) mod cells;
pub(crate) mod choice;
pub(crate) mod input;
pub(crate) mod mismatch;
pub(crate) mod notations;
pub(crate) mod options;
pub(crate) mod reader;
pub(crate) mod writer;
