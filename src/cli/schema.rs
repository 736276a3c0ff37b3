//! `schema`: JSON schemas of all outputs, made from the types that are written.

use super::args;
use super::certify::Made;
use super::check::JsonProof;
use super::exit::{Exit, Failure};
use super::list::{Bound, Engine};
use super::output::Output;
use super::stop::Asked;
use super::verify::WithProof;
use gridhunt::hunt::BoardRecord;
use gridhunt::report::{EventLine, MissingRecord, PartsReport, ProgressRow, RunReport, WholeTrial};
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The number of the schemas. Whoever changes what an output holds raises it, and says in `CHANGELOG.md` what changed.
const NUMBER: u32 = 1;

/// What makes the schema of an output.
type Make = fn(&mut SchemaGenerator) -> Schema;

/// All outputs: the name, and the schema of a value, or of a line of a file.
pub const OUTPUTS: [(&str, Make); 13] = [
    ("result", either::<BoardRecord, MissingRecord>),
    ("verify", SchemaGenerator::subschema_for::<WithProof<'_>>),
    ("certify", SchemaGenerator::subschema_for::<Made<'_>>),
    ("check", SchemaGenerator::subschema_for::<JsonProof>),
    ("status", either::<RunReport, PartsReport>),
    ("stop", SchemaGenerator::subschema_for::<Asked<'_>>),
    ("trial", SchemaGenerator::subschema_for::<WholeTrial<'_>>),
    ("engines", SchemaGenerator::subschema_for::<Vec<Engine>>),
    ("bounds", SchemaGenerator::subschema_for::<Vec<Bound>>),
    ("results.jsonl", sealed::<BoardRecord>),
    ("events.jsonl", sealed::<EventLine<'_>>),
    ("progress.jsonl", sealed::<ProgressRow>),
    ("board", board),
];

pub fn run(args: &args::Schema) -> Result<Exit, Failure> {
    let is_asked = |name: &str| args.output.as_deref().is_none_or(|asked| asked == name);
    let outputs: Vec<_> = OUTPUTS.into_iter().filter(|(name, _)| is_asked(name)).collect();
    let text = serde_json::to_string_pretty(&document(&outputs)).map_err(Failure::internal)?;
    Output::stdout().write(&(text + "\n"))?;
    Ok(Exit::Done)
}

/// The schema of a value that is any of these outputs. Each output, and what several of them hold, is a definition.
fn document(outputs: &[(&str, Make)]) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(tidy);
    let mut generator = settings.into_generator();
    for (name, make) in outputs {
        let schema = make(&mut generator);
        generator.definitions_mut().insert((*name).to_owned(), schema.into());
    }
    let any: Vec<_> = outputs.iter().map(|(name, _)| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    json!({
        "$schema": generator.settings().meta_schema,
        "$id": format!("urn:gridhunt:schema:{NUMBER}"),
        "title": "Outputs of gridhunt",
        "anyOf": any,
        "$defs": generator.take_definitions(true),
    })
}

/// An object of one of two kinds.
fn either<A: JsonSchema, B: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [generator.subschema_for::<A>(), generator.subschema_for::<B>()] })
}

/// A line of a file of a run directory: an object with its checksum behind it.
fn sealed<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used: the checksum is that of the text")]
    struct Sealed<T> {
        #[serde(flatten)]
        line: T,
        /// The CRC-32 of the line before this field.
        checksum: String,
    }
    Sealed::<T>::json_schema(generator)
}

/// A board in the format `json`. The crate of the boards writes it without a type.
fn board(_: &mut SchemaGenerator) -> Schema {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let numbers = json!({ "type": "array", "items": { "type": "integer" } });
    json_schema!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "domain": { "type": "string" },
            "rows": { "type": "integer" },
            "cols": { "type": "integer" },
            "colours": { "anyOf": [{ "type": "integer" }, texts] },
            "symbols": { "type": "string" },
            "start": numbers,
            "published": { "type": "integer" },
            "bunny": texts,
            "cells": { "type": "array", "items": { "anyOf": [numbers, texts, { "type": "string" }] } },
        },
        "required": ["name"],
    })
}

/// Makes a schema exact: an object has no other fields, and a field that may be absent is never null. Removes what says nothing of JSON: types of Rust, defaults of
/// readers, links between documents of the code.
fn tidy(schema: &mut Schema) {
    transform_subschemas(&mut (tidy as fn(&mut Schema)), schema);
    schema.remove("format");
    schema.remove("default");
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("[`", "`").replace("`]", "`").replace('\n', " ");
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|other| other == name));
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !is_required(name)) {
        for key in ["type", "anyOf"] {
            if let Some(Value::Array(kinds)) = field.get_mut(key) {
                kinds.retain(|kind| kind != "null" && kind.get("type").is_none_or(|kind| kind != "null"));
            }
        }
    }
    schema.insert("additionalProperties".to_owned(), false.into());
}
