//! `gridhunt play`: what it refuses, and the page with the solver of the program behind it.

use super::{Folder, gridhunt};
use predicates::str::contains;

#[test]
fn a_game_needs_a_board_and_a_place() {
    let folder = Folder::new(&[("bad.txt", "12\n1?\n"), ("hanging.txt", "# gridhunt domain=clickomania\n1\n.\n")]);
    let play = |arguments: &[&str]| {
        let mut command = gridhunt(&["play"]);
        command.args(arguments);
        command
    };
    play(&["no-such-board"]).assert().code(3);
    play(&[&folder.path("bad.txt")]).assert().code(3).stderr(contains("bad.txt:2:2"));
    play(&[&folder.path("hanging.txt"), "--terminal"]).assert().code(3).stderr(contains("over the empty cell 2,1"));
    play(&["--terminal"]).assert().code(2).stderr(contains("expected one for --terminal"));
    play(&["--terminal", "--no-open"]).assert().code(2);
    play(&["--seed", "3", &folder.path("bad.txt")]).assert().code(2);
    let link = "p=flood-it&b=2x2c2s0.0110";
    play(&[link, "--min-group", "3"]).assert().code(2).stderr(contains("it contains the rules"));
    play(&["p=flood-it&b=2x2c2s0.0119"]).assert().code(3).stderr(contains("found colour 9"));
    #[cfg(not(feature = "serve"))]
    play(&[]).assert().code(2).stderr(contains("--terminal plays here"));
}

/// A click of the mouse plays, and the end of the screen leaves result and link behind.
#[test]
#[cfg(target_os = "linux")]
fn a_game_in_the_terminal_takes_clicks_and_prints_its_result() {
    let link = "p=flood-it&b=1x2c2s0.01";
    // The second cell is drawn at the fourth column of the second row.
    let mut terminal = super::terminal::Terminal::of(&format!("play '{link}' --terminal"));
    terminal.press("\x1b[<0;4;2Mq");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(0), "{screen:?}");
    let (_, behind) = screen.rsplit_once("\x1b[?1049l").expect("the screen is closed");
    // The search may not have ended.
    assert!(behind.contains("flood-it, 1 x 2: 1"), "{behind:?}");
    assert!(behind.contains(&format!("gridhunt play '{link}&m=2&best=1'")), "{behind:?}");
}

#[cfg(all(unix, feature = "serve"))]
mod served {
    use crate::Folder;
    use crate::served::Served;
    use serde_json::{Value, json};
    use std::io::{BufRead, BufReader, Write};

    fn lines(body: &str) -> Vec<Value> {
        // The body of a stream comes in chunks, each under its length.
        body.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The game that a served page opens, from the address that was printed.
    fn opened(arguments: &[&str]) -> Value {
        let served = Served::by("play", &[arguments, &["--no-open"]].concat());
        let link = served.url.split_once('#').expect("a game").1;
        served.post("/play/api/ask", &json!({"ask": "open", "link": link}).to_string()).json()
    }

    #[test]
    fn links_and_new_boards_of_every_puzzle_are_opened() {
        let shared = opened(&["p=flood-it&b=2x2c2s0.0110&m=2.1&best=2"]);
        assert_eq!((&shared["moves"], &shared["best"]), (&json!(["2", "1"]), &json!(2)), "{shared}");
        let id = opened(&["3x3c3m4:012112012,5"]);
        assert_eq!((&id["game"]["limit"], &id["game"]["rows"]), (&json!(5), &json!(3)), "the limit of a game ID");
        let folder = Folder::new(&[]);
        let ids = folder.write("ids.txt", "3x3c3m4:012112012,5\n3x3c3m4:012112012,7\n");
        assert_eq!(opened(&[&ids, "--boards", "2"])["game"]["limit"], 7, "each board has its own limit");
        let boasts = opened(&["http://host/play/#p=flood-it&b=2x2c2s0.0110&m=2.1&best=1"]);
        assert_eq!(boasts["best"], 2);
        let bunny = opened(&["--domain", "bunny", "--seed", "2"]);
        assert_eq!((&bunny["game"]["puzzle"], &bunny["game"]["rows"]), (&json!("bunny"), &json!(8)));
        let clicks = opened(&["--domain", "clickomania", "--objective", "clicks", "--min-group", "3"]);
        assert_eq!(clicks["game"]["options"], json!({"objective": "clicks", "min-group": "3"}));
    }

    #[test]
    fn the_page_has_the_board_in_its_address_and_the_solver_behind_it() {
        let served = Served::by("play", &["10x10-6c-01.txt", "--no-open"]);
        let link = served.url.split_once('#').expect("a game").1;
        assert!(served.url.contains("/play/?token=") && link.contains("b=10x10c6s0."), "{}", served.url);
        let page = served.ask("GET", &format!("/play/?token={}", served.token), &[], "");
        assert!(page.status == 200 && page.body.contains("data-solver=\"server\""), "{}", page.body);
        assert!(page.head.contains("set-cookie"), "{}", page.head);
        for name in ["main.js", "solver.js", "dom.js", "style.css"] {
            assert_eq!(served.get(&format!("/play/{name}")).status, 200, "{name}");
        }
        for name in ["nothing.js", "..%2fapi%2fruns", "gridhunt.wasm"] {
            assert_eq!(served.get(&format!("/play/{name}")).status, 404, "{name}");
        }
        let open = served.post("/play/api/ask", &json!({"ask": "open", "link": link}).to_string());
        let game = open.json()["game"].clone();
        assert_eq!(game["name"], "10x10-6c-01.txt");
        let solve = json!({"ask": "solve", "game": game, "seconds": 60, "watch": true});
        let answer = served.post("/play/api/ask", &solve.to_string());
        let told = lines(&answer.body);
        let (last, events) = told.split_last().expect("an answer");
        assert_eq!((&last["status"], &last["known"]["held"]), (&json!("optimal"), &json!(16)), "{last}");
        assert!(events.iter().any(|event| event["event"] == "held"));
    }

    #[test]
    fn questions_need_the_token_and_may_be_long() {
        let served = Served::by("play", &["--seed", "1", "--no-open"]);
        let ask = |token: &str, body: &str| {
            let headers = [("Authorization", token), ("Content-Type", "application/json")];
            served.ask("POST", "/play/api/ask", &headers, body).status
        };
        let question = json!({"ask": "open", "link": "x".repeat(1 << 20)}).to_string();
        assert_eq!(ask(&served.bearer(), &question), 200);
        assert_eq!(ask("Bearer 0", "{}"), 401);
        assert_eq!(ask(&served.bearer(), &" ".repeat((16 << 20) + 1)), 413);
        assert_eq!(served.ask("POST", "/play/api/ask", &[("Authorization", &served.bearer())], "{}").status, 415);
        assert!(served.post("/play/api/ask", "{").json()["error"].is_string());
    }

    /// A search ends when nobody waits for it any more: otherwise four such searches would block all others.
    #[test]
    fn a_search_ends_with_its_reader() {
        let served = Served::by("play", &["--seed", "1", "--no-open"]);
        let new = json!({"ask": "new", "puzzle": "flood-it", "rows": 60, "cols": 60, "colours": 12, "seed": 1});
        let game = served.post("/play/api/ask", &new.to_string()).json();
        let solve = json!({"ask": "solve", "game": game, "seconds": 100_000, "watch": true}).to_string();
        for _ in 0..8 {
            let mut stream = served.connect();
            let head = format!(
                "POST /play/api/ask HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{solve}",
                served.address,
                served.bearer(),
                solve.len(),
            );
            stream.write_all(head.as_bytes()).unwrap();
            // The first event says that the search has begun.
            let mut events = BufReader::new(stream).lines().map(Result::unwrap);
            assert!(events.any(|line| line.starts_with("{\"event\"")));
        }
        let small = json!({"ask": "open", "link": "p=flood-it&b=2x2c2s0.0110"});
        let small = served.post("/play/api/ask", &small.to_string()).json()["game"].clone();
        let solve = json!({"ask": "solve", "game": small, "seconds": 60});
        let answer = served.post("/play/api/ask", &solve.to_string());
        assert_eq!(lines(&answer.body).last().unwrap()["known"]["held"], 2);
    }
}
