use super::*;
use crate::report::film::tests::played;
use gridhunt_boards::{Board, Cell, GenerateSpec, Start, generate, usual_symbols};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use std::fs;
use std::path::Path;

/// A board of 14 x 14, of which moves in turn flood a part, and a row of 60 cells.
fn player() -> Player {
    let spec = GenerateSpec { rows: 14, cols: 14, colours: 6, seed: 7, start: Start::TopLeft };
    let board = generate(&spec, 0).unwrap();
    let moves: Vec<String> = (0..12).map(|at| (at % 6 + 1).to_string()).collect();
    let row =
        Board::new("row", 1, 60, (0..60).map(|col| col % 2).collect(), usual_symbols(2), Cell::default()).unwrap();
    Player::new(vec![played("flood-it", &board, &moves.join(" ")), played("flood-it", &row, "2 1 2 1")])
}

fn screen(player: &Player, (columns, rows): (u16, u16), colour: bool) -> (String, bool) {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(player, Styles { colour }, frame.area(), frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    let is_coloured = buffer.content().iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
    ((0..rows).map(row).collect(), is_coloured)
}

/// Compares a screen with the text of a file. With `GRIDHUNT_SNAPSHOTS` in the environment, the files are written.
fn check(name: &str, player: &Player, size: (u16, u16)) {
    let (found, is_coloured) = screen(player, size, false);
    assert!(!is_coloured && screen(player, size, true).1, "{name}: colours where they are wanted alone");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/report/player/snapshots/{name}.txt"));
    if std::env::var_os("GRIDHUNT_SNAPSHOTS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name}: found\n{found}expected\n{expected}");
}

#[test]
fn screens_of_a_film() {
    let mut player = player();
    (0..3).for_each(|_| assert!(!player.press(Key::Right)));
    check("flood-80x24", &player, (80, 24));
    player.press(Key::Letter(' '));
    check("flood-40x15", &player, (40, 15));
    player.press(Key::Letter('n'));
    check("row-40x15", &player, (40, 15));
}

/// No size of the terminal is too small.
#[test]
fn screens_of_every_size() {
    let mut player = player();
    for film in 0..2 {
        for columns in 1..70 {
            (1..20).for_each(|rows| drop(screen(&player, (columns, rows), true)));
        }
        assert_eq!(player.film, film);
        player.press(Key::Letter('n'));
    }
    screen(&Player::new(Vec::new()), (80, 24), true);
}

#[test]
fn keys_go_through_the_film() {
    let mut player = player();
    let mut at = |key| {
        player.press(key);
        (player.film, player.at, player.plays)
    };
    assert_eq!(at(Key::Left), (0, 0, false));
    assert_eq!(at(Key::Right), (0, 1, false));
    assert_eq!(at(Key::Down), (0, 11, false));
    assert_eq!(at(Key::PageDown), (0, 12, false));
    assert_eq!(at(Key::Right), (0, 12, false));
    assert_eq!(at(Key::Up), (0, 2, false));
    assert_eq!(at(Key::Letter('p')), (0, 2, false));
    assert_eq!(at(Key::Letter('n')), (1, 0, false));
    assert_eq!(at(Key::Letter(' ')), (1, 0, true));
    // A key that steps stops the film.
    assert_eq!(at(Key::Right), (1, 1, false));
    for key in [Key::Letter('q'), Key::Escape] {
        assert!(player.press(key));
    }
}

#[test]
fn a_film_that_plays_stops_at_its_end_and_begins_anew() {
    let mut player = player();
    player.press(Key::Letter('n'));
    player.tick();
    assert_eq!(player.at, 0, "nothing moves by itself before the space key");
    player.press(Key::Letter(' '));
    (0..9).for_each(|_| player.tick());
    assert_eq!((player.at, player.plays()), (4, false));
    player.press(Key::Letter(' '));
    assert_eq!((player.at, player.plays()), (0, true));
    player.press(Key::Letter(' '));
    assert!(!player.plays());
}
