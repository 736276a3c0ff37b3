//! The page of `gridhunt serve`: what it answers, and what it refuses.
#![cfg(all(unix, feature = "serve"))]

use super::schema::answers;
use super::served::{Answer, Served};
use super::{Folder, gridhunt};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A folder with one run, which has ended.
fn runs() -> (Folder, String) {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n")]);
    let (board, run) = (folder.path("row.txt"), folder.path("runs/first"));
    fs::create_dir(folder.path("runs")).unwrap();
    gridhunt(&["solve", &board, "--run", &run, "-q"]).assert().success();
    let runs = folder.path("runs");
    (folder, runs)
}

#[test]
fn a_browser_gets_the_page_with_the_token_of_the_address() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs]);
    let first = served.ask("GET", &format!("/?token={}", served.token), &[], "");
    assert_eq!(first.status, 200, "{}", first.head);
    assert!(first.body.contains("<!doctype html>") && first.head.contains("content-type: text/html"), "{}", first.head);
    let cookie = first.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie").to_owned();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(first.head.contains(rule), "{rule}: {}", first.head);
    }
    assert!(first.head.contains("x-content-type-options: nosniff") && first.head.contains("no-referrer"));
    // The name of a cookie has the port: two servers on one host do not take each other's.
    let name = format!("gridhunt-{}", served.address.port());
    let pair = format!("other=1; {name}={}", served.token);
    let again = served.ask("GET", "/assets/serve.js", &[("Cookie", &pair)], "");
    assert!(again.status == 200 && again.head.contains("text/javascript") && !again.head.contains("set-cookie"));
    let other = format!("gridhunt-1={}", served.token);
    assert_eq!(served.ask("GET", "/", &[("Cookie", &other)], "").status, 401);
}

#[test]
fn runs_and_their_boards_are_told() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs]);
    let list = served.get("/api/runs").json();
    let run = &list["runs"][0];
    assert!(run["name"].as_str().unwrap().ends_with("runs/first"), "{list}");
    assert_eq!((&run["state"], &run["done"], &list["control"]), (&"finished".into(), &1.into(), &false.into()));
    let (event, told) = served.event("/api/events");
    assert_eq!((event.as_str(), &told), ("runs", &list));
    let (event, view) = served.event("/api/runs/1/events");
    assert_eq!((event.as_str(), &view["results"][0]["cost"], &view["active"]), ("run", &3.into(), &false.into()));
    assert_eq!(view["board"]["range"], "optimum 3 (proven)");
    assert_eq!(served.get("/api/runs/1/boards/1").json()["range"], view["board"]["range"]);
    let film = served.get("/api/runs/1/boards/1/film").json();
    assert_eq!((film["frames"].as_array().unwrap().len(), &film["frames"][0]["cells"][3]), (4, &2.into()));
}

/// [`Served`] holds every answer against the schema of its kind. Here each kind is asked for.
#[test]
fn every_answer_has_the_form_that_its_schema_gives() {
    let (folder, runs) = runs();
    let (board, run) = (folder.path("board.txt"), folder.path("runs/second"));
    gridhunt(&["generate", "--rows", "14", "--colours", "6", "--seed", "1", "-o", &board]).assert().success();
    let solve = ["solve", &board, "--run", &run, "--expansions", "500", "--engine", "best-first", "-q"];
    gridhunt(&solve).assert().code(7);
    let served = Served::start(&[&runs, "--allow-control"]);
    let asked = [
        ("/api/runs", ""),
        ("/api/runs/1/boards/1", ""),
        ("/api/runs/2/boards/1", ""),
        ("/api/runs/1/boards/1/film", ""),
        ("/api/runs/1/stop", "{}"),
        ("/api/runs/1/boards/2", ""),
    ];
    let mut seen = BTreeSet::from([if served.event("/api/runs/2/events").0 == "run" { "RunView" } else { "RunList" }]);
    for (path, body) in asked {
        let answer = if body.is_empty() { served.get(path) } else { served.post(path, body) };
        assert!(answer.status < 400 || path.ends_with("/boards/2"), "{path}: {}", answer.body);
        seen.extend(answer.kind(path));
    }
    assert!(seen.into_iter().eq(BTreeSet::from_iter(answers())));
}

/// Each kind of request that somebody else's page, or somebody without the token, could make.
#[test]
fn requests_from_elsewhere_are_refused() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs]);
    let (bearer, host) = (served.bearer(), served.address.to_string());
    let with = |headers: &[(&str, &str)]| {
        served.ask("GET", "/api/runs", &[headers, &[("Authorization", &bearer)]].concat(), "").status
    };
    assert_eq!(with(&[]), 200);
    let port = served.address.port();
    for own in [format!("localhost:{port}"), "LOCALHOST".to_owned(), format!("[::1]:{port}")] {
        assert_eq!(with(&[("Host", &own)]), 200, "{own}");
    }
    for other in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example", ""] {
        assert_eq!(with(&[("Host", other)]), 421, "{other}");
    }
    assert_eq!(with(&[("Host", &host), ("Host", "evil.example")]), 421, "two hosts");
    let without = served
        .raw(format!("GET /api/runs HTTP/1.1\r\nConnection: close\r\nAuthorization: {bearer}\r\n\r\n").as_bytes());
    assert_eq!(Answer::of(&without).status, 421, "no host");
    assert_eq!(with(&[("Origin", &format!("http://{host}"))]), 200);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", ""] {
        assert_eq!(with(&[("Origin", origin)]), 403, "{origin}");
    }
    for path in
        ["/", "/api/runs", "/api/events", "/assets/serve.js", "/?token=", "/?token=0123456789abcdef0123456789abcdef"]
    {
        let refused = served.ask("GET", path, &[], "");
        assert_eq!(refused.status, 401, "{path}");
        assert!(!refused.body.contains("<!doctype"), "{path}");
    }
    let token = format!("/api/runs?token={}", served.token);
    assert_eq!(served.ask("GET", &token, &[], "").status, 401, "only the page itself takes a token from the address");
    let short = format!("Bearer {}", &served.token[..31]);
    assert_eq!(served.ask("GET", "/api/runs", &[("Authorization", &short)], "").status, 401);
}

/// No request is a path.
#[test]
fn nothing_but_lists_is_reached() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs]);
    let tricks = "/assets/../Cargo.toml /assets/..%2f..%2fetc%2fpasswd /assets/%2e%2e/%2e%2e/etc/passwd \
                  /assets//etc/passwd /assets/index.html%00 /api/runs/..%2f..%2fetc/events /api/runs/first/events \
                  /api/runs/1/boards/0/film /api/runs/1/boards/99999999999999999999999/film /api/runs/1/boards/2 \
                  /api/runs/%ff/events //etc/passwd /api";
    for path in tricks.split(' ') {
        let answer = served.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.head);
        assert!(!answer.body.contains("root:"), "{path}");
    }
    assert!(served.get("/api/runs/1/boards/one").json()["error"].is_string());
    assert_eq!(served.ask("DELETE", "/api/runs", &[("Authorization", &served.bearer())], "").status, 405);
}

#[test]
fn requests_that_are_too_large_or_never_end_are_refused() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs, "--allow-control"]);
    let large = "x".repeat(100_000);
    let body = format!("{{\"config\":\"{large}\"}}");
    assert_eq!(served.post("/api/hunts", &body).status, 413);
    assert_eq!(served.ask("GET", "/", &[("Cookie", &large)], "").status, 431);
    let long = format!("GET /{large} HTTP/1.1\r\n\r\n");
    assert!([414, 431].contains(&Answer::of(&served.raw(long.as_bytes())).status));
    assert_eq!(Answer::of(&served.raw(b"\x16\x03\x01 no HTTP at all\r\n\r\n")).status, 400);
    // A head without end: the server closes the connection, and answers others meanwhile.
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    let head = format!("Host: {}\r\nAuthorization: {}\r\n", served.address, served.bearer());
    let mut idle = served.connect();
    idle.write_all(
        format!("POST /api/hunts HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{")
            .as_bytes(),
    )
    .unwrap();
    assert_eq!(served.get("/api/runs").status, 200);
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains(" 200 "));
    let mut answer = String::new();
    let _ = BufReader::new(idle).read_line(&mut answer);
    assert!(answer.contains(" 408 "), "{answer}");
}

/// Without leave nothing is changed; with it, only what is in the lists.
#[test]
fn hunts_are_controlled_only_if_that_is_allowed() {
    let (folder, runs) = runs();
    let served = Served::start(&[&runs]);
    for path in ["/api/runs/1/stop", "/api/runs/1/resume", "/api/hunts"] {
        let refused = served.post(path, "{\"config\":\"small.toml\"}");
        assert_eq!(refused.status, 403, "{path}");
        assert!(refused.body.contains("--allow-control"), "{}", refused.body);
    }
    drop(served);
    let config = folder.write("small.toml", "dataset = \"row.txt\"\n");
    let served = Served::start(&[&runs, "--allow-control", "--config", &config]);
    let form = [("Authorization", &*served.bearer()), ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(served.ask("POST", "/api/runs/1/stop", &form, "config=x").status, 415);
    assert_eq!(served.post("/api/hunts", "{\"config\":\"/etc/passwd\"}").status, 409);
    assert_eq!(served.post("/api/hunts", "not JSON").status, 400);
    assert_eq!(served.post("/api/runs/7/stop", "{}").status, 404);
    let stopped = served.post("/api/runs/1/stop", "{}");
    assert_eq!((stopped.status, stopped.json()["message"].as_str()), (202, Some("no process searches")));
    let begun = served.post("/api/hunts", &serde_json::json!({ "config": config }).to_string());
    assert_eq!(begun.status, 202, "{}", begun.body);
    let list = served.get("/api/runs").json();
    let names: Vec<_> = list["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert!(names.iter().any(|name| name.ends_with("runs/small-1")), "{names:?}");
    assert_eq!(list["configs"], serde_json::json!([config]));
    let resumed = served.post("/api/runs/1/resume", "{}");
    assert_eq!(resumed.status, 202, "{}", resumed.body);
}

/// Nothing listens beyond this machine, unless that is asked for.
#[test]
fn the_page_is_for_this_machine() {
    let (_folder, runs) = runs();
    let help = super::stdout(&["serve", "--help"]);
    assert!(help.contains("127.0.0.1:8344"), "{help}");
    let served = Served::start(&[&runs]);
    assert!(served.address.ip().is_loopback());
    let taken = served.address.to_string();
    gridhunt(&["serve", &runs, "--listen", &taken]).assert().code(2);
    gridhunt(&["serve", "/no/such/run", "--listen", "127.0.0.1:0"]).assert().code(3);
    gridhunt(&["serve", &runs, "--config", "x"]).assert().code(2);
    gridhunt(&["serve", &runs, "--listen", "8344"]).assert().code(2);
    let named = Served::start(&[&runs, "--name", "Host.lan:80"]);
    let headers = [("Host", "host.LAN"), ("Authorization", &*named.bearer())];
    assert_eq!(named.ask("GET", "/api/runs", &headers, "").status, 200);
}

/// A client that reads nothing does not keep others from their events.
#[test]
fn a_client_that_does_not_read_costs_nothing() {
    let (_folder, runs) = runs();
    let served = Served::start(&[&runs]);
    let head = format!("Host: {}\r\nAuthorization: {}\r\n\r\n", served.address, served.bearer());
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(format!("GET /api/runs/1/events HTTP/1.1\r\n{head}").as_bytes()).unwrap();
            stream
        })
        .collect();
    let (event, _) = served.event("/api/runs/1/events");
    assert_eq!(event, "run");
    drop(silent);
}
