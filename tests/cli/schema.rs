//! `schema`: what the program writes is what its schemas and the page about outputs say.
//!
//! Every test that runs the program with `--json` by way of [`gridhunt`] checks the output: see [`check_output`].

use super::boards::{SMALL, hard, many};
use super::{Command, Folder, gridhunt};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The schemas of the program.
static SCHEMAS: LazyLock<Value> = LazyLock::new(|| {
    let output = Command::cargo_bin("gridhunt").expect("the binary").arg("schema").output().expect("the program");
    serde_json::from_slice(&output.stdout).expect("JSON")
});

/// The keywords that say nothing about a value, or are looked at with others.
const QUIET: [&str; 3] = ["description", "minimum", "maximum"];

/// What is wrong with a value, by a schema among [`SCHEMAS`].
///
/// # Panics
/// With a keyword that it does not know: such a schema would not be checked.
fn fault(value: &Value, schema: &Value) -> Option<String> {
    let wrong = |why: &str| Some(format!("{value} {why} {schema}"));
    let keywords = schema.as_object().map(|schema| schema.iter()).into_iter().flatten();
    keywords.filter(|(name, _)| !QUIET.contains(&name.as_str())).find_map(|(name, by)| match (name.as_str(), by) {
        ("$ref", by) => fault(value, target(by)),
        ("const", by) => (value != by).then(|| wrong("is not"))?,
        ("type", by) => (!types(by).any(|kind| is_of(value, kind, schema))).then(|| wrong("is none of"))?,
        ("anyOf", Value::Array(all)) => {
            all.iter().all(|one| fault(value, one).is_some()).then(|| wrong("is none of"))?
        }
        ("oneOf", Value::Array(all)) => {
            (all.iter().filter(|one| fault(value, one).is_none()).count() != 1).then(|| wrong("is not one of"))?
        }
        ("properties", Value::Object(fields)) => {
            let places = value.as_object()?.keys().filter_map(|key| fields.keys().position(|name| name == key));
            if !places.is_sorted() {
                return wrong("is in another order than");
            }
            let fields = fields.iter().filter_map(|(name, schema)| Some((name, value.get(name)?, schema)));
            fields.filter_map(|(name, value, schema)| Some(format!("{name}: {}", fault(value, schema)?))).next()
        }
        ("required", Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|name| value.get(name).is_none()).and_then(|name| wrong(&format!("lacks {name}")))
        }
        ("additionalProperties", Value::Bool(false)) => {
            let mut names = value.as_object()?.keys();
            names.find(|name| schema["properties"].get(name).is_none()).and_then(|name| wrong(&format!("has {name}")))
        }
        ("unevaluatedProperties", Value::Bool(false)) => {
            let kind = kinds_of(schema).find(|one| fault(value, one).is_none())?;
            let is_known = |name: &&String| [schema, kind].iter().any(|part| part["properties"].get(name).is_some());
            value.as_object()?.keys().find(|name| !is_known(name)).and_then(|name| wrong(&format!("has {name}")))
        }
        ("items", by) => value.as_array()?.iter().find_map(|item| fault(item, by)),
        ("prefixItems", Value::Array(all)) => value.as_array()?.iter().zip(all).find_map(|(item, by)| fault(item, by)),
        ("minItems", by) => (value.as_array()?.len() < by.as_u64()? as usize).then(|| wrong("is too short"))?,
        ("maxItems", by) => (value.as_array()?.len() > by.as_u64()? as usize).then(|| wrong("is too long"))?,
        unknown => panic!("{unknown:?} is not checked"),
    })
}

fn types(by: &Value) -> impl Iterator<Item = &str> {
    by.as_array().map_or(std::slice::from_ref(by), Vec::as_slice).iter().filter_map(Value::as_str)
}

fn is_of(value: &Value, kind: &str, schema: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64() && schema.get("minimum").is_none(),
        other => panic!("{other:?} is not checked"),
    }
}

/// The definition that a `$ref` names.
fn target(by: &Value) -> &'static Value {
    let name = by.as_str().and_then(|by| by.strip_prefix("#/$defs/")).expect("a definition");
    SCHEMAS["$defs"].get(name).unwrap_or_else(|| panic!("no {name}"))
}

/// Holds each line of `text` against the schema of an output, or against another definition.
pub fn check(output: &str, text: &str) {
    for line in text.lines() {
        let value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{output}: {error}: {line}"));
        assert_eq!(fault(&value, &json!({ "$ref": format!("#/$defs/{output}") })), None, "{output}: {line}");
    }
}

/// The definitions of the answers of `serve`.
pub fn answers() -> impl Iterator<Item = &'static str> {
    let all = SCHEMAS["$defs"]["Answer"]["anyOf"].as_array().expect("answers");
    all.iter().map(|one| one["$ref"].as_str().and_then(|one| one.strip_prefix("#/$defs/")).expect("a definition"))
}

/// Holds what the program has printed with these arguments against the schema of the output, if it is JSON.
pub fn check_output(args: &[String], stdout: &[u8]) {
    let is_asked = |name: &str| args.iter().any(|arg| arg == name);
    let Some(command) = args.first().filter(|_| is_asked("--json")) else { return };
    let output = match command.as_str() {
        "solve" | "hunt" | "resume" | "results" => "result",
        "status" => "status",
        "bounds" if args.iter().any(|arg| !arg.starts_with('-') && arg != "bounds") => "trial",
        same => same,
    };
    check(output, str::from_utf8(stdout).expect("UTF-8"));
}

/// The kinds of values, with every field there and absent, that other tests do not print.
#[test]
fn every_output_has_the_form_that_its_schema_gives() {
    let folder = Folder::new(&[("small.txt", SMALL), ("hard.txt", &hard()), ("many.txt", &many(3))]);
    let [small, hard, many, run, hunt, rows] =
        ["small.txt", "hard.txt", "many.txt", "run", "hunt", "rows.jsonl"].map(|name| folder.path(name));
    let solve = ["solve", &hard, "--run", &run, "--expansions", "1000", "--engine", "best-first", "--quiet", "--json"];
    gridhunt(&solve).assert().code(7);
    gridhunt(&["status", &run, "--json"]).assert().success();
    gridhunt(&["status", &run, "--check", "--json"]).assert().success();
    gridhunt(&["stop", &run, "--json"]).assert().success();
    let config = folder.write("hunt.toml", &format!("dataset = '{many}'\nformat = 'lines'\n"));
    gridhunt(&["hunt", &config, "--run", &hunt, "--boards", "1-2", "--quiet", "--json"]).assert().success();
    gridhunt(&["results", &hunt, "--json"]).assert().success();
    gridhunt(&["bounds", &small, "--json", "--quiet"]).assert().success();
    let bad = folder.write("bad.txt", "12?3\n");
    gridhunt(&["solve", &small, &bad, &many, "-q", "--json", "--progress", &rows]).assert().code(3);
    for name in ["results.jsonl", "events.jsonl", "progress.jsonl"] {
        let text = fs::read_to_string(folder.path(&format!("run/{name}"))).expect("a file of a run");
        assert!(!text.is_empty(), "{name}");
        check(name, &text);
    }
    check("progress.jsonl", &fs::read_to_string(rows).expect("rows"));
    check("board", &fs::read_to_string(folder.path("run/boards.json")).expect("boards"));
    for more in ["", "--kind random", "--kind clearable", "--domain flood-it", "--start centre"] {
        let args = format!("generate --rows 9 --count 2 --format json {more}");
        let output = gridhunt(&args.split_whitespace().collect::<Vec<_>>()).assert().success();
        check("board", str::from_utf8(&output.get_output().stdout).expect("UTF-8"));
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let proof = json!({
        "file": "-", "proven": true, "reason": null, "claim": "", "bound": 1, "optimal": true, "records": 2,
    });
    let by = &SCHEMAS["$defs"]["check"];
    assert_eq!(fault(&proof, by), None);
    let wrong = [("file", json!(null)), ("bound", json!(1.5)), ("records", json!(-1)), ("more", json!(1))];
    for (name, value) in wrong {
        let mut changed = proof.clone();
        changed[name] = value;
        assert!(fault(&changed, by).is_some(), "{changed}");
    }
    let mut shorter = proof.clone();
    shorter.as_object_mut().expect("an object").remove("optimal");
    assert!(fault(&shorter, by).is_some());
    assert!(fault(&json!("soon"), &SCHEMAS["$defs"]["StopReason"]).is_some());
    let by = &SCHEMAS["$defs"]["events.jsonl"];
    let event = |event: &str, value: Value, more: &str| json!({ "time": 1.5, "number": 1, "board": "a", "event": event, "value": value, more: [1], "checksum": "" });
    assert_eq!(fault(&event("incumbent", json!(1), "moves"), by), None);
    for (kind, value, more) in
        [("note", json!(1), "moves"), ("note", json!("a"), "moves"), ("incumbent", json!(1), "more")]
    {
        assert!(fault(&event(kind, value, more), by).is_some(), "{kind} {more}");
    }
}

#[test]
fn one_schema_holds_what_it_needs() {
    let all = SCHEMAS["anyOf"].as_array().expect("outputs");
    for output in all.iter().filter_map(|output| output["$ref"].as_str()) {
        let name = output.strip_prefix("#/$defs/").expect("a definition");
        let assert = gridhunt(&["schema", name]).assert().success();
        let one: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
        assert_eq!((&one["$id"], &one["anyOf"]), (&SCHEMAS["$id"], &json!([{ "$ref": output }])));
        let definitions = one["$defs"].as_object().expect("definitions");
        assert!(definitions.iter().all(|(name, schema)| *schema == SCHEMAS["$defs"][name]), "{name}");
        let text = one.to_string();
        let mut named = text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next());
        assert!(named.all(|name| definitions.contains_key(name)), "{name}");
    }
    gridhunt(&["schema", "none"]).assert().code(2);
}

/// Leaves out what is for people, and the order of alternatives.
fn bare(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, value| name != "description" || !value.is_string());
            object.values_mut().for_each(bare);
            for name in ["oneOf", "anyOf", "enum"] {
                if let Some(Value::Array(alternatives)) = object.get_mut(name) {
                    alternatives.sort_by_cached_key(Value::to_string);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(bare),
        _ => {}
    }
}

/// The file holds the schemas that were published last, a definition a line.
#[test]
fn no_schema_changes_without_its_number() {
    const KEPT: &str = "tests/data/schema.jsonl";
    if cfg!(not(feature = "serve")) {
        return;
    }
    let mut schemas = SCHEMAS.clone();
    bare(&mut schemas);
    let definitions = schemas["$defs"].as_object().expect("definitions");
    let lines: String = definitions.iter().map(|(name, schema)| json!({ name: schema }).to_string() + "\n").collect();
    let id = schemas["$id"].as_str().expect("an id");
    let now = format!("{}\n{lines}", json!({ "$id": id }));
    let kept = fs::read_to_string(KEPT).unwrap_or_default();
    if now != kept {
        let is_raised = !kept.starts_with(&json!({ "$id": id }).to_string());
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema.jsonl");
        fs::write(&place, now).expect("a writable folder");
        let place = place.display();
        assert!(
            is_raised,
            "an output has changed: raise NUMBER in src/cli/commands/schema/tests.rs, say in CHANGELOG.md what changed"
        );
        panic!("the number was raised: cp {place} {KEPT}");
    }
    let changes = fs::read_to_string("CHANGELOG.md").expect("a page");
    let number = id.rsplit(':').next().expect("a number");
    assert!(changes.contains(&format!("schema {number}")), "CHANGELOG.md says nothing of schema {number}");
}

/// The tables of the page about outputs: a heading, the number of the table below it, the definition.
const TABLES: [(&str, usize, &str); 12] = [
    ("`solve --json`", 0, "results.jsonl"),
    ("`solve --json`", 1, "MissingRecord"),
    ("`solve --json`", 2, "SolutionRecord"),
    ("`verify --json`", 0, "Verified"),
    ("`certify --json`", 0, "Certified"),
    ("`certify --json`", 1, "Proof"),
    ("`status --json`", 0, "RunReport"),
    ("`stop --json`", 0, "Asked"),
    ("Files of a run directory", 0, "events.jsonl"),
    ("`engines --json`", 0, "Engine"),
    ("`engines --json`", 1, "Bound"),
    ("Boards in JSON", 0, "board"),
];

/// The fields in a table of the page, with their types: `a`, `a.b` and `a[].b` stand as they are.
fn fields_of_page(page: &str, heading: &str, table: usize) -> Vec<(String, String)> {
    let part = page.split("\n## ").find(|part| part.starts_with(heading)).unwrap_or_else(|| panic!("no {heading}"));
    let rows = part.split("| field | type |").nth(table + 1).unwrap_or_else(|| panic!("{heading}: no table {table}"));
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| {
        let cells: Vec<_> = row.split(" | ").collect();
        let names: Vec<_> = cells[0].split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let types: Vec<_> = cells[1].split(", ").map(str::to_owned).collect();
        let of_name = if types.len() == names.len() { types } else { vec![cells[1].to_owned(); names.len()] };
        names.into_iter().zip(of_name)
    })
    .collect()
}

/// What stands first in the cells of a column of a table of the page, as code.
fn cells_of_page<'a>(page: &'a str, head: &str, column: usize) -> impl Iterator<Item = &'a str> {
    let rows = page.split(&format!("\n{head}\n")).nth(1).unwrap_or_else(|| panic!("no {head}")).lines().skip(1);
    rows.take_while(|row| row.starts_with('|')).filter_map(move |row| row.split(" | ").nth(column)?.split('`').nth(1))
}

/// The words of the page for the type of a field.
fn is_told(kind: &str, field: &'static Value) -> bool {
    let parts = field.get("anyOf").and_then(Value::as_array).map_or(vec![field], |parts| parts.iter().collect());
    let parts = parts.into_iter().map(|part| part.get("$ref").map_or(part, target));
    let kinds: Vec<&str> = parts
        .flat_map(|part| part.get("oneOf").and_then(Value::as_array).map_or(vec![part], |one| one.iter().collect()))
        .flat_map(|part| part.get("type").into_iter().flat_map(types))
        .collect();
    let is_null = kinds.contains(&"null");
    let word = kind.split([' ', ',']).next().unwrap_or(kind);
    let expected = match word {
        "text" => "string",
        "list" => "array",
        "true" => "boolean",
        "object" => "object",
        "any" => return kinds.is_empty(),
        _ if kinds.contains(&"number") => "number",
        _ => "integer",
    };
    kinds.contains(&expected) && is_null == kind.contains("null")
}

/// The kinds of an object whose further fields depend on its kind.
fn kinds_of(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().into_iter().flatten()
}

/// The fields of an object, each with a prefix. Those of its kinds stand before the last of all, the checksum; one of
/// several types is null.
fn fields_of_schema<'a>(schema: &'a Value, prefix: &str) -> Vec<(String, &'a Value)> {
    let of = |schema: &'a Value| schema["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<(String, &Value)> = Vec::new();
    for (name, field) in of(schema).chain(kinds_of(schema).flat_map(of)) {
        let name = format!("{prefix}{name}");
        match fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if known.get("type") != field.get("type") => *known = &Value::Null,
            Some(_) => {}
            None => fields.push((name, field)),
        }
    }
    let own = of(schema).count();
    if own < fields.len() {
        fields[own - 1..].rotate_left(1);
    }
    fields
}

/// The object that a field holds, or that its elements are, and what stands between their names.
fn inner(field: &'static Value) -> Option<(&'static str, &'static Value)> {
    let field = field.get("anyOf").and_then(|parts| parts.get(0)).unwrap_or(field);
    let field = field.get("$ref").map_or(field, target);
    match field.get("items") {
        Some(items) => Some(("[].", items.get("$ref").map_or(items, target))),
        None => field.get("properties").map(|_| (".", field)),
    }
}

#[test]
fn the_page_about_outputs_names_the_events_and_the_answers_of_the_schemas() {
    let page = fs::read_to_string("docs/output.md").expect("a page");
    let events = kinds_of(&SCHEMAS["$defs"]["events.jsonl"]).map(|kind| &kind["properties"]["event"]["const"]);
    assert!(cells_of_page(&page, "| `event` | `value` |", 0).eq(events.filter_map(Value::as_str)));
    let is_told = |name: &str| cells_of_page(&page, "| address | answer | content |", 1).any(|told| told == name);
    assert!(cfg!(not(feature = "serve")) || answers().all(is_told));
}

/// The table has all fields of an object within another, or none; then the text names them.
#[test]
fn the_page_about_outputs_names_the_fields_of_the_schemas() {
    let page = fs::read_to_string("docs/output.md").expect("a page");
    let is_mentioned = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name);
        page.contains(&format!("`{name}`")) || page.contains(&format!(".{name}`"))
    };
    for (heading, table, name) in TABLES {
        let told = fields_of_page(&page, heading, table);
        let mut expected = Vec::new();
        for (name, field) in fields_of_schema(&SCHEMAS["$defs"][name], "") {
            let (between, within) = inner(field).unwrap_or(("", &Value::Null));
            let within = fields_of_schema(within, &format!("{name}{between}"));
            expected.push((name, field));
            if within.iter().any(|(name, _)| told.iter().any(|(told, _)| told == name)) {
                expected.extend(within);
            } else if let Some((name, _)) = within.iter().find(|(name, _)| !is_mentioned(name)) {
                panic!("{heading}: nothing is said of {name}");
            }
        }
        let names = |fields: &[(String, &Value)]| fields.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(
            told.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
            names(&expected),
            "{heading}: {name}"
        );
        for ((name, kind), (_, field)) in told.iter().zip(&expected) {
            assert!(is_told(kind, field), "{heading}: {name}: the page says {kind:?}, the schema {field}");
        }
    }
}
