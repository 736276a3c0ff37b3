//! The arguments that say how boards are read.

use clap::Args;
use clap::builder::ValueParser;
use gridhunt::hunt::{Config, FormatOptions, choice_parser};
use gridhunt_boards::{JsonLayout, MAX_COLOURS, OptionError, ReadOptions, Start, parse_size, whole_number_parser};
use std::str::FromStr;

/// How boards are read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading boards")]
pub struct ReadingFlags {
    #[command(flatten)]
    format: FormatOptions,
    /// Size of the boards, for files that do not say it
    #[arg(long, value_name = "ROWSxCOLS", value_parser = parse_size)]
    size: Option<(usize, usize)>,
    /// Start cell: a corner such as top-left, centre, or ROW,COLUMN from 1 [default: what the file says, or top-left]
    #[arg(long, value_name = "CELL")]
    start: Option<Start>,
    /// What stands for an empty cell, besides `.` and -1
    #[arg(long, value_name = "SYMBOL", value_parser = parse_empty_symbol)]
    empty: Option<String>,
    /// Number of colours, for files that do not say it [default: the colours that occur]
    #[arg(long = "colours", alias = "colors", value_name = "N", value_parser = colour_count(|n| u8::try_from(n).ok()))]
    file_colours: Option<u8>,
    /// What each list in `cells` of JSON is: a row from the left, a column from the top, or a column from the floor up;
    /// overrides the field `layout`
    #[arg(long, value_name = "LAYOUT", value_parser = name_parser::<JsonLayout>(JsonLayout::ALL.map(JsonLayout::name)))]
    json_layout: Option<JsonLayout>,
}

impl ReadingFlags {
    /// The options to read boards of the puzzle of `config`, under its rules.
    pub fn options(&self, config: &Config) -> ReadOptions {
        let &Self { format: FormatOptions { format }, size, start, json_layout, ref empty, file_colours } = self;
        let (empty, colours) = (empty.clone(), file_colours.map(usize::from));
        ReadOptions { format, size, start, json_layout, empty_symbol: empty, colours, ..config.read_options() }
    }
}

/// Parses the symbol of an empty cell. Refuses spaces, which separate cells.
fn parse_empty_symbol(text: &str) -> Result<String, String> {
    match text.contains(char::is_whitespace) {
        true => Err("found a space, expected a symbol that can be seen, such as . or _".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// Makes a parser of numbers of colours. `convert` makes the value.
pub fn colour_count<T>(
    convert: impl Fn(u64) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, OptionError> + Clone + Send + Sync {
    whole_number_parser(1..=MAX_COLOURS as u64, "6", convert)
}

/// Makes a parser for one of `names`, which help and completions list.
pub fn name_parser<T>(names: impl IntoIterator<Item = &'static str>) -> ValueParser
where
    T: FromStr<Err = OptionError> + Clone + Send + Sync + 'static,
{
    choice_parser(names, str::parse::<T>)
}
