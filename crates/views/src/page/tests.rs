use super::super::record::{ProgressRow, ProgressUpdate, RowEvent};
use super::super::text::tests::optimal;
use super::super::watch::{ProcessState, WatchedRun};
use super::*;
use gridhunt_search::runtime::Layer;
use serde_json::{Value, json};

fn row(elapsed: f64, event: RowEvent) -> ProgressRow {
    ProgressRow {
        elapsed,
        session: 1,
        event,
        number: Some(1),
        board: "a.txt".to_owned(),
        identity: "a".to_owned(),
        boards: Some(2),
        lower_bound: elapsed as u32,
        incumbent: Some(40),
        layer: Some(elapsed as u32),
        in_layer: 30,
        open: vec![(elapsed as u32, 10)],
        expanded: 50_000 * elapsed as u64,
        rate: Some(5e4),
        resident: 3 << 20,
        memory_limit: Some(4 << 20),
        ..ProgressRow::default()
    }
}

fn layer(elapsed: f64, f: u32, expanded: u64) -> ProgressRow {
    ProgressRow { finished: Some(Layer { f, expanded, generated: 0 }), ..row(elapsed, RowEvent::Layer) }
}

fn run() -> WatchedRun {
    let other =
        ProgressRow { number: Some(2), board: "<b>".to_owned(), identity: "b".to_owned(), ..row(2.0, RowEvent::Begin) };
    let mut run = WatchedRun::new("runs/a".to_owned());
    run.apply(ProgressUpdate::Replaced(vec![
        row(1.0, RowEvent::Begin),
        other,
        layer(10.0, 9, 4),
        layer(11.0, 10, 8),
        row(12.0, RowEvent::Time),
    ]));
    run
}

#[test]
fn a_view_tells_what_the_screens_tell() {
    let view = RunView::of(&run(), 2);
    assert_eq!((view.elapsed, view.boards, view.active), (12.0, Some(2), false));
    assert_eq!(view.events.len(), 2, "the last ones alone");
    let begun: Vec<_> = view.begun.iter().map(|board| (board.number, board.name.as_str())).collect();
    assert_eq!(begun, [(1, "a.txt"), (2, "<b>")]);
    let board = view.board.unwrap();
    assert_eq!((board.range.as_str(), board.word.as_str(), board.end), ("12 <= optimum <= 40, gap 28", "moves", 11.0));
    assert_eq!(board.proven, [(0.0, 1.0), (9.0, 10.0), (10.0, 11.0), (11.0, 12.0)]);
    assert_eq!(board.best, [(0.0, 40.0)]);
    let growth: Vec<_> = board.layers.iter().map(|layer| (layer.f, layer.expanded, layer.growth)).collect();
    assert_eq!(growth, [(9, 4, None), (10, 8, Some(2.0))]);
    assert_eq!(board.now, Some(NowView { f: 12, expanded: 30, open: Some(10), share: Some(75) }));
    assert_eq!(board.bars, [("mem".to_owned(), 0.75)]);
    assert!(board.notes[0].starts_with("50.0 k/s"), "{:?}", board.notes);
}

/// A page does not name the process, and a report forecasts nothing.
#[test]
fn a_page_tells_that_a_run_is_active_and_a_report_nothing_of_the_time_to_come() {
    let next = ProgressRow { next_checkpoint: Some(240.0), done: 1, ..row(13.0, RowEvent::Time) };
    let mut run = run();
    run.process_state = ProcessState::Active("6694".to_owned());
    run.apply(ProgressUpdate::Appended(vec![ProgressRow { rate: None, open: vec![(13, 1)], ..next }]));
    let view = RunView::of(&run, 2);
    assert_eq!((view.state.as_str(), RunLine::of(&run).state.as_str()), ("running", "running"));
    let board = view.board.unwrap();
    assert_eq!(board.notes, [""; 0], "nothing rather than nonsense");
    assert!(board.resources.contains(&"next in 4m 0s".to_owned()), "{:?}", board.resources);
    run.is_report = true;
    for board in [BoardView::of(&run), BoardView::of(&run.only_board(1))] {
        let told = board.unwrap().resources;
        assert!(!told.iter().any(|word| word.starts_with("next")), "{told:?}");
    }
}

#[test]
fn the_boards_that_are_left_are_estimated_by_those_that_are_done() {
    let mut run = run();
    run.process_state = ProcessState::Active("7".to_owned());
    let row = ProgressRow { boards: Some(12), done: 4, rate: None, open: Vec::new(), ..row(40.0, RowEvent::Time) };
    run.apply(ProgressUpdate::Appended(vec![row.clone()]));
    assert_eq!(BoardView::of(&run).unwrap().notes, ["all boards: about 80 s more"]);
    run.apply(ProgressUpdate::Appended(vec![ProgressRow { event: RowEvent::Board, done: 12, ..row }]));
    assert_eq!(BoardView::of(&run).unwrap().notes, ["ended: unknown"]);
}

#[test]
fn another_board_has_its_own_rows() {
    let board = BoardView::of(&run().only_board(2)).unwrap();
    assert_eq!((board.name.as_str(), board.layers.len(), board.end), ("<b>", 0, 0.0));
    assert!(BoardView::of(&run().only_board(3)).is_none());
}

/// A curve of very many rows has few points, and the last point is among them.
#[test]
fn curves_are_thinned_out() {
    let mut run = WatchedRun::new("runs/a".to_owned());
    run.apply(ProgressUpdate::Replaced((0..4_321).map(|at| row(f64::from(at), RowEvent::Time)).collect()));
    let rate = BoardView::of(&run).unwrap().rate;
    assert!(rate.len() <= 501 && rate.last() == Some(&(4_320.0, 50_000.0)), "{:?}", rate.last());
}

/// A result in JSON with these fields.
fn result(fields: Value) -> String {
    let mut record = serde_json::to_value(optimal()).unwrap();
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record.to_string()
}

/// The results of a file in JSON with these lines, and the notes about it.
fn results(lines: &[String]) -> (Vec<ResultView>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let mut document = Document::default();
    document.add(&file, 0).unwrap();
    (document.runs.remove(0).results.unwrap(), document.notes)
}

/// The result of each board, as pages show it.
fn boards(results: &[ResultView]) -> Vec<BoardView> {
    let record = |result: &ResultView| match result {
        ResultView::Record(record) => Some(BoardView::of_result(record)),
        ResultView::Missing(_) => None,
    };
    results.iter().filter_map(record).collect()
}

#[test]
fn the_last_result_of_a_board_counts() {
    let score = json!({ "number": 1, "objective": "score", "ceiling": 99, "score": 70, "cost": 29, "lower_bound": 29 });
    let lines = [
        result(json!({ "number": 2, "status": "feasible", "stopped": "time-limit", "cost": 9, "lower_bound": 7 })),
        result(score),
        "not a result\n".to_owned(),
        result(json!({ "number": 2, "cost": 8, "lower_bound": 8 })),
        r#"{"number":3,"board":"c","status":"not-begun","error":null}"#.to_owned(),
        r#"{"number":null,"board":null,"status":"error","error":"no board"}"#.to_owned(),
    ];
    let (results, notes) = results(&lines);
    let boards = boards(&results);
    let told: Vec<_> = boards.iter().map(|board| (board.number, board.range.as_str())).collect();
    assert_eq!(told, [(Some(1), "optimum 70 (proven)"), (Some(2), "optimum 8 (proven)")]);
    assert_eq!(boards[1].ended.as_deref(), Some("optimal"));
    assert!(matches!(&results[2], ResultView::Missing(missing) if missing.status == "not-begun"), "{results:?}");
    assert!(notes.len() == 2 && notes[0].contains("damaged") && notes[1].ends_with("1 board"), "{notes:?}");
}

/// A report is one file: it refers to no other file, and no text of the data ends its script.
#[test]
fn a_report_is_one_file() {
    let mut document = Document { title: "</script><b>".to_owned(), ..Document::default() };
    document.runs.push(RunView::of(&run(), 10));
    let html = document.to_html().unwrap();
    assert!(html.contains("<title>&lt;/script&gt;&lt;b&gt;</title>"));
    assert_eq!(html.matches("</script>").count(), 2, "the data and the modules");
    assert!(!html.contains("\nimport ") && !html.contains("\nexport "));
    let outside = html.matches("http://").count() + html.matches("https://").count();
    let names = html.matches("http://www.w3.org/").count();
    assert_eq!(outside, names, "names of formats alone");
    let data = html.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["title"], "</script><b>");
    assert_eq!(data["runs"][0]["board"]["name"], "a.txt");
}

/// A result that was changed on disk is skipped.
#[test]
fn a_damaged_result_does_not_count() {
    let line = gridhunt_hunt::line_checksum::append(&result(json!({ "cost": 3, "lower_bound": 3 })));
    let (found, notes) = results(&[line.clone(), line.replace("\"cost\":3", "\"cost\":2")]);
    assert_eq!((&*boards(&found)[0].range, notes.len()), ("optimum 3 (proven)", 1));
}
