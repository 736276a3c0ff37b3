//! Makes a configuration from a JSON object with its keys.

use crate::errors::{Raise, option_error};
use gridhunt::hunt::Config;
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// The options of a call, completed by `board_configs`, the options that the boards state.
///
/// # Errors
/// When there is no such option, it has no such value, or options contradict each other.
pub fn config<'a>(json: &str, board_configs: impl IntoIterator<Item = &'a Config>) -> PyResult<Config> {
    let mut config = of_call(json)?;
    let mut board_configs = board_configs.into_iter();
    if let Some(first) = board_configs.next() {
        if board_configs.any(|other| other != first) {
            return Err(option_error("found boards of several puzzles or rules, expected one puzzle in one call"));
        }
        if config.domain.is_none() || config.domain == first.domain {
            config.fill_from(first.clone());
        }
    }
    config.check().map_err(Raise::raise)?;
    Ok(config)
}

/// The options of a call alone. They override the options of the configuration that the key `config` names. Files and
/// directories are arguments of a call, not options, so those of the configuration are left out.
pub fn of_call(json: &str) -> PyResult<Config> {
    let mut options: Map<String, Value> = serde_json::from_str(json).map_err(option_error)?;
    let base = match options.remove("config") {
        None => Config::default(),
        Some(Value::String(name)) => Config::load(&name).map_err(Raise::raise)?,
        Some(found) => return Err(option_error(format!("config: found {found}, expected a name or a path"))),
    };
    // Each parameter of the call overrides one of the configuration; its other parameters stay.
    if let (Some(Value::Object(overrides)), Ok(Value::Object(mut parameters))) =
        (options.get_mut("parameters"), serde_json::to_value(base.parameters))
    {
        parameters.append(overrides);
        *overrides = parameters;
    }
    let has_parameters = options.contains_key("parameters");
    let mut config = Config::from_json(Value::Object(options)).map_err(Raise::raise)?;
    let Config { run, dataset, boards, format, .. } = &config;
    let are_given = [run.is_some(), dataset.is_some(), boards.is_some(), format.is_some()];
    match ["run", "dataset", "boards", "format"].into_iter().zip(are_given).find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err(option_error(format!("options: found the key {key:?}, which is not a search option"))),
        None => {
            config.parameters = if has_parameters { config.parameters } else { base.parameters };
            config.fill_from(Config { run: None, dataset: None, boards: None, format: None, ..base });
            Ok(config)
        }
    }
}

/// The options of a search of a puzzle that is written in Python.
///
/// # Errors
/// When an option of boards is given.
pub fn of_python_puzzle(json: &str) -> PyResult<Config> {
    let config = of_call(json)?;
    let Config { engine, memory, time_limit, expansions, parameters, .. } = config.clone();
    let allowed = Config { engine, memory, time_limit, expansions, parameters, ..Config::default() };
    if config != allowed {
        return Err(option_error(
            "options: found options of a board, expected only engine, memory, time-limit, expansions and parameters",
        ));
    }
    Ok(config)
}

/// Overrides the options of a run, `run_config`, by those of a call. The puzzle, the rules, the engine and the bound
/// of a run cannot be overridden.
pub fn of_resume(call_options: Config, run_config: Config) -> PyResult<Config> {
    let Config { threads, memory, time_limit, expansions, parallel, spill, disk, checkpoint, .. } =
        call_options.clone();
    let allowed =
        Config { threads, memory, time_limit, expansions, parallel, spill, disk, checkpoint, ..Config::default() };
    if call_options != allowed {
        return Err(option_error(
            "options: found options of a new run, expected only threads, memory, time-limit, expansions, parallel, \
             spill, disk and checkpoint: the run keeps all others",
        ));
    }
    let mut config = Config { parameters: run_config.parameters, ..allowed };
    config.fill_from(run_config);
    config.check().map_err(Raise::raise)?;
    Ok(config)
}
