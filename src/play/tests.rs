use super::game::CheckedGame;
use super::knowledge::Scale;
use super::view::play;
use super::*;
use crate::puzzles::Gameplay;
use gridhunt_search::runtime::{StopReason, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet, VecDeque};

fn ask(question: &Value) -> Value {
    let stop = StopToken::new();
    serde_json::from_str(&answer(&question.to_string(), &SearchResources { threads: 1, stop: &stop }, &mut |_| {}))
        .unwrap()
}

fn game(puzzle: &str, size: (usize, usize), colours: usize, seed: u64, options: &Value) -> Value {
    let (rows, cols) = size;
    let ask_new = json!({"ask": "new", "puzzle": puzzle, "rows": rows, "cols": cols, "colours": colours, "seed": seed, "options": options});
    let game = ask(&ask_new);
    assert_eq!(game.get("error"), None, "{game}");
    game
}

/// What a search finds out about the position after some moves.
fn searched(game: &Game, moves: &[String]) -> SolveResult {
    let stop = StopToken::new();
    SolveRequest::of(game.clone(), moves.to_vec(), 60.0)
        .run(&SearchResources { threads: 1, stop: &stop }, &mut |_| {})
        .unwrap()
}

/// Asks for the view again and again until nothing is left to find out.
fn settled(game: &Value, moves: &[String], known: &mut HashMap<String, Knowledge>) -> PositionView {
    let game: Game = serde_json::from_value(game.clone()).unwrap();
    loop {
        let view = PositionView::of(&game, moves, known, 60.0).unwrap();
        let Some(question) = view.questions.first() else { return view };
        let solved = searched(&game, &question.moves);
        assert_eq!(solved.key, question.key);
        known.insert(solved.key, solved.known);
    }
}

/// The best end of a game, by trying all ways to play on: turned, so that less is better; `None` if there is none.
fn best_end(game: &dyn Gameplay, scale: Scale, seen: &mut HashMap<(String, i64), Option<i64>>) -> Option<i64> {
    let key = (game.frame().to_text(&game.position().unwrap(), gridhunt_boards::Style::Plain), game.status().value);
    if let Some(best) = seen.get(&key) {
        return *best;
    }
    let mut best = game.status().final_value.map(|value| scale.normalised(value));
    for choice in game.legal_moves() {
        let mut after = game.fork();
        after.play(&choice.name).unwrap();
        let end = best_end(&*after, scale, seen);
        best = best.into_iter().chain(end).min();
    }
    seen.insert(key, best);
    best
}

/// The fewest moves of a whole flood that begins with `moves`, by breadth-first search over positions.
fn fewest_moves(opened: &CheckedGame, moves: &[String]) -> i64 {
    let (mut queue, mut seen) = (VecDeque::from([moves.to_vec()]), HashSet::new());
    while let Some(moves) = queue.pop_front() {
        let task = opened.task().unwrap();
        let game = play(&*task, &moves).unwrap();
        if game.status().is_solved {
            return game.status().value;
        }
        for choice in game.legal_moves() {
            let mut after = game.fork();
            after.play(&choice.name).unwrap();
            if seen.insert(after.frame().cells) {
                queue.push_back([&moves[..], &[choice.name]].concat());
            }
        }
    }
    i64::MAX
}

/// A random game with at most so many moves.
fn random_moves(opened: &CheckedGame, most: usize, random: &mut ChaCha8Rng) -> Vec<String> {
    let task = opened.task().unwrap();
    let mut game = play(&*task, &[]).unwrap();
    let mut moves = Vec::new();
    while let choices = game.legal_moves()
        && !choices.is_empty()
        && moves.len() < most
    {
        let name = choices[random.next_u32() as usize % choices.len()].name.clone();
        game.play(&name).unwrap();
        moves.push(name);
    }
    moves
}

fn opened(game: &Value) -> CheckedGame {
    serde_json::from_value::<Game>(game.clone()).unwrap().check().unwrap()
}

#[test]
fn verdicts_on_floods_are_those_of_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut lost = 0;
    for seed in 0..6 {
        let game = game("flood-it", (3, 4), 3, seed, &json!({}));
        let (opened, mut known) = (opened(&game), HashMap::new());
        let moves = random_moves(&opened, 9, &mut random);
        let ends: Vec<_> = (0..=moves.len()).map(|count| fewest_moves(&opened, &moves[..count])).collect();
        for count in 0..=moves.len() {
            let view = settled(&game, &moves[..count], &mut known);
            assert_eq!(view.optimum, format!("{} moves (proven)", ends[0]));
            for (at, played) in view.path.iter().enumerate() {
                let expected = ends[at + 1] - ends[at];
                assert_eq!((played.lost.least, played.lost.most), (expected, Some(expected)), "{seed} {moves:?} {at}");
                lost += expected;
            }
            for choice in &view.choices {
                let after = [&moves[..count], std::slice::from_ref(&choice.name)].concat();
                let expected = fewest_moves(&opened, &after) - ends[count];
                assert_eq!((choice.lost.least, choice.lost.most), (expected, Some(expected)), "{seed} {after:?}");
            }
            if let Some(hint) = &view.hint {
                let after = [&moves[..count], &hint.moves].concat();
                assert!(
                    hint.proven
                        && play(&*opened.task().unwrap(), &after).unwrap().status().final_value == Some(ends[count])
                );
            }
        }
    }
    assert!(lost > 0, "no move of these games loses");
}

/// Small games of both puzzles after two random moves, with what is open, the moves and a label.
fn small_games(size: (usize, usize)) -> impl Iterator<Item = (String, Game, CheckedGame, Vec<String>)> {
    let kinds = [
        ("flood-it", json!({})),
        ("clickomania", json!({"objective": "clicks"})),
        ("clickomania", json!({"objective": "score"})),
    ];
    kinds.into_iter().flat_map(move |(puzzle, options)| {
        (0..6).map(move |seed| {
            let value = game(puzzle, size, 3, seed, &options);
            let opened = opened(&value);
            let moves = random_moves(&opened, 2, &mut ChaCha8Rng::seed_from_u64(seed));
            (format!("{puzzle} {options} {seed}"), serde_json::from_value(value).unwrap(), opened, moves)
        })
    })
}

/// Whoever knows all children of a position knows the position, with a way to play on.
#[test]
fn children_settle_their_parent() {
    let mut settled_parents = 0;
    let of_here = |view: &PositionView| {
        view.learned.iter().find(|learned| learned.key == view.key).map(|learned| learned.known.clone())
    };
    for (label, game, opened, moves) in small_games((3, 4)) {
        let mut known = HashMap::new();
        let before = PositionView::of(&game, &moves, &known, 60.0).unwrap();
        for choice in &before.choices {
            let solved = searched(&game, &[&moves[..], std::slice::from_ref(&choice.name)].concat());
            known.insert(solved.key, solved.known);
        }
        let view = PositionView::of(&game, &moves, &known, 60.0).unwrap();
        let task = opened.task().unwrap();
        let (here, scale) = (play(&*task, &moves).unwrap(), Scale::of(&opened));
        let best = match game.puzzle.as_str() {
            "flood-it" => Some(fewest_moves(&opened, &moves)),
            _ => best_end(&*here, scale, &mut HashMap::new()),
        };
        let learned = of_here(&view).unwrap_or_default();
        assert_eq!(learned.is_unsolvable, best.is_none(), "{label}");
        let Some(best) = best.filter(|_| !before.over) else { continue };
        let remaining = |total: i64| scale.remaining(here.status().value, total);
        let rest = Some(remaining(best));
        assert_eq!((learned.bound, learned.held), (rest, rest), "{label}");
        let end = play(&*opened.task().unwrap(), &[&moves[..], &learned.moves].concat()).unwrap().status().final_value;
        assert_eq!(end.map(|end| scale.normalised(end)), Some(best), "{label}");
        // Values whose moves are not known give no way.
        let is_way = |known: &Knowledge| !known.moves.is_empty();
        let moveless = |known: &Knowledge| Knowledge { moves: Vec::new(), ..known.clone() };
        let told = known.iter().map(|(key, known)| (key.clone(), moveless(known))).collect();
        if let Some(learned) = of_here(&PositionView::of(&game, &moves, &told, 60.0).unwrap()).filter(is_way) {
            let end =
                play(&*opened.task().unwrap(), &[&moves[..], &learned.moves].concat()).unwrap().status().final_value;
            assert_eq!(end.map(|end| remaining(scale.normalised(end))), learned.held, "{label}");
        }
        known.insert(view.key, learned);
        assert_eq!(of_here(&PositionView::of(&game, &moves, &known, 60.0).unwrap()), None);
        settled_parents += 1;
    }
    assert!(settled_parents > 9, "{settled_parents}");
}

/// What a later position reaches, each earlier one reaches, also after the moves were taken back.
#[test]
fn what_later_positions_reach_is_kept() {
    let mut kept = 0;
    for (label, game, opened, moves) in small_games((4, 4)) {
        let solved = searched(&game, &moves);
        let mut known = HashMap::from([(solved.key, solved.known)]);
        let view = PositionView::of(&game, &moves, &known, 60.0).unwrap();
        known.extend(view.learned.into_iter().map(|learned| (learned.key, learned.known)));
        let back = PositionView::of(&game, &[], &known, 60.0).unwrap();
        let Some(held) = known.get(&back.key).and_then(|known| known.held) else { continue };
        let task = opened.task().unwrap();
        let whole = play(&*task, &known[&back.key].moves).unwrap();
        assert_eq!(whole.status().final_value, Some(held), "{label}");
        let way = back.hint.expect("a way is known");
        assert_eq!(way.moves, known[&back.key].moves);
        kept += 1;
    }
    assert!(kept > 9, "{kept}");
}

/// What a move takes: the cells that differ in the flood, or the group.
#[test]
fn moves_take_what_joins_the_flood_or_leaves_the_board() {
    let board = "122\n321\n112\n";
    for (puzzle, expected) in [
        ("flood-it", vec![("2", vec![1, 2, 4]), ("3", vec![3])]),
        ("clickomania", vec![("1,2", vec![1, 2, 4]), ("3,1", vec![6, 7])]),
    ] {
        let games = ask(&json!({"ask": "read", "text": board, "puzzle": puzzle}))["games"].clone();
        let view = ask(&json!({"ask": "view", "game": games[0], "patience": 0.0}));
        let takes: Vec<_> =
            view["choices"].as_array().unwrap().iter().map(|choice| (&choice["name"], &choice["takes"])).collect();
        assert_eq!(json!(takes), json!(expected), "{view}");
    }
}

#[test]
fn verdicts_on_clicks_are_those_of_brute_force() {
    let objectives = [
        json!({"objective": "clear"}),
        json!({"objective": "clicks"}),
        json!({"objective": "left", "min-group": "3"}),
        json!({"objective": "score", "clear-bonus": "20", "left-penalty": "n", "columns": "stay"}),
    ];
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut lost = [0; 4];
    for (which, options) in objectives.iter().enumerate() {
        for seed in 0..5 {
            let game = game("clickomania", (3, 4), 3 - which % 2, seed, options);
            let (opened, mut known) = (opened(&game), HashMap::new());
            let scale = Scale::of(&opened);
            let moves = random_moves(&opened, 9, &mut random);
            let task = opened.task().unwrap();
            let end = |moves: &[String]| best_end(&*play(&*task, moves).unwrap(), scale, &mut HashMap::new());
            let ends: Vec<_> = (0..=moves.len()).map(|count| end(&moves[..count])).collect();
            for count in 0..=moves.len() {
                let view = settled(&game, &moves[..count], &mut known);
                let after_choice =
                    |choice: &ChoiceView| end(&[&moves[..count], std::slice::from_ref(&choice.name)].concat());
                let played = view.path.iter().enumerate().map(|(at, played)| (ends[at], ends[at + 1], &played.lost));
                let chosen = view.choices.iter().map(|choice| (ends[count], after_choice(choice), &choice.lost));
                for (before, after, verdict) in played.chain(chosen) {
                    let expected = match (before, after) {
                        (None, _) => MoveLoss { least: 0, most: Some(0), fatal: false },
                        (Some(_), None) => MoveLoss { least: 0, most: None, fatal: true },
                        (Some(before), Some(after)) => {
                            MoveLoss { least: after - before, most: Some(after - before), fatal: false }
                        }
                    };
                    assert_eq!(*verdict, expected, "{options} {seed} {moves:?} {count}");
                    lost[which] += usize::from(!expected.is_optimal());
                }
            }
        }
    }
    assert!(lost.iter().all(|lost| *lost > 0), "no move of these games loses: {lost:?}");
}

#[test]
fn links_bring_back_the_game() {
    let flood = game("flood-it", (3, 7), 6, 2, &json!({}));
    let clicks = game("clickomania", (4, 5), 4, 1, &json!({"objective": "score", "score": "n(n-1)"}));
    let many: Vec<u8> = (0..70).collect();
    let names: Vec<String> = (1..=70).map(|number| number.to_string()).collect();
    let bunny = ask(&json!({"ask": "shipped", "name": "twelve.txt"}))["games"][6].clone();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut random_moves = |game: &Value| random_moves(&opened(game), 4, &mut random);
    let games = [
        (json!({"game": flood, "moves": random_moves(&flood), "best": null})),
        (json!({"game": clicks, "moves": random_moves(&clicks), "best": null})),
        (json!({"game": bunny, "moves": ["LOOP(3){FL}"], "best": null})),
        json!({"game": {"puzzle": "flood-it", "name": "70 & more: ä", "rows": 7, "cols": 10, "cells": many,
            "symbols": names, "start": [3, 4]}, "moves": ["45", "36", "9"], "best": null}),
        json!({"game": {"puzzle": "flood-it", "name": "words", "rows": 1, "cols": 2, "cells": [0, 1],
            "symbols": ["red", "sky.blue"], "start": [0, 1], "limit": 2}, "moves": ["red"], "best": 1}),
    ];
    for shared in games {
        let mut question = shared.clone();
        question["ask"] = "link".into();
        let link = ask(&question)["link"].as_str().unwrap().to_owned();
        assert!(link.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>`{}|^#".contains(&byte)), "{link}");
        let back = ask(&json!({"ask": "open", "link": format!("https://host/page#{link}")}));
        let colours = back["game"]["colours"].as_array().unwrap();
        assert_eq!(colours.len(), back["game"]["symbols"].as_array().unwrap().len(), "{link}");
        let mut shared = shared;
        shared["game"]["colours"] = colours.as_slice().into();
        assert_eq!(back, shared, "{link}");
    }
}

/// Anybody can write a link: what its moves do not come to is not believed.
#[test]
fn links_that_boast_are_not_believed() {
    let open = |link: &str| ask(&json!({"ask": "open", "link": link}));
    let dropped = |link: &str| {
        let shared = open(link);
        (shared["moves"].clone(), shared["best"].clone(), shared["note"].as_str().unwrap_or_default().to_owned())
    };
    let board = "p=flood-it&b=2x2c2s0.0110";
    let honest = dropped(&format!("{board}&m=2.1&best=2"));
    assert_eq!(honest, (json!(["2", "1"]), json!(2), String::new()));
    let boasts = dropped(&format!("{board}&m=2.1&best=1"));
    assert!((&boasts.0, &boasts.1) == (&json!(["2", "1"]), &json!(2)) && boasts.2.contains("found 1"), "{boasts:?}");
    for (moves, reason) in [("&m=9.1&best=1", "found 9"), ("&m=1&best=1", "found 1"), ("&m=2.1.2&best=2", "solved")] {
        let shared = dropped(&format!("{board}{moves}"));
        assert!(shared.0 == json!([]) && shared.1.is_null() && shared.2.contains(reason), "{moves}: {shared:?}");
    }
    for (moves, reason) in [("&best=1", "no finished game"), ("&m=2&best=1", "no finished game")] {
        let shared = dropped(&format!("{board}{moves}"));
        assert!(shared.1.is_null() && shared.2.contains(reason), "{moves}: {shared:?}");
    }
    let level = ask(&json!({"ask": "shipped", "name": "twelve.txt"}))["games"][0].clone();
    let link = ask(&json!({"ask": "link", "game": level}))["link"].as_str().unwrap().to_owned();
    let program = ask(&json!({"ask": "solve", "game": level, "seconds": 60}))["known"].clone();
    let [best, text] = [&program["held"], &program["moves"][0]];
    let encoded =
        text.as_str().unwrap().replace('{', "%7B").replace('}', "%7D").replace('(', "%28").replace(')', "%29");
    assert_eq!(open(&format!("{link}&m={encoded}&best={best}"))["note"], Value::Null);
    assert!(open(&format!("{link}&m={encoded}&best=1"))["note"].is_string());
    assert_eq!(open(&format!("{link}&m=L&best=1"))["best"], Value::Null);
}

#[test]
fn links_that_something_has_changed_on_the_way_open() {
    let link = "https://host/page#p=flood-it&b=2x2c2s0.0110&n=a%26b%2E&m=2.1&best=2";
    let wanted = ask(&json!({"ask": "open", "link": link}));
    assert_eq!((&wanted["game"]["name"], &wanted["best"]), (&json!("a&b."), &json!(2)));
    let percent = |text: &str| text.replace('%', "%25").replace('#', "%23").replace('=', "%3D").replace('&', "%26");
    let all_escaped = percent(link);
    for changed in [
        &*link.replace('&', "&amp;"),
        &link.replace('&', "&amp;amp;"),
        &link.replace('&', "&#38;").replace('=', "&#x3d;"),
        &all_escaped,
        &percent(&all_escaped),
        &link.replace('=', "=3D").replace("2s0", "2s=\n0"),
        &link.replace("2x2c", "2x2\n  c"),
        &format!("<{link}>"),
        &format!("<{link}|a game>"),
        &format!("({link})."),
        &format!("\u{201c}{link}\u{201d},"),
        &format!("[a game]({link})"),
        &format!("{link}#"),
        &link.replace('#', "?"),
    ] {
        assert!(super::is_link(changed), "{changed}");
        assert_eq!(ask(&json!({"ask": "open", "link": changed})), wanted, "{changed}");
    }
    let half = ask(&json!({"ask": "open", "link": "p=flood-it&b=2x2c2s0.0110&m=2.1%26best%3D2"}));
    assert_eq!((&half["best"], &half["note"]), (&json!(2), &json!(null)));
    for text in ["board.txt", "https://host/board.txt", "a=1&b=2", "p=1"] {
        assert!(!super::is_link(text), "{text}");
    }
}

#[test]
fn wrong_links_say_what_was_expected() {
    let error =
        |link: &str| ask(&json!({"ask": "open", "link": link}))["error"].as_str().unwrap_or_default().to_owned();
    for (link, expected) in [
        ("", "found no puzzle"),
        ("p=chess&b=1x2c2s0.01", "chess"),
        ("p=flood-it", "found no board"),
        ("p=flood-it&b=2x2c2s0.011", "found the board 2x2c2s0.011"),
        ("p=flood-it&b=2x2c2s9.0110", "start cell"),
        ("p=flood-it&b=99999999x99999999c2s0.01", "found the board"),
        ("p=flood-it&b=2x2c2s0.0110&best=many", "a whole number"),
        ("p=flood-it&b=2x2c2s0.01-0", "empty"),
        ("p=clickomania&b=2x2c2s0.0110&o=engine~ida", "found the option engine"),
    ] {
        assert!(error(link).contains(expected), "{link}: {}", error(link));
    }
}

#[test]
fn inputs_are_read_or_refused_with_a_choice() {
    let read = |text: &str, choose: &str| ask(&json!({"ask": "read", "text": text, "choose": choose}));
    let plain = read("112\n221\n", "");
    assert_eq!((&plain["games"][0]["puzzle"], &plain["games"][0]["rows"]), (&json!("flood-it"), &json!(2)));
    let gap = read("1.\n12\n", "");
    assert_eq!(gap["games"][0]["puzzle"], "clickomania", "{gap}");
    let limited = read("3x2c3m5:012012,4", "");
    assert_eq!((&limited["games"][0]["limit"], plain["games"][0].get("limit")), (&json!(4), None), "{limited}");
    let bunny = read("S##\n #\n", "");
    assert_eq!(bunny["games"][0]["puzzle"], "bunny", "{bunny}");
    let many = read("112212221\n121212121\n", "--format lines");
    assert_eq!(many["games"].as_array().unwrap().len(), 2, "{many}");
    // Several readings come with the options that choose them.
    let asked = read("2 3 2\n1 2 1\n2 1 2\n", "");
    let readings = asked["readings"].as_array().cloned().unwrap_or_default();
    for reading in &readings {
        let chosen = read("2 3 2\n1 2 1\n2 1 2\n", reading["choose"].as_str().unwrap());
        assert!(chosen["games"].is_array(), "{chosen}");
    }
    assert!(!readings.is_empty() || asked["games"].is_array(), "{asked}");
    let wrong = read("12\n1?\n", "");
    assert!(wrong["error"].as_str().is_some_and(|error| error.contains("pasted:2")), "{wrong}");
    assert!(read("112", "--threads 3")["error"].as_str().is_some_and(|error| error.contains("found threads")));
    // A picture of two pixels.
    let picture = ask(&json!({"ask": "read", "bytes": b"P3 2 1 255 255 0 0 0 0 255".to_vec(), "name": "two.ppm"}));
    assert_eq!(picture["games"][0]["cols"], 2, "{picture}");
}

#[test]
fn a_day_has_one_board() {
    let day = |date: &str| ask(&json!({"ask": "day", "date": date, "puzzle": "flood-it"}));
    // Everybody gets this board on this day, so it must never change.
    let cells = day("2026-11-26")["cells"].clone();
    assert_eq!(cells, game("flood-it", (14, 14), 6, 20_261_126, &json!({}))["cells"]);
    assert_ne!(cells, day("2026-11-27")["cells"]);
    for date in ["2024-02-29", "2000-02-29", "2026-01-31", "1970-01-01", "9999-12-31"] {
        assert!(day(date)["cells"].is_array(), "{date}");
    }
    let forms =
        ["2026-13-01", "26.11.2026", "2026-11", "", "2026-11-26-1", "2026-1-31", "+026-01-31", "2026-01-\u{665}1"];
    let days = ["2026-02-31", "2026-02-29", "2100-02-29", "2026-04-31", "2026-00-10", "2026-01-00", "1969-12-31"];
    for date in forms.into_iter().chain(days) {
        assert!(day(date)["error"].as_str().is_some_and(|error| error.contains("found the date")), "{date}");
    }
}

/// Every level of every puzzle has a board, and the one that opens where nobody names one is solved here at once.
#[test]
fn levels_have_boards() {
    for puzzle in PuzzleId::all() {
        let told = ask(&json!({"ask": "levels", "puzzle": puzzle.name()}))["levels"].clone();
        for level in told.as_array().unwrap() {
            let mut new = level["board"].clone();
            new["ask"] = "new".into();
            let game = ask(&new);
            assert!(game["cells"].is_array(), "{puzzle} {level}: {game}");
        }
        let game = new_game(puzzle, &BTreeMap::new(), 1).unwrap();
        assert_eq!(searched(&game, &[]).status, gridhunt_search::engine::Status::Optimal, "{puzzle}");
    }
    let options = BTreeMap::from([("objective".to_owned(), "left".to_owned())]);
    assert_eq!(new_game("clickomania".parse().unwrap(), &options, 1).unwrap().options, options);
}

/// The end says how the game went, without a move of it, and what a limit has come to.
#[test]
fn the_end_of_a_game_is_told() {
    let game = game("flood-it", (3, 4), 3, 5, &json!({}));
    let mut known = HashMap::new();
    let best = settled(&game, &[], &mut known).hint.unwrap().moves;
    let end = |game: &Value, moves: &[String], known: &mut HashMap<String, Knowledge>| {
        let GameEnd { headline, result, optimal } = settled(game, moves, known).end.unwrap();
        (headline, result, optimal)
    };
    let all = best.len();
    assert_eq!(end(&game, &best, &mut known), ("optimal!".into(), format!("{all}/{all} moves, all optimal"), true));
    // A detour: a move, and the best way on from there.
    let choices = settled(&game, &[], &mut known).choices;
    let worse = choices.iter().find(|choice| choice.lost.least > 0).expect("a move that loses");
    let mut moves = vec![worse.name.clone()];
    moves.extend(settled(&game, &moves, &mut known).hint.unwrap().moves);
    let lost = moves.len() - all;
    let result = format!("{}/{all} moves, {} of {} optimal", moves.len(), moves.len() - 1, moves.len());
    assert_eq!(end(&game, &moves, &mut known), (format!("+{lost}"), result.clone(), false));
    let mut limited = game.clone();
    limited["limit"] = json!(all);
    assert!(end(&limited, &best, &mut known).2);
    let over = (String::from("over the limit"), format!("{result}, over the limit"), false);
    assert_eq!(end(&limited, &moves, &mut known), over);
    assert_eq!(settled(&game, &[], &mut known).end, None);
    let standing = settled(&limited, &moves[..1], &mut known).standing;
    assert!(standing.contains(&format!("{} left to the limit", all - 1)), "{standing}");
}

#[test]
fn programs_run_and_are_compared_with_the_shortest() {
    let game = ask(&json!({"ask": "shipped", "name": "twelve.txt"}))["games"][0].clone();
    let run =
        |program: &str, known: Value| ask(&json!({"ask": "program", "game": game, "program": program, "known": known}));
    let solved = ask(&json!({"ask": "solve", "game": game, "seconds": 60}))["known"].clone();
    let best = solved["held"].as_i64().unwrap();
    let shortest = run(solved["moves"][0].as_str().unwrap(), solved.clone());
    assert_eq!(shortest["solved"], true);
    assert_eq!(shortest["standing"], format!("all squares marked with {best} tokens: no program is shorter"));
    assert_eq!(
        shortest["end"],
        json!({"headline": "optimal!", "result": format!("{best}/{best} tokens"), "optimal": true})
    );
    // What a program comes to is not in the words on the optimum.
    assert_eq!(run("FFLLRR", json!({}))["optimum"], "shortest not known yet");
    let longer = run("FFLLRR", solved.clone());
    assert_eq!(longer["standing"], format!("all squares marked with 6 tokens, shortest {best} tokens (proven)"));
    assert_eq!(longer["end"]["headline"], format!("+{}", 6 - best));
    let failed = run("L", solved);
    assert_eq!(failed.get("end"), None);
    assert_eq!((&failed["solved"], &failed["steps"]), (&json!(false), &json!([["L", [0, 3], 2]])));
    assert!(run("LOOP(2){F", json!({}))["error"].as_str().is_some_and(|error| error.contains("character")));
}

#[test]
fn a_watched_search_tells_what_it_does() {
    let game = game("flood-it", (8, 8), 5, 4, &json!({}));
    let (stop, mut told) = (StopToken::new(), Vec::new());
    let question = json!({"ask": "solve", "game": game, "seconds": 60, "watch": true}).to_string();
    assert!(is_search(&question) && !is_search("{\"ask\": \"view\"}") && !is_search("solve"));
    let resources = SearchResources { threads: 1, stop: &stop };
    let solved: Value = serde_json::from_str(&answer(&question, &resources, &mut |event| {
        told.push(serde_json::from_str::<Value>(event).unwrap());
    }))
    .unwrap();
    let of = |name: &str| told.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    assert_eq!(of("held").last().unwrap()["value"], solved["known"]["held"]);
    assert_eq!(of("bound").last().unwrap()["value"], solved["known"]["bound"]);
    // The first state of a beam is reached by as many moves as its depth says.
    assert!(!of("beam").is_empty());
    assert!(of("beam").iter().all(|event| event["moves"].as_array().unwrap().len() as u64 == event["depth"]));
    let quiet = json!({"ask": "solve", "game": game, "seconds": 60}).to_string();
    let _ = answer(&quiet, &resources, &mut |event| {
        assert!(event.contains("\"held\"") || event.contains("\"bound\""), "{event}")
    });
}

/// An interrupted search has not tried for the whole time.
#[test]
fn an_interrupted_search_may_be_repeated() {
    let game = serde_json::from_value(game("flood-it", (14, 14), 6, 4, &json!({}))).unwrap();
    let stop = StopToken::new();
    stop.stop(StopReason::Interrupted);
    let solve = SolveRequest::of(game, Vec::new(), 600.0);
    let solved = solve.run(&SearchResources { threads: 1, stop: &stop }, &mut |_| {}).unwrap();
    assert!(!solved.known.is_exact() && solved.known.tried < 600.0, "{solved:?}");
}

#[test]
fn questions_that_are_none_are_refused() {
    for question in [json!({"ask": "win"}), json!([]), json!({"ask": "view", "patience": 1.0})] {
        assert!(ask(&question)["error"].is_string(), "{question}");
    }
    let game = game("flood-it", (2, 2), 2, 1, &json!({}));
    let view = json!({"ask": "view", "game": game, "moves": ["9"], "patience": 1.0});
    assert!(ask(&view)["error"].as_str().is_some_and(|error| error.contains("move 1: found 9")), "{}", ask(&view));
    let solve = json!({"ask": "solve", "game": game, "seconds": -1.0});
    assert!(ask(&solve)["error"].as_str().is_some_and(|error| error.contains("expected 0 to 10^19")));
}

#[test]
fn what_is_proven_has_a_certificate_and_nothing_else() {
    let board = game("flood-it", (6, 7), 4, 5, &json!({}));
    let known = ask(&json!({"ask": "solve", "game": board, "seconds": 60}))["known"].clone();
    let certify = |known: &Value| ask(&json!({"ask": "certify", "game": board, "known": known, "seconds": 60}));
    let certified = certify(&known);
    let hex = certified["certificate"].as_str().unwrap().as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
    let bytes: Vec<_> = hex.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect();
    let proven = gridhunt_check::check(&bytes, 1 << 20).unwrap();
    assert!(proven.is_optimum && json!(proven.bound) == known["held"], "{known}");
    assert!(proven.text.ends_with(certified["claim"].as_str().unwrap()));
    // Without moves the bound is proven, and no more.
    let mut without = known.clone();
    without["moves"] = json!([]);
    assert!(certify(&without)["claim"].as_str().unwrap().contains("the optimum is at least"), "{without}");
    // A bound that is too high, and moves that solve nothing.
    let optimum = known["held"].as_i64().unwrap();
    for (name, value) in [("bound", json!(optimum + 1)), ("moves", json!(vec!["1"; optimum as usize]))] {
        let mut wrong = known.clone();
        wrong[name] = value;
        assert!(certify(&wrong)["error"].is_string(), "{wrong}");
    }
    let clicks = game("clickomania", (4, 4), 3, 5, &json!({}));
    let known = ask(&json!({"ask": "solve", "game": clicks, "seconds": 60}))["known"].clone();
    let certified = ask(&json!({"ask": "certify", "game": clicks, "known": known, "seconds": 60}));
    assert!(certified["claim"].as_str().is_some_and(|claim| claim.contains("the fewest cells left")), "{certified}");
    let scores = game("clickomania", (4, 4), 3, 5, &json!({"objective": "score"}));
    let refused = ask(&json!({"ask": "certify", "game": scores, "known": known, "seconds": 60}));
    assert!(refused["error"].as_str().unwrap().contains("expected clear, clicks or left"), "{refused}");
}
