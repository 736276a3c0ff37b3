//! Solutions in the forms in which people write them.

pub(crate) mod ambiguity;
pub(crate) mod clicks;
pub(crate) mod moves;
pub(crate) mod raw_solution;
pub(crate) mod solution;
pub(crate) mod solution_table;
pub(crate) mod solution_text;
pub(crate) mod words;
pub(crate) mod written_program;
