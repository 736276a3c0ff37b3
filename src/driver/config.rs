//! Named sets of parameters: `configs/NAME.toml`.
//!
//! The keys are the long flags of `solve`. The parameters of the engines stand under `[parameters]`:
//!
//! ```
//! let text = "engine = 'best-first'\nmemory = '4GiB'\ntime-limit = '10m'\n\n[parameters]\nbeam-width = 200\n";
//! let config = gridhunt::driver::Config::parse("fast.toml", text)?;
//! assert_eq!(config.request().limits.memory, Some(4 << 30));
//! # Ok::<(), gridhunt::driver::ConfigError>(())
//! ```

use super::run_error::FOLDER;
use super::{Config, ConfigError, DriverError};
use std::path::Path;

impl Config {
    /// Reads a configuration: a path, or a bare name that stands for `configs/NAME.toml`.
    ///
    /// # Errors
    /// When the file does not exist, cannot be read, or does not hold a configuration.
    pub fn load(name_or_path: &str) -> Result<Self, ConfigError> {
        let bare = !name_or_path.contains(['/', std::path::MAIN_SEPARATOR]) && !name_or_path.ends_with(".toml");
        let path = if bare { Path::new(FOLDER).join(format!("{name_or_path}.toml")) } else { name_or_path.into() };
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&path.display().to_string(), &text),
            Err(e) if bare && e.kind() == std::io::ErrorKind::NotFound => {
                Err(ConfigError::UnknownName { name: name_or_path.to_owned(), known: known_names() })
            }
            Err(source) => Err(ConfigError::Read { path, source }),
        }
    }

    /// Reads the text of a configuration. Errors name the text `file`.
    ///
    /// # Errors
    /// When the text is not a configuration. The error names the line and the column.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|e| {
            let before = &text[..e.span().map_or(0, |s| text.floor_char_boundary(s.start))];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            ConfigError::Unexpected {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before[line_start..].chars().count() + 1,
                message: e.message().trim().replace('\n', "; "),
            }
        })
    }

    /// Refuses options that contradict each other.
    ///
    /// # Errors
    /// When an option of another puzzle is given, or [`Request::check`](crate::driver::Request::check) refuses the
    /// request.
    pub fn check(&self) -> Result<(), DriverError> {
        let request = self.request();
        let domain = request.domain;
        for (what, puzzle) in self.of_one_puzzle() {
            if puzzle != domain.name() {
                return Err(DriverError::Foreign { what, domain, expected: puzzle.parse().unwrap_or_default() });
            }
        }
        request.check()
    }

    /// Writes the configuration, without the boards and the run directory. [`Config::parse`] reads the text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut table = self.table();
        // The conversion cannot fail: all parameters are whole numbers, and TOML holds whole numbers.
        table.extend(toml::Value::try_from(self.parameters).ok().map(|value| ("parameters".to_owned(), value)));
        table.to_string()
    }
}

/// The names of the files in the folder of configurations.
fn known_names() -> String {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Columns, Corner, Objective, Rules};
    use crate::domain::clickomania::Order;
    use crate::driver::{Parallel, PuzzleId, Request};
    use crate::engine::{EngineKind, Parameters};
    use crate::runtime::Limits;
    use std::time::Duration;

    #[test]
    fn everything_can_be_said() {
        let text = r#"
            domain = "flood-it"
            engine = "beam"
            bound = "elimination+release"
            threads = 3
            memory = "1MiB"
            time-limit = "1m 30s"
            expansions = 5
            parallel = "search"
            [parameters]
            beam-width = 7
        "#;
        let config = Config::parse("x.toml", text).unwrap();
        assert_eq!(config.parallel, Some(Parallel::Search));
        assert_eq!(config.domain, Some(PuzzleId::default()));
        let request = config.request();
        assert_eq!((request.engine, request.threads), (EngineKind::Beam, 3));
        assert_eq!(request.bound.clone().unwrap().to_string(), "elimination+release");
        let [memory, resident] = [Some(1 << 20); 2];
        let limits = Limits { time: Some(Duration::from_secs(90)), memory, resident, expansions: Some(5) };
        assert_eq!(request.limits, limits);
        assert_eq!(request.parameters, Parameters { beam_width: 7, ..Parameters::default() });
    }

    #[test]
    fn rules_are_said_and_kept_and_refused_elsewhere() {
        let text = "domain = 'clickomania'\nobjective = 'left'\nmin-group = 1\ncolumns = 'stay'\ncorner = 'top-right'\norder = 'distances'\n";
        let config = Config::parse("x.toml", text).unwrap();
        let request = config.request();
        let rules = Rules { min_group: 1, columns: Columns::Stay, corner: Corner::TopRight };
        assert_eq!((request.rules, request.objective, request.order), (rules, Objective::Left, Order::Distances));
        assert_eq!(Config::parse("y.toml", &config.to_text()).unwrap().request(), request);
        assert!(config.check().is_ok());
        let cases = [
            ("objective = 'left'", "found objective for the domain flood-it, expected it for clickomania alone"),
            (
                "domain = 'clickomania'\nbound = 'pairs'",
                "found bound for the domain clickomania, expected it for flood-it alone",
            ),
            (
                "domain = 'bunny'\nengine = 'ida'",
                "found the engine ida for the domain bunny, expected one of: auto, synthesis, anneal",
            ),
            (
                "domain = 'clickomania'\norder = 'maxX+minY'",
                "found the order maxX+minY for the engine auto, expected it for branch-and-bound alone",
            ),
            (
                "engine = 'synthesis'",
                "found the engine synthesis for the domain flood-it, expected one of: auto, best-first",
            ),
        ];
        for (text, expected) in cases {
            let error = Config::parse("x.toml", text).unwrap().check().unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }

    #[test]
    fn nothing_said_means_the_defaults() {
        let request = Config::parse("x.toml", "").unwrap().request();
        let memory = request.limits.memory;
        assert_eq!(request, Request { limits: Limits { memory, ..Limits::default() }, ..Request::default() });
    }

    #[test]
    fn errors_say_where_what_and_what_instead() {
        let cases = [
            ("engine = \"auto\"\nspeed = 3\n", "x.toml:2:1: unknown field `speed`, expected one of `domain`"),
            ("engine = \"fast\"\n", "x.toml:1:10: found engine \"fast\", expected one of: auto, best-first"),
            ("\n\nbound = \"best\"\n", "x.toml:3:9: found bound \"best\", expected one or several"),
            ("threads = 0\n", "x.toml:1:11: invalid value: integer `0`, expected a nonzero"),
            ("memory = \"much\"\n", "x.toml:1:10: found memory \"much\", expected"),
            ("time-limit = \"0s\"\n", "x.toml:1:14: found time \"0s\", expected"),
            ("time-limit = 5\n", "x.toml:1:14: invalid type: integer `5`, expected a string"),
            ("[parameters]\nwidth = 1\n", "x.toml:2:1: unknown field `width`"),
            ("engine = \n", "x.toml:1:10: "),
        ];
        for (text, expected) in cases {
            let error = Config::parse("x.toml", text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn options_of_one_puzzle_name_a_puzzle_that_exists() {
        let text = "objective = 'left'\nmin-group = 1\ncolumns = 'stay'\ncorner = 'top-right'\norder = 'distances'\nbound-memory = '1GiB'\n";
        let given = Config::parse("x.toml", text).unwrap().of_one_puzzle();
        let mut keys: Vec<_> = given.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["bound-memory", "columns", "corner", "min-group", "objective", "order"]);
        assert!(given.iter().all(|(_, puzzle)| puzzle.parse::<PuzzleId>().is_ok()), "{given:?}");
    }

    #[test]
    fn a_configuration_that_is_written_reads_as_before() {
        let text = "domain = 'flood-it'\nengine = 'beam'\nbound = 'pairs'\nbound-memory = '3GiB'\nthreads = 3\nmemory = '1MiB'\ntime-limit = '1m 30s'\nexpansions = 5\nparallel = 'search'\nspill = ['/a', '/b']\ndisk = '7GiB'\ncheckpoint = '9m'\n[parameters]\nbeam-width = 7\n";
        let config = Config::parse("x.toml", text).unwrap();
        assert_eq!(Config::parse("y.toml", &config.to_text()).unwrap(), config);
        let once = "run = 'a'\ndataset = 'b'\nboards = '1-3'\nformat = 'lines'\n";
        let config = Config::parse("x.toml", once).unwrap();
        assert_eq!(Config::parse("y.toml", &config.to_text()).unwrap(), Config::default());
    }
}
