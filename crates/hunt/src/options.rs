//! The table of options: one definition for each option of a search.
//!
//! A definition gives, in this order:
//! * the help, for `--help` and for the configuration;
//! * the name: `time_limit` is the flag `--time-limit` and the key `time-limit`;
//! * the type, whose [`OptionValue`] reads the flag, and reads and writes the key;
//! * `sets`, the field of a [`Request`] that the value sets;
//! * `in_run_file = false`, if `run.toml` omits the value.
//!
//! From the table, the macro makes [`Config`], and for each group a structure with its flags. Each puzzle has a table
//! of its own options.

use super::value::{ConfigValue, OptionValue, text_or_number};
use super::{ByteCount, Parallelism, Request, Selection, ThreadCount, TimeSpan};
use clap::Args;
use gridhunt_boards::Format;
use gridhunt_puzzle::{BoundName, EngineKind, OptionValues, PuzzleId, option_named, options};
use gridhunt_search::engine::Parameters;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The name of a field as a flag or a key.
fn kebab_case(field: &str) -> String {
    field.replace('_', "-")
}

macro_rules! options {
    ($(
        $(#[$group_meta:meta])*
        struct $group:ident {
            $(
                $(#[doc = $help:tt])+
                $(#[arg($($arg:tt)*)])?
                $name:ident: $kind:ty
                    $(, sets |$request:ident, $value:ident| $set:expr)?
                    $(, in_run_file = $in_run_file:literal)?;
            )*
        }
    )*) => {
        /// The options of a configuration file, or of the flags; `None` for an option that is not set.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Config {
            $($(
                $(#[doc = $help])+
                pub $name: Option<$kind>,
            )*)*
            /// The options of single puzzles.
            pub options: OptionValues,
            /// `[parameters]`: the parameters of the engines.
            pub parameters: Parameters,
        }

        /// The keys of a configuration: those of the table, with the options of puzzles after `domain`.
        pub(super) static KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let mut keys = vec![$($(kebab_case(stringify!($name)),)*)*];
            keys.splice(1..1, options().map(|(_, option)| option.name.to_owned()));
            keys.push("parameters".to_owned());
            keys.into_iter().map(|key| &*key.leak()).collect()
        });

        impl<'de> Visitor<'de> for ConfigVisitor {
            type Value = Config;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a configuration")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Config, A::Error> {
                let mut config = Config::default();
                while let Some(Key(key)) = map.next_key()? {
                    $($(
                        if key == kebab_case(stringify!($name)) {
                            config.$name = Some(map.next_value::<ConfigValue<$kind>>()?.0);
                            continue;
                        }
                    )*)*
                    match option_named(&key) {
                        Some((_, option)) => {
                            let set = |text: &str| config.options.set(option, text);
                            map.next_value_seed(OptionSeed(set))?;
                        }
                        None => config.parameters = map.next_value()?,
                    }
                }
                Ok(config)
            }
        }

        impl Config {
            /// The request of this configuration, with defaults for options that are not set. The default memory limit
            /// is [`super::memory::default_limit`].
            #[must_use]
            pub fn request(&self) -> Request {
                let (options, parameters) = (self.options.clone(), self.parameters);
                let mut request = Request { options, parameters, ..Request::default() };
                request.limits.memory = super::memory::default_limit();
                $($($(
                    if let Some($value) = self.$name.clone() {
                        let $request = &mut request;
                        $set;
                    }
                )?)*)*
                request.limits.resident = request.limits.memory;
                request
            }

            /// Sets each option that is not set here to its value in `other`.
            pub fn fill_from(&mut self, other: Self) {
                $($(
                    self.$name = self.$name.take().or(other.$name);
                )*)*
                self.options.fill_from(other.options);
            }

            /// The table of this configuration in `run.toml`.
            pub(super) fn table(&self) -> toml::Table {
                let mut table = toml::Table::new();
                $($(
                    let is_in_run_file = true $(&& $in_run_file)?;
                    if is_in_run_file && let Some(value) = self.$name.as_ref().and_then(OptionValue::write) {
                        table.insert(kebab_case(stringify!($name)), value);
                    }
                )*)*
                for (option, text) in self.options.iter() {
                    let number = option.is_number.then(|| text.parse().ok()).flatten().map(toml::Value::Integer);
                    table.insert(option.name.to_owned(), number.unwrap_or_else(|| text.into()));
                }
                table
            }
        }

        $(
            #[derive(Clone, Debug, Default, Args)]
            $(#[$group_meta])*
            pub struct $group {
                $(
                    $(#[doc = $help])+
                    #[arg(long, value_parser = <$kind as OptionValue>::parser() $(, $($arg)*)?)]
                    pub $name: Option<$kind>,
                )*
            }

            impl $group {
                /// Copies each option that is set here into a configuration.
                pub fn apply_to(&self, config: &mut Config) {
                    $(
                        if self.$name.is_some() {
                            config.$name.clone_from(&self.$name);
                        }
                    )*
                }

                /// The name of the first option that is set.
                #[must_use]
                pub fn first_set(&self) -> Option<String> {
                    $(
                        if self.$name.is_some() {
                            return Some(kebab_case(stringify!($name)));
                        }
                    )*
                    None
                }
            }
        )*
    };
}

struct ConfigVisitor;

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ConfigVisitor)
    }
}

/// A key of a configuration. Its error names the position of the key.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let key = String::deserialize(from)?;
        if KEYS.contains(&&*key) { Ok(Self(key)) } else { Err(D::Error::unknown_field(&key, &KEYS)) }
    }
}

/// Parses the value of a puzzle's option. Its error names the position of the value.
struct OptionSeed<F>(F);

impl<'de, F: FnMut(&str) -> Result<(), String>> serde::de::DeserializeSeed<'de> for OptionSeed<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, from: D) -> Result<(), D::Error> {
        (self.0)(&text_or_number(from)?).map_err(D::Error::custom)
    }
}

options! {
    /// The puzzle.
    struct PuzzleOptions {
        /// The puzzle of the boards [default: flood-it]
        domain: PuzzleId, sets |request, domain| request.domain = domain;
    }

    /// The engine and its lower bound.
    struct EngineOptions {
        /// The engine; see `gridhunt engines` [default: auto]
        engine: EngineKind, sets |request, engine| request.engine = engine;
        /// A lower bound; see `gridhunt bounds` [default: the puzzle's best]
        #[arg(value_name = "BOUND")]
        bound: BoundName, sets |request, bound| request.bound = Some(bound);
    }

    /// The resources of a search.
    #[command(next_help_heading = "Search")]
    struct ResourceOptions {
        /// Worker threads [default: one for each processor]
        #[arg(short, value_name = "N")]
        threads: ThreadCount, sets |request, threads| request.threads = threads.0;
        /// Memory for searching, such as 4GiB; at this limit, auto forgets no-goods (Flood-It) or continues with ida
        /// [default: three quarters of what is free]
        #[arg(value_name = "SIZE")]
        memory: ByteCount, sets |request, size| request.limits.memory = Some(size.0);
        /// Time for each board, such as 30s or 10m [default: none]
        #[arg(value_name = "TIME")]
        time_limit: TimeSpan, sets |request, time| request.limits.time = Some(time.0);
        /// States to expand on each board [default: no limit]
        #[arg(value_name = "N")]
        expansions: u64, sets |request, states| request.limits.expansions = Some(states);
        /// Many boards: side by side on one thread each, or one by one on all threads [default: side by side, if there
        /// are enough]
        parallel: Parallelism;
    }

    /// What a run may put on disk.
    #[command(next_help_heading = "Keeping")]
    struct StorageOptions {
        /// A folder for states that do not fit into memory; several are used in turn [default: the run directory]
        #[arg(value_name = "DIR")]
        spill: Vec<PathBuf>, sets |request, folders| request.storage.spill_folders = folders;
        /// Disk space that a board may use, such as 50GiB [default: all but 1 GiB of what is free]
        #[arg(value_name = "SIZE")]
        disk: ByteCount, sets |request, size| request.storage.max_disk_bytes = Some(size.0);
        /// Time between two checkpoints [default: 5m]
        #[arg(value_name = "TIME")]
        checkpoint: TimeSpan, sets |request, time| request.storage.checkpoint_interval = time.0;
    }

    /// The run directory.
    #[command(next_help_heading = "Keeping")]
    struct RunOptions {
        /// Keep the run in this directory: states that do not fit into memory, checkpoints, results
        #[arg(value_name = "DIR")]
        run: PathBuf, in_run_file = false;
    }

    /// The boards of a hunt.
    struct DatasetOptions {
        /// The file with the boards of `gridhunt hunt`
        #[arg(value_name = "FILE")]
        dataset: PathBuf, in_run_file = false;
    }

    /// Some boards of a file.
    struct SelectionOptions {
        /// Only these boards of each file, as in 1-100,205 [default: all]
        #[arg(value_name = "NUMBERS")]
        boards: Selection, in_run_file = false;
    }

    /// The format of the boards.
    struct FormatOptions {
        /// Format of the boards [default: recognised by the content]
        format: Format, in_run_file = false;
    }
}
