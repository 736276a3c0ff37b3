//! The schemas as the types say: what the shipped file must hold.

use super::{FILE, extract};
use crate::cli::args::OutputKind;
use crate::cli::commands::certify::CertificateReport;
use crate::cli::commands::check::JsonProof;
use crate::cli::commands::list::{Bound, Engine};
use crate::cli::commands::stop::StopReport;
use crate::cli::commands::verify::VerdictWithProof;
use clap::ValueEnum;
use gridhunt::hunt::{BoardRecord, SolutionRecord};
use gridhunt::views::{EventLine, MissingRecord, ProgressRow, RunReport, WholeTrial};
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The number of the schemas. Whoever changes what an output holds raises it, and says in `CHANGELOG.md` what changed.
const NUMBER: u32 = 6;

#[test]
fn the_file_holds_what_the_types_say() {
    if cfg!(not(feature = "serve")) {
        return;
    }
    let now = serde_json::to_string_pretty(&document()).expect("JSON") + "\n";
    if now != FILE {
        let place = std::env::temp_dir().join("gridhunt-schema.json");
        std::fs::write(&place, now).expect("a writable folder");
        panic!("an output has changed: cp {} src/cli/commands/schema/schema.json", place.display());
    }
}

#[test]
#[cfg(feature = "serve")]
fn all_parts_are_the_file() {
    let names: Vec<_> = OutputKind::value_variants().iter().filter_map(OutputKind::to_possible_value).collect();
    let names: Vec<&str> = names.iter().map(|value| value.get_name()).collect();
    assert_eq!(extract(&names), FILE);
}

/// The schema of a value that is any output. Each output, and what several of them hold, is a definition.
fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(tidy);
    let mut generator = settings.into_generator();
    let mut any = Vec::new();
    for &output in OutputKind::value_variants() {
        let name = output.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let schema = schema_of(output, &mut generator);
        any.push(json!({ "$ref": format!("#/$defs/{name}") }));
        generator.definitions_mut().insert(name, schema.into());
    }
    json!({
        "$schema": generator.settings().meta_schema,
        "$id": format!("urn:gridhunt:schema:{NUMBER}"),
        "title": "Outputs of gridhunt",
        "anyOf": any,
        "$defs": generator.take_definitions(true),
    })
}

/// The schema of an output: of a value, or of a line of a file.
fn schema_of(output: OutputKind, generator: &mut SchemaGenerator) -> schemars::Schema {
    match output {
        OutputKind::Result => json_schema!({ "anyOf": [
            generator.subschema_for::<BoardRecord>(),
            generator.subschema_for::<MissingRecord>(),
            generator.subschema_for::<SolutionRecord<'_>>(),
        ] }),
        OutputKind::Verify => generator.subschema_for::<VerdictWithProof<'_>>(),
        OutputKind::Certify => generator.subschema_for::<CertificateReport<'_>>(),
        OutputKind::Check => generator.subschema_for::<JsonProof>(),
        OutputKind::Status => generator.subschema_for::<RunReport>(),
        OutputKind::Stop => generator.subschema_for::<StopReport<'_>>(),
        OutputKind::Trial => generator.subschema_for::<WholeTrial<'_>>(),
        OutputKind::Engines => generator.subschema_for::<Vec<Engine>>(),
        OutputKind::Bounds => generator.subschema_for::<Vec<Bound>>(),
        OutputKind::ResultsFile => sealed::<BoardRecord>(generator),
        OutputKind::EventsFile => sealed::<EventLine<'_>>(generator),
        OutputKind::ProgressFile => sealed::<ProgressRow>(generator),
        OutputKind::Board => board(),
        #[cfg(feature = "serve")]
        OutputKind::Serve => generator.subschema_for::<gridhunt::serve::Answer>(),
    }
}

/// A line of a file of a run directory: an object with its checksum behind it.
fn sealed<T: JsonSchema>(generator: &mut SchemaGenerator) -> schemars::Schema {
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
fn board() -> schemars::Schema {
    let field = |kind: &str| json!({ "type": kind });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let numbers = json!({ "type": "array", "items": { "type": "integer" } });
    json_schema!({
        "type": "object",
        "properties": {
            "name": field("string"),
            "domain": field("string"),
            "rows": field("integer"),
            "cols": field("integer"),
            "colours": { "anyOf": [field("integer"), texts] },
            "symbols": field("string"),
            "start": numbers,
            "published": field("integer"),
            "bunny": texts,
            "cells": { "type": "array", "items": { "anyOf": [numbers, texts, field("string")] } },
        },
        "required": ["name"],
    })
}

/// Makes a schema exact: an object has no other fields, those of its kind among them if it has kinds, and a field that
/// may be absent is never null. Removes what says nothing of JSON: types of Rust, defaults of readers, links between
/// documents of the code.
fn tidy(schema: &mut schemars::Schema) {
    transform_subschemas(&mut (tidy as fn(&mut schemars::Schema)), schema);
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
    let others = match schema.get_mut("oneOf") {
        Some(Value::Array(kinds)) => {
            kinds.iter_mut().filter_map(Value::as_object_mut).for_each(|kind| _ = kind.remove("additionalProperties"));
            "unevaluatedProperties"
        }
        _ => "additionalProperties",
    };
    schema.insert(others.to_owned(), false.into());
}
