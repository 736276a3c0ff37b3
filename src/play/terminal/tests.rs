use super::*;
use crate::play::{Game, Knowledge, SearchResources, SolveRequest};
use crate::views::watch::{Key, Styles};
use gridhunt_search::runtime::StopToken;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

fn opened(game: serde_json::Value) -> TerminalGame {
    TerminalGame::new(serde_json::from_value::<Game>(game).unwrap()).unwrap()
}

fn flood() -> TerminalGame {
    let cells = [0, 1, 2, 0, 2, 1, 0, 1, 1, 2, 0, 2];
    let symbols = ["1", "2", "3"];
    opened(serde_json::json!({
        "puzzle": "flood-it", "name": "small", "rows": 3, "cols": 4, "cells": cells, "symbols": symbols,
    }))
}

/// Searches until nothing is left to ask.
fn settle(table: &mut TerminalGame) {
    let stop = StopToken::new();
    while let Some(question) = table.next_search().cloned() {
        let solve = SolveRequest::of(table.game().clone(), question.moves.clone(), question.seconds);
        let solved = solve.run(&SearchResources { threads: 1, stop: &stop }, &mut |_| {}).unwrap();
        table.add_knowledge(&question.key, solved.known);
    }
}

fn screen(table: &TerminalGame, (columns, rows): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(table, Styles { has_colour: false }, frame.area(), frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..rows).map(row).collect()
}

#[test]
fn a_letter_with_shift_is_a_colour_before_it_is_a_command() {
    let mut table = opened(serde_json::json!({
        "puzzle": "free-flood", "rows": 1, "cols": 3, "cells": [0, 1, 2], "symbols": ["A", "q", "A1"],
    }));
    table.click(0);
    assert_eq!(table.press(Key::Letter('Q')), KeyOutcome::Nothing);
    assert_eq!(table.moves, ["1,1,q"]);
    table.press(Key::Letter('A'));
    assert_eq!(table.moves, ["1,1,q", "1,1,A"]);
    table.press(Key::Letter('A'));
    assert_eq!(table.moves.len(), 2, "the colour that the area has, not the command that restarts the game");
    table.press(Key::Letter('U'));
    assert_eq!(table.moves.len(), 1, "no colour of this board");
    assert_eq!(table.press(Key::Letter('q')), KeyOutcome::Quit);
}

#[test]
fn a_cell_of_several_moves_waits_for_a_colour() {
    let mut table = opened(serde_json::json!({
        "puzzle": "free-flood", "rows": 1, "cols": 3, "cells": [0, 1, 2], "symbols": ["a", "b", "c"],
    }));
    table.click(1);
    assert_eq!(
        (table.moves.len(), &*table.message),
        (0, "which colour? press its key (with Shift if it is a command)")
    );
    table.press(Key::Letter('b'));
    assert!(table.moves.is_empty(), "the colour that the area has");
    table.press(Key::Letter('c'));
    assert_eq!(table.moves, ["1,2,c"]);
    settle(&mut table);
    assert_eq!(table.view.path[0].text, "optimal");
}

#[test]
fn a_game_is_played_with_verdicts_and_taken_back() {
    let mut table = flood();
    settle(&mut table);
    let optimum = table.view.optimum.clone();
    assert!(optimum.ends_with("(proven)"), "{optimum}");
    // Hints lead to the optimum.
    while !table.view.over {
        table.press(Key::Letter('h'));
        table.press(Key::Letter('h'));
        settle(&mut table);
    }
    assert!(table.view.standing.ends_with("optimal"), "{}", table.view.standing);
    let best = table.best.unwrap();
    assert_eq!(optimum, format!("{best} moves (proven)"));
    // Back to the start, and forward again.
    let moves = table.moves.clone();
    (0..moves.len()).for_each(|_| {
        table.press(Key::Letter('u'));
    });
    assert_eq!(table.moves, Vec::<String>::new());
    table.press(Key::Letter('u'));
    assert_eq!(table.message, "this is the start of the game");
    (0..moves.len()).for_each(|_| {
        table.press(Key::Letter('r'));
    });
    assert_eq!(table.moves, moves);
    table.press(Key::Letter('a'));
    assert_eq!((table.moves.len(), table.best), (0, Some(best)));
    // A move that loses says so.
    let lost = table.view.choices.iter().find(|choice| choice.lost.least > 0).map(|choice| choice.name.clone());
    let lost = lost.expect("a move that loses");
    table.press(Key::Letter(lost.chars().next().unwrap()));
    settle(&mut table);
    assert_eq!(table.view.path[0].text, "loses 1 move");
    assert!(
        screen(&table, (80, 24)).contains(&format!("last move {lost}: loses 1 move")),
        "{}",
        screen(&table, (80, 24))
    );
}

#[test]
fn cells_are_played_with_the_keyboard_and_screens_of_all_sizes_hold() {
    let cells = [0, 0, 1, 1, 0, 1, 0, 1, 2, 2, 0, 2];
    let mut table = opened(serde_json::json!({
        "puzzle": "clickomania", "name": "groups", "rows": 3, "cols": 4, "cells": cells, "symbols": ["1", "2", "3"],
        "options": {"objective": "left"},
    }));
    settle(&mut table);
    let before = table.view.cells.clone();
    table.press(Key::Down);
    table.press(Key::Down);
    table.press(Key::Enter);
    assert_eq!(table.moves, ["3,1"]);
    assert_ne!(table.view.cells, before);
    table.press(Key::Letter('u'));
    table.press(Key::Right);
    table.press(Key::Up);
    table.press(Key::Enter);
    assert_eq!(table.message, "this cell is not a move");
    for size in [(120, 40), (80, 24), (40, 12), (20, 6), (5, 2), (1, 1)] {
        screen(&table, size);
        // A click finds the cell that is drawn there, and nothing beside the board.
        let area = Rect::new(0, 0, size.0, size.1);
        let cells = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
        let found: std::collections::BTreeSet<_> = cells.filter_map(|place| cell_at(&table, area, place)).collect();
        assert_eq!(found.len() == 12, size.1 > 8, "{size:?}: {found:?}");
    }
    let area = Rect::new(0, 0, 80, 24);
    assert_eq!(
        [(0, 1), (3, 1), (2, 3), (0, 0), (79, 23)].map(|at| cell_at(&table, area, at)),
        [Some(0), Some(1), Some(8), None, None]
    );
    table.press(Key::Letter('a'));
    assert_eq!(table.summary(), None);
    table.click(8);
    assert_eq!(table.moves, ["3,1"]);
    let told = table.summary().unwrap();
    // Whether the click was the best is told if it is known by now.
    assert!(told.starts_with("clickomania, 3 x 4, groups: 1 click"), "{told}");
    assert!(told.contains("\ngridhunt play 'p=clickomania&") && told.ends_with("&m=3,1'\n"), "{told}");
    assert!(screen(&table, (80, 24)).contains("optimum"), "{}", screen(&table, (80, 24)));
    assert!(screen(&table, (40, 14)).contains("optimum"));
}

/// What is not known is said so.
#[test]
fn a_range_is_no_verdict() {
    let mut table = flood();
    let question = table.next_search().cloned().unwrap();
    table.add_knowledge(
        &question.key,
        Knowledge { bound: Some(2), held: Some(7), tried: question.seconds, ..Knowledge::default() },
    );
    assert_eq!(table.view.optimum, "2 to 7 moves");
    table.press(Key::Letter('2'));
    assert_eq!(table.view.path[0].text, "not known yet");
}
