//! Named sets of parameters: `configs/NAME.toml`.
//!
//! The keys are the long flags of `solve`; what can be tuned inside the engines stands under `[parameters]`:
//!
//! ```
//! let text = "engine = 'best-first'\nmemory = '4GiB'\ntime-limit = '10m'\n\n[parameters]\nbeam-width = 200\n";
//! let config = gridhunt::driver::Config::parse("fast.toml", text)?;
//! assert_eq!(config.memory, Some(4 << 30));
//! # Ok::<(), gridhunt::driver::ConfigError>(())
//! ```

use super::request::parse_engine;
use super::{BoundName, DomainKind, HuntError, Parallel, Request, Selection, Storage, UnknownName};
use crate::board::{Columns, Corner, Format, Objective, Rules};
use crate::domain::clickomania::Order;
use crate::engine::{EngineKind, Parameters};
use crate::runtime::Limits;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Where bare names are looked up, seen from the working directory.
const FOLDER: &str = "configs";

/// What a configuration file, or the flags, say; `None` where they say nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// `domain = "flood-it"`
    #[serde(deserialize_with = "from_text")]
    pub domain: Option<DomainKind>,
    /// `objective = "clicks"`: what is wanted of a board of Clickomania
    #[serde(deserialize_with = "from_text")]
    pub objective: Option<Objective>,
    /// `min-group = 2`: cells of a group that can be clicked away, at least
    pub min_group: Option<NonZeroU32>,
    /// `columns = "close"`: what happens to a column without cells
    #[serde(deserialize_with = "from_text")]
    pub columns: Option<Columns>,
    /// `corner = "bottom-left"`: where everything goes
    #[serde(deserialize_with = "from_text")]
    pub corner: Option<Corner>,
    /// `order = "singles"`: what looks promising on a board of Clickomania
    #[serde(deserialize_with = "from_text")]
    pub order: Option<Order>,
    /// `engine = "auto"`
    #[serde(deserialize_with = "engine")]
    pub engine: Option<EngineKind>,
    /// `bound = "elimination+release"`
    #[serde(deserialize_with = "from_text")]
    pub bound: Option<BoundName>,
    /// `bound-memory = "1GiB"`, in bytes
    #[serde(deserialize_with = "memory")]
    pub bound_memory: Option<u64>,
    /// `threads = 8`
    pub threads: Option<NonZeroUsize>,
    /// `memory = "4GiB"`, in bytes
    #[serde(deserialize_with = "memory")]
    pub memory: Option<u64>,
    /// `time-limit = "10m"`
    #[serde(deserialize_with = "time")]
    pub time_limit: Option<Duration>,
    /// `expansions = 1000000`
    pub expansions: Option<u64>,
    /// `parallel = "boards"`
    #[serde(deserialize_with = "from_text")]
    pub parallel: Option<Parallel>,
    /// `spill = ["/fast", "/large"]`: folders for states that do not fit into memory
    pub spill: Vec<PathBuf>,
    /// `disk = "50GiB"`, in bytes
    #[serde(deserialize_with = "memory")]
    pub disk: Option<u64>,
    /// `checkpoint = "5m"`
    #[serde(deserialize_with = "time")]
    pub checkpoint: Option<Duration>,
    /// `run = "runs/NAME"`: the run directory
    pub run: Option<PathBuf>,
    /// `dataset = "datasets/floodit/14x14-6c-100.lines"`: the boards of `gridhunt hunt`
    pub dataset: Option<PathBuf>,
    /// `boards = "1-100,205"`: which of them
    #[serde(deserialize_with = "from_text")]
    pub boards: Option<Selection>,
    /// `format = "lines"`: how they are written, instead of recognising it
    #[serde(deserialize_with = "from_text")]
    pub format: Option<Format>,
    /// `[parameters]`
    pub parameters: Parameters,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No configuration has this bare name.
    #[error("found no configuration {name:?} in {}, expected a path or one of: {known}", FOLDER)]
    UnknownName {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Something stands where something else should.
    #[error("{file}:{line}:{column}: {message}")]
    Unexpected {
        /// The file.
        file: String,
        /// Line from 1.
        line: usize,
        /// Column from 1, in characters.
        column: usize,
        /// What was found and what was expected.
        message: String,
    },
}

impl Config {
    /// Reads a configuration: a path, or a bare name that stands for `configs/NAME.toml`.
    ///
    /// # Errors
    /// When there is no such file or what it holds is no configuration.
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

    /// Reads the text of a configuration; `file` is how errors call it.
    ///
    /// # Errors
    /// When the text is no configuration; the error says where.
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

    /// Refuses what its domain does not know.
    ///
    /// # Errors
    /// When something is said that only another domain knows, or the [request](Request::check) is refused.
    pub fn check(&self) -> Result<(), HuntError> {
        let domain = self.domain.unwrap_or_default();
        let (flood, clicks) = (DomainKind::FloodIt, DomainKind::Clickomania);
        let said = [
            ("bound-memory", flood, self.bound_memory.is_some()),
            ("objective", clicks, self.objective.is_some()),
            ("min-group", clicks, self.min_group.is_some()),
            ("columns", clicks, self.columns.is_some()),
            ("corner", clicks, self.corner.is_some()),
            ("order", clicks, self.order.is_some()),
        ];
        if let Some((what, expected, _)) =
            said.into_iter().find(|&(_, expected, is_said)| is_said && domain != expected)
        {
            return Err(HuntError::Foreign { what, domain, expected });
        }
        self.request().check()
    }

    /// The request that comes out of it, with defaults where nothing is said. The default memory limit is
    /// [`super::memory::default_limit`].
    #[must_use]
    pub fn request(&self) -> Request {
        let default = Request::default();
        Request {
            domain: self.domain.unwrap_or(default.domain),
            rules: Rules {
                min_group: self.min_group.map_or(default.rules.min_group, u32::from),
                columns: self.columns.unwrap_or(default.rules.columns),
                corner: self.corner.unwrap_or(default.rules.corner),
            },
            objective: self.objective.unwrap_or(default.objective),
            order: self.order.unwrap_or(default.order),
            engine: self.engine.unwrap_or(default.engine),
            bound: self.bound.clone(),
            bound_memory: self.bound_memory.unwrap_or(default.bound_memory),
            threads: self.threads.map_or(default.threads, usize::from),
            limits: Limits {
                time: self.time_limit,
                memory: self.memory.or_else(super::memory::default_limit),
                expansions: self.expansions,
            },
            parameters: self.parameters,
            storage: Storage {
                spill: self.spill.clone(),
                disk: self.disk,
                checkpoint: self.checkpoint.unwrap_or(default.storage.checkpoint),
            },
        }
    }

    /// The text that [`Config::parse`] reads as this configuration, without the boards and the run directory.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut table = toml::Table::new();
        let mut put = |key: &str, value: Option<toml::Value>| {
            if let Some(value) = value {
                table.insert(key.to_owned(), value);
            }
        };
        let text = |text: String| Some(toml::Value::String(text));
        put("domain", self.domain.and_then(|domain| text(domain.to_string())));
        put("objective", self.objective.and_then(|objective| text(objective.to_string())));
        put("min-group", self.min_group.map(|cells| toml::Value::Integer(cells.get().into())));
        put("columns", self.columns.and_then(|columns| text(columns.to_string())));
        put("corner", self.corner.and_then(|corner| text(corner.to_string())));
        put("order", self.order.and_then(|order| text(order.to_string())));
        put("engine", self.engine.and_then(|engine| text(engine.name().to_owned())));
        put("bound", self.bound.as_ref().and_then(|bound| text(bound.to_string())));
        put("bound-memory", self.bound_memory.and_then(|bytes| text(bytes.to_string())));
        put("threads", self.threads.map(|threads| toml::Value::Integer(threads.get() as i64)));
        put("memory", self.memory.and_then(|bytes| text(bytes.to_string())));
        put("time-limit", self.time_limit.and_then(|time| text(humantime::format_duration(time).to_string())));
        put("expansions", self.expansions.and_then(|n| i64::try_from(n).ok()).map(toml::Value::Integer));
        put("parallel", self.parallel.and_then(|parallel| text(parallel.name().to_owned())));
        let folders = self.spill.iter().map(|path| toml::Value::String(path.display().to_string())).collect();
        put("spill", Some(toml::Value::Array(folders)));
        put("disk", self.disk.and_then(|bytes| text(bytes.to_string())));
        put("checkpoint", self.checkpoint.and_then(|time| text(humantime::format_duration(time).to_string())));
        put("parameters", toml::Value::try_from(self.parameters).ok());
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

fn text_with<'de, D, T, E: Display>(from: D, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    parse(&text).map(Some).map_err(serde::de::Error::custom)
}

fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<Option<T>, D::Error> {
    text_with(from, str::parse)
}

fn engine<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EngineKind>, D::Error> {
    text_with(from, parse_engine)
}

fn memory<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    text_with(from, parse_memory)
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    text_with(from, parse_time)
}

/// Reads an amount of memory: `512MiB`, `4GiB`, or a plain number of bytes.
///
/// # Errors
/// When the text is no amount above zero.
pub fn parse_memory(text: &str) -> Result<u64, UnknownName> {
    let bytes = text.parse::<bytesize::ByteSize>().map_or(0, |size| size.as_u64());
    if bytes > 0 { Ok(bytes) } else { Err(amount("memory", text, "an amount above zero such as 512MiB, 4GiB")) }
}

/// Reads a time: `30s`, `10m`, `2h 30m`.
///
/// # Errors
/// When the text is no time above zero.
pub fn parse_time(text: &str) -> Result<Duration, UnknownName> {
    let time = humantime::parse_duration(text).unwrap_or_default();
    if time > Duration::ZERO {
        Ok(time)
    } else {
        Err(amount("time", text, "a time above zero such as 30s, 10m, 2h 30m"))
    }
}

fn amount(what: &'static str, found: &str, expected: &str) -> UnknownName {
    UnknownName { what, found: found.to_owned(), expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let request = config.request();
        assert_eq!((request.engine, request.threads), (EngineKind::Beam, 3));
        assert_eq!(request.bound.clone().unwrap().to_string(), "elimination+release");
        let limits = Limits { time: Some(Duration::from_secs(90)), memory: Some(1 << 20), expansions: Some(5) };
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
}
