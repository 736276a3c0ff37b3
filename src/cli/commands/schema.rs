//! `schema`: JSON schemas of all outputs, from a file. A test compares the file with the types.

use crate::cli::args::{OutputKind, Schema};
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use clap::ValueEnum;

#[cfg(all(test, feature = "schema"))]
mod tests;

/// The schema of all outputs.
const FILE: &str = include_str!("schema/schema.json");
const REF: &str = "\"$ref\": \"#/$defs/";

pub fn run(args: &Schema) -> Result<Exit, Failure> {
    let outputs = args.output.as_ref().map_or(OutputKind::value_variants(), std::slice::from_ref);
    let names: Vec<_> = outputs.iter().filter_map(OutputKind::to_possible_value).collect();
    let names: Vec<&str> = names.iter().map(|value| value.get_name()).collect();
    Output::stdout().write(&extract(&names))?;
    Ok(Exit::Done)
}

/// The part of the file for these outputs: their names, their definitions, and the definitions that these refer to.
fn extract(outputs: &[&str]) -> String {
    let (head, body) = FILE.split_once("  \"anyOf\": [").unwrap_or((FILE, ""));
    let (_, definitions) = body.split_once("  \"$defs\": {\n").unwrap_or_default();
    let definitions = definitions.strip_suffix("\n  }\n}\n").unwrap_or(definitions);
    // The name of a definition is indented by four spaces; everything inside the definition is indented by more.
    let definitions: Vec<(&str, &str)> = definitions
        .split(",\n    \"")
        .map(|text| text.strip_prefix("    \"").unwrap_or(text))
        .filter_map(|text| text.split_once('"'))
        .collect();
    let mut needed = outputs.to_vec();
    let mut index = 0;
    while let Some(&name) = needed.get(index) {
        let text = definitions.iter().find(|(other, _)| *other == name).map_or("", |(_, text)| text);
        for name in text.split(REF).skip(1).filter_map(|text| text.split('"').next()) {
            if !needed.contains(&name) {
                needed.push(name);
            }
        }
        index += 1;
    }
    let any: Vec<_> = outputs.iter().map(|name| format!("    {{\n      {REF}{name}\"\n    }}")).collect();
    let selected = definitions.iter().filter(|(name, _)| needed.contains(name));
    let selected: Vec<_> = selected.map(|(name, text)| format!("    \"{name}\"{text}")).collect();
    format!("{head}  \"anyOf\": [\n{}\n  ],\n  \"$defs\": {{\n{}\n  }}\n}}\n", any.join(",\n"), selected.join(",\n"))
}
