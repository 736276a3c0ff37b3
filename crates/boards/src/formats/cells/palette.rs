//! The colours of a board while its cells are read: turns the texts of cells into colours with names.

use super::colour_names::{VARIATION_SELECTOR, colour_name};
use super::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, number, number_with_point, usual_name, value, value_of_name};
use crate::formats::problem::{Problem, show_text};
use crate::{EMPTY, MAX_COLOURS, Position};

/// The number of an empty cell among the texts of a [`Palette`].
const NONE: u16 = u16::MAX;

/// What messages expect where a cell without separators should stand.
const A_SYMBOL: &str = "a digit or a letter, or . for an empty cell (or --empty SYMBOL)";

/// What messages expect where a cell between separators should stand.
const A_CELL: &str = "a digit, a letter, a number up to 255 or the name of a colour; or . or -1 for an empty cell \
                      (or --empty SYMBOL)";

/// The colours that a file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Declared {
    /// The file declares nothing: the colours are those that occur.
    #[default]
    Nothing,
    /// The number of colours: the colours are `1`, `2`, ..., or `0`, `1`, ... if a cell is `0`.
    Count(usize),
    /// The names of all colours, in order.
    Names(Vec<String>),
}

/// The distinct texts of the cells read so far.
#[derive(Debug)]
pub(crate) struct Palette {
    texts: Vec<(String, Position)>,
    /// For each byte the number of the text that consists of this byte, plus one; 0 without such a text.
    of_byte: [u16; 128],
    empty: Option<String>,
}

/// The colour of each cell, and the names of the colours.
type Coloured = (Vec<u8>, Vec<String>);

/// How a text names a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Digit,
    Letter,
    /// A number of several digits.
    Number,
    Name,
}

impl Kind {
    fn of(text: &str) -> Option<Self> {
        match value_of_name(text) {
            Some(0..=9) => Some(Self::Digit),
            Some(_) => Some(Self::Letter),
            None if number(text).is_some() => Some(Self::Number),
            None => colour_name(text).map(|_| Self::Name),
        }
    }
}

impl Palette {
    /// A palette without colours. `empty` is the text of empty cells, besides `.` and `-1`.
    pub fn new(empty: Option<String>) -> Self {
        Self { texts: Vec::new(), of_byte: [0; 128], empty }
    }

    /// Takes the text of a cell at `at`. `is_symbol` says that no separators stand between cells. Returns a number for
    /// [`Palette::finish`].
    pub fn take(&mut self, text: &str, at: Position, is_symbol: bool) -> Result<u16, Problem> {
        if let [byte] = text.as_bytes()
            && let Some(&known) = self.of_byte.get(usize::from(*byte))
            && known > 0
        {
            return Ok(known - 1);
        }

        if text.chars().eq([EMPTY_SYMBOL]) || text == EMPTY_NUMBER || self.empty.as_deref() == Some(text) {
            return Ok(NONE);
        }
        let whole = number_with_point(text).map(|number| number.to_string());
        let text = whole.as_deref().unwrap_or(text);
        if Kind::of(text).is_none() {
            return Problem::fail(show_text(text), if is_symbol { A_SYMBOL } else { A_CELL });
        }
        let known = self.texts.iter().position(|(known, _)| known == text);
        let index = known.unwrap_or_else(|| {
            self.texts.push((text.to_owned(), at));
            self.texts.len() - 1
        });
        if index > MAX_COLOURS {
            return Problem::fail(format!("more than {MAX_COLOURS} colours"), format!("at most {MAX_COLOURS} colours"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_COLOURS")]
        let index = index as u16;
        if let [byte] = text.as_bytes()
            && let Some(slot) = self.of_byte.get_mut(usize::from(*byte))
        {
            *slot = index + 1;
        }
        Ok(index)
    }

    /// Returns the colour of each cell, and the names of the colours. An error has the position of the first text that
    /// does not fit, if a text is at fault.
    pub fn finish(&self, cells: &[u16], declared: &Declared) -> Result<Coloured, (Option<Position>, Problem)> {
        let texts: Vec<(&str, Position)> = self.texts.iter().map(|(text, at)| (text.as_str(), *at)).collect();
        let kinds: Vec<Kind> = texts.iter().filter_map(|(text, _)| Kind::of(text)).collect();
        let names = one_kind(&texts, &kinds).and_then(|kind| match kind {
            _ if texts.is_empty() => Ok(Names::default()),
            Kind::Name => Names::of_words(&texts),
            Kind::Number => Names::of_numbers(&texts, declared),
            Kind::Digit | Kind::Letter => Names::of_symbols(&texts, declared),
        });
        let Names { mut names, of_text } = names.map_err(|(at, problem)| (Some(at), problem))?;
        if let Declared::Names(given) = declared {
            return by_given_names(&texts, cells, given).map_err(|(at, problem)| (Some(at), problem));
        }
        if let Declared::Count(count) = declared
            && names.len() > *count
        {
            let found = format!("{} colours", names.len());
            return Err((None, Problem::new(found, format!("at most {count} colours, as the file says"))));
        }
        if names.is_empty() {
            names.push("1".to_owned());
        }
        if names.len() > MAX_COLOURS {
            let (found, expected) = (format!("{} colours", names.len()), format!("at most {MAX_COLOURS} colours"));
            return Err((None, Problem::new(found, expected)));
        }
        let colour = |&cell: &u16| of_text.get(usize::from(cell)).copied().unwrap_or(EMPTY);
        Ok((cells.iter().map(colour).collect(), names))
    }
}

type Fault = (Position, Problem);

/// A text without the selector that asks for its coloured form.
fn bare(text: &str) -> String {
    text.chars().filter(|&c| c != VARIATION_SELECTOR).collect()
}

/// The kind of all texts. Digits agree with letters and with numbers, but letters do not agree with numbers.
fn one_kind(texts: &[(&str, Position)], kinds: &[Kind]) -> Result<Kind, Fault> {
    let has = |kind| kinds.contains(&kind);
    let kind = match () {
        () if has(Kind::Number) => Kind::Number,
        () if has(Kind::Name) && !has(Kind::Digit) => Kind::Name,
        () if has(Kind::Letter) => Kind::Letter,
        () => Kind::Digit,
    };
    let agrees = |other: Kind| other == kind || (other == Kind::Digit && kind != Kind::Name);
    match kinds.iter().position(|&other| !agrees(other)) {
        None => Ok(kind),
        Some(odd) => {
            let expected = match kind {
                Kind::Number => "a number, like the cells of several digits",
                Kind::Name => "the name of a colour, like the other cells",
                Kind::Letter | Kind::Digit => "a digit or a letter, like the other cells",
            };
            Err((texts[odd].1, Problem::new(show_text(texts[odd].0), expected)))
        }
    }
}

/// The names of the colours, and the colour of each text.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    of_text: Vec<u8>,
}

impl Names {
    fn of_words(texts: &[(&str, Position)]) -> Result<Self, Fault> {
        let words: Vec<String> = texts.iter().filter_map(|(text, _)| colour_name(text)).collect();
        let is_word = |text: &str| text.chars().count() > 1 && text.is_ascii();
        for (index, &(text, at)) in texts.iter().enumerate() {
            let is_same = |&(other, _): &&(&str, Position)| {
                colour_name(other) == colour_name(text) && !(is_word(other) && is_word(text))
            };
            if let Some((other, _)) = texts[..index].iter().find(is_same).filter(|(other, _)| bare(other) != bare(text))
            {
                let found = format!("{text} and also {other}");
                return Err((at, Problem::new(found, "one symbol for each colour")));
            }
        }
        let mut names = words.clone();
        names.sort_unstable();
        names.dedup();
        let of_text = words.iter().map(|word| names.iter().position(|name| name == word).unwrap_or(0) as u8).collect();
        Ok(Self { names, of_text })
    }

    fn of_numbers(texts: &[(&str, Position)], declared: &Declared) -> Result<Self, Fault> {
        let values: Vec<u8> = texts.iter().filter_map(|(text, _)| number(text)).collect();
        Self::of_values(texts, &values, declared)
    }

    fn of_symbols(texts: &[(&str, Position)], declared: &Declared) -> Result<Self, Fault> {
        let values: Vec<u8> = texts.iter().filter_map(|(text, _)| value_of_name(text)).collect();
        if let Some((i, j)) = twice(&values) {
            let found = format!("{} and also {}", show_text(texts[j].0), show_text(texts[i].0));
            return Err((texts[j].1, Problem::new(found, "every letter in one case only, upper or lower")));
        }
        let is_within = |count: usize| values.iter().all(|&value| (1..=count).contains(&usize::from(value)));
        let are_letters = values.iter().all(|&value| value > 9);
        match declared {
            Declared::Count(count) if !are_letters || is_within(*count) => Self::of_values(texts, &values, declared),
            _ => {
                let mut order: Vec<usize> = (0..values.len()).collect();
                order.sort_unstable_by_key(|&index| values[index]);
                let names = order.iter().map(|&index| texts[index].0.to_owned()).collect();
                let rank = |index| order.iter().position(|&other| other == index).unwrap_or(0) as u8;
                Ok(Self { names, of_text: (0..values.len()).map(rank).collect() })
            }
        }
    }

    /// The usual names of colours with these values. A declared number of colours gives names also to colours that no
    /// cell has.
    fn of_values(texts: &[(&str, Position)], values: &[u8], declared: &Declared) -> Result<Self, Fault> {
        let largest = values.iter().copied().max().unwrap_or(0);
        let Declared::Count(count) = *declared else {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            let names = sorted.iter().map(|&value| usual_name(value, largest)).collect();
            let of_text = values.iter().map(|value| sorted.binary_search(value).unwrap_or(0) as u8).collect();
            return Ok(Self { names, of_text });
        };
        let first = u8::from(!values.contains(&0));
        let last = count.min(MAX_COLOURS) - usize::from(first == 0);
        if let Some(odd) = values.iter().position(|&value| usize::from(value) > last) {
            let found = format!("colour {}", texts[odd].0);
            let expected = format!("a colour from {first} to {last}, because the file says {count} colours");
            return Err((texts[odd].1, Problem::new(found, expected)));
        }
        let names = (first..=last as u8).map(|value| usual_name(value, last as u8)).collect();
        Ok(Self { names, of_text: values.iter().map(|&value| value - first).collect() })
    }
}

/// The colours of cells whose names the file lists.
fn by_given_names(
    texts: &[(&str, Position)],
    cells: &[u16],
    given: &[String],
) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let is_same =
        |name: &String, text: &str| name == text || (number(text).is_some() && value_or_number(name) == number(text));
    let mut of_text = Vec::with_capacity(texts.len());
    for &(text, at) in texts {
        let name = colour_name(text).unwrap_or_else(|| text.to_owned());
        let Some(index) = given.iter().position(|known| is_same(known, &name)) else {
            let expected = format!("one of the {} colours {}", given.len(), given.join(" "));
            return Err((at, Problem::new(show_text(text), expected)));
        };
        of_text.push(index as u8);
    }
    let colour = |&cell: &u16| of_text.get(usize::from(cell)).copied().unwrap_or(EMPTY);
    Ok((cells.iter().map(colour).collect(), given.to_vec()))
}

/// The value of a symbol, or the number that a name of several digits writes.
pub(crate) fn value_or_number(name: &str) -> Option<u8> {
    value_of_name(name).or_else(|| number(name))
}

/// The first two indices of equal values.
fn twice(values: &[u8]) -> Option<(usize, usize)> {
    let before = |j: usize| Some((values[..j].iter().position(|value| *value == values[j])?, j));
    (1..values.len()).find_map(before)
}

/// The names of colours in the text `symbols` of a file: a symbol each, rising.
pub(crate) fn rising_symbols(text: &str) -> Option<Vec<String>> {
    let values: Vec<u8> = text.chars().map(value).collect::<Option<_>>()?;
    values.is_sorted_by(|a, b| a < b).then(|| text.chars().map(String::from).collect())
}

/// Whether cells with these names give colours with these names in this order, if the file declares `declared`.
pub(crate) fn reads_back(names: &[String], declared: &Declared) -> bool {
    let mut palette = Palette::new(None);
    let ids: Result<Vec<u16>, _> = names.iter().map(|name| palette.take(name, Position::default(), false)).collect();
    ids.is_ok_and(|ids| palette.finish(&ids, declared).is_ok_and(|(_, found)| found == names))
}

/// Whether a text may be a cell.
pub(crate) fn is_cell(text: &str) -> bool {
    Kind::of(text).is_some()
}
