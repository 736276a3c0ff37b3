//! Refuses texts that a reader may misunderstand: headers above the moves, corners before them, headings, drawn boards,
//! several solutions, colours from 0. Otherwise a valid solution could be reported as wrong.
//!
//! `merit` rates a reading: 0 if it is none, otherwise the more the better. Colours are rated by how well they solve
//! the board; clicks below a header may be rated only by whether they can be read.

use super::solution_text::{TextSolution, Word};
use crate::Start;
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural, quote};

/// How some programs name the corner of a move, besides the names that [`Start`] knows.
const CORNERS: [&str; 16] =
    ["a", "b", "c", "d", "tl", "tr", "bl", "br", "ul", "ur", "ll", "lr", "nw", "ne", "sw", "se"];

/// What is expected in place of words that are no moves.
const MOVES_ALONE: &str = "the moves alone, or their number in the first line";

fn is_number(word: &Word) -> bool {
    !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_corner(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    // `Start` also knows numbers, which may be colours here.
    let is_named = || lower.starts_with(char::is_alphabetic) && lower.parse::<Start>().is_ok();
    CORNERS.contains(&&*lower) || is_named()
}

/// Refuses words that name a corner before each colour.
pub(crate) fn refuse_corners(words: &TextSolution) -> Result<(), Mismatch> {
    let all: Vec<&Word> = words.all().collect();
    // The number of moves may come first.
    let skipped = usize::from(all.len() % 2 == 1 && all.first().is_some_and(|word| is_number(word)));
    let pairs = all[skipped..].chunks(2);
    let is_pair = |pair: &[&Word]| matches!(pair, [corner, colour] if is_corner(&corner.text) && is_number(colour));
    let is_joined = |word: &&Word| {
        let letters = word.text.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() < word.text.len() && is_corner(letters)
    };
    let found = if pairs.len() > 1 && pairs.clone().all(is_pair) {
        Some(format!("{} before the colour of each move, which may be a corner", quote(&all[skipped].text)))
    } else {
        let moves = &all[usize::from(all.first().is_some_and(|word| is_number(word)))..];
        let is_doubtful = moves.len() > 1 && moves.iter().all(is_joined);
        is_doubtful.then(|| format!("{}: what is before each colour may be a corner", quote(&moves[0].text)))
    };
    let Some(found) = found else { return Ok(()) };
    Mismatch::fail(found, "the colours alone; --start names the corner where the flood begins")
}

/// Refuses numbers before the moves that may not be moves: the number of moves, or the size of the board.
///
/// * One or two lines of numbers are refused if they have no merit alone, and the rest has more without them. The size
///   of the board is refused if the rest has any merit.
/// * A single number above a line of several words is also refused if the whole text has no merit.
pub(crate) fn refuse_header(
    words: &TextSolution,
    (rows, cols): (usize, usize),
    merit: impl Fn(&[Word]) -> u8,
) -> Result<(), Mismatch> {
    let all: Vec<Word> = words.all().cloned().collect();
    let whole_merit = merit(&all);
    let lines = &words.lines;
    // If each line is one word, `TextSolution::without_move_count` has already looked for a number of moves.
    if lines.len() < 2 || lines.iter().all(|line| line.len() == 1) {
        return Ok(());
    }
    let in_first_line: Vec<usize> = lines[0].iter().filter_map(|word| word.text.parse().ok()).collect();
    let is_size = [[rows, cols], [cols, rows]].iter().any(|size| in_first_line.starts_with(size));
    let numeric_lines = lines.iter().take_while(|line| line.iter().all(is_number)).count();
    // A head that solves something is moves, unless it is the size of the board and the whole text solves nothing.
    let is_no_move = |head: &usize| merit(&lines[..*head].concat()) == 0 || (whole_merit == 0 && is_size);
    for head_lines in (1..=numeric_lines.min(2).min(lines.len() - 1)).take_while(is_no_move) {
        let rest: Vec<Word> = lines[head_lines..].iter().flatten().cloned().collect();
        let merit_below = merit(&rest);
        if merit_below > whole_merit || (merit_below > 0 && is_size) {
            let found = format!("the line {} above lines that may be the moves", quote(&words.texts[0]));
            return Mismatch::fail(found, MOVES_ALONE);
        }
    }
    if whole_merit == 0 && numeric_lines > 0 && lines[0].len() == 1 && lines[1].len() > 1 {
        let found = format!("{} above {}", quote(&lines[0][0].text), plural(all.len() - 1, "word"));
        return Mismatch::fail(found, MOVES_ALONE);
    }
    Ok(())
}

/// The most lines that are tried as solutions of their own. Each try is a replay.
pub(crate) const MAX_LINES: usize = 1_000;

/// Refuses a text of several lines, if one of the first `max_tried` lines solves the board alone: the file may have
/// several solutions. More than one is tried if the whole text does not solve the board. Then rows of tables are
/// refused too, and brackets of a kind whose opening and closing signs differ in number.
pub(crate) fn refuse_doubtful_lines(
    words: &TextSolution,
    max_tried: usize,
    solves_alone: impl Fn(&TextSolution) -> bool,
) -> Result<(), LocatedMismatch> {
    let count = |mark: char| words.texts.iter().map(|text| text.matches(mark).count()).sum::<usize>();
    let is_unequal = |[open, close]: &[char; 2]| count(*open) != count(*close);
    let unequal: Vec<char> = [['(', ')'], ['[', ']'], ['{', '}']].into_iter().filter(is_unequal).flatten().collect();
    for (number, (line, text)) in words.lines.iter().zip(&words.texts).enumerate() {
        let at = line.first().map_or(words.begin(), |word| word.at);
        let alone = || TextSolution { lines: vec![line.clone()], texts: vec![text.clone()], ..TextSolution::default() };
        if number < max_tried && words.lines.len() > 1 && solves_alone(&alone()) {
            let found = "a line that solves the board by itself, among other lines";
            return Err(Mismatch::new(found, "one solution; other solutions belong in files of their own").at(at));
        }
        if max_tried > 1 && (text.starts_with('|') || text.contains(&unequal[..])) {
            let expected = "the moves alone, without a table, and with brackets in pairs";
            return Err(Mismatch::new(quote(text), expected).at(at));
        }
    }
    Ok(())
}

/// Refuses lines that may be rows of a board, in a text that does not solve the board. Lines that are the whole text
/// are refused only if `may_fill_text`.
pub(crate) fn refuse_drawings(
    lines: &[Vec<Word>],
    size: (usize, usize),
    may_fill_text: bool,
) -> Result<(), LocatedMismatch> {
    let (rows, cols) = size;
    let width = |line: &[Word]| if let [word] = line { word.text.chars().count() } else { line.len() };
    let is_drawing = |group: &&[Vec<Word>]| {
        let are_rows = group.len().is_multiple_of(rows) && width(&group[0]) == cols;
        rows.min(cols) > 1 && are_rows && (may_fill_text || group.len() < lines.len())
    };
    let drawing = lines.chunk_by(|line, next| width(line) == width(next)).find(is_drawing);
    let found = format!("lines that may be a board of {rows} x {cols}");
    drawing.map_or(Ok(()), |drawing| Err(Mismatch::new(found, "the moves alone").at(drawing[0][0].at)))
}

/// Refuses a line with a word that ends in a colon, because headings end in a colon and moves do not.
pub(crate) fn refuse_headings(words: &TextSolution) -> Result<(), LocatedMismatch> {
    let heading = words.lines.iter().find(|line| line.iter().any(|word| word.text.ends_with(':')));
    let found = |line: &[Word]| format!("{} in a line that is no move", quote(&line[0].text));
    let expected = "the moves alone, with numbers such as \"1.\" in front or none";
    heading.map_or(Ok(()), |line| Err(Mismatch::new(found(line), expected).at(line[0].at)))
}

/// Refuses words that do not solve the board as they are, but do in another reading: without their number in front or
/// behind, without the first word of each line, or with only the last word of each line. `count` returns the number of
/// moves in words.
pub(crate) fn refuse_other_readings(
    words: &TextSolution,
    count: impl Fn(&[Word]) -> usize,
    merit: &impl Fn(&[Word]) -> u8,
) -> Result<(), Mismatch> {
    let lines = &words.lines;
    let without_first = || lines.iter().flat_map(|line| line.get(1..).unwrap_or_default()).cloned().collect();
    let last = || lines.iter().filter_map(|line| line.last()).cloned().collect();
    let all: Vec<Word> = words.all().cloned().collect();
    let counted = |(word, rest): (&Word, &[Word])| (word.text.parse() == Ok(count(rest))).then(|| rest.to_vec());
    let in_lines = lines.len() > 1 && lines.iter().all(|line| line.len() > 1);
    let extra_word = "an extra first word in each line, without which the moves solve the board";
    let readings: [(Option<Vec<Word>>, &str, &str); 4] = [
        (all.split_first().and_then(counted), "the number of moves before moves that solve the board", MOVES_ALONE),
        (all.split_last().and_then(counted), "the number of moves behind moves that solve the board", MOVES_ALONE),
        (in_lines.then(without_first), extra_word, MOVES_ALONE),
        (in_lines.then(last), "lines whose last words solve the board", MOVES_ALONE),
    ];
    let solves = |moves: &Vec<Word>| !moves.is_empty() && merit(moves) > 0;
    let found = readings.into_iter().find(|(moves, ..)| moves.as_ref().is_some_and(solves));
    found.map_or(Ok(()), |(_, found, expected)| Mismatch::fail(found, expected))
}

#[cfg(test)]
mod tests {
    use crate::{Cell, SolutionReader};

    /// Reads a solution of a board with these cells, as if `moves` alone solved it.
    fn read(text: &str, cells: &str, moves: &[u16]) -> Result<Vec<u16>, String> {
        let options = crate::ReadOptions { format: Some(crate::Format::Text), ..crate::ReadOptions::default() };
        let board = crate::BoardReader::new("b", cells.as_bytes(), options).unwrap().next().unwrap().unwrap().board;
        let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
        let read = reader.next_solution(&board, |read| if read == moves { 2 } else { 0 });
        read.map(|solution| solution.unwrap().moves).map_err(|error| error.to_string())
    }

    #[test]
    fn corners_before_moves_are_refused() {
        for text in ["3\na 2 a 3 a 10\n", "a 2 a 3 a 10", "tl 2 tl 3 tl 1", "a2 b3 a1", "top-left 2 top-left 3"] {
            let error = read(text, "3 4 10\n1 2 3 10\n2 2 10 3\n3 10 10 2\n", &[9, 9]).unwrap_err();
            assert!(error.contains("may be a corner, expected the colours alone; --start"), "{text}: {error}");
        }
        // Letters are colours if the moves solve the board.
        assert_eq!(read("a 2 a 3", "1 4\n1 A 2 3\n", &[3, 1, 3, 2]).unwrap(), [3, 1, 3, 2]);
    }

    #[test]
    fn numbers_above_moves_are_refused() {
        for text in ["1 4\n2 1 3\n", "1 4 3\n2\n1 3\n", "3 2 1 3\n", "4\n2 1 3\n"] {
            let error = read(text, "1213\n", &[1, 0, 2]).unwrap_err();
            assert!(error.contains("expected the moves alone, or their number in the first line"), "{text}: {error}");
        }
        // A number in front, numbered lines, a corner before each colour, colours from 0.
        for text in ["3 2 1 3", "1 2\n2 1\n3 3\n", "1 1 2\n1 1 1\n1 1 3\n", "1 0 2\n"] {
            assert!(read(text, "1213\n", &[1, 0, 2]).is_err(), "{text}");
        }
        assert!(read("1 4 3\n2 1 3\n", "1213\n", &[1, 0, 2]).is_err());
        for text in ["2 1 3", "3\n2 1 3", "2\n1\n3", "2\n1 3"] {
            assert_eq!(read(text, "1213\n", &[1, 0, 2]).unwrap(), [1, 0, 2], "{text}");
        }
    }

    #[test]
    fn a_zero_alone_is_no_move_unless_it_is_a_colour() {
        assert!(read("0\n\n", "11\n", &[]).unwrap().is_empty());
        assert_eq!(read("0", "0101\n", &[0]).unwrap(), [0]);
    }

    #[test]
    fn a_size_above_clicks_is_refused() {
        let read = |text: &str| {
            let reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
            let mut reader = reader.with_origin("top-left,0,rc".parse().unwrap());
            reader.next_clicks((2, 2), |_| 0).map_err(|error| error.to_string())
        };
        let error = read("2 2\n0 1 0 1\n").unwrap_err();
        assert!(error.contains("found the line \"2 2\" above lines that may be the moves, expected"), "{error}");
        let click = Cell { row: 0, col: 1 };
        assert_eq!(read("0 1\n0 1\n").unwrap().unwrap().moves, [click, click]);
    }
}
