//! The colours of a board while its cells are read: turns the texts of cells into colours with names.

use super::colour_names::{VARIATION_SELECTOR, colour_name, first_repeat};
use super::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL, number, number_with_point, usual_name, value, value_of_name};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural, show_text, too_many};
use crate::{EMPTY, MAX_COLOURS, Position};

/// The id of an empty cell.
const EMPTY_ID: u16 = u16::MAX;

/// What messages say is expected in the place of a cell, if cells have no separators.
const EXPECTED_CHARACTER: &str = "a digit or a letter, or . for an empty cell (or --empty SYMBOL)";

/// What messages say is expected in the place of a cell, if cells have separators.
const EXPECTED_WORD: &str = "a digit, a letter, a number up to 255 or the name of a colour; or . or -1 for an empty cell \
                             (or --empty SYMBOL)";

/// The colours that a file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeclaredColours {
    /// The file declares nothing: the colours are those that occur.
    #[default]
    Nothing,
    /// The number of colours: the colours are `1`, `2`, ..., or `0`, `1`, ... if a cell is `0`.
    Count(usize),
    /// The names of all colours, in order.
    Names(Vec<String>),
}

impl DeclaredColours {
    /// Declares this number of colours, or nothing.
    pub fn of_count(colours: Option<usize>) -> Self {
        colours.map_or(Self::Nothing, Self::Count)
    }
}

/// The distinct texts of the cells read so far. The id of a text is its index.
#[derive(Debug)]
pub(crate) struct Palette {
    texts: Vec<CellText>,
    /// For each byte, the id of the text that consists of this byte alone, plus one; 0 if there is no such text.
    id_of_byte: [u16; 128],
    empty_symbol: Option<String>,
}

/// A text of cells, with the position of the first of these cells.
#[derive(Debug)]
struct CellText {
    text: String,
    at: Position,
}

impl CellText {
    fn mismatch(&self, found: impl Into<String>, expected: impl Into<String>) -> LocatedMismatch {
        Mismatch::new(found, expected).at(self.at)
    }
}

/// How a text names a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Digit,
    Letter,
    /// A number of several digits.
    Number,
    /// A word, an emoji or a code.
    Word,
}

impl NameKind {
    fn of(text: &str) -> Option<Self> {
        match value_of_name(text) {
            Some(0..=9) => Some(Self::Digit),
            Some(_) => Some(Self::Letter),
            None if number(text).is_some() => Some(Self::Number),
            None => colour_name(text).map(|_| Self::Word),
        }
    }

    /// Finds the common kind of all texts. Digits may occur with letters or with numbers; letters may not occur with
    /// numbers.
    fn of_all(texts: &[CellText]) -> Result<Self, LocatedMismatch> {
        let kinds: Vec<Self> = texts.iter().filter_map(|text| Self::of(&text.text)).collect();
        let has = |kind| kinds.contains(&kind);
        let (kind, expected) = match () {
            () if has(Self::Number) => (Self::Number, "a number, like the cells of several digits"),
            () if has(Self::Word) && !has(Self::Digit) => (Self::Word, "the name of a colour, like the other cells"),
            () if has(Self::Letter) => (Self::Letter, "a digit or a letter, like the other cells"),
            () => (Self::Digit, "a digit or a letter, like the other cells"),
        };
        let agrees = |other: Self| other == kind || (other == Self::Digit && kind != Self::Word);
        match kinds.iter().position(|&other| !agrees(other)) {
            None => Ok(kind),
            Some(odd) => Err(texts[odd].mismatch(show_text(&texts[odd].text), expected)),
        }
    }
}

impl Palette {
    /// Makes a palette without colours. `empty_symbol` is the text of empty cells, besides `.` and `-1`.
    pub fn new(empty_symbol: Option<String>) -> Self {
        let empty_symbol = empty_symbol.map(|text| number_with_point(&text).map_or(text, |whole| whole.to_string()));
        Self { texts: Vec::new(), id_of_byte: [0; 128], empty_symbol }
    }

    /// Adds the text of a cell at `at`, and returns its id for [`Palette::finish`]. `is_character` says that there are
    /// no separators between cells.
    pub fn intern(&mut self, text: &str, at: Position, is_character: bool) -> Result<u16, Mismatch> {
        if let [byte] = text.as_bytes()
            && let Some(&known) = self.id_of_byte.get(usize::from(*byte))
            && known > 0
        {
            return Ok(known - 1);
        }

        let whole_number = number_with_point(text).map(|number| number.to_string());
        let text = whole_number.as_deref().unwrap_or(text);
        if text.chars().eq([EMPTY_SYMBOL]) || text == EMPTY_NUMBER || self.empty_symbol.as_deref() == Some(text) {
            return Ok(EMPTY_ID);
        }
        if NameKind::of(text).is_none() {
            return Mismatch::fail(show_text(text), if is_character { EXPECTED_CHARACTER } else { EXPECTED_WORD });
        }
        let known = self.texts.iter().position(|known| known.text == text);
        let id = known.unwrap_or_else(|| {
            self.texts.push(CellText { text: text.to_owned(), at });
            self.texts.len() - 1
        });
        if id > MAX_COLOURS {
            return Err(too_many(MAX_COLOURS, "colour"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_COLOURS")]
        let id = id as u16;
        if let [byte] = text.as_bytes()
            && let Some(slot) = self.id_of_byte.get_mut(usize::from(*byte))
        {
            *slot = id + 1;
        }
        Ok(id)
    }

    /// Returns the colours of the cells with these ids. A mismatch has the position of the first text that does not
    /// fit, or `at` if no single text causes it.
    pub fn finish(&self, ids: &[u16], declared: &DeclaredColours, at: Position) -> Result<Colouring, LocatedMismatch> {
        let mut colours = Colours::of(&self.texts, declared)?;
        if let DeclaredColours::Names(names) = declared {
            colours = Colours::from_declared_names(&self.texts, names)?;
        }
        let count = colours.names.len();
        let fail = |expected: String| Err(Mismatch::new(format!("{count} colours"), expected).at(at));
        match declared {
            DeclaredColours::Count(limit) if count > *limit => {
                return fail(format!("at most {}, as the file says", plural(*limit, "colour")));
            }
            _ if count > MAX_COLOURS => return fail(format!("at most {MAX_COLOURS} colours")),
            _ if count == 0 => colours.names.push("1".to_owned()),
            _ => {}
        }
        let colour = |&id: &u16| colours.of_text.get(usize::from(id)).copied().unwrap_or(EMPTY);
        Ok(Colouring { cells: ids.iter().map(colour).collect(), names: colours.names })
    }
}

/// The colour of each cell, and the names of the colours.
pub(crate) struct Colouring {
    pub cells: Vec<u8>,
    pub names: Vec<String>,
}

/// The names of the colours, and the colour of each text.
#[derive(Default)]
struct Colours {
    names: Vec<String>,
    of_text: Vec<u8>,
}

impl Colours {
    fn of(texts: &[CellText], declared: &DeclaredColours) -> Result<Self, LocatedMismatch> {
        match NameKind::of_all(texts)? {
            _ if texts.is_empty() => Ok(Self::default()),
            NameKind::Word => Self::of_words(texts),
            NameKind::Number => Self::of_values(texts, &values(texts, number), declared),
            NameKind::Digit | NameKind::Letter => Self::of_symbols(texts, declared),
        }
    }

    fn of_words(texts: &[CellText]) -> Result<Self, LocatedMismatch> {
        let words: Vec<String> = texts.iter().filter_map(|text| colour_name(&text.text)).collect();
        let is_word = |text: &CellText| text.text.chars().count() > 1 && text.text.is_ascii();
        for (index, text) in texts.iter().enumerate() {
            // Two words may mean the same colour, as `gray` and `grey` do; a word and an emoji, or two emoji, may not.
            let is_same = |&other: &usize| words[other] == words[index] && !(is_word(&texts[other]) && is_word(text));
            let same = (0..index).find(is_same).map(|other| &texts[other]);
            if let Some(other) = same.filter(|other| without_selector(other) != without_selector(text)) {
                let found = format!("{} and also {}", text.text, other.text);
                return Err(text.mismatch(found, "one symbol for each colour"));
            }
        }
        let (names, of_text) = ranked(&words);
        Ok(Self { names, of_text })
    }

    fn of_symbols(texts: &[CellText], declared: &DeclaredColours) -> Result<Self, LocatedMismatch> {
        let values = values(texts, value_of_name);
        if let Some((first, second)) = first_repeat(&values) {
            let found = format!("{} and also {}", show_text(&texts[second].text), show_text(&texts[first].text));
            return Err(texts[second].mismatch(found, "every letter in one case only, upper or lower"));
        }
        let is_within = |count: usize| values.iter().all(|&value| (1..=count).contains(&usize::from(value)));
        let are_letters = values.iter().all(|&value| value > 9);
        match declared {
            DeclaredColours::Count(n) if !are_letters || is_within(*n) => Self::of_values(texts, &values, declared),
            _ => {
                let symbols: Vec<_> = values.into_iter().zip(texts.iter().map(|text| text.text.clone())).collect();
                let (sorted, of_text) = ranked(&symbols);
                Ok(Self { names: sorted.into_iter().map(|(_, name)| name).collect(), of_text })
            }
        }
    }

    /// The colours with these values, under their usual names. If the file declares the number of colours, colours that
    /// no cell has get names too.
    fn of_values(texts: &[CellText], values: &[u8], declared: &DeclaredColours) -> Result<Self, LocatedMismatch> {
        let DeclaredColours::Count(count) = *declared else {
            let (sorted, of_text) = ranked(values);
            let largest = sorted.last().copied().unwrap_or(0);
            return Ok(Self { names: sorted.into_iter().map(|value| usual_name(value, largest)).collect(), of_text });
        };
        let first = u8::from(!values.contains(&0));
        let last = count.min(MAX_COLOURS) - usize::from(first == 0);
        if let Some(odd) = values.iter().position(|&value| usize::from(value) > last) {
            let expected = format!("a colour from {first} to {last}, since the file says {}", plural(count, "colour"));
            return Err(texts[odd].mismatch(format!("colour {}", texts[odd].text), expected));
        }
        let names = (first..=last as u8).map(|value| usual_name(value, last as u8)).collect();
        Ok(Self { names, of_text: values.iter().map(|&value| value - first).collect() })
    }

    /// The colours whose names the file lists.
    fn from_declared_names(texts: &[CellText], names: &[String]) -> Result<Self, LocatedMismatch> {
        let of_text = |text: &CellText| {
            let name = colour_name(&text.text).unwrap_or_else(|| text.text.clone());
            let number = number(&name);
            let is_same = |known: &String| *known == name || (number.is_some() && value_or_number(known) == number);
            let index = names.iter().position(is_same);
            let expected = || format!("one of the colours {}", names.join(" "));
            index.map(|index| index as u8).ok_or_else(|| text.mismatch(show_text(&text.text), expected()))
        };
        Ok(Self { of_text: texts.iter().map(of_text).collect::<Result<_, _>>()?, names: names.to_vec() })
    }
}

/// Computes the values of all texts.
fn values(texts: &[CellText], value: fn(&str) -> Option<u8>) -> Vec<u8> {
    texts.iter().filter_map(|text| value(&text.text)).collect()
}

/// Removes the selector that asks for the coloured form of a text.
fn without_selector(text: &CellText) -> String {
    text.text.chars().filter(|&c| c != VARIATION_SELECTOR).collect()
}

/// The distinct items in rising order, and the rank of each item among them.
fn ranked<T: Ord + Clone>(items: &[T]) -> (Vec<T>, Vec<u8>) {
    let mut sorted = items.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let ranks = items.iter().map(|item| sorted.binary_search(item).unwrap_or(0) as u8).collect();
    (sorted, ranks)
}

/// The value of a symbol, or the number in a name of several digits.
pub(crate) fn value_or_number(name: &str) -> Option<u8> {
    value_of_name(name).or_else(|| number(name))
}

/// The names of the colours in the text `symbols` of a file: each character is a symbol, in rising order.
pub(crate) fn rising_symbols(text: &str) -> Option<Vec<String>> {
    let values: Vec<u8> = text.chars().map(value).collect::<Option<_>>()?;
    values.is_sorted_by(|a, b| a < b).then(|| text.chars().map(String::from).collect())
}

/// Whether a reader of cells with these names gets colours with these names in this order, if the file declares
/// `declared`.
pub(crate) fn reads_back(names: &[String], declared: &DeclaredColours) -> bool {
    let mut palette = Palette::new(None);
    let ids: Result<Vec<u16>, _> = names.iter().map(|name| palette.intern(name, Position::default(), false)).collect();
    let finish = |ids: Vec<u16>| palette.finish(&ids, declared, Position::default());
    ids.is_ok_and(|ids| finish(ids).is_ok_and(|coloured| coloured.names == names))
}

/// Whether a text may be a cell.
pub(crate) fn is_cell(text: &str) -> bool {
    NameKind::of(text).is_some()
}
