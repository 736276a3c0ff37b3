//! The table of options: one definition for each option of a search.
//!
//! A definition gives, in this order:
//! * the help, for `--help` and for the configuration alike;
//! * the name: `time_limit` is the flag `--time-limit` and the key `time-limit`;
//! * the type, whose [`Value`] reads and writes both;
//! * `of "PUZZLE"`, if one puzzle alone knows the option; a configuration with another puzzle is refused;
//! * `identity`, if a checkpoint is bound to the value: the text for the identity of a run;
//! * `sets`, what the value changes in a [`Request`];
//! * `kept = false`, if the run directory does not keep the value.
//!
//! The macro makes of the table the [`Config`], and for each group a structure with the flags of the group.

use super::value::Value;
use super::{Parallel, Selection, Size, Threads, Time};
use crate::puzzles::{BoundName, PuzzleId, Request};
use clap::Args;
use gridhunt_boards::{Columns, Corner, Format, Objective, ScoreRule, Scoring};
use gridhunt_search::engine::{EngineKind, Parameters};
use serde::{Deserialize, Deserializer};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The name of a field as flags and keys spell it.
fn spelled(field: &str) -> String {
    field.replace('_', "-")
}

fn read<'de, D: Deserializer<'de>, T: Value>(from: D) -> Result<Option<T>, D::Error> {
    T::read(from).map(Some)
}

macro_rules! options {
    ($(
        $(#[$group_meta:meta])*
        struct $group:ident {
            $(
                $(#[doc = $help:tt])+
                $(#[arg($($arg:tt)*)])?
                $name:ident: $kind:ty
                    $(, of $puzzle:literal $(, identity |$seen:ident| $identity:expr)?)?
                    $(, sets |$request:ident, $value:ident| $set:expr)?
                    $(, kept = $kept:literal)?;
            )*
        }
    )*) => {
        /// What a configuration file, or the flags, say; `None` where they say nothing.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Config {
            $($(
                $(#[doc = $help])+
                #[serde(deserialize_with = "read")]
                pub $name: Option<$kind>,
            )*)*
            /// `[parameters]`: the parameters of the engines.
            pub parameters: Parameters,
        }

        impl Config {
            /// The request of this configuration, with the defaults where it says nothing. The default memory limit is
            /// [`super::memory::default_limit`].
            #[must_use]
            pub fn request(&self) -> Request {
                let mut request = Request { parameters: self.parameters, ..Request::default() };
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

            /// Takes from `other` each option about which this configuration says nothing.
            pub fn fill_from(&mut self, other: Self) {
                $($(
                    self.$name = self.$name.take().or(other.$name);
                )*)*
            }

            /// The options that are given and that one puzzle alone knows, with the name of the puzzle.
            pub(super) fn of_one_puzzle(&self) -> Vec<(String, &'static str)> {
                let mut found = Vec::new();
                $($($(
                    if self.$name.is_some() {
                        found.push((spelled(stringify!($name)), $puzzle));
                    }
                )?)*)*
                found
            }

            /// The table that [`Config::parse`] reads as this configuration, without the options for one use.
            pub(super) fn table(&self) -> toml::Table {
                let mut table = toml::Table::new();
                $($(
                    let is_kept = true $(&& $kept)?;
                    if is_kept && let Some(value) = self.$name.as_ref().and_then(Value::write) {
                        table.insert(spelled(stringify!($name)), value);
                    }
                )*)*
                table
            }
        }

        /// The rules as a part of a checkpoint's identity, for a puzzle with several variants: what its options add, in
        /// the order of the table. A search continues a checkpoint only with equal rules, because the rules decide
        /// which states the checkpoint holds.
        #[must_use]
        pub fn rules_identity(request: &Request) -> String {
            let puzzle = request.domain.name();
            let mut parts: Vec<String> = Vec::new();
            $($($($(
                if puzzle == $puzzle {
                    let $seen = request;
                    parts.push($identity);
                }
            )?)?)*)*
            parts.retain(|part| !part.is_empty());
            if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
        }

        $(
            #[derive(Clone, Debug, Default, Args)]
            $(#[$group_meta])*
            pub struct $group {
                $(
                    $(#[doc = $help])+
                    #[arg(long, value_parser = <$kind as Value>::parser() $(, $($arg)*)?)]
                    pub $name: Option<$kind>,
                )*
            }

            impl $group {
                /// Puts the options that are given on top of a configuration.
                pub fn lay_over(&self, config: &mut Config) {
                    $(
                        if self.$name.is_some() {
                            config.$name.clone_from(&self.$name);
                        }
                    )*
                }

                /// The name of the first option that is given.
                #[must_use]
                pub fn given(&self) -> Option<String> {
                    $(
                        if self.$name.is_some() {
                            return Some(spelled(stringify!($name)));
                        }
                    )*
                    None
                }
            }
        )*
    };
}

options! {
    /// The puzzle.
    struct PuzzleOptions {
        /// The puzzle of the boards [default: flood-it]
        domain: PuzzleId, sets |request, domain| request.domain = domain;
    }

    /// The objective of Clickomania.
    #[command(next_help_heading = "Clickomania")]
    struct ObjectiveOptions {
        /// The objective: any clear, the fewest clicks, the fewest cells left, or the highest score [default: clear]
        objective: Objective, of "clickomania", identity |request| request.clickomania.objective.to_string(),
            sets |request, objective| request.clickomania.objective = objective;
    }

    /// The rules of Clickomania.
    #[command(next_help_heading = "Clickomania")]
    struct RulesOptions {
        /// The least number of cells in a group that can be clicked away [default: 2]
        #[arg(value_name = "N")]
        min_group: NonZeroU32, of "clickomania", identity |request| format!("groups of {}", request.clickomania.rules.min_group),
            sets |request, cells| request.clickomania.rules.min_group = cells.get();
        /// What happens to a column without cells [default: close]
        columns: Columns, of "clickomania", identity |request| format!("columns {}", request.clickomania.rules.columns),
            sets |request, columns| request.clickomania.rules.columns = columns;
        /// The corner to which cells fall and columns close up [default: bottom-left]
        corner: Corner, of "clickomania", identity |request| format!("corner {}", request.clickomania.rules.corner),
            sets |request, corner| request.clickomania.rules.corner = corner;
    }

    /// The scoring of Clickomania.
    #[command(next_help_heading = "Clickomania")]
    struct ScoreOptions {
        /// The points of a click on n cells: a formula such as (n-1)^2 or n(n-1), or a table for 1, 2, 3, ... cells
        /// such as 0,0,1,4 [default: (n-2)^2, and 0 for one cell]
        #[arg(value_name = "RULE", allow_hyphen_values = true)]
        score: ScoreRule, of "clickomania",
            identity |request| if request.clickomania.scoring == Scoring::default() { String::new() } else { request.clickomania.scoring.to_string() },
            sets |request, rule| request.clickomania.scoring.points = rule;
        /// The points for clearing the board [default: 1000]
        #[arg(value_name = "N")]
        clear_bonus: u32, of "clickomania", sets |request, bonus| request.clickomania.scoring.clear_bonus = bonus;
        /// What n cells of one colour that are left cost, added up over the colours: a formula or a table [default: 0]
        #[arg(value_name = "RULE", allow_hyphen_values = true)]
        left_penalty: ScoreRule, of "clickomania", sets |request, rule| request.clickomania.scoring.left_penalty = rule;
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
        threads: Threads, sets |request, threads| request.threads = threads.0;
        /// Memory for searching, such as 4GiB; where it ends, auto goes on with ida
        /// [default: three quarters of what is free]
        #[arg(value_name = "SIZE")]
        memory: Size, sets |request, size| request.limits.memory = Some(size.0);
        /// Time for each board, such as 30s or 10m [default: none]
        #[arg(value_name = "TIME")]
        time_limit: Time, sets |request, time| request.limits.time = Some(time.0);
        /// States to expand on each board [default: no limit]
        #[arg(value_name = "N")]
        expansions: u64, sets |request, states| request.limits.expansions = Some(states);
        /// Many boards: side by side on one thread each, or one by one on all threads [default: side by side, if there
        /// are enough]
        parallel: Parallel;
    }

    /// What a run may put on disk.
    #[command(next_help_heading = "Keeping")]
    struct StorageOptions {
        /// A folder for states that do not fit into memory; several are used in turn [default: the run directory]
        #[arg(value_name = "DIR")]
        spill: Vec<PathBuf>, sets |request, folders| request.storage.spill = folders;
        /// The most that a board may put on disk, such as 50GiB [default: all but 1 GiB of what is free]
        #[arg(value_name = "SIZE")]
        disk: Size, sets |request, size| request.storage.disk = Some(size.0);
        /// Time between two checkpoints [default: 5m]
        #[arg(value_name = "TIME")]
        checkpoint: Time, sets |request, time| request.storage.checkpoint = time.0;
    }

    /// The run directory.
    #[command(next_help_heading = "Keeping")]
    struct RunOptions {
        /// Keep the run in this directory: states that do not fit into memory, checkpoints, results
        #[arg(value_name = "DIR")]
        run: PathBuf, kept = false;
    }

    /// The boards of a hunt.
    struct DatasetOptions {
        /// The file with the boards of `gridhunt hunt`
        #[arg(value_name = "FILE")]
        dataset: PathBuf, kept = false;
    }

    /// Some boards of a file.
    struct SelectionOptions {
        /// Only these boards of each file, as in 1-100,205 [default: all]
        #[arg(value_name = "NUMBERS")]
        boards: Selection, kept = false;
    }

    /// The format of the boards.
    struct FormatOptions {
        /// Format of the boards [default: recognised by the content]
        format: Format, kept = false;
    }
}
