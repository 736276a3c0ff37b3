use super::*;
use gridhunt_boards::{Cell, EMPTY, MARKED, UNMARKED, usual_symbols};
use gridhunt_hunt::Request;
use gridhunt_puzzle::{PuzzleId, Solutions};
use std::io::Cursor;

/// The film of a solution, as `render` makes it.
fn played(puzzle: &str, board: &Board, solution: &str) -> Film {
    let domain: PuzzleId = puzzle.parse().unwrap();
    let request = Request { domain, ..Request::default() };
    let text = Box::new(Cursor::new(solution.to_owned()));
    let mut solutions = Solutions::new("solution".to_owned(), text).unwrap();
    let task = request.task(board).unwrap();
    Film::of_playback(
        board,
        task.read_solution(&mut solutions).unwrap().unwrap().playback().unwrap(),
        DEFAULT_FRAME_COUNT,
    )
    .unwrap()
}

/// One film of each puzzle, with 4, 3 and 11 frames.
fn films() -> [Film; 3] {
    let flood = Board::new("a<b>&\"c\u{1}.txt", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
    let pairs = Board::new("pairs", 2, 2, vec![0, 0, 1, 1], usual_symbols(2), Cell::default()).unwrap();
    let mut cells = vec![UNMARKED; 9];
    (cells[0], cells[4]) = (MARKED, EMPTY);
    let ring = Board::new("ring", 3, 3, cells, vec!["#".to_owned(), "O".to_owned()], Cell::default()).unwrap();
    [played("flood-it", &flood, "2 1 3"), played("clickomania", &pairs, "1,1 2,1"), played("bunny", &ring, "LOOP{FFR}")]
}

/// Checks that every element is closed, in order, and that every text has its special characters escaped.
fn check_xml(text: &str) {
    let mut open = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').expect("the end of a tag");
        assert!(tag.matches('"').count() % 2 == 0, "{tag}");
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, true) => {}
            (false, false) => open.push(name),
        }
        assert!(!content.contains('>') && !content.contains(|letter: char| letter.is_control() && letter != '\n'));
        for entity in content.split('&').skip(1) {
            assert!(["lt;", "gt;", "amp;", "quot;"].iter().any(|known| entity.starts_with(known)), "{entity}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn an_svg_is_well_formed_and_has_every_frame() {
    for film in films() {
        let frames = film.frames().len();
        for symbols in [false, true] {
            let svg = to_svg(&film, symbols);
            check_xml(&svg);
            assert_eq!(svg, to_svg(&film, symbols));
            for class in ["a", "b"] {
                assert_eq!(svg.matches(&format!("<g class=\"{class}")).count(), frames, "{svg}");
            }
            // Viewers who want no motion see no animation; the marks of the middle frame are visible without it.
            let (before, motion) = svg.split_once("@media (prefers-reduced-motion:no-preference){").unwrap();
            let id = name(&svg);
            assert!(!before.contains("animation") && motion.contains(&format!("@keyframes {id}b0")));
            let still =
                format!("#{id} .b,#{id} .c{{visibility:hidden}}\n#{id} #{id}b{}{{visibility:visible}}", frames / 2);
            assert!(before.contains(&still), "{svg}");
            assert_eq!(svg.matches("<g class=\"a c\"").count(), frames - 1 - frames / 2, "cells of later frames");
            assert_eq!(svg.contains("<text class=\"s "), symbols);
            assert!(!svg.contains("<script") && svg.matches("http").count() == 1, "nothing from elsewhere");
        }
    }
    let svg = to_svg(&films()[0], false);
    assert!(svg.contains("<title>a&lt;b&gt;&amp;&quot;c\\u{1}.txt: move 3 of 3, colour 3, 4 of 4 cells</title>"));
}

/// The name of a picture.
fn name(svg: &str) -> &str {
    svg.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name")
}

/// Pictures on one page share no name, and the styles of a picture affect no other element of the page.
#[test]
fn pictures_on_one_page_do_not_mix() {
    let pictures: Vec<String> =
        films().iter().flat_map(|film| [false, true].map(|symbols| to_svg(film, symbols))).collect();
    let names: std::collections::BTreeSet<&str> = pictures.iter().map(|svg| name(svg)).collect();
    assert_eq!(names.len(), pictures.len());
    for svg in &pictures {
        let id = name(svg);
        let begins = |text: &str| assert!(text.starts_with(id), "{id}: {text}");
        svg.split("id=\"").skip(1).for_each(begins);
        svg.split("@keyframes ").skip(1).for_each(begins);
        svg.split("animation-name:").skip(1).for_each(begins);
        let (_, style) = svg.split_once("<style>\n").expect("styles");
        let (style, _) = style.split_once("</style>").expect("an end of the styles");
        for rule in style.lines().filter(|line| !line.starts_with('@') && *line != "}") {
            let (selectors, _) = rule.split_once('{').expect("a rule");
            selectors.split(',').for_each(|one| assert!(one.starts_with(&format!("#{id} ")), "{rule}"));
        }
    }
}

/// A board without a solution is a still picture.
#[test]
fn one_frame_does_not_move() {
    let [film, ..] = films();
    let still = Film { frames: film.frames()[..1].to_vec(), ..film };
    let svg = to_svg(&still, false);
    check_xml(&svg);
    assert!(!svg.contains("animation") && !svg.contains("hidden"), "{svg}");
    assert_eq!(pictures(&to_gif(&still, false).unwrap()).len(), 1);
}

/// The pictures that a viewer of a GIF shows, as colours, with their width.
fn pictures(bytes: &[u8]) -> Vec<(usize, Vec<u32>)> {
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut shown = vec![0; width * height];
    let mut all = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.dispose, ::gif::DisposalMethod::Keep);
        let (left, top, wide) = (usize::from(frame.left), usize::from(frame.top), usize::from(frame.width));
        for (at, rgba) in frame.buffer.chunks(4).enumerate() {
            let colour = u32::from_be_bytes([0, rgba[0], rgba[1], rgba[2]]);
            shown[(top + at / wide) * width + left + at % wide] = colour;
        }
        all.push((width, shown.clone()));
    }
    all
}

/// Each cell of each picture has the colour that the plain rules give.
#[test]
fn a_gif_shows_every_frame() {
    for film in films() {
        let bytes = to_gif(&film, false).unwrap();
        assert_eq!(bytes, to_gif(&film, false).unwrap());
        assert_ne!(bytes, to_gif(&film, true).unwrap());
        let (pictures, layout) = (pictures(&bytes), layout::Layout::of(&film));
        assert_eq!(pictures.len(), film.frames().len());
        for ((width, pixels), frame) in pictures.iter().zip(film.frames()) {
            assert_eq!((*width, pixels.len()), (layout.width, layout.width * layout.height));
            for (index, cell) in frame.cells.iter().enumerate() {
                // A pixel of the cell that neither border nor mark covers.
                let (row, col, corner) = (index / film.cols, index % film.cols, layout.cell / 6);
                let (x, y) = (layout.left + col * layout.cell + corner, layout.top + row * layout.cell + corner);
                let expected = cell.map_or(layout::EMPTY, |cell| film.colours[usize::from(cell)]);
                assert_eq!(pixels[y * width + x], expected, "{}: cell {index}", frame.caption);
            }
        }
    }
}

#[test]
fn a_gif_of_too_many_colours_is_refused() {
    let names: Vec<String> = (0..251).map(|colour| format!("{colour}")).collect();
    let film = |colours: usize| {
        let board = Board::new("b", 1, 2, vec![0, 1], names[..colours].to_vec(), Cell::default()).unwrap();
        played("flood-it", &board, "1")
    };
    assert!(to_gif(&film(250), true).is_ok());
    let error = to_gif(&film(251), true).unwrap_err().to_string();
    assert!(error.contains("found 251 colours, expected at most 250"), "{error}");
    check_xml(&to_svg(&film(251), true));
}

/// Boards of every shape have pictures, even if a cell is one pixel.
#[test]
fn long_boards_have_pictures() {
    for (rows, cols) in [(1, 10_000), (10_000, 1), (100, 100), (1, 1)] {
        let cells = (0..rows * cols).map(|index| (index % 2) as u8).collect();
        let board = Board::new("long", rows, cols, cells, usual_symbols(2), Cell::default()).unwrap();
        let domain: PuzzleId = "flood-it".parse().unwrap();
        let film = Film::new(&board, vec![domain.board_frame(&board).unwrap()]);
        check_xml(&to_svg(&film, false));
        assert_eq!(pictures(&to_gif(&film, false).unwrap()).len(), 1);
    }
}

#[test]
fn frames_show_longer_at_both_ends() {
    assert_eq!(layout::frame_durations(4), [100, 60, 60, 300]);
    assert_eq!(layout::frame_durations(1), [60]);
    assert_eq!(layout::frame_durations(200)[1..3], [15, 15]);
    assert_eq!(layout::frame_durations(2_000)[1], 10);
}

#[test]
fn the_border_goes_around_the_flood() {
    let [film, ..] = films();
    let edge = |row, col, cells, is_vertical| shapes::Edge { row, col, cells, is_vertical };
    let found = shapes::marked_border(&film, &film.frames()[1]);
    assert_eq!(found, [edge(0, 0, 2, false), edge(1, 0, 2, false), edge(0, 0, 1, true), edge(0, 2, 1, true)]);
}

/// Lines of a terminal have the same text as the output of `render`.
#[test]
fn lines_are_the_text() {
    use gridhunt_boards::Style;
    let board = Board::new("b", 2, 2, vec![0, 1, 1, 0], usual_symbols(2), Cell::default()).unwrap();
    let film = played("flood-it", &board, "2 1");
    for frame in film.frames() {
        let lines = cell_lines(&film, frame, CellForm::Marked, false, (0..2, 0..2));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(text, frame.to_text(&board, Style::Plain));
        let coloured = cell_lines(&film, frame, CellForm::Wide, true, (0..2, 0..2));
        assert!(coloured.iter().all(|line| line.spans.iter().all(|span| span.style.bg.is_some())));
    }
}

#[test]
fn frames_are_spread_from_the_first_to_the_last() {
    assert_eq!(spread_steps(7, 3), [0, 3, 7]);
    assert_eq!(spread_steps(7, 1), [7]);
    assert_eq!(spread_steps(3, 9), [0, 1, 2, 3]);
    assert_eq!(spread_steps(0, 2), [0]);
}
