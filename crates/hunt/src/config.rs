//! Configurations: in the program, in the folders of the user, and by path.
//!
//! The keys are the long flags of `solve`. `[parameters]` has the parameters of the engines:
//!
//! ```
//! # use gridhunt_floodit as _;
//! let text = "engine = 'best-first'\nmemory = '4GiB'\ntime-limit = '10m'\n\n[parameters]\nbeam-width = 200\n";
//! let config = gridhunt_hunt::Config::parse("fast.toml", text)?;
//! assert_eq!(config.request().limits.memory, Some(4 << 30));
//! # Ok::<(), gridhunt_hunt::ConfigError>(())
//! ```

use super::options::KEYS;
use super::{Config, ConfigError, Parallelism, Request, shipped};
use gridhunt_boards::{FileSetting, FileSettings, ReadOptions, closest_name, did_you_mean};
use gridhunt_puzzle::{Objective, PuzzleError, PuzzleOption, UnknownName, option_named, options, puzzle_context};
use gridhunt_search::runtime::Exchange;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the configurations of all programs, such as `~/.config`.
#[cfg(not(target_family = "wasm"))]
fn base_config_folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    etcetera::choose_base_strategy().ok().map(|places| places.config_dir())
}

#[cfg(target_family = "wasm")]
fn base_config_folder() -> Option<PathBuf> {
    None
}

/// The folders of configurations, in the order of lookup: `configs` in the working directory, and the user's folder, if
/// the system has one.
fn config_folders() -> Vec<PathBuf> {
    let user = base_config_folder().map(|folder| folder.join("gridhunt"));
    std::iter::once(PathBuf::from("configs")).chain(user).collect()
}

/// A configuration with its file.
#[derive(Clone, Debug)]
pub struct FoundConfig {
    /// The configuration.
    pub config: Config,
    /// Its file; `None` if it is part of the program.
    pub file: Option<PathBuf>,
}

impl FoundConfig {
    fn read(path: &Path) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let config = Config::parse(&path.display().to_string(), &text)?;
                Ok(Self { config, file: Some(path.to_owned()) })
            }
            Err(_) if path.is_dir() => Err(ConfigError::Directory(path.to_owned())),
            Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
        }
    }

    /// Resolves the data set `name` of the configuration: to a file beside the configuration, or else to the name of a
    /// shipped data set. For a shipped configuration, the file is in the working directory.
    #[must_use]
    pub fn find_dataset(&self, name: &Path) -> PathBuf {
        let file = self.file.as_ref().map_or_else(|| name.to_owned(), |config| config.with_file_name(name));
        let is_shipped = name.to_str().is_some_and(|name| shipped::dataset(name).is_some());
        if is_shipped && !file.exists() { name.to_owned() } else { file }
    }

    /// The user's default configuration: `default.toml` in the user's folder.
    ///
    /// # Errors
    /// When the file cannot be read, or does not hold a configuration.
    pub fn of_user() -> Result<Option<Self>, ConfigError> {
        let paths = config_folders().into_iter().skip(1).map(|folder| folder.join("default.toml"));
        match paths.map(|path| Self::read(&path)).next() {
            Some(Err(ConfigError::Read { source, .. })) if is_absent(&source) => Ok(None),
            read => read.transpose(),
        }
    }

    /// Finds a configuration by its path or its bare name. A bare name denotes `NAME.toml` in `configs` of the working
    /// directory, in the user's folder, or in the program, in this order. Files without read permission are skipped.
    ///
    /// # Errors
    /// When there is no such configuration, or it cannot be read.
    pub fn find(name_or_path: &str) -> Result<Self, ConfigError> {
        let is_path = name_or_path.contains(['/', std::path::MAIN_SEPARATOR]) || name_or_path.ends_with(".toml");
        if is_path {
            return Self::read(Path::new(name_or_path));
        }
        for path in config_folders().into_iter().map(|folder| folder.join(format!("{name_or_path}.toml"))) {
            match Self::read(&path) {
                Err(ConfigError::Read { source, .. })
                    if is_absent(&source) || source.kind() == io::ErrorKind::PermissionDenied => {}
                read => return read,
            }
        }
        match shipped::configs().find(|(name, _)| *name == name_or_path) {
            Some((name, text)) => Ok(Self { config: Config::parse(name, text)?, file: None }),
            None if Path::new(name_or_path).exists() => Self::read(Path::new(name_or_path)),
            None => {
                let names = Config::names();
                let file = Some(format!("./{name_or_path}.toml")).filter(|file| Path::new(file).is_file());
                let similar = || closest_name(name_or_path, names.iter().map(String::as_str)).map(str::to_owned);
                let nearest = file.or_else(similar);
                let names = names.into_iter().collect::<Vec<_>>().join(", ");
                Err(ConfigError::UnknownName { name: name_or_path.to_owned(), nearest, names })
            }
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Config {
    /// The names of the shipped configurations.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        shipped::configs().map(|(name, _)| name)
    }

    /// The names of all configurations that [`FoundConfig::find`] finds by name.
    #[must_use]
    pub fn names() -> BTreeSet<String> {
        let mut names: BTreeSet<String> = Self::shipped_names().map(str::to_owned).collect();
        for entry in config_folders().iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
        names
    }

    /// Reads a configuration, as [`FoundConfig::find`] does.
    ///
    /// # Errors
    /// When there is no such configuration, or it cannot be read.
    pub fn load(name_or_path: &str) -> Result<Self, ConfigError> {
        FoundConfig::find(name_or_path).map(|found| found.config)
    }

    /// The options as texts, by key.
    #[must_use]
    pub fn to_texts(&self) -> BTreeMap<String, String> {
        let text = |value: toml::Value| match value {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        self.table().into_iter().map(|(key, value)| (key, text(value))).collect()
    }

    /// Makes a configuration of options as texts, by key. The inverse of [`Config::to_texts`].
    ///
    /// # Errors
    /// When an option does not exist, or does not have the value.
    pub fn from_texts(texts: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        Self::from_json(serde_json::json!(texts))
    }

    /// Makes a configuration of an object with keys and values.
    ///
    /// # Errors
    /// When an option does not exist, or does not have the value.
    pub fn from_json(options: serde_json::Value) -> Result<Self, ConfigError> {
        Self::deserialize(&options).map_err(|error| {
            // The first key with a wrong value, if there is one.
            let is_wrong = |(key, value): &(&String, &serde_json::Value)| {
                KEYS.contains(&key.as_str()) && Self::deserialize(serde_json::json!({ *key: value })).is_err()
            };
            let key = options.as_object().and_then(|options| options.iter().find(is_wrong));
            let key = key.map_or_else(String::new, |(key, _)| format!("{key}: "));
            ConfigError::Options(key + &rephrased(&error.to_string()))
        })
    }

    /// The keys of a configuration.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        KEYS.iter().copied()
    }

    /// The options to read boards of this puzzle, under these rules.
    #[must_use]
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            default_format: self.domain.unwrap_or_default().info().format,
            puzzle: puzzle_context(self.domain, &self.options),
            ..ReadOptions::default()
        }
    }

    /// Sets the options that are not set here to the settings that a file names. Ignores the settings if they name
    /// another puzzle than this configuration.
    ///
    /// # Errors
    /// When a setting names an unknown puzzle, or a value that its option does not allow.
    pub fn fill_from_file_settings(&mut self, named: &FileSettings) -> Result<(), ConfigError> {
        let file_domain = named.value("domain");
        if self.domain.is_some_and(|domain| file_domain.is_some_and(|name| name.parse() != Ok(domain))) {
            return Ok(());
        }
        let unknown = |error: UnknownName| ConfigError::Options(error.to_string());
        let domain = file_domain.map(str::parse).transpose().map_err(unknown)?;
        let mut config = Self { domain, ..Self::default() };
        for FileSetting { key, value } in &named.settings {
            // A record has facts, which are options, and other fields, which are skipped.
            let is_fact = |option: &PuzzleOption| option.fact.is_some_and(|fact| fact.name == key);
            let mut matching = options().filter(|(_, option)| option.name == key || is_fact(option));
            let Some((_, option)) = matching.next() else { continue };
            let wrong = |message| ConfigError::Options(format!("{key} of the file: {message}"));
            // A puzzle with one objective has no option for the objective.
            match config.options.set(option, value) {
                Err(_) if Objective::find(value, None).is_some() => {}
                result => result.map_err(wrong)?,
            }
        }
        self.fill_from(config);
        Ok(())
    }

    /// [Sets the options](Self::fill_from_file_settings) to the settings that files or solutions name. Their options
    /// must be the same.
    ///
    /// # Errors
    /// When they are not, or a setting is wrong.
    pub fn fill_from_all_settings(&mut self, named: &[FileSettings]) -> Result<(), ConfigError> {
        let given = self.clone();
        for (number, settings) in named.iter().enumerate() {
            let mut own = given.clone();
            own.fill_from_file_settings(settings)?;
            if number > 0 && own.options != self.options {
                let found = "found boards or solutions under other rules than those before them";
                return Err(ConfigError::Options(format!("{found}, expected one call for each set of rules")));
            }
            *self = Self { domain: own.domain.or(self.domain), ..own };
        }
        Ok(())
    }

    /// The request for a session, and how it uses its threads. By default, boards are searched side by side if there
    /// are no ranks, there may be several boards (`has_many`), and there are at least as many boards as threads.
    /// `boards_left` is `None` for a stream. The ranks of one host share its memory.
    #[must_use]
    pub fn session(
        &self,
        boards_left: Option<usize>,
        has_many: bool,
        ranks: Option<&Exchange>,
    ) -> (Request, Parallelism) {
        let mut request = self.request_per_process(ranks.map_or(1, Exchange::ranks_on_host));
        let side_by_side = ranks.is_none() && has_many && boards_left.is_none_or(|boards| boards >= request.threads);
        let parallel = self.parallel.unwrap_or(if side_by_side { Parallelism::Boards } else { Parallelism::Search });
        if parallel == Parallelism::Boards {
            request.threads = request.threads.min(boards_left.unwrap_or(usize::MAX)).max(1);
        }
        (request, parallel)
    }

    /// The request of each of `processes` on one host. Unless the user limits the memory, each gets an equal share.
    pub(super) fn request_per_process(&self, processes: usize) -> Request {
        let mut request = self.request();
        if self.memory.is_none() {
            let share = |bytes: u64| (bytes / processes.max(1) as u64).max(super::memory::MIN_BYTES);
            request.limits.memory = request.limits.memory.map(share);
            request.limits.resident = request.limits.memory;
        }
        request
    }

    /// Parses a configuration. Errors call the text `file`.
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
                message: rephrased(e.message()),
            }
        })
    }

    /// Refuses options that contradict each other.
    ///
    /// # Errors
    /// When an option of another puzzle is given, or [`Request::check`] refuses the request.
    pub fn check(&self) -> Result<(), PuzzleError> {
        let request = self.request();
        let domain = request.domain;
        for (option, _) in self.options.iter() {
            if let Some((expected, _)) = option_named(option.name).filter(|(puzzle, _)| *puzzle != domain) {
                return Err(PuzzleError::OtherDomain { what: option.name.to_owned(), domain, expected });
            }
        }
        request.check()
    }

    /// The text for [`Config::parse`], without the boards and the run directory.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = self.table();
        // The conversion cannot fail: all parameters are whole numbers.
        table.extend(toml::Value::try_from(self.parameters).ok().map(|value| ("parameters".to_owned(), value)));
        table.to_string()
    }
}

/// Rephrases a message of the TOML parser. For an unknown key, the message suggests the nearest key.
fn rephrased(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let Some((found, known)) = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "))
    else {
        return message.replace("expected usize", "expected a whole number such as 100");
    };
    // The keys are between grave accents.
    let known: Vec<_> = known.split('`').skip(1).step_by(2).collect();
    let question = did_you_mean(closest_name(found, known.iter().copied()));
    format!("found the key {found:?},{question} expected one of: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_search::runtime::{MessageDelays, ThreadTransport};

    #[test]
    fn an_object_says_what_a_file_says() {
        let json = serde_json::json!({
            "engine": "beam", "threads": 3, "memory": "1MiB", "expansions": 1e6, "spill": ["/a"],
            "parameters": { "beam-width": 7 },
        });
        let text = "engine = 'beam'\nthreads = 3\nmemory = '1MiB'\nexpansions = 1000000\nspill = ['/a']\n[parameters]\nbeam-width = 7\n";
        assert_eq!(Config::from_json(json).unwrap(), Config::parse("x.toml", text).unwrap());
        for (json, expected) in [
            (
                serde_json::json!({ "enginn": 1 }),
                "options: found the key \"enginn\", did you mean engine? expected one",
            ),
            (serde_json::json!({ "threads": 0 }), "options: threads: found \"0\", expected a whole number"),
            (
                serde_json::json!({ "parameters": { "beam-widht": 1 } }),
                "options: parameters: found the key \"beam-widht\"",
            ),
        ] {
            let error = Config::from_json(json).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_session_has_boards_side_by_side_where_there_are_enough() {
        let config = |text| Config::parse("x.toml", text).unwrap();
        let exchange = Exchange::new(ThreadTransport::connect(1, MessageDelays::default()).remove(0));
        let plan = |text, boards, many, has_ranks: bool| {
            let (request, parallel) = config(text).session(boards, many, has_ranks.then_some(&exchange));
            (request.threads, parallel)
        };
        assert_eq!(plan("threads = 4", Some(4), true, false), (4, Parallelism::Boards));
        assert_eq!(plan("threads = 4", None, true, false), (4, Parallelism::Boards));
        assert_eq!(plan("threads = 4", Some(3), true, false), (4, Parallelism::Search));
        assert_eq!(plan("threads = 4", Some(9), true, true), (4, Parallelism::Search));
        assert_eq!(plan("threads = 4\nparallel = 'boards'", Some(3), true, false), (3, Parallelism::Boards));
        assert_eq!(plan("threads = 4\nparallel = 'boards'", Some(0), true, false), (1, Parallelism::Boards));
    }

    #[test]
    fn ranks_of_one_host_share_the_memory_that_nobody_has_limited() {
        let given = Config::parse("x.toml", "memory = '8GiB'").unwrap();
        assert_eq!(given.request_per_process(4).limits.memory, Some(8 << 30));
        let limits = [1, 4].map(|processes| Config::default().request_per_process(processes).limits);
        let [whole, part] = limits.map(|limits| limits.memory.unwrap() as f64);
        // The amount of free memory changes from moment to moment.
        assert!((3.5..4.5).contains(&(whole / part)), "{limits:?}");
        assert_eq!(limits[1].resident, limits[1].memory);
    }

    #[test]
    fn a_solution_claims_what_nobody_has_said() {
        let solution = r#"{"domain":"clickomania","objective":"clicks","min_group":3,"moves":["1,1"]}"#;
        let named =
            gridhunt_boards::SolutionReader::new("x", solution.as_bytes()).unwrap().file_settings().unwrap().remove(0);
        let filled = |text| {
            let mut config = Config::parse("x.toml", text).unwrap();
            config.fill_from_file_settings(&named).unwrap();
            config
        };
        let clickomania = "domain = 'clickomania'\n";
        assert_eq!(filled(""), filled(clickomania));
        assert_eq!(filled("").options.get("objective"), Some("clicks"));
        let left = filled("domain = 'clickomania'\nobjective = 'left'").options;
        assert_eq!((left.get("objective"), left.get("min-group")), (Some("left"), Some("3")));
        assert_eq!(filled("domain = 'flood-it'").options.get("objective"), None, "of another puzzle");
    }

    #[test]
    fn errors_say_where_what_and_what_instead() {
        let cases = [
            (
                "engine = \"auto\"\nspeed = 3\n",
                "x.toml:2:1: found the key \"speed\", expected one of: domain, objective, ",
            ),
            ("engine = \"bestfirst\"\n", "x.toml:1:10: found engine \"bestfirst\", did you mean best-first? expected"),
            // Bounds of earlier versions.
            ("bound = \"adaptive\"\n", "x.toml:1:9: found bound \"adaptive\", expected one of: layers, elimination"),
            ("time-limit = 5\n", "x.toml:1:14: found \"5\", expected a unit: 5s"),
            (
                "[parameters]\nbeam-widht = 1\n",
                "x.toml:2:1: found the key \"beam-widht\", did you mean beam-width? expected",
            ),
            ("[parameters]\nbeam-width = 'x'\n", "x.toml:2:14: invalid type: string \"x\", expected a whole number"),
            ("engine = \n", "x.toml:1:10: "),
        ];
        for (text, expected) in cases {
            let error = Config::parse("x.toml", text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_configuration_that_is_written_reads_as_before() {
        let text = "domain = 'flood-it'\nengine = 'beam'\nbound = 'layers'\nthreads = 3\nmemory = '1MiB'\ntime-limit = '1m 30s'\nexpansions = 5\nparallel = 'search'\nspill = ['/a', '/b']\ndisk = '7GiB'\ncheckpoint = '9m'\n[parameters]\nbeam-width = 7\n";
        let rules =
            "domain = 'clickomania'\nobjective = 'left'\nmin-group = 1\ncolumns = 'stay'\ncorner = 'top-right'\n";
        assert!(Config::parse("x.toml", rules).unwrap().check().is_ok());
        for text in [text, rules] {
            let config = Config::parse("x.toml", text).unwrap();
            assert_eq!(Config::parse("y.toml", &config.to_toml()).unwrap(), config);
        }
        let once = "run = 'a'\ndataset = 'b'\nboards = '1-3'\nformat = 'lines'\n";
        let config = Config::parse("x.toml", once).unwrap();
        assert_eq!(Config::parse("y.toml", &config.to_toml()).unwrap(), Config::default());
    }
}
